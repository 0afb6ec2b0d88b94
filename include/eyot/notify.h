/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/notify.h - notified access: puts and gets that notify the target, and counters with
 * thresholds on which it waits. Sources: R. Belli, T. Hoefler, "Notified Access: Extending Remote
 * Memory Access Programming Models for Producer-Consumer Synchronization", 2015; H. Zhou,
 * "Communication Methods for Hierarchical Global Address Space Models in HPC", 2016, section 9.2
 * (remote completion notification); GASPI's notifications.
 *
 * For notification by a value instead of a count see eyot_put_signal with EYOT_SIGNAL_SET and
 * eyot_wait_until. Common errors: those of rma.h; ESEG (null or destroyed counter); EUNIT (the
 * counter is not at the unit accessed; or, in functions of its owner, not the caller's). Thread
 * rule: that of eyot/init.h. */
#ifndef EYOT_NOTIFY_H
#define EYOT_NOTIFY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A counter is a 64-bit word at its owner to which notifications add. It *fires* each time that
 * another `threshold` has been added; waiting consumes one firing, so that a counter is used over
 * and over without being reset, and early notifications of the next round are not lost. An amount
 * larger than the threshold makes several firings, or counts towards the next. All that is added to
 * a counter in its life must stay below 2^64. A counter is a value and may be sent to other units;
 * only its owner waits. */
typedef struct eyot_counter {
  eyot_gptr_t at;
} eyot_counter_t;
#define EYOT_COUNTER_NULL ((eyot_counter_t){{0, 0, 0, 0}})

/* eyot_counter_alloc makes a counter of the calling unit. Called by one unit, non-blocking.
 * threshold: 1 or more. Errors: EINVAL, ENOMEM. */
EYOT_RET int eyot_counter_alloc(uint64_t threshold, eyot_counter_t *counter);
/* eyot_counter_create makes one counter on every member: *counter is that of the team's unit 0;
 * eyot_counter_at gives another's. Collective over the team, blocking; the threshold may differ.
 * Errors: ETEAM; EINVAL, ENOMEM (of any member; reported on all). */
EYOT_RET int eyot_counter_create(eyot_team_t team, uint64_t threshold, eyot_counter_t *counter);
/* eyot_counter_at returns the counter of another member (a counter of eyot_counter_create). Local;
 * cannot fail. */
static inline eyot_counter_t eyot_counter_at(eyot_counter_t c, eyot_unit_t unit) {
  c.at.unit = unit.id;
  return c;
}
/* eyot_counter_destroy releases a counter and sets *counter to null; its count is dropped.
 *  - A counter of eyot_counter_alloc: called by its owner, non-blocking. No notification may be on
 *    its way: it would be added to the next use of the memory.
 *  - A counter of eyot_counter_create: collective over the team, blocking. Completes the members'
 *    own operations first; no unit may notify it later.
 * Errors: EINVAL, ESEG, EUNIT, EMISMATCH (members name different counters; on all members, and the
 * counters stay); that of an operation that has failed. */
EYOT_RET int eyot_counter_destroy(eyot_counter_t *counter);
/* eyot_counter_set_threshold changes the threshold: all that was added and not consumed counts
 * towards the new one, including what would have been firings before (10 added against a threshold
 * of 2 are 5 firings; after a change to 4 they are two, and 2 towards the third). Called by its
 * owner, local. Errors: EINVAL, ESEG, EUNIT. */
EYOT_RET int eyot_counter_set_threshold(eyot_counter_t counter, uint64_t threshold);
/* eyot_counter_value returns in *value the amount that was added and not consumed. Called by its
 * owner, non-blocking. Errors: EINVAL, ESEG, EUNIT. */
EYOT_RET int eyot_counter_value(eyot_counter_t counter, uint64_t *value);

/* The put functions put len bytes, then add `amount` to the counter at the same unit: a unit that
 * sees the count sees the bytes. len may be 0. With an amount of 0 the put is made and the counter
 * stays as it is. Called by one unit. eyot_put_notify blocks and is remotely complete on return;
 * the _nb form is completed by its handle, the _nbi form by flush. */
EYOT_RET int eyot_put_notify(eyot_gptr_t dst, const void *src, uint64_t len, eyot_counter_t counter,
                             uint64_t amount);
EYOT_RET int eyot_put_notify_nb(eyot_gptr_t dst, const void *src, uint64_t len,
                                eyot_counter_t counter, uint64_t amount, eyot_handle_t *handle);
EYOT_RET int eyot_put_notify_nbi(eyot_gptr_t dst, const void *src, uint64_t len,
                                 eyot_counter_t counter, uint64_t amount);
/* eyot_get_notify and eyot_get_notify_nb get len bytes, then add `amount` to the counter at the
 * unit that was read: its owner may overwrite what was read. Called by one unit. eyot_get_notify
 * blocks: on return the bytes are here and the notification is on its way (flush completes it).
 * _nb: no fabric sends anything by itself when a get is complete, so the notification leaves in a
 * call of this unit that finds the get complete: wait or test of the handle at either level,
 * eyot_progress, a remote eyot_flush that covers the unit (also inside fence, release and
 * complete), or eyot_finalize; not within waits for anything else. The remote level of the handle
 * covers the notification. An error of the get, or of sending, is returned by wait or test of the
 * handle; the counter's owner is then not notified. */
EYOT_RET int eyot_get_notify(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                             uint64_t amount);
EYOT_RET int eyot_get_notify_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                                uint64_t amount, eyot_handle_t *handle);

