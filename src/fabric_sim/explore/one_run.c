/* SPDX-License-Identifier: BSD-3-Clause */
/* one_run.c - executes the program to the start of runs, and single runs from there. See explore.h.
 *
 * A signal handler has no argument, so the explorer that a fault belongs to is the one static
 * variable of the simulator; it is set before the snapshot is taken. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/wording.h"
#include "check/snapshot/mem.h"
#include "check/snapshot/snap.h"
#include "fabric_sim/explore/explore.h"
#include "fabric_sim/explore/race.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed_lin.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_run.h"
#include "fabric_sim/explore/untimed_watch.h"
#include "fabric_sim/report/crash.h"
#include "rt/frames.h"
#include "rt/said.h"

#define ALT_STACK_BYTES 131072u
#define PROGRAM_BYTES 400u
#define HOW_BYTES 300u
#define SAID_RUNS 1024u /* the output of this many runs is kept at a time */

static struct sim_explorer *faults_of;

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/* The crash report may be the first to write to a page of the snapshot, so its signal must be
 * unblocked within its own handler. */
static void may_write_again(int sig) {
  sigset_t faults;
  sigemptyset(&faults);
  sigaddset(&faults, SIGSEGV);
  sigaddset(&faults, sig);
  (void)sigprocmask(SIG_UNBLOCK, &faults, NULL);
}

/* Handles the first write to a page of the snapshot, or the crash of a unit, which fails the run
 * like any other failure. */
static void explore_on_fault(int sig, siginfo_t *info, void *context) {
  struct sim_explorer *e = faults_of;
  if (sig == SIGSEGV && chk_snap_fault(e->snap, info->si_addr)) return;
  may_write_again(sig);
  if (e->reports) { /* the crash report itself has crashed */
    (void)signal(sig, SIG_DFL);
    (void)raise(sig);
  }
  e->reports = true;
  struct sim_world *w = e->w;
  char text[SIM_UNTIMED_TEXT];
  uint32_t unit = w->running;
  if (unit == UINT32_MAX)
    eyoti_snprintf(text, sizeof text,
                   "%s outside of all units (an invariant's function, or eyot itself)",
                   strsignal(sig));
  else if (sig == SIGABRT)
    eyoti_snprintf(text, sizeof text, "unit %u: aborted", unit);
  else {
    char what[SIM_CRASH_TEXT];
    sim_crash_text(&w->units[unit], sig, info, context, what, sizeof what);
    eyoti_snprintf(text, sizeof text, "unit %u: %s", unit, what);
  }
  sim_untimed_crashed(w, text);
  sim_crash_report_at(unit == UINT32_MAX ? NULL : &w->units[unit], text, eyoti_fault_of(context).pc,
                      128 + sig);
}

void sim_explore_ended(const struct sim_unit *u, const char *what, int code) {
  struct sim_world *w = u->world;
  char text[SIM_UNTIMED_TEXT];
  (void)code;
  if (w->untimed == NULL || !w->untimed->can_escape || w->running != u->fab.me) return;
  eyoti_snprintf(text, sizeof text, "unit %u: %s", u->fab.me, what);
  sim_untimed_crashed(w, text);
}

static int catch_faults(struct sim_explorer *e) {
  if ((e->alt_stack = chk_alloc(ALT_STACK_BYTES)) == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the fault handler's stack");
  const stack_t alt = {.ss_sp = e->alt_stack, .ss_size = ALT_STACK_BYTES};
  if (sigaltstack(&alt, NULL) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "sigaltstack: %s", strerror(errno));
  faults_of = e;
  struct sigaction a = {.sa_sigaction = explore_on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&a.sa_mask);
  /* its handler is left by a jump, which must not interrupt the saving of a page */
  sigaddset(&a.sa_mask, SIM_UNTIMED_WATCH_SIGNAL);
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++)
    if (sigaction(SIGNALS[i], &a, NULL) != 0)
      return EYOTI_FAIL(EYOT_ESYS, "sigaction(%d): %s", SIGNALS[i], strerror(errno));
  return EYOT_OK;
}

static void explore_release(struct sim_world *w) {
  for (uint32_t i = 0; i < w->n; i++) sim_untimed_offer(w, i, false);
}

/* Runs the program to eyot_check_begin, or to the end of eyot_init if it does not call
 * eyot_check_begin. */
static int to_the_beginning(struct sim_explorer *e) {
  struct sim_world *w = e->w;
  struct sim_untimed_run *r = e->untimed->run;
  for (bool begun = false;;) {
    enum chk_end how = sim_untimed_go(w);
    /* the whole run from eyot_init on is explored, however this first one ended */
    if (r->at_begin < w->n && begun) {
      e->untimed->failed = false;
      chk_snap_restore(e->snap);
      return EYOT_OK;
    }
    if (r->at_begin < w->n) {
      eyoti_fprintf(
          stderr,
          "eyotcheck: the program did not reach the beginning of a run (eyot_check_begin, or "
          "the end of eyot_init): %s\n",
          how == CHK_FAILED ? e->untimed->text : "it ended first");
      return EYOT_ESTATE;
    }
    bool explicitly = r->n_explicit == w->n;
    r->explicitly = explicitly;
    r->at_begin = r->n_explicit = 0;
    r->steps = 0;
    w->now_ps = 0;
    sim_trace_init(&w->trace);
    sim_lin_mark(e->untimed->lin);
    EYOTI_TRY(chk_snap_take(e->snap));
    if (explicitly) return EYOT_OK;
    begun = true;
    explore_release(w);
  }
}

