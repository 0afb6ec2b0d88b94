/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - named phases and the summary at the end (EYOT_STATS): wall time per phase, and what
 * went through the fabric by distance.
 *
 * Copies by the inline path never come here and are not counted; the table says so. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fabric_real/endpoint/endpoint.h"
#include "fabric_real/progress/engine.h"

static uint32_t find_phase(const struct fr_stats *s, const char *name) {
  uint32_t i = 0;
  while (i < s->phases && strncmp(s->name[i], name, FR_PHASE_NAME - 1) != 0) i++;
  return i;
}

void fr_phase(struct fab *fab, const char *name) {
  struct fr_stats *s = &fr_of(fab)->stats;
  uint64_t now = fr_clock_ns();
  if (s->current < s->phases) s->spent_ns[s->current] += now - s->since_ns;
  s->since_ns = now;
  s->current = FR_PHASES_MAX;
  if (name == NULL) return;
  uint32_t i = find_phase(s, name);
  if (i == FR_PHASES_MAX) return; /* the layer above allows no more names */
  if (i == s->phases) snprintf(s->name[s->phases++], FR_PHASE_NAME, "%s", name);
  s->current = i;
}

#define HANDED (FR_PHASES_MAX + 2 * FR_DISTANCES)
#define TOTALS (HANDED + 6)

/* One line a phase of unit 0; phases that only others have are left out of the table. */
struct totals {
  uint64_t sum[TOTALS];
  uint64_t max[FR_PHASES_MAX];
};

static int reduce(struct fr *f, struct totals *t) {
  struct fr_stats *s = &f->stats;
  struct totals mine = {0};
  char names[FR_PHASES_MAX][FR_PHASE_NAME];
  memcpy(names, s->name, sizeof names);
  FR_TRY(MPI_Bcast(names, sizeof names, MPI_CHAR, 0, f->all));
  for (uint32_t i = 0; i < FR_PHASES_MAX && names[i][0] != '\0'; i++) {
    uint32_t here = find_phase(s, names[i]);
    mine.sum[i] = mine.max[i] = here < s->phases ? s->spent_ns[here] : 0;
  }
  memcpy(&mine.sum[FR_PHASES_MAX], s->ops, sizeof s->ops);
  memcpy(&mine.sum[FR_PHASES_MAX + FR_DISTANCES], s->bytes, sizeof s->bytes);
  mine.sum[HANDED] = s->handed_ops;
  mine.sum[HANDED + 1] = s->handed_bytes;
  mine.sum[HANDED + 2] = s->errands;
  mine.sum[HANDED + 3] = s->private_ops;
  mine.sum[HANDED + 4] = s->private_bytes;
  mine.sum[HANDED + 5] = f->engine != NULL && f->engine->refused != 0;
  FR_TRY(MPI_Reduce(mine.sum, t->sum, TOTALS, MPI_UINT64_T, MPI_SUM, 0, f->all));
  FR_TRY(MPI_Reduce(mine.max, t->max, FR_PHASES_MAX, MPI_UINT64_T, MPI_MAX, 0, f->all));
  return EYOT_OK;
}

int fr_stats_print(struct fr *f) {
  static const char *const WHERE[FR_DISTANCES] = {"same unit", "same node", "between nodes"};
  struct totals t = {0};
  fr_phase(&f->fab, NULL);
  EYOTI_TRY(reduce(f, &t));
  if (f->fab.me != 0) return EYOT_OK;
  fprintf(stderr, "eyot: %u units over mpi, %.3f s wall time\n", f->fab.n,
          (double)(fr_clock_ns() - f->start_ns) / 1e9);
  fprintf(stderr, "%-32s %15s %15s\n", "phase", "mean s (wall)", "longest (wall)");
  for (uint32_t i = 0; i < f->stats.phases; i++)
    fprintf(stderr, "%-32s %15.6f %15.6f\n", f->stats.name[i], (double)t.sum[i] / 1e9 / f->fab.n,
            (double)t.max[i] / 1e9);
  fprintf(stderr, "%-32s %15s %15s\n", "distance (inline copies excluded)", "operations", "bytes");
  for (uint32_t d = 0; d < FR_DISTANCES; d++)
    fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", WHERE[d], t.sum[FR_PHASES_MAX + d],
            t.sum[FR_PHASES_MAX + FR_DISTANCES + d]);
  if (f->servers == 0) return EYOT_OK;
  fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", "by progress processes", t.sum[HANDED],
          t.sum[HANDED + 1]);
  fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", "  of private buffers", t.sum[HANDED + 3],
          t.sum[HANDED + 4]);
  if (t.sum[HANDED + 5] != 0)
    fprintf(stderr,
            "%-32s %15" PRIu64
            " of %u units: the system does not let progress processes access their memory\n",
            "  not of private buffers of", t.sum[HANDED + 5], f->fab.n);
  fprintf(stderr, "%-32s %15" PRIu64 "\n", "by messages to the owner's node", t.sum[HANDED + 2]);
  return EYOT_OK;
}
