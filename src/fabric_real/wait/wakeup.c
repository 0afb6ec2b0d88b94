/* SPDX-License-Identifier: BSD-3-Clause */
/* wakeup.c - see wakeup.h. Futexes of Linux, which work between processes that share the memory
 * (no FUTEX_PRIVATE_FLAG). */
#include "fabric_real/wait/wakeup.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_A_S UINT64_C(1000000000)

static bool register_quiet_fence(void) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
}

bool fr_bell_quiet_fence(const struct fr *f) {
  return f->bells->quiet && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

int fr_bells_open(struct fr *f) {
  int rank, n, quiet = register_quiet_fence() ? 1 : 0;
  void *first;
  FR_TRY(MPI_Comm_rank(f->node, &rank));
  FR_TRY(MPI_Comm_size(f->node, &n));
  if (n == 1 || (!f->crowded && f->servers == 0)) return EYOT_OK;
  struct fr_bells *b = calloc(1, sizeof *b);
  if (b == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for waiting asleep (%zu bytes)", sizeof *b);
  f->bells = b;
  b->win = MPI_WIN_NULL;
  EYOTI_TRY(fr_share_lines(f, (uint64_t)n * sizeof(struct fr_bell), &b->win, &first));
  b->bell = first;
  b->own = &b->bell[rank];
  __atomic_store_n(&b->own->asleep, 0, __ATOMIC_RELAXED);
  /* Behind it all bells are clear. */
  FR_TRY(MPI_Allreduce(MPI_IN_PLACE, &quiet, 1, MPI_INT, MPI_MIN, f->node));
  b->quiet = quiet != 0;
  return EYOT_OK;
}

int fr_bells_close(struct fr *f) {
  if (f->bells == NULL) return EYOT_OK;
  FR_TRY(MPI_Win_free(&f->bells->win));
  free(f->bells);
  f->bells = NULL;
  return EYOT_OK;
}

void fr_bell_arm(struct fr *f) {
  __atomic_store_n(&f->bells->own->asleep, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* pairs with that of whoever rings */
}

void fr_bell_disarm(struct fr *f) {
  __atomic_store_n(&f->bells->own->asleep, 0, __ATOMIC_RELAXED);
}

void fr_bell_sleep(struct fr *f, uint64_t most_ns) {
  const struct timespec most = {.tv_sec = (time_t)(most_ns / NS_A_S),
                                .tv_nsec = (long)(most_ns % NS_A_S)};
  /* Returns at once if the bell has been rung. Whatever ends it, the caller looks again. */
  (void)syscall(SYS_futex, &f->bells->own->asleep, FUTEX_WAIT, 1, &most, NULL, 0);
  fr_bell_disarm(f);
}

void fr_bell_wake(struct fr_bell *b) {
  if (__atomic_exchange_n(&b->asleep, 0, __ATOMIC_RELAXED) != 0)
    (void)syscall(SYS_futex, &b->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void fr_wake(struct fab *fab, fab_unit_t unit) {
  const struct fr *f = fr_of(fab);
  uint32_t rank = unit - fab->local.first;
  EYOTI_ASSERT(rank < fab->local.n);
  fr_bell_ring(f, rank);
}
