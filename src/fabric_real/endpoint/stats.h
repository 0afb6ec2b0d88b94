/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - named phases and the summary at the end (EYOT_STATS): wall time of each phase, and
 * operations and bytes by distance. Copies by the inline path never enter the fabric and are not
 * counted; the table says so. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_STATS_H
#define EYOT_FABRIC_REAL_ENDPOINT_STATS_H

#include "fabric/fabric.h"

#define FMPI_PHASES_MAX 16u
#define FMPI_PHASE_NAME 32u

struct fmpi;

enum fmpi_distance { FMPI_SAME_UNIT = 0, FMPI_SAME_NODE, FMPI_OTHER_NODE, FMPI_DISTANCES };

struct fmpi_stats {
  uint64_t ops[FMPI_DISTANCES], bytes[FMPI_DISTANCES];
  uint64_t handed_ops, handed_bytes;   /* of these, by progress processes */
  uint64_t private_ops, private_bytes; /* of those, with private buffers */
  uint64_t remote_amos;                /* and as messages to the owner's node */
  uint64_t sleeps_woken, sleeps_timed; /* in waits: ended by a wakeup, or by time */
  uint64_t sleeps_to_move;             /* wait/idle.c */
  bool private_refused; /* progress processes cannot access this unit's private memory */
  uint32_t phases;
  uint32_t current; /* FMPI_PHASES_MAX: none */
  uint64_t since_ns;
  char name[FMPI_PHASES_MAX][FMPI_PHASE_NAME];
  uint64_t spent_ns[FMPI_PHASES_MAX];
};

void fmpi_phase(struct fab *fab, const char *name); /* fab_ops */
int fmpi_stats_print(struct fmpi *f);               /* collective */
static inline void fmpi_count(struct fmpi_stats *s, const struct fab *fab, fab_unit_t unit,
                              uint64_t bytes) {
  enum fmpi_distance d = unit == fab->me                          ? FMPI_SAME_UNIT
                         : unit - fab->local.first < fab->local.n ? FMPI_SAME_NODE
                                                                  : FMPI_OTHER_NODE;
  s->ops[d]++;
  s->bytes[d] += bytes;
}
#endif
