/* SPDX-License-Identifier: BSD-3-Clause */
/* early.c - early knowledge of the race detector: what a signal or an order says about operations
 * that their own unit does not yet know to be complete.
 *
 * Why it exists: a clock can only say "all events of u up to k". A signal says "this put has
 * arrived", whatever became of the ones before it, and an order says "my puts to you before this
 * one"; both are lists of exceptions. The lists are kept short: an item is dropped when the clock
 * that goes with it covers it, that is when the clock knows an event of u at which no put of u was
 * under way, and the item is not newer. If there are still too many, the oldest are given up: the
 * puts that they refer to then count as released at posting, an event that every holder of the item
 * has learned of with it. */
#include <string.h>

#include "base/check.h"
#include "check/race/state.h"

#define KEEP (CHK_EARLY_MAX * 3 / 4) /* items kept when there are too many */

void chk_early_drop(struct chk_race *r, struct chk_early *e) {
  if (e != NULL && --e->refs == 0) chk_pool_put(&r->earlies, e);
}

static int before(const struct chk_early_item *a, const struct chk_early_item *b) {
  if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
  if (a->target != b->target) return a->target < b->target ? -1 : 1;
  if (a->upto != b->upto) return a->upto ? -1 : 1;
  if (a->set != b->set) return a->set < b->set ? -1 : 1;
  return a->number == b->number ? 0 : a->number < b->number ? -1 : 1;
}

struct gather {
  uint32_t n;
  struct chk_early_item item[2 * CHK_EARLY_MAX + 1];
};

/* Adds the next item in order. The bounds of one pair of units and set are neighbors, the last is
 * the highest; single items below one of all sets are covered by it. */
static void early_put(struct gather *g, const struct chk_early_item *i) {
  if (g->n > 0) {
    struct chk_early_item *top = &g->item[g->n - 1];
    if (before(top, i) == 0) return;
    if (top->unit == i->unit && top->target == i->target && top->upto) {
      if (i->upto && i->set == top->set) {
        top->number = i->number;
        return;
      }
      if (!i->upto && top->set == CHK_RACE_SETS && i->number <= top->number) return;
    }
  }
  EYOTI_ASSERT(g->n < sizeof g->item / sizeof g->item[0]);
  g->item[g->n++] = *i;
}

static bool needless(const struct chk_race *r, const struct chk_early_item *i,
                     const struct chk_node *known, uint32_t self) {
  const struct chk_unit *u = &r->units[i->unit];
  return i->number <= u->quiet &&
         (i->unit == self || chk_clock_get(&r->clocks, known, i->unit) >= u->quiet);
}

static void give_up_oldest(struct chk_race *r, struct gather *g) {
  uint32_t worst = 0, age = 0;
  for (uint32_t k = 0; k < g->n; k++) {
    uint32_t a = r->units[g->item[k].unit].events - g->item[k].number;
    if (a >= age) {
      age = a;
      worst = k;
    }
  }
  const struct chk_early_item *i = &g->item[worst];
  uint32_t *mark = i->upto ? &r->units[i->unit].gave_up_order : &r->units[i->unit].gave_up_signal;
  if (i->number > *mark) *mark = i->number;
  g->n--;
  memmove(&g->item[worst], &g->item[worst + 1], sizeof g->item[0] * (g->n - worst));
}

static bool same(const struct gather *g, const struct chk_early *e) {
  if (e == NULL || e->n != g->n) return e == NULL && g->n == 0;
  for (uint32_t k = 0; k < g->n; k++) {
    if (before(&g->item[k], &e->item[k]) != 0) return false;
  }
  return true;
}

static struct chk_early *made(struct chk_race *r, struct gather *g, struct chk_early *a,
                              struct chk_early *b, const struct chk_node *known, uint32_t self) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < g->n; k++) {
    if (!needless(r, &g->item[k], known, self)) g->item[kept++] = g->item[k];
  }
  g->n = kept;
  if (g->n > CHK_EARLY_MAX) {
    while (g->n > KEEP) give_up_oldest(r, g);
  }
  if (same(g, a)) return a;
  chk_early_drop(r, a);
  if (g->n == 0) return NULL;
  if (b != NULL && same(g, b)) return chk_early_share(b);
  struct chk_early *e = chk_pool_get(&r->earlies);
  e->refs = 1;
  e->n = g->n;
  memcpy(e->item, g->item, sizeof g->item[0] * g->n);
  return e;
}

/* b: sorted. */
static void early_merge(struct gather *g, const struct chk_early *a, const struct chk_early_item *b,
                        uint32_t n_b) {
  uint32_t i = 0, k = 0, n_a = a == NULL ? 0 : a->n;
  g->n = 0;
  while (i < n_a || k < n_b) {
    bool from_a = k == n_b || (i < n_a && before(&a->item[i], &b[k]) <= 0);
    early_put(g, from_a ? &a->item[i++] : &b[k++]);
  }
}

struct chk_early *chk_early_join(struct chk_race *r, struct chk_early *a, struct chk_early *b,
                                 const struct chk_node *known, uint32_t self) {
  if (a == b || b == NULL) return a;
  struct gather g;
  early_merge(&g, a, b->item, b->n);
  return made(r, &g, a, b, known, self);
}

struct chk_early *chk_early_add(struct chk_race *r, struct chk_early *a, struct chk_early_item item,
                                const struct chk_node *known) {
  struct gather g;
  early_merge(&g, a, &item, 1);
  return made(r, &g, a, NULL, known, CHK_NOBODY);
}

struct chk_early *chk_early_orders(struct chk_race *r, struct chk_early *to, uint32_t unit,
                                   const struct chk_stamp *s, const struct chk_node *known) {
  struct chk_early_item item = {
      .unit = unit, .target = s->target, .number = s->upto, .upto = true, .set = CHK_RACE_SETS};
  if (s->upto != 0) to = chk_early_add(r, to, item, known);
  item.set = s->set;
  item.number = s->set_upto;
  return s->set_upto != 0 ? chk_early_add(r, to, item, known) : to;
}

bool chk_early_has(const struct chk_early *e, const struct chk_rec *rec) {
  for (uint32_t k = 0; e != NULL && k < e->n; k++) {
    const struct chk_early_item *i = &e->item[k];
    if (i->unit > rec->unit) return false;
    if (i->unit != rec->unit || i->target != rec->target) continue;
    if (i->upto ? rec->number <= i->number && rec->orderable &&
                      (i->set == CHK_RACE_SETS || i->set == rec->set)
                : rec->number == i->number && rec->with_signal)
      return true;
  }
  return false;
}
