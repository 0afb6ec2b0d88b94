/* SPDX-License-Identifier: BSD-3-Clause */
/* exhaustive.c - the strategy `exhaustive` of strategy.h: tries all choices of a program under test
 * depth first, one run at a time.
 *
 * Why it exists: a random walk finds bugs, a search that ends proves that there are none (of the
 * kinds that are looked for, in this program with these arguments). Most interleavings differ from
 * another one only in the order of independent steps. With chk_options.reduce one interleaving of
 * each such class is run (dpor_races.c); without it all are, to check the reduction and for tiny
 * programs. */

/* Duties of an engine, beyond strategy.h, without which the reduction misses interleavings:
 *  1. Whatever a step looks at to find out whether a process can go on, it has read, and reports
 *     so, whatever it finds: the step that comes to a wait and has to wait or passes it, the step
 *     that creates a process which has to wait, the step that goes on from a wait. Else: p is to
 *     wait until w is 1, and q writes first 1, then 2. If q runs first, p waits for ever, and no
 *     access shows that p would have passed the wait if it had come there in between.
 *  2. A process that waits until several words are right at the same time is offered after each
 *     write to one of them, and looks. One that waits for one of several, or for conditions that
 *     stay true once they are, need not be.
 *  3. A process is offered as one that polls only if its last look has found nothing; its first
 *     look is a step like any other.
 *  4. woke has the processes that the step has created, also those that cannot go on yet.
 *  5. What a step does depends on what it reads, nothing else: not on the number of the step, nor
 *     on a time that other processes advance.
 *  6. did is called for the last step of a run too. If a failure cuts a step off, the search goes
 *     on, but is no proof any more: a failing run hides what would have come after. */
#include <inttypes.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/strategy/dpor.h"
#include "check/strategy/strategy.h"

static struct chk_dpor *exhaustive_of(struct chk_strategy *s) {
  return (struct chk_dpor *)s;
}

static bool exhaustive_begin(struct chk_strategy *s) {
  struct chk_dpor *d = exhaustive_of(s);
  if (d->over || (d->max_runs != 0 && d->counts.runs == d->max_runs)) return false;
  d->at = 0;
  d->stepping = false;
  d->counts.runs++;
  return true;
}

/* For a new node. CHK_DPOR_NONE: every offered process sleeps. */
static uint32_t first_choice(struct chk_dpor *d, struct chk_dpor_node *node) {
  if (d->reduce && d->nodes.n > 1) {
    chk_dpor_note_woken(d, node);
    chk_dpor_note_disabled(d, node);
    chk_dpor_inherit_sleep(d, node);
  }
  /* A source set begins with any process that is awake; the races add the others. */
  bool wanted = false;
  for (uint32_t i = 0; i < node->n_offers && !(d->reduce && wanted); i++) {
    struct chk_dpor_offer *offer = chk_dpor_offer(d, node->offers + i);
    if ((offer->flags & (CHK_DPOR_ASLEEP | CHK_DPOR_HELD)) != 0) continue;
    offer->flags |= CHK_DPOR_WANTED;
    wanted = true;
  }
  chk_dpor_choose(d, node);
  return node->chosen;
}

static uint32_t exhaustive_pick(struct chk_strategy *s, const uint32_t *who, const bool *yields,
                                uint32_t n) {
  struct chk_dpor *d = exhaustive_of(s);
  EYOTI_ASSERT(n > 0 && !d->stepping);
  uint32_t chosen;
  if (d->at < d->nodes.n) {
    chosen = chk_dpor_replay(d, who, yields, n);
  } else {
    chosen = first_choice(d, chk_dpor_push(d, who, yields, n));
    if (chosen == CHK_DPOR_NONE) return CHK_STOP;
  }
  d->stepping = true;
  d->draw = 0;
  return chosen;
}

static uint32_t exhaustive_draw(struct chk_strategy *s, uint32_t bound) {
  struct chk_dpor *d = exhaustive_of(s);
  EYOTI_ASSERT(d->stepping && bound >= 2);
  struct chk_dpor_node *node = chk_dpor_node(d, d->at);
  if (d->draw == node->n_draws) {
    EYOTI_ASSERT(d->at == d->nodes.n - 1 && !node->stepped);
    struct chk_choice *added = chk_dpor_array_add(&d->draws, 1, sizeof *added);
    *added = (struct chk_choice){0, bound};
    node->n_draws++;
  }
  const struct chk_choice *choice =
      (const struct chk_choice *)d->draws.at + node->draws + d->draw++;
  if (choice->bound != bound)
    eyoti_mistake(
        NULL,
        "the program under test is not deterministic: draw %u of step %u has the bound %u, and had "
        "%u after the same choices",
        d->draw - 1, d->at, bound, choice->bound);
  return choice->value;
}

/* The step of a replayed prefix is recognized by this digest: FNV-1a over words instead of
 * bytes. */
static uint64_t digest_of(const struct chk_step *step, uint32_t draws) {
  uint64_t h = 0xcbf29ce484222325u;
  const uint64_t prime = 0x100000001b3u;
  h = (h ^ step->who) * prime;
  h = (h ^ draws) * prime;
  for (uint32_t i = 0; i < step->n_accesses; i++)
    h = (h ^ (step->accesses[i].word * 2 + step->accesses[i].write)) * prime;
  for (uint32_t i = 0; i < step->n_woke; i++) h = (h ^ step->woke[i]) * prime;
  return h;
}

