/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds_pool.c - see seeds_pool.h.
 *
 * Why it exists: a run of a small program takes a millisecond, starting one takes forty (SimGrid's
 * libraries, the program's copies). Everything is therefore loaded once, and each run is a fork of
 * that state. */
#include "seeds_pool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/conf.h"
#include "base/exit_codes.h"
#include "fabric_sim/explore/interrupt.h"
#include "progress.h"

#define AHEAD_MAX 4096u /* runs that ended before one with a lower seed has */
#define WAIT_MS 100u

/* A run in progress. */
struct pool_slot {
  pid_t pid; /* 0: none */
  uint64_t index, began_us;
  int output; /* a file in memory */
};

struct pool_result {
  bool ended;
  int status;
  uint64_t time_us;
};

struct seeds_pool {
  const struct seeds_job *j;
  uint64_t next, done;  /* the next run to start; those before `done` were handed over */
  uint64_t stop;        /* runs from here on do not count */
  uint32_t live;        /* runs in progress */
  bool started, refuse; /* refuse: no more is started for now */
  bool closing;         /* what ends now was killed */
  struct seeds_outcome out;
  uint64_t lowest; /* the run whose output is kept */
  struct sim_interrupt interrupt;
  struct pool_slot slots[SEEDS_JOBS_MAX];
  struct pool_result results[AHEAD_MAX];
};

int seeds_code_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGXFSZ) return EYOTI_EXIT_USAGE;
  return WTERMSIG(status) == SIGALRM ? EYOTI_EXIT_TIME_LIMIT : EYOTI_EXIT_SIGNAL + WTERMSIG(status);
}

void seeds_reason_of(int status, uint64_t limit_s, char reason[SEEDS_REASON_BYTES]) {
  if (WIFEXITED(status))
    snprintf(reason, SEEDS_REASON_BYTES, "exit code %d%s", WEXITSTATUS(status),
             WEXITSTATUS(status) == EYOTI_EXIT_DEADLOCK   ? " (deadlock)"
             : WEXITSTATUS(status) == EYOTI_EXIT_LIVELOCK ? " (livelock)"
                                                          : "");
  else if (WTERMSIG(status) == SIGALRM)
    snprintf(reason, SEEDS_REASON_BYTES, "no end within %" PRIu64 " s of wall time (--run-limit)",
             limit_s);
  else if (WTERMSIG(status) == SIGXFSZ)
    snprintf(reason, SEEDS_REASON_BYTES, "cannot write the output, or another file: %s",
             strerror(EFBIG));
  else
    snprintf(reason, SEEDS_REASON_BYTES, "killed by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
}

/* Makes the run in the child and ends the process. Only the first run ends like any other process,
 * with the exit handlers of library and program (leak checkers, coverage): they cost more than a
 * run. */
static void child(const struct seeds_pool *p, uint64_t seed, int output, bool first)
    __attribute__((noreturn));
static void child(const struct seeds_pool *p, uint64_t seed, int output, bool first) {
  const struct seeds_job *j = p->j;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  sim_interrupt_leave(&p->interrupt);
  (void)signal(SIGXFSZ, SIG_DFL); /* shows the parent that the output is not whole */
  if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
    _exit(EYOTI_EXIT_NOT_RUNNABLE);
  /* SIGALRM ends the process, and shows the parent the reason */
  (void)alarm((unsigned)j->limit_s);
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, seed);
  int code = eyoti_conf_set(EYOTI_CONF_SEED, text) == 0 ? j->module->job_run(j->job, seed)
                                                        : EYOTI_EXIT_NOT_RUNNABLE;
  if (first) {
    j->module->job_close(j->job);
    exit(code);
  }
  fflush(NULL);
  _exit(code);
}

/* Starts the next run. The system may refuse a process: then others must end first, and without
 * others no run can be made. */
