/* SPDX-License-Identifier: BSD-3-Clause */
/* backoff.h - deadlines of waits, and the exponential back-off between tries at a remote word. */
#ifndef EYOT_SYNC_LOCKS_BACKOFF_H
#define EYOT_SYNC_LOCKS_BACKOFF_H

#include <eyot/lock.h>

#include "rt/rt.h"

/* When a wait ends: absolute, in the fabric's now_ns. */
#define EYOTI_DEADLINE_NEVER UINT64_MAX

/* The deadline `timeout_ns` from now (saturating). */
uint64_t eyoti_deadline(struct eyot_rt *rt, uint64_t timeout_ns);
/* The time that is left: FAB_FOREVER, or at least 0. */
uint64_t eyoti_deadline_left(struct eyot_rt *rt, uint64_t deadline);

/* Exponential back-off between tries, bounded by the lock's attributes, with a pause drawn anew
 * each time so that waiters do not go in step. */
struct eyoti_backoff {
  uint64_t next_ns, max_ns, random;
};
/* attr NULL: the bounds of EYOT_LOCK_ATTR_INIT. */
void eyoti_backoff_init(struct eyoti_backoff *b, const struct eyot_rt *rt,
                        const eyot_lock_attr_t *attr);
/* Pauses; ETIMEOUT (not logged) if the deadline passes. Other units get on meanwhile. */
int eyoti_backoff_pause(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t deadline);
/* The same for one who knows how many come before, and may not give up: pauses for so many (1 or
 * more) times as long. Whoever sees that the others get on sets next_ns back. */
int eyoti_backoff_turns(struct eyot_rt *rt, struct eyoti_backoff *b, uint32_t turns);
#endif
