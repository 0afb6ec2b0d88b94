/* SPDX-License-Identifier: BSD-3-Clause */
/* dpor_races.c - selects the choices that the exhaustive search (dpor.h) must try, and those that
 * it need not: dynamic partial-order reduction with source sets, and sleep sets.
 *
 * Sources: Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014,
 * algorithm 1 (source-DPOR); Flanagan, Godefroid: Dynamic partial-order reduction for model
 * checking software, POPL 2005 (backtrack sets); Godefroid: Partial-order methods for the
 * verification of concurrent systems, LNCS 1032, 1996 (sleep sets). */

/* Only those orders of a run's steps differ that order two dependent steps differently. After each
 * step, the steps that it races with are known (dpor_clocks.c). For each such pair e, f the state
 * before e gets a process to explore there by which f can come before e. What is explored twice
 * nevertheless is cut off by sleep sets: once a process has been explored at a state, it sleeps in
 * all that is explored there afterwards, until a step that depends on its own wakes it.
 *
 * Beyond the paper: a step may disable another process (a waiter whose word changes back, a
 * poller). The two are in a race although the second one is never seen after the first, so the
 * processes that a step disables are found by comparing the offers before and after it. And a step
 * draws: it is explored with all values, and is independent of another step only if it is so with
 * all of them. */
#include "base/check.h"
#include "check/strategy/dpor.h"

static bool can_run(const struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who) {
  uint32_t i = chk_dpor_find(d, node, who);
  return i != CHK_DPOR_NONE && (chk_dpor_offer(d, node->offers + i)->flags & CHK_DPOR_HELD) == 0;
}

/* True if the process was or will be explored at the node, or need not be. */
static bool is_covered(const struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who) {
  uint32_t i = chk_dpor_find(d, node, who);
  return i != CHK_DPOR_NONE && (chk_dpor_offer(d, node->offers + i)->flags &
                                (CHK_DPOR_WANTED | CHK_DPOR_EXPLORED | CHK_DPOR_ASLEEP)) != 0;
}

static void want(struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who) {
  uint32_t i = chk_dpor_find(d, node, who);
  EYOTI_ASSERT(i != CHK_DPOR_NONE);
  chk_dpor_offer(d, node->offers + i)->flags |= CHK_DPOR_WANTED;
}

/* True if one of the d->candidates, all of them before step k, happened before it. */
static bool one_before(const struct chk_dpor *d, uint32_t k) {
  const uint32_t *at = d->candidates.at;
  for (uint32_t m = 0; m < d->candidates.n; m++)
    if (chk_dpor_before(d, at[m], k)) return true;
  return false;
}

/* The steps between the two of a race (e, f) that do not happen after e, followed by f, could run
 * from the state before e: "v" of the paper. Sets d->candidates to the steps of v that could be the
 * first of all: those that happen after none of the others, f too if it is one. */
static void find_initials(struct chk_dpor *d, uint32_t e, uint32_t f) {
  d->candidates.n = 0;
  for (uint32_t k = e + 1; k <= f; k++) {
    if ((k < f && chk_dpor_before(d, e, k)) || one_before(d, k)) continue;
    uint32_t *added = chk_dpor_array_add(&d->candidates, 1, sizeof *added);
    *added = k;
  }
}

/* Step e enabled the process of f. True if a step between them could have done so without e: it did
 * not happen after e, and it wrote what the process waited for, that is, what the process read in
 * its step before f, or its creator for it. */
static bool others_woke(const struct chk_dpor *d, uint32_t e, uint32_t f) {
  const struct chk_dpor_node *last = chk_dpor_node(d, f);
  /* it waits from the beginning, and no step has reported for what */
  if (last->before == 0 && last->creator == 0) return true;
  const struct chk_dpor_node *waiting =
      chk_dpor_node(d, (last->before != 0 ? last->before : last->creator) - 1);
  for (uint32_t k = e + 1; k < f; k++) {
    if (chk_dpor_before(d, e, k)) continue;
    const struct chk_dpor_node *node = chk_dpor_node(d, k);
    for (uint32_t a = 0; a < node->n_accesses; a++) {
      const struct chk_dpor_access *access = chk_dpor_access(d, node->accesses + a);
      for (uint32_t b = 0; access->write && b < waiting->n_accesses; b++)
        if (chk_dpor_access(d, waiting->accesses + b)->word == access->word) return true;
    }
  }
  return false;
}

static void reverse(struct chk_dpor *d, uint32_t e, uint32_t f) {
  const struct chk_dpor_node *node = chk_dpor_node(d, e), *last = chk_dpor_node(d, f);
  if (last->before == 0 && last->creator == e + 1) return;
  find_initials(d, e, f);
  const uint32_t *initials = d->candidates.at;
  uint32_t n = d->candidates.n;
  bool alone = initials[n - 1] == f;
  /* f is possible only after e */
  if (last->waker == e + 1 && (alone || !others_woke(d, e, f))) return;
  d->counts.races++;
  uint32_t chosen = CHK_DPOR_NONE;
  for (uint32_t i = n; i-- > 0;) {
    uint32_t who = chk_dpor_node(d, initials[i])->who;
    if (is_covered(d, node, who)) return;
    if (can_run(d, node, who)) chosen = who;
  }
  if (chosen != CHK_DPOR_NONE) {
    want(d, node, chosen);
    return;
  }
  /* All of them can run there, unless steps that count as independent are not quite: polls that
   * were enabled because nothing else was left. */
  for (uint32_t i = 0; i < node->n_offers; i++)
    chk_dpor_offer(d, node->offers + i)->flags |= CHK_DPOR_WANTED;
}

