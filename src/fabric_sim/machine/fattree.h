/* SPDX-License-Identifier: BSD-3-Clause */
/* fattree.h - the graph of a fat tree and its routes, as pure arithmetic: no SimGrid, no costs, no
 * time. For net_*.c (net_tables.h) and platform_keys.c.
 *
 * Why it exists: the presets fattree and cab are trees of switches, and a table of all routes would
 * grow with the square of the nodes. Proved against breadth-first search in
 * tests/unit/sim/test_sim_tree.c and against SimGrid's own zone in tests/unit/sim/net_fattree.c. */

/* The graph is a parallel generalized fat tree (E. Zahavi, D-Mod-K routing providing non-blocking
 * traffic for shift permutations on real life fat trees, 2010): nodes are level 0; a switch of
 * level i has children[i - 1] children, each vertex of level i - 1 has parents[i - 1] parents, and
 * cables[i - 1] cables lead to each. A k-ary n-tree has n levels, k children and k parents (1 of a
 * node). A cable is one link up and one down.
 *
 * A route climbs to the lowest level that the two nodes have in common and descends. On the way up
 * the destination's number chooses parent and cable (D-mod-k), on the way down the source's number
 * chooses among the cables of the only way. SimGrid's FatTreeZone has the same rule. */
#ifndef EYOT_FABRIC_SIM_MACHINE_FATTREE_H
#define EYOT_FABRIC_SIM_MACHINE_FATTREE_H

#include <stdint.h>

#define SIM_TREE_LEVELS 3u
#define SIM_TREE_HOPS_MAX (2u * SIM_TREE_LEVELS)
#define SIM_TREE_NODES_MAX (1u << 20)

struct sim_tree {
  uint32_t levels; /* of switches; arrays: [i] of level i + 1 */
  uint32_t children[SIM_TREE_LEVELS], parents[SIM_TREE_LEVELS], cables[SIM_TREE_LEVELS];
  /* nodes below a switch of level i, and switches of level i that lead to one node; [0]: 1 */
  uint32_t below[SIM_TREE_LEVELS + 1], above[SIM_TREE_LEVELS + 1];
  uint32_t first[SIM_TREE_LEVELS + 1]; /* the number of the first link between levels i and i + 1 */
  uint32_t nodes, links;
};

/* The numbers of the tree: nodes, and links between levels `level` and level + 1, as the trees that
 * the user may describe can have too many of them. */
uint64_t sim_tree_nodes(uint32_t levels, const uint32_t children[SIM_TREE_LEVELS]);
uint64_t sim_tree_links(uint32_t levels, const uint32_t children[SIM_TREE_LEVELS],
                        const uint32_t parents[SIM_TREE_LEVELS],
                        const uint32_t cables[SIM_TREE_LEVELS]);

/* levels: 1 to SIM_TREE_LEVELS; all numbers at least 1; nodes and links fit (asserted: the caller
 * has checked the user's values). */
void sim_tree_init(struct sim_tree *t, uint32_t levels, const uint32_t children[SIM_TREE_LEVELS],
                   const uint32_t parents[SIM_TREE_LEVELS], const uint32_t cables[SIM_TREE_LEVELS]);

/* Returns the lowest level whose switches reach both nodes; 0 if they are one. */
uint32_t sim_tree_top(const struct sim_tree *t, uint32_t src, uint32_t dst);

/* Writes the links of the route in order; returns their number, 0 if src is dst. */
uint32_t sim_tree_route(const struct sim_tree *t, uint32_t src, uint32_t dst,
                        uint32_t links[SIM_TREE_HOPS_MAX]);

/* One link. */
struct sim_tree_link {
  uint32_t level;        /* of its lower end */
  uint32_t lower, upper; /* the number of the vertex in its level */
  uint32_t parent;       /* which parent of the lower end the upper end is */
  uint32_t cable;        /* of those between the two */
  uint32_t down;         /* 1: from the upper to the lower end */
};
void sim_tree_link(const struct sim_tree *t, uint32_t link, struct sim_tree_link *out);
/* Returns the level of the link's lower end. */
uint32_t sim_tree_link_level(const struct sim_tree *t, uint32_t link);
#endif
