/* SPDX-License-Identifier: BSD-3-Clause */
/* net_fattree.c - fat trees beside SimGrid's own: every route of its FatTreeZone, link by link, and
 * the times of the same operations over its platform; sizes, places and levels of trees.
 *
 * SimGrid takes one platform a process, so each shape runs in a child. */
#include <simgrid/engine.h>
#include <simgrid/link.h>
#include <simgrid/version.h>

#include "fabric_sim/machine/net_tables.h"
#include "unit/sim/net_child.h"

struct shape {
  uint32_t levels, children[3], parents[3], cables[3];
};

/* The XML text of the tree; nodes of one core, whose names have the order of their numbers. */
static void shape_xml(const struct shape *s, char *text, size_t room) {
  char list[3][64] = {"", "", ""};
  for (uint32_t i = 0; i < s->levels; i++) {
    const uint32_t value[3] = {s->children[i], s->parents[i], s->cables[i]};
    for (uint32_t k = 0; k < 3; k++)
      snprintf(list[k] + strlen(list[k]), sizeof list[k] - strlen(list[k]), "%s%u",
               i > 0 ? "," : "", value[k]);
  }
  uint32_t nodes = (uint32_t)sim_tree_nodes(s->levels, s->children);
  snprintf(text, room,
           "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM "
           "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n<cluster id=\"t\" "
           "topology=\"FAT_TREE\" topo_parameters=\"%u;%s;%s;%s\" prefix=\"n\" suffix=\"\" "
           "radical=\"10000-%u\" speed=\"1Gf\" core=\"1\" bw=\"4GBps\" lat=\"70ns\" "
           "sharing_policy=\"SPLITDUPLEX\"/>\n</platform>\n",
           s->levels, list[0], list[1], list[2], 10000 + nodes - 1);
}

/* The same as a preset with keys. */
static void shape_keys(const struct shape *s, char *text, size_t room) {
  int n = snprintf(text, room, "fattree:levels=%u,cores=1,numa=1", s->levels);
  for (uint32_t i = 0; i < s->levels; i++)
    n += snprintf(text + n, room - (size_t)n,
                  ",children_%u=%u,parents_%u=%u,cables_%u=%u,bw_%u=4,lat_%u=70", i + 1,
                  s->children[i], i + 1, s->parents[i], i + 1, s->cables[i], i + 1, i + 1);
  assert_true(n > 0 && (size_t)n < room);
}

static void in_child(void (*body)(const char *path, const void *shape), const struct shape *s) {
  char text[1024];
  shape_xml(s, text, sizeof text);
  net_in_child(text, body, s);
}

/* -- routes ------------------------------------------------------------------------------------ */

/* SimGrid numbers cables in the order in which it makes them: level by level, child by child,
 * parent by parent; a cable's name ends in its number and the direction. Returns our number of the
 * link. */
static uint32_t link_of(const struct sim_tree *t, const char *name) {
  char way[8];
  unsigned number;
  assert_int_equal(sscanf(strrchr(name, '_') + 1, "%7s", way), 1);
  const char *at = strrchr(name, '_') - 1;
  while (at[-1] != '_') at--;
  assert_int_equal(sscanf(at, "%u", &number), 1);
  uint32_t level = 0;
  while (number * 2 >= t->first[level + 1]) level++;
  number -= t->first[level] / 2;
  uint32_t ports = t->parents[level] * t->cables[level], lower = number / ports,
           parent = number % ports / t->cables[level], cable = number % t->cables[level];
  return t->first[level] + 2 * (lower * ports + parent + cable * t->parents[level]) +
         (strcmp(way, "DOWN") == 0);
}

/* Two links of one pair of switches. */
static bool same_ends(const struct sim_tree *t, uint32_t a, uint32_t b) {
  struct sim_tree_link x, y;
  sim_tree_link(t, a, &x);
  sim_tree_link(t, b, &y);
  return x.level == y.level && x.lower == y.lower && x.upper == y.upper && x.down == y.down;
}

/* Below the top SimGrid 3.32 takes up its search for the cable down where it left it a level above;
 * later versions also choose other parents there. */
static bool has_lower_cables(const struct shape *s) {
  return s->levels > 1 && (s->cables[0] > 1 || (s->levels > 2 && s->cables[1] > 1));
}

