/* SPDX-License-Identifier: BSD-3-Clause */
/* wide.h - reductions whose elements travel in a wider form than the caller's (struct eyoti_wire):
 * where they are widened and rounded. For call.c and the files that define such functions.
 *
 * Why it exists: plans see elements of the wide form alone, so that every algorithm serves them. A
 * round's IN and OUT are then private memory, which has the elements of this round and no more. */
#ifndef EYOT_COLL_WIDE_H
#define EYOT_COLL_WIDE_H

#include "coll/call.h"

/* Bytes of memory for IN and OUT of a round. 0: elements travel as they are. */
uint64_t eyoti_wide_bytes(const struct eyoti_plan *p);
/* Widens the caller's elements of the round from byte `at` of the (wide) blocks on; the operation's
 * buffers are in `temp`, which has eyoti_wide_bytes after the plan's own. */
void eyoti_wide_begin(struct eyoti_coll_op *r, const struct eyoti_coll_call *c, uint64_t at,
                      char *temp);
/* Rounds the result of the round into the caller's buffer, if the caller has one. */
void eyoti_wide_end(const struct eyoti_coll_op *r, const struct eyoti_coll_call *c, uint64_t at);
/* The call of a team of one. */
void eyoti_wide_alone(const struct eyoti_coll_call *c);
/* Checks that `count` elements in the wide form of `blocks` blocks are a valid size. Errors:
 * EINVAL (logged). */
int eyoti_wide_check(const struct eyoti_combiner *c, uint64_t count, uint64_t blocks);
/* Bytes, or an offset, in the caller's buffers of `bytes` bytes of elements that travel. */
static inline uint64_t eyoti_wide_caller(const struct eyoti_combiner *c, uint64_t bytes) {
  return c->wire == NULL ? bytes : bytes / c->wire->wide * c->wire->element;
}
#endif