static void start(struct seeds_pool *p, struct pool_slot *slot) {
  uint64_t seed = seed_range_at(&p->j->range, p->next);
  if (slot->output < 0) slot->output = memfd_create("eyotrun-output", MFD_CLOEXEC);
  if (slot->output >= 0 && ftruncate(slot->output, 0) == 0 &&
      lseek(slot->output, 0, SEEK_SET) == 0) {
    fflush(NULL);
    slot->pid = fork();
    if (slot->pid == 0) child(p, seed, slot->output, !p->started);
    if (slot->pid > 0) {
      p->started = true;
      slot->index = p->next++;
      slot->began_us = progress_now_us();
      p->live++;
      return;
    }
    slot->pid = 0;
  }
  p->refuse = true;
  if (p->live > 0) return;
  fprintf(stderr, "eyotrun: cannot start the run with seed %" PRIu64 ": %s\n", seed,
          strerror(errno));
  p->out.ok = false;
}

static void kill_from(struct seeds_pool *p, uint64_t index) {
  for (uint32_t i = 0; i < p->j->jobs; i++)
    if (p->slots[i].pid > 0 && p->slots[i].index >= index) (void)kill(p->slots[i].pid, SIGKILL);
}

static void note_failure(struct seeds_pool *p, struct pool_slot *slot) {
  if (p->out.output >= 0 && slot->index > p->lowest) return;
  if (p->out.output >= 0) close(p->out.output);
  p->out.output = slot->output;
  p->out.output_seed = seed_range_at(&p->j->range, slot->index);
  p->lowest = slot->index;
  slot->output = -1; /* the slot gets a new file */
  if (p->j->keep_going) return;
  p->stop = slot->index + 1;
  kill_from(p, p->stop);
}

/* Takes all runs that have ended. */
static void reap(struct seeds_pool *p) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (uint32_t i = 0; i < p->j->jobs; i++) {
      struct pool_slot *slot = &p->slots[i];
      if (slot->pid != pid) continue;
      slot->pid = 0;
      p->live--;
      p->refuse = false;
      if (p->closing || slot->index >= p->stop) break;
      p->results[slot->index % AHEAD_MAX] =
          (struct pool_result){true, status, progress_now_us() - slot->began_us};
      if (seeds_code_of(status) != 0) note_failure(p, slot);
      break;
    }
  }
}

/* Hands over the runs before which none is missing. */
static void hand_over(struct seeds_pool *p) {
  while (p->done < p->stop && p->results[p->done % AHEAD_MAX].ended) {
    struct pool_result *r = &p->results[p->done % AHEAD_MAX];
    const struct seeds_ended e = {seed_range_at(&p->j->range, p->done), r->time_us, r->status};
    r->ended = false;
    p->done++;
    if (p->j->ended != NULL) p->j->ended(p->j->arg, &e);
  }
}

static void start_more(struct seeds_pool *p) {
  for (uint32_t i = 0; i < p->j->jobs && p->out.ok && !p->refuse; i++)
    if (p->slots[i].pid == 0 && p->next < p->stop && p->next - p->done < AHEAD_MAX)
      start(p, &p->slots[i]);
}

static void run_all(struct seeds_pool *p) {
  for (;;) {
    reap(p);
    hand_over(p);
    if (p->live == 0 && (p->closing || p->done == p->stop)) break;
    bool more =
        p->out.ok && p->interrupt.signal == 0 && (p->j->tick == NULL || p->j->tick(p->j->arg));
    if (more && !p->closing) {
      start_more(p);
    } else {
      p->closing = true;
      kill_from(p, 0);
    }
    if (p->live > 0) sim_interrupt_wait(&p->interrupt, WAIT_MS);
  }
}

struct seeds_outcome seeds_pool_run(const struct seeds_job *j) {
  static struct seeds_pool p;
  uint64_t all = seed_range_count(&j->range);
  p = (struct seeds_pool){
      .j = j, .next = j->from, .done = j->from, .stop = all, .out = {.ok = true, .output = -1}};
  for (uint32_t i = 0; i < SEEDS_JOBS_MAX; i++) p.slots[i].output = -1;
  sim_interrupt_open(&p.interrupt);
  run_all(&p);
  p.out.signal = p.done < p.stop ? p.interrupt.signal : 0;
  sim_interrupt_close(&p.interrupt);
  for (uint32_t i = 0; i < SEEDS_JOBS_MAX; i++)
    if (p.slots[i].output >= 0) close(p.slots[i].output);
  return p.out;
}
