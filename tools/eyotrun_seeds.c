/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds.c - makes many simulated runs from consecutive seeds (eyotrun_seeds.h).
 *
 * Why it exists: a run of a small program takes a millisecond, starting one takes forty (SimGrid's
 * libraries, the program's copies). Everything is therefore loaded once, and each run is a fork of
 * that state. */
#include "eyotrun_seeds.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/conf.h"
#include "result.h"
#include "tool.h"

#define JOBS_MAX 64u
#define RUNS_MAX 1000000000u
#define LIMIT_MAX_S 86400u
#define REASON_BYTES 128
#define DETAILS_BYTES 16384
#define LISTED_MAX 64u /* at most so many failed seeds are listed */

/* A run in progress. */
struct slot {
  pid_t pid; /* 0: none */
  uint64_t seed;
  int output; /* its output, a file in memory */
};

struct failure {
  uint64_t seed;
  int status;
  int output; /* -1: not kept */
};

struct series {
  const struct seeds_options *o;
  const struct fab_module *module;
  struct fab_job *job;
  uint64_t first, started, ended, failed;
  struct slot slots[JOBS_MAX];
  struct failure lowest; /* the failed run with the lowest seed so far */
  uint64_t listed[LISTED_MAX];
  struct campaign_files files; /* open */
};

#define TEXT UINT64_MAX /* the value is a text */

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
    {"jobs", offsetof(struct seeds_options, jobs), 1, JOBS_MAX,
     "with --seeds: executes so many runs at a time [1]"},
    {"run-limit", offsetof(struct seeds_options, limit_s), 0, LIMIT_MAX_S,
     "with --seeds: fails a run after so many seconds of wall time; 0: never [120]"},
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

bool seeds_wants_report(const struct seeds_options *o) {
  return o->result != NULL || o->files.json != NULL || o->files.junit != NULL ||
         o->files.sarif != NULL;
}

void seeds_help(void) {
  for (size_t i = 0; i < ROWS_COUNT; i++) {
    char left[2 * TOOL_COLUMN];
    snprintf(left, sizeof left, "--%s%s", ROWS[i].name, ROWS[i].most != 0 ? " VALUE" : "");
    tool_help_row(left, ROWS[i].help);
  }
}

/* Makes the run in the child and ends the process. Only the first run ends like any other process,
 * with the exit handlers of library and program (leak checkers, coverage): they cost more than a
 * run. */
static void child(const struct series *s, uint64_t seed, int output, bool first)
    __attribute__((noreturn));
static void child(const struct series *s, uint64_t seed, int output, bool first) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
    _exit(EYOTI_EXIT_NOT_RUNNABLE);
  /* SIGALRM ends the process, and shows the parent the reason */
  (void)alarm((unsigned)s->o->limit_s);
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  int code = eyoti_conf_set(EYOTI_CONF_SEED, text) == 0 ? s->module->job_run(s->job, seed)
                                                        : EYOTI_EXIT_NOT_RUNNABLE;
  if (first) {
    s->module->job_close(s->job);
    exit(code);
  }
  fflush(NULL);
  _exit(code);
}

static bool start(struct series *s, struct slot *slot) {
  bool first = s->started == 0;
  if (slot->output < 0) slot->output = memfd_create("eyotrun-output", MFD_CLOEXEC);
  if (slot->output < 0 || ftruncate(slot->output, 0) != 0 ||
      lseek(slot->output, 0, SEEK_SET) != 0) {
    fprintf(stderr, "eyotrun: no file in memory for a run's output: %s\n", strerror(errno));
    return false;
  }
  fflush(NULL);
  slot->seed = s->first + s->started;
  slot->pid = fork();
  if (slot->pid == 0) child(s, slot->seed, slot->output, first);
  if (slot->pid < 0) {
    fprintf(stderr, "eyotrun: cannot fork for the run with seed %" PRIu64 ": %s\n", slot->seed,
            strerror(errno));
    slot->pid = 0;
    return false;
  }
  s->started++;
  return true;
}

