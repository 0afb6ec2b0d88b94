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
#include "fabric_sim/explore/untimed_check.h"
#include "fabric_sim/explore/untimed_lin.h"
#include "fabric_sim/explore/untimed_run.h"
#include "fabric_sim/explore/untimed_watch.h"
#include "fabric_sim/host/clock.h"

#define LOOK_AT_CLOCK 64u /* runs */
#define WORKERS_MAX 64u
#define DEFAULT_STEPS 1000000u

static struct chk_strategy *explore_make(const struct fab_explore *what, uint32_t units,
                                         uint32_t worker) {
  struct chk_options o = *what->strategy_options;
  o.seed = what->seed + ((uint64_t)worker << 40);
  o.runs = what->runs;
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
    if (how == CHK_FAILED) keep_failure(e->untimed, f, trace);
    if (f->found && !e->what->keep_going) break;
  }
  f->steps = e->untimed->steps;
  f->ended = true;
}

/* Forks a worker from the state at the start of runs: it shares only the memory for its result. */
static pid_t explore_start(struct sim_explorer *e, void *all, uint32_t worker) {
  fflush(NULL);
  pid_t pid = chk_snap_fork(e->snap);
  if (pid != 0) return pid;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct chk_strategy *s = explore_make(e->what, e->w->n, worker);
  if (s == NULL || sim_untimed_watch_open(e->w) != 0) _exit(SIM_EXPLORE_USAGE);
  uint64_t share = e->what->runs / e->what->jobs + (worker < e->what->runs % e->what->jobs);
  e->untimed->steps = 0;
  e->untimed->outcomes = outcomes_at(all, worker);
  if (e->what->runs == 0 || share > 0) work(e, s, all, worker, share);
  found_at(all, worker)->ended = true;
  sim_explore_finish(e);
  if (worker == 0) s->ops->report(s, stdout);
  fflush(stdout);
  if (sim_counters_on()) exit(0); /* gcov counters are written at exit */
  _exit(0);
}

/* Waits for all workers. False: one ended abnormally. */
static bool join(const struct sim_explorer *e, void *all, const pid_t *pids) {
  bool ok = true;
  for (uint32_t i = 0; i < e->what->jobs; i++) {
    int status;
    while (waitpid(pids[i], &status, 0) < 0 && errno == EINTR) continue;
    if (found_at(all, i)->ended) continue;
    fprintf(stderr, "eyotcheck: worker %u ended after %" PRIu64 " runs: %s\n", i,
            found_at(all, i)->runs,
            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it could not start");
    ok = false;
  }
  return ok;
}

static void explore_report(const struct sim_explorer *e, const struct sim_found *sum,
                           double seconds) {
  printf("eyotcheck: %s, %u units, %" PRIu64 " runs, %" PRIu64
         " steps in %.2f s of wall time: %.0f runs a second",
         e->what->strategy, e->w->n, sum->runs, sum->steps, seconds,
         seconds > 0 ? (double)sum->runs / seconds : 0);
  if (e->what->jobs > 1) printf(" by %u workers", e->what->jobs);
  printf("; %" PRIu64 " failed", sum->failed);
  if (sum->bounded > 0)
    printf("; %" PRIu64 " cut at --max-run %" PRIu64, sum->bounded, e->untimed->max_steps);
  if (sum->undecided > 0)
    printf("; %" PRIu64 " undecided: the search for an order of their histories reached its limit",
           sum->undecided);
  printf("\n");
}

static int explore_search(struct sim_explorer *e, void *all) {
  pid_t pids[WORKERS_MAX];
  uint64_t from_ns = sim_clock_ns();
  for (uint32_t i = 0; i < e->what->jobs; i++) {
    if ((pids[i] = explore_start(e, all, i)) >= 0) continue;
    fprintf(stderr, "eyotcheck: cannot fork worker %u: %s\n", i, strerror(errno));
    for (uint32_t k = 0; k < i; k++) (void)kill(pids[k], SIGKILL);
    return SIM_EXPLORE_USAGE;
  }
  bool ok = join(e, all, pids);
  struct sim_found sum = {.exhausted = true};
  struct sim_found *first = NULL;
  for (uint32_t i = 0; i < e->what->jobs; i++) {
    struct sim_found *f = found_at(all, i);
    sum.runs += f->runs, sum.steps += f->steps, sum.failed += f->failed, sum.bounded += f->bounded,
        sum.pruned += f->pruned;
    sum.undecided += f->undecided;
    sum.exhausted &= f->exhausted;
    if (f->found && (first == NULL || f->run < first->run)) first = f;
  }
  double seconds = (double)(sim_clock_ns() - from_ns) * 1e-9;
  explore_report(e, &sum, seconds);
  sim_explore_report_counts(e, &sum, first, seconds);
  for (uint32_t i = 1; i < e->what->jobs; i++)
    sim_outcome_merge(outcomes_at(all, 0), outcomes_at(all, i));
  sim_outcome_print(outcomes_at(all, 0), stdout);
  if (first == NULL) return ok ? 0 : SIM_EXPLORE_USAGE;
  printf("eyotcheck: run %" PRIu64 " failed: %s\n", first->run, first->text);
  fflush(stdout);
  struct chk_stream choices = {first->choices, first->n_choices, first->n_choices}, own;
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
  if (all == MAP_FAILED) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for what %u workers find", e->what->jobs);
    return SIM_EXPLORE_USAGE;
  }
  int code = explore_search(e, all);
  munmap(all, bytes);
  return code;
}

int sim_explore(struct sim_world *w, int argc, char **argv, const struct fab_explore *what) {
  const struct chk_strategy_entry *strategy = chk_strategy_find(what->strategy);
  EYOTI_ASSERT(strategy != NULL && what->jobs >= 1 && what->jobs <= WORKERS_MAX);
  struct sim_explorer *e = chk_alloc(sizeof *e);
  struct sim_untimed *c = chk_alloc(sizeof *c);
  if (e == NULL || c == NULL) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for exploring");
    return SIM_EXPLORE_USAGE;
  }
  *c = (struct sim_untimed){.detect = what->detect,
                            .max_steps = what->max_steps > 0 ? what->max_steps : DEFAULT_STEPS,
                            .fine = strategy->systematic};
  *e = (struct sim_explorer){.w = w, .untimed = c, .what = what, .argc = argc, .argv = argv};
  if ((c->lin = sim_lin_new()) == NULL) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for histories");
    return SIM_EXPLORE_USAGE;
  }
  c->livelock = what->livelock;
  chk_stream_init(&c->choices);
  w->fab_ops.check = &sim_untimed_check_ops;
  if (sim_untimed_run_new(w, c) != 0 || sim_untimed_watch_open(w) != 0) return SIM_EXPLORE_USAGE;
  if ((c->detect & FAB_DETECT_RACE) != 0) c->race = sim_race_new(w);
  int code = sim_explore_prepare(e) == 0 ? explore(e) : SIM_EXPLORE_USAGE;
  if (e->snap != NULL) sim_explore_finish(e);
  return code;
}
