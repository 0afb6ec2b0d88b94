/* SPDX-License-Identifier: BSD-3-Clause */
/* test_choose.c - the rules of EYOT_COLL, right and wrong, and the choice by model and rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "coll/choose.h"
#include "coll/predict.h"

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
                                      .router_nodes = 4,
                                      .row_routers = 16,
                                      .link_kib_ps = 195047};

static void rules_are_read(void **state) {
  (void)state;
  struct eyoti_rules r;
  assert_int_equal(eyoti_rules_parse("", &r), EYOT_OK);
  assert_int_equal(r.n, 0);
  assert_int_equal(
      eyoti_rules_parse("allreduce:0-4k:multi(k=53)#broadcast:1m-:binomial#allreduce:5-5:doubling",
                        &r),
      EYOT_OK);
  assert_int_equal(r.n, 3);
  assert_int_equal(r.rule[0].function, EYOTI_CHOSEN_ALLREDUCE);
  assert_int_equal(r.rule[0].algorithm, EYOTI_MULTI);
  assert_int_equal(r.rule[0].radix, 53);
  assert_true(r.rule[0].from == 0 && r.rule[0].to == 4096);
  assert_true(r.rule[1].from == 1048576 && r.rule[1].to == UINT64_MAX);
  assert_int_equal(r.rule[2].radix, 0);
}

static void wrong_rules_are_refused(void **state) {
  (void)state;
  static const char *const WRONG[] = {"allreduce",
                                      "allreduce:0-8",
                                      "gather:0-8:doubling",
                                      "barrier:0-8:binomial",
                                      "gatherv:0-8:linear",
                                      "collect:8-:pairs",
                                      "scan:0-:binomial",
                                      "allreduce:8:binomial",
                                      "allreduce:8-4:binomial",
                                      "allreduce:0-99999999999999999999m:binomial",
                                      "allreduce:-8:binomial",
                                      "allreduce:0-8:ring",
                                      "broadcast:0-8:doubling",
                                      "allreduce:0-99999999999999999999:doubling",
                                      "allreduce:0-8:multi(k=1)",
                                      "allreduce:0-8:multi(k=1025)",
                                      "allreduce:0-8:multi(k=4",
                                      "allreduce:0-8:binomial(k=4)",
                                      "allreduce:0-8:multi x",
                                      "allreduce:0-8:multi#",
                                      "#allreduce:0-8:multi",
                                      "a_function_whose_name_is_longer_than_any:0-8:multi"};
  struct eyoti_rules r = {.n = 77};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
    assert_int_equal(eyoti_rules_parse(WRONG[i], &r), EYOT_EINVAL);
  assert_int_equal(r.n, 77); /* written on success only */
}