static void compare_routes(const char *path, const void *shape) {
  const struct shape *s = shape;
  struct sim_sg_file *file = NULL;
  struct sim_tree t;
  uint32_t theirs[64], ours[SIM_TREE_HOPS_MAX], n = 0, cables = 0, routes = 0;
  uint64_t lat_ps = 0;
  const struct sim_sg_ops *sg = NULL;
  assert_int_equal(sim_sg_open(&sg), 0);
  assert_int_equal(sg->load(path, &file), 0);
  sim_tree_init(&t, s->levels, s->children, s->parents, s->cables);
  assert_int_equal(sg->host_count(file), t.nodes);
  uint32_t every = t.nodes > 200 ? 31 : 1; /* of a large tree a sample */
  sg_link_t *list = sg_link_list();        /* in the order of its routes' numbers */
  for (uint32_t src = 0; src < t.nodes; src++)
    for (uint32_t dst = src % every; dst < t.nodes; dst += every) {
      if (src == dst) continue;
      assert_int_equal(sg->route(file, src, dst, theirs, 64, &n, &lat_ps), 0);
      assert_int_equal(sim_tree_route(&t, src, dst, ours), n);
      assert_int_equal(lat_ps, n * SIM_NS(70));
      for (uint32_t i = 0; i < n; i++) {
        uint32_t link = link_of(&t, sg_link_get_name(list[theirs[i]]));
        cables += link != ours[i];
        if (!same_ends(&t, link, ours[i]))
          fail_msg("route %u -> %u, hop %u: our link %u, SimGrid's %u", src, dst, i, ours[i], link);
      }
      routes++;
    }
  printf("%u levels, %u nodes: %u routes, %u links on another cable\n", t.levels, t.nodes, routes,
         cables);
  assert_true(cables == 0 || has_lower_cables(s));
  sg->unload(file);
}

static const struct shape SHAPES[] = {
    {1, {7}, {1}, {1}},
    {1, {5}, {3}, {2}},
    {2, {4, 4}, {1, 2}, {1, 1}},
    {2, {4, 4}, {1, 2}, {1, 2}},
    {2, {3, 5}, {2, 3}, {1, 1}},
    {2, {5, 3}, {1, 4}, {3, 2}},
    {2, {18, 8}, {1, 18}, {1, 1}},
    {3, {2, 2, 2}, {1, 2, 2}, {1, 1, 1}},
    {3, {4, 4, 8}, {1, 4, 4}, {1, 1, 1}},
    {3, {3, 2, 4}, {1, 3, 2}, {1, 1, 3}},
    {3, {4, 3, 2}, {2, 1, 3}, {1, 2, 3}},
    {2, {18, 72}, {1, 18}, {1, 1}}, /* cab */
};
#define N_SHAPES (sizeof SHAPES / sizeof *SHAPES)

static void routes_are_those_of_simgrid(void **state) {
  (void)state;
  for (size_t i = 0; i < N_SHAPES; i++)
    if (SIMGRID_VERSION < 33300 || !has_lower_cables(&SHAPES[i]))
      in_child(compare_routes, &SHAPES[i]);
}

/* -- times ------------------------------------------------------------------------------------- */

#define PRICES                                                                                   \
  "overhead=100,tx=300,rx=200,gap=20,ack=150,read=50,respond=60,rx_get=70,atomic=40,atomic_gap=" \
  "30,"                                                                                          \
  "router=0,bw_nic=3.2,packet=2048"

/* Random operations of all kinds and sizes, close to each other in time: they meet at NICs and
 * links. */
static void compare_times(const char *path, const void *shape) {
  const struct shape *s = shape;
  char tree[1024], file[512];
  uint64_t x = 7;
  shape_keys(s, tree, sizeof tree);
  snprintf(tree + strlen(tree), sizeof tree - strlen(tree), "," PRICES);
  snprintf(file, sizeof file, "%s:" PRICES, path);
  uint32_t nodes = (uint32_t)sim_tree_nodes(s->levels, s->children);
  struct sim_net *a = net_open(file, nodes, 0), *b = net_open(tree, nodes, 0);
  for (uint64_t i = 0; i < 20000; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t src = (uint32_t)((x >> 20) % nodes), dst = (uint32_t)((x >> 40) % nodes);
    struct sim_timing ta, tb;
    if (src == dst) continue;
    sim_net_reserve(a, (enum sim_msg)(i % 3), src, dst, 8ull << i % 12, i * 5000, &ta);
    sim_net_reserve(b, (enum sim_msg)(i % 3), src, dst, 8ull << i % 12, i * 5000, &tb);
    if (memcmp(&ta, &tb, sizeof ta) != 0)
      fail_msg("operation %lu, %u -> %u: done at %lu over SimGrid's tree, %lu over ours",
               (unsigned long)i, src, dst, (unsigned long)ta.done_at, (unsigned long)tb.done_at);
  }
  sim_net_close(b);
  sim_net_close(a);
}

