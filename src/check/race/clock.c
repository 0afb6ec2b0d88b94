/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - vector clocks as trees that share equal parts (clock.h): raise, join, and the
 * collection of nodes that no clock uses. */
#include "check/race/clock.h"

#include <string.h>

#include "base/check.h"

#define LEAF_BYTES (offsetof(struct chk_node, u) + sizeof(uint32_t) * CHK_LEAF)
#define INNER_BYTES (offsetof(struct chk_node, u) + sizeof(struct chk_child) * CHK_FAN)
#define MARK (UINT64_C(1) << 63)
#define COLLECT_MIN 4096u /* nodes */

void chk_clocks_init(struct chk_clocks *cs, uint32_t n) {
  EYOTI_ASSERT(n >= 1);
  *cs = (struct chk_clocks){.n = n, .token = CHK_NO_TOKEN};
  while (cs->depth < 9 && (n - 1) >> (CHK_LEAF_BITS + CHK_FAN_BITS * cs->depth) != 0) cs->depth++;
  chk_pool_init(&cs->leaves, LEAF_BYTES);
  chk_pool_init(&cs->inner, INNER_BYTES);
}

void chk_clocks_fini(struct chk_clocks *cs) {
  chk_pool_fini(&cs->leaves);
  chk_pool_fini(&cs->inner);
}

void chk_clocks_clear(struct chk_clocks *cs) {
  chk_pool_clear(&cs->leaves);
  chk_pool_clear(&cs->inner);
  cs->made = cs->alive = 0;
}

/* The number of entries or children that a node whose first entry is `base` has of the n
 * entries. */
static uint32_t used(const struct chk_clocks *cs, uint32_t depth, uint32_t base) {
  uint32_t bits = depth == 0 ? 0 : CHK_LEAF_BITS + CHK_FAN_BITS * (depth - 1),
           all = depth == 0 ? CHK_LEAF : CHK_FAN;
  uint32_t have = (cs->n - base - 1) >> bits;
  return have < all ? have + 1 : all;
}

/* A node with the contents of c (NULL: all 0) that may be changed under `token`. */
static struct chk_node *own(struct chk_clocks *cs, struct chk_node *c, uint32_t depth,
                            uint64_t token) {
  if (c != NULL && token != CHK_NO_TOKEN && c->made_by == token) return c;
  struct chk_node *k = chk_pool_get(depth == 0 ? &cs->leaves : &cs->inner);
  size_t bytes = depth == 0 ? LEAF_BYTES : INNER_BYTES;
  if (c == NULL) {
    memset(k, 0, bytes);
  } else {
    memcpy(k, c, bytes);
  }
  k->made_by = token;
  cs->made++;
  return k;
}

static struct chk_child child_of(struct chk_node *c) {
  return (struct chk_child){.node = c, .lo = c->lo, .hi = c->hi};
}

static void bounds(const struct chk_clocks *cs, struct chk_node *c, uint32_t depth, uint32_t base) {
  uint32_t n = used(cs, depth, base), lo = UINT32_MAX, hi = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t l = depth == 0 ? c->u.at[i] : c->u.child[i].lo,
             h = depth == 0 ? c->u.at[i] : c->u.child[i].hi;
    lo = l < lo ? l : lo;
    hi = h > hi ? h : hi;
  }
  c->lo = lo;
  c->hi = hi;
}

/* -- changes ----------------------------------------------------------------------------------- */

struct change {
  struct chk_clocks *cs;
  uint64_t token;
  uint32_t i, value; /* the argument of raise: its entry and value */
};

static struct chk_node *raise_at(const struct change *x, struct chk_node *c, uint32_t depth,
                                 uint32_t base) {
  c = own(x->cs, c, depth, x->token);
  if (depth == 0) {
    c->u.at[x->i - base] = x->value;
  } else {
    uint32_t bits = CHK_LEAF_BITS + CHK_FAN_BITS * (depth - 1), k = (x->i - base) >> bits;
    c->u.child[k] = child_of(raise_at(x, c->u.child[k].node, depth - 1, base + (k << bits)));
  }
  bounds(x->cs, c, depth, base);
  return c;
}

struct chk_node *chk_clock_raise(struct chk_clocks *cs, struct chk_node *c, uint32_t i,
                                 uint32_t value, uint64_t token) {
  EYOTI_ASSERT(i < cs->n);
  if (chk_clock_get(cs, c, i) >= value) return c;
  return raise_at(&(struct change){.cs = cs, .token = token, .i = i, .value = value}, c, cs->depth,
                  0);
}

