/* SPDX-License-Identifier: BSD-3-Clause */
/* mutate.h - changes to a stream of choices that leave most of it as it is.
 *
 * Why it exists: guided search makes its runs from runs that reached something, and the changes
 * must be of the kinds by which schedules differ: one other answer, an operation more or less (a
 * block comes in or goes), the same again, the way to one place and on from there like another run.
 * Source: the stages "havoc" and "splice" of AFL (Zalewski, technical notes), on bounded integers
 * in place of bytes. Thread rule: one thread. */
#ifndef EYOT_CHECK_STRATEGY_MUTATE_H
#define EYOT_CHECK_STRATEGY_MUTATE_H

#include "check/strategy/rng.h"
#include "check/strategy/stream.h"

/* choices; blocks that would make a stream longer are left out */
#define CHK_MUTATED_MAX (UINT32_C(1) << 20)

/* Changes s in place, in one to 16 places; `other` lends blocks and may be s's origin, but not s.
 * What follows the end of s is drawn anew by the caller. */
void chk_mutate(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng);
#endif