void chk_dpor_reverse(struct chk_dpor *d) {
  for (uint32_t i = 0; i < d->races.n; i++)
    reverse(d, ((const uint32_t *)d->races.at)[i], d->nodes.n - 1);
}

void chk_dpor_note_disabled(struct chk_dpor *d, const struct chk_dpor_node *node) {
  const struct chk_dpor_node *before = chk_dpor_node(d, d->nodes.n - (node == NULL ? 1 : 2));
  for (uint32_t i = 0; node != NULL && i < node->n_offers; i++)
    chk_dpor_process(d, chk_dpor_offer(d, node->offers + i)->who)->slot = i;
  for (uint32_t i = 0; i < before->n_offers; i++) {
    struct chk_dpor_offer *offer = chk_dpor_offer(d, before->offers + i);
    if (i == before->chosen || (offer->flags & (CHK_DPOR_WANTED | CHK_DPOR_ASLEEP)) != 0) continue;
    uint32_t slot = chk_dpor_process(d, offer->who)->slot;
    if (node == NULL || slot >= node->n_offers ||
        chk_dpor_offer(d, node->offers + slot)->who != offer->who)
      offer->flags |= CHK_DPOR_WANTED;
  }
}

/* True if the last step but one of the stack's nodes, by `who`, depends on the step of the
 * summary. */
static bool depends(const struct chk_dpor *d, uint32_t step, uint32_t who,
                    const struct chk_dpor_offer *sleeper) {
  const struct chk_dpor_touch *at =
      (const struct chk_dpor_touch *)d->summaries.at + sleeper->summary;
  for (uint32_t i = 0; i < sleeper->n_summary; i++) {
    if (at[i].kind == CHK_DPOR_WAKE) {
      if (at[i].what == who) return true;
      continue;
    }
    const struct chk_dpor_word *word = chk_dpor_word(d, at[i].what);
    if (word->write == step + 1) return true;
    if (at[i].kind == CHK_DPOR_WRITE && word->reads != 0 &&
        chk_dpor_access(d, word->reads - 1)->step == step)
      return true;
  }
  return false;
}

void chk_dpor_inherit_sleep(struct chk_dpor *d, struct chk_dpor_node *node) {
  uint32_t step = d->nodes.n - 2;
  const struct chk_dpor_node *before = chk_dpor_node(d, step);
  for (uint32_t i = 0; i < before->n_offers; i++) {
    const struct chk_dpor_offer *sleeper = chk_dpor_offer(d, before->offers + i);
    if ((sleeper->flags & CHK_DPOR_ASLEEP) == 0) continue;
    uint32_t slot = chk_dpor_find(d, node, sleeper->who);
    if (slot == CHK_DPOR_NONE || depends(d, step, before->who, sleeper)) continue;
    struct chk_dpor_offer *offer = chk_dpor_offer(d, node->offers + slot);
    offer->flags |= CHK_DPOR_ASLEEP;
    offer->summary = sleeper->summary;
    offer->n_summary = sleeper->n_summary;
  }
}

static void summarize_one(struct chk_dpor *d, struct chk_dpor_offer *offer, uint32_t what,
                          uint32_t kind) {
  struct chk_dpor_touch *at = (struct chk_dpor_touch *)d->summaries.at + offer->summary;
  for (uint32_t i = 0; i < offer->n_summary; i++) {
    if (at[i].what != what || (at[i].kind == CHK_DPOR_WAKE) != (kind == CHK_DPOR_WAKE)) continue;
    if (kind == CHK_DPOR_WRITE) at[i].kind = kind;
    return;
  }
  struct chk_dpor_touch *added = chk_dpor_array_add(&d->summaries, 1, sizeof *added);
  *added = (struct chk_dpor_touch){what, kind};
  offer->n_summary++;
}

void chk_dpor_summarize(struct chk_dpor *d, const struct chk_dpor_node *node) {
  struct chk_dpor_offer *offer = chk_dpor_offer(d, node->offers + node->chosen);
  if (offer->n_summary == 0) offer->summary = d->summaries.n;
  for (uint32_t i = 0; i < node->n_accesses; i++) {
    const struct chk_dpor_access *access = chk_dpor_access(d, node->accesses + i);
    summarize_one(d, offer, access->word, access->write ? CHK_DPOR_WRITE : CHK_DPOR_READ);
  }
  /* Only the woken processes that existed before: a number that it gave to a new process may belong
   * to another one when it sleeps. */
  for (uint32_t i = node->undo; i < d->undo.n; i++) {
    uint32_t who = ((const struct chk_dpor_undo *)d->undo.at)[i].who;
    if (who != node->who && who < node->n_processes) summarize_one(d, offer, who, CHK_DPOR_WAKE);
  }
}
