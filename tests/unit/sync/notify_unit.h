/* SPDX-License-Identifier: BSD-3-Clause */
/* notify_unit.h - helpers of the tests of counters and of notified access. */
#ifndef NOTIFY_UNIT_H
#define NOTIFY_UNIT_H

#include "unit/api_unit.h"

static inline eyot_counter_t counter_new(uint64_t threshold) {
  eyot_counter_t c;
  ok(eyot_counter_alloc(threshold, &c));
  return c;
}

static inline eyot_counter_t counter_create(uint64_t threshold) {
  eyot_counter_t c;
  ok(eyot_counter_create(EYOT_TEAM_ALL, threshold, &c));
  return c;
}

/* No unit notifies any more. */
static inline void counter_destroy(eyot_counter_t c) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_counter_destroy(&c));
  assert_true(eyot_gptr_is_null(c.at));
}

static inline void add(eyot_counter_t c, uint64_t amount) {
  ok(eyot_put_notify(EYOT_GPTR_NULL, NULL, 0, c, amount));
}

static inline uint64_t value(eyot_counter_t c) {
  uint64_t v = 77;
  ok(eyot_counter_value(c, &v));
  return v;
}

static inline void notify_sweep(void **state) {
  const api_body *body = *state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 4, *body);
}
#define NOTIFY_SWEEP(body) \
  { .name = #body, .test_func = notify_sweep, .initial_state = (void *)(uintptr_t)&body }
#endif
