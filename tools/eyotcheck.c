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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "check/runfile/file.h"
#include "check/strategy/strategy.h"
#include "eyotcheck_gdb.h"
#include "eyotcheck_units.h"
#include "fabric/fabric.h"
#include "init/module.h"
#include "result.h"
#include "tool.h"

#define FOUND_CODE 1
#define OPTION_BYTES 4096u
#define RUNS_MAX 1000000000000u
#define JOBS_MAX 64u
#define SECONDS_MAX 86400000u
#define RUNS_DEFAULT 10000u
#define STRATEGY_DEFAULT "random"
#define TEXT_BYTES 256u
#define SAVE_DEFAULT "eyotcheck.run"

struct job {
  char **program;
  int n_program;
  struct fab_explore what;
  struct chk_options options; /* those of single strategies */
  struct fab_explored explored;
  const char *result; /* --result */
  bool fewer_units, gdb;
  bool detects;         /* --detect was given */
  struct chk_file file; /* for --replay and --shrink */
};

/* as the bits of enum fab_detect */
static const char *const DETECTORS[] = {"source",     "destination", "range", "leak",
                                        "collective", "deadlock",    "race"};
#define N_DETECTORS (sizeof DETECTORS / sizeof *DETECTORS)

enum own_kind { OWN_STRATEGY, OWN_DETECT, OWN_U64, OWN_U32, OWN_SWITCH, OWN_FILE };

