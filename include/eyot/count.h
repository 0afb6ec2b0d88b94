/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/count.h - counting what a piece of a program asks of the network: puts, gets, atomics, signals, waits.
 *
 * Why it exists: the cost of a protocol is the number of its remote operations; the sources state it, and this measures it, on every fabric
 * alike. While a unit counts, its operations on mapped memory take the call instead of the inline path (so that each is seen): numbers are
 * exact, times are not those of a program that does not count. Units count for themselves: some may and others not. eyot_finalize ends
 * counting. Local calls; one thread of a unit at a time. */
#ifndef EYOT_COUNT_H
#define EYOT_COUNT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls that the runtime made to the fabric for this unit, whatever public function asked for them; those that the fabric refused are left
 * out (but of waits), and so is what units that share a node and its processors do in barriers and agreements: that is no call. Operations on the unit's own memory are counted apart. */
typedef struct eyot_counts {
  uint64_t puts, gets, atomics, signals;                 /* to other units */
  uint64_t own_puts, own_gets, own_atomics, own_signals; /* to the caller itself */
  uint64_t fetching; /* of `atomics`: those whose old value was asked for (a round trip) */
  uint64_t put_bytes, get_bytes; /* to and from other units, those of signals included */
  uint64_t waits; /* for a word of the own memory, timed ones and single looks included */
  uint64_t flushes, orders;
} eyot_counts_t;

/* Starts counting on this unit. Errors: ESTATE (already counting, not initialised), ENOMEM. */
EYOT_API int eyot_count_begin(void);
/* What was counted since begin. Errors: ESTATE (not counting), EINVAL. */
EYOT_API int eyot_count_read(eyot_counts_t *counts);
/* Ends it. Errors: ESTATE. */
EYOT_API int eyot_count_end(void);

#ifdef __cplusplus
}
#endif
#endif
