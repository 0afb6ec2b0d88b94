/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - vector clocks of many units that are nearly the same: persistent trees that share
 * what they have in common.
 *
 * Why it exists: a dissemination barrier of n units joins n log n clocks of n entries. As arrays
 * that would be n^2 log n steps and n^2 entries of memory; but what two units have learned of a
 * third is mostly equal, or all newer on one side.
 *
 * A clock is a pointer to a node; NULL is the clock whose entries are all 0. A leaf has CHK_LEAF
 * entries, an inner node CHK_FAN children, and each node knows its lowest and its highest entry. A
 * join is done child by child: the same pointer on both sides, or no entry of one side below any of
 * the other, ends it there, and a side that turns out to have everything is shared, not copied. (To
 * prune a join where one side is known to be older is the idea of tree clocks, Mathur,
 * Pavlogiannis, Tunc and Viswanathan, ASPLOS 2022, section 3; theirs follow who learned from whom,
 * and cannot be shared between clocks.)
 *
 * Nodes are never changed once somebody else may see them: a node carries the token of who made it,
 * and may be changed in place under that token only. Whoever gives a clock away takes a new token.
 * (So do the transients of Clojure's vectors.) Nodes are not counted but collected: counting
 * touches the eight children of every node that is copied or dropped, which was most of the time of
 * a barrier. The owner says from time to time which clocks are alive. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_CLOCK_H
#define EYOT_CHECK_RACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "check/race/pool.h"

#define CHK_LEAF_BITS 6u
#define CHK_FAN_BITS 3u
#define CHK_LEAF (1u << CHK_LEAF_BITS)
#define CHK_FAN (1u << CHK_FAN_BITS)

struct chk_node {
  uint64_t made_by; /* token; its highest bit is the collector's mark */
  uint32_t lo, hi;
  union {
    uint32_t at[CHK_LEAF];
    struct chk_child {
      struct chk_node *node; /* NULL: entries all 0 */
      uint32_t lo, hi;       /* the child's, so that it need not be touched */
    } child[CHK_FAN];
  } u;
};

struct chk_clocks {
  uint32_t n;     /* entries */
  uint32_t depth; /* inner nodes above a leaf */
  uint64_t token; /* the last one given */
  /* nodes: since the last collection, in this one, after the last one */
  uint64_t made, marked, alive;
  struct chk_pool leaves, inner;
};

/* n >= 1. */
void chk_clocks_init(struct chk_clocks *cs, uint32_t n);
void chk_clocks_fini(struct chk_clocks *cs);
/* All clocks are gone. */
void chk_clocks_clear(struct chk_clocks *cs);

#define CHK_NO_TOKEN UINT64_C(0) /* changes nothing in place */
static inline uint64_t chk_clock_token(struct chk_clocks *cs) {
  return ++cs->token;
}

/* Entry i < n. */
static inline uint32_t chk_clock_get(const struct chk_clocks *cs, const struct chk_node *c,
                                     uint32_t i) {
  for (uint32_t d = cs->depth; c != NULL && d > 0; d--)
    c = c->u.child[i >> (CHK_LEAF_BITS + CHK_FAN_BITS * (d - 1)) & (CHK_FAN - 1)].node;
  return c == NULL ? 0 : c->u.at[i & (CHK_LEAF - 1)];
}
/* The result takes the place of c: nodes of c made under `token` may be changed. Panic when out of
 * memory. */
struct chk_node *chk_clock_raise(struct chk_clocks *cs, struct chk_node *c, uint32_t i,
                                 uint32_t value, uint64_t token);
struct chk_node *chk_clock_join(struct chk_clocks *cs, struct chk_node *c, struct chk_node *other,
                                uint64_t token);
/* The same where c has all of `base` already (NULL: of nothing): what other shares with that is not
 * looked at. */
struct chk_node *chk_clock_join_since(struct chk_clocks *cs, struct chk_node *c,
                                      struct chk_node *other, struct chk_node *base,
                                      uint64_t token);

/* Enough nodes have been made for a collection to pay: mark every clock that is alive, then
 * sweep. */
bool chk_clocks_full(const struct chk_clocks *cs);
void chk_clock_mark(struct chk_clocks *cs, struct chk_node *c);
void chk_clocks_sweep(struct chk_clocks *cs);
#endif
