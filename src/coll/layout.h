/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - how the members of a team lie on nodes, where that is regular: for algorithms that
 * treat the units of a node as one. Also how nodes are cut into groups, groups of groups and so
 * on.
 *
 * Why it exists: the algorithms need the node of any member without asking for the place of each,
 * which would cost every member time and memory in proportion to the team. */
#ifndef EYOT_COLL_LAYOUT_H
#define EYOT_COLL_LAYOUT_H

#include "coll/coll.h"

#define EYOTI_LAYOUT_LEVELS 32u /* of groups: 2^32 nodes by two */
#define EYOTI_LAYOUT_CORES 256u /* members of a node; teams with more have no layout */

/* Messages that a unit posts on its node while one arrives: about what machines have. */
#define EYOTI_LAYOUT_LATENCY 7u

/* Members i * per_node .. i * per_node + per_node - 1 are on node i; the last node may have fewer.
 * per_node 0: the team is not so. */
struct eyoti_layout {
  uint32_t size, per_node, nodes;
};

/* Finds the layout of a team, or that it has none; the same on all members. Collective, blocking:
 * an exchange. Errors: the fabric's. */
int eyoti_layout_find(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_layout *out);

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

/* Nodes first .. end - 1. */
struct eyoti_nodes {
  uint32_t first, end;
};

/* Groups of nodes by levels: a group of level 0 is one node, one of level l + 1 consists of up to
 * `radix` groups of level l, and that of level `levels` is all nodes. Groups of one level in one
 * group differ by one node at most. */
struct eyoti_groups {
  uint32_t nodes, radix, levels;
};

/* Groups by the smallest number of levels that needs no radix above `radix` (2 or more), and then
 * by the smallest radix. */
struct eyoti_groups eyoti_groups_by(uint32_t nodes, uint32_t radix);
/* The number of groups of level `level` in a group of the next level. */
uint32_t eyoti_groups_parts(const struct eyoti_groups *g, uint32_t level, struct eyoti_nodes of);
/* Part number i of n of a group. */
static inline struct eyoti_nodes eyoti_groups_part(struct eyoti_nodes of, uint32_t i, uint32_t n) {
  uint64_t count = of.end - of.first;
  return (struct eyoti_nodes){of.first + (uint32_t)(count * i / n),
                              of.first + (uint32_t)(count * (i + 1) / n)};
}
/* The part of a node. */
uint32_t eyoti_groups_part_of(struct eyoti_nodes of, uint32_t node, uint32_t n);
/* The group of a level that a node is in. */
struct eyoti_nodes eyoti_groups_at(const struct eyoti_groups *g, uint32_t level, uint32_t node);

/* A tree over n processors of a node (n <= EYOTI_LAYOUT_CORES) by which a value spreads fastest if
 * each can send one message after the other, and a message takes as long as `latency` of them: the
 * parent of each (of 0: 0), which is less. A core sends to its children in ascending order. Source:
 * A. Bar-Noy, S. Kipnis, Designing broadcasting algorithms in the postal model for message-passing
 * systems, SPAA 1992. */
void eyoti_layout_tree(uint32_t n, uint32_t latency, uint8_t *parent);
#endif
