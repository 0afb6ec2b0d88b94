/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_tree.c - compares every route of small fat trees with breadth-first search on the
 * explicit graph, and checks what D-mod-k promises: shifts of all nodes share no link.
 *
 * The graph is built from sim_tree_link, which says what each link joins, and is itself checked
 * against the definition of the topology. net_fattree.c compares the same routes with SimGrid's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric_sim/machine/fattree.h"

#define FAR UINT32_MAX

struct shape {
  uint32_t levels, children[3], parents[3], cables[3];
};

static const struct shape SHAPES[] = {
    {1, {1}, {1}, {1}},
    {1, {7}, {1}, {1}},
    {1, {5}, {3}, {2}},
    {2, {2, 2}, {1, 2}, {1, 1}},
    {2, {4, 4}, {1, 2}, {1, 2}},
    {2, {3, 5}, {2, 3}, {1, 1}},
    {2, {5, 3}, {1, 4}, {3, 2}},
    {2, {18, 3}, {1, 18}, {1, 1}},
    {3, {2, 2, 2}, {1, 2, 2}, {1, 1, 1}},
    {3, {3, 2, 4}, {1, 3, 2}, {1, 1, 1}},
    {3, {4, 3, 2}, {2, 1, 3}, {1, 2, 3}},
    {3, {2, 4, 3}, {1, 2, 5}, {2, 3, 1}},
};
#define N_SHAPES (sizeof SHAPES / sizeof *SHAPES)

static void open_tree(struct sim_tree *t, const struct shape *s) {
  sim_tree_init(t, s->levels, s->children, s->parents, s->cables);
  assert_int_equal(sim_tree_nodes(s->levels, s->children), t->nodes);
  assert_int_equal(sim_tree_links(s->levels, s->children, s->parents, s->cables), t->links);
}

/* Vertices of all levels, numbered one after the other. */
static uint32_t vertex(const struct sim_tree *t, uint32_t level, uint32_t number) {
  uint32_t before = 0;
  for (uint32_t i = 0; i < level; i++) before += t->above[i] * (t->nodes / t->below[i]);
  return before + number;
}

static void ends(const struct sim_tree *t, uint32_t link, uint32_t *from, uint32_t *to) {
  struct sim_tree_link l;
  sim_tree_link(t, link, &l);
  uint32_t lower = vertex(t, l.level, l.lower), upper = vertex(t, l.level + 1, l.upper);
  *from = l.down != 0 ? upper : lower;
  *to = l.down != 0 ? lower : upper;
}

/* Each vertex of a level has parents * cables cables up, children * cables down, to as many
 * different vertices; a cable is a link in each direction. */
static void graph_is_that_of_the_definition(void **state) {
  (void)state;
  for (size_t n = 0; n < N_SHAPES; n++) {
    struct sim_tree t;
    open_tree(&t, &SHAPES[n]);
    uint32_t vertices = vertex(&t, t.levels + 1, 0);
    uint32_t *ups = calloc(vertices, 4), *downs = calloc(vertices, 4),
             *cables = calloc((size_t)vertices * vertices, 4);
    assert_true(ups != NULL && downs != NULL && cables != NULL);
    for (uint32_t i = 0; i < t.links; i++) {
      uint32_t from, to, back_from, back_to;
      struct sim_tree_link l;
      sim_tree_link(&t, i, &l);
      assert_int_equal(sim_tree_link_level(&t, i), l.level);
      assert_true(l.parent < t.parents[l.level] && l.cable < t.cables[l.level]);
      ends(&t, i, &from, &to);
      ends(&t, i ^ 1u, &back_from, &back_to);
      assert_true(from == back_to && to == back_from && from != to);
      if (l.down == 0) ups[from]++, downs[to]++, cables[from * vertices + to]++;
    }
    for (uint32_t level = 0; level <= t.levels; level++)
      for (uint32_t v = vertex(&t, level, 0); v < vertex(&t, level + 1, 0); v++) {
        assert_int_equal(ups[v], level < t.levels ? t.parents[level] * t.cables[level] : 0);
        assert_int_equal(downs[v], level > 0 ? t.children[level - 1] * t.cables[level - 1] : 0);
        for (uint32_t w = 0; w < vertices; w++)
          assert_true(cables[v * vertices + w] == 0 || cables[v * vertices + w] == t.cables[level]);
      }
    free(cables);
    free(downs);
    free(ups);
  }
}

