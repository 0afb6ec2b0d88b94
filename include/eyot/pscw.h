/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/pscw.h - active target synchronisation: fence, and post/start/complete/wait between arbitrary groups (MPI's general active target).
 *
 * An exposure epoch (post .. wait) lets the units of a group access the caller's memory; an access epoch (start .. complete) accesses the
 * memory of the units of a group. The n-th time that i names j in a post belongs to the n-th time that j names i in a start. post and
 * complete send one message a neighbour and do not wait; start waits for the posts, wait for the completes. A group may be empty and may
 * name the caller. Any number of exposure epochs may be open: a fast neighbour may post or complete its next one before others have
 * finished this one. Of access epochs one is open at a time. Time and memory are O(k) for k neighbours. Source: seed 002 section 2.3.
 *
 * Nothing is checked about what an epoch's operations access. On mpi between nodes a first message to a neighbour may stay with the caller
 * until its next call of eyot (docs/progress.md). Common errors of calls on an object: ESEG (null, destroyed, or of a team that the caller
 * is not in), the fabric's. One thread of a unit at a time. */
#ifndef EYOT_PSCW_H
#define EYOT_PSCW_H

#include "group.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ends a step of the team's: whatever a member did before its fence, all members see after theirs.
 * That covers
 *  - the member's one-sided operations of every kind, to whatever unit and segment, not only this
 *    one: they are complete at their targets;
 *  - its direct loads and stores (eyot_gptr_addr, eyot_gptr_direct): those before the fence are
 *    over, and those after it see what the others stored.
 * No eyot_sync is needed on either side. Units outside the team learn nothing. `segment` is any
 * pointer to a collective allocation (eyot_team_alloc): it only says whose team meets. Collective
 * over that team, blocking. Errors: ESEG; EMISMATCH (as eyot_barrier); that of an operation that
 * has failed, on the unit whose it was: it has met the others all the same. */
EYOT_API int eyot_fence(eyot_gptr_t segment);

typedef struct eyot_pscw {
  eyot_gptr_t at;
} eyot_pscw_t;
#define EYOT_PSCW_NULL ((eyot_pscw_t){{0, 0, 0, 0}})

typedef struct eyot_pscw_attr {
  /* Of each unit two numbers are bounded by this (1..65535): the units that it posts to, and the units that post to it. With `changing`
   * those count whose epochs the poster has not waited for yet, otherwise all ever. */
  uint32_t neighbours;
  /* false: a neighbour once met keeps its place in the matching list, so that post costs one message. true: the place is given back when
   * all epochs posted to it have been waited for; neighbours may change without limit; post then costs one fetching atomic a neighbour more
   * (all at once), and wait one atomic a neighbour, which nobody waits for. A list then has twice as many places, for places that are on
   * their way back. */
  bool changing;
} eyot_pscw_attr_t;
#define EYOT_PSCW_ATTR_INIT \
  { 16, false }

/* Makes the matching lists and counters of a team. attr NULL: EYOT_PSCW_ATTR_INIT. Takes 24 bytes and a bit of each member's heap a place.
 * Collective over the team, blocking. Errors: ETEAM, EINVAL, EMISMATCH (attributes differ), ENOMEM; each on all members. */
EYOT_API int eyot_pscw_create(eyot_team_t team, const eyot_pscw_attr_t *attr, eyot_pscw_t *pscw);
/* Collective over the team, blocking; completes the caller's operations. Sets *pscw to null. Errors: EINVAL, EBUSY (an epoch of some member
 * is open), EMISMATCH (members name different objects); the last two on all members, and the objects stay. */
EYOT_API int eyot_pscw_destroy(eyot_pscw_t *pscw);

/* Opens an exposure epoch to `group` (global unit ids, members of the team). Does not wait for the group, except with `changing` for a free
 * place at a neighbour, some 10 ms at most. Epochs end in the order in which they were opened. The caller's direct loads and stores before
 * post come before the group's operations. Errors: EINVAL (NULL), EUNIT (not in the team), ENOMEM, ESTATE (an earlier call has failed
 * half-way: the object can only be destroyed), and EBUSY: the caller would post to more than `neighbours` units, or the list of a unit of
 * the group is full because as many others post to it; the message says which, and of whom. After EBUSY nothing is posted to anybody, and
 * the call may be repeated. */
EYOT_API int eyot_pscw_post(eyot_pscw_t pscw, const eyot_group_t *group);
/* Ends the oldest exposure epoch: returns after all of its group have completed; what they put is seen by direct loads, too. Blocking.
 * Errors: ESTATE (none is open). */
EYOT_API int eyot_pscw_wait(eyot_pscw_t pscw);
/* The same without blocking; *done. */
EYOT_API int eyot_pscw_test(eyot_pscw_t pscw, bool *done);

/* Opens the access epoch to `group`: returns after all of it have posted to the caller. Blocking. Errors: ESTATE (one is open, or an
 * earlier call has failed half-way), EUNIT (not in the team), EINVAL, EBUSY (a unit of the group can never post, because others hold all
 * places of the caller's list; no post is used up). */
EYOT_API int eyot_pscw_start(eyot_pscw_t pscw, const eyot_group_t *group);
/* Ends it: completes the caller's operations to the group at their targets, and tells the group. Blocks only for the completion. Errors:
 * ESTATE (none is open), and that of an operation that has failed: then nobody has been told and the epoch is still open. */
EYOT_API int eyot_pscw_complete(eyot_pscw_t pscw);

#ifdef __cplusplus
}
#endif
#endif
