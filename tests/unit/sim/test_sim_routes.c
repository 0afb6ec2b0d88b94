/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_routes.c - compares every route of small Dragonflies and tori with breadth-first search
 * on the explicit graph.
 *
 * The graph is built from sim_df_link/sim_torus_link, which say what each link joins, and is itself
 * checked against the definition of the topology; the routes are then walked link by link. A
 * Dragonfly's minimal route uses at most one blue link, so the search there has two layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric_sim/machine/dragonfly.h"
#include "fabric_sim/machine/torus.h"

#define FAR UINT32_MAX
#define SALTS 3 /* routes tried for each pair */

struct graph {
  uint32_t routers, links;
  uint32_t *from, *to, *blue; /* blue: 1 for a link of which a route may have only one */
};

static void graph_free(struct graph *g) {
  free(g->from);
  free(g->to);
  free(g->blue);
}

static void graph_alloc(struct graph *g, uint32_t routers, uint32_t links) {
  *g = (struct graph){routers, links, calloc(links + 1, 4), calloc(links + 1, 4),
                      calloc(links + 1, 4)};
  assert_true(g->from != NULL && g->to != NULL && g->blue != NULL);
}

/* dist[layer * routers + r]: hops from src to r with `layer` blue links. Bellman-Ford by rounds: no
 * optimization shared with the code under test. */
static void search(const struct graph *g, uint32_t src, uint32_t *dist) {
  for (uint32_t i = 0; i < 2 * g->routers; i++) dist[i] = FAR;
  dist[src] = 0;
  for (uint32_t hops = 0, changed = 1; changed != 0; hops++) {
    changed = 0;
    for (uint32_t i = 0; i < g->links; i++)
      for (uint32_t layer = 0; layer + g->blue[i] < 2; layer++) {
        uint32_t *next = &dist[(layer + g->blue[i]) * g->routers + g->to[i]];
        if (dist[layer * g->routers + g->from[i]] != hops || *next != FAR) continue;
        *next = hops + 1;
        changed = 1;
      }
  }
}

static uint32_t shortest(const struct graph *g, const uint32_t *dist, uint32_t dst) {
  uint32_t a = dist[dst], b = dist[g->routers + dst];
  return a < b ? a : b;
}

/* Walks a route: each link starts where the one before ended. */
static void walk(const struct graph *g, uint32_t src, uint32_t dst, const uint32_t *links,
                 uint32_t n) {
  uint32_t here = src, blues = 0;
  for (uint32_t i = 0; i < n; i++) {
    assert_true(links[i] < g->links);
    assert_int_equal(g->from[links[i]], here);
    here = g->to[links[i]];
    blues += g->blue[links[i]];
  }
  assert_int_equal(here, dst);
  assert_true(blues <= 1);
}

/* -- Dragonfly --------------------------------------------------------------------------------- */

/* Each link joins routers as its color says, no link exists twice, and each two groups have `blue`
 * channels each way on routers that share them evenly. */
static void check_dragonfly_graph(const struct sim_df *df, const struct graph *g) {
  uint32_t r = df->routers, *pairs = calloc((size_t)df->groups * df->groups + 1, 4),
           *ports = calloc((size_t)g->routers + 1, 4);
  assert_true(pairs != NULL && ports != NULL);
  for (uint32_t i = 0; i < g->links; i++) {
    uint32_t a, b;
    enum sim_df_color color;
    sim_df_link(df, i, &a, &b, &color);
    assert_true(a != b && a < g->routers && b < g->routers);
    if (color == SIM_DF_BLUE) {
      assert_int_not_equal(a / r, b / r);
      pairs[a / r * df->groups + b / r]++;
      ports[a]++;
    } else {
      assert_int_equal(a / r, b / r);
      assert_int_equal(a / df->blades == b / df->blades, color == SIM_DF_GREEN);
      assert_int_equal(a % df->blades == b % df->blades, color == SIM_DF_BLACK);
      for (uint32_t k = 0; k < i; k++) assert_false(g->from[k] == a && g->to[k] == b);
    }
  }
  for (uint32_t a = 0; a < df->groups; a++)
    for (uint32_t b = 0; b < df->groups; b++)
      assert_int_equal(pairs[a * df->groups + b], a == b ? 0 : df->blue);
  uint32_t fair = ((df->groups - 1) * df->blue + r - 1) / r;
  for (uint32_t i = 0; i < g->routers; i++) assert_true(ports[i] <= fair);
  free(ports);
  free(pairs);
}

