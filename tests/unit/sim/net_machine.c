/* SPDX-License-Identifier: BSD-3-Clause */
/* net_machine.c - machines from files (base/machine_file.h): every figure is read in its unit, keys
 * after the path change it, and what is malformed is refused with its file and line. */

#include "base/machine_file.h"
#include "fabric_sim/machine/platform_keys.h"
#include "unit/sim/net_test.h"

static const char PATH[] = "net_machine_test.machine";

static void write_text(const char *text) {
  FILE *f = fopen(PATH, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

/* A whole file; the line of `key` is `line` instead (NULL: it is left out). */
static void write_machine(const char *key, const char *line) {
  struct sim_plat p;
  struct sim_figure f;
  FILE *out = fopen(PATH, "w");
  assert_non_null(out);
  assert_int_equal(sim_plat_parse("dragonfly", &p), 0);
  fputs("# a machine\neyot-machine 1\n\n[platform]\nbase = dragonfly\n", out);
  for (uint32_t i = 0; i < sim_plat_rows(); i++) {
    if (!sim_plat_figure(&p, i, &f) || f.word[0] != '\0') continue;
    if (key != NULL && strcmp(f.key, key) == 0)
      fprintf(out, "%s", line != NULL ? line : "");
    else
      fprintf(out, "%s = %.9g %s [1 2.5] # measured\n", f.key, f.value, f.unit);
  }
  fputs("[model]\nnode.latency = 85.5 ns [80 90]\n", out);
  assert_int_equal(fclose(out), 0);
}

static double figure_of(const char *platform, const char *key) {
  struct sim_plat p;
  struct sim_figure f;
  assert_int_equal(sim_plat_parse(platform, &p), 0);
  for (uint32_t i = 0; i < sim_plat_rows(); i++)
    if (sim_plat_figure(&p, i, &f) && strcmp(f.key, key) == 0) return f.value;
  fail_msg("%s has no %s", platform, key);
  return 0;
}

static void a_file_has_the_figures_of_its_lines(void **state) {
  (void)state;
  char text[128];
  struct sim_plat plain, p;
  struct sim_figure was, is;
  write_machine("overhead_put", "overhead_put = 1.25 us [1 2] # in microseconds\n");
  snprintf(text, sizeof text, "%s:lat_numa=33,bw_copy=2.5", PATH);
  assert_int_equal(sim_plat_parse("dragonfly", &plain), 0);
  assert_int_equal(sim_plat_parse(text, &p), 0);
  for (uint32_t i = 0; i < sim_plat_rows(); i++) {
    assert_int_equal(sim_plat_figure(&plain, i, &was), sim_plat_figure(&p, i, &is));
    if (!sim_plat_figure(&p, i, &is)) continue;
    double want = strcmp(is.key, "overhead_put") == 0 ? 1250
                  : strcmp(is.key, "lat_numa") == 0   ? 33
                  : strcmp(is.key, "bw_copy") == 0    ? 2.5
                                                      : was.value;
    if (is.value - want > 1e-5 || want - is.value > 1e-5)
      fail_msg("%s is %g, expected %g", is.key, is.value, want);
    bool given = strcmp(is.key, "lat_numa") == 0 || strcmp(is.key, "bw_copy") == 0;
    assert_int_equal(is.given, given);
  }
  assert_int_equal(p.path_len, strlen(PATH));
  struct sim_net *net = net_open(text, 4, 0);
  assert_int_equal(net_overhead_ps(net, SIM_MSG_PUT, 0, 1, 0), 20000);
  sim_net_close(net);
}

/* In a file every figure is its own: one that others follow in a preset changes alone. */
static void no_figure_of_a_file_follows_another(void **state) {
  (void)state;
  char text[128];
  write_machine(NULL, NULL);
  snprintf(text, sizeof text, "%s:local=77", PATH);
  assert_true(figure_of(text, "local") == 77 && figure_of(text, "poll") == 10);
  assert_true(figure_of("dragonfly:local=77", "poll") == 77);
  assert_true(figure_of("dragonfly:local=77,poll=5", "poll") == 5);
  assert_true(figure_of("dragonfly:lat_numa=7", "load_numa") == 7);
  assert_true(figure_of("dragonfly", "late_node") == 400);
  assert_true(figure_of("dragonfly:late=9", "late_node") == 9);
}

static void malformed_lines_are_refused_with_their_number(void **state) {
  (void)state;
  static const char *const CASES[][3] = {
      {"gap", "gap = 10\n", "gap has unit ''; expected ns or us"},
      {"gap", "gap = 10 GB/s\n", "gap has unit 'GB/s'; expected ns or us"},
      {"cores", "cores = 2 ns\n", "cores has unit 'ns'; expected no unit"},
      {"gap", "gap = ten ns\n", "gap = ten ns; expected nanoseconds from 0 to 1000000"},
      {"cores", "cores = 0\n", "cores = 0; expected a whole number from 1 to 1024"},
      {"reach_2", "reach_2 = 3e9\n", "reach_2 = 3e9; expected a whole number from 0 to 1073741824"},
      {"gap", "gap = 2000 us\n", "gap = 2000 us; expected nanoseconds"},
      {"gap", "gap = -1 ns\n", "gap = -1 ns; expected"},
      {"gap", "gap =\n", "gap has no value"},
      {"gap", "gap 10 ns\n", "'gap 10 ns'; expected KEY = VALUE UNIT"},
      {"gap", "gap = 10 ns\ngap = 11 ns\n", "gap is given twice, first in line"},
      {"gap", "gap = 10 ns 11\n", "gap: '11' after value and unit"},
      {"gap", "gap = 10 ns [3 2]\n", "expected the quartiles, [LOW HIGH]"},
      {"gap", "gap = 10 ns [1 2\n", "expected the quartiles, [LOW HIGH]"},
      {"gap", "gap = 10 ns [1 2] 3\n", "expected the quartiles, [LOW HIGH]"},
      {"gap", "gap = 10 ns [1 2 3]\n", "gap: '[1 2 3]'; expected the quartiles, [LOW HIGH]"},
      {"gap", "gap = 10 ns [1]\n", "gap: '[1]'; expected the quartiles, [LOW HIGH]"},
      {"gap", "gap = 10 ns []\n", "gap: '[]'; expected the quartiles, [LOW HIGH]"},
      {"gap", "bw_x = 1 GB/s\n", "unknown key 'bw_x'"},
      {"gap", "lat_hop = 1 ns\n", "unknown key 'lat_hop'"},
      {"gap", "gap = 10 ns\nrouting = adaptive\n", "routing is no figure; give it after the file"},
      {"gap", "[platforms]\n", "unknown section 'platforms'"},
      {"gap", "[platform\n", "'[platform'; expected a section, [NAME]"},
      {"gap", NULL, "no value for gap; expected every figure"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    write_machine(CASES[i][0], CASES[i][1]);
    net_refuses(PATH, 1, 0, EYOT_EINVAL, CASES[i][2]);
  }
  write_machine("groups", "groups = two\n");
  net_refuses(PATH, 1, 0, EYOT_EINVAL, "net_machine_test.machine:6: groups = two");
}

static void figures_that_do_not_fit_each_other_are_refused_with_their_line(void **state) {
  (void)state;
  static const char *const CASES[][3] = {
      {"numa", "numa = 5\n", ":11: numa=5 does not divide cores=24; expected NUMA domains"},
      {"links", "links = 200\n", ":12: links=200 between two groups; expected at most one"},
      {"groups", "groups = 4096\n", ":6: groups=4096 with links="},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    char want[128];
    write_machine(CASES[i][0], CASES[i][1]);
    snprintf(want, sizeof want, "%s%s", PATH, CASES[i][2]);
    net_refuses(PATH, 1, 0, EYOT_EINVAL, want);
  }
}

/* What the message advises can be done. */
static void a_job_that_does_not_fit_is_told_to_enlarge_the_file(void **state) {
  (void)state;
  char text[128];
  write_machine("groups", "groups = 1\n");
  snprintf(text, sizeof text, "%s:chassis=1,blades=1,nodes=2", PATH);
  net_refuses(text, 49, 0, EYOT_ERANGE,
              "it holds 48 (2 nodes of 24); run fewer, or give the machine more nodes by keys "
              "after the file's name: net_machine_test.machine:groups=...,chassis=...,blades=...");
  snprintf(text, sizeof text, "%s:chassis=1,blades=2,nodes=2", PATH);
  sim_net_close(net_open(text, 49, 0));
}

static void what_is_no_machine_file_is_refused(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"", "is empty"},
      {"# nothing\n", "is empty"},
      {"eyot-machine 2\n", ":1: 'eyot-machine 2'; expected 'eyot-machine 1'"},
      {"[platform]\n", ":1: '[platform]'; expected 'eyot-machine 1'"},
      {"eyot-machine 1\ngap = 1 ns\n", ":2: gap stands before the first section"},
      {"eyot-machine 1\n[platform]\n", "has no base"},
      {"eyot-machine 1\n[platform]\nbase = xc50\n", ":3: base = xc50; expected a preset"},
      {"eyot-machine 1\n[platform]\nbase = xc40 [1 2]\n", ":3: base = xc40 [...]; expected the"},
      {"eyot-machine 1\n[platform]\nbase = xc40 ns\n", ":3: base = xc40 ns; expected the preset"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    write_text(CASES[i][0]);
    net_refuses(PATH, 1, 0, EYOT_EINVAL, CASES[i][1]);
  }
  net_refuses("no/such.machine", 1, 0, EYOT_ESYS, "no/such.machine: No such file");
  write_machine(NULL, NULL);
  char text[128];
  snprintf(text, sizeof text, "%s:tx=1,tx=2", PATH);
  net_refuses(text, 1, 0, EYOT_EINVAL, "tx is given twice");
  snprintf(text, sizeof text, "%s:", PATH);
  net_refuses(text, 1, 0, EYOT_EINVAL, "expected key=value after the colon");
}

static void entries_keep_section_unit_and_quartiles(void **state) {
  (void)state;
  struct eyoti_machine m;
  write_machine(NULL, NULL);
  assert_int_equal(eyoti_machine_read(PATH, &m), 0);
  const struct eyoti_machine_entry *e = eyoti_machine_find(&m, "model", "node.latency");
  assert_non_null(e);
  assert_true(strcmp(e->value, "85.5") == 0 && strcmp(e->unit, "ns") == 0);
  assert_true(e->measured && e->low == 80 && e->high == 90);
  assert_null(eyoti_machine_find(&m, "platform", "node.latency"));
  eyoti_machine_free(&m);
}

/* A copy costs the rate of each cache for the bytes that it takes of it; a line that another unit
 * used last costs its price once. */
static void prices_within_a_node(void **state) {
  (void)state;
  struct sim_net *net = net_open(
      "dragonfly:cache_1=1000,cache_2=3000,bw_copy_1=10,bw_copy_2=5,bw_copy=1,bw_copy_get_1=2,"
      "overhead_node=0,overhead_node_get=4,overhead_node_atomic=3,signal_node=7,line_atomic=50,"
      "line_get=40,poll=6,complete=8,late_node=0,load_numa=9",
      48, 0);
  net_near("in the first cache", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, 1, 1000), 100e3,
           0.001);
  net_near("in the second", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, 1, 2000), 300e3, 0.001);
  net_near("beyond", (double)net_overhead_ps(net, SIM_MSG_PUT, 0, 1, 4000), 1500e3, 0.001);
  net_near("a get", (double)net_overhead_ps(net, SIM_MSG_GET, 0, 1, 4000), 1904e3, 0.001);
  assert_int_equal(net_overhead_ps(net, SIM_MSG_AMO, 0, 1, 8), 3000);
  assert_int_equal(sim_net_signal_ps(net, 0, 1, false), 7000);
  assert_int_equal(sim_net_signal_ps(net, 0, 1, true), 7000); /* as the signal if not given */
  assert_int_equal(sim_net_signal_ps(net, 0, 24, false), 0);
  assert_int_equal(sim_net_complete_ps(net), 8000);
  assert_int_equal(sim_net_poll_ps(net, 0), 6000);
  assert_int_equal(sim_net_late_ns(net, true), 0);
  assert_int_equal(sim_net_late_ns(net, false), 400);
  struct sim_timing t;
  sim_net_reserve(net, SIM_MSG_AMO, 0, 1, 8, QUIET_PS, &t);
  assert_int_equal(t.target_at - QUIET_PS, 9000);
  static const struct {
    enum sim_msg kind;
    uint32_t src, dst;
    uint64_t off, ns;
  } USES[] = {
      {SIM_MSG_AMO, 0, 1, 128, 50}, /* the line is its owner's */
      {SIM_MSG_AMO, 0, 1, 184, 0},  /* the same line again */
      {SIM_MSG_AMO, 0, 1, 192, 50}, /* the next line */
      {SIM_MSG_GET, 2, 1, 128, 40}, /* by another unit */
      {SIM_MSG_PUT, 0, 1, 128, 0},  /* a store does not wait, */
      {SIM_MSG_AMO, 0, 1, 128, 0},  /* but has the line */
      {SIM_MSG_AMO, 1, 1, 128, 50}, /* back at its owner */
      {SIM_MSG_AMO, 1, 1, 256, 0},  /* where it was */
      {SIM_MSG_AMO, 24, 1, 256, 0}, /* through the NIC */
  };
  for (size_t i = 0; i < sizeof USES / sizeof *USES; i++)
    if (sim_net_line_ps(net, USES[i].kind, USES[i].src, USES[i].dst, 3, USES[i].off, 8) !=
        USES[i].ns * 1000)
      fail_msg("use %zu does not cost %llu ns", i, (unsigned long long)USES[i].ns);
  assert_int_equal(sim_net_line_ps(net, SIM_MSG_GET, 5, 1, 3, 128, 65), 0); /* a copy */
  sim_net_close(net);
}

