/* SPDX-License-Identifier: BSD-3-Clause */
/* gen_multi.h - multi-object algorithms: the units of a node act as one, and all of them send to
 * other nodes, so that a round between nodes reaches many of them. For short messages of teams with
 * a layout (layout.h).
 *
 * allreduce: the units of a node give their elements to its first unit; in each of a few rounds the
 * node's partial result goes to its units, each of which sends it to some of the other groups'
 * nodes, and first units combine what arrives, in rank order; the result goes to all units. scan,
 * exscan: each unit gets a result of its own. reduce: in each round the groups' results come to one
 * unit of the node that goes on, the root's or the first of the next larger group.
 * broadcast: a tree over nodes in the same way, in which the units of a node that knows all send.
 * Source: J. Huang et al., PiP-MColl, CLUSTER 2023 (arXiv 2305.10612). How nodes are grouped, with
 * no folding, is eyot's own (docs/adr/0071), and so are scans by groups (docs/adr/0140). */
#ifndef EYOT_COLL_GEN_MULTI_H
#define EYOT_COLL_GEN_MULTI_H

#include "coll/gen.h"
#include "coll/layout.h"

/* gen_binomial.c: trees over positions, so that they lie on nodes where members are scattered. l:
 * NULL: over members. reduce, allreduce: of operators that give the same bits in any order, or over
 * members. */
void eyoti_placed_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l);
void eyoti_placed_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                         const struct eyoti_layout *l);
void eyoti_placed_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l);

/* gen_nodeagg.c: alltoall, of blocks that one round moves, and allgather, with one message between
 * each two nodes.
 * Source: J. L. Träff, A. Rougier, MPI collectives and datatypes for hierarchical all-to-all
 * communication, EuroMPI/ASIA 2014 (nodes exchange what their processes have combined); that all
 * units of a node take part of it is eyot's own. */
void eyoti_nodeagg_alltoall(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                            const struct eyoti_layout *l);
/* Bytes of a block that a round of an allgather moves, if blocks need several, so that its board is
 * no larger than one that has `round` bytes of each member. */
uint64_t eyoti_nodeagg_round(const struct eyoti_layout *l, uint64_t round);
void eyoti_nodeagg_allgather(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                             const struct eyoti_layout *l);

/* gen_parts.c: a vector in parts, one for each unit of a node, so that all of them copy. broadcast:
 * for layouts whose nodes have as many members each; allreduce: of one node.
 * Source: R. Thakur, R. Rabenseifner, W. Gropp 2005, sections 4.2 (scatter and allgather) and 4.5
 * (reduce-scatter and allgather). */
void eyoti_parts_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l);
void eyoti_parts_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a);
/* gen_parts_nodes.c: the same over several nodes. any_order: as below. */
void eyoti_parts_allreduce_nodes(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                                 const struct eyoti_layout *l, bool any_order);
void eyoti_parts_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, bool any_order);
/* The same, first over the nodes of each router. The layout has routers. */
void eyoti_routers_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                             const struct eyoti_layout *l, bool any_order);
void eyoti_routers_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                          const struct eyoti_layout *l, bool any_order);

/* l: with nodes. radix: other nodes that a node reaches in a round, plus 1; 2 or more. any_order:
 * the operator gives the same bits in any order; else elements are combined along the canonical
 * tree over ranks, and messages carry the parts of it that a group holds. */
void eyoti_multi_allreduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l, uint32_t radix, bool any_order);
void eyoti_multi_reduce(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, uint32_t radix, bool any_order);
void eyoti_multi_scan(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                      const struct eyoti_layout *l, uint32_t radix, bool any_order);
void eyoti_multi_exscan(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                        const struct eyoti_layout *l, uint32_t radix, bool any_order);
void eyoti_multi_broadcast(struct eyoti_plan *p, const struct eyoti_coll_args *a,
                           const struct eyoti_layout *l, uint32_t radix);
#endif
