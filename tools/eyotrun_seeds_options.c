/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds_options.c - the options of campaigns of seeds: their table, checks, and what
 * --resume takes from a journal (eyotrun_seeds.h). */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/conf.h"
#include "eyotrun_seeds.h"
#include "journal.h"
#include "progress.h"
#include "seeds_pool.h"

#define RUNS_MAX 1000000000u
#define LIMIT_MAX_S 86400u
#define TEXT UINT64_MAX        /* the value is a text */
#define SHARD (UINT64_MAX - 1) /* the value is K/N */

/* An option and the member that it sets. most 0: a switch. */
static const struct row {
  const char *name;
  size_t offset;
  uint64_t least, most;
  const char *help;
} ROWS[] = {
    {"seeds", offsetof(struct seeds_options, n), 1, RUNS_MAX,
     "runs the program so many times, from --seed on, each time with the next seed, and stops at "
     "the first failure"},
    {"keep-going", offsetof(struct seeds_options, keep_going), 0, 0,
     "with --seeds: counts failures and does not stop [off]"},
    {"jobs", offsetof(struct seeds_options, jobs), 1, SEEDS_JOBS_MAX,
     "with --seeds: executes so many runs at a time [the number of processors]"},
    {"run-limit", offsetof(struct seeds_options, limit_s), 0, LIMIT_MAX_S,
     "with --seeds: fails a run after so many seconds of wall time; 0: never [120]"},
    {"shard", offsetof(struct seeds_options, shard), 0, SHARD,
     "with --seeds: runs the K-th of N parts of the seeds, as 2/3; array/N: K is the task of a "
     "batch system's array"},
    {"journal", offsetof(struct seeds_options, journal), 0, TEXT,
     "with --seeds: writes campaign, failures and counts to a new file, as lines of JSON; with "
     "--merge: those of the whole campaign"},
    {"resume", offsetof(struct seeds_options, resume), 0, TEXT,
     "continues the campaign of a --journal file, which has program and options too"},
    {"merge", offsetof(struct seeds_options, merge), 0, 0,
     "reads the journals of all shards of a campaign, given instead of a program, and reports its "
     "outcome"},
    {"result", offsetof(struct seeds_options, result), 0, TEXT,
     "with --seeds: writes the outcome to a file, as one line of key=value for scripts"},
    {"json", offsetof(struct seeds_options, files.json), 0, TEXT,
     "with --seeds: writes the outcome to a file as JSON"},
    {"junit", offsetof(struct seeds_options, files.junit), 0, TEXT,
     "with --seeds: writes the outcome to a file in the form of JUnit (XML)"},
    {"sarif", offsetof(struct seeds_options, files.sarif), 0, TEXT,
     "with --seeds: writes a failure to a file as SARIF 2.1.0, with source lines"},
};
#define ROWS_COUNT (sizeof ROWS / sizeof *ROWS)

static const struct row *row_of(const char *name) {
  for (size_t i = 0; i < ROWS_COUNT; i++)
    if (strcmp(ROWS[i].name, name) == 0) return &ROWS[i];
  return NULL;
}

const char *seeds_option_name(const char *name) {
  const struct row *r = row_of(name);
  return r != NULL ? r->name : NULL;
}

bool seeds_option_known(const char *name, bool *takes_value) {
  const struct row *r = row_of(name);
  if (r != NULL) *takes_value = r->most != 0;
  return r != NULL;
}

int seeds_option_set(const struct tool *t, struct seeds_options *o, const char *name,
                     const char *value) {
  const struct row *r = row_of(name);
  void *member = (char *)o + r->offset;
  if (member == &o->limit_s) o->limit_given = true;
  if (r->most == SHARD) return shard_parse(value, &o->shard, &o->shards);
  if (r->most == TEXT) {
    *(const char **)member = value;
    return 0;
  }
  if (r->most != 0) return tool_number(t, name, value, r->least, r->most, member);
  if (value != NULL && strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
    fprintf(stderr, "%s: --%s is '%s'; expected on or off\n", t->name, name, value);
    return EYOTI_EXIT_USAGE;
  }
  *(bool *)member = value == NULL || strcmp(value, "on") == 0;
  return 0;
}

static int check_merge(const struct tool *t, const struct seeds_options *o) {
  bool alone = o->n == 0 && o->jobs == 0 && o->shards == 0 && o->resume == NULL && !o->keep_going &&
               !o->limit_given;
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT && alone; k++) alone = !tool_given((enum eyoti_conf)k);
  if (alone) return 0;
  return tool_usage(t,
                    "--merge takes --result, --json, --junit, --sarif and --journal only: the "
                    "journals have the campaign's other options",
                    "");
}

