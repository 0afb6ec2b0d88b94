/* SPDX-License-Identifier: BSD-3-Clause */
/* idle.c - see idle.h.
 *
 * Waiting lets MPI work, because MPICH's one-sided operations are served by the target inside MPI,
 * and gives way to other processes. sched_yield is the cheap way (1-3 us a switch), but where each
 * process is a session of its own, as under Hydra, Linux may schedule sessions as groups, and a
 * yield of one whose group has had less than its share lets none run, and takes no microsecond.
 *
 * Processes with a processor each yield rarely, and do not sleep while MPI may have to be served: a
 * sleep of 50 us is a hundred times as long as an operation of another node. The exception is a
 * process that shares its processor all the same (sleep_to_move). Processes that share
 * processors yield as long as that lets others run, then sleep until a wakeup (wakeup.h), late if
 * no other of the node is on their processor (docs/adr/0125). */
#include "fabric_real/wait/idle.h"

#include <sched.h>
#include <time.h>

#include "fabric_real/wait/supervised.h"
#include "fabric_real/wait/wakeup.h"

#define TESTS_BEFORE_YIELD 200u
#define YIELDS_DOUBTED 20u /* in vain, in a row: they may be refused, or help nobody */
/* Before sleeping, where others want the processor: some 80 us. Refusals last 10 to 60 us, and a
 * sleep costs the others more: the wakeup, and whatever they wait for next (docs/adr/0141). */
#define YIELDS_REFUSED 256u
/* The same where no other process of the node was last on this processor: some 20 us, about what
 * the return to a processor takes that has fallen idle, to which Linux moves another process. */
#define YIELDS_ALONE 64u
#define YIELDS_LEAST 2u   /* of each wait, however many were in vain before */
#define YIELDS 1000u      /* some 400 us: a sleep after them adds little to the wait */
#define SWITCHED_NS 1000u /* a shorter yield has let no other process run */
/* A longer one has let a process that does not wait run for its time slice: a sleep is better, from
 * which this process returns as soon as it is woken. */
#define SLICE_NS 500000u
/* Waits that sleep at once then, until one yields to see whether that is still so: twice as many
 * each time that it is, half as many each time that it is not. A program that also spins elsewhere,
 * as in MPI's own calls, gives slices away between its waits only. */
#define WAITS_PER_YIELD_LEAST 2u
#define WAITS_PER_YIELD_MOST 64u
/* Rounds between two yields of a process that has its own processor: some 12 us, of which a yield
 * is half of one. A process of another job that wants the processor waits that much longer for it;
 * yields that help it are made each round. */
#define ROUNDS_PER_YIELD 128u
/* Yields that let another process run before the first sleep_to_move; each next takes twice as
 * many, at most MOVES_MAX times, so that the sleeps cost nothing where no processor is idle. */
#define SWITCHES_BEFORE_MOVE 16u
#define MOVES_MAX 12u
#define SHORTEST_NS 1u   /* of a sleep; the system adds some 50 us */
#define ELAPSED_SHARE 8u /* a sleep by time adds at most an eighth to the wait */
#define LONGEST_NS 1000000u
#define TESTED_NS (3600 * UINT64_C(1000000000)) /* only a wakeup ends it: a lost one shows */

/* The longest time until this process must look for itself. */
static uint64_t sleep_ns(struct fmpi *f) {
  if (!f->idle.shown || fmpi_must_serve(f)) return SHORTEST_NS;
  uint64_t now = fmpi_clock_ns();
  if (f->idle.since_ns == 0) f->idle.since_ns = now;
  uint64_t most = (now - f->idle.since_ns) / ELAPSED_SHARE;
  if (most > LONGEST_NS) most = LONGEST_NS;
  if (f->idle.always) most = TESTED_NS;
  uint64_t left = f->idle.until_ns == FAB_FOREVER ? most
                  : f->idle.until_ns > now        ? f->idle.until_ns - now
                                                  : 0;
  if (most > left) most = left;
  return most < SHORTEST_NS ? SHORTEST_NS : most;
}

/* Units that are awake have a processor each, this one included: none of them needs its processor,
 * and a sleep would leave it idle, from which it takes long to return. */
static bool has_processor(const struct fmpi *f) {
  if (!f->job.oversubscribed || f->job.processors == 0 || f->idle.wakeups == NULL ||
      f->idle.slices || f->idle.always)
    return false;
  uint32_t others = fmpi_wakeup_sleepers(f) - (f->idle.armed ? 1 : 0);
  return f->fab.local.n - others <= f->job.processors;
}

/* First arms the wakeup; the caller checks what it waits for; the next call sleeps. */
static void sleep_shortly(struct fmpi *f) {
  const struct timespec shortest = {.tv_nsec = SHORTEST_NS};
  if (f->idle.wakeups == NULL) {
    nanosleep(&shortest, NULL);
  } else if (f->idle.armed) {
    f->idle.armed = false;
    fmpi_wakeup_sleep(f, sleep_ns(f));
  } else {
    f->idle.armed = true;
    fmpi_wakeup_arm(f);
  }
}

