/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gen_scan.c - runs the plans of scans and exscans of all members of a team (plan_run.h), by
 * recursive doubling, by messages to private memory and by nodes: whatever the algorithm, the
 * number of units, the layout and the radix, a member has the bits of a reduction along the
 * canonical tree over the ranks up to it, every message is awaited, and member 0 of an exscan
 * leaves OUT alone. */
#define MEMBERS_MOST 1100
#include "coll/gen_multi.h"
#include "support/plan_run.h"

enum { VALUES_MOST = 3 };

/* What the generators see of a team is its size and units; the layout comes from here. */
static struct {
  struct eyoti_layout layout;
  uint32_t radix;
  bool any_order;
} nodes;

static void gen_scan_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_scan(p, a, &nodes.layout, nodes.radix, nodes.any_order);
}
static void gen_exscan_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_exscan(p, a, &nodes.layout, nodes.radix, nodes.any_order);
}

static uint64_t value_of(uint32_t member, uint32_t i) {
  return (uint64_t)(member + 1) * 1000003u + i * 7919u;
}

/* The reduction over members first .. end - 1: the lower part is the largest power of two. */
static uint64_t tree(uint32_t first, uint32_t end, uint32_t i) {
  uint32_t half = 1;
  if (end - first == 1) return value_of(first, i);
  while (2 * half < end - first) half *= 2;
  return combined(tree(first, first + half, i), tree(first + half, end, i));
}

static void check(const struct member *m, bool inclusive, uint32_t values, bool in_place) {
  uint64_t got;
  uint32_t before = m->team.me + inclusive;
  for (uint32_t k = 0; k < values; k++) {
    memcpy(&got, m->out + 8 * k, 8);
    if (before > 0)
      assert_true(got == tree(0, before, k));
    else
      assert_true(got == (in_place ? value_of(0, k) : 0x5a5a5a5a5a5a5a5au));
  }
}

static void run(uint32_t size, eyoti_plan_gen gen, bool inclusive, uint32_t values, uint64_t seed) {
  struct eyoti_coll_args a = {.function = inclusive ? EYOTI_COLL_SCAN : EYOTI_COLL_EXSCAN,
                              .type = EYOT_UINT64,
                              .op = EYOT_SUM,
                              .combiner = {.width = 8},
                              .count = values,
                              .bytes = values * 8,
                              .len = values * 8};
  bool in_place = seed % 2 != 0;
  job_begin(size, seed, seed / 2 % 2 != 0);
  job.adds = nodes.any_order;
  for (uint32_t i = 0; i < size; i++) {
    member_begin(i, &a, gen, values * 8, in_place ? 0 : values * 8 + 8);
    assert_int_equal(job.member[i].plan->words, job.member[0].plan->words);
    assert_int_equal(job.member[i].plan->board_bytes, job.member[0].plan->board_bytes);
    for (uint32_t k = 0; k < values; k++)
      memcpy(job.member[i].in + 8 * k, &(uint64_t){value_of(i, k)}, 8);
  }
  run_all();
  all_ended();
  for (uint32_t i = 0; i < size; i++) check(&job.member[i], inclusive, values, in_place);
  job_end();
}

/* Both functions, of several lengths, in place and not. */
static void run_both(uint32_t size, eyoti_plan_gen scan, eyoti_plan_gen exscan, bool empty) {
  for (uint64_t seed = 0; seed < 4; seed++)
    for (uint32_t values = empty ? 0 : 1; values <= VALUES_MOST; values += VALUES_MOST - 1) {
      run(size, scan, true, values, seed);
      run(size, exscan, false, values, seed);
    }
}

static void lay_out(uint32_t size, uint32_t per_node, uint32_t radix, bool any_order) {
  nodes.layout = eyoti_layout_regular(size, per_node);
  nodes.radix = radix;
  nodes.any_order = any_order;
}

