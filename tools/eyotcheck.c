/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck.c - the command eyotcheck: finds, replays and shrinks schedules in which a program
 * fails. See docs/checking.md.
 *
 * The simulator does the search (fab_module.job_check). This file handles options, and the file of
 * a failing run, which contains program, arguments and options. */
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "check/runfile/file.h"
#include "eyotcheck_gdb.h"
#include "eyotcheck_units.h"
#include "fabric/fabric.h"
#include "init/module.h"
#include "tool.h"

#define FOUND_CODE 1
#define OPTION_BYTES 4096u
#define RUNS_MAX 1000000000000u
#define JOBS_MAX 64u
#define DEPTH_MAX 64u
#define SECONDS_MAX 86400000u
#define RUNS_DEFAULT 10000u
#define SAVE_DEFAULT "eyotcheck.run"

struct job {
  char **program;
  int n_program;
  struct fab_explore what;
  bool fewer_units, gdb;
  bool detects;         /* --detect was given */
  struct chk_file file; /* for --replay and --shrink */
};

static const char *const STRATEGIES[] = {"random", "pct", "exhaustive", "guided"};
#define N_STRATEGIES (sizeof STRATEGIES / sizeof *STRATEGIES)
/* as the bits of enum fab_detect */
static const char *const DETECTORS[] = {"source",     "destination", "range", "leak",
                                        "collective", "deadlock",    "race"};
#define N_DETECTORS (sizeof DETECTORS / sizeof *DETECTORS)

static const struct own {
  const char *name;
  bool takes_value;
  const char *value, *help;
} OWN[] = {
    {"strategy", true, "NAME",
     "who chooses what happens next: random, pct, exhaustive, guided [random]"},
    {"runs", true, "N",
     "at most so many runs; 0: no bound [10000; exhaustive and --time: no bound]"},
    {"time", true, "SECONDS", "stop after so many seconds of wall time"},
    {"jobs", true, "N", "so many processes at a time [1]"},
    {"depth", true, "D", "pct: ordering constraints of the bug looked for [3]"},
    {"max-run", true, "STEPS", "a run of more steps is cut and counted [1000000]"},
    {"livelock", false, NULL,
     "a run that comes to --max-run has failed: what each unit does then is told [off]"},
    {"no-reduction", false, NULL, "exhaustive: every interleaving, not one of each class"},
    {"detect", true, "LIST",
     "what fails a run: of source,destination,range,leak,collective,deadlock,race those given, or "
     "all but those given as -NAME [all]"},
    {"keep-going", false, NULL, "count failing runs, do not stop at the first"},
    {"replay", true, "FILE", "run the failing run of FILE again"},
    {"gdb", false, NULL, "with --replay: under gdb, which stops before the step that fails"},
    {"shrink", true, "FILE", "make the failing run of FILE smaller"},
    {"no-shrink", false, NULL, "leave a failing run as it was found"},
    {"fewer-units", false, NULL,
     "look for a failing run's failure with fewer units, too (up to 64) [on]"},
    {"steps", false, NULL, "tell each step of a failing run"},
    {"save", true, "FILE", "where a failing run is written [" SAVE_DEFAULT "]"},
};
#define N_OWN (sizeof OWN / sizeof *OWN)

static bool own_known(const char *name, bool *takes_value) {
  for (size_t i = 0; i < N_OWN; i++) {
    if (strcmp(name, OWN[i].name) != 0) continue;
    *takes_value = OWN[i].takes_value;
    return true;
  }
  return false;
}

static int number(const char *name, const char *value, uint64_t low, uint64_t high, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long v = strtoull(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || *value < '0' || *value > '9' || v < low ||
      v > high) {
    fprintf(stderr,
            "eyotcheck: --%s is '%s'; expected a whole number from %" PRIu64 " to %" PRIu64 "\n",
            name, value, low, high);
    return TOOL_USAGE_CODE;
  }
  *out = v;
  return 0;
}

static int set_strategy(struct fab_explore *w, const char *value) {
  for (size_t i = 0; i < N_STRATEGIES; i++)
    if (strcmp(value, STRATEGIES[i]) == 0) {
      w->strategy = STRATEGIES[i];
      return 0;
    }
  fprintf(stderr, "eyotcheck: --strategy is '%s'; expected random, pct, exhaustive or guided\n",
          value);
  return TOOL_USAGE_CODE;
}

/* NAME,...: only these detectors; -NAME,...: all but these. */
static int set_detect(struct fab_explore *w, const char *value) {
  w->detect = value[0] == '-' ? FAB_DETECT_ALL : 0;
  for (const char *at = value;;) {
    bool off = at[0] == '-';
    at += off;
    size_t n = strcspn(at, ","), i = 0;
    while (i < N_DETECTORS && (strlen(DETECTORS[i]) != n || strncmp(at, DETECTORS[i], n) != 0)) i++;
    if (i == N_DETECTORS) {
      fprintf(stderr,
              "eyotcheck: --detect is '%s'; expected names, or names with a minus, of source, "
              "destination, range, leak, collective, deadlock, race\n",
              value);
      return TOOL_USAGE_CODE;
    }
    w->detect = off ? w->detect & ~(1u << i) : w->detect | 1u << i;
    if (at[n] == '\0') return 0;
    at += n + 1;
  }
}

