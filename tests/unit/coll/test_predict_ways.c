/* SPDX-License-Identifier: BSD-3-Clause */
/* test_predict_ways.c - what vectors along trees, by multi-object rounds and in parts are predicted
 * to take: beside each member's way, beside what the simulator takes, and which is chosen by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "coll/predict.h"
#include "coll/predict_ways.h"

static const struct fab_model XC40 = {.post_ps = 100000,
                                      .net_ps = 900000,
                                      .gap_ps = 10000,
                                      .node_post_ps = 20000,
                                      .node_ps = 95000,
                                      .look_ps = 10000,
                                      .net_kib_ps = 102400,
                                      .node_kib_ps = 85333,
                                      .memory_kib_ps = 37236,
                                      .memory_units = 12,
                                      .memory_ps = 60000,
                                      .router_ps = 700000,
                                      .router_nodes = 4,
                                      .row_routers = 16,
                                      .link_kib_ps = 195047};
static const struct fab_model CAB = {.post_ps = 200000,
                                     .net_ps = 1070000,
                                     .gap_ps = 33000,
                                     .node_post_ps = 20000,
                                     .node_ps = 95000,
                                     .look_ps = 10000,
                                     .net_kib_ps = 320000,
                                     .node_kib_ps = 56888,
                                     .memory_kib_ps = 8532,
                                     .memory_units = 8,
                                     .memory_ps = 60000,
                                     .router_ps = 790000,
                                     .router_nodes = 18,
                                     .row_routers = 1};
static const struct fab_model XE6 = {.post_ps = 416000,
                                     .net_ps = 450000,
                                     .gap_ps = 20000,
                                     .node_post_ps = 80000,
                                     .node_ps = 135000,
                                     .look_ps = 17000,
                                     .net_kib_ps = 163840,
                                     .node_kib_ps = 204800,
                                     .memory_kib_ps = 170666,
                                     .memory_units = 8,
                                     .memory_ps = 90000};

#define MEMBERS 1024u

static uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* From the end of a posting until the message is known. */
static uint64_t way_ps(const struct eyoti_ways *w, uint32_t from, uint32_t to) {
  const struct fab_model *m = w->m;
  if (from / w->cores == to / w->cores) return m->node_ps + m->look_ps;
  uint32_t router = fab_model_router(m, w->cores);
  if (from / router == to / router && w->size > router)
    return (m->router_ps > 0 ? m->router_ps : m->net_ps) + m->look_ps +
           fab_model_bytes(w->bytes, m->net_kib_ps);
  uint64_t kib_ps = w->size > router ? fab_model_far_kib_ps(m) : m->net_kib_ps;
  return m->net_ps + m->look_ps + fab_model_bytes(w->bytes, kib_ps);
}
static uint64_t copy_ps(const struct eyoti_ways *w) {
  return w->m->node_post_ps + fab_model_node_bytes(w->m, w->bytes, 1);
}

/* Member by member, from the root on: when it has the vector, and where it sends it. */
static uint64_t down_ps(const struct eyoti_ways *w) {
  static uint64_t has[MEMBERS];
  uint64_t most = 0;
  has[0] = 0;
  for (uint32_t f = 0; f < w->size; f++) {
    uint64_t cpu = has[f], nic = 0;
    uint32_t below = f > 0 ? f & -f : MEMBERS;
    most = later(most, has[f]);
    for (uint32_t far = below / 2; far > 0; far /= 2) {
      if (f + far >= w->size) continue;
      bool same = f / w->cores == (f + far) / w->cores;
      cpu += same ? copy_ps(w) : w->m->post_ps;
      uint64_t begins = same ? cpu : later(cpu, nic);
      if (!same) nic = begins + fab_model_gap(w->m, w->bytes);
      has[f + far] = begins + way_ps(w, f, f + far);
    }
  }
  return most;
}

/* From the last member on: when it has its subtree's result. */
static uint64_t up_ps(const struct eyoti_ways *w) {
  static uint64_t has[MEMBERS];
  for (uint32_t f = w->size; f-- > 0;) {
    uint64_t nic = 0;
    has[f] = 0;
    for (uint32_t far = 1; far < (f > 0 ? f & -f : MEMBERS); far *= 2) {
      if (f + far >= w->size) continue;
      bool same = f / w->cores == (f + far) / w->cores;
      uint64_t there = has[f + far] + (same ? copy_ps(w) : w->m->post_ps) + way_ps(w, f + far, f);
      if (!same) there = nic = later(there, nic + fab_model_gap(w->m, w->bytes));
      has[f] = later(has[f] + w->m->look_ps, there);
    }
  }
  return has[0];
}

