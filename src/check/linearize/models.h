/* SPDX-License-Identifier: BSD-3-Clause */
/* models.h - sequential models: what an object does when nobody is in anybody's way.
 *
 * Why it exists: linearizability is relative to a model (Herlihy, Wing 1990, section 2.2). A model
 * is a state of a few words and two functions on it; the search (search.h) knows no more
 * than that.
 *
 * Operations are pure functions of state and arguments. One that has not returned (ret CHK_PENDING)
 * may have any result. */
#ifndef EYOT_CHECK_LINEARIZE_MODELS_H
#define EYOT_CHECK_LINEARIZE_MODELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check/linearize/history.h"

/* n words; equal states have equal words. */
struct chk_lin_state {
  uint64_t *w;
  uint32_t n;
};
#define CHK_LIN_INIT_WORDS 2u /* a first state has no more */
#define CHK_LIN_GROWTH 2u     /* apply adds no more words than this */

/* SAME is said of an operation and its result, not of the state alone: there must be no state in
 * which it gives this result and changes something. So to write what is there already is CHANGES,
 * since elsewhere it would not be. */
enum chk_lin_effect {
  CHK_LIN_CANNOT = 0, /* it could not have given that now */
  CHK_LIN_SAME,       /* it could, and never changes anything when it gives that */
  CHK_LIN_CHANGES     /* it could, and may change the state */
};

/* What an operation gives back besides having returned. */
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
  const char *yes, *no; /* how ok and not ok read: "-> empty" */
};

/* Operations on one object, or one key of it. ops: in the order of their calls; by_ret: indices of
 * those that returned, in that order. */
struct chk_lin_view {
  const struct chk_lin_op *ops;
  const uint32_t *by_ret;
  uint32_t n, n_ret;
  uint64_t param; /* of the object */
};

struct chk_lin_model {
  const char *name;
  const struct chk_lin_kind *kinds;
  uint32_t n_kinds;
  /* arg[0] is a key, and operations with different keys have nothing to do with each other */
  bool keyed;
  void (*init)(struct chk_lin_state *s, uint64_t param);
  enum chk_lin_effect (*ask)(const struct chk_lin_state *s, const struct chk_lin_op *op,
                             uint64_t param);
  /* Only after ask has said CHK_LIN_CHANGES. */
  void (*apply)(struct chk_lin_state *s, const struct chk_lin_op *op, uint64_t param);
  /* The state in words, as in "holds [1, 2]". */
  void (*show)(const struct chk_lin_state *s, char *text, size_t bytes);
  /* Both may be NULL. In which order values were put in is found out only when they are taken out,
   * much later: what is known of that beforehand. rank sets rank[i] > 0 for operations of which the
   * lower is better tried first; the others stay 0. *impossible: no order can do. *known, for dead
   * and then for chk_free, outlives v but not v's arrays. Errors: ENOMEM (not logged). */
  int (*rank)(const struct chk_lin_view *v, uint32_t *rank, bool *impossible, void **known);
  /* The operation can be applied to this state, but nothing good comes of it. */
  bool (*dead)(const void *known, const struct chk_lin_state *s, const struct chk_lin_op *op);
};

/* Operations by index. acquire_timed may fail at any time, so it also stands for an eyot_lock_try,
 * which may still fail for a moment after another unit's release has returned (eyot/lock.h);
 * try_acquire may fail only while the lock is held. Whoever releases must be the holder. */
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
 * ok or absent, take(key) -> value or absent (as remove), cas(key, expected, value) -> ok or no. */
enum { CHK_MAP_INSERT, CHK_MAP_PUT, CHK_MAP_GET, CHK_MAP_REMOVE, CHK_MAP_TAKE, CHK_MAP_CAS };
/* add(element) -> ok or present, remove(element) -> ok or absent, contains(element) -> yes or
 * no. */
enum { CHK_SET_ADD, CHK_SET_REMOVE, CHK_SET_CONTAINS };

extern const struct chk_lin_model chk_lin_lock, chk_lin_rwlock, chk_lin_register, chk_lin_queue,
    chk_lin_stack, chk_lin_map, chk_lin_set;

/* The i-th model, NULL past the last. */
const struct chk_lin_model *chk_lin_model_at(uint32_t i);
/* By name ("lock", "rwlock", "register", "queue", "stack", "map", "set"); NULL: none. */
const struct chk_lin_model *chk_lin_model_find(const char *name);
/* The index of an operation; UINT32_MAX: none. */
uint32_t chk_lin_kind_find(const struct chk_lin_model *m, const char *name);
/* "dequeue() -> empty", "push(3) -> ok", "acquire(), pending". */
void chk_lin_print_op(const struct chk_lin_model *m, const struct chk_lin_op *op, char *text,
                      size_t bytes);

/* For queue and stack (rank.c); see struct chk_lin_model. */
int chk_lin_rank_queue(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known);
int chk_lin_rank_stack(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known);
bool chk_lin_dead_queue(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op);
bool chk_lin_dead_stack(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op);
#endif
