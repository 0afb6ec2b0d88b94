/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gen_uneven.c - the plans of algorithms by nodes (layout_job.h) where nodes have different
 * numbers of members, or these are scattered over them. */
#include "layout_job.h"

enum { NODES_MOST = 9 };

static uint32_t drawn(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1103515245 + 12345;
  return (*seed >> 16) % below;
}

/* Up to `nodes` nodes of least .. most members; scattered: members in any order. */
static void lie(uint32_t nodes, uint32_t least, uint32_t most, bool scattered, uint32_t seed) {
  uint32_t node[NODES_MOST * EYOTI_LAYOUT_CORES], size = 0;
  for (uint32_t k = 0; k < nodes; k++)
    for (uint32_t n = least + drawn(&seed, most - least + 1); n > 0; n--) node[size++] = k;
  for (uint32_t i = size; scattered && i > 1; i--) {
    uint32_t other = drawn(&seed, i), was = node[i - 1];
    node[i - 1] = node[other];
    node[other] = was;
  }
  struct eyoti_placement *p = eyoti_placement_make(node, size);
  assert_non_null(p);
  job = (struct job){.size = size, .radix = 2 + seed % 5, .root = seed % size};
  job.layout = (struct eyoti_layout){
      .size = size, .nodes = p->nodes, .most = p->most, .least = p->least, .placed = p};
}
static void done(void) {
  free((void *)(uintptr_t)job.layout.placed);
}

/* Of scattered members only operators that give the same bits in any order. */
static void short_vectors_by_nodes(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 600; seed++) {
    bool scattered = seed % 3 == 0;
    lie(2 + seed % 8, 1, 1 + seed % 7, scattered, seed);
    for (int how = scattered; how < 2; how++) {
      job.any_order = how != 0;
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 1);
      run_plans(gen_allreduce, EYOTI_COLL_ALLREDUCE, 0);
      run_plans(gen_reduce, EYOTI_COLL_REDUCE, VALUES);
    }
    run_plans(gen_broadcast, EYOTI_COLL_BROADCAST, VALUES);
    done();
  }
}

static void blocks_by_nodes(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 600; seed++) {
    lie(2 + seed % 8, 1 + seed % 4 / 3, 2 + seed % 6, seed % 2 == 0, seed);
    run_plans(gen_alltoall, EYOTI_COLL_ALLTOALL, 1 + seed % VALUES);
    run_plans(gen_allgather, EYOTI_COLL_ALLGATHER, 1 + seed % VALUES);
    done();
  }
}

/* Units of nodes with fewer members have two parts of a reduction, and of a broadcast one. */
static void long_vectors_in_parts(void **state) {
  (void)state;
  static const uint64_t SIZES[] = {0, 1, 9, 100, 2100};
  for (uint32_t seed = 1; seed <= 200; seed++) {
    uint64_t values = SIZES[seed % 4 + (seed % 50 == 3)];
    lie(2 + seed % 5, 3, 3 + seed % 4, seed % 2 == 0, seed);
    for (int how = 0; how < 4; how++) {
      job.any_order = how / 2 != 0;
      job.in_place = how % 2 != 0;
      run_plans(gen_allreduce_parts, EYOTI_COLL_ALLREDUCE, values);
      run_plans(gen_reduce_parts, EYOTI_COLL_REDUCE, values);
    }
    job.in_place = false;
    run_plans(gen_broadcast_parts, EYOTI_COLL_BROADCAST, values);
    done();
  }
}

static void placed_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_broadcast(p, a, &job.layout);
}
static void placed_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_reduce(p, a, &job.layout);
}
static void placed_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_allreduce(p, a, &job.layout);
}
static void trees_by_positions(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 300; seed++) {
    lie(2 + seed % 8, 1, 1 + seed % 7, true, seed);
    job.any_order = true;
    run_plans(placed_broadcast, EYOTI_COLL_BROADCAST, VALUES);
    run_plans(placed_reduce, EYOTI_COLL_REDUCE, VALUES);
    run_plans(placed_allreduce, EYOTI_COLL_ALLREDUCE, VALUES);
    done();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_vectors_by_nodes), cmocka_unit_test(blocks_by_nodes),
      cmocka_unit_test(long_vectors_in_parts), cmocka_unit_test(trees_by_positions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
