/* SPDX-License-Identifier: BSD-3-Clause */
/* explore.c - runs a search: starts worker processes, bounds them, and prints the closing
 * statement. See explore.h. */
#include "fabric_sim/explore/explore.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/snap.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/suppress.h"
#include "fabric_sim/explore/untimed_check.h"
#include "fabric_sim/explore/untimed_lin.h"
#include "fabric_sim/explore/untimed_run.h"
#include "fabric_sim/explore/untimed_watch.h"
#include "fabric_sim/host/clock.h"
#include "rt/proc.h"

#define SAID_BYTES 2000   /* of what a worker has printed */
#define LOOK_AT_CLOCK 64u /* runs */
#define WORKERS_MAX 64u
#define DEFAULT_STEPS 1000000u
#define PROGRESS_MS 10000u            /* between two lines of --log info */
#define POLL_MS 20u                   /* after a signal */
#define GRACE_NS UINT64_C(2000000000) /* for the runs in progress after a signal */

static struct chk_strategy *explore_make(const struct fab_explore *what, uint32_t units,
                                         uint32_t worker) {
  struct chk_options o = *what->strategy_options;
  o.seed = what->seed + ((uint64_t)worker << 40);
  o.runs = chk_strategy_find(what->strategy)->systematic ? 0 : what->runs;
  o.processes = units;
  return chk_strategy_find(what->strategy)->make(&o);
}

static size_t choices_bytes(void) {
  return sizeof(struct sim_found) + SIM_CHOICES_MAX * sizeof(struct chk_choice);
}

/* Size of a worker's result: the failing run, its choices, the outcomes. */
static size_t found_bytes(void) {
  return choices_bytes() + sizeof(struct sim_outcomes);
}

static struct sim_found *found_at(void *all, uint32_t worker) {
  return (struct sim_found *)(void *)((char *)all + worker * found_bytes());
}

static struct sim_outcomes *outcomes_at(void *all, uint32_t worker) {
  return (struct sim_outcomes *)(void *)((char *)found_at(all, worker) + choices_bytes());
}

static void keep_failure(const struct sim_untimed *c, struct sim_found *f, uint64_t trace) {
  f->failed++;
  if (f->found) return;
  f->run = f->runs;
  f->trace = trace;
  f->endless = c->watch.struck;
  memcpy(f->text, c->text, sizeof f->text);
  f->n_choices = c->choices.n < SIM_CHOICES_MAX ? c->choices.n : SIM_CHOICES_MAX;
  memcpy(f->choices, c->choices.at, f->n_choices * sizeof *f->choices);
  f->found = true;
}

/* Executes all runs of one worker. */
static void work(struct sim_explorer *e, struct chk_strategy *s, void *all, uint32_t worker,
                 uint64_t runs) {
  struct sim_found *f = found_at(all, worker);
  uint64_t until_ns =
      e->what->seconds > 0 ? sim_clock_ns() + e->what->seconds * 1000000000u : UINT64_MAX;
  while (runs == 0 || f->runs < runs) {
    if (((volatile struct sim_found *)found_at(all, 0))->stop) break;
    if (f->runs % LOOK_AT_CLOCK == 0) {
      if (sim_clock_ns() > until_ns) break;
      bool other = false;
      for (uint32_t i = 0; i < e->what->jobs; i++)
        other |= ((volatile struct sim_found *)found_at(all, i))->found;
      if (other && !e->what->keep_going) break;
    }
    if (!s->ops->begin(s)) {
      f->exhausted = true;
      break;
    }
    uint64_t trace;
    enum chk_end how = sim_explore_run(e, s, true, &trace);
    f->runs++;
    s->ops->end(s, how, &e->untimed->choices);
    f->bounded += how == CHK_BOUND;
    f->pruned += how == CHK_PRUNED;
    f->undecided += e->untimed->lin->undecided;
    f->steps = e->untimed->steps;
    if (how == CHK_FAILED) keep_failure(e->untimed, f, trace);
    if (f->found && !e->what->keep_going) break;
  }
  f->ended = true;
}

