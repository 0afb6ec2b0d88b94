/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - how the members of a team lie on nodes: for algorithms that treat the units of a node
 * as one.
 *
 * Why it exists: the algorithms need the node of any member without asking for the place of each,
 * which would cost every member time and memory in proportion to the team. Of teams that lie
 * regularly a division says it, of others a table that all units of a process share. */
#ifndef EYOT_COLL_LAYOUT_H
#define EYOT_COLL_LAYOUT_H

#include "base/groups.h"
#include "base/placement.h"
#include "coll/coll.h"

/* Members of a node; teams with more have no layout. */
#define EYOTI_LAYOUT_CORES EYOTI_POSTAL_MOST

#define EYOTI_LAYOUT_ROUTED 64u /* nodes of a team whose routers are known */

/* Members i * per_node .. i * per_node + per_node - 1 are on node i; the last node may have fewer.
 * per_node 0: the team is not so; then `placed` is where its members lie, or NULL if a node has too
 * many, or each has one. most, least: members of a node (where it is regular, least: of the last
 * one). Bit i of routers: node i is not on the router of the node before it. 0: no two nodes that
 * follow each other share a router, or all do, or links between routers are no limit, or the team
 * has more than EYOTI_LAYOUT_ROUTED nodes, or lies unevenly. */
struct eyoti_layout {
  uint32_t size, per_node, nodes, most, least;
  const struct eyoti_placement *placed; /* the team's */
  uint64_t routers;
};

struct eyoti_layout eyoti_layout_regular(uint32_t size, uint32_t per_node);

/* Finds the layout of a team, or that it has none; the same on all members. Collective, blocking:
 * an exchange, unless it is of all units and the fabric knows their nodes. Errors: the fabric's. */
int eyoti_layout_find(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_layout *out);
/* The two words of that exchange, of which all members take the maximum and the minimum, for a
 * caller that exchanges them itself; and the layout by what all have. After an error of its own a
 * member takes part all the same, with words that say so. Local. Errors: the fabric's; EFABRIC
 * (logged): another member's. */
int eyoti_layout_words(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t words[2]);
int eyoti_layout_of(struct eyot_rt *rt, const struct eyoti_team *t, const uint64_t words[2],
                    struct eyoti_layout *out);
/* Finds the routers of a layout's nodes. The same on all members. Local. Errors: the fabric's. */
int eyoti_layout_find_routers(struct eyot_rt *rt, const struct eyoti_team *t,
                              struct eyoti_layout *l);

/* Whether members of a node do not follow each other. */
static inline bool eyoti_layout_is_scattered(const struct eyoti_layout *l) {
  return l->placed != NULL && l->placed->scattered;
}
/* Positions count the members node by node, and are the members where `placed` is NULL: that of a
 * member, and the member of one. */
static inline uint32_t eyoti_layout_position(const struct eyoti_layout *l, uint32_t member) {
  return l->placed == NULL ? member : eyoti_placement_position(l->placed, member);
}
static inline uint32_t eyoti_layout_member(const struct eyoti_layout *l, uint32_t position) {
  return l->placed == NULL ? position : eyoti_placement_member(l->placed, position);
}
static inline uint32_t eyoti_layout_node(const struct eyoti_layout *l, uint32_t position) {
  return l->placed == NULL ? position / l->per_node : eyoti_placement_node(l->placed, position);
}
/* The first position of a node; of node l->nodes: the size of the team. */
static inline uint32_t eyoti_layout_first(const struct eyoti_layout *l, uint32_t node) {
  if (l->placed != NULL) return eyoti_placement_first(l->placed, node);
  return node < l->nodes ? node * l->per_node : l->size;
}
static inline uint32_t eyoti_layout_cores(const struct eyoti_layout *l, uint32_t node) {
  return eyoti_layout_first(l, node + 1) - eyoti_layout_first(l, node);
}
/* Routers, in the order of nodes, where they are known: their number; that of a node; and the first
 * node of one (of the one after the last: nodes). */
static inline uint32_t eyoti_layout_routers(const struct eyoti_layout *l) {
  return (uint32_t)__builtin_popcountll(l->routers);
}
static inline uint32_t eyoti_layout_router(const struct eyoti_layout *l, uint32_t node) {
  return (uint32_t)__builtin_popcountll(l->routers & (((uint64_t)2 << node) - 1)) - 1;
}
static inline uint32_t eyoti_layout_router_first(const struct eyoti_layout *l, uint32_t router) {
  uint64_t left = l->routers;
  for (uint32_t i = 0; i < router; i++) left &= left - 1;
  return left != 0 ? (uint32_t)__builtin_ctzll(left) : l->nodes;
}
/* Every node has a router of its own. nodes: at most EYOTI_LAYOUT_ROUTED. */
static inline uint64_t eyoti_layout_apart(uint32_t nodes) {
  return UINT64_MAX >> (EYOTI_LAYOUT_ROUTED - nodes);
}
/* Of nodes that follow each other from the first of a router on. */
static inline uint64_t eyoti_layout_in_order(uint32_t nodes, uint32_t router_nodes) {
  uint64_t routers = 0;
  if (nodes > EYOTI_LAYOUT_ROUTED || router_nodes <= 1 || nodes <= router_nodes) return 0;
  for (uint32_t i = 0; i < nodes; i += router_nodes) routers |= (uint64_t)1 << i;
  return routers;
}
#endif
