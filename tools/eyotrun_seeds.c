/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotrun_seeds.c - makes a campaign of simulated runs from consecutive seeds (eyotrun_seeds.h):
 * its journal, progress and outcome. seeds_pool.c has the processes. */
#include "eyotrun_seeds.h"

#include <dlfcn.h>
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf.h"
#include "journal_file.h"
#include "outputs.h"
#include "progress.h"
#include "report_text.h"
#include "seeds_pool.h"
#include "seeds_report.h"

#define DETAILS_BYTES 16384
#define HASH_CHARS 17
#define WRITE_US UINT64_C(1000000) /* between two lines of counts in the journal */

struct series {
  const struct seeds_options *o;
  char *const *argv;
  struct seeds_total total;
  struct journal journal; /* as --resume has read it */
  struct journal_file file;
  struct progress progress;
  char reason[SEEDS_REASON_BYTES];
  uint64_t before_us, began_us, written_us, written_runs;
  int code; /* of a journal that cannot be written */
};

/* -- the campaign ------------------------------------------------------------------------------ */

/* Options in the command that repeats a run. */
static bool repeated(enum eyoti_conf key) {
  return key != EYOTI_CONF_SEED && key != EYOTI_CONF_PROGRESS_LINE && eyoti_conf_is_set(key);
}

/* The command that repeats the run of a seed; for free. */
static char *repeat_command(uint64_t seed, char *const *argv) {
  char *text = NULL;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  if (out == NULL) eyoti_no_memory(0, "a command");
  fputs("eyotrun", out);
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    const struct eyoti_conf_entry *e = eyoti_conf_entry(key);
    const char *value;
    if (!repeated(key) || eyoti_conf_string(key, &value) != 0) continue;
    fprintf(out, " --%s%s", e->flag, e->type == EYOTI_CONF_BOOL ? "=" : " ");
    report_shell(out, value);
  }
  fprintf(out, " --seed %" PRIu64, seed);
  for (char *const *a = argv; *a != NULL; a++) {
    fputc(' ', out);
    report_shell(out, *a);
  }
  if (fclose(out) != 0) eyoti_no_memory(bytes, "a command");
  return text;
}

static void hash_of(const char *path, char out[HASH_CHARS]) {
  snprintf(out, HASH_CHARS, "%016" PRIx64, tool_hash_file(path));
}

/* The library and the simulator: what a run does besides the program. */
static void hash_libraries(const struct fab_module *module, char out[HASH_CHARS]) {
  Dl_info library, sim;
  uint64_t hash = 0;
  if (dladdr((const void *)(uintptr_t)eyot_version, &library) != 0)
    hash = tool_hash_file(library.dli_fname);
  if (dladdr(module, &sim) != 0) hash ^= tool_hash_file(sim.dli_fname) << 1;
  snprintf(out, HASH_CHARS, "%016" PRIx64, hash);
}

/* The options that runs depend on, as flag=value; for free, each. */
static char **list_options(uint64_t units) {
  char **list = calloc(EYOTI_CONF_COUNT + 2, sizeof *list);
  size_t n = 0;
  if (list == NULL || asprintf(&list[n++], "units=%" PRIu64, units) < 0)
    eyoti_no_memory(0, "a list of options");
  for (uint32_t k = 0; k < EYOTI_CONF_COUNT; k++) {
    enum eyoti_conf key = (enum eyoti_conf)k;
    const char *value;
    if (key == EYOTI_CONF_SEED || !tool_option_matters(key) || !eyoti_conf_is_set(key) ||
        eyoti_conf_string(key, &value) != 0)
      continue;
    if (asprintf(&list[n++], "%s=%s", eyoti_conf_entry(key)->flag, value) < 0)
      eyoti_no_memory(0, "a list of options");
  }
  return list;
}

