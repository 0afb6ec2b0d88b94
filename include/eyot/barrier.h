/* eyot/barrier.h - barriers over any team: whole and split-phase, with UPC's optional expression, by two algorithms.
 *
 * A barrier returns after every member has entered it. It orders nothing but itself: complete non-blocking operations before it, or use eyot_fence.
 * All members of a team call the same barriers in the same order. One thread of a unit at a time. Common errors: ETEAM, the fabric's. No barrier allocates.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_BARRIER_H
#define EYOT_BARRIER_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dissemination: ceil(log2 p) rounds of one signal (seed 002 section 2.3, fence). Collective over the team, blocking. Errors: EMISMATCH (on every member:
 * some are in another collective function of the team; all can go on). */
EYOT_API int eyot_barrier(eyot_team_t team);

typedef enum eyot_barrier_kind {
  EYOT_BARRIER_DISSEMINATION = 0, /* fewest steps: log2 p, each possibly across the machine */
  EYOT_BARRIER_TREE               /* along the domain tree: up and down once, 2 (p-1) signals, one a domain across its boundary each way */
} eyot_barrier_kind_t;
/* The barrier by the given algorithm; all members must pass the same, which TREE does not notice if they do not: they wait for ever. Collective over the team,
 * blocking. Errors: EINVAL (no such kind), as eyot_barrier for DISSEMINATION. */
EYOT_API int eyot_barrier_by(eyot_team_t team, eyot_barrier_kind_t kind);

/* The split-phase barrier of UPC: wait returns after every member has called notify. Between the two a unit may do anything with the team, other
 * collectives included, but no second notify, and no destroy (EBUSY on all members). `value` NULL: no expression. All expressions given by members (to notify)
 * must be equal, and a unit's wait must give what its notify gave. notify does not block. The rounds are those of a dissemination barrier, which wait and test
 * pass on: a member that has notified and neither waits nor tests may hold up the others' waits, so it should test while it works, and must not wait for what
 * others do behind theirs. Errors: ESTATE (second notify; wait or test without notify), EMISMATCH (from wait, and from the test that completes, on every member:
 * expressions differ; the barrier is complete all the same). Source: UPC 1.3 section 6.6.1, seed 004. */
EYOT_API int eyot_barrier_notify(eyot_team_t team, const uint64_t *value);
EYOT_API int eyot_barrier_wait(eyot_team_t team, const uint64_t *value);
/* Makes progress; *done tells whether the barrier is complete, which ends it as wait does. Does not block. */
EYOT_API int eyot_barrier_test(eyot_team_t team, const uint64_t *value, bool *done);

#ifdef __cplusplus
}
#endif
#endif