static void assert_longest(const struct eyoti_ways *asked) {
  struct eyoti_ways w = *asked;
  w.down = true;
  assert_int_equal(eyoti_predict_ways_ps(&w), down_ps(&w));
  w.down = false;
  assert_int_equal(eyoti_predict_ways_ps(&w), up_ps(&w));
}

/* A subtree's time depends on the place of its head in a node and a router alone. Without waits for
 * memory, which are not of a way. */
static void the_longest_way_is_that_of_a_member(void **state) {
  (void)state;
  struct fab_model m = XC40, nodes = CAB;
  m.memory_kib_ps = nodes.memory_kib_ps = 0;
  for (uint32_t cores = 1; cores <= 48; cores++) {
    for (uint32_t size = 1; size <= MEMBERS; size += 1 + size / 9)
      for (uint64_t bytes = 0; bytes <= 8000; bytes += 4000) {
        m.router_nodes = cores % 5, nodes.router_nodes = 0;
        uint32_t router = m.router_nodes > 0 ? m.router_nodes * cores : cores;
        if (router >> __builtin_ctz(cores) <= 20)
          assert_longest(&(struct eyoti_ways){&m, size, cores, bytes, true});
        if (cores >> __builtin_ctz(cores) <= 20)
          assert_longest(&(struct eyoti_ways){&nodes, size, cores, bytes, true});
      }
  }
}

/* Nodes of other numbers of units are told apart less well. */
static void nodes_of_odd_units_are_predicted_within_a_third(void **state) {
  (void)state;
  struct fab_model m = XC40;
  m.memory_kib_ps = 0;
  for (uint32_t cores = 21; cores <= 129; cores += 2)
    for (uint32_t size = 200; size <= MEMBERS; size += 97) {
      struct eyoti_ways w = {&m, size, cores, 2048, true};
      uint64_t ps = eyoti_predict_ways_ps(&w), right_ps = down_ps(&w);
      assert_in_range(ps, right_ps * 2 / 3, right_ps * 4 / 3);
    }
}

static const struct {
  const struct fab_model *m;
  uint32_t size, cores, bytes, seen_ns;
} SEEN[] = {
    {&XC40, 25, 24, 5000, 6579},   {&XC40, 48, 24, 8192, 12999},  {&XC40, 72, 24, 1024, 5427},
    {&XC40, 72, 24, 2048, 7117},   {&XC40, 72, 24, 8192, 16967},  {&XC40, 96, 24, 16384, 38574},
    {&XC40, 240, 24, 4096, 14428}, {&XC40, 240, 24, 8192, 24939}, {&XC40, 240, 24, 16384, 51716},
    {&CAB, 17, 16, 8192, 7378},    {&CAB, 48, 16, 2048, 6480},    {&CAB, 96, 16, 8192, 26324},
    {&CAB, 128, 16, 16384, 64747}, {&CAB, 320, 16, 1024, 12356},  {&CAB, 320, 16, 2048, 15754},
    {&CAB, 320, 16, 5000, 26074},  {&CAB, 320, 16, 8192, 50207},  {&CAB, 320, 16, 16384, 95950}};

/* An allreduce along a tree, whose rounds begin with no barrier, in the simulator: 0.86 to 1.66 by
 * a message for each doubling of the nodes. */
static void trees_are_predicted_from_short_vectors_to_long_ones(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof SEEN / sizeof SEEN[0]; i++) {
    struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE,
                               SEEN[i].bytes,
                               SEEN[i].size,
                               SEEN[i].cores,
                               true,
                               0,
                               false,
                               0,
                               EYOTI_TAKES_NOT,
                               0,
                               0,
                               0,
                               false};
    uint64_t ns = eyoti_predict_ps(SEEN[i].m, &q, EYOTI_BINOMIAL, 0) / 1000;
    assert_in_range(ns, SEEN[i].seen_ns * 0.88, SEEN[i].seen_ns * 1.12);
  }
}

/* 8 bytes more are 8 bytes more, but where a round ends or messages go in pieces. */
static void a_longer_vector_takes_little_longer(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= MEMBERS; size += 1 + size / 7)
    for (unsigned f = EYOTI_CHOSEN_BROADCAST; f <= EYOTI_CHOSEN_ALLREDUCE; f++) {
      struct eyoti_question q = {(enum eyoti_chosen)f, 0, size, 16, true, 0, false, 0,
                                 EYOTI_TAKES_NOT,      0, 0,    0,  false};
      uint64_t before = 0;
      for (; q.bytes <= 8176; q.bytes += 8) {
        uint64_t ps = eyoti_predict_ps(&CAB, &q, EYOTI_BINOMIAL, 0);
        assert_true(ps >= before && (before == 0 || ps <= before + before / 10));
        before = ps;
      }
    }
}

