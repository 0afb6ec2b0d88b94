/* SPDX-License-Identifier: BSD-3-Clause */
/* net_keys.c - every figure of a machine is a key of --platform: each changes the times that it is
 * said to change, by what was given, and no others; the list of figures has all of them. */

#include "fabric_sim/machine/platform_keys.h"
#include "unit/sim/net_test.h"

/* The times of operations on an idle machine, in ps. */
enum {
  PUT_THERE, /* overhead apart: to the target */
  PUT_DONE,  /* to the completion */
  GET_THERE,
  GET_DONE,
  ATOMIC_THERE,
  ATOMIC_DONE,
  PUT_OVERHEAD,
  GET_OVERHEAD,
  ATOMIC_OVERHEAD,
  NODE_OVERHEAD, /* of 8 bytes within a node */
  SELF,
  NUMA,
  NODE,
  FRESH_PUT, /* of lines and pages that were never used: a put, a get, an atomic, a page */
  FRESH_GET,
  FRESH_ATOMIC,
  FRESH_PAGE,
  LOCAL,
  WORD_OVERHEAD,
  FLUSH,
  ADD_THERE, /* a signal that adds */
  ADD_DONE,
  AFTER_THERE, /* a signal with bytes */
  AFTER_DONE,
  SIGNAL_THERE, /* a signal without bytes */
  SIGNAL_DONE,
  SIGNAL_OVERHEAD,
  MESSAGE_THERE, /* one of the runtime's own messages */
  MESSAGE_DONE,
  NEXT_PUT,    /* of two 8-byte puts at once: the second later than the first */
  NEXT_ATOMIC, /* likewise */
  NODE_SIGNAL, /* the processor's part within a node: a signal, a message of the runtime */
  NODE_MESSAGE,
  TIMES
};

static uint64_t there_ps(struct sim_net *net, enum sim_msg kind, uint32_t dst, uint64_t *clock_ps,
                         uint64_t *done_ps) {
  struct sim_timing t;
  *clock_ps += QUIET_PS;
  sim_net_reserve(net, kind, 0, dst, 8, *clock_ps, &t);
  if (done_ps != NULL) *done_ps = t.done_at - *clock_ps;
  return t.target_at - *clock_ps;
}

/* How much later the second of two equal operations to unit `far` arrives. */
static uint64_t next_ps(struct sim_net *net, enum sim_msg kind, uint32_t far, uint64_t *clock_ps) {
  struct sim_timing a, b;
  *clock_ps += QUIET_PS;
  sim_net_reserve(net, kind, 0, far, 8, *clock_ps, &a);
  sim_net_reserve(net, kind, 0, far, 8, *clock_ps, &b);
  return b.target_at - a.target_at;
}

/* A signal that adds. */
static uint64_t add_ps(struct sim_net *net, uint32_t far, uint64_t *clock_ps, uint64_t *done_ps) {
  struct sim_timing t;
  *clock_ps += QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 0, far, 8, *clock_ps, &t);
  sim_net_add(net, 0, far, *clock_ps, &t);
  *done_ps = t.done_at - *clock_ps;
  return t.target_at - *clock_ps;
}

/* A signal with bytes or without; message: one of the runtime's own messages. */
static uint64_t signal_ps(struct sim_net *net, uint32_t far, uint64_t bytes, bool message,
                          uint64_t *clock_ps, uint64_t *done_ps) {
  struct sim_timing t;
  *clock_ps += QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 0, far, bytes, *clock_ps, &t);
  sim_net_signal(net, 0, far, bytes, message, &t);
  *done_ps = t.done_at - *clock_ps;
  return t.target_at - *clock_ps;
}