/* A line costs more the more lines the unit has used since; pages cost once; atomics of a node cost
 * more in a job of several. */
static void prices_of_what_is_far(void **state) {
  (void)state;
  const char *platform =
      "dragonfly:reach_1=640,reach_2=6400,far_put_1=3,far_get_1=5,far_atomic_1=7,far_put_2=30,"
      "far_get_2=50,far_atomic_2=70,line_get=60,line_atomic=60,page_first=900,overhead_own=800,"
      "overhead_node_atomic=11";
  struct sim_net *net = net_open(platform, 48, 0);
  static const struct {
    uint64_t others; /* lines that unit 0 uses before */
    enum sim_msg kind;
    uint32_t src, dst;
    uint64_t line, ns;
  } USES[] = {
      {0, SIM_MSG_GET, 0, 0, 1, 50}, /* was never used */
      {0, SIM_MSG_GET, 0, 0, 1, 0},  /* near */
      {10, SIM_MSG_GET, 0, 0, 1, 0}, /* ten other lines are within reach, */
      {11, SIM_MSG_GET, 0, 0, 1, 5}, /* eleven are not */
      {11, SIM_MSG_PUT, 0, 0, 1, 3},   {11, SIM_MSG_AMO, 0, 0, 1, 7},
      {101, SIM_MSG_PUT, 0, 0, 1, 30}, {101, SIM_MSG_AMO, 0, 0, 1, 70},
      {0, SIM_MSG_GET, 1, 0, 1, 60},  /* from the cache of the unit that used it last */
      {0, SIM_MSG_GET, 2, 1, 1, 60},  /* never used, and another's */
      {100, SIM_MSG_GET, 1, 0, 1, 0}, /* unit 0 used them, not unit 1 */
      {0, SIM_MSG_GET, 24, 0, 1, 0},  /* through the NIC */
  };
  uint64_t other = 1000;
  for (size_t i = 0; i < sizeof USES / sizeof *USES; i++) {
    for (uint64_t n = 0; n < USES[i].others; n++, other++)
      for (int twice = 0; twice < 2; twice++) /* once more is no other line */
        (void)sim_net_line_ps(net, SIM_MSG_GET, 0, 0, 3, other * 64, 8);
    uint64_t ps =
        sim_net_line_ps(net, USES[i].kind, USES[i].src, USES[i].dst, 3, USES[i].line * 64, 8);
    if (ps != USES[i].ns * 1000)
      fail_msg("use %zu costs %llu ps, not %llu ns", i, (unsigned long long)ps,
               (unsigned long long)USES[i].ns);
  }
  assert_int_equal(sim_net_page_ps(net, 0, 1, 3, 4000, 200), 1800000);
  assert_int_equal(sim_net_page_ps(net, 0, 1, 3, 4000, 200), 0);
  assert_int_equal(sim_net_page_ps(net, 0, 0, 3, 4000, 8), 900000); /* another's memory */
  assert_int_equal(sim_net_page_ps(net, 1, 1, 3, 4000, 8), 900000); /* by another unit */
  assert_int_equal(sim_net_page_ps(net, 0, 24, 3, 4000, 8), 0);     /* through the NIC */
  assert_int_equal(net_overhead_ps(net, SIM_MSG_AMO, 0, 1, 8), 811000);
  assert_int_equal(net_overhead_ps(net, SIM_MSG_AMO, 0, 24, 8), 100000);
  sim_net_close(net);
  net = net_open(platform, 24, 0);
  assert_int_equal(net_overhead_ps(net, SIM_MSG_AMO, 0, 1, 8), 11000);
  sim_net_close(net);
}