static void check_dragonfly(uint32_t groups, uint32_t chassis, uint32_t blades, uint32_t blue) {
  struct sim_df df;
  struct graph g;
  assert_int_equal(sim_df_init(&df, groups, chassis, blades, blue), 0);
  graph_alloc(&g, groups * chassis * blades, df.links);
  assert_int_equal(df.links,
                   groups * (chassis * blades * (chassis + blades - 2) + (groups - 1) * blue));
  for (uint32_t i = 0; i < df.links; i++) {
    enum sim_df_color color;
    sim_df_link(&df, i, &g.from[i], &g.to[i], &color);
    g.blue[i] = color == SIM_DF_BLUE;
  }
  check_dragonfly_graph(&df, &g);
  uint32_t *dist = calloc(2 * (size_t)g.routers, 4);
  assert_non_null(dist);
  for (uint32_t src = 0; src < g.routers; src++) {
    search(&g, src, dist);
    for (uint32_t dst = 0; dst < g.routers; dst++)
      for (uint64_t salt = 0; salt < SALTS; salt++) {
        uint32_t links[SIM_DF_HOPS_MAX],
            n = sim_df_route(&df, src, dst, (salt + src) * 0x9e3779b97f4a7c15ull, links);
        walk(&g, src, dst, links, n);
        if (n != shortest(&g, dist, dst))
          fail_msg("%u x %u x %u, %u blue: route %u -> %u has %u hops, shortest %u", groups,
                   chassis, blades, blue, src, dst, n, shortest(&g, dist, dst));
      }
  }
  free(dist);
  graph_free(&g);
  sim_df_fini(&df);
}

static void dragonfly_routes_are_shortest(void **state) {
  (void)state;
  static const uint32_t SHAPES[][4] = {
      {1, 1, 1, 1},  {1, 6, 16, 1},  {2, 1, 1, 1},  {3, 1, 4, 1},   {3, 4, 1, 2},  {2, 2, 3, 6},
      {4, 2, 3, 4},  {5, 3, 2, 1},   {9, 2, 2, 1},  {9, 2, 2, 3},   {7, 1, 2, 2},  {12, 1, 3, 2},
      {3, 3, 5, 11}, {2, 6, 16, 96}, {4, 6, 16, 1}, {3, 5, 14, 70}, {17, 2, 4, 5}, {6, 3, 3, 9}};
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++)
    check_dragonfly(SHAPES[i][0], SHAPES[i][1], SHAPES[i][2], SHAPES[i][3]);
}

/* Where several blue channels make shortest routes, the salt spreads pairs over all of them. */
static void dragonfly_salt_spreads_over_all_channels(void **state) {
  (void)state;
  struct sim_df df;
  assert_int_equal(sim_df_init(&df, 2, 1, 4, 4), 0);
  uint32_t used[64] = {0}, links[SIM_DF_HOPS_MAX], kinds = 0;
  assert_true(df.links <= 64);
  for (uint64_t i = 0; i < 200; i++) {
    uint32_t n = sim_df_route(&df, 0, 5, i * 0x9e3779b97f4a7c15ull, links);
    assert_int_equal(n, 2);
    for (uint32_t h = 0; h < n; h++) used[links[h]]++;
  }
  for (uint32_t i = 0; i < 64; i++) kinds += used[i] > 40;
  assert_int_equal(kinds, 4); /* blue then green, or green then blue: two ways of two links */
  sim_df_fini(&df);
}

/* Within a group a two-hop route turns at either corner. */
static void dragonfly_salt_turns_both_ways(void **state) {
  (void)state;
  struct sim_df df;
  assert_int_equal(sim_df_init(&df, 1, 2, 2, 1), 0);
  uint32_t green_first = 0, links[SIM_DF_HOPS_MAX], from, to;
  for (uint64_t i = 0; i < 100; i++) {
    enum sim_df_color color;
    assert_int_equal(sim_df_route(&df, 0, 3, i * 0x9e3779b97f4a7c15ull, links), 2);
    sim_df_link(&df, links[0], &from, &to, &color);
    green_first += color == SIM_DF_GREEN;
  }
  assert_in_range(green_first, 30, 70);
  sim_df_fini(&df);
}

/* The way back has the same hops of each color, so that an acknowledgement may be priced by the
 * way there. */
static void dragonfly_way_back_is_alike(void **state) {
  (void)state;
  struct sim_df df;
  assert_int_equal(sim_df_init(&df, 5, 3, 4, 2), 0);
  uint32_t routers = df.groups * df.routers;
  for (uint32_t a = 0; a < routers; a++)
    for (uint32_t b = 0; b < routers; b++) {
      uint64_t salt = (uint64_t)(a + b) * 0xbf58476d1ce4e5b9ull;
      uint32_t there[SIM_DF_HOPS_MAX], back[SIM_DF_HOPS_MAX], colors[3] = {0}, from, to;
      uint32_t n = sim_df_route(&df, a, b, salt, there);
      assert_int_equal(sim_df_route(&df, b, a, salt, back), n);
      enum sim_df_color color;
      for (uint32_t i = 0; i < n; i++) {
        sim_df_link(&df, there[i], &from, &to, &color);
        colors[color]++;
        sim_df_link(&df, back[i], &from, &to, &color);
        colors[color]--;
      }
      for (uint32_t i = 0; i < 3; i++) assert_int_equal(colors[i], 0);
    }
  sim_df_fini(&df);
}

