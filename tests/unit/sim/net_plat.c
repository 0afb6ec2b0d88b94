/* SPDX-License-Identifier: BSD-3-Clause */
/* net_plat.c - platforms by name: refusals and their messages, placement of units, and that a large
 * machine uses little memory. */
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <sys/resource.h>

#include "unit/sim/net_test.h"

static void malformed_platform_is_refused_with_its_reason(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"", "unknown platform ''"},
      {"xc50", "expected xc40, xe6, dragonfly, cab, fattree"},
      {"xc40:", "expected key=value after the colon"},
      {"xc40:bw_x=2", "xc40: unknown key 'bw_x'; known are groups, chassis"},
      {"xe6:bw_green=2",
       "xe6: unknown key 'bw_green'; known are x, y, z, nodes, cores, numa, bw_x"},
      {"xe6:cores=31", "numa=4 does not divide cores=31"},
      {"xe6:tx=1,tx=2", "xe6: tx is given twice"},
      {"a/b.xml:groups=2", "unknown key 'groups'; known are numa, bw_nic"},
      {"a/b.xml:tx=x", "tx=x; expected nanoseconds from 0 to 1000000"},
      {"dragonfly:group=2", "unknown key 'group'"},
      {"dragonfly:groups", "groups has no value"},
      {"dragonfly:groups,chassis=2", "groups has no value"},
      {"dragonfly:groups=", "groups=; expected a whole number from 0 to 4096"},
      {"dragonfly:groups=two", "groups=two; expected a whole number"},
      {"dragonfly:groups=-1", "groups=-1; expected"},
      {"dragonfly:groups=1.5", "groups=1.5; expected"},
      {"dragonfly:groups=4097", "from 0 to 4096"},
      {"dragonfly:groups=99999999999999999999999999999999999", "from 0 to 4096"},
      {"dragonfly:chassis=0", "chassis=0; expected a whole number from 1 to 64"},
      {"dragonfly:blades=257", "blades=257"},
      {"dragonfly:bw_green=0", "bw_green=0; expected GB/s"},
      {"dragonfly:bw_green=1e", "bw_green=1e; expected GB/s"},
      {"dragonfly:bw_green=nan", "bw_green=nan; expected GB/s"},
      {"dragonfly:lat_hop=-5", "lat_hop=-5; expected nanoseconds"},
      {"dragonfly:lat_hop=1,,lat_blue=2", "unknown key ''"},
      {"dragonfly:groups=2,", "after the last comma"},
      {"dragonfly:cores=5,numa=2", "numa=2 does not divide cores=5"},
      {"dragonfly:chassis=1,blades=2,links=3", "links=3"},
      {"dragonfly:groups=20,chassis=1,blades=2,ports=2", "blue ports"},
      {"xc40:links=60", "groups=21 with links=60 need 1200 blue ports a group"},
      {"dragonfly:groups=1024,chassis=64,blades=64", "too many links; expected at most 4194304"},
      {"xe6:x=41", "x=41; expected a whole number from 0 to 40"},
      {"xc40:x=2", "unknown key 'x'"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
    net_refuses(CASES[i][0], 1, 0, EYOT_EINVAL, CASES[i][1]);
  net_refuses("xc40", 0, 0, EYOT_EINVAL, "0 units");
  net_refuses("xc40", 1, 25, EYOT_EINVAL, "24 cores");
}

static void too_small_says_how_many_fit(void **state) {
  (void)state;
  net_refuses("dragonfly:groups=2,chassis=1,blades=3,nodes=2,cores=4,numa=1", 49, 0, EYOT_ERANGE,
              "it holds 48");
  net_refuses("dragonfly:groups=2,chassis=1,blades=3,nodes=2,cores=4,numa=1", 25, 2, EYOT_ERANGE,
              "raise units-per-node");
  net_refuses("xc40", 12000000, 0, EYOT_ERANGE, "it holds 8856576");
  net_refuses("xc40:groups=2", 18433, 0, EYOT_ERANGE, "it holds 18432 (768 nodes of 24)");
  net_refuses("xe6", 4100000, 0, EYOT_ERANGE, "it holds 4096000");
  net_refuses("xe6:x=2,y=3,z=4", 1537, 0, EYOT_ERANGE, "it holds 1536 (48 nodes of 32)");
  net_refuses("xe6:x=1,y=1,z=0", 2561, 0, EYOT_ERANGE, "it holds 2560 (80 nodes of 32)");
  sim_net_close(net_open("dragonfly:groups=2,chassis=1,blades=3,nodes=2,cores=4,numa=1", 48, 0));
}

