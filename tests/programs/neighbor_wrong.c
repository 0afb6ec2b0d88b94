/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_wrong.c - wrong uses of neighbourhood collectives: each gets its error, on the members
 * that should get one, and afterwards the graph works. With EYOT_ERRORS=return.
 * neighbor_wrong leak: releases nothing. */
#include <string.h>

#include "programs/api_check.h"

static uint64_t mine[128], got[128];
static uint32_t me, n;
static eyot_tunit_t next, before;

static void expect(const char *what, int rc, int want) {
  if (rc == want) return;
  fprintf(stderr, "neighbor_wrong: unit %u: %s: %s, expected %s\n", me, what, eyot_strerror(rc),
          eyot_strerror(want));
  eyot_abort(1, "another error than expected");
}

static int ring(eyot_team_t team, eyot_graph_t *g) {
  return eyot_graph_create(team, &before, 1, &next, 1, g);
}
static void works(eyot_graph_t g) {
  mine[0] = me + 1;
  got[0] = 0;
  expect("a call", eyot_neighbor_allgather(g, mine, got, 8), EYOT_OK);
  CHECK(got[0] == before.id + 1);
}

/* Graphs that some member describes wrongly: all members get the error, and nothing is left. */
static void creation(void) {
  eyot_graph_t g = EYOT_GRAPH_NULL, old;
  eyot_tunit_t outside = {n}, two[2] = {next, next};
  bool other = me == 1;
  uint32_t dims[2] = {n, 1}, wrong_dims[2] = {n + 1, 1};
  const bool periodic[2] = {true, false};
  expect("destinations NULL",
         eyot_graph_create(EYOT_TEAM_ALL, &before, 1, other ? NULL : &next, 1, &g), EYOT_EINVAL);
  expect("a neighbour outside of the team",
         eyot_graph_create(EYOT_TEAM_ALL, other ? &outside : &before, 1, &next, 1, &g), EYOT_EUNIT);
  expect("no place for the graph",
         eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &next, 1, other ? NULL : &g), EYOT_EINVAL);
  expect("an edge that one end does not name",
         eyot_graph_create(EYOT_TEAM_ALL, &before, other ? 0 : 1, &next, 1, &g), EYOT_EMISMATCH);
  expect("an edge that one end names once more",
         eyot_graph_create(EYOT_TEAM_ALL, &before, 1, two, other ? 2 : 1, &g), EYOT_EMISMATCH);
  expect("no source of that name",
         eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &next, other ? 0 : 1, &g), EYOT_EMISMATCH);
  CHECK(g.at.seg == 0);
  expect("a grid of another size",
         eyot_cart_create(EYOT_TEAM_ALL, 2, other ? wrong_dims : dims, periodic, &g), EYOT_EINVAL);
  expect("no dimensions", eyot_cart_create(EYOT_TEAM_ALL, 0, dims, periodic, &g), EYOT_EINVAL);
  expect("too many dimensions",
         eyot_cart_create(EYOT_TEAM_ALL, EYOT_CART_DIMS_MAX + 1, dims, periodic, &g), EYOT_EINVAL);
  uint32_t turned[2] = {1, n};
  expect("grids that differ",
         eyot_cart_create(EYOT_TEAM_ALL, 2, other ? turned : dims, periodic, &g), EYOT_EMISMATCH);
  expect("a graph and a grid",
         other ? ring(EYOT_TEAM_ALL, &g) : eyot_cart_create(EYOT_TEAM_ALL, 2, dims, periodic, &g),
         EYOT_EMISMATCH);
  expect("a ring", ring(EYOT_TEAM_ALL, &g), EYOT_OK);
  works(g);
  old = g;
  expect("the end", eyot_graph_destroy(&g), EYOT_OK);
  expect("the end, again", eyot_graph_destroy(&g), EYOT_ESEG);
  expect("the end of NULL", eyot_graph_destroy(NULL), EYOT_EINVAL);
  expect("a graph that was destroyed", eyot_neighbor_allgather(old, mine, got, 8), EYOT_ESEG);
}

