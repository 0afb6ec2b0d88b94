/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waiting: for words of the caller's own memory, for MPI; and progress, time and
 * computation.
 *
 * Waiting lets MPI work, because MPICH's one-sided operations are served by the target inside MPI,
 * and gives way to other processes soon, because units may share processors. sched_yield is the
 * cheap way (1-3 us a hand-over), but where each process is a session of its own, as under Hydra,
 * Linux may schedule sessions as groups, and a yield reaches nobody. Which of the two it is can be
 * seen from the time that a yield takes: those that reach others go on; after some in vain the
 * process sleeps for the shortest time there is (some 50 us), or until somebody rings
 * (wakeup.h). */
#include <sched.h>
#include <time.h>

#include "fabric_real/wait/wakeup.h"

/* looks at the word before giving way, on a machine with a processor for each unit */
#define SPIN_LIMIT 2000u
#define SPIN_LIMIT_OVERSUBSCRIBED 8u
#define SPINS_PER_POLL 16u /* looks between calls of MPI while spinning */
/* with all units on one node MPI moves only attached memory: enter it this much more rarely */
#define POLLS_ALONE 64u
#define TESTS_BEFORE_YIELD 200u
#define YIELDS_OVERSUBSCRIBED 20u /* to nobody, in a row, before sleeping */
#define YIELDS_LEAST 4u           /* of each wait, however vain they were before */
#define SHORTEST_NS 1             /* of a sleep; the system adds some 50 us */
#define SWITCHED_NS 1000u         /* a yield that took less has reached nobody */
#define YIELDS 1000u /* some 300 us: what sleeping then adds to a wait is small beside it */

uint64_t fmpi_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint32_t yields(const struct fmpi *f) {
  return f->oversubscribed ? YIELDS_OVERSUBSCRIBED : YIELDS;
}

/* The bell first, then a look by the caller, then the sleep. */
static void sleep_shortly(struct fmpi *f) {
  const struct timespec shortest = {.tv_nsec = SHORTEST_NS};
  if (f->wakeups == NULL) {
    nanosleep(&shortest, NULL);
  } else if (f->armed) {
    f->armed = false;
    fmpi_wakeup_sleep(f, SHORTEST_NS);
  } else {
    f->armed = true;
    fmpi_wakeup_arm(f);
  }
}

void fmpi_awake(struct fmpi *f) {
  if (!f->armed) return;
  f->armed = false;
  fmpi_wakeup_disarm(f);
}

static void give_way(struct fmpi *f, uint64_t round, uint32_t patience) {
  if (round == 0 && !f->oversubscribed) f->vain = 0;
  if (f->vain >= patience && round >= YIELDS_LEAST) {
    sleep_shortly(f);
    return;
  }
  uint64_t before_ns = fmpi_clock_ns();
  sched_yield();
  if (fmpi_clock_ns() - before_ns < SWITCHED_NS)
    f->vain++;
  else
    f->vain = 0;
}

void fmpi_give_way(struct fmpi *f, uint64_t round) {
  give_way(f, round, yields(f));
}
void fmpi_give_way_woken(struct fmpi *f, uint64_t round) {
  give_way(f, round, YIELDS_OVERSUBSCRIBED);
}

void fmpi_idle(struct fmpi *f) {
  if (f->oversubscribed) fmpi_give_way(f, f->idle++);
}

int fmpi_poll(struct fmpi *f) {
  int flag;
  if (f->attach_message != NULL) return fmpi_attach_message_serve(f);
  FMPI_TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, f->wide, &flag, MPI_STATUS_IGNORE));
  return EYOT_OK;
}

int fmpi_test_mpi(MPI_Request *reqs, uint32_t n, bool *done) {
  int all = 1;
  for (uint32_t i = 0; i < n && all != 0; i++)
    if (reqs[i] != MPI_REQUEST_NULL) FMPI_TRY(MPI_Test(&reqs[i], &all, MPI_STATUS_IGNORE));
  *done = all != 0;
  return EYOT_OK;
}