/* Hops from a vertex to all others. */
static void search(const struct sim_tree *t, uint32_t src, uint32_t *dist, uint32_t vertices) {
  for (uint32_t i = 0; i < vertices; i++) dist[i] = FAR;
  dist[src] = 0;
  for (uint32_t hops = 0, changed = 1; changed != 0; hops++) {
    changed = 0;
    for (uint32_t i = 0; i < t->links; i++) {
      uint32_t from, to;
      ends(t, i, &from, &to);
      if (dist[from] != hops || dist[to] != FAR) continue;
      dist[to] = hops + 1;
      changed = 1;
    }
  }
}

static void routes_are_shortest_and_climb_once(void **state) {
  (void)state;
  for (size_t n = 0; n < N_SHAPES; n++) {
    struct sim_tree t;
    open_tree(&t, &SHAPES[n]);
    uint32_t vertices = vertex(&t, t.levels + 1, 0), *dist = calloc(vertices, 4);
    assert_non_null(dist);
    for (uint32_t src = 0; src < t.nodes; src++) {
      search(&t, src, dist, vertices);
      for (uint32_t dst = 0; dst < t.nodes; dst++) {
        uint32_t links[SIM_TREE_HOPS_MAX], hops = sim_tree_route(&t, src, dst, links), at = src;
        assert_int_equal(hops, dist[dst]);
        assert_int_equal(hops, 2 * sim_tree_top(&t, src, dst));
        for (uint32_t i = 0; i < hops; i++) {
          uint32_t from, to;
          struct sim_tree_link l;
          sim_tree_link(&t, links[i], &l);
          ends(&t, links[i], &from, &to);
          assert_int_equal(from, at);
          assert_int_equal(l.down, i >= hops / 2);
          at = to;
        }
        assert_int_equal(at, dst);
      }
    }
    free(dist);
  }
}

/* Where each level has as many parents as children, and one cable to each, all nodes that send at a
 * distance share no link: the theorem of the source. Also of cab, whose tree it is. */
static void shifts_share_no_link(void **state) {
  (void)state;
  static const struct shape FULL[] = {{2, {4, 6}, {1, 4}, {1, 1}},
                                      {3, {2, 2, 2}, {1, 2, 2}, {1, 1, 1}},
                                      {3, {3, 3, 6}, {1, 3, 3}, {1, 1, 1}},
                                      {2, {18, 72}, {1, 18}, {1, 1}}};
  for (size_t n = 0; n < sizeof FULL / sizeof *FULL; n++) {
    struct sim_tree t;
    open_tree(&t, &FULL[n]);
    uint32_t *used = calloc(t.links, 4), every = t.nodes > 100 ? 7 : 1;
    assert_non_null(used);
    for (uint32_t by = 1; by < t.nodes; by += every)
      for (uint32_t src = 0; src < t.nodes; src++) {
        uint32_t links[SIM_TREE_HOPS_MAX],
            hops = sim_tree_route(&t, src, (src + by) % t.nodes, links);
        for (uint32_t i = 0; i < hops; i++) {
          if (used[links[i]] == by) fail_msg("shape %zu: shift by %u: link twice", n, by);
          used[links[i]] = by;
        }
      }
    free(used);
  }
}

/* Numbers that do not fit are told, not wrapped. */
static void sizes_do_not_wrap(void **state) {
  (void)state;
  static const uint32_t MOST[] = {4096, 4096, 4096}, CABLES[] = {64, 64, 64}, ONE[] = {1, 1, 1};
  assert_true(sim_tree_nodes(3, MOST) > SIM_TREE_NODES_MAX);
  assert_true(sim_tree_links(3, MOST, MOST, CABLES) > UINT32_MAX);
  assert_true(sim_tree_links(3, ONE, MOST, CABLES) > UINT32_MAX);
  assert_int_equal(sim_tree_links(3, ONE, ONE, ONE), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graph_is_that_of_the_definition),
      cmocka_unit_test(routes_are_shortest_and_climb_once),
      cmocka_unit_test(shifts_share_no_link),
      cmocka_unit_test(sizes_do_not_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
