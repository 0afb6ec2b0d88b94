/* SPDX-License-Identifier: BSD-3-Clause */
/* net_prices.c - compares the presets' virtual times on an idle machine with the published figures
 * that they are calibrated to; prints the table. */

#include "unit/sim/net_test.h"

#define SAMPLES 200000u

/* Mean of blocking 8-byte operations by distance over random pairs, half of them close to each
 * other so that no distance is missed. */
static void table(struct sim_net *net, uint32_t n, double mean_ns[EYOT_DOMAIN_COUNT][3],
                  uint32_t samples) {
  static const uint32_t SPANS[] = {2, 24, 96, 1536, 9216, UINT32_MAX};
  uint64_t clock_ps = 0, sum[EYOT_DOMAIN_COUNT][3] = {{0}}, count[EYOT_DOMAIN_COUNT] = {0}, x = 1;
  for (uint32_t i = 0; i < samples; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t a = (uint32_t)((x >> 33) % n), span = SPANS[i % 6];
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t b = span < n ? (a + (uint32_t)((x >> 33) % span)) % n : (uint32_t)((x >> 33) % n);
    eyot_domain_t d = sim_net_distance(net, a, b);
    count[d]++;
    for (int kind = 0; kind < 3; kind++)
      sum[d][kind] += net_blocking_ps(net, (enum sim_msg)kind, a, b, 8, &clock_ps);
  }
  static const char *const NAMES[] = {"unit",    "numa",  "node",   "blade",
                                      "chassis", "group", "machine"};
  printf("%s\nvirtual ns, blocking, 8 bytes:  put     get     atomic\n", sim_net_describe(net));
  for (int d = 0; d < EYOT_DOMAIN_COUNT; d++) {
    for (int kind = 0; kind < 3; kind++)
      mean_ns[d][kind] = count[d] > 0 ? (double)sum[d][kind] / (double)count[d] / 1000 : 0;
    if (count[d] > 0)
      printf("  %-24s %8.1f %8.1f %8.1f\n", NAMES[d], mean_ns[d][0], mean_ns[d][1], mean_ns[d][2]);
  }
}

/* GB/s of one large put, less the time of an 8-byte put. */
static double put_gbps(struct sim_net *net, uint32_t src, uint32_t dst, uint64_t *clock_ps) {
  uint64_t small = net_blocking_ps(net, SIM_MSG_PUT, src, dst, 8, clock_ps), bytes = 1 << 20;
  uint64_t large = net_blocking_ps(net, SIM_MSG_PUT, src, dst, bytes + 8, clock_ps);
  return (double)bytes * 1000 / (double)(large - small);
}

static void xc40_meets_published_latencies(void **state) {
  (void)state;
  double ns[EYOT_DOMAIN_COUNT][3];
  struct sim_net *net = net_open("xc40", 65536, 0);
  table(net, 65536, ns, SAMPLES);
  net_near("blade", ns[EYOT_DOMAIN_BLADE][0], 1300, 0.02);
  net_near("rank 1", ns[EYOT_DOMAIN_CHASSIS][0], 1500, 0.02);
  net_near("rank 2, mean of one and two hops", ns[EYOT_DOMAIN_GROUP][0], 1500, 0.15);
  net_near("rank 3", ns[EYOT_DOMAIN_MACHINE][0], 2200, 0.03);
  for (int d = EYOT_DOMAIN_NUMA; d < EYOT_DOMAIN_COUNT; d++)
    for (int kind = 0; kind < 3; kind++) assert_true(ns[d][kind] > ns[d - 1][kind]);
  uint64_t clock_ps = 1ull << 50;
  uint32_t chassis = 24 * 4 * 16, group = 6 * chassis;
  net_near("rank 2, same slot", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, chassis, 8, &clock_ps),
           1500e3, 0.02);
  struct sim_timing t; /* user space, end to end: posted to visible */
  clock_ps += QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 0, 24, 8, clock_ps, &t);
  net_near("8-byte put, visible",
           (double)(t.target_at - clock_ps + net_overhead_ps(net, SIM_MSG_PUT, 0, 24, 8)), 800e3,
           0.01);
  net_near("blade GB/s", put_gbps(net, 0, 24, &clock_ps), 10, 0.01);
  net_near("green GB/s", put_gbps(net, 0, 96, &clock_ps), 5.25, 0.01);
  net_near("black GB/s, the NIC's", put_gbps(net, 0, chassis, &clock_ps), 10, 0.01);
  net_near("blue GB/s", put_gbps(net, 0, group, &clock_ps), 4.7, 0.01);
  sim_net_close(net);
}

/* Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming with
 * MPI-3 one sided, SC 2013, section 3, between nodes on neighboring routers. */
static void xe6_meets_cost_models(void **state) {
  (void)state;
  double ns[EYOT_DOMAIN_COUNT][3];
  struct sim_net *net = net_open("xe6", 4 * 32 * 2 * 4, 0);
  table(net, 4 * 32 * 2 * 4, ns, 6000);
  uint64_t clock_ps = 1ull << 50;
  const uint32_t there = 2 * 32; /* the next router in x */
  assert_int_equal(sim_net_distance(net, 0, there), EYOT_DOMAIN_MACHINE);
  static const uint64_t SIZES[] = {8, 64, 512, 4096, 65536, 1 << 20};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
    double s = (double)SIZES[i];
    net_near("put ps", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, there, SIZES[i], &clock_ps),
             1e6 + 160 * s, 0.02);
    net_near("get ps", (double)net_blocking_ps(net, SIM_MSG_GET, 0, there, SIZES[i], &clock_ps),
             1.9e6 + 170 * s, 0.02);
  }
  net_near("CAS ps", (double)net_blocking_ps(net, SIM_MSG_AMO, 0, there, 8, &clock_ps), 2.4e6,
           0.02);
  net_near("inject between nodes", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, there, 8), 416e3,
           0.01);
  net_near("inject within a node", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, 31, 8), 80e3, 0.03);
  sim_net_close(net);
}

static void hop_and_rate_keys_count(void **state) {
  (void)state;
  struct sim_net *net = net_open(
      "dragonfly:groups=2,chassis=2,blades=2,nodes=1,cores=1,numa=1,links=1,lat_hop=1000,lat_blue="
      "5000,bw_green=1,bw_black=2,bw_blue=0.5,"
      "bw_nic=4",
      8, 0);
  uint64_t clock_ps = 0, blade = 1300000;
  net_near("green", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, 1, 8, &clock_ps),
           (double)blade + 2e6, 0.01);
  net_near("two hops", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, 3, 8, &clock_ps),
           (double)blade + 4e6, 0.01);
  net_near("blue", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, 4, 8, &clock_ps),
           (double)blade + 10e6, 0.01);
  net_near("longest", (double)net_blocking_ps(net, SIM_MSG_PUT, 3, 7, 8, &clock_ps),
           (double)blade + 18e6, 0.01);
  net_near("green GB/s", put_gbps(net, 0, 1, &clock_ps), 1, 0.01);
  net_near("black GB/s", put_gbps(net, 0, 2, &clock_ps), 2, 0.01);
  net_near("blue GB/s", put_gbps(net, 0, 4, &clock_ps), 0.5, 0.01);
  sim_net_close(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(xc40_meets_published_latencies),
                                     cmocka_unit_test(xe6_meets_cost_models),
                                     cmocka_unit_test(hop_and_rate_keys_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
