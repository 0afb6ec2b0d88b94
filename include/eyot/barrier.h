/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/barrier.h - barriers over any team: whole and split-phase, with UPC's optional expression, by two algorithms.
 *
 * A barrier returns after every member has entered it. It orders nothing but itself: complete non-blocking operations before it, or use
 * eyot_fence. All members of a team call the same whole barriers in the same order, among the team's other collectives. One thread of a
 * unit at a time. Common errors: ETEAM, the fabric's. No barrier allocates, but notify when a
 * unit has more split-phase barriers open than ever before, the first included. */
#ifndef EYOT_BARRIER_H
#define EYOT_BARRIER_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dissemination: ceil(log2 p) rounds of one signal (seed 002 section 2.3, fence). Collective over the team, blocking. Errors: EMISMATCH (on
 * every member: some are in another collective function of the team; all can go on). */
EYOT_API int eyot_barrier(eyot_team_t team);

typedef enum eyot_barrier_kind {
  EYOT_BARRIER_DISSEMINATION =
      0, /* fewest steps: log2 p, each possibly across the machine. On a node whose units share processors they count instead */
  EYOT_BARRIER_TREE /* along the domain tree: up and down once, 2 (p-1) signals, one a domain across its boundary each way */
} eyot_barrier_kind_t;
/* The barrier by the given algorithm. All members must pass the same: if some pass TREE while others are in another barrier or collective,
 * they wait for ever, unnoticed. Collective over the team, blocking. Errors: EINVAL (no such kind), as eyot_barrier for DISSEMINATION. */
EYOT_API int eyot_barrier_by(eyot_team_t team, eyot_barrier_kind_t kind);

/* The split-phase barrier of UPC: wait returns after every member has called notify. Source: UPC
 * 1.3 section 6.6.1, seed 004.
 *
 * Order. A team has one split-phase barrier open at a time; each member calls notify, wait (or test
 * until done), notify, wait ... in turn. Between notify and wait a unit may do anything with the
 * team, whole barriers and other collectives included, but no second notify, and no
 * eyot_team_destroy (EBUSY on all members). Members need not agree on where notify stands among
 * other collectives, as it does not block and shares nothing with them; wait blocks like a barrier,
 * so no member may reach a collective only behind its wait while another needs it for its notify.
 *
 * Expressions. `value` NULL: none. Two rules, each with EMISMATCH from wait, or from the test that
 * completes; the barrier is complete all the same:
 *  - all values that members gave to notify must be equal (members who gave none do not matter). If
 *    not, every member gets EMISMATCH;
 *  - a unit's wait must give what its own notify gave: the same value, or NULL after NULL. If not,
 *    that unit alone gets EMISMATCH, and the others do not know: a value that is given to wait is
 *    compared with no other member's. A test that does not complete compares nothing.
 *
 * Progress. The rounds are those of a dissemination barrier. Every call of eyot that waits, or
 * otherwise enters the fabric, passes them on while the barrier is open, so a member may wait for
 * what others do behind their wait. One that computes for long without any call may hold up the
 * others' waits; it should call eyot_barrier_test or eyot_progress now and then. Puts and gets to
 * mapped memory do not enter the fabric.
 *
 * notify does not block. Errors: ESTATE (second notify; wait or test without notify), EMISMATCH,
 * ENOMEM (notify; it may be called again). An error of the fabric met while a round was passed on
 * inside another call is returned by the next wait or test, which may then be called again. */
EYOT_API int eyot_barrier_notify(eyot_team_t team, const uint64_t *value);
EYOT_API int eyot_barrier_wait(eyot_team_t team, const uint64_t *value);
/* Makes progress; *done tells whether the barrier is complete, which ends it as wait does. Does not block. Errors: also EINVAL (done is
 * NULL). */
EYOT_API int eyot_barrier_test(eyot_team_t team, const uint64_t *value, bool *done);

#ifdef __cplusplus
}
#endif
#endif
