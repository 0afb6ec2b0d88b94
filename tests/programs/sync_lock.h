/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_lock.h - what the two files of sync_lock share. */
#ifndef SYNC_LOCK_H
#define SYNC_LOCK_H

#include "programs/api_check.h"
#include "programs/sync_args.h"
#include "support/oracle.h"

#define LOCKS_MAX 64u
#define RECORDS_OFF 64u /* of a unit's part of the log: its holds, after the head */

/* Arguments. Times in ns; what is a share is in percent. */
struct options {
  eyot_lock_kind_t kind;
  uint64_t cycles, rounds, locks, targets; /* targets: members of an epoch lock that are used */
  /* at most; every eighth thinking is up to 16 times as long */
  uint64_t think, hold;
  uint64_t shared, whole, tries, timed, timeout, nest, alloc, home;
  /* the words lie in a dynamic segment: on mpi those are MPI's within a node too */
  uint64_t attached;
  /* attributes */
  uint64_t node, group, per_counter, readers_max, writers_max, backoff_min, backoff_max;
  /* What the oracles allow; the largest number: anything. */
  /* the longest time that a request may be on its way: of two that asked within it either may be
   * first */
  uint64_t lag;
  uint64_t bypass; /* how many may overtake a waiter */
  uint64_t wait;   /* how long anybody may wait */
  uint64_t units_node,
      /* hier: units of a node and of a group: turns within them are bounded by the attributes (0:
       * not asked) */
      units_group;
  uint64_t readers; /* so many were inside together at least once (0: not asked) */
  uint64_t late;    /* so much longer than its timeout a timed acquire may take */
  uint64_t try_max; /* how long a try may take */
};

/* The beginning of each unit's part of the log; then come its holds. */
struct head {
  uint64_t holds, refused;
};

struct test {
  struct options o;
  uint32_t n, me, members;
  bool sim;
  uint64_t random, max;
  struct oracle_shape shape;
  eyot_lock_t lock[LOCKS_MAX];
  eyot_gptr_t log, words;
  eyot_dynamic_t dynamic;
  uint64_t *attached;  /* the caller's words */
  uint64_t *addresses; /* by unit */
  struct head *head;
  struct oracle_hold *record;
  uint64_t *source;
};

/* sync_lock.c: one of the two words that a target protects. */
uint64_t read_word(const struct test *t, uint32_t target, uint32_t which);

/* sync_lock_check.c */
void options_read(int argc, char **argv, struct options *o);
/* Unit 0, when all are done: collects the history and ends the run if an oracle objects. Prints a
 * line of figures. */
void history_check(struct test *t);
#endif