/* The system clears the pages that it gives on the processor of their unit: the lines are in its
 * caches, the last of them near, and it has no first use of the pages. */
static void prices_of_given_pages(void **state) {
  (void)state;
  struct sim_net *net = net_open(
      "dragonfly:reach_1=640,reach_2=6400,far_put_1=3,far_get_1=5,"
      "far_atomic_1=7,far_put_2=30,far_get_2=50,far_atomic_2=70,"
      "line_get=40,line_atomic=60,page_first=900",
      48, 0);
  enum { PAGE = 4096 };
  assert_true(sim_net_takes_given(net));
  sim_net_give(net, 0, 3, 0, 2 * PAGE);
  sim_net_give(net, 0, 3, 2 * PAGE, PAGE); /* goes on where the one before ended */
  static const struct {
    enum sim_msg kind;
    uint32_t src, dst, seg;
    uint64_t off, ns;
  } USES[] = {
      {SIM_MSG_GET, 0, 0, 3, 3 * PAGE - 64, 0}, /* the last line */
      {SIM_MSG_GET, 0, 0, 3, 3 * PAGE - 64 * 20, 5},
      {SIM_MSG_PUT, 0, 0, 3, 64, 30}, /* the pages are more than reach_2 */
      {SIM_MSG_AMO, 0, 0, 3, 128, 70},
      {SIM_MSG_GET, 1, 0, 3, 3 * PAGE - 64 * 30, 40}, /* from the cache of its owner */
      {SIM_MSG_GET, 1, 0, 3, 192, 50},                /* from memory */
      {SIM_MSG_GET, 0, 0, 3, 3 * PAGE, 50},           /* was not given */
      {SIM_MSG_GET, 0, 0, 4, 0, 50},                  /* another segment */
      {SIM_MSG_GET, 1, 1, 3, 0, 50},                  /* another unit's */
  };
  for (size_t i = 0; i < sizeof USES / sizeof *USES; i++) {
    uint64_t ps =
        sim_net_line_ps(net, USES[i].kind, USES[i].src, USES[i].dst, USES[i].seg, USES[i].off, 8);
    if (ps != USES[i].ns * 1000)
      fail_msg("use %zu costs %llu ps, not %llu ns", i, (unsigned long long)ps,
               (unsigned long long)USES[i].ns);
  }
  assert_int_equal(sim_net_page_ps(net, 0, 0, 3, 8, 8), 0);
  assert_int_equal(sim_net_page_ps(net, 1, 0, 3, 8, 8), 900000); /* another unit has a first use */
  assert_int_equal(sim_net_page_ps(net, 0, 0, 3, 3 * PAGE, 8), 900000);
  /* the parts given last are kept */
  for (uint64_t i = 0; i < 8; i++) sim_net_give(net, 0, 3, (10 + 2 * i) * PAGE, PAGE);
  assert_int_equal(sim_net_page_ps(net, 0, 0, 3, 24 * PAGE, 8), 0);
  assert_int_equal(sim_net_page_ps(net, 0, 0, 3, PAGE, 8), 900000);
  sim_net_close(net);
  net = net_open("dragonfly", 48, 0);
  assert_false(sim_net_takes_given(net));
  sim_net_close(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_has_the_figures_of_its_lines),
      cmocka_unit_test(no_figure_of_a_file_follows_another),
      cmocka_unit_test(malformed_lines_are_refused_with_their_number),
      cmocka_unit_test(figures_that_do_not_fit_each_other_are_refused_with_their_line),
      cmocka_unit_test(a_job_that_does_not_fit_is_told_to_enlarge_the_file),
      cmocka_unit_test(what_is_no_machine_file_is_refused),
      cmocka_unit_test(entries_keep_section_unit_and_quartiles),
      cmocka_unit_test(prices_within_a_node),
      cmocka_unit_test(prices_of_what_is_far),
      cmocka_unit_test(prices_of_given_pages),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(PATH);
  return failed;
}
