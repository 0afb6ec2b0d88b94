/* SPDX-License-Identifier: BSD-3-Clause */
/* test_layout.c - which nodes of a team share a router (coll/layout.h), and what members hold in
 * reductions over them (coll/parts_shape.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coll/parts_shape.h"
#include "coll/round.h"

static void routers_are_found_by_node(void **state) {
  (void)state;
  struct eyoti_layout l = eyoti_layout_regular(191, 3);
  static const uint32_t FIRST[] = {0, 4, 63, 64};
  l.routers = 0x8000000000000011u;
  assert_int_equal(eyoti_layout_routers(&l), 3);
  for (uint32_t node = 0; node < 64; node++)
    assert_int_equal(eyoti_layout_router(&l, node), node == 63 ? 2 : node >= 4 ? 1 : 0);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(eyoti_layout_router_first(&l, i), FIRST[i]);
  assert_true(eyoti_layout_apart(64) == UINT64_MAX && eyoti_layout_apart(3) == 7);
  assert_true(eyoti_layout_in_order(10, 4) == 0x111 && eyoti_layout_in_order(4, 4) == 0);
  assert_true(eyoti_layout_in_order(65, 4) == 0 && eyoti_layout_in_order(9, 0) == 0);
}

/* Ten nodes of 24 units on routers of four: the last two have two columns each. */
static void shapes_are_of_the_fullest_router(void **state) {
  (void)state;
  struct eyoti_layout l = eyoti_layout_regular(240, 24);
  l.routers = 0x111;
  struct eyoti_parts_shape s = eyoti_parts_shape(&l, false);
  assert_int_equal(s.lots, 1);
  assert_int_equal(s.columns, 4);
  assert_int_equal(s.owned, 2);
  assert_int_equal(s.lists, 4);
  assert_int_equal(s.routers, 3);
  assert_int_equal(s.node_blocks, 2);
  assert_int_equal(s.blocks, 2);
  assert_int_equal(eyoti_parts_shape(&l, true).blocks, 1);
  l.routers = 0x249; /* the last one has one node, and so all columns */
  s = eyoti_parts_shape(&l, false);
  assert_int_equal(s.columns, 3);
  assert_int_equal(s.owned, 3);
  l.routers = eyoti_layout_apart(10);
  s = eyoti_parts_shape(&l, false);
  assert_int_equal(s.columns, 1);
  assert_int_equal(s.routers, 10);
  assert_int_equal(s.blocks, s.node_blocks);
}

/* Boards of all members take EYOTI_ROUND_BOARD, but for rounded slots. */
static void rounds_fill_their_boards(void **state) {
  (void)state;
  for (uint32_t nodes = 3; nodes <= 64; nodes++) {
    struct eyoti_layout l = eyoti_layout_regular(nodes * 24 - 7, 24);
    l.routers = eyoti_layout_in_order(nodes, 4) | 1;
    struct eyoti_parts_shape s = eyoti_parts_shape(&l, nodes % 2 == 0);
    uint64_t most = eyoti_parts_round(&l, &s, 8);
    assert_in_range(most, 8192, EYOTI_ROUND_BOARD);
    assert_int_equal(most % 8, 0);
    assert_int_equal(eyoti_parts_round(&l, &s, 1 << 20), 1 << 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(routers_are_found_by_node),
                                     cmocka_unit_test(shapes_are_of_the_fullest_router),
                                     cmocka_unit_test(rounds_fill_their_boards)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
