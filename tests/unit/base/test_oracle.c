/* SPDX-License-Identifier: BSD-3-Clause */
/* test_oracle.c - the oracles of tests/support: correct histories pass, and each wrong one is
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/oracle.h"

/* cmocka.h uses what the headers above declare. */
#include <cmocka.h>

#define MOST 64

static struct oracle_hold hold(uint64_t request, uint64_t acquire, uint64_t release,
                               uint32_t target, uint32_t flags) {
  return (struct oracle_hold){.request_ns = request,
                              .acquire_ns = acquire,
                              .release_ns = release,
                              .target = target,
                              .flags = flags};
}

static const struct oracle_shape ONE = {1, 1}, EPOCH = {6, 3};

static bool excludes(struct oracle_hold a, struct oracle_hold b, struct oracle_shape shape) {
  struct oracle_hold h[2] = {a, b}, r[2] = {b, a};
  oracle_sort(h, 2);
  oracle_sort(r, 2);
  bool ok = oracle_exclusion(h, 2, shape);
  assert_int_equal(ok, oracle_exclusion(r, 2, shape));
  return ok;
}

static void overlapping_exclusive_holds_are_refused(void **state) {
  (void)state;
  assert_true(excludes(hold(0, 1, 5, 0, 0), hold(0, 5, 9, 0, 0), ONE));
  assert_false(excludes(hold(0, 1, 6, 0, 0), hold(0, 5, 9, 0, 0), ONE));
  assert_false(excludes(hold(0, 1, 9, 0, 0), hold(0, 5, 6, 0, ORACLE_SHARED), ONE));
  assert_false(excludes(hold(0, 1, 9, 0, ORACLE_SHARED), hold(0, 5, 6, 0, 0), ONE));
  assert_true(excludes(hold(0, 1, 9, 0, ORACLE_SHARED), hold(0, 5, 6, 0, ORACLE_SHARED), ONE));
  assert_true(excludes(hold(0, 5, 5, 0, 0), hold(0, 5, 9, 0, 0), ONE));
  assert_true(oracle_exclusion(NULL, 0, ONE));
}

/* A short hold during a long one must not hide it. */
static void short_hold_inside_a_long_one_is_seen(void **state) {
  (void)state;
  struct oracle_hold h[] = {hold(0, 1, 50, 0, ORACLE_SHARED), hold(0, 2, 3, 0, ORACLE_SHARED),
                            hold(0, 10, 12, 0, 0)};
  oracle_sort(h, 3);
  assert_false(oracle_exclusion(h, 3, ONE));
}

static void groups_exclude_whole_holds_only(void **state) {
  (void)state;
  uint32_t all = ORACLE_SHARED | ORACLE_WHOLE;
  assert_true(excludes(hold(0, 1, 9, 0, 0), hold(0, 2, 8, 1, 0), EPOCH));
  assert_false(excludes(hold(0, 1, 9, 1, 0), hold(0, 2, 8, 0, all), EPOCH));
  assert_false(excludes(hold(0, 1, 9, 0, all), hold(0, 2, 8, 2, 0), EPOCH));
  assert_true(excludes(hold(0, 1, 9, 0, all), hold(0, 2, 8, 3, 0), EPOCH));
  assert_true(excludes(hold(0, 1, 9, 0, all), hold(0, 2, 8, 2, ORACLE_SHARED), EPOCH));
  assert_true(excludes(hold(0, 1, 9, 0, all), hold(0, 2, 8, 0, all), EPOCH));
}

/* n exclusive holds, one after the other, requested in the same order. */
static void series(struct oracle_hold *h, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    h[i] = hold(i, 100 + 10 * i, 105 + 10 * i, 0, 0);
    h[i].ticket = i;
  }
}

static void tickets_out_of_turn_are_refused(void **state) {
  (void)state;
  struct oracle_hold h[MOST];
  uint64_t finals[1] = {8};
  series(h, 8);
  assert_true(oracle_tickets(h, 8, ONE, finals, true));
  finals[0] = 7;
  assert_false(oracle_tickets(h, 8, ONE, finals, true));
  finals[0] = 8;
  h[3].ticket = 4, h[4].ticket = 3;
  assert_false(oracle_tickets(h, 8, ONE, finals, true));
  assert_true(oracle_tickets(h, 8, ONE, finals, false));
  h[4].ticket = 4;
  assert_false(oracle_tickets(h, 8, ONE, finals, false));
  h[4].ticket = 8;
  assert_false(oracle_tickets(h, 8, ONE, finals, false));
  h[4].ticket = 0, h[3].ticket = 3, h[4].flags = ORACLE_SHARED;
  assert_false(oracle_tickets(h, 8, ONE, finals, false)); /* readers draw none: 4 is missing */
}