static void the_cheapest_is_taken_unless_a_rule_applies(void **state) {
  (void)state;
  struct eyoti_rules r;
  enum eyoti_reason why;
  struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE, 8, 65536, 24, true, 0, false, 0,
                             EYOTI_TAKES_NOT,        0, 0,     0,  false};
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT], c = eyoti_choose(&XC40, NULL, &q, &why);
  assert_int_equal(why, EYOTI_BY_MODEL);
  assert_int_equal(c.algorithm, EYOTI_MULTI);
  assert_int_equal(c.radix, 53); /* two rounds over 2,731 nodes */
  assert_int_equal(eyoti_choose_all(&XC40, &q, all), 3);
  for (uint32_t i = 0; i < 3; i++) assert_true(all[i].cost_ps >= c.cost_ps);
  q.any_order = false; /* lists of partial results: three rounds need smaller boards */
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, &why).radix, 14);
  q.any_order = true;
  assert_int_equal(eyoti_rules_parse("allreduce:9-:multi#allreduce:0-8:doubling", &r), EYOT_OK);
  c = eyoti_choose(&XC40, &r, &q, &why);
  assert_true(why == EYOTI_BY_RULE && c.algorithm == EYOTI_DOUBLING);
  assert_int_equal(eyoti_rules_parse("allreduce:0-8:multi(k=14)", &r), EYOT_OK);
  assert_int_equal(eyoti_choose(&XC40, &r, &q, &why).radix, 14);
  assert_int_equal(eyoti_rules_parse("allreduce:0-8:binomial#allreduce:0-:doubling", &r), EYOT_OK);
  assert_int_equal(eyoti_choose(&XC40, &r, &q, &why).algorithm, EYOTI_BINOMIAL);
  assert_int_equal(eyoti_rules_parse("allreduce:0-8:multi(k=14)", &r), EYOT_OK);
  /* A rule that asks for what the team cannot have is passed over. */
  q.per_node = 0;
  c = eyoti_choose(&XC40, &r, &q, &why);
  assert_true(why == EYOTI_BY_MODEL && c.algorithm != EYOTI_MULTI);
  assert_int_equal(eyoti_rules_unmet(&r, &q), 0);
  q.bytes = 9; /* the rule is not for such */
  assert_int_equal(eyoti_rules_unmet(&r, &q), -1);
  assert_int_equal(eyoti_rules_parse("broadcast:0-:multi#allreduce:0-9:multi", &r), EYOT_OK);
  assert_int_equal(eyoti_rules_unmet(&r, &q), 1);
  assert_int_equal(eyoti_rules_parse("allreduce:0-:multi#allreduce:0-9:doubling", &r), EYOT_OK);
  assert_int_equal(eyoti_rules_unmet(&r, &q), -1);
  q = (struct eyoti_question){EYOTI_CHOSEN_BROADCAST, 1048576, 1024, 24, false, 0, false, 0,
                              EYOTI_TAKES_NOT,        0,       0,    0,  false};
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PARTS);
  q.size = 42 * 24 + 2; /* the last node has no three members */
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_BINOMIAL);
}

/* Where the fabric sends to private memory, long messages do so unless a rule says otherwise; not
 * short ones, nor parts of a vector that would be short, nor large teams. */
static void direct_messages_are_for_long_ones(void **state) {
  (void)state;
  struct eyoti_rules r;
  struct eyoti_question q = {EYOTI_CHOSEN_ALLTOALL, 16384, 64, 2, false, 8193, false, 0,
                             EYOTI_TAKES_NOT,       0,     0,  0, false};
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  q.bytes = 8192;
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  q.bytes = 16384;
  q.direct_from = 0;
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  q.direct_from = 8193;
  q.size = 1025;
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  q.size = 64;
  q.function = EYOTI_CHOSEN_ALLREDUCE;
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  q.bytes = 65536;
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DIRECT);
  assert_int_equal(eyoti_rules_parse("allreduce:0-:doubling", &r), EYOT_OK);
  assert_int_equal(eyoti_choose(&XC40, &r, &q, NULL).algorithm, EYOTI_DOUBLING);
}

/* From where on a message is direct: later where units share processors, but not of a broadcast. */
static void direct_messages_begin_later_on_shared_processors(void **state) {
  (void)state;
  assert_int_equal(eyoti_direct_least(false, false), 8193);
  assert_int_equal(eyoti_direct_least(true, false), 8193);
  assert_int_equal(eyoti_direct_least(false, true), 16385);
  assert_int_equal(eyoti_direct_least(true, true), 8193);
}

/* The prediction of an algorithm that the question allows. */
static uint64_t cost_ps(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
  uint32_t n = eyoti_choose_all(&XC40, q, all), i = 0;
  while (i < n && all[i].algorithm != algorithm) i++;
  assert_true(i < n);
  return all[i].cost_ps;
}
/* The turns of shared processors in it. */
static uint64_t turns_of(struct eyoti_question q, enum eyoti_algorithm algorithm) {
  uint64_t alone_ps = cost_ps(&q, algorithm);
  q.shared = true;
  return (cost_ps(&q, algorithm) - alone_ps) / 1500000u;
}

/* The algorithm that waits for fewer messages is taken where units share processors: the tree of a
 * node's units costs more turns there than it saves in messages between nodes. */
