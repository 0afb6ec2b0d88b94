/* SPDX-License-Identifier: BSD-3-Clause */
/* net_route.c - routing of a Dragonfly: detours are connected for all pairs, an idle network and
 * short messages keep minimal routes, and patterns against which minimal or Valiant's routes are
 * bad. Prints when the patterns end. */

#include "fabric_sim/machine/net_tables.h"
#include "unit/sim/net_test.h"

#define MIB (1ull << 20)
#define FLOWS_MAX 512u

/* -- detours ----------------------------------------------------------------------------------- */

static void check_detours(uint32_t groups, uint32_t chassis, uint32_t blades, uint32_t blue) {
  struct sim_df df;
  assert_int_equal(sim_df_init(&df, groups, chassis, blades, blue), 0);
  uint32_t routers = groups * chassis * blades;
  for (uint32_t a = 0; a < routers; a++)
    for (uint32_t b = 0; b < routers; b++)
      for (uint64_t salt = 1; salt < 4; salt++) {
        uint32_t links[SIM_DF_DETOUR_MAX], here = a, blues = 0;
        uint32_t n = sim_df_detour(&df, a, b, salt * (a + 7) * 0x9e3779b97f4a7c15ull, links);
        bool within = a / df.routers == b / df.routers;
        assert_int_equal(n > 0, within ? a != b && df.routers > 2 : groups > 2);
        assert_true(n <= (within ? 4 : SIM_DF_DETOUR_MAX));
        for (uint32_t i = 0; i < n; i++) {
          uint32_t from, to;
          enum sim_df_color color;
          sim_df_link(&df, links[i], &from, &to, &color);
          assert_int_equal(from, here);
          blues += color == SIM_DF_BLUE;
          here = to;
        }
        if (n > 0) assert_int_equal(here, b);
        if (n > 0) assert_int_equal(blues, within ? 0 : 2);
      }
  sim_df_fini(&df);
}

static void detours_are_connected(void **state) {
  (void)state;
  check_detours(1, 1, 2, 1);
  check_detours(1, 6, 16, 1);
  check_detours(2, 2, 3, 2);
  check_detours(3, 1, 1, 1);
  check_detours(5, 3, 4, 2);
  check_detours(9, 2, 4, 3);
}

/* All third groups, and all third routers, are used about equally. */
static void detours_spread(void **state) {
  (void)state;
  struct sim_df df;
  uint32_t group[9] = {0}, router[8] = {0}, links[SIM_DF_DETOUR_MAX], from, to;
  uint64_t x = 1;
  enum sim_df_color color;
  assert_int_equal(sim_df_init(&df, 9, 2, 4, 2), 0);
  for (uint32_t i = 0; i < 7000; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t salt = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    uint32_t n = sim_df_detour(&df, 0, 8 * 3 + 1, salt ^ salt >> 32, links), k = 0;
    for (color = SIM_DF_GREEN; color != SIM_DF_BLUE && k < n; k++)
      sim_df_link(&df, links[k], &from, &to, &color);
    group[to / 8]++;
    n = sim_df_detour(&df, 0, 1, salt ^ salt >> 32, links);
    sim_df_link(&df, links[n - 1], &from, &to, &color);
    router[from]++;
  }
  for (uint32_t g = 0; g < 9; g++)
    assert_in_range(group[g], g == 0 || g == 3 ? 0 : 800, g == 0 || g == 3 ? 0 : 1200);
  /* the routers next to router 1 */
  assert_true(router[0] > 400 && router[2] > 400 && router[3] > 400 && router[5] > 400);
  sim_df_fini(&df);
}

/* -- patterns ---------------------------------------------------------------------------------- */

struct flow {
  uint32_t from, to;
  uint64_t done, next_ps;
};
static struct flow flows[FLOWS_MAX];
static uint32_t n_flows;
static uint64_t bytes = MIB; /* of a flow */

static void flow_add(uint32_t from, uint32_t to) {
  assert_true(n_flows < FLOWS_MAX);
  if (from != to) flows[n_flows++] = (struct flow){from, to, 0, QUIET_PS};
}

/* Sends the bytes of each flow, in pieces; returns when the last one ends, in us. */
static double run(const char *shape, const char *routing) {
  char platform[160];
  snprintf(platform, sizeof platform, "dragonfly:cores=1,numa=1,routing=%s%s", routing, shape);
  struct sim_net_opts opts = {.platform = platform, .n_units = FLOWS_MAX, .shared = true};
  struct sim_net *net = NULL;
  uint64_t last_ps = 0;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  sim_net_begin(net, 1);
  for (uint32_t left = n_flows; left > 0;) {
    struct flow *f = NULL;
    for (uint32_t i = 0; i < n_flows; i++)
      if (flows[i].done < bytes && (f == NULL || flows[i].next_ps < f->next_ps)) f = &flows[i];
    struct sim_piece piece = {.kind = SIM_MSG_PUT,
                              .src = f->from,
                              .dst = f->to,
                              .bytes = SIM_NET_PIECE_BYTES,
                              .first = f->done == 0,
                              .at_ps = f->next_ps,
                              .now_ps = f->next_ps};
    struct sim_piece_times times;
    sim_net_piece(net, &piece, &times);
    f->next_ps = times.next_ps;
    f->done += SIM_NET_PIECE_BYTES;
    if (times.arrive_ps > last_ps) last_ps = times.arrive_ps;
    left -= f->done == bytes;
  }
  sim_net_close(net);
  for (uint32_t i = 0; i < n_flows; i++) flows[i].done = 0, flows[i].next_ps = QUIET_PS;
  return (double)(last_ps - QUIET_PS) / 1e6;
}