static void most_readers_at_a_time_are_counted(void **state) {
  (void)state;
  struct oracle_hold h[] = {hold(0, 1, 5, 0, ORACLE_SHARED), hold(0, 4, 9, 0, ORACLE_SHARED),
                            hold(0, 5, 6, 0, ORACLE_SHARED), hold(0, 9, 12, 0, ORACLE_SHARED),
                            hold(0, 20, 30, 0, 0),           hold(0, 4, 9, 1, ORACLE_SHARED)};
  oracle_sort(h, 6);
  assert_int_equal(oracle_readers(h, 6), 2);
  h[2].acquire_ns = 4;
  assert_int_equal(oracle_readers(h, 6), 3);
  assert_int_equal(oracle_readers(h, 0), 0);
}

static void bypass_beyond_the_bound_is_refused(void **state) {
  (void)state;
  struct oracle_hold h[MOST];
  uint64_t most;
  series(h, 10);
  assert_true(oracle_bypass(h, 10, 0, 0, &most));
  assert_int_equal(most, 0);
  h[9].request_ns = 3; /* as h[3], but after 4 .. 8 */
  assert_false(oracle_bypass(h, 10, 0, 4, &most));
  assert_true(oracle_bypass(h, 10, 0, 5, &most));
  assert_int_equal(most, 5);
  /* of these only h[8] requested more than 4 later */
  assert_true(oracle_bypass(h, 10, 4, 1, &most));
  assert_int_equal(most, 1);
  h[9].target = 1;
  assert_true(oracle_bypass(h, 10, 0, 0, &most));
}

/* Against the definition, on random histories. */
static void bypass_agrees_with_its_definition(void **state) {
  (void)state;
  srand(7);
  for (int round = 0; round < 200; round++) {
    struct oracle_hold h[MOST];
    size_t n = 1 + (size_t)rand() % MOST;
    uint64_t lag = (uint64_t)rand() % 20, worst = 0, most;
    for (size_t i = 0; i < n; i++) h[i] = hold((uint64_t)rand() % 50, 100 + i, 100 + i, 0, 0);
    for (size_t i = 0; i < n; i++) {
      uint64_t overtakers = 0;
      for (size_t j = 0; j < i; j++) overtakers += h[j].request_ns > h[i].request_ns + lag;
      if (overtakers > worst) worst = overtakers;
    }
    assert_true(oracle_bypass(h, n, lag, worst, &most));
    assert_int_equal(most, worst);
    assert_true(worst == 0 || !oracle_bypass(h, n, lag, worst - 1, &most));
  }
}

static void turns_of_a_node_beyond_the_bound_are_refused(void **state) {
  (void)state;
  /* Units 0 and 1 are a node, 2 and 3 another; 0 .. 3 are a group, unit 4 is elsewhere. */
  struct oracle_turn node = {2, 4, 3, 5};
  struct oracle_hold h[MOST];
  const uint32_t units[] = {0, 1, 0, 1, 4};
  uint64_t longest;
  series(h, 5);
  for (uint32_t i = 0; i < 5; i++) h[i].unit = units[i];
  assert_false(oracle_turns(h, 5, node, &longest));
  node.most = 4;
  assert_true(oracle_turns(h, 5, node, &longest));
  assert_int_equal(longest, 4);
  node.most = 3;
  h[4].request_ns = 96; /* not yet in the queue when the first got it, at 100 */
  assert_true(oracle_turns(h, 5, node, &longest));
  assert_int_equal(longest, 0);
  h[4].request_ns = 4;
  h[4].unit = 2; /* in the same group */
  assert_true(oracle_turns(h, 5, node, &longest));
  h[4].unit = 4;
  assert_false(oracle_turns(h, 5, node, &longest));
  h[5] = hold(0, 90, 96, 0, 0); /* one of its domain has just left */
  h[5].unit = 5;
  oracle_sort(h, 6);
  assert_true(oracle_turns(h, 6, node, &longest));
}

static void longest_time_without_an_entry_is_found(void **state) {
  (void)state;
  struct oracle_hold h[] = {hold(0, 10, 20, 0, 0), hold(15, 40, 50, 0, 0)};
  uint64_t longest;
  assert_true(oracle_progress(h, 2, 25, &longest));
  assert_int_equal(longest, 25);
  assert_false(oracle_progress(h, 2, 24, &longest));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(overlapping_exclusive_holds_are_refused),
                                     cmocka_unit_test(short_hold_inside_a_long_one_is_seen),
                                     cmocka_unit_test(groups_exclude_whole_holds_only),
                                     cmocka_unit_test(tickets_out_of_turn_are_refused),
                                     cmocka_unit_test(most_readers_at_a_time_are_counted),
                                     cmocka_unit_test(bypass_beyond_the_bound_is_refused),
                                     cmocka_unit_test(bypass_agrees_with_its_definition),
                                     cmocka_unit_test(turns_of_a_node_beyond_the_bound_are_refused),
                                     cmocka_unit_test(longest_time_without_an_entry_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
