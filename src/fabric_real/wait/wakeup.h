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
 * not pay for the fence: fr_bell_quiet_fence lets the sleeper pay for both.
 *
 * Not everybody rings: words that others change by the CPU inline have nobody who would. So sleeps
 * of units are as short as they were without bells, and a ring only ends them earlier. */
#ifndef EYOT_FABRIC_REAL_WAIT_WAKEUP_H
#define EYOT_FABRIC_REAL_WAIT_WAKEUP_H

#include <stdalign.h>

#include "fabric_real/endpoint/endpoint.h"

struct fr_bell {
  /* a futex: 1: its process sleeps, or is about to. Set by the process, cleared by it or by who
   * rings */
  alignas(FR_LINE) uint32_t asleep;
};

struct fr_bells {
  MPI_Win win;          /* shared memory of the first process of the node */
  struct fr_bell *bell; /* by rank in f->node: units, then progress processes */
  struct fr_bell *own;
  bool quiet; /* fr_bell_quiet_fence works in all processes of the node */
};

/* collective over the node; none are made where nobody would ever sleep */
int fr_bells_open(struct fr *f);
int fr_bells_close(struct fr *f); /* likewise */

/* The sleeper: arm, look at what is waited for, then sleep or disarm. At most so long, and what the
 * system adds (some 50 us). */
void fr_bell_arm(struct fr *f);
void fr_bell_sleep(struct fr *f, uint64_t most_ns);
void fr_bell_disarm(struct fr *f);

/* A full fence in all processes of the node that run now, so that their stores before it are seen,
 * and their loads after it see what the caller has stored. Some microseconds. False: they have to
 * fence themselves. */
bool fr_bell_quiet_fence(const struct fr *f);

/* Whoever has changed something that the process of that rank may wait for, and has fenced. */
void fr_bell_wake(struct fr_bell *b);
static inline void fr_bell_ring(const struct fr *f, uint32_t rank) {
  if (f->bells == NULL) return;
  struct fr_bell *b = &f->bells->bell[rank];
  if (__builtin_expect(__atomic_load_n(&b->asleep, __ATOMIC_RELAXED) != 0, 0)) fr_bell_wake(b);
}

/* fab_ops.wake */
void fr_wake(struct fab *fab, fab_unit_t unit);
#endif
