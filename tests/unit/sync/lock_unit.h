/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_unit.h - helpers of the tests of locks: the kinds, a lock made and destroyed, every schedule
 * for every kind. */
#ifndef LOCK_UNIT_H
#define LOCK_UNIT_H

#include "support/lock_kinds.h"
#include "sync/locks/locks.h"
#include "unit/api_unit.h"

#define UNITS 16u

static eyot_lock_kind_t kind; /* under test */

static inline eyot_lock_attr_t attr_of(eyot_lock_kind_t k) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = k;
  return a;
}

static inline eyot_lock_t make(eyot_team_t team) {
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock = EYOT_LOCK_NULL;
  ok(eyot_lock_create(team, &a, &lock));
  assert_false(eyot_gptr_is_null(lock.at));
  return lock;
}

/* All units have the same name for it. */
static inline void destroy(eyot_lock_t lock) {
  ok(eyot_lock_destroy(&lock));
  assert_true(eyot_gptr_is_null(lock.at));
}

/* Of the kinds that one unit alone can make. */
static inline void sweep(uint32_t n, uint32_t seeds, api_body body) {
  for (size_t k = 0; k < LOCK_KINDS_N; k++) {
    if ((LOCK_KINDS[k].has & LOCK_ONE_UNIT) == 0) continue;
    kind = LOCK_KINDS[k].kind;
    api_sweep(n, seeds, body);
  }
}

static inline bool holds(eyot_lock_t lock) {
  bool held = false;
  ok(eyot_lock_held(lock, &held));
  return held;
}

/* Adds one, without an atomic and without completing the put: release completes it. */
static inline void bump(eyot_gptr_t count, uint64_t *keep) {
  ok(eyot_get(keep, count, 8));
  (*keep)++;
  ok(eyot_put_nbi(count, keep, 8));
}

static inline uint64_t heap_used(void) {
  eyot_heap_info_t info;
  ok(eyot_heap_info(&info));
  return info.collective_used + info.private_used;
}
#endif