static void waiting_costs_turns_of_shared_processors(void **state) {
  (void)state;
  struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE, 8, 16, 4, true, 0, false, 0,
                             EYOTI_TAKES_NOT,        0, 0,  0, false};
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_MULTI);
  q.shared = true;
  struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
  assert_int_equal(c.algorithm, EYOTI_DOUBLING);
  assert_true(c.cost_ps > 4 * 1500000u && c.cost_ps < 7 * 1500000u); /* four waits */
  q = (struct eyoti_question){EYOTI_CHOSEN_ALLGATHER, 8, 96, 24, false, 0, false, 0,
                              EYOTI_TAKES_NOT,        0, 0,  0,  false};
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_NODEAGG);
  q.shared = true;
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_BRUCK);
  q = (struct eyoti_question){EYOTI_CHOSEN_ALLTOALL, 8, 16, 4, false, 0, false, 0,
                              EYOTI_TAKES_NOT,       0, 0,  0, false};
  assert_int_equal(turns_of(q, EYOTI_LINEAR), 1); /* all have posted when their turn ends */
  q = (struct eyoti_question){EYOTI_CHOSEN_ALLREDUCE, 8, 8, 8, true, 0, false, 0,
                              EYOTI_TAKES_NOT,        0, 0, 0, false};
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_DOUBLING);
  q.shared = true;
  assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_LINEAR);
  q = (struct eyoti_question){EYOTI_CHOSEN_ALLREDUCE, 8192, 16, 4, false, 0, false, 0,
                              EYOTI_TAKES_NOT,        0,    0,  0, false};
  assert_int_equal(turns_of(q, EYOTI_PARTS), 2 * (3 + 3)); /* of the node, and other nodes */
}

/* Of nodes with one unit a list has that unit's block, and each of the radix slots of its round has
 * room for it. */
static void large_boards_are_not_taken(void **state) {
  (void)state;
  struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE, 512, 20000, 1, true, 0, false, 0,
                             EYOTI_TAKES_NOT,        0,   0,     0, false};
  struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
  assert_int_equal(c.algorithm, EYOTI_MULTI);
  assert_int_equal(c.radix, 8); /* 12 need more than the 512 MiB of a team */
}

/* A root that sends to all is slower than a tree while messages, not bytes, are the price. */
static void short_blocks_go_along_a_tree(void **state) {
  (void)state;
  struct eyoti_rules r;
  for (unsigned f = 0; f < 2; f++) {
    bool gathers = f == 0;
    enum eyoti_algorithm itself = gathers ? EYOTI_GET : EYOTI_LINEAR;
    struct eyoti_question q = {gathers ? EYOTI_CHOSEN_GATHER : EYOTI_CHOSEN_SCATTER,
                               8,
                               1024,
                               24,
                               true,
                               0,
                               false,
                               0,
                               EYOTI_TAKES_NOT,
                               0,
                               0,
                               0,
                               false};
    struct eyoti_choice all[EYOTI_ALGORITHM_COUNT];
    assert_int_equal(eyoti_choose_all(&XC40, &q, all), 2);
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_BINOMIAL);
    q.bytes = 65536;
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, itself);
    q.direct_from = 8193;
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PAIRS);
    assert_int_equal(eyoti_rules_parse(gathers ? "gather:0-:binomial" : "scatter:0-:binomial", &r),
                     EYOT_OK);
    assert_int_equal(eyoti_choose(&XC40, &r, &q, NULL).algorithm, EYOTI_BINOMIAL);
  }
}

static uint64_t predicted_ns(enum eyoti_chosen function, enum eyoti_algorithm algorithm,
                             uint64_t bytes, uint32_t size) {
  struct eyoti_question q = {function, bytes,           size, 24, true, 0,    false,
                             0,        EYOTI_TAKES_NOT, 0,    0,  0,    false};
  return cost_ps(&q, algorithm) / 1000;
}
static void assert_about(uint64_t ns, uint64_t seen_ns) {
  assert_in_range(ns, seen_ns * 3 / 4, seen_ns * 4 / 3);
}

