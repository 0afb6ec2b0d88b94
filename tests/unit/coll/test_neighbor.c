/* SPDX-License-Identifier: BSD-3-Clause */
/* test_neighbor.c - graphs and neighbourhood collectives at 1 to 4 units, under many schedules and
 * with and without mapped memory; creation without memory on one member. */
#include "coll/neighbor.h"
#include "unit/api_unit.h"

static char byte(uint32_t from, uint32_t side, uint64_t i) {
  return (char)(from * 41 + side * 17 + i * 3 + 1);
}

/* A ring in both directions, and in one; each call of a length of its own. */
static void rings_body(uint32_t me, uint32_t n) {
  static const uint64_t BYTES[] = {0, 1, 8, EYOTI_SLOT_BYTES, 5 * EYOTI_SLOT_BYTES + 3, 2};
  const bool periodic = true;
  eyot_graph_t both, one;
  eyot_tunit_t before = {(me + n - 1) % n}, after = {(me + 1) % n};
  ok(eyot_cart_create(EYOT_TEAM_ALL, 1, &n, &periodic, &both));
  ok(eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &after, 1, &one));
  for (size_t k = 0; k < sizeof BYTES / sizeof BYTES[0]; k++) {
    uint64_t b = BYTES[k];
    char *send = malloc(2 * b + 1), *recv = calloc(1, 3 * b + 1);
    assert_non_null(send);
    assert_non_null(recv);
    for (uint64_t i = 0; i < 2 * b; i++) send[i] = byte(me, i >= b, i % (b + (b == 0)));
    eyot_coll_t op;
    ok(eyot_neighbor_alltoall_nb(both, send, recv, b, &op));
    ok(eyot_neighbor_allgather(one, send, recv + 2 * b, b));
    ok(eyot_coll_wait(&op));
    for (uint64_t i = 0; i < b; i++) {
      assert_int_equal(recv[i], byte(before.id, 1, i));
      assert_int_equal(recv[b + i], byte(after.id, 0, i));
      assert_int_equal(recv[2 * b + i], byte(before.id, 0, i));
    }
    free(send);
    free(recv);
  }
  ok(eyot_graph_destroy(&one));
  ok(eyot_graph_destroy(&both));
}
static void rings_carry_blocks_of_any_length(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 3, rings_body);
}

/* The first member never waits but for credits. */
static void chain_body(uint32_t me, uint32_t n) {
  enum { CALLS = 3 * EYOTI_EDGE_SLOTS };
  eyot_graph_t g;
  eyot_tunit_t before = {me - 1}, after = {me + 1};
  ok(eyot_graph_create(EYOT_TEAM_ALL, &before, me > 0, &after, me + 1 < n, &g));
  for (uint64_t i = 0; i < CALLS; i++) {
    uint64_t v = me * 1000 + i, got = 0;
    ok(eyot_neighbor_allgather(g, &v, &got, 8));
    assert_int_equal(got, me > 0 ? (me - 1) * 1000 + i : 0);
  }
  ok(eyot_graph_destroy(&g));
}
static void senders_wait_for_credits(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 4; n++) api_sweep(n, 8, chain_body);
}

/* One member has no memory: all get the error, and the next graph is made. */
static void full_body(uint32_t me, uint32_t n) {
  enum { MOST = 4096 };
  static eyot_gptr_t taken[MOST];
  uint32_t count = 0;
  eyot_tunit_t before = {(me + n - 1) % n}, after = {(me + 1) % n};
  eyot_graph_t g = EYOT_GRAPH_NULL;
  ok(eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &after, 1, &g)); /* what teams make at first */
  ok(eyot_graph_destroy(&g));
  while (me == n - 1 && count < MOST && eyot_alloc(8192, &taken[count]) == EYOT_OK) count++;
  assert_true(me != n - 1 || count < MOST);
  refuses(EYOT_ENOMEM, eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &after, 1, &g));
  assert_true(eyot_gptr_is_null(g.at));
  while (count > 0) ok(eyot_free(taken[--count]));
  ok(eyot_graph_create(EYOT_TEAM_ALL, &before, 1, &after, 1, &g));
  ok(eyot_graph_destroy(&g));
}
static void graph_without_memory_is_refused_on_all(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 3; n++) api_sweep(n, 1, full_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rings_carry_blocks_of_any_length),
      cmocka_unit_test(senders_wait_for_credits),
      cmocka_unit_test(graph_without_memory_is_refused_on_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
