/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c - the simulator as a fabric module: runs a whole job in this process (options, SimGrid,
 * the world, the summary, the exit code). The core loads it as eyot_fabric_module and calls its
 * table (fabric/); for eyotrun a timed run, for eyotcheck a search (explore/). */
#include "fabric/module.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/exit_codes.h"
#include "base/out_file.h"
#include "base/wording.h"
#include "fabric_sim/engine/limits.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/explore/explore.h"
#include "fabric_sim/explore/race_time.h"
#include "fabric_sim/fault/fault.h"
#include "fabric_sim/machine/simgrid.h"
#include "fabric_sim/report/calls.h"
#include "fabric_sim/report/crash.h"
#include "fabric_sim/report/quiet.h"
#include "fabric_sim/report/report.h"
#include "fabric_sim/report/stats.h"
#include "rt/proc.h"
#include "rt/said.h"

#define SIMGRID_STACK_MOST (UINT64_C(3) << 30)
#define STACK_MMAP_BYTES (32 * 1024) /* at most the smallest useful stack */

static int conf_u32(enum eyoti_conf key, uint32_t *out) {
  uint64_t v;
  EYOTI_TRY(eyoti_conf_u64(key, &v));
  if (v > UINT32_MAX)
    return EYOTI_FAIL(EYOT_ERANGE, "%s=%" PRIu64 " is too large; at most %u",
                      eyoti_conf_entry(key)->env, v, UINT32_MAX);
  *out = (uint32_t)v;
  return EYOT_OK;
}

static int conf_bool(enum eyoti_conf key, bool *out) {
  uint64_t v;
  EYOTI_TRY(eyoti_conf_u64(key, &v));
  *out = v != 0;
  return EYOT_OK;
}

/* Files that are written at the end; path NULL or empty: none. */
static int check_out_file(const char *option, const char *path) {
  int err = path != NULL && *path != '\0' ? eyoti_out_file_errno(path) : 0;
  return err == 0 ? EYOT_OK
                  : EYOTI_FAIL(EYOT_EINVAL, "%s is %s, which cannot be written: %s", option, path,
                               strerror(err));
}

/* SimGrid counts the bytes of a stack in 32 bits. */
static int check_stack(const struct sim_options *o) {
  if (!o->simgrid || o->stack_bytes <= SIMGRID_STACK_MOST) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "EYOT_STACK_SIZE (--stack-size) is %" PRIu64
                    " bytes, and the stacks of --engine simgrid have at most %" PRIu64
                    "; lower it, or leave --engine at fiber",
                    o->stack_bytes, SIMGRID_STACK_MOST);
}

static int read_options(struct sim_options *o) {
  uint64_t v;
  const char *csv, *dot, *fault, *suppress, *traffic;
  *o = (struct sim_options){0};
  EYOTI_TRY(conf_u32(EYOTI_CONF_UNITS, &o->n_units));
  EYOTI_TRY(conf_u32(EYOTI_CONF_UNITS_PER_NODE, &o->units_per_node));
  EYOTI_TRY(conf_u32(EYOTI_CONF_MAX_OUTSTANDING, &o->max_outstanding));
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_PLATFORM, &o->platform));
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_PLACEMENT, &o->placement));
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_NODE_PLACEMENT, &o->node_placement));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_STACK_SIZE, &o->stack_bytes));
  uint64_t stack = o->n_units > 0 ? sim_limits_stack(o->n_units) : 0;
  if (!eyoti_conf_is_set(EYOTI_CONF_STACK_SIZE) && stack > o->stack_bytes) o->stack_bytes = stack;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_WATCHDOG, &o->watchdog_ns));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_TIME_LIMIT, &o->time_limit_ns));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MAX_VIRTUAL_TIME, &o->max_virtual_ns));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MAX_STEPS, &o->max_steps));
  EYOTI_TRY(conf_bool(EYOTI_CONF_STATS, &o->stats));
  EYOTI_TRY(conf_bool(EYOTI_CONF_PROGRESS_LINE, &o->progress_line));
  EYOTI_TRY(conf_bool(EYOTI_CONF_TRACE_HASH, &o->trace_hash));
  EYOTI_TRY(conf_bool(EYOTI_CONF_SHARED_GLOBALS, &o->shared_globals));
  EYOTI_TRY(conf_bool(EYOTI_CONF_RACES, &o->races));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ENGINE, &v));
  o->simgrid = v == EYOTI_ENGINE_SIMGRID;
  EYOTI_TRY(check_stack(o));
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ORDER, &v));
  o->order = (enum eyoti_order)v;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_NETWORK, &v));
  o->network = (enum eyoti_network)v;
  if (o->network == EYOTI_NETWORK_SIMGRID && !o->simgrid)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "EYOT_NETWORK=simgrid (--network simgrid) without --engine simgrid, whose "
                      "clock SimGrid's flows need; add that, or use --network shared");
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_ON_NODE, &v));
  o->on_nic = v == EYOTI_ON_NODE_NIC;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_COMPUTE, &v));
  o->compute = (enum eyoti_compute)v;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_COMPUTE_SCALE, &o->compute_percent));
  if (o->compute != EYOTI_COMPUTE_MEASURED && eyoti_conf_is_set(EYOTI_CONF_COMPUTE_SCALE))
    eyoti_log(EYOTI_LOG_WARN, __func__, 0,
              "EYOT_COMPUTE_SCALE (--compute-scale) has no effect without --compute measured: "
              "declared computation takes what the program says");
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_CLOCK, &v));
  o->clock = (enum eyoti_clock)v;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_STATS_CSV, &csv));
  EYOTI_TRY(check_out_file("EYOT_STATS_CSV (--stats-csv)", csv));
  o->stats_csv = csv != NULL && *csv != '\0' ? csv : NULL;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_DEADLOCK_DOT, &dot));
  EYOTI_TRY(check_out_file("EYOT_DEADLOCK_DOT (--deadlock-dot)", dot));
  o->deadlock_dot = dot != NULL && *dot != '\0' ? dot : NULL;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_FAULT, &fault));
  o->fault = fault != NULL && *fault != '\0' ? fault : NULL;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_TRAFFIC, &traffic));
  o->traffic = traffic != NULL && *traffic != '\0' ? traffic : NULL;
  EYOTI_TRY(eyoti_conf_string(EYOTI_CONF_SUPPRESS, &suppress));
  o->suppress = suppress != NULL && *suppress != '\0' ? suppress : NULL;
  if (o->max_outstanding == 0)
    return EYOTI_FAIL(EYOT_EINVAL, "EYOT_MAX_OUTSTANDING must be at least 1");
  return EYOT_OK;
}

