/* SPDX-License-Identifier: BSD-3-Clause */
/* net_place.c - placements: units on the nodes of a job, and these in the machine, on presets and
 * on a platform file. */

#include "fabric_sim/machine/net_tables.h"
#include "unit/sim/net_test.h"

#define UNITS_MAX 2048u

static struct sim_net *place(const char *platform, uint32_t n, uint32_t per_node, const char *units,
                             const char *nodes) {
  struct sim_net_opts opts = {.platform = platform,
                              .n_units = n,
                              .units_per_node = per_node,
                              .placement = units,
                              .node_placement = nodes};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  return net;
}

/* Places, distances and same_node agree with each other, no node has more units than fit, and a
 * node's units fill its NUMA domains in the order of their numbers. */
static void check_agrees(const struct sim_net *net, uint32_t most) {
  static uint32_t fill[UNITS_MAX];
  const struct sim_plat *p = &net->plat;
  memset(fill, 0, sizeof fill);
  for (uint32_t a = 0; a < net->n_units; a++) {
    eyot_place_t at_a, at_b;
    sim_net_place(net, a, &at_a);
    uint32_t node = at_a.id[EYOT_DOMAIN_NODE], core = fill[node]++;
    assert_true(node < sim_net_nodes(net) && core < most);
    assert_int_equal(at_a.id[EYOT_DOMAIN_NUMA], node * p->numa + core / (p->cores / p->numa));
    for (uint32_t b = 0; b < net->n_units; b += 7) {
      sim_net_place(net, b, &at_b);
      uint32_t level = 0;
      while (at_a.id[level] != at_b.id[level]) level++;
      assert_int_equal(sim_net_distance(net, a, b), level);
      assert_int_equal(sim_net_same_node(net, a, b), level <= EYOT_DOMAIN_NODE);
    }
  }
}

static uint32_t node_of(const struct sim_net *net, uint32_t unit) {
  eyot_place_t at;
  sim_net_place(net, unit, &at);
  return at.id[EYOT_DOMAIN_NODE];
}

static void cyclic_deals_units_in_turn(void **state) {
  (void)state;
  struct sim_net *net = place("xc40", 10, 4, "cyclic", NULL);
  assert_int_equal(sim_net_nodes(net), 3);
  for (uint32_t u = 0; u < 10; u++) assert_int_equal(node_of(net, u), u % 3);
  check_agrees(net, 4);
  assert_true(sim_net_spans(net) && sim_net_same_node(net, 0, 9));
  sim_net_close(net);
  net = place("xe6", 100, 0, "cyclic", NULL);
  check_agrees(net, 32);
  sim_net_close(net);
}

/* As many units on each node as packed, in an order that the seed gives. */
static void random_is_packed_in_another_order(void **state) {
  (void)state;
  struct sim_net *a = place("xc40", 1000, 0, "random", NULL),
                 *b = place("xc40", 1000, 0, "random:1", NULL),
                 *c = place("xc40", 1000, 0, "random:2", NULL);
  uint32_t moved = 0, differ = 0, count[42] = {0};
  for (uint32_t u = 0; u < 1000; u++) {
    assert_int_equal(node_of(a, u), node_of(b, u));
    moved += node_of(a, u) != u / 24;
    differ += node_of(a, u) != node_of(c, u);
    count[node_of(a, u)]++;
  }
  assert_true(moved > 900 && differ > 900);
  for (uint32_t i = 0; i < 42; i++) assert_int_equal(count[i], i < 41 ? 24 : 16);
  check_agrees(a, 24);
  sim_net_close(c);
  sim_net_close(b);
  sim_net_close(a);
}

