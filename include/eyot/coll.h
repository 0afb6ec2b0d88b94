/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/coll.h - collectives over a team: broadcast, reduce, allreduce, gather, allgather, alltoall.
 *
 * Collective over the team: every member calls, in the same order as the team's other collectives,
 * with the same counts, types and root. Blocking. Buffers are private memory; on return the
 * caller's are complete and may be reused. Each call begins by comparing arguments and moves
 * nothing if they differ. Reductions combine in a fixed order, so equal inputs give bitwise equal
 * results on all members and in every run. Common errors: ESTATE, ETEAM; EINVAL (NULL buffer, size
 * overflow, undefined operator), EUNIT (root) on the member concerned; EMISMATCH (arguments differ,
 * or another member's were refused); ENOMEM (no scratch space in the symmetric heap). Thread rule:
 * that of eyot/init.h. */
#ifndef EYOT_COLL_H
#define EYOT_COLL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_broadcast copies `bytes` bytes from root's buf to every other member's buf, along a binomial
 * tree (R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations
 * in MPICH", 2005). */
EYOT_RET int eyot_broadcast(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes);
/* eyot_reduce and eyot_allreduce combine n elements of `type` of every member element by element:
 * eyot_reduce into recv on root only, eyot_allreduce into recv on every member. send and recv hold
 * n elements each; recv may equal send. Every operator but REPLACE and NOOP, on the types that
 * define it. A binomial tree as in eyot_broadcast; allreduce is a reduction to member 0 and a
 * broadcast. */
EYOT_RET int eyot_reduce(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                         const void *send, void *recv, uint64_t n);
EYOT_RET int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                            void *recv, uint64_t n);
/* eyot_gather and eyot_allgather collect a block of `bytes` bytes of each member, in team order:
 * eyot_gather on root only, eyot_allgather on every member. send: `bytes` bytes; recv: size*bytes
 * bytes, which must not overlap send; gather uses recv on root only. allgather is the algorithm of
 * J. Bruck et al., "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
 * Systems", 1997. */
EYOT_RET int eyot_gather(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                         uint64_t bytes);
EYOT_RET int eyot_allgather(eyot_team_t team, const void *send, void *recv, uint64_t bytes);
/* eyot_alltoall exchanges a block with every member. send and recv: size blocks of `bytes` bytes;
 * block i of send goes to member i, block i of recv comes from member i. They must not overlap. */
EYOT_RET int eyot_alltoall(eyot_team_t team, const void *send, void *recv, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
