/* SPDX-License-Identifier: BSD-3-Clause */
/* random.c - the strategy `random` of strategy.h: a random walk, in which each step is taken by a
 * process drawn from the seed.
 *
 * Why it exists: it needs no model, no memory and no tuning, it has no blind spot (every run has a
 * probability above 0), and it is the measure for the other strategies. Its weakness: a bug that
 * needs a process to be delayed for many steps shows with a probability that falls exponentially in
 * their number; pct.c is for those. walk.h describes how processes that only poll are held back.
 *
 * Thread rule: one thread. Memory: snapshot/mem.h. */
#include <inttypes.h>

#include "check/snapshot/mem.h"
#include "check/strategy/walk.h"

struct random_walk {
  struct chk_strategy base;
  uint64_t seed, runs, begun; /* runs: the largest number that may begin, 0: any number */
  struct chk_rng rng;         /* of this run */
  uint64_t steps, most_steps; /* number in this run; in the longest run */
  uint64_t all_steps, failed, bounded;
};

static bool random_begin(struct chk_strategy *s) {
  struct random_walk *w = (struct random_walk *)s;
  if (w->runs > 0 && w->begun == w->runs) return false;
  w->rng = chk_rng_of(w->seed, w->begun++);
  w->steps = 0;
  return true;
}

static uint32_t random_pick(struct chk_strategy *s, const uint32_t *who, const bool *yields,
                            uint32_t n) {
  struct random_walk *w = (struct random_walk *)s;
  (void)who;
  w->steps++;
  return chk_walk_pick(&w->rng, yields, n);
}

static uint32_t random_draw(struct chk_strategy *s, uint32_t bound) {
  return chk_rng_draw(&((struct random_walk *)s)->rng, bound);
}

static void random_end(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices) {
  struct random_walk *w = (struct random_walk *)s;
  (void)choices;
  w->all_steps += w->steps;
  if (w->steps > w->most_steps) w->most_steps = w->steps;
  w->failed += how == CHK_FAILED;
  w->bounded += how == CHK_BOUND;
}

static void random_report(const struct chk_strategy *s, FILE *out) {
  const struct random_walk *w = (const struct random_walk *)s;
  fprintf(out,
          "random: %" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64 " failed, %" PRIu64
          " reached the bound of steps; ",
          w->begun, w->seed, w->failed, w->bounded);
  fprintf(out, "%" PRIu64 " steps a run on average, %" PRIu64 " at most\n",
          w->begun ? w->all_steps / w->begun : 0, w->most_steps);
}

static void random_destroy(struct chk_strategy *s) {
  chk_free(s);
}

struct chk_strategy *chk_random_new(const struct chk_options *o) {
  static const struct chk_strategy_ops ops = {.name = "random",
                                              .begin = random_begin,
                                              .pick = random_pick,
                                              .draw = random_draw,
                                              .did = chk_ignore_did,
                                              .saw = chk_ignore_saw,
                                              .end = random_end,
                                              .report = random_report,
                                              .destroy = random_destroy};
  struct random_walk *w = chk_alloc(sizeof *w);
  if (!w) return NULL;
  w->base.ops = &ops;
  w->seed = o->seed;
  w->runs = o->runs;
  return &w->base;
}
