/* SPDX-License-Identifier: BSD-3-Clause */
/* net_on_node.c - units of one node that reach each other through its NIC (--on-node nic): the
 * prices of two nodes of one router, the NIC that they share, and a unit's own memory. */

#include "unit/sim/net_test.h"

static struct sim_net *open_nic(const char *platform, uint32_t n_units, uint32_t units_per_node,
                                bool shared) {
  struct sim_net_opts opts = {.platform = platform,
                              .n_units = n_units,
                              .units_per_node = units_per_node,
                              .shared = shared,
                              .on_nic = true};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  return net;
}

/* In a preset two nodes of one router have no link between them: the way is equal. */
static void one_node_costs_what_two_of_a_router_cost(void **state) {
  (void)state;
  static const char *const MACHINES[] = {"xc40", "xe6"};
  static const uint64_t SIZES[] = {0, 8, 64, 65, 8192, 1 << 20};
  for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
    struct sim_net *nic = open_nic(MACHINES[m], 2, 2, false), *two = net_open(MACHINES[m], 2, 1);
    uint64_t clock_ps = 0;
    for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
      for (int kind = SIM_MSG_PUT; kind <= SIM_MSG_AMO; kind++) {
        uint64_t at_ps = clock_ps,
                 one = net_blocking_ps(nic, (enum sim_msg)kind, 0, 1, SIZES[i], &at_ps);
        assert_int_equal(one, net_blocking_ps(two, (enum sim_msg)kind, 0, 1, SIZES[i], &clock_ps));
      }
    assert_true(sim_net_same_node(nic, 0, 1) && !sim_net_by_memory(nic, 0, 1));
    sim_net_close(two);
    sim_net_close(nic);
  }
}

static void own_memory_needs_no_nic(void **state) {
  (void)state;
  struct sim_net *nic = open_nic("xc40", 2, 2, false), *memory = net_open("xc40", 2, 2);
  uint64_t clock_ps = 0;
  for (int kind = SIM_MSG_PUT; kind <= SIM_MSG_AMO; kind++) {
    uint64_t at_ps = clock_ps;
    assert_int_equal(net_blocking_ps(nic, (enum sim_msg)kind, 1, 1, 4096, &at_ps),
                     net_blocking_ps(memory, (enum sim_msg)kind, 1, 1, 4096, &clock_ps));
  }
  assert_true(sim_net_by_memory(nic, 1, 1));
  assert_false(sim_net_is_long(nic, SIM_MSG_PUT, sim_net_by_memory(nic, 1, 1), 4096));
  sim_net_close(memory);
  sim_net_close(nic);
}

/* 1 MiB at 10 GB/s in each direction of the NIC: a second message of the node waits for it, whether
 * it stays in the node or leaves it. */
static void messages_of_a_node_share_its_nic(void **state) {
  (void)state;
  struct sim_net *net = open_nic("xc40", 8, 4, false);
  struct sim_timing first, out, in, other;
  const uint64_t bytes = 1 << 20, span_ps = bytes * 100;
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, bytes, 0, &first);
  sim_net_reserve(net, SIM_MSG_PUT, 2, 5, bytes, 0, &out);
  sim_net_reserve(net, SIM_MSG_PUT, 4, 3, bytes, 0, &in);
  sim_net_reserve(net, SIM_MSG_PUT, 6, 7, 8, 0, &other);
  assert_true(first.target_at >= span_ps && first.target_at < 2 * span_ps);
  assert_true(out.target_at >= 2 * span_ps && in.target_at >= 2 * span_ps);
  assert_true(other.target_at >= span_ps); /* behind `in` at the second node's NIC */
  sim_net_close(net);
}

static void long_messages_of_a_node_go_in_pieces(void **state) {
  (void)state;
  struct sim_net *net = open_nic("xc40", 8, 4, true);
  bool by_memory = sim_net_by_memory(net, 0, 1);
  assert_true(sim_net_is_long(net, SIM_MSG_PUT, by_memory, 65));
  assert_true(sim_net_is_long(net, SIM_MSG_GET, by_memory, 8192));
  struct sim_piece piece = {.kind = SIM_MSG_PUT, .src = 0, .dst = 1, .bytes = 8192, .first = true};
  struct sim_piece_times near, far;
  sim_net_piece(net, &piece, &near);
  piece.dst = 5;
  piece.at_ps = piece.now_ps = 1000000000;
  sim_net_piece(net, &piece, &far);
  assert_int_equal(near.arrive_ps, far.arrive_ps - piece.at_ps);
  assert_int_equal(near.next_ps, far.next_ps - piece.at_ps);
  assert_int_equal(sim_net_ack_ps(net, 0, 1), sim_net_ack_ps(net, 0, 5));
  sim_net_close(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_node_costs_what_two_of_a_router_cost),
                                     cmocka_unit_test(own_memory_needs_no_nic),
                                     cmocka_unit_test(messages_of_a_node_share_its_nic),
                                     cmocka_unit_test(long_messages_of_a_node_go_in_pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