static void times_are_those_over_simgrids_tree(void **state) {
  (void)state;
  in_child(compare_times, &(struct shape){2, {4, 4}, {1, 2}, {1, 2}});
  in_child(compare_times, &(struct shape){2, {18, 8}, {1, 18}, {1, 1}});
  in_child(compare_times, &(struct shape){3, {4, 4, 8}, {1, 4, 2}, {1, 1, 1}});
}

/* -- machines ---------------------------------------------------------------------------------- */

static struct sim_net *placed(const char *platform, uint32_t n, uint32_t per_node,
                              const char *nodes) {
  const struct sim_net_opts opts = {
      .platform = platform, .n_units = n, .units_per_node = per_node, .node_placement = nodes};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  return net;
}

/* Units fill cores, nodes and leaf switches in order; all nodes have the top in common. */
static void switches_stand_for_the_levels(void **state) {
  (void)state;
  static const uint32_t CAB[] = {0, 1, 8, 16, 16 * 18}, TREE[] = {0, 1, 8, 16, 16 * 18, 0, 5184};
  struct sim_net *net = placed("cab", 4096, 0, NULL);
  for (uint32_t d = 0; d < 5; d++)
    assert_int_equal(sim_net_distance(net, 0, CAB[d]), d < 4 ? d : EYOT_DOMAIN_MACHINE);
  assert_non_null(strstr(sim_net_describe(net),
                         "cab: 256 nodes of 16 cores in 2 NUMA domains, on 15 leaf switches of a "
                         "fat tree of 1296 nodes, PGFT(2; 18,72; 1,18; 1,1) (model of LLNL Cab"));
  sim_net_close(net);
  net = placed("fattree", 16 * 18 * 18 * 2, 0, NULL);
  for (uint32_t d = 0; d < 4; d++) assert_int_equal(sim_net_distance(net, 0, TREE[d]), d);
  assert_int_equal(sim_net_distance(net, 0, TREE[4]), EYOT_DOMAIN_CHASSIS);
  assert_int_equal(sim_net_distance(net, 0, TREE[6]), EYOT_DOMAIN_MACHINE);
  sim_net_close(net);
  net = placed("fattree:levels=1,children_1=40,cores=1,numa=1", 40, 0, NULL);
  assert_int_equal(sim_net_distance(net, 0, 39), EYOT_DOMAIN_BLADE);
  sim_net_close(net);
}

/* A spread job has as many nodes below each leaf switch, or one more. */
static void spread_is_by_leaf_switch(void **state) {
  (void)state;
  static const uint32_t NODES[] = {36, 72, 100, 500};
  for (size_t k = 0; k < 4; k++) {
    struct sim_net *net = placed("cab", NODES[k], 1, "spread");
    uint32_t below[72] = {0}, least = UINT32_MAX, most = 0;
    for (uint32_t node = 0; node < NODES[k]; node++) below[net->level[0][node]]++;
    for (uint32_t i = 0; i < 72; i++) {
      least = below[i] < least ? below[i] : least;
      most = below[i] > most ? below[i] : most;
    }
    assert_true(most - least <= 1);
    sim_net_close(net);
  }
}

/* The hops of a message are those of its nodes in the machine, wherever the job lies. */
static void routes_are_those_of_the_places(void **state) {
  (void)state;
  struct sim_net *net = placed("cab", 2 * 18, 1, "spread");
  struct sim_path path;
  union sim_path_buffer buffer;
  for (uint32_t a = 0; a < 36; a++)
    for (uint32_t b = 0; b < 36; b++) {
      uint32_t links[SIM_TREE_HOPS_MAX], n = sim_tree_route(&net->tree, 36 * a, 36 * b, links);
      sim_net_path(net, a, b, &buffer, &path);
      assert_int_equal(path.n, n);
      assert_memory_equal(path.links, links, n * sizeof *links);
      uint64_t lat_ps = 0;
      for (uint32_t i = 0; i < n; i++)
        lat_ps += net->plat.link[sim_net_class(net, links[i])].lat_ps;
      assert_int_equal(path.lat_ps, a == b ? path.lat_ps : lat_ps);
    }
  sim_net_close(net);
}

