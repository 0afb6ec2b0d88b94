/* SPDX-License-Identifier: BSD-3-Clause */
/* models.h - sequential models: what an object does when nobody is in anybody's way.
 *
 * Why it exists: linearizability is relative to a model (Herlihy, Wing 1990, section 2.2). A model
 * is a state of a few words and two functions on it; the search (search.h) knows no more
 * than that.
 *
 * Operations are pure functions of state and arguments. One that has not returned (ret EC_PENDING)
 * may have any result. */
#ifndef EYOT_CHECK_LINEARIZE_MODELS_H
#define EYOT_CHECK_LINEARIZE_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/linearize/history.h"

/* n words; equal states have equal words. */
struct ec_lin_state {
  uint64_t *w;
  uint32_t n;
};
#define EC_LIN_INIT_WORDS 2u /* a first state has no more */
#define EC_LIN_GROWTH 2u     /* apply adds no more words than this */

/* SAME is said of an operation and its result, not of the state alone: there must be no state in
 * which it gives this result and changes something. So to write what is there already is CHANGES,
 * since elsewhere it would not be. */
enum ec_lin_effect {
  EC_LIN_CANNOT = 0, /* it could not have given that now */
  EC_LIN_SAME,       /* it could, and never changes anything when it gives that */
  EC_LIN_CHANGES     /* it could, and may change the state */
};

/* What an operation gives back besides having returned. */
enum ec_lin_gives {
  EC_GIVES_NOTHING = 0,
  EC_GIVES_VALUE,
  EC_GIVES_OK,
  EC_GIVES_OK_VALUE /* a value if ok */
};

struct ec_lin_kind {
  const char *name;
  uint32_t args;
  enum ec_lin_gives gives;
  const char *yes, *no; /* how ok and not ok read: "-> empty" */
};

/* Operations on one object, or one key of it. ops: in the order of their calls; by_ret: indices of
 * those that returned, in that order. */
struct ec_lin_view {
  const struct ec_lin_op *ops;
  const uint32_t *by_ret;
  uint32_t n, n_ret;
  uint64_t param; /* of the object */
};

struct ec_lin_model {
  const char *name;
  const struct ec_lin_kind *kinds;
  uint32_t n_kinds;
  /* arg[0] is a key, and operations with different keys have nothing to do with each other */
  bool keyed;
  void (*init)(struct ec_lin_state *s, uint64_t param);
  enum ec_lin_effect (*ask)(const struct ec_lin_state *s, const struct ec_lin_op *op,
                            uint64_t param);
  /* Only after ask has said EC_LIN_CHANGES. */
  void (*apply)(struct ec_lin_state *s, const struct ec_lin_op *op, uint64_t param);
  /* The state in words, as in "holds [1, 2]". */
  void (*show)(const struct ec_lin_state *s, char *text, size_t bytes);
  /* Both may be NULL. In which order values were put in is found out only when they are taken out,
   * much later: what is known of that beforehand. rank sets rank[i] > 0 for operations of which the
   * lower is better tried first; the others stay 0. *impossible: no order can do. *known, for dead
   * and then for ec_free, outlives v but not v's arrays. Errors: ENOMEM (not logged). */
  int (*rank)(const struct ec_lin_view *v, uint32_t *rank, bool *impossible, void **known);
  /* The operation can be applied to this state, but nothing good comes of it. */
  bool (*dead)(const void *known, const struct ec_lin_state *s, const struct ec_lin_op *op);
};

/* Operations by index. acquire_timed may fail at any time, so it also stands for an eyot_lock_try,
 * which may still fail for a moment after another unit's release has returned (eyot/lock.h);
 * try_acquire may fail only while the lock is held. Whoever releases must be the holder. */
enum { EC_LOCK_ACQUIRE, EC_LOCK_TRY_ACQUIRE, EC_LOCK_ACQUIRE_TIMED, EC_LOCK_RELEASE };
enum {
  EC_RW_ACQUIRE, /* exclusive */
  EC_RW_TRY_ACQUIRE,
  EC_RW_ACQUIRE_TIMED,
  EC_RW_RELEASE,
  EC_RW_ACQUIRE_SHARED,
  EC_RW_TRY_ACQUIRE_SHARED,
  EC_RW_ACQUIRE_SHARED_TIMED,
  EC_RW_RELEASE_SHARED
};
/* read() -> value, write(value), add(value), fetch_add(value) -> old, swap(value) -> old,
 * cas(expected, value) -> ok, fetch_cas(expected, value)
 * -> old. */
enum {
  EC_REGISTER_READ,
  EC_REGISTER_WRITE,
  EC_REGISTER_ADD,
  EC_REGISTER_FETCH_ADD,
  EC_REGISTER_SWAP,
  EC_REGISTER_CAS,
  EC_REGISTER_FETCH_CAS
};
/* enqueue(value) -> ok or full, dequeue() -> value or empty. */
enum { EC_QUEUE_ENQUEUE, EC_QUEUE_DEQUEUE };
/* push(value) -> ok or full, pop() -> value or empty. */
enum { EC_STACK_PUSH, EC_STACK_POP };
/* insert(key, value) -> ok or present, put(key, value), get(key) -> value or absent, remove(key) ->
 * ok or absent, take(key) -> value or absent (as remove), cas(key, expected, value) -> ok or no. */
enum { EC_MAP_INSERT, EC_MAP_PUT, EC_MAP_GET, EC_MAP_REMOVE, EC_MAP_TAKE, EC_MAP_CAS };
/* add(element) -> ok or present, remove(element) -> ok or absent, contains(element) -> yes or
 * no. */
enum { EC_SET_ADD, EC_SET_REMOVE, EC_SET_CONTAINS };

extern const struct ec_lin_model ec_lin_lock, ec_lin_rwlock, ec_lin_register, ec_lin_queue,
    ec_lin_stack, ec_lin_map, ec_lin_set;

/* The i-th model, NULL past the last. */
const struct ec_lin_model *ec_lin_model_at(uint32_t i);
/* By name ("lock", "rwlock", "register", "queue", "stack", "map", "set"); NULL: none. */
const struct ec_lin_model *ec_lin_model_find(const char *name);
/* The index of an operation; UINT32_MAX: none. */
uint32_t ec_lin_kind_find(const struct ec_lin_model *m, const char *name);
/* "dequeue() -> empty", "push(3) -> ok", "acquire(), pending". */
void ec_lin_print_op(const struct ec_lin_model *m, const struct ec_lin_op *op, char *text,
                     size_t bytes);

/* For queue and stack (rank.c); see struct ec_lin_model. */
int ec_lin_rank_queue(const struct ec_lin_view *v, uint32_t *rank, bool *impossible, void **known);
int ec_lin_rank_stack(const struct ec_lin_view *v, uint32_t *rank, bool *impossible, void **known);
bool ec_lin_dead_queue(const void *known, const struct ec_lin_state *s, const struct ec_lin_op *op);
bool ec_lin_dead_stack(const void *known, const struct ec_lin_state *s, const struct ec_lin_op *op);
#endif