int sim_explore_prepare(struct sim_explorer *e) {
  if ((e->out = dup(STDOUT_FILENO)) < 0 || (e->err = dup(STDERR_FILENO)) < 0 ||
      (e->said = memfd_create("eyotcheck-said", MFD_CLOEXEC)) < 0)
    return EYOTI_FAIL(EYOT_ESYS, "cannot redirect standard output: %s", strerror(errno));
  EYOTI_TRY(chk_snap_new(&e->snap));
  EYOTI_TRY(sim_counters_keep(e->snap));
  e->untimed->snap = e->snap;
  e->untimed->watch.err = e->err;
  EYOTI_TRY(catch_faults(e));
  return to_the_beginning(e);
}

/* Output in buffers that are restored is never seen; only output that a run writes at once must be
 * suppressed. Standard error goes to a file, from which the reason of a failure is read. */
static void redirect(struct sim_explorer *e, bool quiet) {
  if (e->untimed->quiet == quiet) return;
  e->untimed->quiet = quiet;
  fflush(stdout); /* before a run restores its buffer */
  (void)dup2(quiet ? e->said : e->out, STDOUT_FILENO);
  (void)dup2(quiet ? e->said : e->err, STDERR_FILENO);
}

void sim_explore_loud(struct sim_explorer *e) {
  redirect(e, false);
}

/* Empties the file if it is due; returns its length. */
static off_t before_run(struct sim_explorer *e) {
  if (e->said_runs++ % SAID_RUNS == 0 && ftruncate(e->said, 0) == 0)
    (void)lseek(e->said, 0, SEEK_SET);
  return lseek(e->said, 0, SEEK_END);
}

/* Appends to the text of the failure the first line that the run has written: programs print the
 * reason before they end with a code. */
static void add_reason(const struct sim_explorer *e, off_t from) {
  char line[SIM_UNTIMED_TEXT / 2];
  ssize_t n = pread(e->said, line, sizeof line - 1, from);
  if (n <= 0) return;
  line[n] = '\0';
  line[strcspn(line, "\n")] = '\0';
  char *text = e->untimed->text;
  size_t used = strlen(text);
  snprintf(text + used, sizeof e->untimed->text - used, "; it printed: %s", line);
}

/* Appends to text of `size` bytes, cut. */
static void text_append(char *text, size_t size, const char *more) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", more);
}

/* Prints the steps of the run, and draws it. Pictures name the program without its folder. */
static void report_close(struct sim_explorer *e, bool pictured) {
  const struct fab_explore *x = e->what;
  char program[PROGRAM_BYTES] = "", how[HOW_BYTES];
  const char *slash = strrchr(e->argv[0], '/'), *file = x->replay != NULL ? x->replay : x->shrink;
  text_append(program, sizeof program, slash != NULL ? slash + 1 : e->argv[0]);
  for (int i = 1; i < e->argc; i++) {
    text_append(program, sizeof program, " ");
    text_append(program, sizeof program, e->argv[i]);
  }
  if (file != NULL)
    snprintf(how, sizeof how, "the run of %s", file);
  else
    snprintf(how, sizeof how, "strategy %s, seed %" PRIu64, x->strategy, x->seed);
  const struct sim_step_pictures pictures = {
      .mermaid = x->mermaid, .svg = x->svg, .program = program, .how = how};
  bool drawn = sim_step_report_close(e->w, pictured ? &pictures : NULL);
  if (pictured) e->pictures = drawn ? SIM_PICTURES_DRAWN : SIM_PICTURES_FAILED;
}

enum chk_end sim_explore_run(struct sim_explorer *e, struct chk_strategy *s, bool quiet,
                             uint64_t *trace) {
  struct sim_untimed *c = e->untimed;
  redirect(e, quiet);
  off_t said = quiet ? before_run(e) : 0;
  e->said_from = said;
  c->strategy = s;
  c->record = s->ops->wants_steps;
  c->failed = e->reports = false;
  chk_stream_clear(&c->choices);
  sim_lin_restart(c->lin);
  explore_release(e->w);
  if (c->race != NULL) {
    sim_race_restart(c->race);
    sim_race_attach(c->race); /* the list is the snapshot's again */
  }
  bool pictured = !quiet && (e->what->mermaid != NULL || e->what->svg != NULL);
  if (!quiet)
    sim_step_report_open(e->w, c->report_steps ? UINT64_MAX : SIM_STEP_REPORT_UNASKED, pictured);
  enum chk_end how = sim_lin_judge(e->w, sim_untimed_go(e->w), !quiet);
  if (how == CHK_FAILED && quiet && c->ended_only) add_reason(e, said);
  if (trace != NULL) *trace = e->w->trace.hash;
  if (!quiet) {
    eyoti_said_close(e->w->proc);
    fflush(stdout); /* the program's output comes first */
    report_close(e, pictured && how == CHK_FAILED);
    fflush(stdout);
    fflush(stderr);
  }
  c->last_step = e->w->untimed->run->steps;
  chk_snap_restore(e->snap);
  return how;
}

void sim_explore_finish(struct sim_explorer *e) {
  redirect(e, false);
  sim_untimed_watch_close(e->w);
  chk_snap_drop(e->snap);
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) (void)signal(SIGNALS[i], SIG_DFL);
  faults_of = NULL;
}
