/* SPDX-License-Identifier: BSD-3-Clause */
/* history.h - records the calls and returns of operations on shared objects, in the order in which
 * they are reported. fabric_sim/explore fills a history for eyotcheck; linearize.h judges it.
 *
 * Why it exists: whether an object behaves as a queue does not show in one operation, but in which
 * operations overlapped and what they returned (Herlihy, Wing: Linearizability, TOPLAS 1990,
 * section 2). A program reports each call before it makes it, and each return after it.
 *
 * Memory: snapshot/mem.h. Thread rule: one thread; all units of a run are fibers of it. */
#ifndef EYOT_CHECK_LINEARIZE_HISTORY_H
#define EYOT_CHECK_LINEARIZE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/* `ret` of an operation that has not returned: it may or may not have taken effect */
#define CHK_PENDING UINT64_MAX
#define CHK_HISTORY_OPS_MAX 0x7ffffffeu
#define CHK_HISTORY_ARGS 3u
#define CHK_HISTORY_NAME 32u

struct chk_lin_model;

struct chk_lin_op {
  uint32_t unit, object;
  uint32_t op; /* index into the model's operations */
  /* false: refused, or nothing was found (full, empty, absent, taken); the model defines which */
  bool ok;
  uint64_t arg[CHK_HISTORY_ARGS];
  uint64_t result;
  const void *called_at, *returned_at; /* of the program; NULL: unknown */
  uint64_t call, ret; /* positions among all calls and returns of the history, from 0 */
};

struct chk_lin_object {
  char name[CHK_HISTORY_NAME];
  const struct chk_lin_model *model;
  const void *made_at; /* of the program, by unit made_by; NULL: unknown */
  uint32_t made_by;
  uint64_t param; /* a register's first value, the capacity of a queue or stack; 0: unbounded */
};

struct chk_history {
  struct chk_lin_op *ops; /* in the order of their calls; an operation's id is its index */
  struct chk_lin_object *objects;
  uint32_t *events; /* 2 * id for a call, 2 * id + 1 for a return */
  uint32_t n_ops, n_objects, n_events;
  uint32_t cap_ops, cap_objects, cap_events;
  /* the source line of a place in the program, "a.c:12 (main)"; NULL: none is known */
  const char *(*line)(void *context, uint32_t unit, const void *at);
  void *context;
};

void chk_history_init(struct chk_history *h);
void chk_history_fini(struct chk_history *h);
/* Forgets objects and operations between two runs, and keeps the memory. */
void chk_history_clear(struct chk_history *h);
/* Adds an object in the initial state of the model. A name longer than CHK_HISTORY_NAME - 1 is cut.
 * Errors: ENOMEM (logged). */
int chk_history_object(struct chk_history *h, const struct chk_lin_model *model, const char *name,
                       uint64_t param, uint32_t *object);
/* arg: as many words as the model's operation takes. Errors: EINVAL (no such object or operation),
 * ERANGE (too many), ENOMEM; all logged. */
int chk_history_call(struct chk_history *h, uint32_t unit, uint32_t object, uint32_t op,
                     const uint64_t *arg, uint32_t *id);
/* Ignores ok and result where the operation has none. Errors: EINVAL (no such operation, or it has
 * returned), ENOMEM; logged. */
int chk_history_return(struct chk_history *h, uint32_t id, bool ok, uint64_t result);
#endif
