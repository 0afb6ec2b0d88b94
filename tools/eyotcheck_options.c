/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_options.c - the options of eyotcheck alone: their table, parsing, help, and the list of
 * options for the file of a failing run (eyotcheck_job.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "eyotcheck_job.h"

#define RUNS_MAX 1000000000000u
#define JOBS_MAX 64u
#define SECONDS_MAX 86400000u
#define TEXT_BYTES 256u

/* as the bits of enum fab_detect */
static const char *const DETECTORS[] = {"source",     "destination", "range", "leak",
                                        "collective", "deadlock",    "race",  "owner"};
#define N_DETECTORS (sizeof DETECTORS / sizeof *DETECTORS)

static const struct own OWN[] = {
#define AT(member) .at = offsetof(struct job, member), .bytes = sizeof(((struct job *)0)->member)
#define NUMBER(flag, word, width, member, low, high, text)                                    \
  {                                                                                           \
    .name = flag, .value = word, .kind = OWN_##width, AT(member), .least = low, .most = high, \
    .help = text                                                                              \
  }
#define SWITCH(flag, member, value_alone, text) \
  { .name = flag, .kind = OWN_SWITCH, AT(member), .on = value_alone, .help = text }
#define FILE_NAME(flag, member, text) \
  { .name = flag, .value = "FILE", .kind = OWN_FILE, AT(member), .help = text }
    {.name = "strategy",
     .value = "NAME",
     .kind = OWN_STRATEGY,
     AT(what.strategy),
     .kept = EYOTCHECK_STRATEGY_DEFAULT,
     .help = "selects the next step"},
#define STRATEGY(strategy, kind, help)
#define STRATEGY_NUMBER(strategy, field, flag, value, def, least, most, help) \
  NUMBER(flag, value, U32, options.field, least, most, #strategy ": " help " [" #def "]"),
#define STRATEGY_SWITCH(strategy, field, flag, def, help) \
  SWITCH(flag, options.field, !(def), #strategy ": " help),
#include "check/strategy/strategies.def"
#include "fabric/module.h"
    NUMBER("runs", "N", U64, what.runs, 0, RUNS_MAX,
           "limits the number of runs; 0: no limit [10000; exhaustive and --time: no limit]"),
    NUMBER("time", "SECONDS", U64, what.seconds, 1, SECONDS_MAX,
           "stops after so many seconds of wall time"),
    NUMBER("jobs", "N", U32, what.jobs, 1, JOBS_MAX, "explores in so many processes [1]"),
    {.name = "max-run",
     .value = "STEPS",
     .kind = OWN_U64,
     AT(what.max_steps),
     .least = 1,
     .most = RUNS_MAX,
     .kept = "1000000",
     .help = "cuts and counts a run of more steps [1000000]"},
    {.name = "livelock",
     .kind = OWN_SWITCH,
     AT(what.livelock),
     .on = true,
     .kept = "off",
     .help = "reports a run that reaches --max-run as a failure, with the last call of each unit "
             "[off]"},
    {.name = "detect",
     .value = "LIST",
     .kind = OWN_DETECT,
     AT(what.detect),
     .kept = "source,destination,range,leak,collective,deadlock,race,owner",
     .help =
         "lists the errors that fail a run, of "
         "source,destination,range,leak,collective,deadlock,race,owner; -NAME,...: all but those "
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
    FILE_NAME("save", what.save, "writes a failing run to FILE [" EYOTCHECK_SAVE_DEFAULT "]"),
    FILE_NAME("mermaid", what.mermaid,
              "draws the failing run in FILE as a sequence diagram for issue trackers (Mermaid)"),
    FILE_NAME("svg", what.svg, "draws the failing run in FILE as a space-time diagram (SVG)"),
    {.name = "corpus",
     .value = "DIR",
     .kind = OWN_FILE,
     AT(corpus),
     .help = "first replays the files of failing runs in DIR; saves a new failing run there"},
    FILE_NAME("json", files.json, "writes the outcome to FILE as JSON"),
    FILE_NAME("junit", files.junit, "writes the outcome to FILE in the form of JUnit (XML)"),
    FILE_NAME("sarif", files.sarif, "writes a failure to FILE as SARIF 2.1.0, with source lines"),
    FILE_NAME("result", result, "writes the outcome to FILE, as one line of key=value for scripts"),
};
#define N_OWN (sizeof OWN / sizeof *OWN)
_Static_assert(N_OWN <= EYOTCHECK_OWN_MAX, "own_given has an entry for each");

const struct own *own_find(const char *name) {
  for (size_t i = 0; i < N_OWN; i++)
    if (strcmp(name, OWN[i].name) == 0) return &OWN[i];
  return NULL;
}

const struct own *own_at(size_t index) {
  return index < N_OWN ? &OWN[index] : NULL;
}

static bool own_known(const char *name, bool *takes_value) {
  const struct own *own = own_find(name);
  if (own != NULL) *takes_value = own->kind != OWN_SWITCH;
  return own != NULL;
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
  return EYOTI_EXIT_USAGE;
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
              "destination, range, leak, collective, deadlock, race, owner\n",
              value);
      return EYOTI_EXIT_USAGE;
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
    return EYOTI_EXIT_USAGE;
  }
  *out = (value == NULL || strcmp(value, "on") == 0) == own->on;
  return 0;
}

int own_set(struct job *job, const struct own *own, char *value) {
  void *member = (char *)job + own->at;
  uint64_t v = 0;
  int code = 0;
  switch (own->kind) {
    case OWN_STRATEGY:
      return set_strategy(&job->what, value);
    case OWN_DETECT:
      return set_detect(&job->what, value);
    case OWN_U64:
    case OWN_U32:
      code = tool_number(&eyotcheck_tool, own->name, value, own->least, own->most, &v);
      if (code == 0 && own->kind == OWN_U64) *(uint64_t *)member = v;
      if (code == 0 && own->kind == OWN_U32) *(uint32_t *)member = (uint32_t)v;
      return code;
    case OWN_SWITCH:
      return set_switch(own, value, member);
    case OWN_FILE:
      *(const char **)member = value;
      return 0;
  }
  return EYOTI_EXIT_USAGE;
}

bool own_is_given(const struct job *job, const struct own *own) {
  return job->own_given[own - OWN];
}

static int own_given(void *arg, const char *name, char *value) {
  struct job *job = arg;
  const struct own *own = own_find(name);
  job->own_given[own - OWN] = true;
  return own_set(job, own, value);
}

static void conf_given(void *arg, enum eyoti_conf key) {
  ((struct job *)arg)->given[key] = true;
}

const struct tool eyotcheck_tool = {
    .name = "eyotcheck", .own_known = own_known, .own_set = own_given, .given = conf_given};

/* Each strategy, below --strategy. */
static void print_strategies(void) {
  const struct chk_strategy_entry *entry;
  for (uint32_t i = 0; (entry = chk_strategy_at(i)) != NULL; i++) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s: %s%s", entry->name, entry->help,
             strcmp(entry->name, EYOTCHECK_STRATEGY_DEFAULT) == 0 ? " [default]" : "");
    tool_help_row("", text);
  }
}