/* `domain`: the units of a NUMA domain; `cores`: of a node. */
static void measure(const char *platform, uint32_t domain, uint32_t cores, uint64_t out[TIMES]) {
  struct sim_net *net = net_open(platform, 64 * cores, 0);
  uint64_t at = 0;
  uint32_t far = 40 * cores; /* several hops */
  out[PUT_THERE] = there_ps(net, SIM_MSG_PUT, far, &at, &out[PUT_DONE]);
  out[GET_THERE] = there_ps(net, SIM_MSG_GET, far, &at, &out[GET_DONE]);
  out[ATOMIC_THERE] = there_ps(net, SIM_MSG_AMO, far, &at, &out[ATOMIC_DONE]);
  out[PUT_OVERHEAD] = net_overhead_ps(net, SIM_MSG_PUT, 0, far, 8);
  out[GET_OVERHEAD] = net_overhead_ps(net, SIM_MSG_GET, 0, far, 8);
  out[ATOMIC_OVERHEAD] = net_overhead_ps(net, SIM_MSG_AMO, 0, far, 8);
  out[NODE_OVERHEAD] = net_overhead_ps(net, SIM_MSG_AMO, 0, 1, 8);
  out[SELF] = there_ps(net, SIM_MSG_PUT, 0, &at, NULL);
  out[NUMA] = there_ps(net, SIM_MSG_PUT, 1, &at, NULL);
  out[NODE] = there_ps(net, SIM_MSG_PUT, domain, &at, NULL);
  out[FRESH_PUT] = sim_net_line_ps(net, SIM_MSG_PUT, 0, 0, 0, 0, 8);
  out[FRESH_GET] = sim_net_line_ps(net, SIM_MSG_GET, 0, 0, 0, 64, 8);
  out[FRESH_ATOMIC] = sim_net_line_ps(net, SIM_MSG_AMO, 0, 0, 0, 128, 8);
  out[FRESH_PAGE] = sim_net_page_ps(net, 0, 0, 0, 0, 8);
  out[LOCAL] = sim_net_local_ps(net, 0);
  out[WORD_OVERHEAD] = sim_net_word_ps(net);
  out[FLUSH] = sim_net_flush_ps(net);
  out[ADD_THERE] = add_ps(net, far, &at, &out[ADD_DONE]);
  out[AFTER_THERE] = signal_ps(net, far, 16, false, &at, &out[AFTER_DONE]);
  out[SIGNAL_THERE] = signal_ps(net, far, 0, false, &at, &out[SIGNAL_DONE]);
  out[SIGNAL_OVERHEAD] = sim_net_signal_ps(net, 0, far, false);
  out[MESSAGE_THERE] = signal_ps(net, far, 16, true, &at, &out[MESSAGE_DONE]);
  out[NODE_SIGNAL] = sim_net_signal_ps(net, 0, 1, false);
  out[NODE_MESSAGE] = sim_net_signal_ps(net, 0, 1, true);
  out[NEXT_PUT] = next_ps(net, SIM_MSG_PUT, far, &at);
  out[NEXT_ATOMIC] = next_ps(net, SIM_MSG_AMO, far, &at);
  sim_net_close(net);
}

/* What a key that is 1,000 ns more adds, in us. */
static const struct {
  const char *key;
  uint32_t adds[TIMES];
} EFFECTS[] = {
    {"overhead",
     {[PUT_OVERHEAD] = 1, [GET_OVERHEAD] = 1, [ATOMIC_OVERHEAD] = 1, [WORD_OVERHEAD] = 1}},
    {"overhead_put", {[PUT_OVERHEAD] = 1}},
    {"overhead_get", {[GET_OVERHEAD] = 1}},
    {"overhead_atomic", {[ATOMIC_OVERHEAD] = 1}},
    {"overhead_word", {[WORD_OVERHEAD] = 1}},
    {"flush", {[FLUSH] = 1}},
    {"signal_add", {[ADD_THERE] = 1, [ADD_DONE] = 1}},
    {"rx_signal", {[SIGNAL_THERE] = 1, [SIGNAL_DONE] = 1}},
    {"overhead_signal", {[SIGNAL_OVERHEAD] = 1}},
    {"rx_message", {[MESSAGE_THERE] = 1, [MESSAGE_DONE] = 1}},
    {"signal_after", {[AFTER_THERE] = 1, [AFTER_DONE] = 1}},
    {"gap", {[NEXT_PUT] = 1, [NEXT_ATOMIC] = 1}},
    {"tx",
     {[PUT_THERE] = 1, 1, 1, 1, 1, 1, [ADD_THERE] = 1, 1, 1, 1, 1, 1, [MESSAGE_THERE] = 1, 1}},
    {"rx",
     {[PUT_THERE] = 1, 1, 1, 1, 1, 1, [ADD_THERE] = 1, 1, 1, 1, 1, 1, [MESSAGE_THERE] = 1, 1}},
    {"router",
     {[PUT_THERE] = 1, 2, 1, 2, 1, 2, [ADD_THERE] = 1, 2, 1, 2, 1, 2, [MESSAGE_THERE] = 1, 2}},
    {"ack",
     {[PUT_DONE] = 1,
      [ATOMIC_DONE] = 1,
      [ADD_DONE] = 1,
      [AFTER_DONE] = 1,
      [SIGNAL_DONE] = 1,
      [MESSAGE_DONE] = 1}},
    {"read", {[GET_THERE] = 1, [GET_DONE] = 1}},
    {"respond", {[GET_DONE] = 1}},
    {"rx_get", {[GET_DONE] = 1}},
    {"atomic", {[ATOMIC_THERE] = 1, [ATOMIC_DONE] = 1}},
    {"atomic_gap", {[NEXT_ATOMIC] = 1}},
    {"overhead_node", {[NODE_OVERHEAD] = 1}},
    {"signal_node", {[NODE_SIGNAL] = 1, [NODE_MESSAGE] = 1}},
    {"message_node", {[NODE_MESSAGE] = 1}},
    {"overhead_own", {[NODE_OVERHEAD] = 1}},
    {"reach_2=1,far_put_2", {[FRESH_PUT] = 1}},
    {"reach_2=1,far_get_2", {[FRESH_GET] = 1}},
    {"reach_2=1,far_atomic_2", {[FRESH_ATOMIC] = 1}},
    {"reach_1=1,far_put_1", {[FRESH_PUT] = 1}},
    {"reach_1=1,far_get_1", {[FRESH_GET] = 1}},
    {"reach_1=1,far_atomic_1", {[FRESH_ATOMIC] = 1}},
    {"page_first", {[FRESH_PAGE] = 1}},
    {"lat_self", {[SELF] = 1}},
    {"lat_numa", {[NUMA] = 1}},
    {"lat_node", {[NODE] = 1}},
    {"local", {[LOCAL] = 1, [FLUSH] = 1}},
};