static int set_number(struct fab_explore *w, const char *name, const char *value) {
  uint64_t v;
  if (strcmp(name, "runs") == 0) return number(name, value, 0, RUNS_MAX, &w->runs);
  if (strcmp(name, "time") == 0) return number(name, value, 1, SECONDS_MAX, &w->seconds);
  if (strcmp(name, "max-run") == 0) return number(name, value, 1, RUNS_MAX, &w->max_steps);
  int code = number(name, value, 1, strcmp(name, "jobs") == 0 ? JOBS_MAX : DEPTH_MAX, &v);
  if (code != 0) return code;
  if (strcmp(name, "jobs") == 0)
    w->jobs = (uint32_t)v;
  else
    w->depth = (uint32_t)v;
  return 0;
}

/* Sets a switch; without a value it is on. */
static int set_switch(const char *name, const char *value, bool on, bool *out) {
  if (value != NULL && strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
    fprintf(stderr, "eyotcheck: --%s is '%s'; expected on or off\n", name, value);
    return TOOL_USAGE_CODE;
  }
  *out = (value == NULL || strcmp(value, "on") == 0) == on;
  return 0;
}

static int own_set(void *arg, const char *name, char *value) {
  struct fab_explore *w = &((struct job *)arg)->what;
  if (strcmp(name, "strategy") == 0) return set_strategy(w, value);
  if (strcmp(name, "detect") == 0) {
    ((struct job *)arg)->detects = true;
    return set_detect(w, value);
  }
  if (strcmp(name, "fewer-units") == 0)
    return set_switch(name, value, true, &((struct job *)arg)->fewer_units);
  if (strcmp(name, "gdb") == 0) return set_switch(name, value, true, &((struct job *)arg)->gdb);
  if (strcmp(name, "no-reduction") == 0) return set_switch(name, value, false, &w->reduce);
  if (strcmp(name, "livelock") == 0) return set_switch(name, value, true, &w->livelock);
  if (strcmp(name, "no-shrink") == 0) return set_switch(name, value, false, &w->shrink_found);
  if (strcmp(name, "keep-going") == 0) return set_switch(name, value, true, &w->keep_going);
  if (strcmp(name, "steps") == 0) return set_switch(name, value, true, &w->verbose);
  const char **text = strcmp(name, "replay") == 0   ? &w->replay
                      : strcmp(name, "shrink") == 0 ? &w->shrink
                      : strcmp(name, "save") == 0   ? &w->save
                                                    : NULL;
  if (text == NULL) return set_number(w, name, value);
  *text = value;
  return 0;
}

static const struct tool TOOL = {"eyotcheck", own_known, own_set};

static void print_help(void) {
  puts(
      "usage: eyotcheck [-n N] [OPTIONS] PROGRAM [ARGUMENTS]\n"
      "       eyotcheck --replay FILE [--gdb] | --shrink FILE\n"
      "\n"
      "Runs PROGRAM, built with eyotcc, as N simulated units under many schedules, each from "
      "eyot_check_begin on. Exit code 0: nothing was found;\n"
      "1: a run failed, and was written to a file that --replay runs again; 2: nothing could be "
      "explored.\n");
  for (size_t i = 0; i < N_OWN; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s%s%s", OWN[i].name, OWN[i].takes_value ? " " : "",
             OWN[i].takes_value ? OWN[i].value : "");
    printf("  %-*s %s\n", TOOL_COLUMN, left, OWN[i].help);
  }
  printf("  %-*s %s\n", TOOL_COLUMN, "-h, --help", "print this");
  puts("\nOptions of the simulator (those of time and prices have no effect):");
  tool_print_options();
}

/* Takes program, arguments and options from a failing run's file; options of the command line
 * override them. */
