/* SPDX-License-Identifier: BSD-3-Clause */
/* net_share.c - contention: flows that share a link, a NIC, memory or an atomic's target slow each
 * other down, others do not; no operation queues after a later one. */

#include "fabric_sim/machine/res.h"
#include "unit/sim/net_test.h"

#define MIB (1ull << 20)
#define US 1000000ull

/* Two nodes a router, one core a node: unit = node. Router r holds units 2r and 2r + 1; all routers
 * in one chassis. */
#define ROW "dragonfly:groups=1,chassis=1,blades=4,nodes=2,cores=1,numa=1"

static uint64_t makespan(struct sim_net *net, enum sim_msg kind, const uint32_t (*flow)[2],
                         uint32_t flows, uint64_t t_ps) {
  uint64_t last_ps = 0;
  for (uint32_t i = 0; i < flows; i++) {
    struct sim_timing t;
    sim_net_reserve(net, kind, flow[i][0], flow[i][1], MIB, t_ps, &t);
    if (t.done_at - t_ps > last_ps) last_ps = t.done_at - t_ps;
  }
  return last_ps;
}

static void flows_share_links_only(void **state) {
  (void)state;
  struct sim_net *net = net_open(ROW, 8, 0);
  static const uint32_t ALONE[][2] = {{0, 2}}, SAME_LINK[][2] = {{0, 2}, {1, 3}},
                        OTHER_LINK[][2] = {{0, 2}, {1, 4}}, OPPOSITE[][2] = {{0, 2}, {3, 1}};
  static const uint32_t SAME_TARGET[][2] = {{2, 0}, {4, 0}};
  for (uint64_t k = SIM_MSG_PUT; k <= SIM_MSG_GET; k++) {
    enum sim_msg kind = (enum sim_msg)k;
    double one = (double)makespan(net, kind, ALONE, 1, (10 * k + 1) * QUIET_PS);
    double two = (double)makespan(net, kind, SAME_LINK, 2, (10 * k + 2) * QUIET_PS);
    double apart = (double)makespan(net, kind, OTHER_LINK, 2, (10 * k + 3) * QUIET_PS);
    double against = (double)makespan(net, kind, OPPOSITE, 2, (10 * k + 4) * QUIET_PS);
    double target = (double)makespan(net, kind, SAME_TARGET, 2, (10 * k + 5) * QUIET_PS);
    printf(
        "%s of 1 MiB, virtual us: alone %.1f; two on one link %.1f, on two links %.1f, in both "
        "directions %.1f, to one NIC %.1f\n",
        kind == SIM_MSG_PUT ? "put" : "get", one / 1e6, two / 1e6, apart / 1e6, against / 1e6,
        target / 1e6);
    net_near("two on one link", two, 2 * one, 0.02);
    net_near("two on two links", apart, one, 0.001);
    net_near("two directions", against, one, 0.001);
    assert_true(target > one * 1.01); /* two links of 5.25 GB/s into a NIC of 10 */
  }
  sim_net_close(net);
}

static void flows_share_a_nic_in_each_direction(void **state) {
  (void)state;
  struct sim_net *net =
      net_open("dragonfly:blades=1,chassis=1,groups=1,nodes=4,cores=2,numa=1", 8, 0);
  static const uint32_t ALONE[][2] = {{0, 2}}, OUT[][2] = {{0, 2}, {1, 4}},
                        IN[][2] = {{2, 0}, {4, 1}}, BOTH[][2] = {{0, 2}, {3, 1}};
  double one = (double)makespan(net, SIM_MSG_PUT, ALONE, 1, QUIET_PS);
  net_near("out of one NIC", (double)makespan(net, SIM_MSG_PUT, OUT, 2, 2 * QUIET_PS), 2 * one,
           0.02);
  net_near("into one NIC", (double)makespan(net, SIM_MSG_PUT, IN, 2, 3 * QUIET_PS), 2 * one, 0.02);
  net_near("out and in", (double)makespan(net, SIM_MSG_PUT, BOTH, 2, 4 * QUIET_PS), one, 0.001);
  sim_net_close(net);
}

