/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/count.h - counts the operations that a part of a program asks of the network: puts, gets,
 * atomics, signals and waits.
 *
 * The cost of a protocol is the number of its remote operations; this measures it in the same way
 * on every fabric. While a unit counts, its operations on mapped memory take the call instead of
 * the inline path, so that each is seen: numbers are exact, times are not those of a program that
 * does not count. Each unit counts for itself; some may count while others do not. eyot_finalize
 * ends counting. All functions are called by one unit, local and non-blocking. Thread rule: that of
 * eyot/init.h. */
#ifndef EYOT_COUNT_H
#define EYOT_COUNT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The calls that the runtime made to the fabric for this unit, for any public function. Calls that
 * the fabric refused are left out, except waits. What units that share a node and its processors do
 * in barriers, agreements and the barriers that collectives begin with is no call and is left out
 * too. Operations on the unit's own memory
 * are counted apart. */
typedef struct eyot_counts {
  uint64_t puts, gets, atomics, signals;                 /* to other units */
  uint64_t own_puts, own_gets, own_atomics, own_signals; /* to the caller itself */
  uint64_t fetching;                                     /* of `atomics`: with the old value */
  uint64_t put_bytes, get_bytes;                         /* other units only; signals' bytes too */
  uint64_t waits;                                        /* for own words; timed, and looks, too */
  uint64_t flushes, orders;
} eyot_counts_t;

/* eyot_count_begin starts counting on this unit, from zero. Errors: ESTATE (counting already, not
 * initialized), ENOTSUP (EYOT_THREAD_MULTIPLE), ENOMEM. */
EYOT_RET int eyot_count_begin(void);
/* eyot_count_read returns in *counts what was counted since eyot_count_begin. Errors: ESTATE (not
 * counting), EINVAL (NULL). */
EYOT_RET int eyot_count_read(eyot_counts_t *counts);
/* eyot_count_end ends counting on this unit. Errors: ESTATE (not counting). */
EYOT_RET int eyot_count_end(void);

#ifdef __cplusplus
}
#endif
#endif
