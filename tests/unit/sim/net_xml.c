/* SPDX-License-Identifier: BSD-3-Clause */
/* net_xml.c - SimGrid platform files: refusals and their reasons, placement of units, and that
 * times are those of the file's routes.
 *
 * SimGrid takes one platform a process, so each case runs in a child. */
#include <simgrid/host.h>
#include <sys/stat.h>

#include "unit/sim/net_child.h"

#define HEAD                                            \
  "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM " \
  "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
#define TAIL "</platform>\n"

struct refusal {
  const char *text;
  uint32_t n_units, units_per_node;
  int code;
  const char *words;
};

static void refuse(const char *path, const void *arg) {
  const struct refusal *r = arg;
  net_refuses(path, r->n_units, r->units_per_node, r->code, r->words);
  /* and again: no state remained */
  net_refuses(path, r->n_units, r->units_per_node, r->code, r->words);
}

#define PAIR(routes)                                                                   \
  HEAD "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/><host id=\"b\" " \
       "speed=\"1Gf\" core=\"3\"/>" routes "</zone>" TAIL
#define WIRE "<link id=\"l\" bandwidth=\"1GBps\" latency=\"2us\"/>"
#define ROUTE "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"

static void malformed_file_is_refused_with_its_reason(void **state) {
  (void)state;
  static const struct refusal CASES[] = {
      {"", 1, 0, EYOT_EINVAL, "EOF"},
      {"hello", 1, 0, EYOT_EINVAL, "Unexpected character"},
      {HEAD "<zone id=\"w\" routing=\"Full\"><host id=\"a\" spe", 1, 0, EYOT_EINVAL,
       "Bad attribute"},
      {HEAD "<zone id=\"w\" routing=\"Full\"><host id=\"a\"/></zone>" TAIL, 1, 0, EYOT_EINVAL,
       "`speed' not set"},
      {HEAD "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gfoo\"/></zone>" TAIL, 1, 0,
       EYOT_EINVAL, "unknown unit"},
      {HEAD "<zone id=\"w\" routing=\"Bogus\"><host id=\"a\" speed=\"1Gf\"/></zone>" TAIL, 1, 0,
       EYOT_EINVAL, "Not a valid"},
      {HEAD TAIL, 1, 0, EYOT_EINVAL, "no hosts"},
      {PAIR(""), 2, 0, EYOT_EINVAL, "no route"}, /* SimGrid 3 crashes, SimGrid 4 finds none */
      {PAIR(ROUTE), 2, 0, EYOT_EINVAL, "Link not found"},
      {PAIR(WIRE "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"), 2,
       0, EYOT_EINVAL, "no route from host b to host a"},
      {PAIR("<link id=\"l\" bandwidth=\"1MBps\" latency=\"2us\" sharing_policy=\"WIFI\"/>" ROUTE),
       2, 0, EYOT_EINVAL, "wifi"},
      {PAIR("<link id=\"l\" bandwidth=\"1MBps\" latency=\"-2us\"/>" ROUTE), 2, 0, EYOT_EINVAL,
       "latency of -2e-06 s, expected 0 to 1000"},
      {PAIR("<link id=\"l\" bandwidth=\"0Bps\" latency=\"2us\"/>" ROUTE), 2, 0, EYOT_EINVAL,
       "bandwidth of 0 bytes/s, expected 1 to"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    net_in_child(CASES[i].text, refuse, &CASES[i]);
}

static void refuse_once(const char *path, const void *arg) {
  const struct refusal *r = arg;
  net_refuses(path, r->n_units, r->units_per_node, r->code, r->words);
}

static void too_small_says_how_many_fit(void **state) {
  (void)state;
  static const struct refusal FIVE = {PAIR(WIRE ROUTE), 5, 0, EYOT_ERANGE, "it holds 4 on 2 hosts"};
  static const struct refusal SEVEN = {PAIR(WIRE ROUTE), 7, 3, EYOT_ERANGE,
                                       "it holds 6 on 2 hosts"};
  net_in_child(FIVE.text, refuse_once, &FIVE);
  net_in_child(SEVEN.text, refuse_once, &SEVEN);
}

static void missing_file_is_refused(void **state) {
  (void)state;
  net_refuses("./no-such-file", 1, 0, EYOT_ESYS, "No such file");
  net_refuses("no-such-file.xml", 1, 0, EYOT_ESYS, "No such file");
  net_refuses("/tmp", 1, 0, EYOT_EINVAL, "not a file");
}

static void pair_body(const char *path, const void *arg) {
  (void)arg;
  struct sim_net *net = net_open(path, 4, 0);
  assert_int_equal(sim_net_nodes(net), 2);
  assert_string_equal(sg_host_get_name((sg_host_t)sim_net_host(net, 0)), "a");
  assert_true(sim_net_host(net, 1) == sim_net_host(net, 3));
  assert_int_equal(sim_net_distance(net, 0, 1), EYOT_DOMAIN_MACHINE);
  assert_int_equal(sim_net_distance(net, 1, 2), EYOT_DOMAIN_NUMA);
  uint64_t clock_ps = 0;
  net_near("put", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, 1, 8, &clock_ps), 100e3 + 4e6 + 8e3,
           0.001);
  net_near("1 MB get", (double)net_blocking_ps(net, SIM_MSG_GET, 0, 1, 1000000, &clock_ps),
           100e3 + 4e6 + 16e3 + 1e9, 0.001);
  struct sim_timing first, second; /* the shared link is shared */
  clock_ps += 10 * QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, 1000000, clock_ps, &first);
  sim_net_reserve(net, SIM_MSG_PUT, 0, 2, 1000000, clock_ps, &second);
  net_near("two flows", (double)(second.target_at - clock_ps), 2e9, 0.01);
  sim_net_close(net);
}