struct ends {
  double minimal, valiant, adaptive;
};

static struct ends run_all(const char *name, const char *shape) {
  struct ends e = {run(shape, "minimal"), run(shape, "valiant"), run(shape, "adaptive")};
  printf("%-28s %3u flows of %4u KiB end at: minimal %7.1f us, valiant %7.1f, adaptive %7.1f\n",
         name, n_flows, (uint32_t)(bytes >> 10), e.minimal, e.valiant, e.adaptive);
  return e;
}

/* Each router's four nodes send 1 MiB to those of the next router of the chassis, by four flows
 * each (one alone is as fast as a link): one link for four NICs, which would take 105 us. */
static void shift_by_a_router_needs_detours(void **state) {
  (void)state;
  n_flows = 0;
  bytes = MIB / 4;
  for (uint32_t i = 0; i < 256; i++) flow_add(i % 64, (i + 4) % 64);
  struct ends e = run_all("shift by a router", "");
  bytes = MIB;
  assert_true(e.minimal > 780 && e.minimal < 1050);
  assert_true(e.valiant < 150 && e.adaptive < 180);
  assert_true(e.adaptive < 1.3 * e.valiant);
}

/* All nodes of a group send to the next group. */
static void shift_by_a_group_needs_detours(void **state) {
  (void)state;
  static const char SHAPE[] = ",groups=16,chassis=2,blades=4,nodes=4,ports=8";
  n_flows = 0;
  for (uint32_t i = 0; i < 512; i++) flow_add(i, (i + 32) % 512);
  struct ends e = run_all("shift by a group", SHAPE);
  assert_true(e.valiant < 0.5 * e.minimal && e.adaptive < 0.5 * e.minimal);
  assert_true(e.adaptive < 1.15 * e.valiant);
}

/* Traffic that minimal routes spread well already: detours cost, and the adaptive choice does
 * without them. */
static void benign_traffic_stays_minimal(void **state) {
  (void)state;
  uint64_t x = 5;
  n_flows = 0;
  for (uint32_t i = 0; i < 384; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    flow_add(i, (uint32_t)((x >> 33) % 384));
  }
  struct ends e = run_all("random in a group", "");
  assert_true(e.adaptive < 1.1 * e.minimal);
  n_flows = 0;
  for (uint32_t i = 0; i < 384; i += 4) flow_add(i, (i + 4 * 37) % 384);
  e = run_all("one node a router", "");
  assert_true(e.adaptive < 1.05 * e.minimal);
}

/* Without other traffic the choice is minimal, message by message and piece by piece; messages of
 * up to 64 bytes never take a detour. */
static void idle_networks_and_short_messages_stay_minimal(void **state) {
  (void)state;
  struct sim_net *a = net_open("xc40:groups=3", 27000, 0),
                 *b = net_open("xc40:groups=3,routing=adaptive", 27000, 0),
                 *c = net_open("xc40:groups=3,routing=valiant", 27000, 0);
  uint64_t t_a = 0, t_b = 0, t_c = 0, longer = 0;
  for (uint32_t i = 1; i < 300; i++) {
    uint32_t there = 24 * ((i * 37) % 1100 + 4);
    for (int kind = 0; kind < 3; kind++) {
      enum sim_msg k = (enum sim_msg)kind;
      uint64_t ps = net_blocking_ps(a, k, 0, there, 64, &t_a);
      assert_int_equal(net_blocking_ps(b, k, 0, there, 64, &t_b), ps);
      assert_int_equal(net_blocking_ps(c, k, 0, there, 64, &t_c), ps);
    }
    uint64_t ps = net_blocking_ps(a, SIM_MSG_GET, 0, there, 8192, &t_a);
    assert_int_equal(net_blocking_ps(b, SIM_MSG_GET, 0, there, 8192, &t_b), ps);
    longer += net_blocking_ps(c, SIM_MSG_GET, 0, there, 8192, &t_c) > ps;
  }
  assert_true(longer > 250);
  sim_net_close(c);
  sim_net_close(b);
  sim_net_close(a);
  n_flows = 0;
  flow_add(0, 4 * 20);
  struct ends e = run_all("one flow", "");
  assert_true(e.adaptive == e.minimal);
}

static void unknown_routing_is_refused(void **state) {
  (void)state;
  net_refuses("xc40:routing=ugal", 1, 0, EYOT_EINVAL, "expected one of: minimal valiant adaptive");
  net_refuses("xc40:routing=", 1, 0, EYOT_EINVAL, "expected one of: minimal valiant adaptive");
  net_refuses("xe6:routing=minimal", 1, 0, EYOT_EINVAL, "unknown key 'routing'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(detours_are_connected),
      cmocka_unit_test(detours_spread),
      cmocka_unit_test(shift_by_a_router_needs_detours),
      cmocka_unit_test(shift_by_a_group_needs_detours),
      cmocka_unit_test(benign_traffic_stays_minimal),
      cmocka_unit_test(idle_networks_and_short_messages_stay_minimal),
      cmocka_unit_test(unknown_routing_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
