/* SPDX-License-Identifier: BSD-3-Clause */
/* models.h - the sequential models that linearizability is judged by: what an object does when
 * operations do not overlap. For check/linearize; programs name a model by its string.
 *
 * Why it exists: linearizability is relative to a sequential specification (Herlihy, Wing:
 * Linearizability, TOPLAS 1990, section 2.2). A model is a state of a few words with two functions
 * on it, `ask` and `apply`; the search (search.h) knows nothing else of the object.
 *
 * Operations are pure functions of state and arguments. An operation that has not returned (ret is
 * CHK_PENDING) may have any result. Thread rule: one thread. */
#ifndef EYOT_CHECK_LINEARIZE_MODELS_H
#define EYOT_CHECK_LINEARIZE_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/linearize/history.h"

/* Equal states have the same n words. */
struct chk_lin_state {
  uint64_t *w;
  uint32_t n;
};
#define CHK_LIN_INIT_WORDS 2u /* the initial state has at most these */
#define CHK_LIN_GROWTH 2u     /* apply adds at most these */

/* CHK_LIN_SAME is a property of an operation and its result, not of the state: in no state may the
 * operation give this result and change something. Writing the value that is there already is
 * therefore CHK_LIN_CHANGES, since in another state the same write changes it. */
enum chk_lin_effect {
  CHK_LIN_CANNOT = 0, /* it cannot have given that result in this state */
  CHK_LIN_SAME,       /* it can, and never changes the state when it gives that result */
  CHK_LIN_CHANGES     /* it can, and may change the state */
};

/* The results that an operation gives. */
enum chk_lin_gives {
  CHK_GIVES_NOTHING = 0,
  CHK_GIVES_VALUE,
  CHK_GIVES_OK,
  CHK_GIVES_OK_VALUE /* a value if ok */
};

struct chk_lin_kind {
  const char *name;
  uint32_t args;
  enum chk_lin_gives gives;
  const char *yes, *no; /* the words for ok and not ok, as in "-> empty" */
};

/* The operations on one object, or on one of its keys. ops: in the order of their calls; by_ret:
 * indices of those that returned, in the order of their returns. */
struct chk_lin_view {
  const struct chk_lin_op *ops;
  const uint32_t *by_ret;
  uint32_t n, n_ret;
  uint64_t param; /* of the object (struct chk_lin_object) */
};

struct chk_lin_model {
  const char *name;
  const struct chk_lin_kind *kinds;
  uint32_t n_kinds;
  /* arg[0] is a key; operations with different keys are independent */
  bool keyed;
  void (*init)(struct chk_lin_state *s, uint64_t param);
  enum chk_lin_effect (*ask)(const struct chk_lin_state *s, const struct chk_lin_op *op,
                             uint64_t param);
  /* Called only after `ask` returned CHK_LIN_CHANGES. */
  void (*apply)(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param);
  /* Writes the state in words, as in "holds [1, 2]". */
  void (*show)(const struct chk_lin_state *s, char *text, size_t bytes);
  /* rank and dead may be NULL. They use what the history says about the order in which values were
   * put in, which only shows when they are taken out. rank sets rank[i] > 0 for operations of which
   * the lower should be tried first, and leaves 0 for the others. *impossible: no order explains
   * the history. *known is an argument of `dead` and then of chk_free; it outlives v but not v's
   * arrays. Errors: ENOMEM (not logged). */
  int (*rank)(const struct chk_lin_view *v, uint32_t *rank, bool *impossible, void **known);
  /* True: the operation can be applied to this state, but no order that begins so explains the
   * history. */
  bool (*dead)(const void *known, const struct chk_lin_state *s, const struct chk_lin_op *op);
};

/* Operations by index. acquire_timed may fail at any time, so it also stands for an eyot_lock_try,
 * which may still fail for a moment after another unit's release has returned (eyot/lock.h);
 * try_acquire may fail only while the lock is held. The unit that releases must be the holder. */
enum { CHK_LOCK_ACQUIRE, CHK_LOCK_TRY_ACQUIRE, CHK_LOCK_ACQUIRE_TIMED, CHK_LOCK_RELEASE };
enum {
  CHK_RW_ACQUIRE, /* exclusive */
  CHK_RW_TRY_ACQUIRE,
  CHK_RW_ACQUIRE_TIMED,
  CHK_RW_RELEASE,
  CHK_RW_ACQUIRE_SHARED,
  CHK_RW_TRY_ACQUIRE_SHARED,
  CHK_RW_ACQUIRE_SHARED_TIMED,
  CHK_RW_RELEASE_SHARED
};
/* read() -> value, write(value), add(value), fetch_add(value) -> old, swap(value) -> old,
 * cas(expected, value) -> ok, fetch_cas(expected, value)
 * -> old. */
enum {
  CHK_REGISTER_READ,
  CHK_REGISTER_WRITE,
  CHK_REGISTER_ADD,
  CHK_REGISTER_FETCH_ADD,
  CHK_REGISTER_SWAP,
  CHK_REGISTER_CAS,
  CHK_REGISTER_FETCH_CAS
};
/* enqueue(value) -> ok or full, dequeue() -> value or empty. */
enum { CHK_QUEUE_ENQUEUE, CHK_QUEUE_DEQUEUE };
/* push(value) -> ok or full, pop() -> value or empty. */
enum { CHK_STACK_PUSH, CHK_STACK_POP };
/* insert(key, value) -> ok or present, put(key, value), get(key) -> value or absent, remove(key) ->
 * ok or absent, take(key) -> value or absent (a remove that also returns the value), cas(key,
 * expected, value) -> ok or no. */
enum { CHK_MAP_INSERT, CHK_MAP_PUT, CHK_MAP_GET, CHK_MAP_REMOVE, CHK_MAP_TAKE, CHK_MAP_CAS };
/* add(element) -> ok or present, remove(element) -> ok or absent, contains(element) -> yes or
 * no. */
enum { CHK_SET_ADD, CHK_SET_REMOVE, CHK_SET_CONTAINS };

extern const struct chk_lin_model chk_lin_lock, chk_lin_rwlock, chk_lin_register, chk_lin_queue,
    chk_lin_stack, chk_lin_map, chk_lin_set;

/* The model number i; NULL after the last one. */
const struct chk_lin_model *chk_lin_model_at(uint32_t i);
/* The model of that name ("lock", "rwlock", "register", "queue", "stack", "map", "set"), or
 * NULL. */
const struct chk_lin_model *chk_lin_model_find(const char *name);
/* The index of the operation of that name, or UINT32_MAX. */
uint32_t chk_lin_kind_find(const struct chk_lin_model *m, const char *name);
/* Writes an operation as text: "dequeue() -> empty", "push(3) -> ok", "acquire(), pending". */
void chk_lin_print_op(const struct chk_lin_model *m, const struct chk_lin_op *op, char *text,
                      size_t bytes);

/* `rank` of queue and stack (rank.c); see struct chk_lin_model. */
int chk_lin_rank_queue(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known);
int chk_lin_rank_stack(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known);
bool chk_lin_dead_queue(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op);
bool chk_lin_dead_stack(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op);
#endif