/* Opens the journal: a new one, or the one of --resume, whose counts and failures are taken. */
static int open_journal(struct series *s, const struct fab_module *module) {
  const struct seeds_options *o = s->o;
  char build[HASH_CHARS], runtime[HASH_CHARS];
  s->file.fd = -1;
  if (o->journal == NULL && o->resume == NULL) return 0;
  hash_of(s->argv[0], build);
  hash_libraries(module, runtime);
  const struct journal_head h = {.version = eyot_version(),
                                 .runtime = runtime,
                                 .build = build,
                                 .program = (char **)(uintptr_t)s->argv,
                                 .options = list_options(s->total.units),
                                 .range = s->total.range,
                                 .limit_s = o->limit_s,
                                 .keep_going = o->keep_going};
  int code = o->resume != NULL ? journal_file_continue(&s->file, o->resume, &h, &s->journal)
                               : journal_file_create(&s->file, o->journal, &h);
  for (char **option = h.options; *option != NULL; option++) free(*option);
  free(h.options);
  if (code != 0 || o->resume == NULL) return code;
  s->total.counts = s->journal.counts;
  s->total.ended = s->journal.ended;
  s->before_us = s->journal.counts.time_us;
  s->written_runs = s->journal.counts.runs;
  for (uint64_t i = 0; i < s->journal.counts.failed && i < SEEDS_LISTED_MAX; i++)
    s->total.listed[i] = s->journal.failures[i].seed;
  if (s->journal.counts.failed > 0) s->total.lowest = s->journal.failures[0];
  return 0;
}

/* -- the runs ---------------------------------------------------------------------------------- */

static int write_counts(struct series *s) {
  struct seeds_total *t = &s->total;
  uint64_t now_us = progress_now_us();
  t->counts.time_us = s->before_us + now_us - s->began_us;
  bool stopped = t->counts.failed > 0 && !t->keep_going;
  t->ended = stopped || t->counts.runs == seed_range_count(&t->range);
  s->written_us = now_us;
  if (t->counts.runs == s->written_runs) return 0;
  s->written_runs = t->counts.runs;
  const char *verdict = !t->ended ? NULL : t->counts.failed > 0 ? "failed" : "passed";
  return journal_file_counts(&s->file, &t->counts, verdict);
}

static void run_ended(void *arg, const struct seeds_ended *e) {
  struct series *s = arg;
  struct seeds_total *t = &s->total;
  t->counts.runs++;
  if (seeds_code_of(e->status) == 0) return;
  char reason[SEEDS_REASON_BYTES];
  seeds_reason_of(e->status, s->o->limit_s, reason);
  char *repeat = repeat_command(e->seed, s->argv);
  const struct journal_failure f = {.seed = e->seed,
                                    .time_us = e->time_us,
                                    .exit_code = seeds_code_of(e->status),
                                    .reason = reason,
                                    .repeat = repeat};
  journal_file_failure(&s->file, &f);
  if (t->counts.failed < SEEDS_LISTED_MAX) t->listed[t->counts.failed] = e->seed;
  if (t->counts.failed++ > 0) {
    free(repeat);
    return;
  }
  t->lowest = f; /* seeds ascend */
  memcpy(s->reason, reason, sizeof reason);
  t->lowest.reason = s->reason;
}

static bool tick(void *arg) {
  struct series *s = arg;
  const struct journal_counts *c = &s->total.counts;
  const struct progress_counts shown = {c->runs, seed_range_count(&s->total.range), c->failed};
  progress_show(&s->progress, &shown);
  if (progress_now_us() - s->written_us < WRITE_US) return true;
  s->code = write_counts(s);
  return s->code == 0;
}

static uint64_t jobs_default(void) {
  uint64_t n = tool_processors();
  return n > SEEDS_JOBS_MAX ? SEEDS_JOBS_MAX : n;
}

/* The output of the failed run with the lowest seed, which an earlier session has made: made
 * again. */
static int output_again(const struct series *s, struct seeds_job j) {
  j.range = (struct seed_range){.first = s->total.lowest.seed, .n = 1, .shard = 1, .shards = 1};
  j.from = 0;
  j.jobs = 1;
  j.ended = NULL;
  j.tick = NULL;
  struct seeds_outcome out = seeds_pool_run(&j);
  if (out.output < 0)
    fprintf(stderr,
            "eyotrun: the run with seed %" PRIu64
            " failed before, and does not fail when repeated: "
            "it depends on more than its seed\n",
            s->total.lowest.seed);
  return out.output;
}

/* -- the outcome ------------------------------------------------------------------------------- */

static void print_output(int fd) {
  char buffer[4096];
  ssize_t n;
  fflush(stdout);
  for (off_t at = 0; (n = pread(fd, buffer, sizeof buffer, at)) > 0; at += n)
    if (write(STDERR_FILENO, buffer, (size_t)n) != n) return;
}

static void print_interrupted(const struct series *s, int sig) {
  const struct seeds_total *t = &s->total;
  fprintf(stderr,
          "eyotrun: interrupted by signal %d (%s) after %" PRIu64 " of %" PRIu64 " runs, %" PRIu64
          " failed; ",
          sig, strsignal(sig), t->counts.runs, seed_range_count(&t->range), t->counts.failed);
  if (s->file.fd >= 0)
    fprintf(stderr, "to go on: eyotrun --resume %s\n", s->file.path);
  else
    fputs("with --journal FILE such a campaign can be continued\n", stderr);
}