/* Host a has a core and b has three: a round of dealing leaves out hosts that are full. */
static void cyclic_body(const char *path, const void *arg) {
  (void)arg;
  const struct sim_net_opts opts = {.platform = path, .n_units = 4, .placement = "cyclic"};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  for (uint32_t u = 0; u < 4; u++)
    assert_true(sim_net_host(net, u) == sim_net_host(net, u == 0 ? 0 : 1));
  assert_true(sim_net_host(net, 0) != sim_net_host(net, 1));
  sim_net_close(net);
}

static void cyclic_leaves_out_hosts_that_are_full(void **state) {
  (void)state;
  net_in_child(PAIR(WIRE ROUTE), cyclic_body, NULL);
}

/* Two routes of different length there and back, over a link that flows do not share. */
static void asymmetric_body(const char *path, const void *arg) {
  (void)arg;
  struct sim_net *net = net_open(path, 2, 1);
  uint64_t clock_ps = QUIET_PS;
  struct sim_timing t, u;
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, 1000, clock_ps, &t);
  sim_net_reserve(net, SIM_MSG_PUT, 0, 1, 1000, clock_ps, &u);
  assert_int_equal(t.target_at - clock_ps, 2000000 + 1000000);
  assert_int_equal(t.done_at - t.target_at, 5000000 + 7000000);
  assert_true(u.target_at - t.target_at < 20000); /* FATPIPE: only the NIC's gap */
  clock_ps += QUIET_PS;
  sim_net_reserve(net, SIM_MSG_PUT, 1, 0, 1000, clock_ps, &t);
  assert_int_equal(t.done_at - t.target_at, 2000000);
  sim_net_close(net);
}

/* A fast link and one that is ten times as slow: the slow one decides, wherever it stands. */
static void slowest_body(const char *path, const void *arg) {
  (void)arg;
  struct sim_net *net = net_open(path, 2, 1);
  uint64_t clock_ps = QUIET_PS;
  for (uint32_t u = 0; u < 2; u++) {
    struct sim_timing t;
    sim_net_reserve(net, SIM_MSG_PUT, u, 1 - u, 1000000, clock_ps, &t);
    net_near("1 MB over both links", (double)(t.target_at - clock_ps), 2e6 + 1e10, 0.01);
    clock_ps += 100 * QUIET_PS;
  }
  sim_net_close(net);
}

/* Two clusters in a site: group and chassis are the zones, and many hosts fill the route cache's
 * slots. */
static void zones_body(const char *path, const void *arg) {
  (void)arg;
  struct sim_net *net = net_open(path, 400, 0);
  assert_int_equal(sim_net_nodes(net), 200);
  assert_int_equal(sim_net_distance(net, 0, 1), EYOT_DOMAIN_NUMA);
  assert_int_equal(sim_net_distance(net, 0, 2), EYOT_DOMAIN_CHASSIS);
  assert_int_equal(sim_net_distance(net, 0, 399), EYOT_DOMAIN_GROUP);
  eyot_place_t place;
  sim_net_place(net, 399, &place);
  assert_int_equal(place.id[EYOT_DOMAIN_NODE], 199);
  uint64_t clock_ps = 0;
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t a = 0; a < 400; a += 14)
      for (uint32_t b = 0; b < 400; b += 2) {
        if (a / 2 == b / 2) continue;
        double links_us = a / 200 == b / 200 ? 2 : 12;
        net_near("put ps", (double)net_blocking_ps(net, SIM_MSG_PUT, a, b, 8, &clock_ps),
                 2e6 * links_us + 100e3 + 8e3, 0.01);
      }
  sim_net_close(net);
}

/* The keys of the NIC add to the file's links: each of other size, so that none is mistaken. */
static void keys_body(const char *path, const void *arg) {
  (void)arg;
  char text[256];
  snprintf(
      text, sizeof text,
      "%s:overhead_put=1,overhead_get=2,overhead_atomic=4,tx=8,rx=16,router=32,ack=64,read=128,"
      "respond=256,rx_get=512,atomic=1024",
      path);
  struct sim_net *net = net_open(text, 4, 0);
  uint64_t clock_ps = 0;
  double links = 4e6 + 8e3;
  net_near("put", (double)net_blocking_ps(net, SIM_MSG_PUT, 0, 1, 8, &clock_ps),
           links + 1e3 * (1 + 8 + 16 + 2 * 32 + 64), 1e-6);
  net_near("atomic", (double)net_blocking_ps(net, SIM_MSG_AMO, 0, 1, 8, &clock_ps),
           4e6 + 16e3 + 1e3 * (4 + 8 + 16 + 2 * 32 + 64 + 1024), 0.003);
  net_near("get", (double)net_blocking_ps(net, SIM_MSG_GET, 0, 1, 8, &clock_ps),
           links + 16e3 + 1e3 * (2 + 8 + 16 + 2 * 32 + 128 + 256 + 512), 0.003);
  sim_net_close(net);
}