/* eyot_counter_wait waits until the counter fires and consumes one firing. Bytes put before the
 * notifications are visible. Called by its owner, blocking, like all eyot_counter_wait
 * functions. */
EYOT_RET int eyot_counter_wait(eyot_counter_t counter);
/* eyot_counter_wait_timeout is eyot_counter_wait for at most timeout_ns (virtual time on sim,
 * wall-clock time on mpi). Errors: also ETIMEOUT (nothing is consumed). */
EYOT_RET int eyot_counter_wait_timeout(eyot_counter_t counter, uint64_t timeout_ns);
/* eyot_counter_wait_all waits until all of n counters have fired, and consumes one firing of each
 * (a counter that is named twice must fire twice). */
EYOT_RET int eyot_counter_wait_all(const eyot_counter_t *counters, size_t n);
/* eyot_counter_wait_any waits until at least one of n counters has fired, and consumes one firing
 * of one: *index. When several have, it is the counter that any (of wait or test) has returned
 * longest ago, those that it never returned first; the lowest index decides between equals. So none
 * is starved, whatever lists a unit waits for in turn. Example: counters a, b, c with many firings
 * each. Waiting for {a, b, c} gives 0, 1, 2, 0, 1, 2 ... After that, {c, b} gives index 1 (b was
 * returned before c), then 0. Errors: also EINVAL (n is 0), ENOMEM. */
EYOT_RET int eyot_counter_wait_any(const eyot_counter_t *counters, size_t n, size_t *index);
/* eyot_counter_wait_some waits until at least one of n counters has fired, and consumes one firing
 * of each that has: indices[0..*count), ascending; indices has room for n. A counter that is named
 * twice counts twice if it has fired twice. Errors: also EINVAL (n is 0), ENOMEM. */
EYOT_RET int eyot_counter_wait_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                                    size_t *count);
/* The test functions do the same without blocking; *fired (or a *count of 0) tells whether a firing
 * was consumed. */
EYOT_RET int eyot_counter_test(eyot_counter_t counter, bool *fired);
EYOT_RET int eyot_counter_test_all(const eyot_counter_t *counters, size_t n, bool *fired);
EYOT_RET int eyot_counter_test_any(const eyot_counter_t *counters, size_t n, size_t *index,
                                   bool *fired);
EYOT_RET int eyot_counter_test_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                                    size_t *count);

#ifdef __cplusplus
}
#endif
#endif