static void queries(eyot_graph_t g) {
  uint32_t a, b, dims[2] = {n, 1}, at[2];
  int64_t coords[2] = {0, 1};
  const bool periodic[2] = {true, false};
  eyot_tunit_t m, k;
  eyot_graph_t grid;
  expect("degrees of NULL", eyot_graph_degrees(g, NULL, &b), EYOT_EINVAL);
  expect("neighbours without a place", eyot_graph_neighbors(g, NULL, &m), EYOT_EINVAL);
  expect("coordinates of what is no grid", eyot_cart_coords(g, next, at), EYOT_EINVAL);
  expect("a grid", eyot_cart_create(EYOT_TEAM_ALL, 2, dims, periodic, &grid), EYOT_OK);
  expect("degrees", eyot_graph_degrees(grid, &a, &b), EYOT_OK);
  CHECK(a == 4 && b == 4);
  expect("coordinates of no member", eyot_cart_coords(grid, (eyot_tunit_t){n}, at), EYOT_EUNIT);
  expect("beyond a border", eyot_cart_rank(grid, coords, &m), EYOT_ERANGE);
  coords[0] = -1, coords[1] = 0;
  expect("around", eyot_cart_rank(grid, coords, &m), EYOT_OK);
  CHECK(m.id == n - 1);
  expect("no such dimension", eyot_cart_shift(grid, 2, 1, &m, &k), EYOT_ERANGE);
  expect("no place", eyot_cart_shift(grid, 0, 1, NULL, &k), EYOT_EINVAL);
  expect("across a border", eyot_cart_shift(grid, 1, 1, &m, &k), EYOT_OK);
  CHECK(m.id == EYOT_TUNIT_NONE.id && k.id == EYOT_TUNIT_NONE.id);
  expect("far around", eyot_cart_shift(grid, 0, 2 * (int64_t)n + 1, &m, &k), EYOT_OK);
  CHECK(m.id == before.id && k.id == next.id);
  expect("the end", eyot_graph_destroy(&grid), EYOT_OK);
}

static void dimensions(void) {
  static const struct {
    uint32_t units, ndims, in[4], out[4];
    int want;
  } CASES[] = {{24, 3, {0}, {4, 3, 2}, EYOT_OK},
               {4096, 3, {0}, {16, 16, 16}, EYOT_OK},
               {7, 2, {0}, {7, 1}, EYOT_OK},
               {1, 2, {0}, {1, 1}, EYOT_OK},
               {36, 3, {0}, {4, 3, 3}, EYOT_OK},
               {24, 3, {0, 6, 0}, {2, 6, 2}, EYOT_OK},
               {24, 3, {0, 5, 0}, {0}, EYOT_EINVAL},
               {24, 2, {4, 3}, {0}, EYOT_EINVAL},
               {24, 2, {4, 6}, {4, 6}, EYOT_OK},
               {16777216, 4, {0}, {64, 64, 64, 64}, EYOT_OK},
               {0, 2, {0}, {0}, EYOT_EINVAL},
               {720720, 3, {0}, {91, 90, 88}, EYOT_OK},
               {4294967291u, 2, {0}, {4294967291u, 1}, EYOT_OK}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    uint32_t d[4];
    for (int k = 0; k < 4; k++) d[k] = CASES[i].in[k];
    expect("dimensions", eyot_cart_dims(CASES[i].units, CASES[i].ndims, d), CASES[i].want);
    for (uint32_t k = 0; CASES[i].want == EYOT_OK && k < CASES[i].ndims; k++)
      CHECK(d[k] == CASES[i].out[k]);
  }
  expect("dimensions of NULL", eyot_cart_dims(4, 2, NULL), EYOT_EINVAL);
}

/* The error of the member itself, of the one that receives from it, and of the others. */
static void by_role(const char *what, int rc, int own, int receiver) {
  expect(what, rc, me == 1 % n ? own : before.id == 1 % n ? receiver : EYOT_OK);
}

static void arguments(eyot_graph_t g) {
  bool other = me == 1 % n;
  uint64_t sizes[1] = {8}, huge[1] = {UINT64_MAX}, at[1] = {0};
  eyot_coll_t op;
  by_role("send NULL", eyot_neighbor_allgather(g, other ? NULL : mine, got, 8), EYOT_EINVAL,
          EYOT_EMISMATCH);
  works(g);
  by_role("recv NULL", eyot_neighbor_alltoall(g, mine, other ? NULL : got, 8), EYOT_EINVAL,
          EYOT_EMISMATCH);
  by_role("overlap", eyot_neighbor_alltoall(g, mine, other ? mine : got, 8), EYOT_EINVAL,
          EYOT_EMISMATCH);
  by_role("too long", eyot_neighbor_alltoall(g, mine, got, other ? UINT64_MAX : 8), EYOT_EINVAL,
          EYOT_EMISMATCH);
  by_role("no sizes", eyot_neighbor_alltoallv(g, mine, sizes, NULL, got, other ? NULL : sizes, at),
          EYOT_EINVAL, EYOT_EMISMATCH);
  by_role("sizes too long",
          eyot_neighbor_alltoallv(g, mine, other ? huge : sizes, at, got, sizes, NULL), EYOT_EINVAL,
          EYOT_EMISMATCH);
  int rc = eyot_neighbor_allgather_nb(g, mine, got, 8, other ? NULL : &op);
  expect("no handle", rc, other ? EYOT_EINVAL : EYOT_OK);
  if (!other) by_role("the others", eyot_coll_wait(&op), EYOT_OK, EYOT_EMISMATCH);
  works(g);
  if (n == 1) return;
  /* calls that differ: member 1 finds it in what it receives, too */
  by_role("other bytes", eyot_neighbor_allgather(g, mine, got, other ? 16 : 8), EYOT_EMISMATCH,
          EYOT_EMISMATCH);
  by_role(
      "another function",
      other ? eyot_neighbor_alltoall(g, mine, got, 8) : eyot_neighbor_allgather(g, mine, got, 8),
      EYOT_EMISMATCH, EYOT_EMISMATCH);
  works(g);
}

