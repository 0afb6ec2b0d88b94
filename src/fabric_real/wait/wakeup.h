/* SPDX-License-Identifier: BSD-3-Clause */
/* wakeup.h - sleeping until somebody rings, between the processes of a node: units and progress
 * processes.
 *
 * Why it exists: a process that yields is the fastest waiter among many, as long as yields reach
 * others (wait.c); where they do not, or where a processor that computes should not be taken
 * from others (a progress process without work), it has to sleep, and a sleep by time alone takes
 * 50 us and more. Each process has a bell in shared memory: a word that says that it sleeps.
 * Whoever changes what a sleeper may wait for looks at the bell, which costs a load of a line that
 * hardly ever changes, and calls the system only if it is set.
 *
 * The order that makes a ring never be lost: the sleeper sets its bell, fences, looks once more at
 * what it waits for, and sleeps only while the bell is set; the other changes what is waited for,
 * fences, and looks at the bell. At least one of them sees the other's store. Who posts often must
 * not pay for the fence: fmpi_wakeup_quiet_fence lets the sleeper pay for both.
 *
 * Not everybody rings: words that others change by the CPU inline have nobody who would. So sleeps
 * of units are as short as they were without bells, and a ring only ends them earlier. */
#ifndef EYOT_FABRIC_REAL_WAIT_WAKEUP_H
#define EYOT_FABRIC_REAL_WAIT_WAKEUP_H

#include <stdalign.h>

#include "fabric_real/endpoint/endpoint.h"

struct fmpi_wakeup {
  /* a futex: 1: its process sleeps, or is about to. Set by the process, cleared by it or by who
   * rings */
  alignas(FMPI_LINE) uint32_t asleep;
};

struct fmpi_wakeups {
  MPI_Win win;                /* shared memory of the first process of the node */
  struct fmpi_wakeup *wakeup; /* by rank in f->node: units, then progress processes */
  struct fmpi_wakeup *own;
  bool quiet; /* fmpi_wakeup_quiet_fence works in all processes of the node */
};

/* collective over the node; none are made where nobody would ever sleep */
int fmpi_wakeups_open(struct fmpi *f);
int fmpi_wakeups_close(struct fmpi *f); /* likewise */

/* The sleeper: arm, look at what is waited for, then sleep or disarm. At most so long, and what the
 * system adds (some 50 us). */
void fmpi_wakeup_arm(struct fmpi *f);
void fmpi_wakeup_sleep(struct fmpi *f, uint64_t most_ns);
void fmpi_wakeup_disarm(struct fmpi *f);

/* A full fence in all processes of the node that run now, so that their stores before it are seen,
 * and their loads after it see what the caller has stored. Some microseconds. False: they have to
 * fence themselves. */
bool fmpi_wakeup_quiet_fence(const struct fmpi *f);

/* Whoever has changed something that the process of that rank may wait for, and has fenced. */
void fmpi_wakeup_wake(struct fmpi_wakeup *b);
static inline void fmpi_wakeup_post(const struct fmpi *f, uint32_t rank) {
  if (f->wakeups == NULL) return;
  struct fmpi_wakeup *b = &f->wakeups->wakeup[rank];
  if (__builtin_expect(__atomic_load_n(&b->asleep, __ATOMIC_RELAXED) != 0, 0)) fmpi_wakeup_wake(b);
}

/* fab_ops.wake */
void fmpi_wake(struct fab *fab, fab_unit_t unit);
#endif
