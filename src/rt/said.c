/* SPDX-License-Identifier: BSD-3-Clause */
/* said.c - implements said.h. */
#include "rt/said.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/run.h"
#include "base/wording.h"
#include "rt/proc_state.h"

#define MISTAKES_MAX 256u /* later ones are printed each time */
#define TEXTS_MAX EYOTI_RUN_TEXTS
#define FIRST_BYTES EYOTI_RUN_FIRST
#define PIECES_MAX 12u /* ranges of units in the summary */

struct mistake {
  struct eyoti_saying m; /* its text is `first` */
  uint64_t text[TEXTS_MAX];
  uint32_t n_texts;
  uint64_t times, printed;
  uint64_t *units; /* a bit for each; NULL: not counted */
  char first[FIRST_BYTES];
};

struct eyoti_said {
  uint32_t n;
  struct mistake *mistake[MISTAKES_MAX];
};

void eyoti_said_free(struct eyoti_said *s) {
  for (uint32_t i = 0; s != NULL && i < s->n; i++) {
    free(s->mistake[i]->units);
    free(s->mistake[i]);
  }
  free(s);
}

static bool same_mistake(const struct eyoti_saying *a, const struct eyoti_saying *b) {
  return a->fmt == b->fmt && a->level == b->level && a->place.off == b->place.off &&
         (a->place.file == b->place.file || (a->place.file != NULL && b->place.file != NULL &&
                                             strcmp(a->place.file, b->place.file) == 0)) &&
         (a->what == b->what ||
          (a->what != NULL && b->what != NULL && strcmp(a->what, b->what) == 0));
}

static struct mistake *mistake_of(struct eyoti_said *s, const struct eyoti_saying *m) {
  for (uint32_t i = 0; i < s->n; i++)
    if (same_mistake(&s->mistake[i]->m, m)) return s->mistake[i];
  struct mistake *x = s->n < MISTAKES_MAX ? calloc(1, sizeof *x) : NULL;
  if (x == NULL) return NULL;
  x->m = *m;
  snprintf(x->first, sizeof x->first, "%s", m->text);
  x->units = calloc((m->units + 63) / 64, sizeof *x->units);
  return s->mistake[s->n++] = x;
}

static void mistake_count(struct mistake *x, uint32_t unit) {
  x->times++;
  if (x->units == NULL || unit >= x->m.units) return;
  x->units[unit / 64] |= UINT64_C(1) << unit % 64;
}

void eyoti_said_share(struct eyoti_proc *p, struct eyoti_run_saying *table) {
  if (p != NULL) p->shared = table;
}

bool eyoti_said_first(struct eyoti_proc *p, const struct eyoti_saying *m) {
  bool print;
  if (p->shared != NULL && eyoti_said_shared(p->shared, m, &print)) return print;
  if (p->said == NULL) p->said = calloc(1, sizeof *p->said);
  struct mistake *x = p->said != NULL ? mistake_of(p->said, m) : NULL;
  if (x == NULL) return true;
  mistake_count(x, m->unit);
  uint64_t hash = eyoti_hash_text(0, m->text);
  for (uint32_t i = 0; i < x->n_texts; i++)
    if (x->text[i] == hash) return false;
  if (x->n_texts == TEXTS_MAX) return false;
  x->text[x->n_texts++] = hash;
  x->printed++;
  return true;
}

static bool has_unit(const struct eyoti_said_sum *x, uint32_t unit) {
  return unit < x->n_bits && (x->bits[unit / 64] >> unit % 64 & 1) != 0;
}

/* Writes "0-4095" or "3,5-9,..."; returns the number of units. */
static uint32_t write_units(const struct eyoti_said_sum *x, char *text, size_t size) {
  size_t at = 0;
  uint32_t pieces = 0, units = 0;
  for (uint32_t i = 0; i < x->n_bits && at < size; i++) {
    if (!has_unit(x, i)) continue;
    uint32_t last = i;
    while (has_unit(x, last + 1)) last++;
    units += last - i + 1;
    if (pieces++ == PIECES_MAX) {
      snprintf(text + at, size - at, ",...");
      break;
    }
    int n =
        snprintf(text + at, size - at, last > i ? "%s%u-%u" : "%s%u", at > 0 ? "," : "", i, last);
    at += n > 0 ? (size_t)n : 0;
    i = last;
  }
  return units;
}

void eyoti_said_print(const struct eyoti_said_sum *x) {
  char units[256] = "";
  uint32_t n = x->bits != NULL ? write_units(x, units, sizeof units) : 0;
  eyoti_fprintf(stderr, "eyot: [%s %s] %s, %" PRIu64 " times in all, first by unit %u: %s\n",
                EYOTI_WORDED(n > 1 ? "units" : "unit"), units, x->level, x->times, x->unit,
                x->first);
}

static void mistake_print(const struct mistake *x) {
  if (x->times == x->printed) return;
  eyoti_said_print(&(struct eyoti_said_sum){.level = x->m.level,
                                            .first = x->first,
                                            .bits = x->units,
                                            .n_bits = x->m.units,
                                            .unit = x->m.unit,
                                            .times = x->times});
}

void eyoti_said_close(struct eyoti_proc *p) {
  struct eyoti_said *s = p->said;
  for (uint32_t i = 0; s != NULL && i < s->n; i++) mistake_print(s->mistake[i]);
  eyoti_said_free(s);
  p->said = NULL;
}