static void disarm(struct fmpi *f) {
  if (!f->idle.armed) return;
  f->idle.armed = false;
  fmpi_wakeup_disarm(f);
}

void fmpi_awake(struct fmpi *f) {
  disarm(f);
  if (f->idle.shown) (void)fmpi_wakeup_show(f, NULL, 0);
  f->idle.shown = false;
}

void fmpi_idle_begin_low(struct fmpi *f, struct fab_addr at, uint32_t value) {
  f->idle.until_ns = FAB_FOREVER;
  if (f->idle.wakeups == NULL || !f->job.oversubscribed) return;
  f->idle.since_ns = 0;
  fmpi_wakeup_show_low(f, at, value);
  f->idle.shown = true;
}

void fmpi_idle_begin(struct fmpi *f, const struct fab_cond *conds, uint32_t n, uint64_t until_ns) {
  f->idle.until_ns = until_ns;
  if (f->idle.wakeups == NULL || !f->job.oversubscribed) return;
  f->idle.since_ns = 0;
  f->idle.shown = fmpi_wakeup_show(f, conds, n);
}

/* There is a processor for each process, and yet another one runs on this processor: often both are
 * units that Linux has put together while they started, and it takes tens of milliseconds to part
 * them, because both have just run all the time. A process that wakes up is put on an idle
 * processor at once. */
static void sleep_to_move(struct fmpi *f) {
  const struct timespec shortest = {.tv_nsec = SHORTEST_NS};
  if (++f->idle.switches < SWITCHES_BEFORE_MOVE << f->idle.moves) return;
  f->idle.switches = 0;
  if (f->idle.moves < MOVES_MAX) f->idle.moves++;
  f->stats.sleeps_to_move++;
  nanosleep(&shortest, NULL);
}

static void see_slice(struct fmpi *f, bool whole) {
  uint32_t *most = &f->idle.waits_per_yield;
  if (whole) {
    *most = *most == 0 ? WAITS_PER_YIELD_LEAST : 2 * *most;
    if (*most > WAITS_PER_YIELD_MOST) *most = WAITS_PER_YIELD_MOST;
    f->idle.waits = 0;
  } else if (f->idle.asks_slice) {
    *most /= 2;
  }
  f->idle.slices = whole;
  f->idle.asks_slice = false;
}

static void yield(struct fmpi *f) {
  if (f->idle.wakeups != NULL) fmpi_wakeup_at(f);
  uint64_t before_ns = fmpi_clock_ns();
  if (f->idle.since_ns == 0) f->idle.since_ns = before_ns;
  sched_yield();
  uint64_t took_ns = fmpi_clock_ns() - before_ns;
  if (took_ns < SWITCHED_NS) {
    f->idle.vain++;
    return;
  }
  f->idle.vain = 0;
  if (f->job.oversubscribed)
    see_slice(f, took_ns > SLICE_NS);
  else
    sleep_to_move(f);
}

/* With a processor for each process. The calls of MPI in each round are pause enough: a pause of
 * the processor, which may take 50 ns, would make operations of other units wait. */
static void give_way_rarely(struct fmpi *f, uint64_t round) {
  if (f->idle.vain == 0 || round % ROUNDS_PER_YIELD == 0) yield(f);
}

static void begin(struct fmpi *f) {
  if (!f->job.oversubscribed) {
    f->idle.vain = 0;
    return;
  }
  if (f->idle.slices && ++f->idle.waits >= f->idle.waits_per_yield) {
    f->idle.slices = false;
    f->idle.asks_slice = true;
  }
  fmpi_wakeup_others(f);
}

static void sleep_or_yield(struct fmpi *f, bool sleep) {
  if (sleep) {
    sleep_shortly(f);
  } else {
    disarm(f);
    yield(f);
  }
}

/* A yield in vain that was made for another process is refused to it; one made for nobody says
 * nothing. */
static bool yields_in_vain(const struct fmpi *f, uint64_t round) {
  if (!f->job.oversubscribed) return f->idle.vain >= YIELDS;
  if (f->idle.vain < YIELDS_DOUBTED) return false;
  if (f->idle.wakeups != NULL && !fmpi_wakeup_has_company(f)) return round >= YIELDS_ALONE;
  return f->idle.vain >= YIELDS_REFUSED;
}

static bool has_yielded_enough(const struct fmpi *f, uint64_t round, bool in_vain) {
  return f->idle.always || f->idle.slices || (in_vain && round >= YIELDS_LEAST);
}

void fmpi_give_way(struct fmpi *f, uint64_t round) {
  if (!f->job.oversubscribed && fmpi_must_serve(f)) {
    give_way_rarely(f, round);
    return;
  }
  if (round == 0) begin(f);
  sleep_or_yield(f, has_yielded_enough(f, round, yields_in_vain(f, round)) && !has_processor(f));
}

