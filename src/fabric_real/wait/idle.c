/* SPDX-License-Identifier: BSD-3-Clause */
/* idle.c - see idle.h.
 *
 * Waiting lets MPI work, because MPICH's one-sided operations are served by the target inside MPI,
 * and gives way to other processes soon, because units may share processors. sched_yield is the
 * cheap way (1-3 us a switch), but where each process is a session of its own, as under Hydra,
 * Linux may schedule sessions as groups, and a yield lets no other process run. The time that a
 * yield takes tells the two apart: while yields reach others, the process yields; after some in
 * vain it sleeps for the shortest time there is (some 50 us), or until a wakeup (wakeup.h). */
#include "fabric_real/wait/idle.h"

#include <sched.h>
#include <time.h>

#include "fabric_real/wait/supervised.h"
#include "fabric_real/wait/wakeup.h"

#define TESTS_BEFORE_YIELD 200u
#define YIELDS_OVERSUBSCRIBED 20u /* in vain, in a row, before sleeping */
#define YIELDS_LEAST 4u           /* of each wait, however many were in vain before */
#define SHORTEST_NS 1             /* of a sleep; the system adds some 50 us */
#define SWITCHED_NS 1000u         /* a shorter yield has let no other process run */
#define YIELDS 1000u              /* some 300 us: a sleep after them adds little to the wait */

static inline uint32_t yields(const struct fmpi *f) {
  return f->job.oversubscribed ? YIELDS_OVERSUBSCRIBED : YIELDS;
}

/* First arms the wakeup; the caller checks what it waits for; the next call sleeps. */
static void sleep_shortly(struct fmpi *f) {
  const struct timespec shortest = {.tv_nsec = SHORTEST_NS};
  if (f->idle.wakeups == NULL) {
    nanosleep(&shortest, NULL);
  } else if (f->idle.armed) {
    f->idle.armed = false;
    fmpi_wakeup_sleep(f, SHORTEST_NS);
  } else {
    f->idle.armed = true;
    fmpi_wakeup_arm(f);
  }
}

void fmpi_awake(struct fmpi *f) {
  if (!f->idle.armed) return;
  f->idle.armed = false;
  fmpi_wakeup_disarm(f);
}

static void give_way(struct fmpi *f, uint64_t round, uint32_t patience) {
  if (round == 0 && !f->job.oversubscribed) f->idle.vain = 0;
  if (f->idle.vain >= patience && round >= YIELDS_LEAST) {
    sleep_shortly(f);
    return;
  }
  uint64_t before_ns = fmpi_clock_ns();
  sched_yield();
  if (fmpi_clock_ns() - before_ns < SWITCHED_NS)
    f->idle.vain++;
  else
    f->idle.vain = 0;
}

void fmpi_give_way(struct fmpi *f, uint64_t round) {
  give_way(f, round, yields(f));
}
void fmpi_give_way_woken(struct fmpi *f, uint64_t round) {
  give_way(f, round, YIELDS_OVERSUBSCRIBED);
}

bool fmpi_sleeps(const struct fmpi *f) {
  return f->idle.vain >= yields(f);
}

void fmpi_idle(struct fmpi *f) {
  if (f->job.oversubscribed) fmpi_give_way(f, f->idle.polls++);
}

int fmpi_poll(struct fmpi *f) {
  int flag;
  if (f->attach.message != NULL) return f->idle.serve(f);
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
static int wait_requests(struct fmpi *f, MPI_Request *reqs, uint32_t n,
                         enum eyoti_run_wait_kind kind) {
  uint32_t patience = f->job.oversubscribed ? 1 : TESTS_BEFORE_YIELD;
  for (uint64_t tests = 0;; tests++) {
    bool done = false;
    EYOTI_TRY(fmpi_test_mpi(reqs, n, &done));
    if (done) {
      if (tests > patience + FMPI_PUBLISH_ROUNDS) fmpi_wait_unpublished(f);
      return EYOT_OK;
    }
    if (tests == patience + FMPI_PUBLISH_ROUNDS) fmpi_wait_published(f, kind, NULL, 0, FAB_FOREVER);
    if (f->attach.message != NULL) EYOTI_TRY(f->idle.serve(f));
    if (tests >= patience) fmpi_give_way(f, tests - patience);
  }
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
