/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/coll.h - collectives over a team, from eyot_broadcast to eyot_alltoallw.
 *
 * Collective over the team: every member calls, in the same order as the team's other collectives,
 * with the same counts, types and root. Blocking. Buffers are private memory; on return the
 * caller's are complete and may be reused. Barriers too: allreduce, reduce_scatter, allgather(v),
 * collect, all exchanges. Reductions combine in a fixed order (eyot/op.h): equal inputs give the
 * same bits on all members and in every run. Common errors: ESTATE, ETEAM; EINVAL (NULL buffer,
 * overlap, size overflow, undefined operator), EUNIT (root) on the member concerned; EMISMATCH (see
 * below); ENOMEM (no space for messages in the symmetric heap, or for the copy of an exchange in
 * place). Thread rule: that of eyot/init.h. */
#ifndef EYOT_COLL_H
#define EYOT_COLL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forms that do not block: eyot/coll_nb.h. Where a function has several algorithms, a model of the
 * machine chooses (docs/collectives.md); results do not depend on it.
 *
 * EMISMATCH: arguments differ, or another member's were refused. Messages carry a hash of the
 * arguments. Functions that are barriers too return it on all members. The others return it on
 * every member that receives anything, possibly after some data has moved; but where roots or
 * functions differ, two members may send to one, which may take the bytes of either and return OK.
 * The team's next call of the first kind, eyot_team_destroy, or eyot_finalize, also of a team that
 * is left, returns it on all members, and later calls work as before. The last two name two calls
 * that differ, if these are among the last 8 and the team has at most 4,096 members. Where a member
 * calls one of another kind (a barrier, an allocation, a non-blocking form) all get it after 10 ms
 * or more, over MPI, and no further collective of the team is possible; the simulator reports a
 * deadlock. With EYOT_CHECK=1 every call first compares the arguments of all members, is a barrier,
 * returns EMISMATCH on all, and moves nothing then. */

/* eyot_broadcast copies `bytes` bytes from root's buf to every other member's buf, in pieces that
 * follow each other, along a binomial tree (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
 * Collective Communication Operations in MPICH", 2005), or a tree in which all units of a node send
 * (J. Huang et al., "PiP-MColl", 2023). */
EYOT_RET int eyot_broadcast(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes);
/* eyot_reduce and eyot_allreduce combine n elements of `type` of every member element by element:
 * eyot_reduce into recv on root only, eyot_allreduce into recv on every member. send and recv hold
 * n elements each; recv may equal send, and must not overlap it otherwise. The operators that
 * eyot/op.h lists for the type, and those of eyot_op_create. Operands are combined along one tree
 * over the ranks, the lower ranks' on the left, whatever the root and n: eyot/op.h. Trees as in
 * eyot_broadcast; allreduce is recursive doubling (Thakur et al. 2005), an exchange of nodes'
 * results (Huang et al. 2023), a message to each member, or a reduction to member 0 and a
 * broadcast. Errors: also EINVAL
 * (the pair is no reduction, the width of the type is not that of the operator, no such
 * operator). */
EYOT_RET int eyot_reduce(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                         const void *send, void *recv, uint64_t n);
EYOT_RET int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                            void *recv, uint64_t n);
/* eyot_gather and eyot_allgather collect a block of `bytes` bytes of each member, in team order:
 * eyot_gather on root only, eyot_allgather on every member. send: `bytes` bytes; recv: size*bytes
 * bytes; gather uses recv on root only. send may be the caller's own block of recv, and must not
 * overlap it otherwise. allgather is the algorithm of J. Bruck et al., "Efficient Algorithms for
 * All-to-All Communications in Multiport Message-Passing Systems", 1997. */
EYOT_RET int eyot_gather(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                         uint64_t bytes);
EYOT_RET int eyot_allgather(eyot_team_t team, const void *send, void *recv, uint64_t bytes);
/* eyot_alltoall exchanges a block with every member. send and recv: size blocks of `bytes` bytes;
 * block i of send goes to member i, block i of recv comes from member i. recv may equal send, of
 * which the call then takes a copy first, as the exchanges below do, and must not overlap it
 * otherwise. */
EYOT_RET int eyot_alltoall(eyot_team_t team, const void *send, void *recv, uint64_t bytes);

/* eyot_scan and eyot_exscan combine n elements of `type` of the members up to the caller, eyot_scan
 * with and eyot_exscan without its own, into recv: the member of rank r gets the bits of a
 * reduction over the ranks 0..r, or 0..r-1. eyot_exscan leaves recv of member 0 as it is, which may
 * be NULL there. recv may equal send, and must not overlap it otherwise. Errors: as eyot_allreduce.
 * Recursive doubling (W. D. Hillis, G. L. Steele, "Data Parallel Algorithms", 1986), in which a
 * member waits for those before it and not for all after it; or, where it takes less time, scans
 * of nodes (P. Sanders, J. L. Träff, 2006) or of parts of the vector, which wait for all. */
EYOT_RET int eyot_scan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                       void *recv, uint64_t n);
EYOT_RET int eyot_exscan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                         void *recv, uint64_t n);
/* eyot_reduce_scatter_block combines size blocks of n elements each, and leaves block r in recv of
 * the member of rank r, with the bits that eyot_allreduce would give. recv may be the caller's own
 * block of send, and must not overlap send otherwise. eyot_reduce_scatter takes the elements of
 * each block, n[0..size-1], the same on all members; blocks lie one after the other. Errors: as
 * eyot_allreduce. Pairwise exchange (Thakur et al. 2005, section 4.4). */
