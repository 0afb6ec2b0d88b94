/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.h - the state that a unit keeps for all its locks: queue nodes, lock table, random state of
 * pauses. For the files of src/sync/locks; pscw/lease.c makes it only to pause (backoff.h). One
 * thread of the unit uses it. */
#ifndef EYOT_SYNC_LOCKS_LOCKS_H
#define EYOT_SYNC_LOCKS_LOCKS_H

#include "sync/locks/lock.h"

_Static_assert(EYOTI_QUEUE_NODES == 64, "one bit of a word for each node");

/* The caller's queue nodes, which are in global memory. */
struct eyoti_queue_nodes {
  char *own; /* the caller's part of the memory reserved for sync */
  /* bit i: node i is known to be free. Other units may have returned more nodes since: their `go`
   * shows it */
  uint64_t free;
};

struct eyoti_locks {
  struct eyoti_queue_nodes nodes;
  uint64_t random;            /* state of the stream of pauses */
  struct eyoti_lock *last;    /* the record used last, or NULL */
  eyoti_qref_t quick_node;    /* reserved for the quick path (lock.c), or 0 */
  bool quick_busy;            /* a lock is held with it */
  struct eyoti_lock **bucket; /* of records by name; n_buckets of them, 0 or a power of two */
  uint32_t n_buckets, n_locks;
  struct eyoti_lock *newest, *oldest; /* records of single units' locks, by their last use */
  uint32_t n_single;
  uint32_t allocated; /* locks of eyot_lock_alloc that the caller has made and not freed */
};

/* locks.c: made at first use. Errors: ENOMEM, ERANGE (more units than a reference can name). */
int eyoti_locks_get(struct eyot_rt *rt, struct eyoti_locks **out);

/* Logs an error under the name of the public function that was called. */
#define EYOTI_LOCK_FAIL(rt, code, ...) \
  (eyoti_log(EYOTI_LOG_ERROR, (rt)->fab->note.what, (code), __VA_ARGS__), (code))

/* Of a lock of a single unit: the offset of its bytes, which follow the descriptor. */
#define EYOTI_LOCK_SINGLE_OFF 128u

/* lock.c: finds the record of a lock; makes one for a single unit's lock that this unit uses for
 * the first time. Errors: ESEG, EUNIT, ENOMEM. */
int eyoti_lock_find(struct eyot_rt *rt, eyot_lock_t lock, struct eyoti_lock **out);

/* Marks a lock as broken after an operation that failed half-way: later calls on it return an
 * error. */
static inline void eyoti_lock_break(struct eyoti_lock *l) {
  l->broken = true;
  l->quick = NULL;
}

/* lock_table.c: the lock table. */
/* The record of a lock, NULL if there is none. */
struct eyoti_lock *eyoti_lock_table_find(struct eyoti_locks *ls, eyot_lock_t name);
/* Reserves space so that the next enter cannot fail. Errors: ENOMEM. */
int eyoti_lock_table_reserve(struct eyoti_locks *ls);
void eyoti_lock_table_enter(struct eyoti_locks *ls, struct eyoti_lock *l);
/* Takes the record out of the table, closes and frees it. */
void eyoti_lock_table_drop(struct eyoti_locks *ls, struct eyoti_lock *l);
/* Closes and frees a record that is in no table. NULL is allowed. */
void eyoti_lock_delete(struct eyoti_lock *l);
/* A new record with the kind's operations; attr is valid. NULL: out of memory (logged). */
struct eyoti_lock *eyoti_lock_new(struct eyoti_team *t, const eyot_lock_attr_t *attr);

/* lock_make.c: makes the record of a lock of eyot_lock_alloc that this unit uses for the first
 * time. Errors: ESEG, EUNIT, ENOMEM. */
int eyoti_lock_meet(struct eyot_rt *rt, eyot_lock_t name, struct eyoti_lock **out);
#endif
