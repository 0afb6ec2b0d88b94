/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.h - the combination of many elements to one, which processors that are idle on the unit's
 * node share (docs/adr/0139). For global_reduce.c.
 *
 * Elements that commute are combined in pieces of one size, and the results of the pieces in their
 * order: so the bits are the same with and without other threads, and on every fabric. Operators of
 * the program are called by the unit's own thread alone. Thread rule: one thread of a unit at a
 * time. */
#ifndef EYOT_COLL_COMBINE_H
#define EYOT_COLL_COMBINE_H

#include <stdbool.h>

#include "rma/op.h"
#include "rt/rt.h"

/* Bytes of elements from which on they are shared where one call follows another at once, and */
#define EYOTI_SHARED_LEAST (512u * 1024u)
/* always: fewer take no longer than a thread to wake. */
#define EYOTI_SHARED_LONG (2u * 1024u * 1024u)

struct eyoti_coll; /* call.h */

/* Reads how many threads the unit may have (EYOT_REDUCE_THREADS); none is made yet. Local. */
int eyoti_combine_start(const struct eyot_rt *rt, struct eyoti_coll *coll);

/* acc = acc op x, of one element; if it has none, acc = x, and it has one then. */
void eyoti_combine_one(const struct eyoti_combiner *c, void *acc, bool *has, const void *x);
/* The same with n elements: of operators that do not commute one by one, in their order. */
void eyoti_combine_to_one(struct eyot_rt *rt, const struct eyoti_combiner *c, void *acc, bool *has,
                          const void *x, uint64_t n);
#endif
