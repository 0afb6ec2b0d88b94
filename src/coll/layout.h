/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - how the members of a team lie on nodes, where that is regular: for algorithms that
 * treat the units of a node as one.
 *
 * Why it exists: the algorithms need the node of any member without asking for the place of each,
 * which would cost every member time and memory in proportion to the team. */
#ifndef EYOT_COLL_LAYOUT_H
#define EYOT_COLL_LAYOUT_H

#include "base/groups.h"
#include "coll/coll.h"

/* Members of a node; teams with more have no layout. */
#define EYOTI_LAYOUT_CORES EYOTI_POSTAL_MOST

/* Members i * per_node .. i * per_node + per_node - 1 are on node i; the last node may have fewer.
 * per_node 0: the team is not so. */
struct eyoti_layout {
  uint32_t size, per_node, nodes;
};

/* Finds the layout of a team, or that it has none; the same on all members. Collective, blocking:
 * an exchange. Errors: the fabric's. */
int eyoti_layout_find(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_layout *out);
/* The two words of that exchange, of which all members take the maximum and the minimum, for a
 * caller that exchanges them itself; and the layout by what all have. After an error of its own a
 * member takes part all the same, with words that say so. Local. Errors: the fabric's; EFABRIC
 * (logged): another member's. */
int eyoti_layout_words(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t words[2]);
int eyoti_layout_of(const struct eyoti_team *t, const uint64_t words[2], struct eyoti_layout *out);

static inline uint32_t eyoti_layout_node(const struct eyoti_layout *l, uint32_t member) {
  return member / l->per_node;
}
/* The first member of a node; of node l->nodes: the size of the team. */
static inline uint32_t eyoti_layout_first(const struct eyoti_layout *l, uint32_t node) {
  return node < l->nodes ? node * l->per_node : l->size;
}
static inline uint32_t eyoti_layout_cores(const struct eyoti_layout *l, uint32_t node) {
  return eyoti_layout_first(l, node + 1) - eyoti_layout_first(l, node);
}
#endif