/* What the simulator takes for trees over nodes that end within subtrees, teams off powers of two,
 * and calls of several rounds. */
static void trees_are_predicted_where_nodes_end(void **state) {
  (void)state;
  static const struct {
    enum eyoti_chosen function;
    uint64_t bytes, seen_ns;
    uint32_t size;
  } TREES[] = {{EYOTI_CHOSEN_GATHER, 8, 1251, 25},      {EYOTI_CHOSEN_GATHER, 5000, 16917, 48},
               {EYOTI_CHOSEN_GATHER, 16384, 18526, 24}, {EYOTI_CHOSEN_GATHER, 5000, 742319, 1024},
               {EYOTI_CHOSEN_SCATTER, 8, 1558, 32},     {EYOTI_CHOSEN_SCATTER, 5000, 17223, 48},
               {EYOTI_CHOSEN_SCATTER, 16384, 34290, 24}};
  for (size_t i = 0; i < sizeof TREES / sizeof TREES[0]; i++)
    assert_about(predicted_ns(TREES[i].function, EYOTI_BINOMIAL, TREES[i].bytes, TREES[i].size),
                 TREES[i].seen_ns);
}

/* Links between routers are narrower than the NICs of the nodes that share them; and each node has
 * a memory, also one that shares the team with a node of one member. */
static void exchanges_are_predicted_with_links_and_memory(void **state) {
  (void)state;
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLTOALL, EYOTI_LINEAR, 1024, 240), 1898279);
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLTOALL, EYOTI_NODEAGG, 256, 240), 490299);
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLGATHERV, EYOTI_LINEAR, 1024, 240), 1898273);
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLGATHER, EYOTI_BRUCK, 1024, 240), 2537141);
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLGATHER, EYOTI_NODEAGG, 256, 240), 38000);
  assert_about(predicted_ns(EYOTI_CHOSEN_ALLTOALL, EYOTI_LINEAR, 1024, 25), 11236);
}

/* Long vectors go in parts where a node has several units and all nodes have as many: then all of
 * them copy. Short ones do not. */
static void long_vectors_go_in_parts(void **state) {
  (void)state;
  static const struct {
    enum eyoti_chosen function;
    uint64_t bytes, seen_ns;
    uint32_t size;
  } LONG[] = {{EYOTI_CHOSEN_BROADCAST, 1048576, 444603, 24},
              {EYOTI_CHOSEN_BROADCAST, 1048576, 506676, 96},
              {EYOTI_CHOSEN_BROADCAST, 16384, 4801, 8},
              {EYOTI_CHOSEN_ALLREDUCE, 1048576, 913890, 24},
              {EYOTI_CHOSEN_ALLREDUCE, 16384, 13856, 12},
              {EYOTI_CHOSEN_ALLREDUCE, 4096, 7739, 96},
              {EYOTI_CHOSEN_ALLREDUCE, 1048576, 908800, 96},
              {EYOTI_CHOSEN_REDUCE, 16384, 11400, 96},
              {EYOTI_CHOSEN_REDUCE, 1048576, 494600, 96},
              {EYOTI_CHOSEN_ALLREDUCE, 1048576, 1152600, 240},
              {EYOTI_CHOSEN_REDUCE, 1048576, 592500, 240}};
  for (size_t i = 0; i < sizeof LONG / sizeof LONG[0]; i++) {
    struct eyoti_question q = {LONG[i].function,
                               LONG[i].bytes,
                               LONG[i].size,
                               24,
                               true,
                               0,
                               false,
                               0,
                               EYOTI_TAKES_NOT,
                               0,
                               0,
                               0,
                               false};
    struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
    assert_int_equal(c.algorithm, EYOTI_PARTS);
    assert_about(c.cost_ps / 1000, LONG[i].seen_ns);
    q.bytes = 64;
    assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PARTS);
    q.bytes = LONG[i].bytes;
    q.per_node = 0;
    assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PARTS);
  }
  struct eyoti_question uneven = {EYOTI_CHOSEN_BROADCAST, 65536, 25, 24, true, 0, false, 0,
                                  EYOTI_TAKES_NOT,        0,     0,  0,  false};
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &uneven, NULL).algorithm, EYOTI_PARTS);
  uneven = (struct eyoti_question){EYOTI_CHOSEN_ALLREDUCE, 65536, 59, 24, true, 0, false, 0,
                                   EYOTI_TAKES_NOT,        0,     0,  0,  false};
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &uneven, NULL).algorithm, EYOTI_PARTS);
  /* The tree of one node takes as long, and more nodes are too many messages of a unit. */
  uneven = (struct eyoti_question){EYOTI_CHOSEN_REDUCE, 65536, 24, 24, true, 0, false, 0,
                                   EYOTI_TAKES_NOT,     0,     0,  0,  false};
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &uneven, NULL).algorithm, EYOTI_PARTS);
  uneven = (struct eyoti_question){EYOTI_CHOSEN_ALLREDUCE, 65536, 1560, 24, true, 0, false, 0,
                                   EYOTI_TAKES_NOT,        0,     0,    0,  false};
  assert_int_not_equal(eyoti_choose(&XC40, NULL, &uneven, NULL).algorithm, EYOTI_PARTS);
}