/* SimGrid reads its own options from an argument vector. Distinct event times must stay distinct
 * (precision), and a stack must cost only what it touches (raw contexts with guards; without guards
 * above the map limit). */
static int start_simgrid(const struct sim_options *o) {
  const struct sim_sg_ops *sg;
  EYOTI_TRY(sim_sg_open(&sg));
  if (o->simgrid && !sim_limits_guards(o->n_units)) {
    /* SimGrid then takes stacks from calloc. As mappings of their own they cost what they touch; in
     * the heap, which glibc would use otherwise, they are zeroed. */
#ifdef M_MMAP_THRESHOLD
    (void)mallopt(M_MMAP_THRESHOLD, STACK_MMAP_BYTES);
    (void)mallopt(M_MMAP_MAX, INT_MAX);
#endif
  }
  char stack[64], guard[64];
  snprintf(stack, sizeof stack, "--cfg=contexts/stack-size:%" PRIu64,
           (o->stack_bytes + 1023) / 1024);
  snprintf(guard, sizeof guard, "--cfg=contexts/guard-size:%d",
           sim_limits_guards(o->n_units) ? 1 : 0);
  char *argv[] = {(char[]){"eyot"},
#ifdef __x86_64__ /* elsewhere SimGrid has none of these, and takes its fastest */
                  (char[]){"--cfg=contexts/factory:raw"},
#endif
                  stack,
                  guard,
                  (char[]){"--cfg=surf/precision:1e-12"},
                  (char[]){SIM_SG_LOG},
                  NULL};
  int argc = (int)(sizeof argv / sizeof *argv) - 1;
  sg->start(&argc, argv);
  return EYOT_OK;
}

struct fab_job {
  struct sim_world world;
  struct sim_report_ops reports;
  struct sim_crash crash;
  struct sim_stats *stats;     /* NULL: not requested */
  struct sim_race_time *races; /* NULL: races are not detected */
};

static void job_close(struct fab_job *j) {
  sim_crash_close(&j->crash);
  sim_fault_close(&j->world);
  sim_race_time_close(j->races);
  sim_stats_close(j->stats);
  sim_world_close(&j->world);
  free(j);
}

static int open_parts(struct fab_job *j, const struct sim_options *o, int argc, char **argv) {
  j->reports = (struct sim_report_ops){.deadlock = sim_report_deadlock,
                                       .livelock = sim_report_livelock,
                                       .calls = sim_report_calls,
                                       .crash = sim_crash_report,
                                       .quiet = sim_quiet_report,
                                       .inside = sim_quiet_inside,
                                       .ended = o->explore ? sim_explore_ended : sim_crash_ended};
  EYOTI_TRY(sim_world_open(&j->world, o, &j->reports, argc, argv));
  EYOTI_TRY(sim_stats_open(&j->world, &j->stats));
  EYOTI_TRY(sim_fault_open(&j->world, o->fault, o->explore));
  return sim_crash_open(&j->crash);
}

/* Makes a job whose units have not started; NULL after a message. Does not return without
 * memory. */