/* Forks a worker from the state at the start of runs: it shares only the memory for its result. */
static pid_t explore_start(struct sim_explorer *e, void *all, uint32_t worker, int said) {
  fflush(NULL);
  pid_t pid = chk_snap_fork(e->snap);
  if (pid != 0) return pid;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)dup2(said, e->said);
  sim_interrupt_leave(&e->interrupt);
  struct chk_strategy *s = explore_make(e->what, e->w->n, worker);
  if (s == NULL) eyoti_no_memory(0, "a strategy");
  if (sim_untimed_watch_open(e->w) != 0) _exit(EYOTI_EXIT_USAGE);
  uint64_t share = e->what->runs / e->what->jobs + (worker < e->what->runs % e->what->jobs);
  e->untimed->steps = 0;
  e->untimed->outcomes = outcomes_at(all, worker);
  if (e->what->runs == 0 || share > 0) work(e, s, all, worker, share);
  found_at(all, worker)->ended = true;
  sim_explore_finish(e);
  if (worker == 0) s->ops->report(s, stdout);
  /* the last permitted run of a search of all schedules may have been the last one that there is */
  struct sim_found *f = found_at(all, worker);
  if (e->untimed->fine && f->failed == 0 && !f->exhausted && f->runs == e->what->runs)
    f->exhausted = !s->ops->begin(s);
  fflush(stdout);
  if (sim_counters_on()) exit(0); /* gcov counters are written at exit */
  _exit(0);
}

/* Prints the end of what a worker has printed while it was quiet. */
static void print_said(int said) {
  char text[SAID_BYTES + 1];
  off_t end = lseek(said, 0, SEEK_END), from = end > SAID_BYTES ? end - SAID_BYTES : 0;
  ssize_t n = end > 0 ? pread(said, text, SAID_BYTES, from) : 0;
  text[n > 0 ? n : 0] = '\0';
  const char *last = strstr(text, "eyot: ");
  for (const char *next = last; next != NULL; next = strstr(next + 1, "\neyot: ")) last = next;
  if (last != NULL)
    fprintf(stderr, "%s%s", *last == '\n' ? last + 1 : last, text[n - 1] == '\n' ? "" : "\n");
}

/* Reports on a worker that has ended; sets *code when it did not end well. */
static void join_one(const struct sim_found *f, uint32_t worker, int said, int status, int *code) {
  eyoti_log(EYOTI_LOG_DEBUG, "eyotcheck", 0,
            "worker %u: %" PRIu64 " runs, %" PRIu64 " steps, %" PRIu64 " failed, %" PRIu64
            " cut, %" PRIu64 " stopped as already explored",
            worker, f->runs, f->steps, f->failed, f->bounded, f->pruned);
  if (f->ended) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == EYOTI_EXIT_NO_MEMORY) {
    fprintf(stderr,
            "eyot: out of memory: worker %u of eyotcheck ended after %" PRIu64
            " runs; lower --jobs or --max-run, or raise the limit of memory\n",
            worker, f->runs);
    *code = EYOTI_EXIT_NO_MEMORY;
    return;
  }
  fprintf(stderr, "eyotcheck: worker %u ended after %" PRIu64 " runs: %s\n", worker, f->runs,
          WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it could not start");
  print_said(said);
  if (*code == 0) *code = EYOTI_EXIT_USAGE;
}

static void kill_all(const pid_t *pids, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (pids[i] > 0) (void)kill(pids[i], SIGKILL);
}

