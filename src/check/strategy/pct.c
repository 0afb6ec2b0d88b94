/* SPDX-License-Identifier: BSD-3-Clause */
/* pct.c - the strategy `pct` of strategy.h: strict random priorities with a few random changes. It
 * finds bugs of small depth with a probability that is known beforehand.
 *
 * Why it exists: many bugs need one process to be delayed for long, which hardly ever happens in a
 * random walk. Here every process has a random priority, and the enabled process with the highest
 * one takes the step; d - 1 times in a run, at random steps, the one that would take it falls below
 * all others. A bug that takes d ordering constraints shows in a run of n processes and k steps
 * with probability at least 1 / (n k^(d-1)).
 *
 * Source: Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic
 * guarantees of finding bugs, ASPLOS 2010, section 3. Thread rule: one thread. Memory:
 * snapshot/mem.h. */

/* Differences from the paper, and their reasons:
 * - Processes are created during a run (operations in flight). Each gets its priority when it first
 *   appears; since priorities are independent and identically distributed, their order is the
 *   random one that would have been drawn at the start.
 * - Steps without a choice are not counted. A change there has the effect of the same change at the
 *   next step where the process would be preferred to another, so nothing is lost and k is smaller.
 *   k is the longest of the last KEPT runs: with a maximum over all runs, a single run with a long
 *   wait would move the points past the end of all others.
 * - Strict priority starves others when a process waits in a loop. The usual remedy is that a
 *   process that yields falls below those that can go on (Musuvathi, Qadeer: Fair stateless model
 *   checking, PLDI 2008; the pct of AWS's Shuttle does it too). Here a process has no priority
 *   while it only polls, and has its own again afterwards, so that a woken waiter can overtake the
 *   process that woke it; for the same reason pollers above all others poll now and then
 *   (CHK_POLL_ONE_IN). When all poll, the one that has polled longest ago is next.
 * - The engine cannot recognize a loop that also writes (a compare-and-swap that fails) as a poll.
 *   A process that has taken PATIENCE consecutive steps while others could go on falls below
 *   all. */
#include <inttypes.h>
#include <math.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/strategy/walk.h"

#define KEPT 16u                /* earlier runs whose lengths k is taken from */
#define K_FIRST 64u             /* k of the first run */
#define PATIENCE 256u           /* consecutive steps of one process while others could go on */
#define CERTAINTY 0.95          /* probability that the report's number of runs is for */
#define OWN (UINT64_C(1) << 63) /* priorities from here on were drawn */
/* + i: after change point i, 1 .. d-1. Below: lowered for lack of patience, the later the lower */
#define CHANGED (UINT64_C(1) << 62)

struct process {
  uint64_t run; /* the run that the priority is valid in; runs count from 1 */
  uint64_t priority;
  uint64_t last; /* the last step of this run that it took; 0: none */
};

struct pct {
  struct chk_strategy base;
  uint64_t seed, runs, begun;
  struct chk_rng rng; /* of this run */
  uint32_t depth;
  uint64_t *points; /* depth - 1 counted steps of this run at which a change is due */
  struct process *at;
  uint32_t n_at;             /* entries of at */
  uint32_t n_now;            /* processes that have appeared in this run */
  uint64_t steps, counted;   /* steps of this run: all, and those with a choice */
  uint32_t on_end, last_who; /* number of consecutive counted steps by last_who */
  uint64_t fallen;           /* processes of this run that were lowered for lack of patience */
  uint64_t lengths[KEPT], n_lengths;
  uint64_t most_counted, all_fallen, failed, bounded;
  uint32_t most_processes;
};

static uint64_t estimate(const struct pct *p) {
  uint64_t k = 0, n = p->n_lengths < KEPT ? p->n_lengths : KEPT;
  for (uint64_t i = 0; i < n; i++) k = p->lengths[i] > k ? p->lengths[i] : k;
  return n == 0 ? K_FIRST : k > 0 ? k : 1;
}

static bool pct_begin(struct chk_strategy *s) {
  struct pct *p = (struct pct *)s;
  if (p->runs > 0 && p->begun == p->runs) return false;
  p->rng = chk_rng_of(p->seed, p->begun++);
  p->n_now = 0;
  p->steps = p->counted = p->fallen = 0;
  p->on_end = 0;
  uint64_t k = estimate(p);
  for (uint32_t i = 0; i + 1 < p->depth; i++)
    p->points[i] = 1 + chk_rng_below(&p->rng, k < UINT32_MAX ? (uint32_t)k : UINT32_MAX);
  return true;
}

static struct process *process(struct pct *p, uint32_t who) {
  if (who >= p->n_at) {
    EYOTI_ASSERT(who < UINT32_MAX / 2);
    uint32_t n = who < 32 ? 64 : who * 2;
    struct process *at = chk_resize(p->at, n * sizeof *at);
    if (!at) eyoti_no_memory(n * sizeof *at, "the priorities of %u processes", n);
    p->at = at;
    p->n_at = n;
  }
  struct process *q = &p->at[who];
  if (q->run != p->begun) {
    *q = (struct process){.run = p->begun, .priority = chk_rng_next(&p->rng) | OWN};
    p->n_now++;
  }
  return q;
}

/* The index of the highest priority that does not poll, n if all poll. At equal priorities: the
 * older one. */
static uint32_t highest(struct pct *p, const uint32_t *who, const bool *yields, uint32_t n) {
  uint32_t best = n;
  for (uint32_t i = 0; i < n; i++)
    if (!yields[i] && (best == n || process(p, who[i])->priority > process(p, who[best])->priority))
      best = i;
  return best;
}

