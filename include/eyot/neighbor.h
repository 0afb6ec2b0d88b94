/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/neighbor.h - neighbourhood collectives: each member of a team exchanges blocks with its
 * neighbours alone, on a directed graph or a Cartesian grid. Source: MPI-4.0, chapter 8 (process
 * topologies), sections 8.5 to 8.7.
 *
 * A call sends one message an edge, a longer block in pieces, and none to others: it is no barrier.
 * On an edge a member may be ahead of the one that it sends to by four messages. Common errors:
 * ESTATE (not initialized); of calls on a graph, ESEG (null, destroyed, or of a team that the
 * caller is not in). Thread rule: that of eyot/init.h, and one thread of a unit at a time for the
 * calls of a graph. */
#ifndef EYOT_NEIGHBOR_H
#define EYOT_NEIGHBOR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A graph over the members of a team: a value, equal on all of them. */
typedef struct eyot_graph {
  eyot_gptr_t at;
} eyot_graph_t;
#define EYOT_GRAPH_NULL ((eyot_graph_t){{0, 0, 0, 0}})
/* No member: the neighbour across a border of a grid that is not periodic. */
#define EYOT_TUNIT_NONE ((eyot_tunit_t){UINT32_MAX})

/* eyot_graph_create makes a directed graph, of which each member names its own edges by
 * team-relative ids: those from `sources` to it, and those from it to `destinations`. Either may be
 * empty, and then NULL. A member may name itself, and a neighbour several times: the i-th time that
 * a names b as a destination is the same edge as the i-th time that b names a as a source. Takes
 * 32 KiB a source (128 over MPI in a job of one node, up to 16 sources), and 48 bytes an edge, of
 * the caller's heap, whatever the size of the team.
 * Collective over the team, blocking. Errors: ETEAM; EINVAL (NULL), EUNIT (not in the team),
 * ENOMEM; EMISMATCH (one end alone names an edge: the messages name it, or one of them); all but
 * ETEAM on all members. Source: MPI_Dist_graph_create_adjacent. */
EYOT_RET int eyot_graph_create(eyot_team_t team, const eyot_tunit_t *sources, uint32_t n_sources,
                               const eyot_tunit_t *destinations, uint32_t n_destinations,
                               eyot_graph_t *graph);
/* eyot_graph_destroy releases a graph or a grid, and sets *graph to EYOT_GRAPH_NULL. The team can
 * be destroyed afterwards (EBUSY before). Collective over the team, blocking. Errors: EINVAL
 * (NULL), EBUSY (a member has calls that it has not completed, or plans), EMISMATCH (members name
 * different graphs); the last two on all members, and the graphs stay. */
EYOT_RET int eyot_graph_destroy(eyot_graph_t *graph);
/* eyot_graph_degrees returns the numbers of blocks that the caller receives and sends: of a grid 2
 * ndims each. eyot_graph_neighbors writes so many neighbours, in the order of the blocks. Local.
 * Errors: EINVAL (NULL). */
EYOT_RET int eyot_graph_degrees(eyot_graph_t graph, uint32_t *n_sources, uint32_t *n_destinations);
EYOT_RET int eyot_graph_neighbors(eyot_graph_t graph, eyot_tunit_t *sources,
                                  eyot_tunit_t *destinations);

/* eyot_cart_create makes a Cartesian grid of 1 to EYOT_CART_DIMS_MAX dimensions; the product of
 * dims[0..ndims-1] is the size of the team. Member r has the coordinates of r in row-major order,
 * the last dimension fastest. A member has 2 ndims neighbours: in each dimension the one before it,
 * then the one after it, modulo dims[i] where periodic[i], else none at the border; blocks of these
 * are left as they are. What is sent to the neighbour before is received as from the neighbour
 * after, also where both are one member or the caller. Else as eyot_graph_create; EINVAL also for
 * dims, EMISMATCH (members pass different grids). Source: MPI_Cart_create, without reordering. */
#define EYOT_CART_DIMS_MAX 16u
EYOT_RET int eyot_cart_create(eyot_team_t team, uint32_t ndims, const uint32_t *dims,
                              const bool *periodic, eyot_graph_t *graph);
/* eyot_cart_dims fills the dimensions that are 0 on entry, so that their product with the others is
 * `units`: as close to each other as possible (the greatest is the least possible, then the second,
 * and so on), in descending order. Local; needs no eyot_init. Errors: EINVAL (NULL, no dimensions,
 * units is 0, not a multiple of the given dimensions, or not their product where all are given).
 * Source: MPI_Dims_create; J. L. Träff, F. D. Lübbe, "Specification Guideline Violations by
 * MPI_Dims_create", EuroMPI 2015 (what a balanced factorization is). */