/* -- torus ------------------------------------------------------------------------------------- */

static void check_torus(uint32_t x, uint32_t y, uint32_t z) {
  struct sim_torus t;
  struct graph g;
  sim_torus_init(&t, (const uint32_t[]){x, y, z});
  graph_alloc(&g, x * y * z, t.links);
  for (uint32_t i = 0; i < t.links; i++) {
    uint32_t dim, stride = 1;
    sim_torus_link(&t, i, &g.from[i], &g.to[i], &dim);
    /* one step in its own dimension, none in the others */
    for (uint32_t d = 0; d < SIM_TORUS_DIMS; d++) {
      uint32_t a = g.from[i] / stride % t.size[d], b = g.to[i] / stride % t.size[d],
               size = t.size[d];
      if (d == dim)
        assert_true((a + 1) % size == b || (b + 1) % size == a);
      else
        assert_int_equal(a, b);
      stride *= size;
    }
  }
  uint32_t *dist = calloc(2 * (size_t)g.routers, 4);
  assert_non_null(dist);
  for (uint32_t src = 0; src < g.routers; src++) {
    search(&g, src, dist);
    for (uint32_t dst = 0; dst < g.routers; dst++) {
      uint32_t links[SIM_TORUS_HOPS_MAX], n = sim_torus_route(&t, src, dst, links), last = 0;
      walk(&g, src, dst, links, n);
      assert_int_equal(n, shortest(&g, dist, dst));
      for (uint32_t i = 0; i < n; i++) { /* x before y before z */
        uint32_t from, to, dim;
        sim_torus_link(&t, links[i], &from, &to, &dim);
        assert_true(dim >= last);
        last = dim;
      }
    }
  }
  free(dist);
  graph_free(&g);
}

static void torus_routes_are_shortest(void **state) {
  (void)state;
  check_torus(1, 1, 1);
  check_torus(2, 1, 1);
  check_torus(5, 4, 3);
  check_torus(2, 2, 2);
  check_torus(1, 7, 2);
  check_torus(6, 5, 5);
}

static void torus_grows_near_cubic(void **state) {
  (void)state;
  static const uint32_t LEAST[] = {1, 1, 1}, MOST[] = {40, 40, 40};
  for (uint32_t routers = 1; routers <= 2000; routers++) {
    struct sim_torus t;
    uint32_t size[SIM_TORUS_DIMS];
    sim_torus_box(routers, LEAST, MOST, size);
    sim_torus_init(&t, size);
    assert_true(t.routers >= routers && t.routers == t.size[0] * t.size[1] * t.size[2]);
    assert_true(t.size[0] * t.size[1] * (t.size[2] - 1) < routers); /* no layer too many */
    assert_true(t.size[0] - t.size[2] <= 2);
  }
}

/* Boxes lie between their bounds, up to the last router that these can hold, and the routers of a
 * box are all different and inside of it. */
static void boxes_lie_within_the_torus(void **state) {
  (void)state;
  static const uint32_t MOST[][3] = {{5, 4, 3}, {2, 9, 1}, {1, 1, 7}, {3, 3, 3}, {8, 1, 4}};
  for (size_t m = 0; m < sizeof MOST / sizeof *MOST; m++)
    for (uint32_t least_x = 1; least_x <= MOST[m][0]; least_x++)
      for (uint32_t routers = 1; routers <= MOST[m][0] * MOST[m][1] * MOST[m][2]; routers++) {
        struct sim_torus t;
        uint32_t least[] = {least_x, 1, 1}, box[3], seen = 0;
        bool used[64] = {false};
        sim_torus_init(&t, MOST[m]);
        sim_torus_box(routers, least, MOST[m], box);
        for (uint32_t d = 0; d < 3; d++) assert_in_range(box[d], least[d], MOST[m][d]);
        for (uint32_t i = 0; i < routers; i++) {
          uint32_t r = sim_torus_in_box(&t, box, i);
          assert_true(r < t.routers && !used[r] && r % t.size[0] < box[0] &&
                      r / t.size[0] % t.size[1] < box[1]);
          used[r] = true;
          seen++;
        }
        assert_int_equal(seen, routers);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dragonfly_routes_are_shortest),
      cmocka_unit_test(dragonfly_salt_spreads_over_all_channels),
      cmocka_unit_test(dragonfly_salt_turns_both_ways),
      cmocka_unit_test(dragonfly_way_back_is_alike),
      cmocka_unit_test(torus_routes_are_shortest),
      cmocka_unit_test(torus_grows_near_cubic),
      cmocka_unit_test(boxes_lie_within_the_torus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