static void doubling_gives_the_canonical_tree(void **state) {
  (void)state;
  nodes.any_order = false;
  for (uint32_t size = 2; size <= 40; size++) {
    run_both(size, eyoti_gen_scan, eyoti_gen_exscan, true);
    run_both(size, eyoti_gen_scan_direct, eyoti_gen_exscan_direct, false);
  }
}

/* Nodes of one to nine members, which follow each other. */
static void uneven_nodes_give_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t seed = 1; seed <= 60; seed++) {
    uint32_t node[64], size = 0, k = 0;
    for (uint32_t at = seed; size < 20 + seed % 40; k++, at = at * 7 + 3)
      for (uint32_t n = 1 + at % (1 + seed % 9); n > 0 && size < 60; n--) node[size++] = k;
    struct eyoti_placement *p = eyoti_placement_make(node, size);
    assert_non_null(p);
    lay_out(size, 1, 2 + seed % 6, seed % 4 == 0);
    nodes.layout = (struct eyoti_layout){
        .size = size, .nodes = p->nodes, .most = p->most, .least = p->least, .placed = p};
    run_both(size, gen_scan_multi, gen_exscan_multi, true);
    free(p);
  }
}

/* Vectors of fewer elements than members, too, of which some have no part. */
static void parts_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint32_t VALUES[] = {1, 2, 20, 101};
  nodes.any_order = false;
  for (uint32_t size = 2; size <= 33; size++)
    for (size_t k = 0; k < sizeof VALUES / sizeof *VALUES; k++)
      for (uint64_t seed = 0; seed < 4; seed++) {
        run(size, eyoti_gen_scan_parts, true, VALUES[k], seed);
        run(size, eyoti_gen_exscan_parts, false, VALUES[k], seed);
      }
}

/* The operator here has other bits in any other order. Lists of blocks keep it for all layouts,
 * also those of which no node begins where a block does. */
static void every_layout_gives_the_canonical_tree(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 9; per_node++)
    for (uint32_t size = 2; size <= 40; size++)
      for (uint32_t radix = 2; radix <= 7; radix++) {
        lay_out(size, per_node, radix, false);
        run(size, gen_scan_multi, true, 1, size + radix);
        run(size, gen_exscan_multi, false, 1, size + radix);
      }
  lay_out(23, 4, 3, false);
  run_both(23, gen_scan_multi, gen_exscan_multi, true);
}

static void nodes_of_a_machine_give_the_canonical_tree(void **state) {
  (void)state;
  static const uint32_t SIZES[] = {2, 24, 25, 47, 48, 49, 64, 600, 1024};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++)
    for (uint32_t radix = 2; radix <= 43; radix = radix * 4 + 3) {
      lay_out(SIZES[i], 24, radix, false);
      run(SIZES[i], gen_scan_multi, true, 2, i);
      run(SIZES[i], gen_exscan_multi, false, 2, i + 1);
    }
}

/* Where the order is left open each list is one block: a sum shows that no rank is left out. */
static void one_block_has_all_ranks_before(void **state) {
  (void)state;
  for (uint32_t per_node = 1; per_node <= 6; per_node++)
    for (uint32_t size = 2; size <= 30; size++)
      for (uint32_t radix = 2; radix <= 5; radix++) {
        lay_out(size, per_node, radix, true);
        run(size, gen_scan_multi, true, 1, size + radix);
        run(size, gen_exscan_multi, false, 1, size + radix);
      }
  lay_out(1000, 24, 14, true);
  run_both(1000, gen_scan_multi, gen_exscan_multi, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(doubling_gives_the_canonical_tree),
      cmocka_unit_test(uneven_nodes_give_the_canonical_tree),
      cmocka_unit_test(parts_give_the_canonical_tree),
      cmocka_unit_test(every_layout_gives_the_canonical_tree),
      cmocka_unit_test(nodes_of_a_machine_give_the_canonical_tree),
      cmocka_unit_test(one_block_has_all_ranks_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