/* Reports the outcome; returns the exit code. */
static int finish(struct series *s, struct seeds_reports *reports, int output, int sig) {
  static char details[DETAILS_BYTES];
  struct seeds_total *t = &s->total;
  ssize_t n = output >= 0 ? pread(output, details, sizeof details - 1, 0) : 0;
  details[n > 0 ? n : 0] = '\0';
  t->details = details;
  t->exit_code = sig != 0               ? EYOTI_EXIT_SIGNAL + sig
                 : t->counts.failed > 0 ? t->lowest.exit_code
                                        : EYOTI_EXIT_OK;
  int code = seeds_reports_write(reports, t, s->argv);
  if (output >= 0) print_output(output);
  if (code == 0 || t->counts.failed > 0) seeds_print_outcome(t);
  if (sig != 0) print_interrupted(s, sig);
  return code != 0 ? code : t->exit_code;
}

static int run_series(struct series *s, const struct fab_module *module, struct fab_job *job,
                      struct seeds_reports *reports) {
  const struct seeds_job j = {.module = module,
                              .job = job,
                              .range = s->total.range,
                              .from = s->total.counts.runs,
                              .limit_s = s->o->limit_s,
                              .jobs = s->o->jobs > 0 ? s->o->jobs : jobs_default(),
                              .keep_going = s->o->keep_going,
                              .ended = run_ended,
                              .tick = tick,
                              .arg = s};
  struct seeds_outcome out = {.ok = true, .output = -1};
  s->began_us = s->written_us = progress_now_us();
  progress_begin(&s->progress, "eyotrun", s->o->progress, s->total.counts.runs);
  if (!s->total.ended) out = seeds_pool_run(&j);
  progress_end(&s->progress);
  if (s->code == 0) s->code = write_counts(s);
  uint64_t failed = s->total.counts.failed;
  /* one that is not counted: a lower seed has not ended, or an earlier session had a failure */
  if (out.output >= 0 && (failed == 0 || out.output_seed != s->total.lowest.seed)) {
    close(out.output);
    out.output = -1;
  }
  if (failed > 0 && out.output < 0 && out.signal == 0) out.output = output_again(s, j);
  int code = s->code;
  if (code == 0 && !out.ok) code = EYOTI_EXIT_NOT_RUNNABLE;
  /* without reports where runs could not be made: the exit code says so */
  if (code == 0 || failed > 0) {
    int reported = finish(s, reports, out.output, out.signal);
    if (code == 0) code = reported;
  }
  if (out.output >= 0) close(out.output);
  return code;
}

static int check_outputs(const struct tool *t, const struct seeds_options *o, const char *program) {
  const struct output files[] = {{"--json", o->files.json, false},
                                 {"--junit", o->files.junit, false},
                                 {"--sarif", o->files.sarif, false},
                                 {"--result", o->result, false},
                                 {"--journal", o->resume != NULL ? NULL : o->journal, false},
                                 {"the journal of --resume", o->resume, true},
                                 {"the program", program, true}};
  return outputs_check(t, files, sizeof files / sizeof *files);
}

int seeds_run(const struct tool *t, const struct seeds_options *o, const struct fab_module *module,
              struct fab_job *job, uint64_t first, char *const *argv) {
  static struct series s;
  struct seeds_reports reports;
  if (first > UINT64_MAX - (o->n - 1)) {
    fprintf(stderr,
            "eyotrun: --seed %" PRIu64 " and --seeds %" PRIu64
            ": the seeds would exceed 64 bits; give a smaller --seed\n",
            first, o->n);
    return EYOTI_EXIT_USAGE;
  }
  s = (struct series){.o = o,
                      .argv = argv,
                      .total = {.keep_going = o->keep_going,
                                .range = {.first = first,
                                          .n = o->n,
                                          .shard = o->shards > 0 ? o->shard : 1,
                                          .shards = o->shards > 0 ? o->shards : 1}}};
  if (eyoti_conf_u64(EYOTI_CONF_UNITS, &s.total.units) != 0) return EYOTI_EXIT_USAGE;
  int code = check_outputs(t, o, argv[0]);
  if (code == 0) code = seeds_reports_open(&reports, t, o);
  if (code == 0) code = open_journal(&s, module);
  if (code != 0) return code;
  code = run_series(&s, module, job, &reports);
  journal_file_close(&s.file);
  return code;
}
