/* SPDX-License-Identifier: BSD-3-Clause */
/* net_traffic.c - other jobs' traffic (--traffic): what it adds to a message on an idle link, how
 * much of a full link it takes, and which texts are accepted. */

#include "unit/sim/net_test.h"

#define MIB (1ull << 20)
#define FLOWS_MAX 16u
/* two nodes, a router each, one link of 5.25 GB/s in each direction */
#define PAIR "dragonfly:groups=1,chassis=1,blades=2,nodes=1,cores=1,numa=1"
/* eight nodes to eight of another group, over four channels of 4.7 GB/s */
#define HALVES \
  "dragonfly:groups=2,chassis=1,blades=8,nodes=1,cores=1,numa=1,links=4,bw_green=100,bw_black=100"

static struct sim_net *open_with(const char *platform, uint32_t n, bool shared,
                                 const char *traffic) {
  struct sim_net_opts opts = {.platform = platform,
                              .n_units = n,
                              .units_per_node = 1,
                              .shared = shared,
                              .traffic = traffic};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  sim_net_begin(net, 7);
  return net;
}

/* Mean time of puts at drawn times, in ps. */
static double mean_put_ps(struct sim_net *net, uint64_t bytes) {
  enum { PUTS = 40000 };
  uint64_t at_ps = 0, x = 3, sum = 0;
  for (uint32_t i = 0; i < PUTS; i++) {
    struct sim_timing t;
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    at_ps += 20000000 + (x >> 33) % 20000000;
    sim_net_reserve(net, SIM_MSG_PUT, 0, 1, bytes, at_ps, &t);
    sum += t.target_at - at_ps;
  }
  return (double)sum / PUTS;
}

static double added_ps(bool shared, const char *traffic, uint64_t bytes) {
  struct sim_net *idle = open_with(PAIR, 2, shared, NULL),
                 *busy = open_with(PAIR, 2, shared, traffic);
  double ps = mean_put_ps(busy, bytes) - mean_put_ps(idle, bytes);
  sim_net_close(busy);
  sim_net_close(idle);
  return ps;
}

/* With probability 0.4 the link is busy with a message of 8 KiB. A short message waits for a packet
 * of 64 bytes of it; where messages are booked whole, for the rest of it, half on average. */
static void a_short_message_waits_for_a_packet(void **state) {
  (void)state;
  const double packet_ps = 64 * 1000 / 5.25, message_ps = 8192 * 1000 / 5.25;
  net_near("a packet", added_ps(true, "green=40", 8),
           0.4 * packet_ps * (1 - packet_ps / 2 / message_ps), 0.05);
  net_near("the rest of a message", added_ps(false, "green=40", 8), 0.4 * message_ps / 2, 0.05);
  net_near("of smaller ones", added_ps(false, "green=40,bytes=1024", 8), 0.4 * message_ps / 8 / 2,
           0.05);
  net_near("at both NICs", added_ps(false, "nic=20", 8), 2 * 0.2 * 8192 * 100 / 2, 0.05);
}

/* Returns when the last of n flows from i to to[i] of 1 MiB has arrived, in us. */
static double flows_us(struct sim_net *net, uint32_t n, uint32_t shift) {
  uint64_t next_ps[FLOWS_MAX], done[FLOWS_MAX] = {0}, last_ps = 0;
  uint32_t left = n;
  for (uint32_t i = 0; i < n; i++) next_ps[i] = QUIET_PS;
  while (left > 0) {
    uint32_t f = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
      if (done[i] < MIB && (f == UINT32_MAX || next_ps[i] < next_ps[f])) f = i;
    struct sim_piece piece = {.kind = SIM_MSG_PUT,
                              .src = f,
                              .dst = f + shift,
                              .bytes = SIM_NET_PIECE_BYTES,
                              .first = done[f] == 0,
                              .at_ps = next_ps[f],
                              .now_ps = next_ps[f]};
    struct sim_piece_times times;
    sim_net_piece(net, &piece, &times);
    next_ps[f] = times.next_ps;
    if (times.arrive_ps - QUIET_PS > last_ps) last_ps = times.arrive_ps - QUIET_PS;
    if ((done[f] += SIM_NET_PIECE_BYTES) == MIB) left--;
  }
  return (double)last_ps / 1e6;
}

static double slower(const char *platform, uint32_t units, uint32_t flows, const char *traffic) {
  struct sim_net *idle = open_with(platform, units, true, NULL),
                 *busy = open_with(platform, units, true, traffic);
  double ratio = flows_us(busy, flows, units - flows) / flows_us(idle, flows, units - flows);
  printf("%u flows of 1 MiB with %s: %.3f times as long\n", flows, traffic, ratio);
  sim_net_close(busy);
  sim_net_close(idle);
  return ratio;
}

static void full_links_lose_the_share(void **state) {
  (void)state;
  net_near("a flow, half", slower(PAIR, 2, 1, "green=50"), 2, 0.03);
  net_near("a flow, three quarters", slower(PAIR, 2, 1, "links=75"), 4, 0.05);
  net_near("a flow, small messages", slower(PAIR, 2, 1, "green=50,bytes=512"), 2, 0.03);
  net_near("a bisection, half", slower(HALVES, 16, 8, "blue=50"), 2, 0.06);
  net_near("a bisection, a quarter", slower(HALVES, 16, 8, "blue=25"), 1 / 0.75, 0.06);
  net_near("other links", slower(HALVES, 16, 8, "black=50"), 1, 0.001);
}

static void traffic_refused(const char *platform, const char *traffic) {
  struct sim_net_opts opts = {.platform = platform, .n_units = 2, .traffic = traffic};
  struct sim_net *net = NULL;
  int rc = sim_net_open(&opts, &net);
  if (rc != EYOT_EINVAL)
    fail_msg("'%s' on %s: code %d, expected EYOT_EINVAL", traffic, platform, rc);
}

static void wrong_texts_are_refused(void **state) {
  (void)state;
  static const char *const TEXTS[] = {"green",
                                      "green=",
                                      "green=0",
                                      "green=91",
                                      "x=10",
                                      "red=10",
                                      "green=10,green=5",
                                      "links=5,blue=5",
                                      "bytes=64",
                                      "nic=5,",
                                      "nic=5,bytes=0",
                                      "nic=5,bytes=9999999",
                                      "nic=-5",
                                      "nic=5.5",
                                      "=5",
                                      ","};
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) traffic_refused("xc40", TEXTS[i]);
  traffic_refused("xe6", "green=10");
}

/* It names what is missing, with the machine's own classes, and gives an example. */
static void a_length_without_a_share_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *platform, *traffic, *words;
  } CASES[] = {{"xc40", "bytes=100",
                "traffic 'bytes=100' has no share of links or NICs; expected green, black, blue, "
                "links or nic=PERCENT (of their rate, 1 to 90) beside it, as in "
                "links=20,bytes=100"},
               {"xe6", "bytes=64", "expected x, y, z, links or nic=PERCENT"},
               {"cab", "bytes=1", "expected level_1, level_2, links or nic=PERCENT"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    struct sim_net_opts opts = {
        .platform = CASES[i].platform, .n_units = 2, .traffic = CASES[i].traffic};
    assert_int_equal(net_refuses_opts(&opts, CASES[i].words), EYOT_EINVAL);
  }
  /* the example of the message is right */
  sim_net_close(open_with("xc40", 2, true, "links=20,bytes=100"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_short_message_waits_for_a_packet),
                                     cmocka_unit_test(full_links_lose_the_share),
                                     cmocka_unit_test(wrong_texts_are_refused),
                                     cmocka_unit_test(a_length_without_a_share_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