static int read_file(struct job *job, const char *path) {
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    fprintf(stderr, "eyotcheck: cannot read %s: %s\n", path, strerror(errno));
    return TOOL_USAGE_CODE;
  }
  struct chk_file *f = &job->file;
  int rc = chk_file_read(f, in, path, NULL);
  fclose(in);
  if (rc != 0) return TOOL_USAGE_CODE;
  char units[16];
  snprintf(units, sizeof units, "%u", f->units);
  if (eyoti_conf_set(EYOTI_CONF_UNITS, units) != 0) return TOOL_USAGE_CODE;
  for (uint32_t i = 0; i < f->n_options; i++) {
    char name[OPTION_BYTES];
    snprintf(name, sizeof name, "%s", f->options[i]);
    char *equals = strchr(name, '=');
    *equals = '\0';
    enum eyoti_conf key;
    if (strcmp(name, "strategy") == 0) {
      if (set_strategy(&job->what, equals + 1) != 0) return TOOL_USAGE_CODE;
    } else if (strcmp(name, "detect") == 0) {
      if (!job->detects && set_detect(&job->what, equals + 1) != 0) return TOOL_USAGE_CODE;
    } else if (eyoti_conf_by_flag(name, &key) == NULL) {
      fprintf(stderr, "eyotcheck: %s: '%s' is not an option\n", path, name);
      return TOOL_USAGE_CODE;
    } else if (eyoti_conf_set(key, equals + 1) != 0) {
      return TOOL_USAGE_CODE;
    }
  }
  if (job->n_program > 0) return 0;
  job->program = calloc(f->n_arguments + 2, sizeof *job->program);
  if (job->program == NULL) return TOOL_USAGE_CODE;
  job->program[job->n_program++] = f->program;
  for (uint32_t i = 0; i < f->n_arguments; i++) job->program[job->n_program++] = f->arguments[i];
  return 0;
}

static int read_options(int argc, char **argv, struct job *job, bool *done) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
    if (strcmp(argv[i], "--") == 0) {
      i++;
      break;
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      print_help();
      *done = true;
      return 0;
    }
    int code = tool_option(&TOOL, argv, &i, job);
    if (code != 0) return code;
  }
  job->program = argv + i;
  job->n_program = argc - i;
  const char *file = job->what.replay != NULL ? job->what.replay : job->what.shrink;
  if (file != NULL) return read_file(job, file);
  return job->n_program > 0 ? 0 : tool_usage(&TOOL, "no program given", "");
}

/* Lists the options that the file of a failing run needs: all with a value other than the default,
 * and the strategy, which determines how finely operations are divided. */
static int list_options(struct job *job) {
  static char text[EYOTI_CONF_COUNT + 2][OPTION_BYTES];
  static const char *list[EYOTI_CONF_COUNT + 2];
  uint32_t n = 0;
  snprintf(text[n], OPTION_BYTES, "strategy=%s", job->what.strategy);
  list[n] = text[n];
  n++;
  if (job->what.detect != FAB_DETECT_ALL) {
    size_t used = (size_t)snprintf(text[n], OPTION_BYTES, "detect=");
    for (size_t i = 0; i < N_DETECTORS; i++)
      if ((job->what.detect & 1u << i) == 0)
        used += (size_t)snprintf(text[n] + used, OPTION_BYTES - used, "%s-%s",
                                 text[n][used - 1] == '=' ? "" : ",", DETECTORS[i]);
    list[n] = text[n];
    n++;
  }
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
    const char *value;
    if (key == EYOTI_CONF_UNITS || key == EYOTI_CONF_FABRIC || e->flag == NULL ||
        !eyoti_conf_is_set(key))
      continue;
    if (eyoti_conf_string(key, &value) != 0) return TOOL_USAGE_CODE;
    snprintf(text[n], OPTION_BYTES, "%s=%s", e->flag, value);
    list[n] = text[n];
    n++;
  }
  job->what.options = list;
  job->what.n_options = n;
  return 0;
}

int main(int argc, char **argv) {
  struct job job = {.fewer_units = true,
                    .what = {.strategy = "random",
                             .detect = FAB_DETECT_ALL,
                             .runs = UINT64_MAX,
                             .jobs = 1,
                             .depth = 3,
                             .reduce = true,
                             .shrink_found = true,
                             .save = SAVE_DEFAULT}};
  bool done = false;
  chk_file_init(&job.file);
  int code = read_options(argc, argv, &job, &done);
  if (code != 0 || done) return code;
  if (job.gdb)
    return job.what.replay != NULL ? eyotcheck_gdb(argc, argv)
                                   : tool_usage(&TOOL, "--gdb is for --replay FILE", "");
  if (job.what.runs == UINT64_MAX)
    job.what.runs =
        job.what.seconds > 0 || strcmp(job.what.strategy, "exhaustive") == 0 ? 0 : RUNS_DEFAULT;
  /* an exhaustive search has one order */
  if (strcmp(job.what.strategy, "exhaustive") == 0) job.what.jobs = 1;
  if (eyoti_conf_u64(EYOTI_CONF_SEED, &job.what.seed) != 0) return TOOL_USAGE_CODE;
  char path[PATH_MAX];
  if ((code = tool_find_program(&TOOL, job.program, path, sizeof path)) != 0 ||
      (code = list_options(&job)) != 0)
    return code;
  void *handle;
  const struct fab_module *module;
  if (eyoti_module_load("sim", &handle, &module) != 0) return TOOL_USAGE_CODE;
  code = module->job_check(job.n_program, job.program, &job.what);
  uint64_t units;
  bool found =
      code == FOUND_CODE && job.what.replay == NULL && job.what.shrink_found && job.fewer_units;
  if (found && eyoti_conf_u64(EYOTI_CONF_UNITS, &units) == 0)
    fewer_units(&job.what, (uint32_t)units, job.program);
  return code;
}
