/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/set.h - operation sets: a unit posts operations to a set of its own, and flushes or orders
 * those alone, so that independent streams of communication do not wait for each other. Sources:
 * OpenSHMEM 1.5, "Communication Management Routines" (contexts); the GASNet-EX specification's
 * access regions for implicit operations, for comparison.
 *
 * The set is an argument: nothing depends on what another part of the program may have chosen.
 * Called by one unit, between init and finalize; what a call posts does not block and is bounded as
 * eyot_put_nbi, unless said otherwise. Common errors: EINVAL (not a set of this unit, or destroyed)
 * and those of the call of the same name in rma.h, atomic.h and signal.h. Thread rule: that of
 * eyot/init.h. */
#ifndef EYOT_SET_H
#define EYOT_SET_H

#include "rma.h"
#include "signal.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A set: a value that means something to the unit that has created it. */
typedef struct eyot_set {
  uint64_t id;
} eyot_set_t;

/* The default set, which always exists, has all operations that no other set has been named for:
 * those of the other headers, with or without handle, and those that locks, barriers and collective
 * functions post. */
#define EYOT_SET_DEFAULT ((eyot_set_t){0})
#define EYOT_SET_NULL ((eyot_set_t){UINT64_MAX})
/* Sets of a unit at one time, besides the default set. */
#define EYOT_SET_MAX 4096u

/* Guarantees (docs/memory-model.md has examples):
 *  - eyot_set_flush and eyot_set_order concern the operations of their set alone: those of other
 *    sets remain incomplete, their buffers lent, and unordered;
 *  - eyot_flush, eyot_order and eyot_finalize concern the operations of all sets, and return one of
 *    their errors: the others are reported with it;
 *  - eyot_set_flush at EYOT_REMOTE is a full barrier, as eyot_flush is;
 *  - operations of different sets are unordered unless a completion, or an order of all sets,
 *    stands between them. */

/* eyot_set_create makes an empty set. Local. A set that is not destroyed before eyot_finalize is
 * reported. Errors: EINVAL (NULL), ENOMEM, EBUSY (EYOT_SET_MAX). */
EYOT_RET int eyot_set_create(eyot_set_t *set);
/* eyot_set_destroy completes the set's operations at EYOT_REMOTE, and ends it; *set becomes
 * EYOT_SET_NULL. Blocking. Errors: EINVAL (also for the default set), that of an operation that has
 * failed: the set is then gone too. */
EYOT_RET int eyot_set_destroy(eyot_set_t *set);

/* These post to the set what the calls of other headers post to the default set: eyot_put_nbi,
 * eyot_get_nbi, eyot_put_local (which blocks until src may be reused), eyot_put_signal_nbi and
 * _local, eyot_accumulate_nbi, and the strided and indexed forms. The indexed forms read the shape
 * before they return. */
EYOT_RET int eyot_set_put(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len);
EYOT_RET int eyot_set_put_local(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len);
EYOT_RET int eyot_set_get(eyot_set_t set, void *dst, eyot_gptr_t src, uint64_t len);
EYOT_RET int eyot_set_put_signal(eyot_set_t set, eyot_gptr_t dst, const void *src, uint64_t len,
                                 eyot_gptr_t sig, eyot_signal_op_t op, uint64_t value);
EYOT_RET int eyot_set_put_signal_local(eyot_set_t set, eyot_gptr_t dst, const void *src,
                                       uint64_t len, eyot_gptr_t sig, eyot_signal_op_t op,
                                       uint64_t value);
EYOT_RET int eyot_set_accumulate(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                                 const void *operand);
EYOT_RET int eyot_set_put_strided(eyot_set_t set, eyot_gptr_t dst, const void *src,
                                  const eyot_strided_t *shape);
EYOT_RET int eyot_set_put_strided_local(eyot_set_t set, eyot_gptr_t dst, const void *src,
                                        const eyot_strided_t *shape);
EYOT_RET int eyot_set_get_strided(eyot_set_t set, void *dst, eyot_gptr_t src,
                                  const eyot_strided_t *shape);
EYOT_RET int eyot_set_put_indexed(eyot_set_t set, eyot_gptr_t dst, const void *src,
                                  const eyot_indexed_t *shape);
EYOT_RET int eyot_set_get_indexed(eyot_set_t set, void *dst, eyot_gptr_t src,
                                  const eyot_indexed_t *shape);

/* eyot_set_fetch_op and eyot_set_compare_swap are eyot_fetch_op and eyot_compare_swap whose result
 * is in *old from local completion on; operand, expected and desired are read before they return.
 * An operation that is a compare-and-swap loop (PROD, MIN, MAX, SUM of floating-point types), and
 * an `old` that is not aligned to its type, make the call block: *old is then there on return, and
 * error is returned by the call (docs/limits.md, "What blocks"). */
EYOT_RET int eyot_set_fetch_op(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                               const void *operand, void *old);
EYOT_RET int eyot_set_compare_swap(eyot_set_t set, eyot_gptr_t dst, eyot_type_t type,
                                   const void *expected, const void *desired, void *old);

/* eyot_set_flush completes the operations of the set to one unit, eyot_set_flush_all to all units,
 * at `level`. Blocking. A fabric may complete more (mpi: all operations to those units). Errors:
 * EUNIT, EINVAL (no such level), that of an operation of the set to the unit that has failed, once
 * (EYOT_LOCAL: of one with a result); those of other sets stay for their own flush. */
EYOT_RET int eyot_set_flush(eyot_set_t set, eyot_unit_t unit, eyot_level_t level);
EYOT_RET int eyot_set_flush_all(eyot_set_t set, eyot_level_t level);
/* eyot_set_order and eyot_set_order_all make earlier puts, signals and atomics of the set to the
 * unit (or to each unit) visible before later ones of the set to that unit. They complete nothing
 * and do not cover gets. On mpi they cost a flush. Errors: EUNIT. */
EYOT_RET int eyot_set_order(eyot_set_t set, eyot_unit_t unit);
EYOT_RET int eyot_set_order_all(eyot_set_t set);

#ifdef __cplusplus
}
#endif
#endif