static void exhaustive_did(struct chk_strategy *s, const struct chk_step *step) {
  struct chk_dpor *d = exhaustive_of(s);
  struct chk_dpor_node *node = chk_dpor_node(d, d->at);
  EYOTI_ASSERT(d->stepping && step->who == node->who);
  uint64_t digest = digest_of(step, d->draw);
  if (node->stepped) {
    if (digest != node->digest || d->draw != node->n_draws)
      eyoti_mistake(
          NULL,
          "the program under test is not deterministic: step %u, of process %u, does not do what "
          "it did after the same choices. Does it use time, addresses or randomness of its own?",
          d->at, step->who);
  } else {
    chk_dpor_record(d, step, digest);
    if (d->reduce) chk_dpor_reverse(d);
  }
  d->stepping = false;
  d->at++;
  d->counts.steps++;
  if (d->at > d->counts.depth) d->counts.depth = d->at;
}

static void exhaustive_saw(struct chk_strategy *s, uint64_t feature) {
  (void)s;
  (void)feature;
}

static void exhaustive_end(struct chk_strategy *s, enum chk_end how,
                           const struct chk_stream *choices) {
  (void)choices;
  struct chk_dpor *d = exhaustive_of(s);
  d->counts.passed += how == CHK_PASSED;
  d->counts.failed += how == CHK_FAILED;
  d->counts.bounded += how == CHK_BOUND;
  d->counts.pruned += how == CHK_PRUNED;
  if (how != CHK_BOUND && d->at + (d->stepping ? 1 : 0) < d->nodes.n &&
      chk_dpor_node(d, d->at)->chosen != CHK_DPOR_NONE)
    eyoti_mistake(
        NULL,
        "the program under test is not deterministic: a run ends after %u steps, and went on after "
        "the same choices",
        d->at);
  /* A run that ends at a state without offers has disabled the processes that the state before
   * offered. */
  if (d->reduce && (how == CHK_PASSED || how == CHK_FAILED) && d->nodes.n > 0 &&
      chk_dpor_node(d, d->nodes.n - 1)->stepped)
    chk_dpor_note_disabled(d, NULL);
  chk_dpor_advance(d);
  d->over = d->nodes.n == 0;
}

static void exhaustive_report(const struct chk_strategy *s, FILE *out) {
  const struct chk_dpor *d = (const struct chk_dpor *)s;
  const struct chk_dpor_counts *c = &d->counts;
  uint64_t whole = c->passed + c->failed;
  bool complete = d->over && c->bounded == 0 && c->failed == 0;
  if (complete)
    fprintf(out, "exhaustive: all %" PRIu64 " interleavings explored", whole);
  else
    fprintf(out, "exhaustive: incomplete: %" PRIu64 " interleavings explored", whole);
  fprintf(out,
          "%s, %" PRIu64 " pruned by sleep sets; %" PRIu64 " steps executed, at most %u in a run\n",
          d->reduce ? ", one of each class of equivalent ones" : "", c->pruned, c->steps, c->depth);
  if (!d->over)
    fprintf(out, "exhaustive: stopped after %" PRIu64 " runs with more to explore\n", c->runs);
  if (c->bounded > 0)
    fprintf(out,
            "exhaustive: %" PRIu64
            " runs were cut off at the bound of steps: what follows is not explored\n",
            c->bounded);
  if (c->failed > 0)
    fprintf(out,
            "exhaustive: %" PRIu64
            " runs failed: what would have followed their failures is not explored\n",
            c->failed);
  if (c->held > 0)
    fprintf(out,
            "exhaustive: fairness: %" PRIu64
            " times a polling process was held back until the word that it reads had changed\n",
            c->held);
}

static void exhaustive_destroy(struct chk_strategy *s) {
  struct chk_dpor *d = exhaustive_of(s);
  struct chk_dpor_array *pools[] = {&d->nodes,     &d->offers, &d->draws,      &d->summaries,
                                    &d->accesses,  &d->clocks, &d->undo,       &d->words,
                                    &d->processes, &d->hash,   &d->candidates, &d->races};
  for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) chk_free(pools[i]->at);
  chk_free(d);
}

struct chk_strategy *chk_exhaustive_new(const struct chk_options *o) {
  static const struct chk_strategy_ops ops = {.name = "exhaustive",
                                              .wants_steps = true,
                                              .begin = exhaustive_begin,
                                              .pick = exhaustive_pick,
                                              .draw = exhaustive_draw,
                                              .did = exhaustive_did,
                                              .saw = exhaustive_saw,
                                              .end = exhaustive_end,
                                              .report = exhaustive_report,
                                              .destroy = exhaustive_destroy};
  struct chk_dpor *d = chk_alloc(sizeof *d);
  if (d == NULL) return NULL;
  d->base.ops = &ops;
  d->reduce = o->reduce;
  d->max_runs = o->runs;
  if (o->processes > 0) chk_dpor_meet(d, o->processes - 1);
  return &d->base;
}
