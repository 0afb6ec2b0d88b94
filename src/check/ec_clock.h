/* ec_clock.h - vector clocks of many units that are nearly the same: persistent trees that share what they have in common.
 *
 * Why it exists: a dissemination barrier of n units joins n log n clocks of n entries. As arrays that would be n^2 log n steps and n^2
 * entries of memory; but what two units have learned of a third is mostly equal, or all newer on one side.
 *
 * A clock is a pointer to a node that counts its references; NULL is the clock whose entries are all 0. A leaf has EC_LEAF entries, an
 * inner node EC_FAN children, and each node knows its lowest and its highest entry. A join is done child by child: the same pointer on both
 * sides, or all entries of one side not below all of the other, ends it there, and a side that turns out to have everything is shared, not
 * copied. A node is changed in place if there is one reference to it, and copied before if there are more. (The pruning of equal or old
 * parts of the clock is the idea of tree clocks, Mathur, Pavlogiannis, Tunc and Viswanathan, ASPLOS 2022, section 3; theirs follow who
 * learned from whom, and cannot be shared between clocks.) Thread rule: one thread. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_EC_CLOCK_H
#define EYOT_EC_CLOCK_H

#include <stdint.h>

#include "ec_pool.h"

#define EC_LEAF_BITS 5u
#define EC_FAN_BITS 3u
#define EC_LEAF (1u << EC_LEAF_BITS)
#define EC_FAN (1u << EC_FAN_BITS)

struct ec_node {
  uint32_t refs, lo, hi, pad;
  union {
    uint32_t at[EC_LEAF];
    struct ec_node *child[EC_FAN]; /* NULL: entries all 0 */
  } u;
};

struct ec_clocks {
  uint32_t n;     /* entries */
  uint32_t depth; /* inner nodes above a leaf */
  struct ec_pool nodes;
};

/* n >= 1. */
void ec_clocks_init(struct ec_clocks *cs, uint32_t n);
void ec_clocks_fini(struct ec_clocks *cs);
/* All clocks are gone. */
void ec_clocks_clear(struct ec_clocks *cs);

void ec_clock_free(struct ec_clocks *cs, struct ec_node *c, uint32_t depth);
static inline struct ec_node *ec_clock_share(struct ec_node *c) {
  if (c != NULL) c->refs++;
  return c;
}
static inline void ec_clock_drop(struct ec_clocks *cs, struct ec_node *c) {
  if (c != NULL && --c->refs == 0) ec_clock_free(cs, c, cs->depth);
}
/* Entry i < n. */
static inline uint32_t ec_clock_get(const struct ec_clocks *cs, const struct ec_node *c, uint32_t i) {
  for (uint32_t d = cs->depth; c != NULL && d > 0; d--) c = c->u.child[i >> (EC_LEAF_BITS + EC_FAN_BITS * (d - 1)) & (EC_FAN - 1)];
  return c == NULL ? 0 : c->u.at[i & (EC_LEAF - 1)];
}
/* Both take the caller's reference to c and return one to the result; other stays the caller's. Panic when out of memory. */
struct ec_node *ec_clock_raise(struct ec_clocks *cs, struct ec_node *c, uint32_t i, uint32_t value);
struct ec_node *ec_clock_join(struct ec_clocks *cs, struct ec_node *c, struct ec_node *other);
#endif
