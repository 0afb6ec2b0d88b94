/* ec_random.c - a random walk: every step is taken by a process drawn from the seed.
 *
 * Why it exists: it needs no model, no memory and no tuning, it has no blind spot (every run has a probability above 0), and it is what the
 * other strategies are measured against. Its weakness is known: a bug that needs a process to stay behind for many steps shows with a
 * probability that falls exponentially in their number; that is what ec_pct.c is for.
 *
 * Processes that only poll. A walk that picks them like the others spends most of its steps in waiting loops as soon as most units wait,
 * and a run reaches its bound of steps before it gets anywhere. Left out while others can go on, no poll would ever fall between two steps
 * of somebody else, and a wake-up that is lost or too early because of what a poll saw there is what we look for. So while there are both,
 * the pollers together get one step in POLL_ONE_IN, however many they are: the price is a constant share of the steps, and every
 * interleaving keeps a probability above 0.
 *
 * Thread rule: one thread. Memory: ec_mem.h. SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>

#include "check/ec_mem.h"
#include "check/ec_rng.h"
#include "check/ec_strategy.h"

#define POLL_ONE_IN 8u

struct random_walk {
  struct ec_strategy base;
  uint64_t seed, runs, begun; /* runs: most that may begin, 0: any number */
  struct ec_rng rng;          /* of this run */
  uint64_t steps, most_steps; /* of this run; of the longest */
  uint64_t all_steps, failed, bounded;
};

static bool random_begin(struct ec_strategy *s) {
  struct random_walk *w = (struct random_walk *)s;
  if (w->runs > 0 && w->begun == w->runs) return false;
  w->rng = ec_rng_of(w->seed, w->begun++);
  w->steps = 0;
  return true;
}

/* The k-th of those that poll, or of those that don't. */
static uint32_t find(const bool *yields, bool polls, uint32_t k) {
  uint32_t i = 0;
  while (yields[i] != polls || k-- > 0) i++;
  return i;
}

static uint32_t random_pick(struct ec_strategy *s, const uint32_t *who, const bool *yields, uint32_t n) {
  struct random_walk *w = (struct random_walk *)s;
  (void)who;
  w->steps++;
  if (n == 1) return 0;
  uint32_t pollers = 0;
  for (uint32_t i = 0; i < n; i++) pollers += yields[i];
  if (pollers == 0 || pollers == n) return ec_rng_below(&w->rng, n);
  bool polls = ec_rng_one_in(&w->rng, POLL_ONE_IN);
  return find(yields, polls, ec_rng_below(&w->rng, polls ? pollers : n - pollers));
}

static uint32_t random_draw(struct ec_strategy *s, uint32_t bound) {
  return ec_rng_draw(&((struct random_walk *)s)->rng, bound);
}

static void random_did(struct ec_strategy *s, const struct ec_step *step) {
  (void)s;
  (void)step;
}

static void random_saw(struct ec_strategy *s, uint64_t feature) {
  (void)s;
  (void)feature;
}

static void random_end(struct ec_strategy *s, enum ec_end how, const struct ec_stream *choices) {
  struct random_walk *w = (struct random_walk *)s;
  (void)choices;
  w->all_steps += w->steps;
  if (w->steps > w->most_steps) w->most_steps = w->steps;
  w->failed += how == EC_FAILED;
  w->bounded += how == EC_BOUND;
}

static void random_report(const struct ec_strategy *s, FILE *out) {
  const struct random_walk *w = (const struct random_walk *)s;
  fprintf(out, "random: %" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64 " failed, %" PRIu64 " reached the bound of steps; ", w->begun,
          w->seed, w->failed, w->bounded);
  fprintf(out, "%" PRIu64 " steps a run on average, %" PRIu64 " at most\n", w->begun ? w->all_steps / w->begun : 0, w->most_steps);
}

static void random_destroy(struct ec_strategy *s) {
  ec_free(s);
}

struct ec_strategy *ec_random_new(const struct ec_options *o) {
  static const struct ec_strategy_ops ops = {.name = "random",
                                             .begin = random_begin,
                                             .pick = random_pick,
                                             .draw = random_draw,
                                             .did = random_did,
                                             .saw = random_saw,
                                             .end = random_end,
                                             .report = random_report,
                                             .destroy = random_destroy};
  struct random_walk *w = ec_alloc(sizeof *w);
  if (!w) return NULL;
  w->base.ops = &ops;
  w->seed = o->seed;
  w->runs = o->runs;
  return &w->base;
}