/* Adds up what the workers have found so far; the first failing run, or NULL. */
static struct sim_found *sum_up(const struct sim_explorer *e, void *all, struct sim_found *sum) {
  struct sim_found *first = NULL;
  *sum = (struct sim_found){.exhausted = true};
  for (uint32_t i = 0; i < e->what->jobs; i++) {
    struct sim_found *f = found_at(all, i);
    sum->runs += f->runs, sum->steps += f->steps, sum->failed += f->failed;
    sum->bounded += f->bounded, sum->pruned += f->pruned, sum->undecided += f->undecided;
    sum->exhausted &= f->exhausted;
    if (f->found && (first == NULL || f->run < first->run)) first = f;
  }
  return first;
}

static void explore_progress(const struct sim_explorer *e, void *all) {
  struct sim_found sum;
  (void)sum_up(e, all, &sum);
  eyoti_log(EYOTI_LOG_INFO, "eyotcheck", 0,
            "so far %" PRIu64 " runs, %" PRIu64 " failed, %" PRIu64 " cut at --max-run", sum.runs,
            sum.failed, sum.bounded);
}

/* Waits for all workers. The first signal lets each end its run; the second, or a worker that is
 * not done soon, ends them at once. Returns an exit code: not 0 if one ended abnormally. */
static int join(struct sim_explorer *e, void *all, pid_t *pids, const int *said) {
  struct sim_interrupt *in = &e->interrupt;
  uint64_t told_ns = sim_clock_ns(), until_ns = 0;
  bool killed = false;
  int code = 0;
  for (uint32_t left = e->what->jobs; left > 0;) {
    for (uint32_t i = 0; i < e->what->jobs; i++) {
      int status;
      pid_t ended = pids[i] > 0 ? waitpid(pids[i], &status, WNOHANG) : 0;
      if (ended <= 0) continue;
      pids[i] = 0;
      left--;
      if (!killed) join_one(found_at(all, i), i, said[i], status, &code);
    }
    if (left == 0) break;
    sim_interrupt_wait(in, in->signal != 0 ? POLL_MS : PROGRESS_MS);
    uint64_t now_ns = sim_clock_ns();
    if (in->signal != 0 && until_ns == 0) {
      found_at(all, 0)->stop = true;
      until_ns = now_ns + GRACE_NS;
    }
    if (in->signal != 0 && !killed && (in->times > 1 || now_ns > until_ns)) {
      killed = true;
      kill_all(pids, e->what->jobs);
    }
    if (now_ns - told_ns < PROGRESS_MS * UINT64_C(1000000)) continue;
    explore_progress(e, all);
    told_ns = now_ns;
  }
  return code;
}

static int explore_search(struct sim_explorer *e, void *all) {
  pid_t pids[WORKERS_MAX];
  int said[WORKERS_MAX];
  uint64_t from_ns = sim_clock_ns();
  for (uint32_t i = 0; i < e->what->jobs; i++) {
    said[i] = memfd_create("eyotcheck-said", MFD_CLOEXEC);
    if (said[i] >= 0 && (pids[i] = explore_start(e, all, i, said[i])) >= 0) continue;
    fprintf(stderr, "eyotcheck: cannot fork worker %u: %s\n", i, strerror(errno));
    kill_all(pids, i);
    return EYOTI_EXIT_USAGE;
  }
  int ended = join(e, all, pids, said);
  for (uint32_t i = 0; i < e->what->jobs; i++) (void)close(said[i]);
  struct sim_found sum;
  const struct sim_found *first = sum_up(e, all, &sum);
  double seconds = (double)(sim_clock_ns() - from_ns) * 1e-9;
  sim_explore_print_counts(e, &sum, seconds);
  sim_explore_report_counts(e, &sum, first, seconds);
  for (uint32_t i = 1; i < e->what->jobs; i++)
    sim_outcome_merge(outcomes_at(all, 0), outcomes_at(all, i));
  sim_outcome_print(outcomes_at(all, 0), stdout);
  if (first == NULL) return ended == 0 ? sim_explore_verdict(e, &sum) : ended;
  printf("eyotcheck: run %" PRIu64 " failed: %s\n", first->run, first->text);
  fflush(stdout);
  struct chk_stream choices = {(struct chk_choice *)(uintptr_t)first->choices, first->n_choices,
                               first->n_choices},
                    own;
  chk_stream_init(&own);
  chk_stream_copy(&own, &choices);
  e->untimed->watch.struck = first->endless;
  int code = sim_explore_found(e, &own, first->text, e->what->shrink_found);
  chk_stream_fini(&own);
  return code;
}