/* Over several routers nodes of a router reduce first, where that is known of the team. */
static void routers_reduce_first(void **state) {
  (void)state;
  static const struct {
    enum eyoti_chosen function;
    uint64_t seen_ns;
  } LONG[] = {{EYOTI_CHOSEN_ALLREDUCE, 995879}, {EYOTI_CHOSEN_REDUCE, 568063}};
  for (size_t i = 0; i < sizeof LONG / sizeof LONG[0]; i++) {
    struct eyoti_question q = {LONG[i].function, 1048576, 240, 24, true, 0, false, 0x111,
                               EYOTI_TAKES_NOT,  0,       0,   0,  false};
    struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
    assert_int_equal(c.algorithm, EYOTI_ROUTERS);
    assert_about(c.cost_ps / 1000, LONG[i].seen_ns);
    q.bytes = 64;
    assert_int_not_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_ROUTERS);
    q.bytes = 1048576;
    q.routers = 0;
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PARTS);
  }
}

/* Where members may exchange lengths pair by pair, they do, whatever the lengths are; a rule asks
 * for another way for all lengths or for none. */
static void unknown_lengths_are_told_by_pairs(void **state) {
  (void)state;
  static const enum eyoti_chosen UNKNOWN[] = {EYOTI_CHOSEN_GATHERV, EYOTI_CHOSEN_SCATTERV,
                                              EYOTI_CHOSEN_COLLECT, EYOTI_CHOSEN_ALLTOALLV,
                                              EYOTI_CHOSEN_ALLTOALLW};
  for (size_t i = 0; i < sizeof UNKNOWN / sizeof UNKNOWN[0]; i++) {
    struct eyoti_rules r;
    enum eyoti_reason why;
    char text[64];
    struct eyoti_question q = {UNKNOWN[i],      0, 64, 2, false, 1, false, 0,
                               EYOTI_TAKES_NOT, 0, 0,  0, false};
    assert_false(eyoti_chosen_knows_lengths(UNKNOWN[i]));
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_PAIRS);
    snprintf(text, sizeof text, "%s:0-:linear", eyoti_chosen_name(UNKNOWN[i]));
    assert_int_equal(eyoti_rules_parse(text, &r), EYOT_OK);
    assert_int_equal(eyoti_choose(&XC40, &r, &q, &why).algorithm, EYOTI_LINEAR);
    assert_int_equal(why, EYOTI_BY_RULE);
    snprintf(text, sizeof text, "%s:0-8k:linear", eyoti_chosen_name(UNKNOWN[i]));
    assert_int_equal(eyoti_rules_parse(text, &r), EYOT_EINVAL);
    q.direct_from = 0; /* EYOT_CHECK, and fabrics without such messages */
    assert_int_equal(eyoti_choose(&XC40, NULL, &q, NULL).algorithm, EYOTI_LINEAR);
  }
}

