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
#include <unistd.h>

#include "base/conf.h"
#include "base/log.h"
#include "base/out_file.h"
#include "eyotcheck_corpus.h"
#include "eyotcheck_gdb.h"
#include "eyotcheck_job.h"
#include "eyotcheck_units.h"
#include "init/module.h"
#include "outputs.h"
#include "result.h"

#define RUNS_DEFAULT 10000u

static int read_options(int argc, char **argv, struct job *job, bool *done) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i++) {
    if (strcmp(argv[i], "--") == 0) {
      i++;
      break;
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      eyotcheck_help();
      *done = true;
      return 0;
    }
    if (strcmp(argv[i], "--version") == 0) {
      printf("eyotcheck %s\n", eyot_version());
      *done = true;
      return 0;
    }
    int code = tool_option(&eyotcheck_tool, argv, &i, job);
    if (code != 0) return code;
  }
  job->program = argv + i;
  job->n_program = argc - i;
  const char *file = job->what.replay != NULL ? job->what.replay : job->what.shrink;
  if (file != NULL) return eyotcheck_read_file(job, file);
  return job->n_program > 0 ? 0 : tool_usage(&eyotcheck_tool, "no program given", "");
}

/* Writes the line of --result and the reports: the counts, and the failing run as it is in the file
 * of --save. */
