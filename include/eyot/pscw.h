/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/pscw.h - active target synchronization: the fence of a team, and post/start/complete/wait
 * between arbitrary groups (general active target in MPI). Source: R. Gerstenberger, M. Besta, T.
 * Hoefler, "Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided", 2013,
 * section 2.3. Time and memory are O(k) for k neighbors.
 *
 * The accesses of an epoch's operations are not checked. On mpi between nodes a first message to a
 * neighbor may stay with the caller until its next call of eyot (docs/progress.md). Common errors:
 * ESTATE (not initialized); of calls on an object, ESEG (null, destroyed, or of a team that the
 * caller is not in) and those of the fabric. Thread rule: that of eyot/init.h. */
#ifndef EYOT_PSCW_H
#define EYOT_PSCW_H

#include "group.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_fence ends a step of the team: what a member did before its fence, all members see after
 * theirs. That covers
 *  - the member's one-sided operations of every kind, to any unit and segment, not only this one:
 *    they are complete at their targets;
 *  - its direct loads and stores (eyot_gptr_addr, eyot_gptr_direct): those before the fence are
 *    over, and those after it see what the others stored. No eyot_sync is needed on either side.
 * Units outside the team learn nothing. `segment` is any pointer to a collective allocation
 * (eyot_team_alloc) and only names the team. Collective over that team, blocking; remotely
 * complete. Errors: ESEG; EMISMATCH (as eyot_barrier); that of an operation that has failed, on the
 * unit that issued it, which has met the others all the same. */
EYOT_RET int eyot_fence(eyot_gptr_t segment);

/* An object for post/start/complete/wait.
 *
 * An exposure epoch (post .. wait) lets the units of a group access the caller's memory; an access
 * epoch (start .. complete) accesses the memory of the units of a group. The n-th time that i names
 * j in a post belongs to the n-th time that j names i in a start. post and complete send one
 * message a neighbor and do not wait; start waits for the posts, wait for the completes. A group
 * may be empty and may name the caller. Any number of exposure epochs may be open: a fast neighbor
 * may post or complete its next one before others have finished this one. One access epoch is open
 * at a time. */
typedef struct eyot_pscw {
  eyot_gptr_t at;
} eyot_pscw_t;
#define EYOT_PSCW_NULL ((eyot_pscw_t){{0, 0, 0, 0}})

typedef struct eyot_pscw_attr {
  /* Bounds two numbers of each unit, 1..65535: the units that it posts to, and the units that post
   * to it. With `changing` those count whose epochs the poster has not waited for yet, otherwise
   * all ever. */
  uint32_t neighbors;
  /* false: a neighbor once met keeps its slot in the matching list, so that post costs one message.
   * true: the slot is given back when all epochs posted to it have been waited for, and neighbors
   * may change without limit; post then costs one fetching atomic a neighbor more (all at once),
   * and wait one atomic a neighbor whose completion is not awaited. A list then has twice as many
   * slots, for those that are on their way back. */
  bool changing;
} eyot_pscw_attr_t;
#define EYOT_PSCW_ATTR_INIT \
  { 16, false }

/* eyot_pscw_create makes the matching lists and counters of a team. attr NULL: EYOT_PSCW_ATTR_INIT.
 * Takes 24 bytes and one bit a slot of each member's heap, rounded up to 64 bytes. Collective over
 * the team, blocking. Errors: ETEAM, EINVAL, EMISMATCH (attributes differ), ENOMEM; all but ETEAM
 * on all members. */
EYOT_RET int eyot_pscw_create(eyot_team_t team, const eyot_pscw_attr_t *attr, eyot_pscw_t *pscw);
/* eyot_pscw_destroy completes the caller's operations, releases the object and sets *pscw to null.
 * Collective over the team, blocking. Errors: EINVAL, EBUSY (an epoch of some member is open),
 * EMISMATCH (members name different objects); the last two on all members, and the objects stay. */
EYOT_RET int eyot_pscw_destroy(eyot_pscw_t *pscw);

/* eyot_pscw_post opens an exposure epoch to `group` (global unit ids, members of the team). Called
 * by one unit; it does not wait for the group, except with `changing` for a free slot at a
 * neighbor, some 10 ms at most. Epochs end in the order in which they were opened. The caller's
 * direct loads and stores before post come before the group's operations. Errors: EINVAL (NULL),
 * EUNIT (not in the team), ENOMEM, ESTATE (an earlier call has failed half-way: the object can only
 * be destroyed), and EBUSY: the caller would post to more than `neighbors` units, or the list of a
 * unit of the group is full because as many others post to it; the message says which, and of whom.
 * After EBUSY nothing has been posted, and the call may be repeated. */
EYOT_RET int eyot_pscw_post(eyot_pscw_t pscw, const eyot_group_t *group);
/* eyot_pscw_wait ends the oldest exposure epoch: returns after all of its group have completed;
 * direct loads, too, see what they put. Called by one unit, blocking. Errors: ESTATE (none is
 * open). */
EYOT_RET int eyot_pscw_wait(eyot_pscw_t pscw);
/* eyot_pscw_test does the same without blocking, and sets *done to whether the epoch has ended.
 * Errors: also EINVAL (NULL). */
EYOT_RET int eyot_pscw_test(eyot_pscw_t pscw, bool *done);

/* eyot_pscw_start opens the access epoch to `group`: returns after all of it have posted to the
 * caller. Called by one unit, blocking. Errors: ESTATE (one is open, or an earlier call has failed
 * half-way), EUNIT (not in the team), EINVAL (NULL), EBUSY (a unit of the group can never post,
 * because others hold all slots of the caller's list; no post is used up). */
EYOT_RET int eyot_pscw_start(eyot_pscw_t pscw, const eyot_group_t *group);
/* eyot_pscw_complete ends the access epoch: completes the caller's operations to the group at their
 * targets, and then notifies the group. Called by one unit; blocks only for the completion. Errors:
 * ESTATE (none is open), and that of an operation that has failed: then no unit has been notified
 * and the epoch is still open. */
EYOT_RET int eyot_pscw_complete(eyot_pscw_t pscw);

#ifdef __cplusplus
}
#endif
#endif
