/* SPDX-License-Identifier: BSD-3-Clause */
/* test_placement.c - where members lie (base/placement.h), against the nodes of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/placement.h"
#include "fake/fake.h"

enum { MOST = 60 };

/* Positions and members are each other's inverse; members of a node have the node's positions, in
 * their order, and nodes the order of their first members. */
static void check(const uint32_t *node, uint32_t size, bool scattered) {
  struct eyoti_placement *p = eyoti_placement_make(node, size);
  uint32_t most = 0, least = size;
  assert_non_null(p);
  assert_int_equal(p->size, size);
  assert_int_equal(p->scattered, scattered);
  for (uint32_t i = 0; i < size; i++) {
    uint32_t position = eyoti_placement_position(p, i), at = eyoti_placement_node(p, position);
    assert_int_equal(eyoti_placement_member(p, position), i);
    assert_in_range(position, eyoti_placement_first(p, at), eyoti_placement_first(p, at + 1) - 1);
    uint32_t first = eyoti_placement_member(p, eyoti_placement_first(p, at));
    assert_int_equal(node[first], node[i]);
    assert_true(first <= i);
  }
  for (uint32_t k = 0; k < p->nodes; k++) {
    uint32_t first = eyoti_placement_first(p, k), end = eyoti_placement_first(p, k + 1);
    assert_true(end > first);
    if (end - first > most) most = end - first;
    if (end - first < least) least = end - first;
    for (uint32_t i = first + 1; i < end; i++)
      assert_true(eyoti_placement_member(p, i - 1) < eyoti_placement_member(p, i));
    if (k > 0)
      assert_true(eyoti_placement_member(p, eyoti_placement_first(p, k - 1)) <
                  eyoti_placement_member(p, first));
  }
  assert_int_equal(p->most, most);
  assert_int_equal(p->least, least);
  assert_int_equal(eyoti_placement_first(p, p->nodes), size);
  free(p);
}

static void members_that_follow_each_other_are_positions(void **state) {
  (void)state;
  static const uint32_t RUNS[] = {9, 9, 2, 2, 2, 2, 7, 0, 0, 0}, ONE[] = {4, 4, 4};
  check(RUNS, 10, false);
  check(RUNS, 1, false);
  check(ONE, 3, false);
}

static void scattered_members_have_a_table(void **state) {
  (void)state;
  static const uint32_t CYCLIC[] = {3, 1, 2, 3, 1, 2, 3}, BACK[] = {5, 6, 6, 5};
  check(CYCLIC, 7, true);
  check(BACK, 4, true);
  uint32_t node[MOST], seed = 1;
  for (uint32_t size = 20; size <= MOST; size++) {
    for (uint32_t i = 0; i < size; i++) node[i] = (seed = seed * 1103515245 + 12345) >> 16 & 7;
    check(node, size, true);
  }
}

static void without_memory_there_is_none(void **state) {
  (void)state;
  static const uint32_t NODE[] = {0, 0, 1};
  for (uint64_t nth = 1; nth <= 2; nth++) {
    fake_alloc_fail_after(nth);
    assert_null(eyoti_placement_make(NODE, 3));
    fake_alloc_fail_after(0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(members_that_follow_each_other_are_positions),
                                     cmocka_unit_test(scattered_members_have_a_table),
                                     cmocka_unit_test(without_memory_there_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
