/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_lock.h - options and functions that sync_lock.c and sync_lock_check.c share. */
#ifndef SYNC_LOCK_H
#define SYNC_LOCK_H

#include "programs/api_check.h"
#include "programs/sync_args.h"
#include "support/lock_kinds.h"
#include "support/oracle.h"

#define LOCKS_MAX 64u
#define RECORDS_OFF 64u /* of a unit's part of the log: its holds, after the head */

/* Arguments. Times in ns; shares in percent. */
struct options {
  eyot_lock_kind_t kind;
  bool members;                            /* the kind locks single members */
  uint64_t cycles, rounds, locks, targets; /* targets: members of an epoch lock that are used */
  /* maximum; every eighth thinking time is up to 16 times as long */
  uint64_t think, hold;
  uint64_t shared, whole, tries, timed, timeout, nest, alloc, home;
  /* the words lie in a dynamic segment: on mpi MPI executes their operations within a node too */
  uint64_t attached;
  /* attributes */
  uint64_t node, group, per_counter, readers_max, writers_max, backoff_min, backoff_max;
  /* Bounds of the oracles; the largest number: none. */
  /* the longest time that a request may be on its way: of two requests within it either may be
   * first */
  uint64_t lag;
  uint64_t bypass; /* how many holders may overtake a waiter */
  uint64_t wait;   /* the longest allowed wait */
  uint64_t units_node,
      /* hier: units of a node and of a group: turns within them are bounded by the attributes (0:
       * not asked) */
      units_group;
  uint64_t readers; /* so many readers were inside together at least once (0: not checked) */
  uint64_t late;    /* a timed acquire may exceed its timeout by so much */
  uint64_t try_max; /* how long a try may take */
};

/* The beginning of each unit's part of the log; its holds follow. */
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
/* For unit 0, when all are done: collects the history and ends the run if an oracle objects. Prints
 * a line of figures. */
void history_check(struct test *t);
#endif