int fmpi_wait_mpi(struct fmpi *f, MPI_Request *reqs, uint32_t n) {
  uint32_t patience = f->oversubscribed ? 1 : TESTS_BEFORE_YIELD;
  for (uint64_t tests = 0;; tests++) {
    bool done = false;
    EYOTI_TRY(fmpi_test_mpi(reqs, n, &done));
    if (done) return EYOT_OK;
    if (f->attach_message != NULL) EYOTI_TRY(fmpi_attach_message_serve(f));
    if (tests >= patience) fmpi_give_way(f, tests - patience);
  }
}

int fmpi_meet(struct fmpi *f) {
  MPI_Request req;
  FMPI_TRY(MPI_Ibarrier(f->all, &req));
  return fmpi_wait_mpi(f, &req, 1);
}

int fmpi_max(struct fmpi *f, uint64_t *words, uint32_t n) {
  MPI_Request req;
  FMPI_TRY(MPI_Iallreduce(MPI_IN_PLACE, words, (int)n, MPI_UINT64_T, MPI_MAX, f->all, &req));
  return fmpi_wait_mpi(f, &req, 1);
}

int fmpi_progress(struct fab *fab) {
  struct fmpi *f = fmpi_of(fab);
  if (f->queue_head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  EYOTI_TRY(fmpi_poll(f));
  fmpi_idle(f);
  return EYOT_OK;
}

/* One round of letting others work; `rounds` counts them. segs: bit i for the segment in slot i,
 * whose words are waited for. */
static int let_work(struct fmpi *f, uint64_t segs, uint64_t rounds) {
  if (f->queue_head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  /* Whoever sleeps between two looks (give_way) has time to enter MPI each time. */
  if (f->one_node && rounds % POLLS_ALONE != 0 && f->vain < yields(f)) return EYOT_OK;
  EYOTI_TRY(fmpi_poll(f));
  for (; segs != 0; segs &= segs - 1) {
    MPI_Win rma = f->seg[__builtin_ctzll(segs)].rma;
    if (rma != MPI_WIN_NULL) FMPI_TRY(MPI_Win_sync(rma));
  }
  return EYOT_OK;
}

static int wait_check(struct fmpi *f, fab_seg_t seg, uint64_t off, enum fab_cmp cmp,
                      struct fmpi_at *at) {
  if (seg == FAB_SEG_ATTACHED)
    return EYOTI_FAIL(EYOT_ESEG,
                      "the word waited for must be in a segment, not in attached memory");
  if (off % 8 != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %lu of the word waited for must be a multiple of 8",
                      off);
  if ((uint32_t)cmp > FAB_GE)
    return EYOTI_FAIL(EYOT_EINVAL, "no such comparison: %u", (uint32_t)cmp);
  return fmpi_resolve(f, fab_at(f->fab.me, seg, off), 8, at);
}

/* What a wait looks at, and what it saw: one word, or any of n conditions. */
struct look {
  struct fmpi *f;
  const uint64_t *word;
  uint64_t value;
  enum fab_cmp cmp;
  const struct fab_cond *conds;
  uint32_t n;
  uint32_t index;
  uint64_t seen;
};

static inline bool look_word(struct look *l) {
  /* pairs with the release of a signal or atomic */
  l->seen = __atomic_load_n(l->word, __ATOMIC_ACQUIRE);
  return fab_cmp_holds(l->cmp, l->seen, l->value);
}

static inline bool look_any(struct look *l) {
  for (uint32_t i = 0; i < l->n; i++) {
    const struct fab_cond *c = &l->conds[i];
    const struct fmpi_seg *s = &l->f->seg[c->seg % FAB_SEG_MAX];
    const char *at = s->base + (l->f->fab.me - l->f->fab.local.first) * s->stride + c->off;
    /* pairs as above */
    if (!fab_cmp_holds(c->cmp,
                       __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE),
                       c->value))
      continue;
    l->index = i;
    return true;
  }
  return false;
}

/* Signals that are queued leave before a wait, also if there is nothing to wait for: who waits for
 * them may be waited for by this unit next, in a call of the program's own. A look with timeout 0
 * does it too, if it does not find at once what it looks for. */
static int before_wait(struct fmpi *f, uint64_t timeout_ns) {
  if (__builtin_expect(f->queue_head == NULL, 1) || timeout_ns == 0) return EYOT_OK;
  return fmpi_signals_issue(f, FAB_ALL);
}

/* Inlined with a constant `holds`. */
static inline __attribute__((always_inline)) int wait_words_until(struct fmpi *f,
                                                                  bool (*holds)(struct look *l),
                                                                  struct look *l, uint64_t segs,
                                                                  uint64_t timeout_ns) {
  const uint32_t spins = f->oversubscribed ? SPIN_LIMIT_OVERSUBSCRIBED : SPIN_LIMIT;
  uint64_t deadline = FAB_FOREVER, rounds = 0;
  if (timeout_ns != FAB_FOREVER) {
    uint64_t now = fmpi_clock_ns();
    deadline = timeout_ns < FAB_FOREVER - now ? now + timeout_ns : FAB_FOREVER;
  }
  for (uint64_t n_looked = 0;; n_looked++) {
    if (holds(l)) {
      f->idle = 0;
      fmpi_awake(f);
      return EYOT_OK;
    }
    if (n_looked < spins && n_looked % SPINS_PER_POLL != SPINS_PER_POLL - 1 && timeout_ns != 0) {
      fab_relax();
      continue;
    }
    /* looked, let others work, looked again */
    if (timeout_ns == 0 && n_looked != 0) return EYOT_ETIMEOUT;
    EYOTI_TRY(let_work(f, segs, rounds++));
    if (timeout_ns == 0)
      fmpi_idle(f);
    else if (n_looked >= spins)
      fmpi_give_way(f, n_looked - spins);
    if (deadline != FAB_FOREVER && timeout_ns != 0 && fmpi_clock_ns() >= deadline)
      return EYOT_ETIMEOUT;
  }
}

int fmpi_wait_mem(struct fab *fab, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value,
                  uint64_t timeout_ns, uint64_t *seen) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at = {0};
  EYOTI_TRY(wait_check(f, seg, off, cmp, &at));
  EYOTI_TRY(before_wait(f, timeout_ns));
  struct look l = {.word = (const uint64_t *)(const void *)at.ptr, .value = value, .cmp = cmp};
  EYOTI_TRY(wait_words_until(f, look_word, &l, UINT64_C(1) << at.slot, timeout_ns));
  if (seen != NULL) *seen = l.seen;
  return EYOT_OK;
}