/* Copies between four domains and one take turns at the memory of that one. */
static void memory_is_shared_at_both_ends(void **state) {
  (void)state;
  struct sim_net *net =
      net_open("dragonfly:groups=1,chassis=1,blades=1,nodes=2,cores=8,numa=8", 8, 0);
  static const uint32_t APART[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}},
                        INTO[4][2] = {{0, 7}, {1, 7}, {2, 7}, {3, 7}},
                        FROM[4][2] = {{0, 4}, {0, 5}, {0, 6}, {0, 7}};
  double apart = (double)makespan(net, SIM_MSG_PUT, APART, 4, QUIET_PS),
         into = (double)makespan(net, SIM_MSG_PUT, INTO, 4, 2 * QUIET_PS),
         from = (double)makespan(net, SIM_MSG_PUT, FROM, 4, 3 * QUIET_PS);
  assert_true(apart > 0 && into > 1.9 * apart && from > 1.9 * apart);
  sim_net_close(net);
}

/* One copy at a time: memory costs nothing more than its latency, within a domain as between two,
 * unless it is slower than the core that copies. */
static void a_lone_copy_does_not_wait(void **state) {
  (void)state;
  static const struct {
    const char *platform;
    uint32_t to;
    double us; /* of 1 MiB, beyond the copy's 87.4 */
  } COPIES[] = {{"xc40", 1, 0.06},
                {"xc40", 12, 0.13},
                {"xc40:bw_memory=6", 1, 2 * 174.76 - 87.38 + 0.06},
                {"xc40:bw_memory=6", 12, 174.76 - 87.38 + 0.13}};
  for (size_t i = 0; i < sizeof COPIES / sizeof *COPIES; i++) {
    struct sim_net *net = net_open(COPIES[i].platform, 24, 0);
    struct sim_timing t;
    sim_net_reserve(net, SIM_MSG_GET, 0, COPIES[i].to, 1 << 20, QUIET_PS, &t);
    net_near("a lone copy", (double)(t.done_at - QUIET_PS), COPIES[i].us * 1e6, 0.001);
    sim_net_close(net);
  }
}

static void memory_is_shared_by_domain(void **state) {
  (void)state;
  struct sim_net *net = net_open("xc40", 24, 0);
  uint32_t near_flows[8][2], far_flows[8][2];
  for (uint32_t i = 0; i < 8; i++) {
    /* all in domain 0 */
    near_flows[i][0] = i, near_flows[i][1] = (i + 1) % 8;
    /* four in each domain */
    far_flows[i][0] = i / 2 + i % 2 * 12, far_flows[i][1] = far_flows[i][0] + 4;
  }
  double one = (double)makespan(net, SIM_MSG_PUT, (const uint32_t(*)[2])near_flows, 8, QUIET_PS);
  double two = (double)makespan(net, SIM_MSG_PUT, (const uint32_t(*)[2])far_flows, 8, 2 * QUIET_PS);
  assert_true(one > 1.9 * two && two > 0);
  sim_net_close(net);
}

static void atomics_take_turns_at_the_target(void **state) {
  (void)state;
  struct sim_net *net = net_open("xc40", 24 * 64, 0);
  struct sim_timing first, last;
  uint64_t gap_ps = 30000, n = 40;
  sim_net_reserve(net, SIM_MSG_AMO, 24, 0, 8, QUIET_PS, &first);
  for (uint32_t i = 1; i < n; i++)
    sim_net_reserve(net, SIM_MSG_AMO, 24 * (1 + i), 0, 8, QUIET_PS, &last);
  assert_true(last.target_at >= first.target_at + (n - 1) * gap_ps);
  sim_net_reserve(net, SIM_MSG_AMO, 24, 48, 8, 2 * QUIET_PS, &first); /* two targets: no turns */
  sim_net_reserve(net, SIM_MSG_AMO, 72, 49, 8, 2 * QUIET_PS, &last);
  assert_int_equal(last.target_at - first.target_at, gap_ps);
  sim_net_reserve(net, SIM_MSG_AMO, 1, 0, 8, 3 * QUIET_PS, &first); /* within a node: by unit */
  sim_net_reserve(net, SIM_MSG_AMO, 2, 0, 8, 3 * QUIET_PS, &last);
  assert_int_equal(last.target_at - first.target_at, 60000);
  sim_net_reserve(net, SIM_MSG_AMO, 1, 3, 8, 3 * QUIET_PS, &last);
  assert_int_equal(last.target_at, first.target_at);
  sim_net_close(net);
}

/* A get reserves its target's NIC for the response, which leaves a microsecond later; the target's
 * own puts until then must not wait for it. */