static double figure(const char *platform, const char *key) {
  struct sim_plat p;
  struct sim_figure f;
  assert_int_equal(sim_plat_parse(platform, &p), 0);
  for (uint32_t i = 0; i < sim_plat_rows(); i++)
    if (sim_plat_figure(&p, i, &f) && strcmp(f.key, key) == 0) return f.value;
  fail_msg("%s is no figure of %s", key, platform);
  return 0;
}

/* gap and atomic_gap are hidden by each other where the machine has a larger one. */
static uint64_t expected(const uint64_t base[TIMES], int what, uint64_t adds_ps, double was_ns) {
  if (what == NEXT_PUT || what == NEXT_ATOMIC) {
    uint64_t now_ps = (uint64_t)(was_ns * 1000) + 1000000;
    if (adds_ps == 0 || base[what] > now_ps) return base[what];
    return now_ps;
  }
  return base[what] + adds_ps;
}

static void check_machine(const char *platform, uint32_t domain, uint32_t cores) {
  uint64_t base[TIMES], now[TIMES];
  measure(platform, domain, cores, base);
  for (size_t i = 0; i < sizeof EFFECTS / sizeof *EFFECTS; i++) {
    const char *key = EFFECTS[i].key;
    /* the short form sets all to one value; here to that of a put and 1,000 ns */
    bool same = figure(platform, "overhead_put") == figure(platform, "overhead_word");
    if (strcmp(key, "overhead") == 0 && !same) continue;
    const char *last = strrchr(key, ',') != NULL ? strrchr(key, ',') + 1 : key;
    double was = figure(platform, strcmp(key, "overhead") == 0 ? "overhead_put" : last);
    char text[128];
    snprintf(text, sizeof text, "%s:%s=%.3f", platform, key, was + 1000);
    measure(text, domain, cores, now);
    for (int what = 0; what < TIMES; what++) {
      uint64_t want = expected(base, what, 1000000ull * EFFECTS[i].adds[what], was);
      if (now[what] != want)
        fail_msg("%s: time %d is %llu ps, expected %llu (was %llu)", text, what,
                 (unsigned long long)now[what], (unsigned long long)want,
                 (unsigned long long)base[what]);
    }
  }
}

static void each_time_is_a_key(void **state) {
  (void)state;
  check_machine("xc40", 12, 24);
  check_machine("xe6", 8, 32);
}