static int write_results(struct job *job, uint32_t units, int fd, int code) {
  const struct fab_explored *e = &job->explored;
  bool failed = e->failed > 0;
  struct campaign c = {.tool = &eyotcheck_tool,
                       .program = job->program,
                       .steps = e->steps,
                       .exit_code = code,
                       .saved = job->what.save,
                       .details = e->details};
  c.line = (struct result_line){.strategy = job->what.replay != NULL   ? "replay"
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
  int written = campaign_write(&job->files, &c);
  if (written == 0 && fd >= 0) written = result_write(&eyotcheck_tool, fd, &c.line);
  return written != 0 ? written : code;
}

/* With --log debug: what is explored, and with which options. */
static void log_job(const struct job *job) {
  const struct fab_explore *w = &job->what;
  eyoti_log(EYOTI_LOG_DEBUG, "eyotcheck", 0, "program %s, hash of its file %016" PRIx64,
            job->program[0], w->build);
  for (int i = 1; i < job->n_program; i++)
    eyoti_log(EYOTI_LOG_DEBUG, "eyotcheck", 0, "argument %d: %s", i, job->program[i]);
  for (uint32_t i = 0; i < w->n_options; i++)
    eyoti_log(EYOTI_LOG_DEBUG, "eyotcheck", 0, "option %s", w->options[i]);
  eyoti_log(EYOTI_LOG_DEBUG, "eyotcheck", 0,
            "seed %" PRIu64 ", at most %" PRIu64 " runs and %" PRIu64
            " s (0: no limit), %u workers, failing runs are saved in %s",
            w->seed, w->runs, w->seconds, w->jobs, w->save != NULL ? w->save : "no file");
}

/* A file may come from elsewhere: says which program is run before it is. */
static void name_program(const struct job *job, const char *path) {
  const char *file = job->what.replay != NULL ? job->what.replay : job->what.shrink;
  if (file == NULL) return;
  printf("eyotcheck: %s: runs %s", file, path);
  for (int i = 1; i < job->n_program; i++) printf(" %s", job->program[i]);
  putchar('\n');
  fflush(stdout);
}

/* A program that was built anew may still take the recorded steps; the replay shows it. */
static void compare_build(const struct job *job) {
  const struct chk_file *f = &job->file;
  if ((job->what.replay == NULL && job->what.shrink == NULL) || f->version == NULL) return;
  if (strcmp(f->version, eyot_version()) != 0)
    printf("eyotcheck: the run was saved by eyot %s; this is eyot %s\n", f->version,
           eyot_version());
  if (f->build != 0 && job->what.build != 0 && f->build != job->what.build)
    printf("eyotcheck: the program's file has changed since the run was saved\n");
}

static int search(struct job *job, uint64_t *units) {
  void *handle;
  const struct fab_module *module;
  if (eyoti_module_load("sim", &handle, &module) != 0) return EYOTI_EXIT_USAGE;
  int code = module->job_check(job->n_program, job->program, &job->what);
  if (code == EYOTI_EXIT_FOUND && job->explored.interrupted == 0 && job->what.replay == NULL &&
      job->what.shrink_found && job->fewer_units)
    *units = fewer_units(&job->what, (uint32_t)*units, job->program);
  /* a file's run that does not fail */
  if ((code == 0 || code == EYOTI_EXIT_STALE) &&
      (job->what.replay != NULL || job->what.shrink != NULL))
    job->explored.runs = 1;
  return code;
}

/* Replays the corpus, searches unless a file of it fails, and keeps a new failing run there. */
static int search_with_corpus(struct job *job, uint64_t *units) {
  static char path[PATH_MAX], found[PATH_MAX];
  struct fab_explored *e = &job->explored;
  int before =
      corpus_replay(job->corpus, job->program, path, sizeof path, e->reason, sizeof e->reason);
  if (before == EYOTI_EXIT_USAGE) return before;
  if (before == EYOTI_EXIT_FOUND) {
    printf("eyotcheck: failed: %s\neyotcheck: to see it again: eyotcheck --replay %s\n", e->reason,
           path);
    job->what.save = path;
    e->runs = e->failed = e->first = 1;
    int drawn = corpus_draw(path, &job->what, job->program);
    return drawn == 0 ? before : drawn;
  }
  e->reason[0] = '\0';
  if (snprintf(found, sizeof found, "%s/.found.%ld", job->corpus, (long)getpid()) >=
      (int)sizeof found)
    return tool_usage(&eyotcheck_tool, "--corpus: the path is too long: ", job->corpus);
  job->what.save = found;
  int code = search(job, units);
  if (code == EYOTI_EXIT_FOUND) {
    int moved = corpus_add(job->corpus, found, job->program[0], path, sizeof path);
    job->what.save = path;
    if (moved != 0) return moved;
  }
  return code == EYOTI_EXIT_OK ? before : code;
}

/* Files that only a failing run writes: better refused before a long search. */
static int check_file(const char *option, const char *path) {
  int err = path != NULL ? eyoti_out_file_errno(path) : 0;
  if (err == 0) return 0;
  fprintf(stderr, "eyotcheck: --%s: cannot write %s: %s\n", option, path, strerror(err));
  return EYOTI_EXIT_USAGE;
}

static int check_files(const struct job *job) {
  const struct fab_explore *w = &job->what;
  if (w->mermaid != NULL && w->svg != NULL && strcmp(w->mermaid, w->svg) == 0)
    return tool_usage(&eyotcheck_tool, "--mermaid and --svg need two files, not twice ", w->svg);
  int code = own_is_given(job, own_find("save")) ? check_file("save", w->save) : 0;
  if (code == 0) code = check_file("mermaid", w->mermaid);
  return code == 0 ? check_file("svg", w->svg) : code;
}

static int check_outputs(const struct job *job) {
  const struct fab_explore *w = &job->what;
  const struct output files[] = {{"--json", job->files.json, false},
                                 {"--junit", job->files.junit, false},
                                 {"--sarif", job->files.sarif, false},
                                 {"--result", job->result, false},
                                 {"--mermaid", w->mermaid, false},
                                 {"--svg", w->svg, false},
                                 {"--save", w->shrink != NULL ? NULL : w->save, false},
                                 {"the file of --replay", w->replay, true},
                                 {"the file of --shrink", w->shrink, true},
                                 {"the program", job->program[0], true}};
  return outputs_check(&eyotcheck_tool, files, sizeof files / sizeof *files);
}

static int check(struct job *job) {
  int fd;
  uint64_t units;
  if (eyoti_conf_u64(EYOTI_CONF_UNITS, &units) != 0) return EYOTI_EXIT_USAGE;
  int code = check_files(job);
  if (code == 0) code = check_outputs(job);
  if (code == 0) code = result_open(&eyotcheck_tool, job->result, &fd);
  if (code == 0) code = campaign_open(&eyotcheck_tool, &job->files);
  if (code != 0) return code;
  job->what.explored = &job->explored;
  bool corpus = job->corpus != NULL && job->what.replay == NULL && job->what.shrink == NULL;
  code = corpus ? search_with_corpus(job, &units) : search(job, &units);
  /* a code other than these: no run took place, and there is no line */
  bool ran = job->explored.runs > 0 && code != EYOTI_EXIT_USAGE;
  return ran ? write_results(job, (uint32_t)units, fd, code) : code;
}

static int run_tool(int argc, char **argv) {
  struct job job = {.fewer_units = true,
                    .what = {.strategy = EYOTCHECK_STRATEGY_DEFAULT,
                             .strategy_options = &job.options,
                             .detect = FAB_DETECT_ALL,
                             .runs = UINT64_MAX,
                             .jobs = 1,
                             .shrink_found = true,
                             .save = EYOTCHECK_SAVE_DEFAULT}};
  bool done = false;
  chk_file_init(&job.file);
  chk_options_init(&job.options);
  int code = read_options(argc, argv, &job, &done);
  if (code != 0 || done) return code;
  uint64_t fabric;
  if (tool_given(EYOTI_CONF_FABRIC) && eyoti_conf_u64(EYOTI_CONF_FABRIC, &fabric) == 0 &&
      fabric != EYOTI_FABRIC_SIM)
    return tool_usage(&eyotcheck_tool,
                      "--fabric mpi: eyotcheck explores schedules, which only the simulator has; "
                      "run the program over MPI with eyotrun --fabric mpi",
                      "");
  if ((code = tool_check_fabric(&eyotcheck_tool, EYOTI_CONF_FOR_SIM)) != 0) return code;
  if (job.gdb)
    return job.what.replay != NULL ? eyotcheck_gdb(argc, argv)
                                   : tool_usage(&eyotcheck_tool, "--gdb is for --replay FILE", "");
  bool systematic = chk_strategy_find(job.what.strategy)->systematic;
  if (job.what.runs == UINT64_MAX)
    job.what.runs = job.what.seconds > 0 || systematic ? 0 : RUNS_DEFAULT;
  if (systematic) job.what.jobs = 1; /* one search has one order */
  if (eyoti_conf_u64(EYOTI_CONF_SEED, &job.what.seed) != 0) return EYOTI_EXIT_USAGE;
  char path[PATH_MAX];
  if ((code = tool_find_program(&eyotcheck_tool, job.program, path, sizeof path)) != 0 ||
      (code = eyotcheck_list_options(&job)) != 0)
    return code;
  /* a replay leaves the file as it is */
  if (job.what.replay != NULL && !own_is_given(&job, own_find("save"))) job.what.save = NULL;
  job.what.build = tool_hash_file(path);
  name_program(&job, path);
  compare_build(&job);
  log_job(&job);
  return check(&job);
}

int main(int argc, char **argv) {
  tool_begin();
  tool_outlives_full_files();
  return tool_end("eyotcheck", run_tool(argc, argv));
}
