/* eyot/pscw.h - active target synchronisation: fence, and post/start/complete/wait between arbitrary groups (MPI's general active target).
 *
 * An exposure epoch (post .. wait) lets the units of a group access the caller's memory; an access epoch (start .. complete) accesses the memory of the
 * units of a group. The n-th time that i names j in a post belongs to the n-th time that j names i in a start. post and complete send one message a
 * neighbour and do not wait; start waits for the posts, wait for the completes. Any number of epochs may be in flight: a fast neighbour may post or
 * complete its next one before others have finished this one. Time and memory are O(k) for k neighbours. Source: seed 002 section 2.3.
 * One thread of a unit at a time. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_PSCW_H
#define EYOT_PSCW_H

#include "group.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Completes all operations of the members at their targets, then meets: what was put before the fence is seen after it by everybody. `segment` is any
 * pointer to a collective allocation, whose team meets. Collective over that team, blocking. Errors: ESEG, ETEAM. */
EYOT_API int eyot_fence(eyot_gptr_t segment);

typedef struct eyot_pscw {
  eyot_gptr_t at;
} eyot_pscw_t;
#define EYOT_PSCW_NULL ((eyot_pscw_t){{0, 0, 0, 0}})

typedef struct eyot_pscw_attr {
  /* Most units that may be a unit's neighbours at a time (1..65535): those that post to it, and those it posts to. */
  uint32_t neighbours;
  /* false: a neighbour once met keeps its place in the matching list, so that post costs one message; at most `neighbours` different ones over the
   * life of the object. true: the place is given back when all epochs posted to it have been waited for; neighbours may change without limit, and post
   * costs one fetching atomic a neighbour more (all at once), giving back one atomic that nobody waits for. A list then has twice as many places, for
   * neighbours of the last epoch that have not yet given theirs back. */
  bool changing;
} eyot_pscw_attr_t;
#define EYOT_PSCW_ATTR_INIT {16, false}

/* Makes the matching lists and counters of a team. attr NULL: EYOT_PSCW_ATTR_INIT. Collective over the team, blocking.
 * Errors: ETEAM, EINVAL, EMISMATCH (attributes differ; on all), ENOMEM. */
EYOT_API int eyot_pscw_create(eyot_team_t team, const eyot_pscw_attr_t *attr, eyot_pscw_t *pscw);
/* Collective over the team, blocking. Errors: EBUSY (an epoch of some member is open; on all, and the object stays). */
EYOT_API int eyot_pscw_destroy(eyot_pscw_t *pscw);

/* Opens an exposure epoch to `group` (global unit ids, members of the team; empty is allowed). Does not wait for the group. Epochs end in the order in
 * which they were opened. Errors: ESEG, EUNIT (not in the team), EBUSY (the caller or a unit of the group has more than `neighbours` neighbours; nothing is
 * posted. With `changing` a place is waited for before, some 10 ms), EINVAL, ENOMEM, ESTATE (an earlier call has failed half-way). Own direct loads and
 * stores before post are visible to the group. */
EYOT_API int eyot_pscw_post(eyot_pscw_t pscw, const eyot_group_t *group);
/* Ends the oldest exposure epoch: returns after all of its group have completed; their puts are visible. Errors: ESTATE (none is open). */
EYOT_API int eyot_pscw_wait(eyot_pscw_t pscw);
/* The same without blocking; *done. */
EYOT_API int eyot_pscw_test(eyot_pscw_t pscw, bool *done);

/* Opens the access epoch to `group`: returns after all of it have posted to the caller. Errors: ESTATE (one is open, or an earlier call has failed
 * half-way), EUNIT, ESEG, EINVAL, EBUSY (a unit of the group can never post, because others hold all places of the caller's list; no post is used up). */
EYOT_API int eyot_pscw_start(eyot_pscw_t pscw, const eyot_group_t *group);
/* Ends it: completes the caller's operations to the group at their targets, and tells the group. Errors: ESTATE (none is open), and that of an operation
 * that has failed: then nobody has been told and the epoch is still open. */
EYOT_API int eyot_pscw_complete(eyot_pscw_t pscw);

#ifdef __cplusplus
}
#endif
#endif
