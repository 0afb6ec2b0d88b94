/* SPDX-License-Identifier: BSD-3-Clause */
/* outcome.c - a hash table of outcome texts and their counts. See outcome.h. */
#include "fabric_sim/explore/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* FNV-1a. */
static uint32_t outcome_hash_of(const char *text) {
  uint32_t h = 0x811c9dc5u;
  for (; *text != '\0'; text++) h = (h ^ (unsigned char)*text) * 0x01000193u;
  return h;
}

void sim_outcome_add(struct sim_outcomes *o, const char *text, uint64_t count) {
  char cut[SIM_OUTCOME_BYTES];
  snprintf(cut, sizeof cut, "%s", text);
  uint32_t i = outcome_hash_of(cut) % SIM_OUTCOME_SLOTS;
  while (o->at[i].count != 0 && strcmp(o->at[i].text, cut) != 0) i = (i + 1) % SIM_OUTCOME_SLOTS;
  if (o->at[i].count == 0) {
    if (o->n == SIM_OUTCOMES_MAX) { /* so that a lookup always reaches a free slot */
      o->others += count;
      return;
    }
    memcpy(o->at[i].text, cut, sizeof cut);
    o->n++;
  }
  o->at[i].count += count;
}

void sim_outcome_merge(struct sim_outcomes *sum, const struct sim_outcomes *o) {
  for (uint32_t i = 0; i < SIM_OUTCOME_SLOTS; i++)
    if (o->at[i].count != 0) sim_outcome_add(sum, o->at[i].text, o->at[i].count);
  sum->others += o->others;
}

static int by_text(const void *a, const void *b) {
  return strcmp((*(const struct sim_outcome *const *)a)->text,
                (*(const struct sim_outcome *const *)b)->text);
}

void sim_outcome_print(const struct sim_outcomes *o, FILE *out) {
  if (o->n == 0) return;
  const struct sim_outcome **list = malloc(o->n * sizeof *list);
  if (list == NULL) eyoti_no_memory(o->n * sizeof *list, "printing %u outcomes", o->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < SIM_OUTCOME_SLOTS; i++)
    if (o->at[i].count != 0) list[n++] = &o->at[i];
  EYOTI_ASSERT(n == o->n);
  qsort(list, n, sizeof *list, by_text);
  fprintf(out, "eyotcheck: %u different outcomes:\n", n);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%12" PRIu64 "  %s\n", list[i]->count, list[i]->text);
  if (o->others > 0)
    fprintf(out, "%12" PRIu64 "  others, for which the table had no entry left\n", o->others);
  free(list);
}
