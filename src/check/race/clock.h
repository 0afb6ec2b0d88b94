/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - vector clocks for many units, as persistent trees that share equal parts. For the race
 * detector (check/race).
 *
 * Why it exists: a dissemination barrier of n units joins n log n clocks of n entries. As arrays
 * that needs n^2 log n steps and n^2 entries; but most of what two units know of a third is equal,
 * or newer on one side only. Idea: tree clocks (Mathur, Pavlogiannis, Tunc, Viswanathan: A tree
 * clock data structure for causal orderings in concurrent executions, ASPLOS 2022, section 3),
 * which also skip subtrees that are known to be older; they follow the order of communication and
 * cannot be shared between clocks.
 *
 * Thread rule: one thread. */

/* A clock is a pointer to a node; NULL is the clock whose entries are all 0. A leaf has CHK_LEAF
 * entries, an inner node CHK_FAN children, and each node knows its lowest and its highest entry. A
 * join goes child by child. It stops where both sides have the same pointer, or where no entry of
 * one side is below any entry of the other. A side that turns out to contain the other is shared,
 * not copied.
 *
 * A node is never changed once another clock may refer to it: it carries the token of its maker,
 * and may be changed in place under that token only. A caller that shares a clock takes a new token
 * (as the transients of Clojure's vectors do). Nodes are collected, not counted: counting touches
 * the eight children of every node that is copied or dropped, which was most of the time of a
 * barrier. The owner marks from time to time the clocks that are alive. */
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
  uint64_t made_by; /* the maker's token; the highest bit is the collector's mark */
  uint32_t lo, hi;
  union {
    uint32_t at[CHK_LEAF];
    struct chk_child {
      struct chk_node *node; /* NULL: entries all 0 */
      uint32_t lo, hi;       /* copied from the child, so that comparisons need not read it */
    } child[CHK_FAN];
  } u;
};

struct chk_clocks {
  uint32_t n;     /* entries */
  uint32_t depth; /* levels of inner nodes above the leaves */
  uint64_t token; /* the last token that was given out */
  /* numbers of nodes: made since the last collection, marked in this one, alive after the last
   * one */
  uint64_t made, marked, alive;
  struct chk_pool leaves, inner;
};

/* n >= 1. */
void chk_clocks_init(struct chk_clocks *cs, uint32_t n);
void chk_clocks_fini(struct chk_clocks *cs);
/* Drops all clocks. */
void chk_clocks_clear(struct chk_clocks *cs);

#define CHK_NO_TOKEN UINT64_C(0) /* the token that allows no change in place */
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
/* Sets entry i to at least `value`. The result replaces c: nodes of c made under `token` may be
 * changed. Panics when out of memory. */
struct chk_node *chk_clock_raise(struct chk_clocks *cs, struct chk_node *c, uint32_t i,
                                 uint32_t value, uint64_t token);
struct chk_node *chk_clock_join(struct chk_clocks *cs, struct chk_node *c, struct chk_node *other,
                                uint64_t token);
/* Joins `other` into c, where c contains all of `base` already (NULL: nothing is known): skips what
 * `other` shares with `base`. */
struct chk_node *chk_clock_join_since(struct chk_clocks *cs, struct chk_node *c,
                                      struct chk_node *other, struct chk_node *base,
                                      uint64_t token);

/* True if so many nodes were made that a collection pays: mark every clock that is alive, then
 * sweep. */
bool chk_clocks_full(const struct chk_clocks *cs);
void chk_clock_mark(struct chk_clocks *cs, struct chk_node *c);
void chk_clocks_sweep(struct chk_clocks *cs);
#endif