/* Rates, by the time of many bytes: of a put or a get over idle links, a copy, memory. */
static void each_rate_is_a_key(void **state) {
  (void)state;
  static const char *const PUTS[][2] = {
      {"xc40", "bw_nic_put"}, {"xc40", "bw_nic"},  {"xc40", "bw_green"},
      {"xc40", "bw_black"},   {"xc40", "bw_blue"}, {"xe6", "bw_nic_put"},
      {"xe6", "bw_x"},        {"xe6", "bw_y"},     {"xe6", "bw_z"}};
  for (size_t i = 0; i < sizeof PUTS / sizeof *PUTS; i++) {
    char text[64];
    snprintf(text, sizeof text, "%s:%s=0.5", PUTS[i][0], PUTS[i][1]);
    uint32_t cores = strcmp(PUTS[i][0], "xc40") == 0 ? 24 : 32, n = 800;
    struct sim_net *net = net_open(text, n * cores, 0);
    uint64_t clock_ps = 0, most = 0; /* some node lies behind a link of each class */
    for (uint32_t node = 1; node < n; node++) {
      clock_ps += 4 * QUIET_PS; /* as long as the slow link is busy */
      uint64_t ps = net_blocking_ps(net, SIM_MSG_PUT, 0, node * cores, 1 << 20, &clock_ps);
      if (ps > most) most = ps;
    }
    net_near(text, (double)most, (1 << 20) / 0.5 * 1000, 0.01);
    sim_net_close(net);
  }
  struct sim_net *net = net_open("xc40:bw_nic_get=0.5,bw_copy=0.25,bw_memory=0.125", 240, 0);
  uint64_t clock_ps = 0;
  struct sim_timing a, b;
  net_near("get", (double)net_blocking_ps(net, SIM_MSG_GET, 0, 100, 1 << 20, &clock_ps),
           (1 << 20) / 0.5 * 1000, 0.01);
  net_near("copy", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, 1, 1 << 20),
           (1 << 20) / 0.25 * 1000, 0.01);
  clock_ps += QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, 1 << 20, clock_ps, &a);
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, 1 << 20, clock_ps, &b);
  net_near("memory", (double)(b.target_at - a.target_at), 2 * (1 << 20) / 0.125 * 1000, 0.02);
  sim_net_close(net);
}

/* What the list has, the parser takes, and marks as given. */
static void the_list_has_all_figures(void **state) {
  (void)state;
  static const char *const MACHINES[] = {"xc40", "xe6", "dragonfly", "some/file.xml"};
  for (size_t m = 0; m < sizeof MACHINES / sizeof *MACHINES; m++) {
    struct sim_plat p;
    struct sim_figure f;
    uint32_t n = 0;
    assert_int_equal(sim_plat_parse(MACHINES[m], &p), 0);
    for (uint32_t i = 0; i < sim_plat_rows(); i++) {
      if (!sim_plat_figure(&p, i, &f)) continue;
      assert_false(f.given);
      struct sim_plat q;
      struct sim_figure g;
      char text[128];
      if (f.word[0] != '\0')
        snprintf(text, sizeof text, "%s:%s=%s", MACHINES[m], f.key, f.word);
      else
        snprintf(text, sizeof text, "%s:%s=%.9g", MACHINES[m], f.key, f.no_limit ? 1.5 : f.value);
      assert_int_equal(sim_plat_parse(text, &q), 0);
      assert_true(sim_plat_figure(&q, i, &g));
      assert_true(g.given);
      assert_true(f.no_limit ? g.value == 1.5
                             : g.value - f.value < 1e-5 && f.value - g.value < 1e-5);
      assert_true(strcmp(f.unit, g.unit) == 0 && f.meaning[0] != '\0');
      n++;
    }
    assert_true(n >= 22);
  }
  struct sim_plat p;
  assert_int_equal(sim_plat_parse("odd:name/file.xml", &p), 0);
  assert_int_equal(p.path_len, strlen("odd:name/file.xml"));
  assert_int_equal(sim_plat_parse("a:b.xml", &p), 0);
  assert_int_equal(p.path_len, strlen("a:b.xml"));
  assert_int_equal(sim_plat_parse("odd:name/file.xml:tx=5,bw_nic=2", &p), 0);
  assert_int_equal(p.path_len, strlen("odd:name/file.xml"));
  assert_int_equal(p.price.tx_ps, 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_time_is_a_key),
      cmocka_unit_test(each_rate_is_a_key),
      cmocka_unit_test(the_list_has_all_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