/* Each function has one of its own algorithms, with a time that grows with the bytes. */
static void every_function_has_an_algorithm(void **state) {
  (void)state;
  for (unsigned f = 0; f < EYOTI_CHOSEN_COUNT; f++) {
    enum eyoti_chosen found, function = (enum eyoti_chosen)f;
    assert_true(eyoti_chosen_find(eyoti_chosen_name(function), &found) && found == function);
    for (uint32_t size = 2; size <= 1500; size += size < 60 ? 1 : 97)
      for (unsigned how = 0; how < 8; how++) {
        struct eyoti_question q = {
            function, 8, size, how & 1 ? 24 : 0, false, 0, (how & 2) != 0, 0, EYOTI_TAKES_NOT, 0,
            0,        0, false};
        q.direct_from = how & 4 ? 8193 : 0;
        struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
        assert_true(eyoti_chosen_has(function, c.algorithm));
        q.bytes = 40000;
        struct eyoti_choice more = eyoti_choose(&XC40, NULL, &q, NULL);
        assert_true(c.cost_ps > 0 && more.cost_ps > c.cost_ps && more.cost_ps < UINT64_MAX / 2);
      }
  }
}

static void every_size_has_an_algorithm(void **state) {
  (void)state;
  for (uint32_t size = 2; size <= 3000; size++)
    for (uint32_t per_node = 0; per_node <= 24; per_node += 6) {
      struct eyoti_question q = {
          EYOTI_CHOSEN_ALLREDUCE, 64, size, per_node, size % 2 == 0, 0, size % 3 == 0, 0,
          EYOTI_TAKES_NOT,        0,  0,    0,        false};
      struct eyoti_choice c = eyoti_choose(&XC40, NULL, &q, NULL);
      assert_true(c.cost_ps > 0 && c.cost_ps < UINT64_MAX);
      assert_true((c.algorithm == EYOTI_MULTI) == (c.radix > 0));
    }
}

/* Every unit asks at its start. A search of all radices takes 10^13 steps here. */
static void the_radix_of_millions_of_nodes_is_found_by_halves(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 1000; i++) {
    struct eyoti_question q = {EYOTI_CHOSEN_ALLREDUCE,
                               0,
                               4000000000u - 65536 * i,
                               2,
                               true,
                               0,
                               false,
                               0,
                               EYOTI_TAKES_NOT,
                               0,
                               0,
                               0,
                               false};
    uint64_t nodes = q.size / 2, reach = 1, below = 1;
    uint32_t radix = 0, rounds = 0;
    assert_true(eyoti_predict_barrier_nodes_ps(&XC40, &q, &radix) < UINT64_MAX);
    for (; reach < nodes; reach *= radix) rounds++;
    for (uint32_t k = 0; k < rounds; k++) below *= radix - 1;
    assert_true(radix >= 2 && below < nodes); /* no smaller radix has so few rounds */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_are_read),
      cmocka_unit_test(wrong_rules_are_refused),
      cmocka_unit_test(the_cheapest_is_taken_unless_a_rule_applies),
      cmocka_unit_test(direct_messages_are_for_long_ones),
      cmocka_unit_test(direct_messages_begin_later_on_shared_processors),
      cmocka_unit_test(waiting_costs_turns_of_shared_processors),
      cmocka_unit_test(large_boards_are_not_taken),
      cmocka_unit_test(short_blocks_go_along_a_tree),
      cmocka_unit_test(trees_are_predicted_where_nodes_end),
      cmocka_unit_test(exchanges_are_predicted_with_links_and_memory),
      cmocka_unit_test(long_vectors_go_in_parts),
      cmocka_unit_test(routers_reduce_first),
      cmocka_unit_test(unknown_lengths_are_told_by_pairs),
      cmocka_unit_test(every_function_has_an_algorithm),
      cmocka_unit_test(every_size_has_an_algorithm),
      cmocka_unit_test(the_radix_of_millions_of_nodes_is_found_by_halves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