static enum eyoti_algorithm chosen(const struct fab_model *m, enum eyoti_chosen function,
                                   uint64_t bytes, uint32_t size, uint32_t cores) {
  struct eyoti_question q = {function, bytes,           size, cores, true, 0,    false,
                             0,        EYOTI_TAKES_NOT, 0,    0,     0,    false};
  return eyoti_choose(m, NULL, &q, NULL).algorithm;
}

/* The tree takes 1.2 times as long there, or the parts, in the simulator. */
static void a_broadcast_goes_in_parts_from_where_they_are_faster(void **state) {
  (void)state;
  assert_int_equal(chosen(&XC40, EYOTI_CHOSEN_BROADCAST, 2048, 72, 24), EYOTI_PARTS);
  assert_int_equal(chosen(&XC40, EYOTI_CHOSEN_BROADCAST, 2048, 168, 24), EYOTI_PARTS);
  assert_int_equal(chosen(&CAB, EYOTI_CHOSEN_BROADCAST, 2048, 320, 16), EYOTI_PARTS);
  assert_int_equal(chosen(&CAB, EYOTI_CHOSEN_BROADCAST, 5000, 320, 16), EYOTI_PARTS);
  assert_int_equal(chosen(&CAB, EYOTI_CHOSEN_BROADCAST, 5000, 96, 16), EYOTI_PARTS);
  assert_int_equal(chosen(&XC40, EYOTI_CHOSEN_BROADCAST, 520, 72, 24), EYOTI_BINOMIAL);
  assert_int_equal(chosen(&CAB, EYOTI_CHOSEN_BROADCAST, 1024, 96, 16), EYOTI_BINOMIAL);
}

/* One member on the second node has no others to give to: two nodes work beside each other. */
static void a_node_of_one_unit_takes_no_time_of_its_own(void **state) {
  (void)state;
  static const struct {
    enum eyoti_chosen function;
    uint32_t bytes, seen_ns;
  } TWO[] = {{EYOTI_CHOSEN_BROADCAST, 8, 927},
             {EYOTI_CHOSEN_ALLREDUCE, 8, 1244},
             {EYOTI_CHOSEN_ALLREDUCE, 512, 1776}};
  for (size_t i = 0; i < sizeof TWO / sizeof TWO[0]; i++) {
    struct eyoti_question q = {
        TWO[i].function, TWO[i].bytes, 25, 24, true, 0, false, 0, EYOTI_TAKES_NOT, 0, 0, 0, false};
    uint64_t ns = eyoti_predict_ps(&XC40, &q, EYOTI_MULTI, 2) / 1000;
    assert_in_range(ns, TWO[i].seen_ns * 0.85, TWO[i].seen_ns * 1.15);
    assert_int_equal(chosen(&XC40, TWO[i].function, TWO[i].bytes, 25, 24), EYOTI_MULTI);
  }
}

/* All units of a node copy into one memory, also those of its other memories. */
static void what_all_copy_to_one_unit_waits_for_its_memory(void **state) {
  (void)state;
  struct eyoti_question q = {EYOTI_CHOSEN_REDUCE, 512, 72, 32, true, 0, false, 0,
                             EYOTI_TAKES_NOT,     0,   0,  0,  false};
  uint64_t ns = eyoti_predict_ps(&XE6, &q, EYOTI_MULTI, 3) / 1000;
  assert_in_range(ns, 3709 * 4 / 5, 3709); /* seen, with a barrier in one call of five */
  assert_int_equal(chosen(&XE6, EYOTI_CHOSEN_REDUCE, 512, 72, 32), EYOTI_BINOMIAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longest_way_is_that_of_a_member),
      cmocka_unit_test(nodes_of_odd_units_are_predicted_within_a_third),
      cmocka_unit_test(trees_are_predicted_from_short_vectors_to_long_ones),
      cmocka_unit_test(a_longer_vector_takes_little_longer),
      cmocka_unit_test(a_broadcast_goes_in_parts_from_where_they_are_faster),
      cmocka_unit_test(a_node_of_one_unit_takes_no_time_of_its_own),
      cmocka_unit_test(what_all_copy_to_one_unit_waits_for_its_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
