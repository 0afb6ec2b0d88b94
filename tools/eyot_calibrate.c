/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot_calibrate.c - the command eyot-calibrate: measures the prices of this machine through the
 * mpi fabric, and writes them to a machine file (docs/calibration.md), which eyotrun --fabric sim
 * --platform FILE reads.
 *
 * Jobs within a node and between nodes take turns, so that a slower minute of the machine is in
 * both. Then the figures are fitted by runs of the simulator (calibrate/figures.c). */
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate/figures.h"
#include "calibrate/job.h"
#include "calibrate/topology.h"
#include "init/module.h"
#include "tool.h"

enum { JOBS = 5, ROUNDS = 15, FIT_STEPS = 12, UNITS = 2 };
#define BLOCK_NS 3e5     /* of a measurement: short, so that other programs interrupt few */
#define SIM_BLOCK_NS 5e4 /* in the simulator, where all blocks are alike */
#define FIT_ENOUGH 0.002
#define BUSY_LOAD 0.5 /* other programs that want a processor */

struct calibrate {
  const char *out;
  uint64_t jobs, rounds;
  struct job job;
  char eyotrun[PATH_MAX], probe[PATH_MAX], network[256];
  struct machine machine;
  struct samples_of measured;
};

static bool own_known(const char *name, bool *takes_value) {
  *takes_value = true;
  return strcmp(name, "output") == 0 || strcmp(name, "hosts") == 0 || strcmp(name, "jobs") == 0 ||
         strcmp(name, "rounds") == 0;
}

static const struct tool TOOL;

static int own_set(void *arg, const char *name, char *value) {
  struct calibrate *c = arg;
  if (strcmp(name, "jobs") == 0) return tool_number(&TOOL, name, value, 1, 1000, &c->jobs);
  if (strcmp(name, "rounds") == 0) return tool_number(&TOOL, name, value, 1, 10000, &c->rounds);
  if (strcmp(name, "output") == 0)
    c->out = value;
  else
    c->job.hosts = value;
  return 0;
}

static const struct tool TOOL = {
    .name = "eyot-calibrate", .own_known = own_known, .own_set = own_set};

static void print_help(void) {
  puts(
      "usage: eyot-calibrate [OPTIONS]\n"
      "\n"
      "Measures the prices of this machine with two units over MPI, within a node and between\n"
      "nodes, and writes them to a machine file: eyotrun --fabric sim --platform FILE simulates\n"
      "the machine, and eyotrun --fabric mpi --machine FILE chooses algorithms of collectives by\n"
      "it. A person can read and edit the file. It takes about half a minute; other programs\n"
      "should rest meanwhile.\n"
      "\n"
      "options:");
  tool_help_row("--output FILE", "the file to write; its name ends in .machine [this.machine]");
  tool_help_row("--hosts A,B",
                "measures the network between these two hosts, of which this is one [virtual "
                "nodes of one unit on this machine]");
  tool_help_row("--jobs N", "starts each job N times; they take turns [5]");
  tool_help_row("--rounds N", "measures everything N times in a job [15]");
  tool_help_row("--version", "prints the version");
  tool_help_row("-h, --help", "prints this text");
}

/* A,B: whether they are one machine under two names, the probe finds out. */
static bool two_hosts(const char *list) {
  size_t a = strcspn(list, ","), b = a + 1;
  if (a == 0 || list[a] == '\0' || list[b] == '\0' || strchr(list + b, ',') != NULL) return false;
  return strlen(list + b) != a || strncmp(list, list + b, a) != 0;
}

