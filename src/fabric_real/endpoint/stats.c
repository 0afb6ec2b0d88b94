/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.c - see stats.h. */
#include "fabric_real/endpoint/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/wording.h"
#include "fabric_real/endpoint/endpoint.h"

static uint32_t find_phase(const struct fmpi_stats *s, const char *name) {
  uint32_t i = 0;
  while (i < s->phases && strncmp(s->name[i], name, FMPI_PHASE_NAME - 1) != 0) i++;
  return i;
}

void fmpi_phase(struct fab *fab, const char *name) {
  struct fmpi_stats *s = &fmpi_of(fab)->stats;
  uint64_t now = fmpi_clock_ns();
  if (s->current < s->phases) s->spent_ns[s->current] += now - s->since_ns;
  s->since_ns = now;
  s->current = FMPI_PHASES_MAX;
  if (name == NULL) return;
  uint32_t i = find_phase(s, name);
  if (i == FMPI_PHASES_MAX) return; /* the layer above allows no more names */
  if (i == s->phases) snprintf(s->name[s->phases++], FMPI_PHASE_NAME, "%s", name);
  s->current = i;
}

#define HANDED (FMPI_PHASES_MAX + 2 * FMPI_DISTANCES)
#define TOTALS (HANDED + 9)

/* One line a phase of unit 0; phases that only others have are left out of the table. */
struct totals {
  uint64_t sum[TOTALS];
  uint64_t max[FMPI_PHASES_MAX];
};

static int stats_reduce(struct fmpi *f, struct totals *t) {
  struct fmpi_stats *s = &f->stats;
  struct totals mine = {0};
  char names[FMPI_PHASES_MAX][FMPI_PHASE_NAME];
  memcpy(names, s->name, sizeof names);
  FMPI_TRY(MPI_Bcast(names, sizeof names, MPI_CHAR, 0, f->comm.all));
  for (uint32_t i = 0; i < FMPI_PHASES_MAX && names[i][0] != '\0'; i++) {
    uint32_t here = find_phase(s, names[i]);
    mine.sum[i] = mine.max[i] = here < s->phases ? s->spent_ns[here] : 0;
  }
  memcpy(&mine.sum[FMPI_PHASES_MAX], s->ops, sizeof s->ops);
  memcpy(&mine.sum[FMPI_PHASES_MAX + FMPI_DISTANCES], s->bytes, sizeof s->bytes);
  mine.sum[HANDED] = s->handed_ops;
  mine.sum[HANDED + 1] = s->handed_bytes;
  mine.sum[HANDED + 2] = s->remote_amos;
  mine.sum[HANDED + 3] = s->private_ops;
  mine.sum[HANDED + 4] = s->private_bytes;
  mine.sum[HANDED + 5] = s->private_refused;
  mine.sum[HANDED + 6] = s->sleeps_woken;
  mine.sum[HANDED + 7] = s->sleeps_timed;
  mine.sum[HANDED + 8] = s->sleeps_to_move;
  FMPI_TRY(MPI_Reduce(mine.sum, t->sum, TOTALS, MPI_UINT64_T, MPI_SUM, 0, f->comm.all));
  FMPI_TRY(MPI_Reduce(mine.max, t->max, FMPI_PHASES_MAX, MPI_UINT64_T, MPI_MAX, 0, f->comm.all));
  return EYOT_OK;
}

int fmpi_stats_print(struct fmpi *f) {
  static const char *const WHERE[FMPI_DISTANCES] = {"same unit", "same node", "between nodes"};
  struct totals t = {0};
  fmpi_phase(&f->fab, NULL);
  EYOTI_TRY(stats_reduce(f, &t));
  if (f->fab.me != 0) return EYOT_OK;
  eyoti_fprintf(stderr, "eyot: %u units over mpi, %.3f s wall time\n", f->fab.n,
                (double)(fmpi_clock_ns() - f->job.start_ns) / 1e9);
  fprintf(stderr, "%-32s %15s %15s\n", "phase", "mean s (wall)", "longest (wall)");
  for (uint32_t i = 0; i < f->stats.phases; i++)
    fprintf(stderr, "%-32s %15.6f %15.6f\n", f->stats.name[i], (double)t.sum[i] / 1e9 / f->fab.n,
            (double)t.max[i] / 1e9);
  fprintf(stderr, "%-32s %15s %15s\n", "distance (inline copies excluded)", "operations", "bytes");
  for (uint32_t d = 0; d < FMPI_DISTANCES; d++)
    fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", WHERE[d], t.sum[FMPI_PHASES_MAX + d],
            t.sum[FMPI_PHASES_MAX + FMPI_DISTANCES + d]);
  if (f->job.oversubscribed)
    fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", "sleeps ended by a wakeup, by time",
            t.sum[HANDED + 6], t.sum[HANDED + 7]);
  else
    fprintf(stderr, "%-32s %15" PRIu64 "\n", "sleeps to change the processor", t.sum[HANDED + 8]);
  if (f->job.servers == 0) return EYOT_OK;
  fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", "by progress processes", t.sum[HANDED],
          t.sum[HANDED + 1]);
  fprintf(stderr, "%-32s %15" PRIu64 " %15" PRIu64 "\n", "  of private buffers", t.sum[HANDED + 3],
          t.sum[HANDED + 4]);
  if (t.sum[HANDED + 5] != 0)
    eyoti_fprintf(stderr,
                  "%-32s %15" PRIu64
                  " of %u units: the system does not let progress processes access their memory\n",
                  "  not of private buffers of", t.sum[HANDED + 5], f->fab.n);
  fprintf(stderr, "%-32s %15" PRIu64 "\n", "by messages to the owner's node", t.sum[HANDED + 2]);
  return EYOT_OK;
}