static int code_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return WTERMSIG(status) == SIGALRM ? EYOTI_EXIT_TIME_LIMIT : 128 + WTERMSIG(status);
}

static void note_failure(struct series *s, struct slot *slot, int status) {
  if (s->failed < LISTED_MAX) s->listed[s->failed] = slot->seed;
  if (s->failed++ > 0 && slot->seed > s->lowest.seed) return;
  if (s->lowest.output >= 0) close(s->lowest.output);
  s->lowest = (struct failure){slot->seed, status, slot->output};
  slot->output = -1; /* the slot gets a new file */
}

/* Waits until any run ends. */
static bool reap(struct series *s) {
  int status;
  pid_t pid;
  do pid = waitpid(-1, &status, 0);
  while (pid < 0 && errno == EINTR);
  for (uint32_t i = 0; i < s->o->jobs; i++) {
    struct slot *slot = &s->slots[i];
    if (slot->pid == 0 || slot->pid != pid) continue;
    slot->pid = 0;
    s->ended++;
    if (code_of(status) != 0) note_failure(s, slot, status);
    return true;
  }
  return pid > 0; /* not a child of this series */
}

static struct slot *free_slot(struct series *s) {
  for (uint32_t i = 0; i < s->o->jobs; i++)
    if (s->slots[i].pid == 0) return &s->slots[i];
  return NULL;
}

static bool run_all(struct series *s) {
  bool ok = true;
  for (;;) {
    bool more = ok && s->started < s->o->n && (s->failed == 0 || s->o->keep_going);
    struct slot *slot = more ? free_slot(s) : NULL;
    if (slot != NULL)
      ok = start(s, slot);
    else if (s->ended < s->started)
      ok = reap(s) && ok;
    else
      return ok;
  }
}

static void print_output(int fd) {
  char buffer[4096];
  ssize_t n;
  fflush(stdout);
  for (off_t at = 0; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n)
    if (write(STDERR_FILENO, buffer, (size_t)n) != n) return;
}

