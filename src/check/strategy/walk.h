/* SPDX-License-Identifier: BSD-3-Clause */
/* walk.h - one step of a random walk, and empty callbacks for strategies that ignore the accesses
 * of steps. For the strategies in this folder.
 *
 * Why it exists: the random walk (random.c) and the part of a guided run after its prefix
 * (guided.c) must be the same walk, or comparing the two would show nothing. Thread rule: one
 * thread a generator. */

/* Processes that only poll. A walk that picks them like the others spends most of its steps in
 * waiting loops as soon as most units wait, and a run reaches its limit of steps before it gets
 * anywhere. If they were left out while others can go on, no poll would ever fall between two steps
 * of another process, and a wakeup that is lost or early because of what a poll saw there is what
 * we look for. So while there are both, the pollers together get one step in CHK_POLL_ONE_IN,
 * however many they are: the price is a constant share of the steps, and every interleaving keeps a
 * probability above 0. */
#ifndef EYOT_CHECK_STRATEGY_WALK_H
#define EYOT_CHECK_STRATEGY_WALK_H

#include "check/strategy/rng.h"
#include "check/strategy/strategy.h"

#define CHK_POLL_ONE_IN 8u

/* The number of the n >= 1 processes that only poll. */
static inline uint32_t chk_walk_pollers(const bool *yields, uint32_t n) {
  uint32_t pollers = 0;
  for (uint32_t i = 0; i < n; i++) pollers += yields[i];
  return pollers;
}

/* The index of the process that takes the step. Draws nothing if n is 1. */
static inline uint32_t chk_walk_pick(struct chk_rng *rng, const bool *yields, uint32_t n) {
  if (n == 1) return 0;
  uint32_t pollers = chk_walk_pollers(yields, n);
  if (pollers == 0 || pollers == n) return chk_rng_below(rng, n);
  bool polls = chk_rng_one_in(rng, CHK_POLL_ONE_IN);
  uint32_t k = chk_rng_below(rng, polls ? pollers : n - pollers), i = 0;
  while (yields[i] != polls || k-- > 0) i++; /* the k-th of its kind */
  return i;
}

static inline void chk_ignore_did(struct chk_strategy *s, const struct chk_step *step) {
  (void)s;
  (void)step;
}

static inline void chk_ignore_saw(struct chk_strategy *s, uint64_t feature) {
  (void)s;
  (void)feature;
}
#endif