EYOT_RET int eyot_reduce_scatter_block(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                       const void *send, void *recv, uint64_t n);
EYOT_RET int eyot_reduce_scatter(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                                 void *recv, const uint64_t *n);
/* eyot_scatter sends block r of root's send, of `bytes` bytes, to recv of the member of rank r.
 * send is used on root only, where recv may be the root's own block of it. Blocks of up to 256
 * bytes go along a binomial tree, others directly (Thakur et al. 2005, section 4.2). */
EYOT_RET int eyot_scatter(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                          uint64_t bytes);

/* The following move blocks of several lengths. sizes[r] is the bytes of the block of rank r, and
 * at[r] where it begins in the buffer, in bytes; at NULL: one after the other in the order of
 * ranks. A block that is received must not overlap another one, nor one that is sent (EINVAL), but
 * may lie in a gap between blocks. A length of 0 is no block. Sender and receiver of a block must
 * name the same length: else EMISMATCH, before any byte of it is moved, on the receiver, and on all
 * others as for other differences. Over MPI between nodes each pair of members compares its
 * lengths, and a block goes with them or after them; so do two members anywhere in forms that
 * block, but for eyot_collect. Else they begin with an operation in which all members tell their
 * lengths, so no member leaves them before all have come, but for eyot_allgatherv, where all pass
 * the same sizes; then each block goes directly to its receiver. */

/* eyot_scatterv is eyot_scatter of such blocks. send, sizes and at are used on root only. recv:
 * `bytes` bytes, the caller's length. */
EYOT_RET int eyot_scatterv(eyot_team_t team, eyot_tunit_t root, const void *send,
                           const uint64_t *sizes, const uint64_t *at, void *recv, uint64_t bytes);
/* eyot_gatherv and eyot_allgatherv collect such blocks: eyot_gatherv on root only, where alone
 * recv, sizes and at are used; eyot_allgatherv on all members, whose own block has sizes[rank]
 * bytes. send may be the caller's own block of recv. */
EYOT_RET int eyot_gatherv(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes,
                          void *recv, const uint64_t *sizes, const uint64_t *at);
EYOT_RET int eyot_allgatherv(eyot_team_t team, const void *send, void *recv, const uint64_t *sizes,
                             const uint64_t *at);
/* eyot_collect is eyot_allgatherv for lengths that each member knows only of its own block: blocks
 * lie in recv, of `capacity` bytes, one after the other, and sizes[0..size-1] are their lengths
 * (sizes may be NULL). send must not overlap recv, unless it lies where it goes. Errors: also
 * ERANGE (all blocks have more than capacity bytes). */
EYOT_RET int eyot_collect(eyot_team_t team, const void *send, uint64_t bytes, void *recv,
                          uint64_t capacity, uint64_t *sizes);
/* eyot_alltoallv exchanges such blocks between all members: block r of send goes to the member of
 * rank r, and block r of recv comes from it. Lengths and places are in bytes, so that elements may
 * differ from block to block. In place, recv is send and blocks lie where those are that are sent,
 * with the same lengths. */
EYOT_RET int eyot_alltoallv(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                            const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                            const uint64_t *recv_at);

/* A block whose bytes do not lie together: runs of run_bytes bytes, of which the first begins at
 * byte `at` of the buffer; count[0] of them follow each other at a distance of stride[0] bytes,
 * count[1] such rows at stride[1], count[2] planes at stride[2]. A count of 0 is 1; run_bytes of 0:
 * no block. Strides may be negative. The bytes of a block go in this order, from the first run of
 * the first row on. A column of a matrix of doubles in rows of n: {.run_bytes = 8, .count = {n},
 * .stride = {8 * n}}. Compare MPI_Type_create_subarray of MPI 4.1, section 5.1.3. */
#define EYOT_BLOCK_DIMS 3
typedef struct eyot_block {
  uint64_t at;
  uint64_t run_bytes;
  uint64_t count[EYOT_BLOCK_DIMS];
  int64_t stride[EYOT_BLOCK_DIMS];
} eyot_block_t;
/* eyot_alltoallw is eyot_alltoallv of such blocks: send_blocks[r] of send goes to the member of
 * rank r, recv_blocks[r] of recv comes from it. Both have as many bytes in all, and may have them
 * in other places: so a transposition or a redistribution of arrays needs no buffers of its own.
 * Runs of a received block must not overlap (EINVAL): each stride steps over all that lies within
 * it. Blocks of recv must not overlap each other (not checked); no byte between the first and the
 * last of send may be one of those of recv, unless recv is send: blocks may lie anywhere then, as
 * in a transposition in place. MPI 4.1, section 6.8, MPI_Alltoallw. */
EYOT_RET int eyot_alltoallw(eyot_team_t team, const void *send, const eyot_block_t *send_blocks,
                            void *recv, const eyot_block_t *recv_blocks);
/* eyot_alltoall_strided is eyot_alltoall of blocks of n elements of `bytes` bytes, which begin
 * send_stride and recv_stride bytes apart, over all blocks: element i of block r begins at byte
 * (r*n + i) * stride. n * bytes is the same on all members; strides are the caller's own.
 * recv_stride is `bytes` or more; elements of send may overlap. Buffers must not overlap, unless
 * recv is send, or strides are equal and one's elements lie in the other's gaps.
 * OpenSHMEM 1.5, section 9.9.7 (shmem_alltoalls). */
EYOT_RET int eyot_alltoall_strided(eyot_team_t team, const void *send, uint64_t send_stride,
                                   void *recv, uint64_t recv_stride, uint64_t n, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
