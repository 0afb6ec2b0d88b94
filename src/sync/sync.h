/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.h - the state of this layer on one unit, and what the layers above and the files of this
 * layer ask of it.
 *
 * Each kind of object (locks, active target, counters) keeps its own forward-declared part here and
 * makes it when first needed, so that a unit of a large simulation pays only for what it uses. What
 * barriers need lies in the teams' control blocks (barriers.h). */
#ifndef EYOT_SYNC_SYNC_H
#define EYOT_SYNC_SYNC_H

#include "gmem/gmem.h"
#include "rma/rma.h"
#include "teams/teams.h"

struct eyoti_locks;    /* lock.h: the locks that the unit knows, and its queue nodes */
struct eyoti_pscws;    /* pscw.h */
struct eyoti_counters; /* counter.h */

struct eyoti_sync {
  struct eyoti_locks *locks;
  struct eyoti_pscws *pscws;
  struct eyoti_counters *counters;
  struct eyoti_split_progress *split_progress;
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
