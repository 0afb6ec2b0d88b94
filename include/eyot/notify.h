/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/notify.h - notified access: puts and gets that tell the other side, and counters with thresholds on which it waits (Belli, Hoefler
 * 2015; seed 000 chapter 9; GASPI's notifications).
 *
 * A counter is 64 bits at its owner that notifications add to. It *fires* each time that another `threshold` has been added; waiting
 * consumes one firing, so a counter is used over and over without being reset, and early notifications of the next round are not lost. An
 * amount larger than the threshold makes several firings, or counts towards the next. All that is added to a counter in its life must stay
 * below 2^64. A counter is a value and may be sent to others; only its owner waits. For notification by a value instead of a count see
 * eyot_put_signal with EYOT_SIGNAL_SET and eyot_wait_until.
 *
 * Common errors: those of rma.h; ESEG (null or destroyed counter); EUNIT (the counter is not at the unit accessed; or, in wait and test,
 * not the caller's). One thread of a unit at a time. */
#ifndef EYOT_NOTIFY_H
#define EYOT_NOTIFY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct eyot_counter {
  eyot_gptr_t at;
} eyot_counter_t;
#define EYOT_COUNTER_NULL ((eyot_counter_t){{0, 0, 0, 0}})

/* A counter of the calling unit. Not collective, does not block. threshold 1 or more. Errors: EINVAL, ENOMEM. */
EYOT_API int eyot_counter_new(uint64_t threshold, eyot_counter_t *counter);
/* One counter on every member: *counter is that of the team's unit 0; eyot_counter_at gives another's. Collective over the team, blocking;
 * the threshold may differ. Errors: ETEAM; EINVAL, ENOMEM (of any member; reported on all). */
EYOT_API int eyot_counter_create(eyot_team_t team, uint64_t threshold, eyot_counter_t *counter);
static inline eyot_counter_t eyot_counter_at(eyot_counter_t c, eyot_unit_t unit) {
  c.at.unit = unit.id;
  return c;
}
/* Releases a counter and sets *counter to null; what it holds is dropped.
 * Of eyot_counter_new: owner only, does not block. No notification may be on its way: it would be added to whatever has the memory next.
 * Of eyot_counter_create: collective over the team, blocking. Completes the members' own operations first; nobody may notify it later.
 * Errors: EINVAL, ESEG, EUNIT, EMISMATCH (members name different counters; on all, and they stay); that of an operation that has failed. */
EYOT_API int eyot_counter_destroy(eyot_counter_t *counter);
/* Changes the threshold: whatever was added and has not been consumed counts towards it, also what would have been firings before (10 added
 * against a threshold of 2 are 5 firings; after a change to 4 two, and 2 towards the third). Owner only, local. Errors: EINVAL, ESEG,
 * EUNIT. */
EYOT_API int eyot_counter_set_threshold(eyot_counter_t counter, uint64_t threshold);
/* What has been added and not been consumed. Owner only, does not block. Errors: EINVAL, ESEG, EUNIT. */
EYOT_API int eyot_counter_value(eyot_counter_t counter, uint64_t *value);

/* Puts len bytes, then adds `amount` to the counter at the same unit: whoever sees the count sees the bytes. len may be 0. An amount of 0
 * is allowed: the put is made, and the counter stays as it is. Blocking: remotely complete; _nb by handle; _nbi by flush. */
EYOT_API int eyot_put_notify(eyot_gptr_t dst, const void *src, uint64_t len, eyot_counter_t counter,
                             uint64_t amount);
EYOT_API int eyot_put_notify_nb(eyot_gptr_t dst, const void *src, uint64_t len,
                                eyot_counter_t counter, uint64_t amount, eyot_handle_t *handle);
EYOT_API int eyot_put_notify_nbi(eyot_gptr_t dst, const void *src, uint64_t len,
                                 eyot_counter_t counter, uint64_t amount);
/* Gets len bytes, then adds `amount` to the counter at the unit that was read: its owner may overwrite what was read. Blocking: the bytes
 * are here and the notification is on its way (complete it by flush). _nb: no fabric sends anything by itself when a get is complete, so
 * the notification leaves in a call of this unit that finds the get complete: wait or test of the handle at either level, eyot_progress, a
 * remote eyot_flush that covers the unit (also inside fence, release and complete), or eyot_finalize; not within waits for anything else.
 * The remote level of the handle covers the notification. An error of the get, or of sending, is returned by wait or test of the handle;
 * the counter's owner is then not told. */
EYOT_API int eyot_get_notify(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                             uint64_t amount);
EYOT_API int eyot_get_notify_nb(void *dst, eyot_gptr_t src, uint64_t len, eyot_counter_t counter,
                                uint64_t amount, eyot_handle_t *handle);

/* Waits until the counter fires and consumes one firing. Bytes put before the notifications are visible. */
EYOT_API int eyot_counter_wait(eyot_counter_t counter);
EYOT_API int eyot_counter_wait_timeout(eyot_counter_t counter,
                                       uint64_t timeout_ns); /* also ETIMEOUT: nothing consumed */
/* Waits until all of n counters have fired, and consumes one firing each (a counter that is named twice must fire twice). */
EYOT_API int eyot_counter_wait_all(const eyot_counter_t *counters, size_t n);
/* Waits until at least one of n has fired, and consumes one firing of one: *index. When several have, it is the counter that any (of wait
 * or test) has returned longest ago, those that it never returned first; the lowest index decides between equals. So none is starved,
 * whatever lists a unit waits for in turn. Example: counters a, b, c with many firings each. Waiting for {a, b, c} gives 0, 1, 2, 0, 1, 2
 * ... After that, {c, b} gives index 1 (b was returned before c), then 0. n of 0 is EINVAL. */
EYOT_API int eyot_counter_wait_any(const eyot_counter_t *counters, size_t n, size_t *index);
/* Waits until at least one has fired, and consumes one firing of each that has: indices[0..*count), ascending; indices has room for n. A
 * counter that is named twice counts twice if it has fired twice. n of 0 is EINVAL. */
EYOT_API int eyot_counter_wait_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                                    size_t *count);
/* The same without blocking; *fired (or *count of 0) tells whether anything was consumed. */
EYOT_API int eyot_counter_test(eyot_counter_t counter, bool *fired);
EYOT_API int eyot_counter_test_all(const eyot_counter_t *counters, size_t n, bool *fired);
EYOT_API int eyot_counter_test_any(const eyot_counter_t *counters, size_t n, size_t *index,
                                   bool *fired);
EYOT_API int eyot_counter_test_some(const eyot_counter_t *counters, size_t n, size_t *indices,
                                    size_t *count);

#ifdef __cplusplus
}
#endif
#endif