/* A process that is no unit works for this one, and may need this processor. */
void fmpi_give_way_woken(struct fmpi *f, uint64_t round) {
  if (round == 0) begin(f);
  sleep_or_yield(f, has_yielded_enough(f, round, f->idle.vain >= YIELDS_DOUBTED));
}

bool fmpi_sleeps(const struct fmpi *f) {
  return (yields_in_vain(f, 0) && !has_processor(f)) || f->idle.always;
}

void fmpi_idle(struct fmpi *f) {
  if (!f->job.oversubscribed) return;
  if (f->idle.polls != 0)
    fmpi_wakeup_others(f); /* the program may have stored since the last poll */
  fmpi_give_way(f, f->idle.polls++);
}

void fmpi_serve_others_add(struct fmpi *f, int (*serve)(struct fmpi *f)) {
  EYOTI_ASSERT(f->idle.serves < FMPI_SERVES);
  f->idle.serve[f->idle.serves++] = serve;
}

void fmpi_serve_others_remove(struct fmpi *f, int (*serve)(struct fmpi *f)) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < f->idle.serves; i++)
    if (f->idle.serve[i] != serve) f->idle.serve[kept++] = f->idle.serve[i];
  f->idle.serves = kept;
}

int fmpi_poll(struct fmpi *f) {
  int flag;
  if (f->idle.serves > 0) return fmpi_serve_others(f);
  FMPI_TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, f->comm.wide, &flag, MPI_STATUS_IGNORE));
  return EYOT_OK;
}

int fmpi_test_mpi(MPI_Request *reqs, uint32_t n, bool *done) {
  int all = 1;
  for (uint32_t i = 0; i < n && all != 0; i++)
    if (reqs[i] != MPI_REQUEST_NULL) FMPI_TRY(MPI_Test(&reqs[i], &all, MPI_STATUS_IGNORE));
  *done = all != 0;
  return EYOT_OK;
}

/* kind: of the wait, if it is published. */
static int wait_until(struct fmpi *f, int (*test)(struct fmpi *f, void *arg, bool *done), void *arg,
                      enum eyoti_run_wait_kind kind) {
  uint32_t patience = f->job.oversubscribed ? 1 : TESTS_BEFORE_YIELD;
  for (uint64_t tests = 0;; tests++) {
    bool done = false;
    EYOTI_TRY(test(f, arg, &done));
    if (done) {
      if (tests > patience + FMPI_PUBLISH_ROUNDS) fmpi_wait_unpublished(f);
      break;
    }
    if (tests == patience + FMPI_PUBLISH_ROUNDS) fmpi_wait_published(f, kind, NULL, 0, FAB_FOREVER);
    EYOTI_TRY(fmpi_serve_others(f));
    if (tests >= patience) fmpi_give_way(f, tests - patience);
  }
  fmpi_awake(f);
  return EYOT_OK;
}

int fmpi_wait_test(struct fmpi *f, int (*test)(struct fmpi *f, void *arg, bool *done), void *arg) {
  return wait_until(f, test, arg, EYOTI_RUN_WAIT_MPI);
}

struct requests {
  MPI_Request *reqs;
  uint32_t n;
};
static int test_requests(struct fmpi *f, void *arg, bool *done) {
  const struct requests *r = arg;
  (void)f;
  return fmpi_test_mpi(r->reqs, r->n, done);
}
static int wait_requests(struct fmpi *f, MPI_Request *reqs, uint32_t n,
                         enum eyoti_run_wait_kind kind) {
  struct requests r = {reqs, n};
  return wait_until(f, test_requests, &r, kind);
}

int fmpi_wait_mpi(struct fmpi *f, MPI_Request *reqs, uint32_t n) {
  return wait_requests(f, reqs, n, EYOTI_RUN_WAIT_MPI);
}

int fmpi_meet(struct fmpi *f) {
  MPI_Request req;
  FMPI_TRY(MPI_Ibarrier(f->comm.all, &req));
  return wait_requests(f, &req, 1, EYOTI_RUN_WAIT_UNITS);
}

int fmpi_max(struct fmpi *f, uint64_t *words, uint32_t n) {
  MPI_Request req;
  FMPI_TRY(MPI_Iallreduce(MPI_IN_PLACE, words, (int)n, MPI_UINT64_T, MPI_MAX, f->comm.all, &req));
  return wait_requests(f, &req, 1, EYOTI_RUN_WAIT_UNITS);
}

int fmpi_dup(struct fmpi *f, MPI_Comm from, MPI_Comm *to) {
  MPI_Request req;
  FMPI_TRY(MPI_Comm_idup(from, to, &req));
  EYOTI_TRY(wait_requests(f, &req, 1, EYOTI_RUN_WAIT_UNITS));
  FMPI_TRY(MPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN));
  return EYOT_OK;
}