/* Returns an exit code; *done: there is nothing to measure. */
static int read_options(int argc, char **argv, struct calibrate *c, bool *done) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help();
      *done = true;
      return 0;
    }
    if (strcmp(argv[i], "--version") == 0) {
      printf("eyot-calibrate %s\n", eyot_version());
      *done = true;
      return 0;
    }
    if (argv[i][0] != '-') return tool_usage(&TOOL, "unexpected argument ", argv[i]);
    int code = tool_option(&TOOL, argv, &i, c);
    if (code != 0) return code;
  }
  if (c->job.hosts != NULL && !two_hosts(c->job.hosts))
    return tool_usage(&TOOL, "hosts must be two different names, as in a,b, and is ", c->job.hosts);
  size_t len = strlen(c->out), end = strlen(".machine");
  if (len <= end || strcmp(c->out + len - end, ".machine") != 0)
    return tool_usage(&TOOL, "the name of the file must end in .machine, and does not: ", c->out);
  return 0;
}

/* The other programs, which are installed beside this one. */
static bool find_programs(struct calibrate *c) {
  char self[PATH_MAX - 64];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) {
    fprintf(stderr, "eyot-calibrate: /proc/self/exe: %s\n", strerror(errno));
    return false;
  }
  self[n] = '\0';
  *strrchr(self, '/') = '\0';
  snprintf(c->eyotrun, sizeof c->eyotrun, "%s/eyotrun", self);
  snprintf(c->probe, sizeof c->probe, "%s/eyot-calibrate-probe", self);
  c->job.eyotrun = c->eyotrun, c->job.probe = c->probe;
  const char *paths[] = {c->eyotrun, c->probe};
  for (int i = 0; i < 2; i++)
    if (access(paths[i], X_OK) != 0) {
      fprintf(stderr, "eyot-calibrate: %s: %s; it belongs beside eyot-calibrate\n", paths[i],
              strerror(errno));
      return false;
    }
  return true;
}

/* Before anything takes time: what would fail at the end. */
static bool check(struct calibrate *c) {
  if (!eyoti_module_exists("mpi") && !eyoti_module_exists("openmpi")) {
    fprintf(stderr, "eyot-calibrate: this eyot has no mpi fabric, through which it measures\n");
    return false;
  }
  if (!eyoti_module_exists("sim")) {
    fprintf(stderr, "eyot-calibrate: this eyot has no simulator, by which the figures are found\n");
    return false;
  }
  topology_read(&c->machine.cores, &c->machine.numa);
  for (uint32_t i = 0; i < 2; i++)
    c->machine.cache[i] = topology_cache(i + 2, &c->machine.cache_from[i]);
  if (c->machine.cores < UNITS) {
    fprintf(stderr,
            "eyot-calibrate: this process may use %u processor; it measures with %d units, "
            "which need one each\n",
            c->machine.cores, UNITS);
    return false;
  }
  FILE *out = fopen(c->out, "a");
  if (out == NULL) {
    fprintf(stderr, "eyot-calibrate: %s: %s\n", c->out, strerror(errno));
    return false;
  }
  bool is_new = ftell(out) == 0;
  (void)fclose(out);
  if (is_new) unlink(c->out); /* nothing is left of a run that fails */
  double load;
  if (getloadavg(&load, 1) == 1 && load > BUSY_LOAD)
    fprintf(stderr,
            "eyot-calibrate: warning: the machine is busy (load %.1f); the figures will be those "
            "of a busy machine\n",
            load);
  return true;
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void progress(const char *text, uint64_t done, uint64_t all) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%s: %" PRIu64 " of %" PRIu64 " %s", text, done, all,
            done == all ? "\n" : "");
  else if (done == all)
    fprintf(stderr, "%s: done\n", text);
}

static bool measure(struct calibrate *c) {
  uint64_t all = 2 * c->jobs;
  for (uint64_t i = 0; i < all; i++) {
    progress("eyot-calibrate: jobs over MPI", i, all);
    bool network = i % 2 == 1;
    if (!job_measure(&c->job, network, (uint32_t)c->rounds, BLOCK_NS,
                     &c->measured.place[network ? PLACE_NETWORK : PLACE_NODE]))
      return false;
  }
  progress("eyot-calibrate: jobs over MPI", all, all);
  return true;
}

