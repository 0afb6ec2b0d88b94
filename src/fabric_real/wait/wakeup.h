/* SPDX-License-Identifier: BSD-3-Clause */
/* wakeup.h - sleeping until another process of the node sends a wakeup; units and progress
 * processes.
 *
 * Why it exists: a process that yields is the fastest waiter among many, as long as yields let
 * others run (idle.c); where they do not, or where a processor should be left to computation (by a
 * progress process without work), it has to sleep, and a sleep by time alone takes 50 us and more.
 * Each process has a word in shared memory that says that it sleeps. A process that changes
 * something that a sleeper may wait for reads that word, which costs a load of a line that hardly
 * ever changes, and calls the system only if it is set. wakeup.c says why no wakeup is lost. */
#ifndef EYOT_FABRIC_REAL_WAIT_WAKEUP_H
#define EYOT_FABRIC_REAL_WAIT_WAKEUP_H

#include <stdalign.h>

#include "fabric_real/endpoint/endpoint.h"

#define FMPI_WAKEUP_CONDS 8u /* a wait for more words sleeps by time */

/* word & mask cmp value, for a word in memory of the unit of that rank; the mask is for type
 * FAB_U64. */
struct fmpi_shown {
  fab_seg_t seg;
  uint32_t rank;
  uint64_t off, mask, value;
  enum fab_cmp cmp;
  enum fab_word type;
};

struct fmpi_wakeup {
  /* A futex. 1: its process sleeps, or is about to. Set by the process, cleared by it or by the
   * sender of a wakeup. */
  alignas(FMPI_LINE) uint32_t asleep;
  uint32_t n; /* of shown */
  /* The processor that its process was on when it last waited, plus one; 0: it has not yet. */
  uint32_t processor;
  /* What a sleeping unit waits for. */
  alignas(FMPI_LINE) struct fmpi_shown shown[FMPI_WAKEUP_CONDS];
};

struct fmpi_wakeups {
  struct fmpi_shared shared;
  uint64_t *sleepers; /* bit r: the process of rank r sleeps, and has shown its conditions */
  struct fmpi_wakeup *wakeup; /* by fmpi_node_rank */
  struct fmpi_wakeup *own;
  uint32_t rank, n; /* this process's, and all of the node */
};

/* Collective over the node; none are made where no process would ever sleep. */
int fmpi_wakeups_open(struct fmpi *f);
int fmpi_wakeups_close(struct fmpi *f); /* likewise */

/* The sleeper: arms, checks what it waits for, then sleeps or disarms. A sleep takes at most
 * most_ns, and what the system adds (some 50 us). */
void fmpi_wakeup_arm(struct fmpi *f);
void fmpi_wakeup_sleep(struct fmpi *f, uint64_t most_ns);
void fmpi_wakeup_disarm(struct fmpi *f);

/* Shows others what this unit waits for (n 0: its wait is over). False: too many conditions, or a
 * word in attached memory, which others do not map. */
bool fmpi_wakeup_show(struct fmpi *f, const struct fab_cond *conds, uint32_t n);
/* The same for the low half of a word of any unit of the node. */
void fmpi_wakeup_show_low(struct fmpi *f, struct fab_addr at, uint32_t value);
uint32_t fmpi_wakeup_sleepers(
    const struct fmpi *f); /* the number of units of the node that sleep */
/* Wakes the units of the node that have shown a condition that holds. Called by each process that
 * begins to wait: it may have stored what they wait for, inline, where no wakeup is sent. */
void fmpi_wakeup_others(const struct fmpi *f);

/* This process waits on the processor that it runs on, as others are to know. */
void fmpi_wakeup_at(const struct fmpi *f);
/* Another process of the node that is awake was on the same one when it last waited. */
bool fmpi_wakeup_has_company(const struct fmpi *f);

/* A full fence in all processes of the node that run now, so that their stores before it are seen,
 * and their loads after it see what the caller has stored. Some microseconds. False: they have to
 * fence themselves. */
bool fmpi_wakeup_quiet_fence(const struct fmpi *f);
/* Prepares this process for it; false: the system has no such fence. */
bool fmpi_wakeup_register(void);

/* Called after a change of something that the process of that rank may wait for, and a fence. */
void fmpi_wakeup_wake(struct fmpi_wakeup *b);
static inline void fmpi_wakeup_post(const struct fmpi *f, uint32_t rank) {
  if (f->idle.wakeups == NULL) return;
  struct fmpi_wakeup *b = &f->idle.wakeups->wakeup[rank];
  if (__builtin_expect(__atomic_load_n(&b->asleep, __ATOMIC_RELAXED) != 0, 0)) fmpi_wakeup_wake(b);
}

/* Called after the CPU has changed a word of a unit of this node: wakes it where units sleep. */
static inline void fmpi_wakeup_changed(const struct fmpi *f, fab_unit_t unit) {
  if (__builtin_expect(!f->job.oversubscribed, 1)) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* between the word and the read of the wakeup */
  fmpi_wakeup_post(f, unit - f->fab.local.first);
}

/* fab_ops.wake; all: fmpi_wakeup_others */
void fmpi_wake(struct fab *fab, fab_unit_t unit);
#endif
