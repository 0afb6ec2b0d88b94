/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/barrier.h - barriers over a team: whole ones by two algorithms, and the split-phase barrier
 * of UPC with its optional expression.
 *
 * A barrier returns after every member has entered it. It orders nothing but itself: complete
 * non-blocking operations before it, or use eyot_fence. All members of a team call the same whole
 * barriers, and the team's other collectives, in the same order. No barrier allocates memory,
 * except eyot_barrier_notify when the unit has more split-phase barriers open than ever before, the
 * first included, and eyot_barrier_nb and eyot_barrier_plan (eyot/coll_nb.h), several of which may
 * be under way. Common errors: ESTATE (not initialized), ETEAM, those of the fabric. Thread rule:
 * that of eyot/init.h. */
#ifndef EYOT_BARRIER_H
#define EYOT_BARRIER_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_barrier waits until all members have entered, by the quicker of DISSEMINATION and NODES, as
 * a model of the machine says (docs/adr/0076, 0143). Collective over the team, blocking.
 * Errors: EMISMATCH (on every member: some members are in another collective function of the team;
 * all can go on, unless that is one of eyot/coll.h or of a neighbourhood: see there). */
EYOT_RET int eyot_barrier(eyot_team_t team);

/* Algorithms of a whole barrier. */
typedef enum eyot_barrier_kind {
  /* ceil(log2 p) rounds of one signal, each possibly across the machine. On a node whose units
   * share processors they count instead. R. Gerstenberger, M. Besta, T. Hoefler, "Enabling
   * Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided", 2013, section 2.3. */
  EYOT_BARRIER_DISSEMINATION = 0,
  /* Along the domain tree, up and down once: 2 (p-1) signals, of which one a domain crosses its
   * boundary each way. */
  EYOT_BARRIER_TREE,
  /* Up to the first unit of each node, one to three rounds between nodes in which all units of a
   * node send, and down again. For teams of three and more units on several nodes, with at most 256
   * on each; other teams take DISSEMINATION. J. Huang et al., "PiP-MColl", 2023. */
  EYOT_BARRIER_NODES
} eyot_barrier_kind_t;

/* eyot_barrier_by is a barrier by the given algorithm. Collective over the team, blocking. All
 * members must pass the same kind: if some pass one that the others' barrier or collective does not
 * take, they get EMISMATCH, over MPI, and no further collective of the team is possible; the
 * simulator reports a deadlock. Errors: EINVAL (no such kind); EMISMATCH as eyot_barrier. */
EYOT_RET int eyot_barrier_by(eyot_team_t team, eyot_barrier_kind_t kind);

/* The split-phase barrier: eyot_barrier_wait returns after every member has called
 * eyot_barrier_notify. Source: UPC Language Specifications 1.3, section 6.6.1; D. Lewis, "An
 * OpenSHMEM Runtime for UPC", 2020, chapter II.
 *
 * Order. A team has one split-phase barrier open at a time; each member calls notify, wait (or test
 * until done), notify, wait ... in turn. Between notify and wait a unit may do anything with the
 * team, whole barriers and other collectives included, but no second notify and no
 * eyot_team_destroy (EBUSY on all members). Members need not agree on where notify stands among
 * other collectives, because it does not block and shares nothing with them. wait blocks like a
 * barrier, so a member must not place a collective after its wait if another member calls that
 * collective before its notify: over MPI all members get EMISMATCH, and no further collective of
 * the team is possible; the simulator reports a deadlock.
 *
 * Expressions. `value` NULL: none. Two rules, each with EMISMATCH from wait, or from the test that
 * completes; the barrier is complete all the same:
 *  - all values that members gave to notify must be equal (members that gave none do not matter).
 *    If not, every member gets EMISMATCH;
 *  - a unit's wait must give what its own notify gave: the same value, or NULL after NULL. If not,
 *    that unit alone gets EMISMATCH: a value given to wait is compared with no other member's. A
 *    test that does not complete compares nothing.
 *
 * Progress. The rounds are those of a dissemination barrier. While the barrier is open, every call
 * of eyot that waits, or otherwise enters the fabric, passes them on, so a member may wait for
 * something that another member does after its own wait. A member that computes for long without
 * any call may delay the others' waits; it should call eyot_barrier_test or eyot_progress now and
 * then. Puts and gets to mapped memory do not enter the fabric.
 *
 * Called by each member of the team. notify does not block; wait blocks. Errors: ESTATE (a second
 * notify; a wait or test without notify), EMISMATCH, ENOMEM (notify; it may be called again). An
 * error of the fabric met while a round was passed on inside another call is returned by the next
 * wait or test, which may then be called again. */
EYOT_RET int eyot_barrier_notify(eyot_team_t team, const uint64_t *value);
EYOT_RET int eyot_barrier_wait(eyot_team_t team, const uint64_t *value);
/* eyot_barrier_test makes progress and sets *done to whether the barrier is complete, which ends it
 * as eyot_barrier_wait does. Does not block. Errors: as wait, and EINVAL (done is NULL). */
EYOT_RET int eyot_barrier_test(eyot_team_t team, const uint64_t *value, bool *done);

#ifdef __cplusplus
}
#endif
#endif