/* Of the pollers with a higher priority than the given one, the index of the one that has polled
 * longest ago; n if there is none. */
static uint32_t poller_above(struct pct *p, const uint32_t *who, const bool *yields, uint32_t n,
                             uint64_t priority) {
  uint32_t best = n;
  for (uint32_t i = 0; i < n; i++)
    if (yields[i] && process(p, who[i])->priority > priority &&
        (best == n || process(p, who[i])->last < process(p, who[best])->last))
      best = i;
  return best;
}

/* Makes the changes that are due at this step, to the process that would take it. */
static uint32_t pct_change(struct pct *p, const uint32_t *who, const bool *yields, uint32_t n) {
  uint32_t best = highest(p, who, yields, n);
  if (p->on_end >= PATIENCE && who[best] == p->last_who) {
    process(p, who[best])->priority = CHANGED - ++p->fallen;
    p->on_end = 0;
    best = highest(p, who, yields, n);
  }
  for (uint32_t i = 0; i + 1 < p->depth; i++) {
    if (p->points[i] != p->counted) continue;
    process(p, who[best])->priority = CHANGED + i + 1;
    best = highest(p, who, yields, n);
  }
  return best;
}

static uint32_t preferred(struct pct *p, const uint32_t *who, const bool *yields, uint32_t n) {
  if (n == 1) return 0;
  if (chk_walk_pollers(yields, n) == n) return poller_above(p, who, yields, n, 0);
  p->counted++;
  uint32_t best = pct_change(p, who, yields, n);
  uint32_t poller = poller_above(p, who, yields, n, process(p, who[best])->priority);
  if (poller < n && chk_rng_one_in(&p->rng, CHK_POLL_ONE_IN)) best = poller;
  p->on_end = p->on_end > 0 && who[best] == p->last_who ? p->on_end + 1 : 1;
  p->last_who = who[best];
  return best;
}

static uint32_t pct_pick(struct chk_strategy *s, const uint32_t *who, const bool *yields,
                         uint32_t n) {
  struct pct *p = (struct pct *)s;
  /* draws priorities in the order of appearance */
  for (uint32_t i = 0; i < n; i++) process(p, who[i]);
  uint32_t best = preferred(p, who, yields, n);
  process(p, who[best])->last = ++p->steps;
  return best;
}

static uint32_t pct_draw(struct chk_strategy *s, uint32_t bound) {
  return chk_rng_draw(&((struct pct *)s)->rng, bound);
}

static void pct_end(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices) {
  struct pct *p = (struct pct *)s;
  (void)choices;
  p->failed += how == CHK_FAILED;
  p->bounded += how == CHK_BOUND;
  p->all_fallen += p->fallen;
  if (how == CHK_BOUND) return; /* its length does not predict the others' */
  p->lengths[p->n_lengths++ % KEPT] = p->counted;
  if (p->counted > p->most_counted) p->most_counted = p->counted;
  if (p->n_now > p->most_processes) p->most_processes = p->n_now;
}

static void pct_report(const struct chk_strategy *s, FILE *out) {
  const struct pct *p = (const struct pct *)s;
  fprintf(out,
          "pct: %" PRIu64 " runs of depth %u from seed %" PRIu64 ", %" PRIu64 " failed, %" PRIu64
          " reached the bound of steps; ",
          p->begun, p->depth, p->seed, p->failed, p->bounded);
  fprintf(out, "%" PRIu64 " priorities lowered for lack of patience\n", p->all_fallen);
  if (p->n_lengths == 0) return;
  double n = p->most_processes > 0 ? p->most_processes : 1,
         k = p->most_counted > 0 ? (double)p->most_counted : 1;
  double bound = 1 / (n * pow(k, p->depth - 1.0));
  double need = bound < 1 ? ceil(log(1 - CERTAINTY) / log1p(-bound)) : 1;
  fprintf(out,
          "pct: at most n = %.0f processes and k = %.0f steps with a choice: a bug in the order of "
          "steps of depth %u shows in a run with "
          "probability",
          n, k, p->depth);
  fprintf(out,
          " 1/(n k^%u) = %.3g or more; %.0f runs show it with %.0f %% certainty, these %" PRIu64
          " with %.3g %% or more\n",
          p->depth - 1, bound, need, 100 * CERTAINTY, p->begun,
          bound < 1 ? -100 * expm1((double)p->begun * log1p(-bound)) : 100.0);
}

static void pct_destroy(struct chk_strategy *s) {
  struct pct *p = (struct pct *)s;
  chk_free(p->points);
  chk_free(p->at);
  chk_free(p);
}

struct chk_strategy *chk_pct_new(const struct chk_options *o) {
  static const struct chk_strategy_ops ops = {.name = "pct",
                                              .begin = pct_begin,
                                              .pick = pct_pick,
                                              .draw = pct_draw,
                                              .did = chk_ignore_did,
                                              .saw = chk_ignore_saw,
                                              .end = pct_end,
                                              .report = pct_report,
                                              .destroy = pct_destroy};
  struct pct *p = chk_alloc(sizeof *p);
  if (!p) return NULL;
  p->base.ops = &ops;
  p->seed = o->seed;
  p->runs = o->runs;
  p->depth = o->pct_depth > 0 ? o->pct_depth : 1;
  if (p->depth > 1 && !(p->points = chk_alloc((p->depth - 1) * sizeof *p->points))) {
    chk_free(p);
    return NULL;
  }
  return &p->base;
}