static void machine_keeps_its_size(void **state) {
  (void)state;
  static const char SMALL[] =
      "fattree:levels=2,children_1=4,children_2=3,parents_2=2,cores=2,numa=1";
  struct sim_net *net = placed("cab", 16 * 2000, 0, NULL);
  assert_int_equal(net->tree.children[1], 112);
  assert_int_equal(net->tree.nodes, 112 * 18);
  sim_net_close(net);
  sim_net_close(placed(SMALL, 24, 0, NULL));
  net_refuses(SMALL, 25, 0, EYOT_ERANGE, "it holds 24 (12 nodes of 2)");
  net_refuses("cab", 16u << 20, 0, EYOT_ERANGE, "fattree:children_1=...,children_2=... (");
  net_refuses("fattree:levels=1,children_1=2", 64, 0, EYOT_ERANGE, "fattree:children_1=... (");
}

/* A preset may have a figure of its own where others have another key's. */
static void preset_keeps_its_own_figures(void **state) {
  (void)state;
  struct sim_plat p;
  assert_int_equal(sim_plat_parse("cab:bw_copy=20", &p), 0);
  assert_int_equal(p.price.copy_bytes_per_s, SIM_GBPS(20));
  assert_int_equal(p.price.get_copy_bytes_per_s, SIM_GBPS(34));
  assert_int_equal(sim_plat_parse("cab:bw_copy_get=21", &p), 0);
  assert_int_equal(p.price.get_copy_bytes_per_s, SIM_GBPS(21));
  assert_int_equal(sim_plat_parse("xc40:bw_copy=20", &p), 0);
  assert_int_equal(p.price.get_copy_bytes_per_s, SIM_GBPS(20));
}

static void wrong_keys_are_refused_with_their_reason(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"cab:groups=2", "cab: unknown key 'groups'; known are levels, children_1"},
      {"cab:nodes=2", "cab: unknown key 'nodes'"},
      {"xc40:children_1=2", "xc40: unknown key 'children_1'"},
      {"cab:children_3=2", "cab: children_3 with levels=2; expected keys of levels 1 to 2"},
      {"cab:bw_3=2", "cab: bw_3 with levels=2"},
      {"fattree:lat_2=2,levels=1", "fattree: lat_2 with levels=1"},
      {"cab:levels=3", "cab: levels=3 without children_3"},
      {"cab:levels=3,children_3=2,parents_3=2", "cab: levels=3 without cables_3"},
      {"cab:levels=3,children_3=2,parents_3=2,cables_3=1", "cab: levels=3 without bw_3"},
      {"cab:levels=4", "cab: levels=4; expected a whole number from 1 to 3"},
      {"cab:levels=0", "levels=0; expected"},
      {"cab:children_1=0", "children_1=0; expected a whole number from 1 to 4096"},
      {"cab:parents_1=65", "parents_1=65; expected"},
      {"cab:cables_2=65", "cables_2=65; expected"},
      {"cab:numa=3", "numa=3 does not divide cores=16"},
      {"cab:routing=adaptive", "cab: unknown key 'routing'"},
      {"fattree:children_1=4096,children_2=4096", "too many nodes or cables"},
      {"fattree:parents_2=4096,cables_2=64", "too many nodes or cables"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    net_refuses(CASES[i][0], 1, 0, EYOT_EINVAL, CASES[i][1]);
  struct sim_net_opts opts = {.platform = "cab", .n_units = 4, .traffic = "level_3=10"};
  net_refuses_opts(&opts, "expected level_1, level_2, links or nic=PERCENT");
}

int main(int argc, char **argv) {
  const struct CMUnitTest in_children[] = {
      cmocka_unit_test(routes_are_those_of_simgrid),
      cmocka_unit_test(times_are_those_over_simgrids_tree),
  };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(switches_stand_for_the_levels),
      cmocka_unit_test(spread_is_by_leaf_switch),
      cmocka_unit_test(routes_are_those_of_the_places),
      cmocka_unit_test(machine_keeps_its_size),
      cmocka_unit_test(preset_keeps_its_own_figures),
      cmocka_unit_test(wrong_keys_are_refused_with_their_reason),
  };
  int bad = cmocka_run_group_tests(in_children, NULL, NULL);
  simgrid_init(&argc, argv);
  return bad + cmocka_run_group_tests(tests, NULL, NULL);
}
