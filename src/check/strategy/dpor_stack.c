/* SPDX-License-Identifier: BSD-3-Clause */
/* dpor_stack.c - the stack of the exhaustive search (dpor.h): states, their offers, and what
 * remains to be explored from each.
 *
 * The search is stateless (Godefroid: Model checking for programming languages using VeriSoft, POPL
 * 1997): it stores no state of the program, only the choices that lead to it, and returns to a
 * state by making them again. */
#include <inttypes.h>

#include "base/check.h"
#include "check/snapshot/mem.h"
#include "check/strategy/dpor.h"

#define POOL_FIRST 64u

void *chk_dpor_array_add(struct chk_dpor_array *p, uint32_t n, size_t size) {
  if (p->cap - p->n < n) {
    uint64_t cap = p->cap == 0 ? POOL_FIRST : p->cap;
    while (cap < (uint64_t)p->n + n) cap *= 2;
    void *at = cap <= UINT32_MAX ? chk_resize(p->at, (size_t)cap * size) : NULL;
    if (at == NULL)
      eyoti_no_memory(cap * size, "%" PRIu64 " entries of the exhaustive search; lower --max-run",
                      cap);
    p->at = at;
    p->cap = (uint32_t)cap;
  }
  char *added = (char *)p->at + (size_t)p->n * size;
  p->n += n;
  return added;
}

static struct chk_choice *draw_at(const struct chk_dpor *d, uint32_t i) {
  return (struct chk_choice *)d->draws.at + i;
}

/* For the node that was pushed last. */
static bool is_held(const struct chk_dpor *d, uint32_t who) {
  const struct chk_dpor_process *process = chk_dpor_process(d, who);
  return process->held == CHK_DPOR_UNTIL_WRITTEN ||
         (process->held == CHK_DPOR_UNTIL_OTHERS && process->last == d->nodes.n - 1);
}

struct chk_dpor_node *chk_dpor_push(struct chk_dpor *d, const uint32_t *who, const bool *yields,
                                    uint32_t n) {
  struct chk_dpor_node *node = chk_dpor_array_add(&d->nodes, 1, sizeof *node);
  for (uint32_t i = 0; i < n; i++) chk_dpor_meet(d, who[i]);
  *node = (struct chk_dpor_node){.offers = d->offers.n,
                                 .n_offers = n,
                                 .chosen = CHK_DPOR_NONE,
                                 .draws = d->draws.n,
                                 .n_processes = d->n_processes,
                                 .summaries = d->summaries.n};
  struct chk_dpor_offer *offers = chk_dpor_array_add(&d->offers, n, sizeof *offers);
  bool all_held = true;
  for (uint32_t i = 0; i < n; i++) {
    bool held = yields[i] && is_held(d, who[i]);
    offers[i] = (struct chk_dpor_offer){
        .who = who[i], .flags = (yields[i] ? CHK_DPOR_YIELDS : 0u) | (held ? CHK_DPOR_HELD : 0u)};
    all_held = all_held && held;
  }
  /* Only polls are left: they may wait for time, which passes by polling. */
  for (uint32_t i = 0; i < n && all_held; i++) offers[i].flags &= ~(uint32_t)CHK_DPOR_HELD;
  for (uint32_t i = 0; i < n; i++) d->counts.held += (offers[i].flags & CHK_DPOR_HELD) != 0;
  return node;
}

uint32_t chk_dpor_find(const struct chk_dpor *d, const struct chk_dpor_node *node, uint32_t who) {
  for (uint32_t i = 0; i < node->n_offers; i++)
    if (chk_dpor_offer(d, node->offers + i)->who == who) return i;
  return CHK_DPOR_NONE;
}

uint32_t chk_dpor_replay(struct chk_dpor *d, const uint32_t *who, const bool *yields, uint32_t n) {
  const struct chk_dpor_node *node = chk_dpor_node(d, d->at);
  bool same = n == node->n_offers;
  for (uint32_t i = 0; same && i < n; i++) {
    const struct chk_dpor_offer *offer = chk_dpor_offer(d, node->offers + i);
    same = offer->who == who[i] && ((offer->flags & CHK_DPOR_YIELDS) != 0) == yields[i];
  }
  if (!same)
    eyoti_mistake(
        NULL,
        "the program under test is not deterministic: step %u offers others (%u processes) than "
        "the same choices offered before (%u). Does it use time, addresses or randomness of "
        "its own?",
        d->at, n, node->n_offers);
  EYOTI_ASSERT(node->chosen != CHK_DPOR_NONE);
  return node->chosen;
}

bool chk_dpor_choose(struct chk_dpor *d, struct chk_dpor_node *node) {
  for (uint32_t i = 0; i < node->n_offers; i++) {
    uint32_t flags = chk_dpor_offer(d, node->offers + i)->flags;
    if ((flags & CHK_DPOR_WANTED) == 0 ||
        (flags & (CHK_DPOR_EXPLORED | CHK_DPOR_ASLEEP | CHK_DPOR_HELD)) != 0)
      continue;
    node->chosen = i;
    node->who = chk_dpor_offer(d, node->offers + i)->who;
    return true;
  }
  node->chosen = CHK_DPOR_NONE;
  return false;
}

/* Sets the step's draws to the next values, in the order of an odometer. Draws after the one that
 * changes are dropped, since they may not be asked again. */
static bool next_draws(struct chk_dpor *d, struct chk_dpor_node *node) {
  for (; node->n_draws > 0; node->n_draws--) {
    struct chk_choice *last = draw_at(d, node->draws + node->n_draws - 1);
    if (last->value + 1 < last->bound) {
      last->value++;
      d->draws.n = node->draws + node->n_draws;
      return true;
    }
  }
  d->draws.n = node->draws;
  return false;
}

/* The end of the run cut the step off: its accesses are unknown, so every other process is tried in
 * its place. */
static void give_up_summary(struct chk_dpor *d, const struct chk_dpor_node *node) {
  for (uint32_t i = 0; i < node->n_offers; i++)
    chk_dpor_offer(d, node->offers + i)->flags |= CHK_DPOR_WANTED;
  chk_dpor_offer(d, node->offers + node->chosen)->flags |= CHK_DPOR_UNKNOWN;
}

/* Makes the node's next choice; false: it has none left. */
static bool next_choice(struct chk_dpor *d, struct chk_dpor_node *node) {
  if (node->chosen == CHK_DPOR_NONE) return false;
  if (d->reduce) {
    if (node->stepped)
      chk_dpor_summarize(d, node);
    else
      give_up_summary(d, node);
  }
  if (node->stepped) chk_dpor_unrecord(d, node);
  if (next_draws(d, node)) return true;
  struct chk_dpor_offer *offer = chk_dpor_offer(d, node->offers + node->chosen);
  offer->flags |= CHK_DPOR_EXPLORED;
  if (d->reduce && (offer->flags & CHK_DPOR_UNKNOWN) == 0) offer->flags |= CHK_DPOR_ASLEEP;
  return chk_dpor_choose(d, node);
}

void chk_dpor_advance(struct chk_dpor *d) {
  while (d->nodes.n > 0) {
    struct chk_dpor_node *node = chk_dpor_node(d, d->nodes.n - 1);
    if (next_choice(d, node)) return;
    d->offers.n = node->offers;
    d->draws.n = node->draws;
    d->summaries.n = node->summaries;
    d->nodes.n--;
  }
}