/* An option of eyotcheck alone, and the member of struct job that it sets. */
static const struct own {
  const char *name;
  const char *value; /* a word for it in the help; NULL for switches */
  enum own_kind kind;
  size_t at;
  uint64_t least, most; /* of numbers */
  bool on;              /* of switches: the value that the flag alone sets */
  const char *help;
} OWN[] = {
#define AT(member) offsetof(struct job, member)
#define NUMBER(flag, word, width, member, low, high, text)                            \
  {                                                                                   \
    .name = flag, .value = word, .kind = OWN_##width, .at = AT(member), .least = low, \
    .most = high, .help = text                                                        \
  }
#define SWITCH(flag, member, value_alone, text) \
  { .name = flag, .kind = OWN_SWITCH, .at = AT(member), .on = value_alone, .help = text }
#define FILE_NAME(flag, member, text) \
  { .name = flag, .value = "FILE", .kind = OWN_FILE, .at = AT(member), .help = text }
    {.name = "strategy", .value = "NAME", .kind = OWN_STRATEGY, .help = "selects the next step"},
#define STRATEGY(strategy, kind, help)
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help) \
  NUMBER(flag, value, U32, options.field, least, most, #strategy ": " help " [" #def "]"),
#define STRATEGY_SWITCH(strategy, field, flag, def, help) \
  SWITCH(flag, options.field, !(def), #strategy ": " help),
#include "check/strategy/strategies.def"
    NUMBER("runs", "N", U64, what.runs, 0, RUNS_MAX,
           "limits the number of runs; 0: no limit [10000; exhaustive and --time: no limit]"),
    NUMBER("time", "SECONDS", U64, what.seconds, 1, SECONDS_MAX,
           "stops after so many seconds of wall time"),
    NUMBER("jobs", "N", U32, what.jobs, 1, JOBS_MAX, "explores in so many processes [1]"),
    NUMBER("max-run", "STEPS", U64, what.max_steps, 1, RUNS_MAX,
           "cuts and counts a run of more steps [1000000]"),
    SWITCH("livelock", what.livelock, true,
           "reports a run that reaches --max-run as a failure, with the last call of each unit "
           "[off]"),
    {.name = "detect",
     .value = "LIST",
     .kind = OWN_DETECT,
     .help = "lists the errors that fail a run, of "
             "source,destination,range,leak,collective,deadlock,race; -NAME,...: all but those "
             "[all]"},
    SWITCH("keep-going", what.keep_going, true,
           "counts failing runs and continues after the first"),
    FILE_NAME("replay", what.replay, "repeats the failing run of FILE"),
    SWITCH("gdb", gdb, true, "with --replay: starts gdb, which stops before the step that fails"),
    FILE_NAME("shrink", what.shrink, "makes the failing run of FILE smaller"),
    SWITCH("no-shrink", what.shrink_found, false, "leaves a failing run as it is found"),
    SWITCH("fewer-units", fewer_units, true,
           "searches for the failure with fewer units, too (up to 64) [on]"),
    SWITCH("steps", what.verbose, true, "prints each step of a failing run"),
    FILE_NAME("save", what.save, "writes a failing run to FILE [" SAVE_DEFAULT "]"),
    FILE_NAME("result", result, "writes the outcome to FILE, as one line of key=value for scripts"),
};
#define N_OWN (sizeof OWN / sizeof *OWN)

static const struct own *own_find(const char *name) {
  for (size_t i = 0; i < N_OWN; i++)
    if (strcmp(name, OWN[i].name) == 0) return &OWN[i];
  return NULL;
}

static bool own_known(const char *name, bool *takes_value) {
  const struct own *own = own_find(name);
  if (own != NULL) *takes_value = own->kind != OWN_SWITCH;
  return own != NULL;
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
  const struct chk_strategy_entry *found = chk_strategy_find(value), *next;
  if (found != NULL) {
    w->strategy = found->name;
    return 0;
  }
  fprintf(stderr, "eyotcheck: --strategy is '%s'; expected ", value);
  for (uint32_t i = 0; (found = chk_strategy_at(i)) != NULL; i++) {
    next = chk_strategy_at(i + 1);
    fprintf(stderr, "%s%s", found->name,
            next == NULL                     ? "\n"
            : chk_strategy_at(i + 2) == NULL ? " or "
                                             : ", ");
  }
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

/* A switch: the flag alone stands for "on". */
static int set_switch(const struct own *own, const char *value, bool *out) {
  if (value != NULL && strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
    fprintf(stderr, "eyotcheck: --%s is '%s'; expected on or off\n", own->name, value);
    return TOOL_USAGE_CODE;
  }
  *out = (value == NULL || strcmp(value, "on") == 0) == own->on;
  return 0;
}

static int own_set(void *arg, const char *name, char *value) {
  struct job *job = arg;
  const struct own *own = own_find(name);
  void *member = (char *)job + own->at;
  uint64_t v = 0;
  int code = 0;
  switch (own->kind) {
    case OWN_STRATEGY:
      return set_strategy(&job->what, value);
    case OWN_DETECT:
      job->detects = true;
      return set_detect(&job->what, value);
    case OWN_U64:
    case OWN_U32:
      code = number(name, value, own->least, own->most, &v);
      if (code == 0 && own->kind == OWN_U64) *(uint64_t *)member = v;
      if (code == 0 && own->kind == OWN_U32) *(uint32_t *)member = (uint32_t)v;
      return code;
    case OWN_SWITCH:
      return set_switch(own, value, member);
    case OWN_FILE:
      *(const char **)member = value;
      return 0;
  }
  return TOOL_USAGE_CODE;
}

static const struct tool TOOL = {"eyotcheck", own_known, own_set};

/* Each strategy, below --strategy. */
static void print_strategies(void) {
  const struct chk_strategy_entry *entry;
  for (uint32_t i = 0; (entry = chk_strategy_at(i)) != NULL; i++) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s: %s%s", entry->name, entry->help,
             strcmp(entry->name, STRATEGY_DEFAULT) == 0 ? " [default]" : "");
    tool_help_row("", text);
  }
}