/* Simulates with the figures so far, in a file beside the result. */
static bool simulate(struct calibrate *c, struct figures *f, const char *path,
                     struct samples_of *out) {
  if (!figures_write(path, "figures of a fit that is not over", &c->machine, f, &c->measured)) {
    fprintf(stderr, "eyot-calibrate: %s: %s\n", path, strerror(errno));
    return false;
  }
  for (int p = 0; p < PLACES; p++)
    if (!job_simulate(&c->job, path, p == PLACE_NETWORK, SIM_BLOCK_NS, &out->place[p]))
      return false;
  return true;
}

static bool fit(struct calibrate *c, struct figures *f) {
  char path[PATH_MAX];
  struct figures_off worst = {.part = 1};
  bool good = true;
  if (snprintf(path, sizeof path, "%.*s.fit.machine", (int)strlen(c->out) - 8, c->out) >=
      (int)sizeof path)
    return false;
  for (uint64_t i = 0; i < FIT_STEPS && good && worst.part > FIT_ENOUGH; i++) {
    struct samples_of simulated = {0};
    progress("eyot-calibrate: fitting figures in the simulator", i, FIT_STEPS);
    good = simulate(c, f, path, &simulated) && figures_fit(f, &c->measured, &simulated, &worst);
    for (int p = 0; p < PLACES; p++) samples_free(&simulated.place[p]);
  }
  unlink(path);
  if (!good) return false;
  progress("eyot-calibrate: fitting figures in the simulator", FIT_STEPS, FIT_STEPS);
  if (worst.part > FIT_ENOUGH)
    fprintf(stderr,
            "eyot-calibrate: the simulator is still off by %.1f %% of one measurement%s: %s\n",
            worst.part * 100, worst.network ? " between nodes" : "", worst.text);
  return true;
}

static bool write_result(struct calibrate *c, struct figures *f) {
  char title[512], host[128] = "this host", date[64] = "";
  time_t now = time(NULL);
  struct tm tm;
  gethostname(host, sizeof host - 1);
  if (localtime_r(&now, &tm) != NULL) strftime(date, sizeof date, "%Y-%m-%d %H:%M", &tm);
  snprintf(title, sizeof title, "%s, measured by eyot-calibrate %s on %s; network: %s", host,
           eyot_version(), date, c->machine.network);
  if (figures_write(c->out, title, &c->machine, f, &c->measured)) return true;
  fprintf(stderr, "eyot-calibrate: %s: %s\n", c->out, strerror(errno));
  return false;
}

static int run_tool(int argc, char **argv) {
  struct calibrate c = {.out = "this.machine", .jobs = JOBS, .rounds = ROUNDS};
  struct figures *f = calloc(1, sizeof *f);
  bool done = false;
  int code = read_options(argc, argv, &c, &done);
  if (code != 0 || done || f == NULL) {
    free(f);
    return f == NULL ? EYOTI_EXIT_NO_MEMORY : code;
  }
  c.machine.network = "virtual nodes of one unit on this machine";
  if (c.job.hosts != NULL) {
    snprintf(c.network, sizeof c.network, "hosts %s", c.job.hosts);
    c.machine.network = c.network;
  }
  double begin = now_s();
  bool good = find_programs(&c) && check(&c);
  if (good)
    fprintf(stderr, "eyot-calibrate: takes about %.0f s\n",
            5 + (double)c.jobs * (1.5 + 0.15 * (double)c.rounds));
  good = good && measure(&c) && figures_begin(f, &c.machine, &c.measured) && fit(&c, f) &&
         write_result(&c, f);
  if (good) printf("%s: %u figures, in %.0f s\n", c.out, f->n, now_s() - begin);
  for (int p = 0; p < PLACES; p++) samples_free(&c.measured.place[p]);
  free(f);
  return good ? EYOTI_EXIT_OK : EYOTI_EXIT_USAGE;
}

int main(int argc, char **argv) {
  return tool_end("eyot-calibrate", run_tool(argc, argv));
}