EYOT_RET int eyot_cart_dims(uint32_t units, uint32_t ndims, uint32_t *dims);
/* eyot_cart_coords writes the coordinates of a member. eyot_cart_rank returns the member at
 * coordinates, which are taken modulo dims[i] in periodic dimensions. eyot_cart_shift returns the
 * members `distance` places before (*source) and after (*destination) the caller along a dimension,
 * or EYOT_TUNIT_NONE. Local. Errors: EINVAL (NULL; the graph is no grid), EUNIT (no such member),
 * ERANGE (no such dimension or coordinates). */
EYOT_RET int eyot_cart_coords(eyot_graph_t graph, eyot_tunit_t member, uint32_t *coords);
EYOT_RET int eyot_cart_rank(eyot_graph_t graph, const int64_t *coords, eyot_tunit_t *member);
EYOT_RET int eyot_cart_shift(eyot_graph_t graph, uint32_t dimension, int64_t distance,
                             eyot_tunit_t *source, eyot_tunit_t *destination);

/* The collectives: all members call the same ones of a graph in the same order, in any form. Calls
 * of a graph go on one after the other, those of several graphs, and other collectives, beside each
 * other. Buffers are private memory; a block of recv must overlap no other block. Both ends of an
 * edge name the same function and the same bytes: else EMISMATCH on the member that receives, with
 * the edge named; so on the receivers of a member whose arguments were refused. Others do not learn
 * of it, and the graph works as before. A member that does not call leaves its neighbours waiting.
 * Errors: also EINVAL (NULL with bytes, overflow, overlap), ERANGE (an edge has carried 2^42
 * messages), ESTATE (the fabric has failed in an earlier call: destroy the graph). */

/* eyot_neighbor_allgather sends the `bytes` bytes of send to each destination, and receives a block
 * of as many from each source, in the order of eyot_graph_neighbors, into recv.
 * eyot_neighbor_alltoall sends block i of send to destination i. */
EYOT_RET int eyot_neighbor_allgather(eyot_graph_t graph, const void *send, void *recv,
                                     uint64_t bytes);
EYOT_RET int eyot_neighbor_alltoall(eyot_graph_t graph, const void *send, void *recv,
                                    uint64_t bytes);
/* The same with blocks of several lengths: sizes[i] is the bytes of block i, at[i] where it begins
 * in the buffer, in bytes; at NULL: one after the other. A call has read the arrays when it
 * returns, in each form. */
EYOT_RET int eyot_neighbor_allgatherv(eyot_graph_t graph, const void *send, uint64_t bytes,
                                      void *recv, const uint64_t *recv_sizes,
                                      const uint64_t *recv_at);
EYOT_RET int eyot_neighbor_alltoallv(eyot_graph_t graph, const void *send,
                                     const uint64_t *send_sizes, const uint64_t *send_at,
                                     void *recv, const uint64_t *recv_sizes,
                                     const uint64_t *recv_at);

/* eyot_..._nb start the collective of that name, eyot_..._plan make a plan of it that
 * eyot_coll_start starts; eyot/coll_nb.h has the functions that take *handle. A start waits for no
 * member, unless the caller's arguments are refused. Up to 64 of a graph may be started and not
 * completed. Errors: those that concern the arguments; EINVAL (handle is NULL); EBUSY. */
EYOT_RET int eyot_neighbor_allgather_nb(eyot_graph_t graph, const void *send, void *recv,
                                        uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_allgather_plan(eyot_graph_t graph, const void *send, void *recv,
                                          uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_alltoall_nb(eyot_graph_t graph, const void *send, void *recv,
                                       uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_alltoall_plan(eyot_graph_t graph, const void *send, void *recv,
                                         uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_allgatherv_nb(eyot_graph_t graph, const void *send, uint64_t bytes,
                                         void *recv, const uint64_t *recv_sizes,
                                         const uint64_t *recv_at, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_allgatherv_plan(eyot_graph_t graph, const void *send, uint64_t bytes,
                                           void *recv, const uint64_t *recv_sizes,
                                           const uint64_t *recv_at, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_alltoallv_nb(eyot_graph_t graph, const void *send,
                                        const uint64_t *send_sizes, const uint64_t *send_at,
                                        void *recv, const uint64_t *recv_sizes,
                                        const uint64_t *recv_at, eyot_coll_t *handle);
EYOT_RET int eyot_neighbor_alltoallv_plan(eyot_graph_t graph, const void *send,
                                          const uint64_t *send_sizes, const uint64_t *send_at,
                                          void *recv, const uint64_t *recv_sizes,
                                          const uint64_t *recv_at, eyot_coll_t *handle);

#ifdef __cplusplus
}
#endif
#endif