static void nobody_waits_for_the_future(void **state) {
  (void)state;
  struct sim_net *net = net_open(ROW, 8, 0);
  struct sim_timing idle, get, put;
  sim_net_reserve(net, SIM_MSG_PUT, 2, 4, 8, QUIET_PS, &idle);
  sim_net_reserve(net, SIM_MSG_GET, 0, 2, 8, 2 * QUIET_PS, &get);
  sim_net_reserve(net, SIM_MSG_PUT, 2, 4, 8, 2 * QUIET_PS, &put);
  assert_int_equal(put.done_at - 2 * QUIET_PS, idle.done_at - QUIET_PS);
  assert_true(put.sent_ps < get.target_at);
  sim_net_close(net);
}

/* Overload: in the long run a NIC carries its rate, whatever the order of reservations. */
static void overloaded_nic_delivers_at_its_rate(void **state) {
  (void)state;
  struct sim_net *net = net_open(ROW, 8, 0);
  uint64_t t_ps = QUIET_PS, last_ps = 0, n = 20000, bytes = 1000;
  for (uint64_t i = 0; i < n; i++) {
    struct sim_timing t;
    sim_net_reserve(net, i % 3 == 0 ? SIM_MSG_GET : SIM_MSG_PUT,
                    i % 3 == 0 ? (uint32_t)(2 + i % 5) : 0, i % 3 == 0 ? 0 : (uint32_t)(2 + i % 6),
                    bytes, t_ps, &t);
    if (t.done_at > last_ps) last_ps = t.done_at;
    t_ps += 20000;
  }
  /* all leave unit 0's NIC at 10 GB/s: 100 ps a byte */
  assert_true(last_ps - QUIET_PS >= n * bytes * 100);
  assert_true(last_ps - QUIET_PS < n * bytes * 115 + 10 * US);
  sim_net_close(net);
}

/* Compares the reservation itself with a plain timeline of 1 ps slots. */
static void gaps_are_filled_exactly(void **state) {
  (void)state;
  struct sim_res r = {0};
  uint64_t end;
  assert_int_equal(sim_res_claim(&r, 100, 10, 0, &end), 100); /* idle 0..100 remembered */
  assert_int_equal(end, 110);
  assert_int_equal(sim_res_claim(&r, 105, 10, 0, &end), 110); /* queues */
  assert_int_equal(end, 120);
  /* in the gap; leaves 0..50 and 60..100 */
  assert_int_equal(sim_res_claim(&r, 50, 10, 0, &end), 50);
  assert_int_equal(end, 60);
  assert_int_equal(sim_res_claim(&r, 55, 50, 0, &end), 60); /* 60..100, then 120..130 */
  assert_int_equal(end, 130);
  assert_int_equal(sim_res_claim(&r, 0, 60, 0, &end), 0); /* 0..50, then 130..140 */
  assert_int_equal(end, 140);
  assert_int_equal(sim_res_claim(&r, 0, 1, 0, &end), 140);     /* nothing is left */
  assert_int_equal(sim_res_claim(&r, 500, 1, 400, &end), 500); /* idle before now is forgotten */
  assert_int_equal(sim_res_claim(&r, 300, 7, 400, &end), 400);
}

/* What carries nothing, as a piece at a NIC without a limit, takes no time: it waits for the end of
 * what is reserved around it, not for what is reserved after an idle gap, and leaves no trace. */
static void claims_of_nothing_wait_for_no_later_ones(void **state) {
  (void)state;
  struct sim_res r = {0};
  uint64_t end;
  assert_int_equal(sim_res_claim(&r, 100, 0, 0, &end), 100);
  assert_int_equal(end, 100);
  assert_int_equal(r.busy_ps, 0);
  assert_int_equal(sim_res_claim(&r, 500, 10, 400, &end), 500);
  assert_int_equal(sim_res_claim(&r, 600, 10, 400, &end), 600);
  assert_int_equal(sim_res_claim(&r, 450, 0, 400, &end), 450);
  assert_int_equal(end, 450);
  assert_int_equal(sim_res_claim(&r, 505, 0, 400, &end), 510);
  assert_int_equal(sim_res_claim(&r, 550, 0, 400, &end), 550);
  assert_int_equal(sim_res_claim(&r, 605, 0, 400, &end), 610);
  assert_int_equal(sim_res_claim(&r, 700, 0, 400, &end), 700);
  assert_int_equal(r.busy_ps, 610);
  assert_int_equal(sim_res_claim(&r, 400, 190, 400, &end), 400); /* both gaps are whole */
  assert_int_equal(end, 600);
}