/* Prints a word quoted for a shell. */
static void print_word(const char *word) {
  bool plain =
      *word != '\0' &&
      word[strspn(word,
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%")] ==
          '\0';
  if (plain) {
    fprintf(stderr, " %s", word);
    return;
  }
  fputs(" '", stderr);
  for (; *word != '\0'; word++) {
    if (*word == '\'')
      fputs("'\\''", stderr);
    else
      fputc(*word, stderr);
  }
  fputc('\'', stderr);
}

static void print_repeat(uint64_t seed, char *const *argv) {
  fputs("eyotrun: to repeat it: eyotrun", stderr);
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
    const char *value;
    if (key == EYOTI_CONF_SEED || !eyoti_conf_is_set(key) || eyoti_conf_string(key, &value) != 0)
      continue;
    fprintf(stderr, " --%s%s", e->flag, e->type == EYOTI_CONF_BOOL ? "=" : "");
    if (e->type == EYOTI_CONF_BOOL)
      fputs(value, stderr);
    else
      print_word(value);
  }
  fprintf(stderr, " --seed %" PRIu64, seed);
  for (char *const *a = argv; *a != NULL; a++) print_word(*a);
  fputc('\n', stderr);
}

/* Why the failed run with the lowest seed failed. */
static void write_reason(const struct series *s, char *reason) {
  int status = s->lowest.status;
  if (WIFEXITED(status))
    snprintf(reason, REASON_BYTES, "exit code %d%s", WEXITSTATUS(status),
             WEXITSTATUS(status) == 3   ? " (deadlock)"
             : WEXITSTATUS(status) == 4 ? " (livelock)"
                                        : "");
  else if (WTERMSIG(status) == SIGALRM)
    snprintf(reason, REASON_BYTES, "no end within %" PRIu64 " s of wall time (--run-limit)",
             s->o->limit_s);
  else
    snprintf(reason, REASON_BYTES, "killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
}

/* Writes the line of --result and the reports. */
static int write_results(const struct tool *t, struct series *s, int fd, double seconds,
                         char *const *argv) {
  char reason[REASON_BYTES], details[DETAILS_BYTES] = "";
  bool failed = s->failed > 0;
  uint64_t units;
  if (eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0) return EYOTI_EXIT_USAGE;
  if (failed) write_reason(s, reason);
  ssize_t n = failed ? pread(s->lowest.output, details, sizeof details - 1, 0) : 0;
  details[n > 0 ? n : 0] = '\0';
  const struct campaign c = {.tool = t,
                             .program = argv,
                             .exit_code = failed ? code_of(s->lowest.status) : EYOTI_EXIT_OK,
                             .details = details,
                             .line = {.strategy = "seeds",
                                      .units = units,
                                      .seed = failed ? s->lowest.seed : s->first,
                                      .runs = s->ended,
                                      .failed = s->failed,
                                      .first = failed ? s->lowest.seed - s->first + 1 : RESULT_NONE,
                                      .reason = failed ? reason : NULL,
                                      .choices = RESULT_NONE,
                                      .nonzero = RESULT_NONE,
                                      .seconds = seconds}};
  struct campaign_files files = s->files;
  int code = campaign_write(&files, &c);
  return code == 0 && fd >= 0 ? result_write(t, fd, &c.line) : code;
}

static double now_s(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void print_failure(const struct series *s, char *const *argv) {
  const struct failure *f = &s->lowest;
  uint64_t number_of = f->seed - s->first + 1;
  print_output(f->output);
  char reason[REASON_BYTES];
  write_reason(s, reason);
  fprintf(stderr, "eyotrun: run %" PRIu64 " of %" PRIu64 " (seed %" PRIu64 ") failed: %s\n",
          number_of, s->o->n, f->seed, reason);
  print_repeat(f->seed, argv);
}

int seeds_run(const struct tool *t, const struct seeds_options *o, const struct fab_module *module,
              struct fab_job *job, uint64_t first, char *const *argv) {
  if (first > UINT64_MAX - o->n) {
    fprintf(stderr,
            "eyotrun: --seed %" PRIu64 " and --seeds %" PRIu64
            ": the seeds would exceed 64 bits; give a smaller --seed\n",
            first, o->n);
    return EYOTI_EXIT_USAGE;
  }
  struct series s = {.o = o, .module = module, .job = job, .first = first, .lowest.output = -1};
  for (uint32_t i = 0; i < JOBS_MAX; i++) s.slots[i].output = -1;
  int result;
  int code = result_open(t, o->result, &result);
  s.files = o->files;
  if (code == 0) code = campaign_open(t, &s.files);
  if (code != 0) return code;
  double from_s = now_s();
  bool ok = run_all(&s);
  /* without a line where runs could not be started: EYOTI_EXIT_NOT_RUNNABLE follows */
  if (s.failed > 0 || ok) code = write_results(t, &s, result, now_s() - from_s, argv);
  if (s.failed > 0) print_failure(&s, argv);
  if (s.failed > 0 && o->keep_going) {
    fprintf(stderr, "eyotrun: %" PRIu64 " of %" PRIu64 " runs failed; seeds:", s.failed, s.ended);
    for (uint64_t i = 0; i < s.failed && i < LISTED_MAX; i++)
      fprintf(stderr, " %" PRIu64, s.listed[i]);
    fprintf(stderr, "%s\n", s.failed > LISTED_MAX ? " ..." : "");
  }
  if (code != 0) return code;
  if (s.failed > 0) return code_of(s.lowest.status);
  if (!ok) return EYOTI_EXIT_NOT_RUNNABLE;
  printf("eyotrun: %" PRIu64 " runs, seeds %" PRIu64 "..%" PRIu64 ": all passed\n", o->n, first,
         first + o->n - 1);
  return 0;
}