static int explore(struct sim_explorer *e) {
  if (e->what->replay != NULL) return sim_explore_file(e, e->what->replay, false);
  if (e->what->shrink != NULL) return sim_explore_file(e, e->what->shrink, true);
  size_t bytes = found_bytes() * e->what->jobs;
  void *all =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    eyoti_no_memory(bytes, "what %u workers find; lower --jobs", e->what->jobs);
  int code = explore_search(e, all);
  munmap(all, bytes);
  return code;
}

/* Says that no picture was drawn; a picture that cannot be written is an error. */
static int with_pictures(const struct sim_explorer *e, int code) {
  const struct fab_explore *x = e->what;
  if (x->mermaid == NULL && x->svg == NULL) return code;
  if (e->pictures == SIM_PICTURES_FAILED) return EYOTI_EXIT_USAGE;
  if (e->pictures == SIM_PICTURES_NONE)
    printf("eyotcheck: there is no failing run to draw: %s%s%s not written\n",
           x->mermaid != NULL ? x->mermaid : x->svg,
           x->mermaid != NULL && x->svg != NULL ? " and " : "",
           x->mermaid != NULL && x->svg != NULL ? x->svg : " is");
  return code;
}

int sim_explore(struct sim_world *w, int argc, char **argv, const struct fab_explore *what) {
  const struct chk_strategy_entry *strategy = chk_strategy_find(what->strategy);
  EYOTI_ASSERT(strategy != NULL && what->jobs >= 1 && what->jobs <= WORKERS_MAX);
  struct sim_explorer *e = chk_alloc(sizeof *e);
  struct sim_untimed *c = chk_alloc(sizeof *c);
  if (e == NULL || c == NULL) eyoti_no_memory(sizeof *e + sizeof *c, "exploring");
  *c = (struct sim_untimed){.detect = what->detect,
                            .max_steps = what->max_steps > 0 ? what->max_steps : DEFAULT_STEPS,
                            .fine = strategy->systematic};
  *e = (struct sim_explorer){.w = w, .untimed = c, .what = what, .argc = argc, .argv = argv};
  if ((c->lin = sim_lin_new()) == NULL) eyoti_no_memory(0, "histories");
  c->livelock = what->livelock;
  chk_stream_init(&c->choices);
  w->fab_ops.check = &sim_untimed_check_ops;
  eyoti_proc_host(w->proc, sim_world_code, sim_detect_line, w);
  int rc = sim_untimed_run_new(w, c);
  if (rc == EYOT_ENOMEM) eyoti_no_memory(0, "the schedules of %u units", w->n);
  if (rc != 0 || sim_untimed_watch_open(w) != 0) return EYOTI_EXIT_USAGE;
  struct sim_suppress *suppress;
  if (!sim_suppress_open(w->opt.suppress, &suppress)) return EYOTI_EXIT_USAGE;
  if ((c->detect & FAB_DETECT_RACE) != 0) c->race = sim_race_new(w, suppress);
  int code = EYOTI_EXIT_USAGE;
  if (sim_explore_prepare(e) == 0) {
    sim_interrupt_open(&e->interrupt);
    code = with_pictures(e, explore(e));
    sim_interrupt_close(&e->interrupt);
  }
  if (e->snap != NULL) sim_explore_finish(e);
  if (what->replay == NULL && what->shrink == NULL) sim_suppress_print_unused(suppress, stderr);
  sim_suppress_close(suppress);
  return code;
}