static void print_help(void) {
  puts(
      "usage: eyotcheck [-n N] [OPTIONS] PROGRAM [ARGUMENTS]\n"
      "       eyotcheck --replay FILE [--gdb] | --shrink FILE\n"
      "\n"
      "Runs PROGRAM, built with eyotcc, as N simulated units under many schedules, each from\n"
      "eyot_check_begin on. Exit code 0: no run failed; 1: a run failed, and is in a file that\n"
      "--replay runs again; 2: the program could not be explored.\n"
      "\n"
      "exploration:");
  for (size_t i = 0; i < N_OWN; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s%s%s", OWN[i].name, OWN[i].value != NULL ? " " : "",
             OWN[i].value != NULL ? OWN[i].value : "");
    tool_help_row(left, OWN[i].help);
    if (OWN[i].kind == OWN_STRATEGY) print_strategies();
  }
  tool_help_row("-h, --help", "prints this text");
  puts("\nOptions of the simulator follow; those of virtual time have no effect here.");
  tool_help_options(EYOTI_CONF_FOR_SIM, NULL);
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

/* The line of --result: the counts, and the failing run as it is in the file of --save. */
static int write_result(const struct job *job, uint32_t units, int fd) {
  const struct fab_explored *e = &job->explored;
  bool failed = e->failed > 0;
  const struct result_line line = {.strategy = job->what.replay != NULL   ? "replay"
                                               : job->what.shrink != NULL ? "shrink"
                                                                          : job->what.strategy,
                                   .units = units,
                                   .seed = job->what.seed,
                                   .runs = e->runs,
                                   .failed = e->failed,
                                   .first = failed ? e->first : RESULT_NONE,
                                   .reason = failed ? e->reason : NULL,
                                   .choices = failed ? e->choices : RESULT_NONE,
                                   .nonzero = failed ? e->nonzero : RESULT_NONE,
                                   .cut = e->cut,
                                   .undecided = e->undecided,
                                   .exhausted = e->exhausted,
                                   .seconds = e->seconds};
  return result_write(&TOOL, fd, &line);
}

static int check(struct job *job) {
  void *handle;
  const struct fab_module *module;
  int fd;
  uint64_t units;
  if (eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0) return TOOL_USAGE_CODE;
  int code = result_open(&TOOL, job->result, &fd);
  if (code != 0) return code;
  if (eyoti_module_load("sim", &handle, &module) != 0) return TOOL_USAGE_CODE;
  job->what.explored = &job->explored;
  code = module->job_check(job->n_program, job->program, &job->what);
  if (code == FOUND_CODE && job->what.replay == NULL && job->what.shrink_found && job->fewer_units)
    units = fewer_units(&job->what, (uint32_t)units, job->program);
  /* a file's run that does not fail */
  if (code == 0 && (job->what.replay != NULL || job->what.shrink != NULL)) job->explored.runs = 1;
  /* a code other than these: no run took place, and there is no line */
  bool ran = job->explored.runs > 0 && (code == 0 || code == FOUND_CODE);
  if (fd < 0 || !ran) return code;
  int written = write_result(job, (uint32_t)units, fd);
  return written != 0 ? written : code;
}

int main(int argc, char **argv) {
  struct job job = {.fewer_units = true,
                    .what = {.strategy = STRATEGY_DEFAULT,
                             .strategy_options = &job.options,
                             .detect = FAB_DETECT_ALL,
                             .runs = UINT64_MAX,
                             .jobs = 1,
                             .shrink_found = true,
                             .save = SAVE_DEFAULT}};
  bool done = false;
  chk_file_init(&job.file);
  chk_options_init(&job.options);
  int code = read_options(argc, argv, &job, &done);
  if (code != 0 || done) return code;
  if (job.gdb)
    return job.what.replay != NULL ? eyotcheck_gdb(argc, argv)
                                   : tool_usage(&TOOL, "--gdb is for --replay FILE", "");
  bool systematic = chk_strategy_find(job.what.strategy)->systematic;
  if (job.what.runs == UINT64_MAX)
    job.what.runs = job.what.seconds > 0 || systematic ? 0 : RUNS_DEFAULT;
  if (systematic) job.what.jobs = 1; /* one search has one order */
  if (eyoti_conf_u64(EYOTI_CONF_SEED, &job.what.seed) != 0) return TOOL_USAGE_CODE;
  char path[PATH_MAX];
  if ((code = tool_find_program(&TOOL, job.program, path, sizeof path)) != 0 ||
      (code = list_options(&job)) != 0)
    return code;
  return check(&job);
}
