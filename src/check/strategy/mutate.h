/* SPDX-License-Identifier: BSD-3-Clause */
/* mutate.h - mutates a stream of choices, and leaves most of it as it is. For guided.c.
 *
 * Why it exists: guided search derives its runs from runs that reached something new. The changes
 * are of the kinds by which schedules differ: one other answer, an operation more or less (a block
 * is inserted or deleted), a repetition, the start of one run and the rest of another. Source: the
 * stages "havoc" and "splice" of AFL (Zalewski, American fuzzy lop: technical details), on bounded
 * integers in place of bytes. Thread rule: one thread. */
#ifndef EYOT_CHECK_STRATEGY_MUTATE_H
#define EYOT_CHECK_STRATEGY_MUTATE_H

#include "check/strategy/rng.h"
#include "check/strategy/stream.h"

/* choices; blocks that would make a stream longer are not inserted */
#define CHK_MUTATED_MAX (UINT32_C(1) << 20)

/* Changes s in place, at one to 16 positions; `other` is the source of blocks and may be s's
 * origin, but not s. The caller draws the choices after the end of s anew. */
void chk_mutate(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng);
#endif