/* Runs take place at the same time, and would write over each other. */
static int check_one_file(const struct tool *t) {
  static const enum eyoti_conf FILES[] = {EYOTI_CONF_STATS_CSV, EYOTI_CONF_DEADLOCK_DOT};
  const char *path = NULL;
  for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
    if (eyoti_conf_is_set(FILES[i]) && eyoti_conf_string(FILES[i], &path) == 0 && path != NULL &&
        *path != '\0')
      return tool_usage(t,
                        "--stats-csv and --deadlock-dot name one file, which all runs of --seeds "
                        "would write; give them to a single run: ",
                        path);
  return 0;
}

int seeds_options_check(const struct tool *t, const struct seeds_options *o, const char *option) {
  if (o->merge) return check_merge(t, o);
  if (o->resume != NULL && o->journal != NULL)
    return tool_usage(t, "--resume continues the file that it names; leave out --journal", "");
  if (o->n == 0 && o->resume == NULL && option != NULL)
    return tool_usage(t, "this option is for --seeds, which is not given: --", option);
  if (o->n > 0 && check_one_file(t) != 0) return EYOTI_EXIT_USAGE;
  if (o->n > 0 && o->shards > o->n) {
    fprintf(stderr,
            "eyotrun: --shard %" PRIu64 "/%" PRIu64 ": there are %" PRIu64
            " seeds only (--seeds); give at most so many shards\n",
            o->shard, o->shards, o->n);
    return EYOTI_EXIT_USAGE;
  }
  return 0;
}

/* Sets an option of the journal that the command line does not give. */
static int take_option(const char *path, const char *text) {
  char name[64];
  enum eyoti_conf key;
  size_t n = strcspn(text, "=");
  snprintf(name, sizeof name, "%.*s", (int)n, text);
  if (text[n] != '=' || eyoti_conf_by_flag(name, &key) == NULL) {
    fprintf(stderr, "eyotrun: --resume: %s has an option that eyotrun does not have: '%s'\n", path,
            text);
    return EYOTI_EXIT_USAGE;
  }
  if (eyoti_conf_is_set(key)) return 0;
  return eyoti_conf_set(key, text + n + 1) == 0 ? 0 : EYOTI_EXIT_USAGE;
}

int seeds_take_journal(const struct tool *t, struct seeds_options *o, char ***program,
                       int *n_program) {
  static struct journal j; /* the program's words stay */
  char first[24];
  FILE *in = fopen(o->resume, "re");
  if (in == NULL) {
    fprintf(stderr, "%s: --resume: cannot read %s: %s\n", t->name, o->resume, strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  bool read = journal_read(o->resume, in, &j);
  fclose(in);
  if (!read) return EYOTI_EXIT_USAGE;
  const struct journal_head *h = &j.head;
  int code = 0;
  for (char *const *option = h->options; code == 0 && *option != NULL; option++)
    code = take_option(o->resume, *option);
  snprintf(first, sizeof first, "%" PRIu64, h->range.first);
  if (code == 0 && !eyoti_conf_is_set(EYOTI_CONF_SEED) &&
      eyoti_conf_set(EYOTI_CONF_SEED, first) != 0)
    code = EYOTI_EXIT_USAGE;
  if (code == 0 && !eyoti_conf_is_set(EYOTI_CONF_FABRIC) &&
      eyoti_conf_set(EYOTI_CONF_FABRIC, "sim") != 0)
    code = EYOTI_EXIT_USAGE;
  if (o->n == 0) o->n = h->range.n;
  if (o->shards == 0) o->shard = h->range.shard, o->shards = h->range.shards;
  if (!o->limit_given) o->limit_s = h->limit_s;
  o->keep_going = o->keep_going || h->keep_going;
  if (*n_program == 0) {
    *program = h->program;
    while (h->program[*n_program] != NULL) ++*n_program;
  }
  return code;
}

int seeds_take_progress(struct seeds_options *o) {
  o->progress = progress_wanted();
  return eyoti_conf_set(EYOTI_CONF_PROGRESS_LINE, "off") == 0 ? 0 : EYOTI_EXIT_USAGE;
}

void seeds_help(void) {
  for (size_t i = 0; i < ROWS_COUNT; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s%s%s", ROWS[i].name, ROWS[i].most != 0 ? " " : "",
             ROWS[i].most == 0       ? ""
             : ROWS[i].most == SHARD ? "K/N"
             : ROWS[i].most == TEXT  ? "FILE"
                                     : "VALUE");
    tool_help_row(left, ROWS[i].help);
  }
}