static void expect_place(const struct sim_net *net, uint32_t unit,
                         const uint32_t id[EYOT_DOMAIN_COUNT]) {
  eyot_place_t place;
  sim_net_place(net, unit, &place);
  for (int d = 0; d < EYOT_DOMAIN_COUNT; d++) assert_int_equal(place.id[d], id[d]);
}

static void units_fill_cores_in_order(void **state) {
  (void)state;
  const uint32_t group = 24 * 4 * 16 * 6;
  struct sim_net *net = net_open("xc40", group + 30, 0);
  expect_place(net, 0, (const uint32_t[]){0, 0, 0, 0, 0, 0, 0});
  expect_place(net, 12, (const uint32_t[]){12, 1, 0, 0, 0, 0, 0});
  expect_place(net, 24 * 4 * 17 + 5, (const uint32_t[]){24 * 4 * 17 + 5, 136, 68, 17, 1, 0, 0});
  expect_place(net, group + 29, (const uint32_t[]){group + 29, 770, 385, 96, 6, 1, 0});
  assert_int_equal(sim_net_nodes(net), 386);
  assert_non_null(strstr(sim_net_describe(net), "xc40: 386 nodes of 24 cores"));
  assert_null(sim_net_host(net, 0)); /* nobody runs on hosts */
  static const uint32_t FIRST[] = {0, 1, 12, 24, 96, 24 * 4 * 16, 24 * 4 * 16 * 6};
  for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++) {
    assert_int_equal(sim_net_distance(net, 0, FIRST[d]), d);
    assert_int_equal(sim_net_distance(net, FIRST[d], 0), d);
    assert_int_equal(sim_net_same_node(net, 0, FIRST[d]), d <= EYOT_DOMAIN_NODE);
  }
  sim_net_close(net);
}

/* Hosts are made only for actors (adr/0062). */
static void units_run_on_the_hosts_of_their_nodes(void **state) {
  (void)state;
  const struct sim_net_opts opts = {.platform = "xc40", .n_units = 30, .hosts = true};
  struct sim_net *net = NULL;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  assert_non_null(sim_net_host(net, 0));
  assert_true(sim_net_host(net, 0) == sim_net_host(net, 23) &&
              sim_net_host(net, 0) != sim_net_host(net, 24));
  assert_int_equal(sg_host_core_count((sg_host_t)sim_net_host(net, 0)), 24);
  sim_net_close(net);
}

static void few_units_a_node_are_spread(void **state) {
  (void)state;
  struct sim_net *net = net_open("xc40", 10, 2);
  assert_int_equal(sim_net_nodes(net), 5);
  expect_place(net, 9, (const uint32_t[]){9, 8, 4, 1, 0, 0, 0});
  sim_net_close(net);
}

/* A torus has no chassis and groups: its routers stand for them. */
static void routers_of_a_torus_stand_for_its_levels(void **state) {
  (void)state;
  struct sim_net *net = net_open("xe6", 32 * 5, 0);
  assert_int_equal(sim_net_distance(net, 0, 7), EYOT_DOMAIN_NUMA);
  assert_int_equal(sim_net_distance(net, 0, 8), EYOT_DOMAIN_NODE);
  assert_int_equal(sim_net_distance(net, 0, 32), EYOT_DOMAIN_BLADE);
  assert_int_equal(sim_net_distance(net, 0, 64), EYOT_DOMAIN_MACHINE);
  sim_net_close(net);
}

static void expect_machine(const char *platform, uint32_t units, const char *words) {
  struct sim_net *net = net_open(platform, units, 0);
  if (strstr(sim_net_describe(net), words) == NULL)
    fail_msg("%s with %u units: %s; expected '%s'", platform, units, sim_net_describe(net), words);
  sim_net_close(net);
}

/* The size of a machine is its own, whatever the job needs; a job that does not fit gets a larger
 * one, unless the size is given. */