static struct chk_node *join_leaf(const struct change *x, struct chk_node *a, struct chk_node *b,
                                  uint32_t base) {
  uint32_t a_less = 0, b_less = 0;
  for (uint32_t i = 0; i < CHK_LEAF; i++) {
    a_less |= a->u.at[i] < b->u.at[i];
    b_less |= b->u.at[i] < a->u.at[i];
  }
  if (a_less == 0) return a;
  if (b_less == 0) return b;
  a = own(x->cs, a, 0, x->token);
  for (uint32_t i = 0; i < CHK_LEAF; i++)
    a->u.at[i] = a->u.at[i] > b->u.at[i] ? a->u.at[i] : b->u.at[i];
  bounds(x->cs, a, 0, base);
  return a;
}

/* Joins b into a. Neither is NULL, and neither is known to contain the other. a contains the node
 * at the same place of `has`, which may be NULL. */
static struct chk_node *join_at(const struct change *x, struct chk_node *a, struct chk_node *b,
                                const struct chk_node *has, uint32_t depth, uint32_t base) {
  if (depth == 0) return join_leaf(x, a, b, base);
  uint32_t bits = CHK_LEAF_BITS + CHK_FAN_BITS * (depth - 1), same = 0,
           n = used(x->cs, depth, base);
  for (uint32_t i = 0; i < n; i++) {
    struct chk_child p = a->u.child[i], q = b->u.child[i];
    const struct chk_node *had = has != NULL ? has->u.child[i].node : NULL;
    if (p.node != q.node && q.hi > p.lo && (q.node == NULL || q.node != had)) {
      /* Entries that are all 0 have no node and a highest entry of 0. */
      struct chk_child j = q;
      if (p.hi > q.lo) j = child_of(join_at(x, p.node, q.node, had, depth - 1, base + (i << bits)));
      if (j.node != p.node) a = own(x->cs, a, depth, x->token);
      /* A child changed in place is the same node with other bounds. Then a was made under this
       * token, too: a node that others can see shares its children with them. */
      if (j.node != p.node || j.hi != p.hi || j.lo != p.lo) a->u.child[i] = j;
      p = j;
    }
    same += p.node == q.node;
  }
  if (same == n) return b;
  if (a->made_by == x->token) bounds(x->cs, a, depth, base);
  return a;
}

struct chk_node *chk_clock_join_since(struct chk_clocks *cs, struct chk_node *c,
                                      struct chk_node *other, struct chk_node *base,
                                      uint64_t token) {
  if (c == other || other == NULL || other == base || (c != NULL && other->hi <= c->lo)) return c;
  if (c == NULL || c->hi <= other->lo) return other;
  return join_at(&(struct change){.cs = cs, .token = token}, c, other, base, cs->depth, 0);
}

struct chk_node *chk_clock_join(struct chk_clocks *cs, struct chk_node *c, struct chk_node *other,
                                uint64_t token) {
  return chk_clock_join_since(cs, c, other, NULL, token);
}

/* -- collecting -------------------------------------------------------------------------------- */

bool chk_clocks_full(const struct chk_clocks *cs) {
  return cs->made > cs->alive + COLLECT_MIN;
}

static void mark_at(struct chk_clocks *cs, struct chk_node *c, uint32_t depth) {
  if ((c->made_by & MARK) != 0) return;
  c->made_by |= MARK;
  cs->marked++;
  for (uint32_t i = 0; depth > 0 && i < CHK_FAN; i++) {
    if (c->u.child[i].node != NULL) mark_at(cs, c->u.child[i].node, depth - 1);
  }
}

void chk_clock_mark(struct chk_clocks *cs, struct chk_node *c) {
  if (c != NULL) mark_at(cs, c, cs->depth);
}

static bool clock_keep(void *object) {
  struct chk_node *c = object;
  bool alive = (c->made_by & MARK) != 0;
  c->made_by &= ~MARK;
  return alive;
}

void chk_clocks_sweep(struct chk_clocks *cs) {
  chk_pool_sweep(&cs->leaves, clock_keep);
  chk_pool_sweep(&cs->inner, clock_keep);
  cs->alive = cs->marked;
  cs->made = cs->marked = 0;
}
