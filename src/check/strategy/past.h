/* SPDX-License-Identifier: BSD-3-Clause */
/* past.h - what a condition was in a run: whether it held before each write to its word, and holds
 * now. By it an engine knows which accesses of a wait `need` the last write (exhaustive.c, duty 7).
 *
 * Local; cannot fail. */
#ifndef EYOT_CHECK_STRATEGY_PAST_H
#define EYOT_CHECK_STRATEGY_PAST_H

#include <stdbool.h>
#include <stdint.h>

struct chk_past {
  bool since; /* the word was written, and the condition did not hold before the last write */
  bool ever;  /* it holds, or has held */
  bool ended; /* it has held, and then did not */
  bool held;
};

/* It held, or not, before a write: called for each in the order of the writes. */
void chk_past_before_write(struct chk_past *p, bool held);
/* The last call: it holds now, or not. */
void chk_past_now(struct chk_past *p, bool holds);
/* Whether a wait that ends now could not have ended before the last write to the condition's word.
 * could: the number of its conditions that hold, or have held. */
bool chk_past_needs(const struct chk_past *p, uint32_t could);
#endif