static void machine_keeps_its_size(void **state) {
  (void)state;
  const uint32_t group = 24 * 4 * 16 * 6;
  static const char SMALL[] =
      "dragonfly:groups=9,chassis=2,blades=4,nodes=1,cores=1,numa=1,ports=2";
  expect_machine(SMALL, 9, "2 groups of a machine of 9 groups with 2 blue channels");
  expect_machine("xc40", 4, "1 groups of a machine of 21 groups with 48 blue channels");
  expect_machine("xc40", 2 * group, "2 groups of a machine of 21 groups with 48 blue channels");
  expect_machine("xc40", 22 * group, "22 groups of a machine of 22 groups with 45 blue channels");
  expect_machine("xc40:groups=0", 2 * group, "2 groups of a machine of 2 groups with 96 blue");
  expect_machine("dragonfly", 2 * group, "2 groups of a machine of 2 groups with 96 blue");
  expect_machine("xe6", 64 * 8, "on 8 routers of a 3D torus of 24 x 24 x 24");
  expect_machine("xe6:x=3,y=2,z=2", 64 * 8, "on 8 routers of a 3D torus of 3 x 2 x 2");
  expect_machine("xe6:x=3,y=0,z=0", 64 * 8, "on 8 routers of a 3D torus of 3 x 2 x 2");
  expect_machine("xe6:x=0,y=0,z=0", 64 * 8, "on 8 routers of a 3D torus of 2 x 2 x 2");
  expect_machine("xe6", 1u << 20, "3D torus of 26 x 26 x 25");
  expect_machine("xc40", 1u << 20, "114 groups of a machine of 114 groups with 8 blue");
}

static uint64_t resident_kib(void) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  assert_non_null(f);
  assert_int_equal(fscanf(f, "%*d %ld", &pages), 1);
  fclose(f);
  return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* A machine costs memory where messages pass: of 961 groups with 2.8 million links two are used. */
static void links_cost_memory_when_used(void **state) {
  (void)state;
  sim_net_close(net_open("dragonfly:groups=961", 2 * 9216, 0)); /* what the process keeps */
  uint64_t before = resident_kib();
  struct sim_net *net = net_open("dragonfly:groups=961", 2 * 9216, 0);
  uint64_t opened = resident_kib(), clock_ps = 0;
  (void)net_blocking_ps(net, SIM_MSG_PUT, 0, 9216, 8, &clock_ps);
  uint64_t used = resident_kib();
  printf("961 groups: %lu KiB, a message %lu KiB\n", (unsigned long)(opened - before),
         (unsigned long)(used - opened));
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
  assert_true(opened - before < 8 * 1024 && used - opened < 4 * 1024);
#endif
  sim_net_close(net);
}

static void large_machine_is_small(void **state) {
  (void)state;
  struct rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  struct sim_net *net = net_open("xc40", 65536, 0);
  getrusage(RUSAGE_SELF, &after);
  printf("xc40 with 65,536 units: %ld KiB\n", after.ru_maxrss - before.ru_maxrss);
  assert_true(after.ru_maxrss - before.ru_maxrss < 100 * 1024);
  sim_net_close(net);
}

/* Equal requests take equal times: two machines in one process. */
static void equal_requests_take_equal_times(void **state) {
  (void)state;
  struct sim_net *a = net_open("xc40", 20000, 0), *b = net_open("xc40", 20000, 0);
  uint64_t x = 3;
  for (uint64_t i = 0; i < 20000; i++) {
    x = x * 6364136223846793005ull + 1442695040888963407ull;
    struct sim_timing ta, tb;
    uint32_t src = (uint32_t)((x >> 20) % 20000), dst = (uint32_t)((x >> 40) % 20000);
    sim_net_reserve(a, (enum sim_msg)(i % 3), src, dst, 8ull << i % 12, i * 100, &ta);
    sim_net_reserve(b, (enum sim_msg)(i % 3), src, dst, 8ull << i % 12, i * 100, &tb);
    assert_memory_equal(&ta, &tb, sizeof ta);
  }
  sim_net_close(b);
  sim_net_close(a);
}

int main(int argc, char **argv) {
  simgrid_init(&argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_platform_is_refused_with_its_reason),
      cmocka_unit_test(too_small_says_how_many_fit),
      cmocka_unit_test(large_machine_is_small),
      cmocka_unit_test(units_fill_cores_in_order),
      cmocka_unit_test(units_run_on_the_hosts_of_their_nodes),
      cmocka_unit_test(few_units_a_node_are_spread),
      cmocka_unit_test(routers_of_a_torus_stand_for_its_levels),
      cmocka_unit_test(machine_keeps_its_size),
      cmocka_unit_test(links_cost_memory_when_used),
      cmocka_unit_test(equal_requests_take_equal_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
