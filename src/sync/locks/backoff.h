/* SPDX-License-Identifier: BSD-3-Clause */
/* backoff.h - deadlines of waits, and the exponential back-off between tries at a remote word; for
 * the files of src/sync/locks and pscw/lease.c. Local: no function here sends anything. */
#ifndef EYOT_SYNC_LOCKS_BACKOFF_H
#define EYOT_SYNC_LOCKS_BACKOFF_H

#include <eyot/lock.h>

#include "rt/rt.h"

/* A deadline is absolute, in the fabric's now_ns. */
#define EYOTI_DEADLINE_NEVER UINT64_MAX

/* The deadline `timeout_ns` from now (saturating). */
uint64_t eyoti_deadline(struct eyot_rt *rt, uint64_t timeout_ns);
/* The time until the deadline: FAB_FOREVER, or 0 or more. */
uint64_t eyoti_deadline_left(struct eyot_rt *rt, uint64_t deadline);

/* Exponential back-off between tries, bounded by the lock's attributes. Each pause is random, so
 * that waiters do not try at the same times. */
struct eyoti_backoff {
  uint64_t next_ns, max_ns, random;
  uint32_t pauses;
  struct fab *reported; /* to which the pauses are known (fab_ops.tries); NULL: none */
};
/* Declares one that ends with its scope. */
#define EYOTI_BACKOFF(name) \
  __attribute__((cleanup(eyoti_backoff_end))) struct eyoti_backoff name = {0}
void eyoti_backoff_end(struct eyoti_backoff *b);
/* attr NULL: the bounds of EYOT_LOCK_ATTR_INIT. */
void eyoti_backoff_init(struct eyoti_backoff *b, const struct eyot_rt *rt,
                        const eyot_lock_attr_t *attr);
/* Pauses; ETIMEOUT (not logged) if the deadline passes. Other units make progress meanwhile. */
int eyoti_backoff_pause(struct eyot_rt *rt, struct eyoti_backoff *b, uint64_t deadline);
/* The same for a unit that has `turns` (1 or more) units before it and may not give up: pauses that
 * many times as long. The caller resets next_ns when it sees that the others make progress. */
int eyoti_backoff_turns(struct eyot_rt *rt, struct eyoti_backoff *b, uint32_t turns);
#endif
