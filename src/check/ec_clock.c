/* ec_clock.c - vector clocks as trees that share equal parts. SPDX-License-Identifier: BSD-3-Clause */
#include "ec_clock.h"

#include <string.h>

#include "base/check.h"

_Static_assert(sizeof(struct ec_node) == 16 + sizeof(uint32_t) * EC_LEAF || sizeof(struct ec_node) == 16 + sizeof(void *) * EC_FAN,
               "a node is one array behind its header");

void ec_clocks_init(struct ec_clocks *cs, uint32_t n) {
  EYOTI_ASSERT(n >= 1);
  *cs = (struct ec_clocks){.n = n};
  while (cs->depth < 9 && (n - 1) >> (EC_LEAF_BITS + EC_FAN_BITS * cs->depth) != 0) cs->depth++;
  ec_pool_init(&cs->nodes, sizeof(struct ec_node));
}

void ec_clocks_fini(struct ec_clocks *cs) {
  ec_pool_fini(&cs->nodes);
}
void ec_clocks_clear(struct ec_clocks *cs) {
  ec_pool_clear(&cs->nodes);
}

/* c, at `depth` above the leaves, has no reference left. */
void ec_clock_free(struct ec_clocks *cs, struct ec_node *c, uint32_t depth) {
  if (depth > 0) {
    for (uint32_t i = 0; i < EC_FAN; i++) {
      struct ec_node *k = c->u.child[i];
      if (k != NULL && --k->refs == 0) ec_clock_free(cs, k, depth - 1);
    }
  }
  ec_pool_put(&cs->nodes, c);
}

static void drop_at(struct ec_clocks *cs, struct ec_node *c, uint32_t depth) {
  if (c != NULL && --c->refs == 0) ec_clock_free(cs, c, depth);
}

static uint32_t low(const struct ec_node *c) {
  return c == NULL ? 0 : c->lo;
}
static uint32_t high(const struct ec_node *c) {
  return c == NULL ? 0 : c->hi;
}

/* How many of the entries or children of a node whose first entry is `base` stand for one of the n entries. */
static uint32_t used(const struct ec_clocks *cs, uint32_t depth, uint32_t base) {
  uint32_t bits = depth == 0 ? 0 : EC_LEAF_BITS + EC_FAN_BITS * (depth - 1), all = depth == 0 ? EC_LEAF : EC_FAN;
  uint32_t have = (cs->n - base - 1) >> bits;
  return have < all ? have + 1 : all;
}

/* Takes a reference to c (or NULL), returns one to a node with its contents that nobody else refers to. */
static struct ec_node *own(struct ec_clocks *cs, struct ec_node *c, uint32_t depth) {
  if (c != NULL && c->refs == 1) return c;
  struct ec_node *k = ec_pool_get(&cs->nodes);
  if (c == NULL) {
    memset(k, 0, sizeof *k);
  } else {
    *k = *c;
    c->refs--;
    if (depth > 0) {
      for (uint32_t i = 0; i < EC_FAN; i++) ec_clock_share(k->u.child[i]);
    }
  }
  k->refs = 1;
  return k;
}

static void bounds(const struct ec_clocks *cs, struct ec_node *c, uint32_t depth, uint32_t base) {
  uint32_t n = used(cs, depth, base), lo = UINT32_MAX, hi = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t l = depth == 0 ? c->u.at[i] : low(c->u.child[i]), h = depth == 0 ? c->u.at[i] : high(c->u.child[i]);
    lo = l < lo ? l : lo;
    hi = h > hi ? h : hi;
  }
  c->lo = lo;
  c->hi = hi;
}

static struct ec_node *raise_at(struct ec_clocks *cs, struct ec_node *c, uint32_t depth, uint32_t base, uint32_t i, uint32_t value) {
  c = own(cs, c, depth);
  if (depth == 0) {
    c->u.at[i - base] = value;
  } else {
    uint32_t bits = EC_LEAF_BITS + EC_FAN_BITS * (depth - 1), k = (i - base) >> bits;
    c->u.child[k] = raise_at(cs, c->u.child[k], depth - 1, base + (k << bits), i, value);
  }
  bounds(cs, c, depth, base);
  return c;
}

struct ec_node *ec_clock_raise(struct ec_clocks *cs, struct ec_node *c, uint32_t i, uint32_t value) {
  EYOTI_ASSERT(i < cs->n);
  return ec_clock_get(cs, c, i) >= value ? c : raise_at(cs, c, cs->depth, 0, i, value);
}

static struct ec_node *join_at(struct ec_clocks *cs, struct ec_node *a, struct ec_node *b, uint32_t depth, uint32_t base);

static struct ec_node *join_leaf(struct ec_clocks *cs, struct ec_node *a, struct ec_node *b, uint32_t base) {
  uint32_t a_less = 0, b_less = 0;
  for (uint32_t i = 0; i < EC_LEAF; i++) {
    a_less |= a->u.at[i] < b->u.at[i];
    b_less |= b->u.at[i] < a->u.at[i];
  }
  if (a_less == 0) return a;
  if (b_less == 0) {
    drop_at(cs, a, 0);
    return ec_clock_share(b);
  }
  a = own(cs, a, 0);
  for (uint32_t i = 0; i < EC_LEAF; i++) a->u.at[i] = a->u.at[i] > b->u.at[i] ? a->u.at[i] : b->u.at[i];
  bounds(cs, a, 0, base);
  return a;
}

static struct ec_node *join_inner(struct ec_clocks *cs, struct ec_node *a, struct ec_node *b, uint32_t depth, uint32_t base) {
  uint32_t bits = EC_LEAF_BITS + EC_FAN_BITS * (depth - 1), same = 0, n = used(cs, depth, base);
  for (uint32_t i = 0; i < n; i++) {
    struct ec_node *p = a->u.child[i], *q = b->u.child[i];
    if (p != q && high(q) > low(p)) {
      if (a->refs == 1) {
        a->u.child[i] = join_at(cs, p, q, depth - 1, base + (i << bits));
      } else {
        /* A child that comes back as it was leaves a as it is, whoever else refers to it. */
        struct ec_node *j = join_at(cs, ec_clock_share(p), q, depth - 1, base + (i << bits));
        if (j != p) a = own(cs, a, depth);
        drop_at(cs, p, depth - 1);
        a->u.child[i] = j;
      }
    }
    same += a->u.child[i] == q;
  }
  if (same == n) {
    ec_clock_share(b);
    drop_at(cs, a, depth);
    return b;
  }
  if (a->refs == 1) bounds(cs, a, depth, base); /* else it is unchanged */
  return a;
}

static struct ec_node *join_at(struct ec_clocks *cs, struct ec_node *a, struct ec_node *b, uint32_t depth, uint32_t base) {
  if (a == b || b == NULL) return a;
  if (a == NULL || high(a) <= low(b)) {
    drop_at(cs, a, depth);
    return ec_clock_share(b);
  }
  if (high(b) <= low(a)) return a;
  return depth == 0 ? join_leaf(cs, a, b, base) : join_inner(cs, a, b, depth, base);
}

struct ec_node *ec_clock_join(struct ec_clocks *cs, struct ec_node *c, struct ec_node *other) {
  return join_at(cs, c, other, cs->depth, 0);
}