/* The job's nodes are different nodes of the machine, in order. */
static void nodes_are_placed_in_the_machine(void **state) {
  (void)state;
  static const char *const WAYS[] = {"packed", "spread", "random", "random:9"};
  for (size_t i = 0; i < 4; i++) {
    struct sim_net *net = place("xc40", 24 * 60, 0, NULL, WAYS[i]);
    uint32_t groups = 0;
    for (uint32_t node = 0; node < 60; node++) {
      assert_true(net->level[0][node] < 21 * 96);
      if (node > 0) assert_true(net->level[0][node] >= net->level[0][node - 1]);
      groups += node == 0 || net->level[2][node] != net->level[2][node - 1];
      if (i == 1) assert_int_equal(net->level[0][node], node * 8064 / 60 / 4);
    }
    if (i == 0 ? groups != 1 : i == 1 ? groups != 21 : groups < 15 || groups > 21)
      fail_msg("%s: %u groups", WAYS[i], groups);
    check_agrees(net, 24);
    sim_net_close(net);
  }
  struct sim_net *net = place("xe6:x=4,y=4,z=4", 32 * 128, 0, NULL, "random");
  for (uint32_t node = 0; node < 128; node++) assert_int_equal(net->level[0][node], node / 2);
  sim_net_close(net);
}

static char path[] = "/tmp/eyot-place-XXXXXX";

static void write_file(const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static void file_names_the_node_of_each_unit(void **state) {
  (void)state;
  write_file("# four units\n\n3 900\n 0-1\t5 # near\n2 900\n");
  struct sim_net *net = place("xc40", 4, 2, path, NULL);
  static const uint32_t NODE[] = {0, 0, 1, 1};
  for (uint32_t u = 0; u < 4; u++) assert_int_equal(node_of(net, u), NODE[u]);
  assert_int_equal(sim_net_nodes(net), 2);
  assert_int_equal(net->level[0][0], 5 / 4);
  assert_int_equal(net->level[0][1], 900 / 4);
  assert_int_equal(net->level[2][1], 900 / 384);
  check_agrees(net, 2);
  sim_net_close(net);
}

static void refuses(const char *platform, const char *units, const char *nodes, const char *words) {
  struct sim_net_opts opts = {.platform = platform,
                              .n_units = 4,
                              .units_per_node = 2,
                              .placement = units,
                              .node_placement = nodes};
  net_refuses_opts(&opts, words);
}

static void wrong_placements_are_refused_with_their_line(void **state) {
  (void)state;
  static const char *const FILES[][2] = {
      {"0-3\n", "line 1 is malformed"},
      {"0-2 1\n3\n", "line 2 is malformed"},
      {"0-2 1\n3 x\n", "line 2 is malformed"},
      {"0-2 1\n3 1 1\n", "line 2 is malformed"},
      {"2-1 1\n", "line 1 is malformed"},
      {"-1 1\n", "line 1 is malformed"},
      {"0 99999999999\n", "line 1 is malformed"},
      {"0 0\n1-4 1\n", "line 2: unit 4 of 4"},
      {"0 0\n1 0\n0 1\n", "line 3: unit 0 was placed in line 1"},
      {"0 0\n1 0\n3 1\n", "has no node for unit 2"},
      {"0-1 0\n2 7\n\n3 0\n", "line 4: unit 3 is one too many on node 0"},
      {"0-1 0\n2-3 8064\n", "its nodes are 0 to 8063"},
      {"", "has no node for unit 0"},
  };
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
    write_file(FILES[i][0]);
    refuses("xc40:groups=21", path, NULL, FILES[i][1]);
  }
  refuses("xc40", "cyclik", NULL, "expected packed, cyclic, random, random:SEED or a file");
  refuses("xc40", "random:", NULL, "expected packed, cyclic, random, random:SEED or a file");
  refuses("xc40", "random:18446744073709551616", NULL, "random:SEED or a file");
  refuses("xc40", "packed", "random:18446744073709551616", "random or random:SEED");
  refuses("xc40", NULL, "rnd", "expected packed, spread, random or random:SEED");
  write_file("0-1 0\n2-3 1\n");
  refuses("xc40", path, "spread", "give one of them");
}

int main(void) {
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cyclic_deals_units_in_turn),
      cmocka_unit_test(random_is_packed_in_another_order),
      cmocka_unit_test(nodes_are_placed_in_the_machine),
      cmocka_unit_test(file_names_the_node_of_each_unit),
      cmocka_unit_test(wrong_placements_are_refused_with_their_line),
  };
  int rc = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return rc;
}
