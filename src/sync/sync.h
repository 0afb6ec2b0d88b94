/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.h - the synchronization layer's state on one unit, and its functions for coll, init and the
 * files of this layer. The layer uses teams, gmem and rma.
 *
 * Each kind of object (locks, active target, counters) has its own forward-declared part here and
 * makes it at first use, so that a unit of a large simulation pays only for the kinds that it uses.
 * The state of barriers is in the teams' control blocks (barriers.h). The thread that called
 * eyot_init uses the state. */
#ifndef EYOT_SYNC_SYNC_H
#define EYOT_SYNC_SYNC_H

#include "gmem/gmem.h"
#include "rma/rma.h"
#include "teams/teams.h"

struct eyoti_locks;    /* locks.h: lock table and queue nodes */
struct eyoti_pscws;    /* pscw.h */
struct eyoti_counters; /* counter.h */
struct eyoti_watches;  /* watch.h */
struct eyoti_split;    /* barrier/split.c */

struct eyoti_sync {
  struct eyoti_locks *locks;
  struct eyoti_pscws *pscws;
  struct eyoti_counters *counters;
  struct eyoti_watches *watches;             /* watch.h */
  struct eyoti_split *splits, *spare_splits; /* barrier/split.c: open ones, and kept memory */
};

int eyoti_sync_start(struct eyot_rt *rt); /* local. Errors: ENOMEM */
/* Local; the caller's operations are complete and all units are past their last one. Warns of
 * objects that were not destroyed. */
void eyoti_sync_stop(struct eyot_rt *rt);

/* Parts of stop. */
void eyoti_locks_stop(struct eyot_rt *rt);
void eyoti_pscws_stop(struct eyot_rt *rt);
void eyoti_counters_stop(struct eyot_rt *rt);
void eyoti_barriers_stop(struct eyot_rt *rt);

/* Returns after every member of the team has entered. Collective over the team, blocking. Errors:
 * the fabric's. */
int eyoti_sync_barrier(struct eyot_rt *rt, struct eyoti_team *t);
#endif