/* The same with blocks that may land in `got` without slots (neighbor_run.c), on one side or both;
 * each sender comes back, and the next call works. */
static void long_arguments(eyot_graph_t g) {
  enum { LONG = 20000, LONGER = 30000 };
  static const uint64_t BYTES[][2] = {{8, LONG}, {LONG, 8}, {LONG, LONGER}, {LONGER, LONG}};
  static char out[LONGER], in[LONGER];
  bool other = me == 1 % n;
  if (n == 1) return;
  for (size_t i = 0; i < sizeof BYTES / sizeof BYTES[0]; i++) {
    by_role("other long bytes", eyot_neighbor_allgather(g, out, in, BYTES[i][other]),
            EYOT_EMISMATCH, EYOT_EMISMATCH);
    works(g);
  }
  by_role("long, send NULL", eyot_neighbor_allgather(g, other ? NULL : out, in, LONG), EYOT_EINVAL,
          EYOT_EMISMATCH);
  by_role(
      "another long function",
      other ? eyot_neighbor_alltoall(g, out, in, LONG) : eyot_neighbor_allgather(g, out, in, LONG),
      EYOT_EMISMATCH, EYOT_EMISMATCH);
  memset(out, (int)me + 1, LONG);
  expect("long blocks", eyot_neighbor_allgather(g, out, in, LONG), EYOT_OK);
  CHECK(in[0] == (char)(before.id + 1) && in[LONG - 1] == (char)(before.id + 1));
  works(g);
}

static void handles(eyot_graph_t g) {
  enum { MOST = 64 };
  eyot_coll_t op[MOST], more, old;
  static uint64_t to[MOST];
  bool done = false;
  eyot_graph_t same = g;
  expect("plan", eyot_neighbor_allgather_plan(g, mine, got, 8, &op[0]), EYOT_OK);
  expect("a plan without a buffer", eyot_neighbor_allgather_plan(g, NULL, got, 8, &more),
         EYOT_EINVAL);
  expect("a plan without a handle", eyot_neighbor_allgather_plan(g, mine, got, 8, NULL),
         EYOT_EINVAL);
  expect("wait for a plan that was not started", eyot_coll_wait(&op[0]), EYOT_ESTATE);
  expect("a graph with a plan", eyot_graph_destroy(&same), EYOT_EBUSY);
  expect("start", eyot_coll_start(op[0]), EYOT_OK);
  expect("second start", eyot_coll_start(op[0]), EYOT_ESTATE);
  expect("free of a started plan", eyot_coll_free(&op[0]), EYOT_ESTATE);
  while (!done) expect("test", eyot_coll_test(&op[0], &done), EYOT_OK);
  old = op[0];
  expect("free", eyot_coll_free(&op[0]), EYOT_OK);
  expect("start of a freed plan", eyot_coll_start(old), EYOT_EINVAL);
  for (int i = 0; i < MOST; i++)
    expect("one of many", eyot_neighbor_allgather_nb(g, mine, &to[i], 8, &op[i]), EYOT_OK);
  expect("one too many", eyot_neighbor_allgather_nb(g, mine, got, 8, &more), EYOT_EBUSY);
  expect("start of what is no plan", eyot_coll_start(op[3]), EYOT_ESTATE);
  expect("a graph with calls", eyot_graph_destroy(&same), EYOT_EBUSY);
  expect("wait for all", eyot_coll_wait_all(op, MOST), EYOT_OK);
  works(g);
}

static void teams(void) {
  eyot_team_t team;
  eyot_graph_t g;
  expect("split", eyot_team_split(EYOT_TEAM_ALL, 0, &team), EYOT_OK);
  expect("a ring", ring(team, &g), EYOT_OK);
  works(g);
  expect("a team with a graph", eyot_team_destroy(&team), EYOT_EBUSY);
  expect("the graph", eyot_graph_destroy(&g), EYOT_OK);
  expect("the team", eyot_team_destroy(&team), EYOT_OK);
}

/* Nothing is released: eyot_finalize names it. */
static int leak(void) {
  eyot_graph_t g;
  eyot_coll_t plan;
  expect("a ring", ring(EYOT_TEAM_ALL, &g), EYOT_OK);
  expect("plan", eyot_neighbor_allgather_plan(g, mine, got, 8, &plan), EYOT_OK);
  return finish();
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  eyot_graph_t g;
  me = eyot_me().id;
  n = eyot_size();
  next.id = (me + 1) % n;
  before.id = (me + n - 1) % n;
  if (argc > 1) return leak();
  if (n > 1) creation();
  dimensions();
  expect("a ring", ring(EYOT_TEAM_ALL, &g), EYOT_OK);
  queries(g);
  arguments(g);
  long_arguments(g);
  handles(g);
  expect("the end", eyot_graph_destroy(&g), EYOT_OK);
  teams();
  (void)eyot_errors_clear();
  return finish();
}