void eyotcheck_help(void) {
  puts(
      "usage: eyotcheck [-n N] [OPTIONS] PROGRAM [ARGUMENTS]\n"
      "       eyotcheck --replay FILE [--gdb] | --shrink FILE\n"
      "\n"
      "Runs PROGRAM, built with eyotcc, as N simulated units under many schedules, each from\n"
      "eyot_check_begin on. Exit code 0: no run failed; 1: a run failed, and is in a file that\n"
      "--replay runs again; 2: nothing could be explored; 5: no run failed, but some were cut;\n"
      "6: the file of --replay no longer applies (eyot-info --exit-codes lists all).\n"
      "\n"
      "exploration:");
  for (size_t i = 0; i < N_OWN; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s%s%s", OWN[i].name, OWN[i].value != NULL ? " " : "",
             OWN[i].value != NULL ? OWN[i].value : "");
    tool_help_row(left, OWN[i].help);
    if (OWN[i].kind == OWN_STRATEGY) print_strategies();
  }
  tool_help_row("--version", "prints the version");
  tool_help_row("-h, --help", "prints this text");
  puts("\nOptions of the simulator follow; those of virtual time have no effect here.");
  tool_help_options(EYOTI_CONF_FOR_SIM, NULL);
}

static int list_add(struct job *job, const char *name, const char *value) {
  const char **list = (const char **)(uintptr_t)job->what.options;
  char *text;
  if (asprintf(&text, "%s=%s", name, value) < 0) eyoti_no_memory(0, "the options of a failing run");
  list[job->what.n_options++] = text;
  return 0;
}

/* "-range,-leak": all but these. */
static int list_detect(struct job *job) {
  char text[TEXT_BYTES] = "";
  size_t used = 0;
  for (size_t i = 0; i < N_DETECTORS; i++)
    if ((job->what.detect & 1u << i) == 0)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s-%s", used == 0 ? "" : ",",
                               DETECTORS[i]);
  return used > 0 ? list_add(job, "detect", text) : 0;
}

/* The strategy determines how finely operations are divided. */
int eyotcheck_list_options(struct job *job) {
  job->what.options = calloc(EYOTI_CONF_COUNT + N_OWN, sizeof *job->what.options);
  if (job->what.options == NULL) eyoti_no_memory(0, "a list of options");
  int code = list_add(job, "strategy", job->what.strategy);
  if (code == 0) code = list_detect(job);
  if (code == 0 && job->what.max_steps > 0) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, job->what.max_steps);
    code = list_add(job, "max-run", text);
  }
  if (code == 0 && job->what.livelock) code = list_add(job, "livelock", "on");
  for (uint32_t k = 0; code == 0 && k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    const char *value;
    if (!tool_option_matters(key) || !eyoti_conf_is_set(key)) continue;
    if (eyoti_conf_string(key, &value) != 0) return EYOTI_EXIT_USAGE;
    code = list_add(job, eyoti_conf_entry(key)->flag, value);
  }
  return code;
}
