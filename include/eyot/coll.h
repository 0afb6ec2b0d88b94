/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/coll.h - collectives over a team: broadcast, reduce, allreduce, gather, allgather, alltoall.
 *
 * Every member calls, in the same order, with the same counts, types and root. Blocking; buffers are private memory and may be reused on
 * return. Each begins by agreeing on its arguments: a mismatch is EMISMATCH on every member and moves nothing. Reductions combine in a fixed
 * order, so equal inputs give bitwise equal results on all members and in every run. Errors: ETEAM, EINVAL, EUNIT (root), EMISMATCH, ENOMEM
 * (scratch space in the symmetric heap). One thread of a unit at a time.
 * Barriers: eyot/barrier.h. */
#ifndef EYOT_COLL_H
#define EYOT_COLL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* buf: `bytes` bytes; read on root, written elsewhere. */
EYOT_API int eyot_broadcast(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes);
/* send, recv: n elements; recv is used on root only and may equal send. */
EYOT_API int eyot_reduce(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                         const void *send, void *recv, uint64_t n);
EYOT_API int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                            void *recv, uint64_t n);
/* send: `bytes` bytes each; recv: size*bytes on root, in team order. */
EYOT_API int eyot_gather(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                         uint64_t bytes);
EYOT_API int eyot_allgather(eyot_team_t team, const void *send, void *recv, uint64_t bytes);
/* send, recv: size blocks of `bytes`; block i of send goes to unit i, block i of recv comes from unit i. They must not overlap. */
EYOT_API int eyot_alltoall(eyot_team_t team, const void *send, void *recv, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
