/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gen_multi.c - the plans of multi-object algorithms, parts and direct messages
 * (layout_job.h), whatever the number of units, the regular layout and the radix. */
#include "layout_job.h"

static void gen_allreduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_allreduce(p, a, &job.layout, job.any_order);
}
static void gen_reduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_reduce(p, a, &job.layout, job.any_order);
}

static void lay_out(uint32_t size, uint32_t per_node, uint32_t radix) {
  job = (struct job){.size = size, .radix = radix};
  job.layout = eyoti_layout_regular(size, per_node);
}

static void every_layout_gives_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 6; per_node++)
    for (uint32_t size = 2; size <= 40; size++)
      for (uint32_t radix = 2; radix <= 7; radix++) {
        lay_out(size, per_node, radix);
        run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 1);
        job.any_order = true;
        run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 1);
      }
}

static void nodes_of_a_machine_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint32_t SIZES[] = {24, 25, 47, 48, 49, 64, 600, 1000, 1024};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
    for (uint32_t radix = 3; radix <= 53; radix += 10) {
      lay_out(SIZES[i], 24, radix);
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, VALUES);
      job.any_order = true;
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, VALUES);
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 0);
    }
}

static void broadcast_reaches_all_from_any_root(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 5; per_node++)
    for (uint32_t size = 2; size <= 33; size++)
      for (uint32_t radix = 2; radix <= 8; radix += 2)
        for (uint32_t root = 0; root < size; root += 1 + size / 6) {
          lay_out(size, per_node, radix);
          job.root = root;
          run_plans(gen_broadcast, EYOTI_COLL_BROADCAST, VALUES);
        }
  lay_out(1024, 24, 43);
  job.root = 1023;
  run_plans(gen_broadcast, EYOTI_COLL_BROADCAST, VALUES);
}

static void reduce_gives_the_canonical_tree_to_any_root(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 5; per_node++)
    for (uint32_t size = 2; size <= 33; size++)
      for (uint32_t radix = 2; radix <= 8; radix += 2)
        for (uint32_t root = 0; root < size; root += 1 + size / 6) {
          lay_out(size, per_node, radix);
          job.root = root;
          run_plans(gen_reduce, EYOTI_COLL_REDUCE, 1);
          job.any_order = true;
          run_plans(gen_reduce, EYOTI_COLL_REDUCE, VALUES);
        }
  lay_out(1024, 24, 43);
  job.root = 1023;
  run_plans(gen_reduce, EYOTI_COLL_REDUCE, VALUES);
  run_plans(gen_reduce, EYOTI_COLL_REDUCE, 0);
}

static void nodes_exchange_all_blocks(void **state) {
  (void)state;
  for (uint32_t per_node = 2; per_node <= 7; per_node++)
    for (uint32_t size = per_node + 1; size <= 45; size++)
      for (uint64_t values = 1; values <= VALUES; values++) {
        lay_out(size, per_node, 2);
        run_plans(gen_alltoall, EYOTI_COLL_ALLTOALL, values);
        run_plans(gen_allgather, EYOTI_COLL_ALLGATHER, values);
      }
  lay_out(500, 24, 2);
  run_plans(gen_alltoall, EYOTI_COLL_ALLTOALL, 1);
  run_plans(gen_allgather, EYOTI_COLL_ALLGATHER, VALUES);
}

/* Vectors of fewer elements than units of a node, too, of which some have no part. */
static void parts_reach_all_and_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {1, 9, 100, 1001};
  for (uint32_t per_node = 3; per_node <= 9; per_node += 2)
    for (uint32_t nodes = 1; nodes <= 9; nodes++)
      for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        for (uint32_t root = 0; root < per_node * nodes; root += 1 + per_node * nodes / 5) {
          lay_out(per_node * nodes, per_node, 2);
          job.root = root;
          run_plans(gen_broadcast_parts, EYOTI_COLL_BROADCAST, SIZES[k]);
        }
        for (uint32_t last = 3; last < per_node; last++) { /* the last node has fewer members */
          lay_out(per_node * nodes + last, per_node, 2);
          job.root = (per_node * nodes * 3 + last) % job.size;
          run_plans(gen_broadcast_parts, EYOTI_COLL_BROADCAST, SIZES[k]);
        }
        for (uint32_t how = 0; how < 2; how++) {
          lay_out(per_node + nodes, per_node + nodes, 2);
          job.in_place = how != 0;
          run_plans(eyoti_parts_allreduce, EYOTI_COLL_ALLREDUCE, SIZES[k]);
        }
      }
}

/* Parts of several nodes, of which the tree over ranks has several blocks each; the longest vectors
 * go in two chunks. */
static void reductions_in_parts(uint64_t values) {
  for (uint32_t how = 0; how < 4; how++) {
    job.in_place = how % 2 != 0;
    job.any_order = how / 2 != 0;
    run_plans(gen_allreduce_parts, EYOTI_COLL_ALLREDUCE, values);
    run_plans(gen_reduce_parts, EYOTI_COLL_REDUCE, values);
  }
}
static void parts_of_nodes_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {0, 1, 9, 100, 4200};
  for (uint32_t per_node = 3; per_node <= 7; per_node++)
    for (uint32_t nodes = 2; nodes <= 6; nodes++)
      for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++) {
        uint32_t size = per_node * nodes;
        if (SIZES[k] > 100 && size > 12) continue;
        lay_out(size, per_node, 2);
        job.root = (per_node * 5 + nodes * 3) % size;
        reductions_in_parts(SIZES[k]);
      }
  /* The last node has fewer members, of which some have several parts. */
  for (uint32_t per_node = 3; per_node <= 7; per_node++)
    for (uint32_t size = per_node + 1; size <= 3 * per_node; size++) {
      lay_out(size, per_node, 2);
      job.root = size - 1 - size % 3;
      reductions_in_parts(per_node + 20);
      if (per_node == 5 && size == 8) reductions_in_parts(4200);
    }
  lay_out(96, 24, 2);
  job.root = 95;
  reductions_in_parts(100);
}