/* Random claims never overlap, never start early, and add up. */
static void random_claims_never_overlap(void **state) {
  (void)state;
  enum { SLOTS = 60000 };
  static unsigned char taken[SLOTS]; /* 1: by whole claims (start and end known exactly) */
  struct sim_res r = {0};
  uint64_t x = 7, now = 0, sum = 0;
  for (int i = 0; i < 3000; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    now += (x >> 60) % 12;
    uint64_t at = now + (x >> 40) % 200, span = 1 + (x >> 50) % 6, end,
             start = sim_res_claim(&r, at, span, now, &end);
    assert_true(start >= at && end >= start + span && end < SLOTS);
    sum += span;
    if (end - start == span)
      for (uint64_t k = start; k < end; k++) assert_int_equal(taken[k]++, 0);
  }
  assert_true(r.busy_ps >= sum);
}

/* A long reservation and short messages that pass it: each waits for a packet at most, none
 * overlaps another, and what comes after all of them comes later by what they took. */
static void short_messages_pass_and_push_back(void **state) {
  (void)state;
  struct sim_res r = {0};
  uint64_t end, before = 0;
  assert_int_equal(sim_res_claim(&r, 0, 100000, 0, &end), 0);
  sim_res_long(&r, end);
  for (uint64_t i = 0; i < 50; i++) {
    uint64_t at = 1000 + i * 10, start = sim_res_pass(&r, at, 20, 300, at, &end);
    assert_true(start >= at + 300 && start >= before && end == start + 20);
    assert_true(start <= at + 300 + i * 20);
    before = end;
  }
  assert_int_equal(sim_res_claim(&r, 5000, 10, 5000, &end), 100000 + 50 * 20);
  assert_int_equal(sim_res_pass(&r, 200000, 20, 300, 200000, &end), 200000);
  /* no later than the end of what is reserved, and into a gap */
  assert_int_equal(sim_res_claim(&r, 300000, 100, 200000, &end), 300000);
  sim_res_long(&r, end);
  assert_int_equal(sim_res_pass(&r, 300050, 20, 300, 300050, &end), 300100);
  struct sim_res gap = {0};
  assert_int_equal(sim_res_claim(&gap, 1000, 5000, 0, &end), 1000);
  sim_res_long(&gap, end);
  assert_int_equal(sim_res_pass(&gap, 500, 20, 300, 0, &end), 500);
  assert_int_equal(sim_res_pass(&gap, 100, 20, 300, 0, &end), 100);
  /* its like queue, wherever now is */
  struct sim_res like = {0};
  for (uint64_t i = 0; i < 50; i++)
    assert_int_equal(sim_res_pass(&like, 600, 20, 300, 0, &end), 600 + 20 * i);
}

/* Bulk and short traffic at random: what a place has carried until it is idle is what was sent. */
static void bytes_are_conserved(void **state) {
  (void)state;
  struct sim_res r = {0};
  uint64_t now = 0, sum = 0, end, last = 0;
  srand(5);
  for (uint32_t i = 0; i < 100000; i++) {
    uint64_t span = 1 + (uint64_t)rand() % 20;
    now += (uint64_t)rand() % 12;
    if (rand() % 2 == 0)
      (void)sim_res_pass(&r, now, span, 5, now, &end);
    else
      (void)sim_res_claim(&r, now, span, now, &end);
    if (rand() % 2 == 0) sim_res_long(&r, end);
    sum += span;
    if (end > last) last = end;
  }
  printf("carried %lu in %lu\n", (unsigned long)sum, (unsigned long)r.busy_ps);
  net_near("time of all messages", (double)r.busy_ps, (double)sum, 0.01);
  assert_true(last <= r.busy_ps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flows_share_links_only),
      cmocka_unit_test(flows_share_a_nic_in_each_direction),
      cmocka_unit_test(memory_is_shared_by_domain),
      cmocka_unit_test(a_lone_copy_does_not_wait),
      cmocka_unit_test(memory_is_shared_at_both_ends),
      cmocka_unit_test(atomics_take_turns_at_the_target),
      cmocka_unit_test(nobody_waits_for_the_future),
      cmocka_unit_test(overloaded_nic_delivers_at_its_rate),
      cmocka_unit_test(gaps_are_filled_exactly),
      cmocka_unit_test(claims_of_nothing_wait_for_no_later_ones),
      cmocka_unit_test(random_claims_never_overlap),
      cmocka_unit_test(short_messages_pass_and_push_back),
      cmocka_unit_test(bytes_are_conserved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