static struct fab_job *job_new(const struct sim_options *o, int argc, char **argv) {
  if ((o->simgrid || sim_plat_is_simgrid(o->platform)) && start_simgrid(o) != 0) return NULL;
  struct fab_job *j = calloc(1, sizeof *j);
  if (j == NULL) eyoti_no_memory(sizeof *j, "the simulation");
  int rc = open_parts(j, o, argc, argv);
  if (rc == 0) return j;
  job_close(j);
  if (rc == EYOT_ENOMEM) eyoti_no_memory(0, "the simulation of %u units", o->n_units);
  return NULL;
}

static int job_open(int argc, char **argv, struct fab_job **job) {
  struct sim_options o;
  EYOTI_ASSERT(argc >= 1); /* the core passes the program */
  if (read_options(&o) != 0 || sim_limits_check(&o) != 0) return EYOTI_EXIT_USAGE;
  if (o.suppress != NULL && !o.races)
    eyoti_log(EYOTI_LOG_WARN, __func__, 0,
              "EYOT_RACE_SUPPRESSIONS (--suppress) has no effect without --races");
  if (o.order == EYOTI_ORDER_TSO) {
    fprintf(stderr,
            "eyot: EYOT_ORDER=tso works in eyotcheck only: the timed engine has no store buffers; "
            "use strict, rdma or chaos\n");
    return EYOTI_EXIT_USAGE;
  }
  struct fab_job *j = job_new(&o, argc, argv);
  if (j == NULL) return EYOTI_EXIT_USAGE;
  if (!j->world.guards)
    eyoti_fprintf(stderr,
                  "eyot: %u units: stacks have no guard pages above %u units; overflow is %s\n",
                  j->world.n, SIM_GUARDED_UNITS_MAX,
                  o.simgrid ? "not noticed on the simgrid engine" : "found at switches only");
  *job = j;
  return 0;
}

/* Options of virtual time, which eyotcheck does not have. */
static void warn_of_times(void) {
  static const struct {
    enum eyoti_conf id;
    const char *names;
  } OF_TIME[] = {{EYOTI_CONF_NETWORK, "EYOT_NETWORK (--network)"},
                 {EYOTI_CONF_ON_NODE, "EYOT_ON_NODE (--on-node)"},
                 {EYOTI_CONF_TRAFFIC, "EYOT_TRAFFIC (--traffic)"},
                 {EYOTI_CONF_STATS_CSV, "EYOT_STATS_CSV (--stats-csv)"}};
  for (size_t i = 0; i < sizeof OF_TIME / sizeof *OF_TIME; i++)
    if (eyoti_conf_is_set(OF_TIME[i].id))
      eyoti_log(EYOTI_LOG_WARN, __func__, 0,
                "%s has no effect in eyotcheck, which explores schedules without virtual time",
                OF_TIME[i].names);
}

/* Exploring needs the fiber executor: SimGrid must not determine the order. */
static int job_check(int argc, char **argv, const struct fab_explore *what) {
  struct sim_options o;
  EYOTI_ASSERT(argc >= 1);
  if (read_options(&o) != 0 || sim_limits_check(&o) != 0) return EYOTI_EXIT_USAGE;
  if (o.simgrid || o.compute == EYOTI_COMPUTE_MEASURED) {
    fprintf(stderr,
            "eyotcheck: schedules are explored by --engine fiber with --compute declared only\n");
    return EYOTI_EXIT_USAGE;
  }
  warn_of_times();
  o.explore = true;
  o.stats = o.progress_line = false;
  o.stats_csv = NULL;
  struct fab_job *j = job_new(&o, argc, argv);
  if (j == NULL) return EYOTI_EXIT_USAGE;
  int code = sim_explore(&j->world, argc, argv, what);
  job_close(j);
  return code;
}

static int job_run(struct fab_job *job, uint64_t seed) {
  struct sim_world *w = &job->world;
  if (w->opt.races && (job->races = sim_race_time_open(w)) == NULL) return EYOTI_EXIT_USAGE;
  if (!w->opt.races && sim_prog_reports(w->prog)) sim_race_time_watch(w);
  int code = sim_world_run(w, seed);
  fflush(stdout);
  eyoti_said_close(w->proc);
  if (eyoti_proc_errors(w->proc, 0) > 0 && code == 0) code = EYOTI_EXIT_MISUSE;
  if (job->races != NULL && sim_race_time_print(job->races) > 0 && code == 0)
    code = EYOTI_EXIT_FOUND;
  if (w->opt.trace_hash) fprintf(stderr, "trace hash: %016" PRIx64 "\n", w->trace.hash);
  if (sim_stats_print(job->stats, w) != 0 && code == 0) code = EYOTI_EXIT_USAGE;
  return code;
}

EYOT_API extern const struct fab_module eyot_fabric_module;
const struct fab_module eyot_fabric_module = {.abi = FAB_ABI,
                                              .name = "sim",
                                              .job_open = job_open,
                                              .job_run = job_run,
                                              .job_close = job_close,
                                              .job_check = job_check};