static void times_are_the_routes(void **state) {
  (void)state;
  net_in_child(PAIR(WIRE ROUTE), keys_body, NULL);
  net_in_child(PAIR(WIRE ROUTE), pair_body, NULL);
  net_in_child(PAIR("<link id=\"x\" bandwidth=\"1GBps\" latency=\"2us\" "
                    "sharing_policy=\"FATPIPE\"/><link id=\"y\" bandwidth=\"1GBps\" "
                    "latency=\"5us\"/>"
                    "<link id=\"z\" bandwidth=\"1GBps\" latency=\"7us\"/>"
                    "<route src=\"a\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"x\"/></route>"
                    "<route src=\"b\" dst=\"a\" symmetrical=\"NO\"><link_ctn id=\"y\"/><link_ctn "
                    "id=\"z\"/></route>"),
               asymmetric_body, NULL);
  net_in_child(PAIR("<link id=\"s\" bandwidth=\"100MBps\" latency=\"1us\"/>"
                    "<link id=\"f\" bandwidth=\"1GBps\" latency=\"1us\"/>"
                    "<route src=\"a\" dst=\"b\"><link_ctn id=\"s\"/><link_ctn id=\"f\"/></route>"),
               slowest_body, NULL);
}

/* Hosts of 4 and 2 cores in two NUMA domains each; a unit beyond the cores shares one. */
static void domains_body(const char *path, const void *arg) {
  char keys[128];
  (void)arg;
  snprintf(keys, sizeof keys, "%s:numa=2", path);
  struct sim_net *net = net_open(keys, 8, 6);
  assert_int_equal(sim_net_distance(net, 0, 1), EYOT_DOMAIN_NUMA);
  assert_int_equal(sim_net_distance(net, 1, 2), EYOT_DOMAIN_NODE);
  assert_int_equal(sim_net_distance(net, 0, 4), EYOT_DOMAIN_NUMA);
  assert_int_equal(sim_net_distance(net, 6, 7), EYOT_DOMAIN_NODE);
  assert_int_equal(sim_net_distance(net, 5, 6), EYOT_DOMAIN_MACHINE);
  uint64_t clock_ps = 0, near_ps = net_blocking_ps(net, SIM_MSG_AMO, 0, 1, 8, &clock_ps);
  assert_int_equal(net_blocking_ps(net, SIM_MSG_AMO, 0, 2, 8, &clock_ps) - near_ps, 70000);
  sim_net_close(net);
}

static void odd_body(const char *path, const void *arg) {
  char keys[128];
  (void)arg;
  snprintf(keys, sizeof keys, "%s:numa=4", path);
  net_refuses(keys, 8, 6, EYOT_EINVAL, "numa=4 does not divide the 2 cores of host 1");
}

#define DOMAINS                                                                          \
  HEAD "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\" core=\"4\"/><host " \
       "id=\"b\" speed=\"1Gf\" core=\"2\"/>" WIRE ROUTE "</zone>" TAIL

static void hosts_have_domains(void **state) {
  (void)state;
  net_in_child(DOMAINS, domains_body, NULL);
  net_in_child(DOMAINS, odd_body, NULL);
}

#define CLUSTER(id)                                                                    \
  "<cluster id=\"" id "\" prefix=\"" id                                                \
  "\" suffix=\"\" radical=\"0-99\" speed=\"1Gf\" core=\"2\" bw=\"1GBps\" lat=\"1us\" " \
  "router_id=\"r" id "\"/>"

static void zones_of_a_file_are_levels(void **state) {
  (void)state;
  net_in_child(HEAD "<zone id=\"w\" routing=\"Full\">"
                "<zone id=\"site\" routing=\"Full\">" CLUSTER("p") CLUSTER("q")
               "<link id=\"trunk\" bandwidth=\"10GBps\" latency=\"10us\"/>"
               "<zoneRoute src=\"p\" dst=\"q\" gw_src=\"rp\" gw_dst=\"rq\">"
                "<link_ctn id=\"trunk\"/></zoneRoute></zone></zone>" TAIL,
           zones_body, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_file_is_refused_with_its_reason),
      cmocka_unit_test(too_small_says_how_many_fit),
      cmocka_unit_test(times_are_the_routes),
      cmocka_unit_test(cyclic_leaves_out_hosts_that_are_full),
      cmocka_unit_test(zones_of_a_file_are_levels),
      cmocka_unit_test(hosts_have_domains),
      cmocka_unit_test(missing_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