int fmpi_wait_any(struct fab *fab, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                  uint32_t *index) {
  struct fmpi *f = fmpi_of(fab);
  struct fmpi_at at = {0};
  uint64_t segs = 0;
  if (n == 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "waiting for any of no words would never end; give at least one condition");
  for (uint32_t i = 0; i < n; i++) {
    EYOTI_TRY(wait_check(f, conds[i].seg, conds[i].off, conds[i].cmp, &at));
    segs |= UINT64_C(1) << at.slot;
  }
  EYOTI_TRY(before_wait(f, timeout_ns));
  struct look l = {.f = f, .conds = conds, .n = n};
  EYOTI_TRY(wait_words_until(f, look_any, &l, segs, timeout_ns));
  *index = l.index;
  return EYOT_OK;
}

uint64_t fmpi_now_ns(struct fab *fab) {
  struct fmpi *f = fmpi_of(fab);
  /* a failure of MPI is logged there and met again by the next operation */
  if (!f->one_node || f->attach_message != NULL) (void)fmpi_poll(f);
  return fmpi_clock_ns() - f->start_ns;
}

int fmpi_compute(struct fab *fab, uint64_t ns) {
  (void)ns; /* the computation itself takes its time here */
  struct fmpi *f = fmpi_of(fab);
  if (f->queue_head != NULL) EYOTI_TRY(fmpi_signals_issue(f, FAB_ALL));
  return fmpi_poll(f);
}