/* Nodes lie on routers in order, from the middle of one on, or anywhere. */
static void reductions_over_routers(uint32_t size, uint32_t per_node, uint64_t values) {
  uint32_t nodes = (size - 1) / per_node + 1;
  const uint64_t order = eyoti_layout_in_order(nodes, 4), all = eyoti_layout_apart(nodes);
  const uint64_t routers[] = {order, eyoti_layout_in_order(nodes, 3) << 1 | 1,
                              (size * 0x9e3779b97f4a7c15u >> 8) | 1, 5};
  for (size_t i = 0; i < sizeof routers / sizeof *routers; i++)
    for (uint32_t how = 0; how < 4; how++) {
      lay_out(size, per_node, 2);
      job.layout.routers = routers[i] & all;
      if (job.layout.routers == 0) continue; /* all on one */
      job.root = (size * 7 + how) % size;
      job.in_place = how % 2 != 0;
      job.any_order = how / 2 != 0;
      run_plans(gen_allreduce_routers, EYOTI_COLL_ALLREDUCE, values);
      run_plans(gen_reduce_routers, EYOTI_COLL_REDUCE, values);
    }
}
static void routers_give_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t nodes = 3; nodes <= 9; nodes++)
    for (uint64_t values = 0; values <= 100; values = 11 * values + 1)
      reductions_over_routers(3 * nodes, 3, values);
  for (uint32_t size = 21; size <= 30; size++) /* the last node has fewer members */
    reductions_over_routers(size, 5, 55);
  reductions_over_routers(13, 3, 4200);
  reductions_over_routers(33 * 3 + 2, 3, 20);
}

/* Vectors of fewer elements than members, too, of which some have no part. */
static void direct_messages_land_where_they_belong(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {1, 7, 100};
  for (uint32_t size = 2; size <= 21; size++)
    for (size_t k = 0; k < sizeof SIZES / sizeof *SIZES; k++)
      for (uint32_t root = 0; root < size; root += 1 + size / 4) {
        lay_out(size, 1, 2);
        job.root = root;
        run_plans(eyoti_gen_alltoall_direct, EYOTI_COLL_ALLTOALL, SIZES[k]);
        run_plans(eyoti_gen_allgather_direct, EYOTI_COLL_ALLGATHER, SIZES[k]);
        run_plans(eyoti_gen_broadcast_direct, EYOTI_COLL_BROADCAST, SIZES[k]);
        for (uint32_t how = 0; how < 4; how++) {
          job.in_place = how % 2 != 0;
          job.late = how / 2 != 0;
          run_plans(eyoti_gen_reduce_direct, EYOTI_COLL_REDUCE, SIZES[k]);
          run_plans(eyoti_gen_allreduce_direct, EYOTI_COLL_ALLREDUCE, SIZES[k]);
        }
      }
}

/* Any number of nodes takes ceil(log_radix nodes) rounds, in groups that differ by one node. */
static void groups_are_even(void **state) {
  (void)state;
  for (uint32_t nodes = 1; nodes <= 200; nodes++)
    for (uint32_t radix = 2; radix <= 16; radix++) {
      struct eyoti_groups g = eyoti_groups_by(nodes, radix);
      uint64_t reach = 1;
      for (uint32_t l = 0; l < g.levels; l++) reach *= radix;
      assert_true(reach >= nodes && (g.levels == 0 || reach / radix < nodes));
      assert_true(g.radix <= radix);
      for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t l = 0; l < g.levels; l++) {
          struct eyoti_nodes of = eyoti_groups_at(&g, l + 1, node);
          struct eyoti_nodes at = eyoti_groups_at(&g, l, node);
          uint32_t n = eyoti_groups_parts(&g, l, of), size = (of.end - of.first) / n;
          assert_true(n >= 1 && n <= g.radix && at.first <= node && node < at.end);
          assert_true(at.end - at.first == size || at.end - at.first == size + 1);
          if (l == 0) assert_int_equal(at.end - at.first, 1);
        }
    }
}

static void tree_of_a_node_is_the_postal_one(void **state) {
  (void)state;
  uint8_t parent[EYOTI_LAYOUT_CORES];
  eyoti_postal_tree(8, 1, parent); /* a message takes one step: the binomial tree */
  static const uint8_t BINOMIAL[] = {0, 0, 0, 1, 0, 1, 2, 3};
  for (uint32_t i = 1; i < 8; i++) assert_int_equal(parent[i], BINOMIAL[i]);
  eyoti_postal_tree(EYOTI_LAYOUT_CORES, 256, parent); /* one that takes longer than all: a star */
  for (uint32_t i = 1; i < EYOTI_LAYOUT_CORES; i++) assert_int_equal(parent[i], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_gives_the_canonical_tree),
      cmocka_unit_test(nodes_of_a_machine_give_the_canonical_tree),
      cmocka_unit_test(broadcast_reaches_all_from_any_root),
      cmocka_unit_test(reduce_gives_the_canonical_tree_to_any_root),
      cmocka_unit_test(nodes_exchange_all_blocks),
      cmocka_unit_test(parts_reach_all_and_give_the_canonical_tree),
      cmocka_unit_test(parts_of_nodes_give_the_canonical_tree),
      cmocka_unit_test(routers_give_the_canonical_tree),
      cmocka_unit_test(direct_messages_land_where_they_belong),
      cmocka_unit_test(groups_are_even),
      cmocka_unit_test(tree_of_a_node_is_the_postal_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
