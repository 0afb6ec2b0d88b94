/* SPDX-License-Identifier: BSD-3-Clause */
/* wakeup.c - see wakeup.h. Futexes of Linux, which work between processes that share the memory
 * (no FUTEX_PRIVATE_FLAG).
 *
 * The order that keeps a wakeup from being lost: the sleeper sets its word, fences, checks once
 * more what it waits for, and sleeps only while the word is set; the other changes what is waited
 * for, fences, and reads the word. At least one of them sees the other's store. A process that
 * posts often must not pay for the fence: fmpi_wakeup_quiet_fence lets the sleeper pay for both.
 *
 * Not every change sends a wakeup: words that others change by the CPU inline have no sender. So
 * sleeps of units are as short as they would be without wakeups, which only end them earlier. */
#include "fabric_real/wait/wakeup.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fabric_real/endpoint/node_memory.h"

#define NS_A_S UINT64_C(1000000000)

static bool register_quiet_fence(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool fmpi_wakeup_quiet_fence(const struct fmpi *f) {
  return f->idle.wakeups->quiet &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

int fmpi_wakeups_open(struct fmpi *f) {
  int rank, n, quiet = register_quiet_fence() ? 1 : 0;
  void *first;
  FMPI_TRY(MPI_Comm_rank(f->comm.node, &rank));
  FMPI_TRY(MPI_Comm_size(f->comm.node, &n));
  if (n == 1 || (!f->job.oversubscribed && f->job.servers == 0)) return EYOT_OK;
  struct fmpi_wakeups *b = calloc(1, sizeof *b);
  if (b == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for wakeups (%zu bytes)", sizeof *b);
  f->idle.wakeups = b;
  b->win = MPI_WIN_NULL;
  EYOTI_TRY(fmpi_share_lines(f, (uint64_t)n * sizeof(struct fmpi_wakeup), &b->win, &first));
  b->wakeup = first;
  b->own = &b->wakeup[rank];
  __atomic_store_n(&b->own->asleep, 0, __ATOMIC_RELAXED);
  /* After this reduction every word is clear. */
  FMPI_TRY(MPI_Allreduce(MPI_IN_PLACE, &quiet, 1, MPI_INT, MPI_MIN, f->comm.node));
  b->quiet = quiet != 0;
  return EYOT_OK;
}

int fmpi_wakeups_close(struct fmpi *f) {
  if (f->idle.wakeups == NULL) return EYOT_OK;
  FMPI_TRY(MPI_Win_free(&f->idle.wakeups->win));
  free(f->idle.wakeups);
  f->idle.wakeups = NULL;
  return EYOT_OK;
}

void fmpi_wakeup_arm(struct fmpi *f) {
  __atomic_store_n(&f->idle.wakeups->own->asleep, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with that of the sender of a wakeup */
}

void fmpi_wakeup_disarm(struct fmpi *f) {
  __atomic_store_n(&f->idle.wakeups->own->asleep, 0, __ATOMIC_RELAXED);
}

void fmpi_wakeup_sleep(struct fmpi *f, uint64_t most_ns) {
  const struct timespec most = {.tv_sec = (time_t)(most_ns / NS_A_S),
                                .tv_nsec = (long)(most_ns % NS_A_S)};
  /* Returns at once if a wakeup has come. Whatever ends it, the caller checks again. */
  (void)syscall(SYS_futex, &f->idle.wakeups->own->asleep, FUTEX_WAIT, 1, &most, NULL, 0);
  fmpi_wakeup_disarm(f);
}

void fmpi_wakeup_wake(struct fmpi_wakeup *b) {
  if (__atomic_exchange_n(&b->asleep, 0, __ATOMIC_RELAXED) != 0)
    (void)syscall(SYS_futex, &b->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void fmpi_wake(struct fab *fab, fab_unit_t unit) {
  const struct fmpi *f = fmpi_of(fab);
  uint32_t rank = unit - fab->local.first;
  EYOTI_ASSERT(rank < fab->local.n);
  fmpi_wakeup_post(f, rank);
}
