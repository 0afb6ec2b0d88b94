/* SPDX-License-Identifier: BSD-3-Clause */
/* test_groups.c - compares what base/groups.h computes step by step with its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/groups.h"

enum { CORES = 64 };

/* Of those that can send first, the first one sends. */
static void tree_of_a_node_is_the_greedy_one(void **state) {
  (void)state;
  for (uint32_t latency = 1; latency <= 9; latency++) {
    uint8_t parent[CORES];
    uint32_t ready[CORES] = {0};
    eyoti_postal_tree(CORES, latency, parent);
    for (uint32_t i = 1; i < CORES; i++) {
      uint32_t from = 0;
      for (uint32_t k = 1; k < i; k++)
        if (ready[k] < ready[from]) from = k;
      assert_int_equal(parent[i], from);
      ready[i] = ready[from]++ + latency;
    }
  }
}

struct found {
  uint32_t n, target[64];
};
static bool keep(void *arg, uint32_t target, uint32_t index) {
  struct found *f = arg;
  assert_int_equal(index, f->n);
  assert_true(f->n < 64);
  f->target[f->n++] = target;
  return false;
}

/* A node's targets, in order of their groups, from its own group on: those that name it as their
 * sender. */
static void check_targets(const struct eyoti_groups *g, uint32_t level, uint32_t node) {
  struct eyoti_seat x = eyoti_seat_of(g, level, node);
  struct found f = {.n = 0};
  uint32_t calls = eyoti_seat_targets(&x, keep, &f);
  assert_int_equal(calls, f.n);
  assert_int_equal(eyoti_seat_targets(&x, NULL, NULL), f.n);
  uint32_t n = 0;
  for (uint32_t i = 1; i < x.n; i++) {
    uint32_t to = (x.part + i) % x.n, messages;
    struct eyoti_nodes there = eyoti_groups_part(x.all, to, x.n);
    for (uint32_t k = 0; k < there.end - there.first; k++) {
      if (eyoti_seat_sender(&x, x.part, to, k) != node) continue;
      assert_true(n < f.n && f.target[n] == there.first + k);
      assert_int_equal(eyoti_seat_index(&x, f.target[n], &messages), n);
      assert_int_equal(messages, f.n);
      n++;
    }
  }
  assert_int_equal(n, f.n);
}

static void a_node_sends_to_those_that_name_it(void **state) {
  (void)state;
  for (uint32_t nodes = 2; nodes <= 90; nodes++)
    for (uint32_t radix = 2; radix <= 13 && radix <= nodes; radix++) {
      struct eyoti_groups g = eyoti_groups_by(nodes, radix);
      for (uint32_t level = 0; level < g.levels; level++)
        for (uint32_t node = 0; node < nodes; node++) check_targets(&g, level, node);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tree_of_a_node_is_the_greedy_one),
      cmocka_unit_test(a_node_sends_to_those_that_name_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
