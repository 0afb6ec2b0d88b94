/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/coll_nb.h - collectives that go on while the program does other things, and plans of
 * collectives that are started again and again.
 *
 * Collective over the team: every member starts the same ones in the same order and form (starts of
 * plans meet no others); blocking collectives of the team may stand between. Up to 64 of a team may
 * be started and not completed (EBUSY). They go on in every call of eyot of the member, not during
 * its computation. Buffers are private memory, and the collective's from the start until it is
 * complete. Same results, bits and errors as the blocking forms of eyot/coll.h; a start tells of
 * errors in the caller's arguments, the completion of all others. Thread rule: that of eyot/init.h,
 * and one thread of a unit at a time for the collectives of a team. */
#ifndef EYOT_COLL_NB_H
#define EYOT_COLL_NB_H

#include "coll.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_..._nb start the collective of that name; *handle stands for it until it is complete. They
 * do not wait for other members, except in four of 262,144 calls, and where the caller's arguments
 * are refused. Memory for messages is made while they go on; after a team's first call the next
 * function that is collective over the team, and blocks, may wait until all have started that call.
 * With EYOT_CHECK=1 each call is a barrier.
 * Errors: those of eyot/coll.h that concern the arguments; EINVAL (handle is NULL); EBUSY.
 * Source of the schedule: T. Hoefler, A. Lumsdaine, W. Rehm, "Implementation and Performance
 * Analysis of Non-Blocking Collective Operations for MPI", SC 2007.
 *
 * eyot_..._plan make a plan of it, with these arguments, that eyot_coll_start starts. Local: only
 * the start is collective. Errors: as eyot_..._nb.
 *
 * eyot_barrier_nb is complete when all members have started it. Like all barriers it completes no
 * operation that was posted before. Unlike the split-phase barrier (eyot/barrier.h) it has its
 * place in the order of the team's collectives, several may be under way, and its handle can be
 * waited for among others. */
EYOT_RET int eyot_barrier_nb(eyot_team_t team, eyot_coll_t *handle);
EYOT_RET int eyot_barrier_plan(eyot_team_t team, eyot_coll_t *handle);
EYOT_RET int eyot_broadcast_nb(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes,
                               eyot_coll_t *handle);
EYOT_RET int eyot_broadcast_plan(eyot_team_t team, eyot_tunit_t root, void *buf, uint64_t bytes,
                                 eyot_coll_t *handle);
EYOT_RET int eyot_reduce_nb(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                            const void *send, void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_reduce_plan(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                              const void *send, void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_allreduce_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                               void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_allreduce_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                                 void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_gather_nb(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                            uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_gather_plan(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                              uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_allgather_nb(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                               eyot_coll_t *handle);
EYOT_RET int eyot_allgather_plan(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                                 eyot_coll_t *handle);
EYOT_RET int eyot_alltoall_nb(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                              eyot_coll_t *handle);
EYOT_RET int eyot_alltoall_plan(eyot_team_t team, const void *send, void *recv, uint64_t bytes,
                                eyot_coll_t *handle);
EYOT_RET int eyot_scatter_nb(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                             uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_scatter_plan(eyot_team_t team, eyot_tunit_t root, const void *send, void *recv,
                               uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_scan_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                          void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_scan_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                            void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_exscan_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                            void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_exscan_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                              void *recv, uint64_t n, eyot_coll_t *handle);
EYOT_RET int eyot_reduce_scatter_block_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                          const void *send, void *recv, uint64_t n,
                                          eyot_coll_t *handle);
EYOT_RET int eyot_reduce_scatter_block_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                            const void *send, void *recv, uint64_t n,
                                            eyot_coll_t *handle);
EYOT_RET int eyot_reduce_scatter_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                    const void *send, void *recv, const uint64_t *n,
                                    eyot_coll_t *handle);
EYOT_RET int eyot_reduce_scatter_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op,
                                      const void *send, void *recv, const uint64_t *n,
                                      eyot_coll_t *handle);

/* Of blocks of several lengths. Buffers are the collective's from the start until it is complete,
 * and so is `sizes` of eyot_collect, which is written when it completes. The other arrays of
 * lengths, places and blocks, and n of eyot_reduce_scatter, are copied: the program may change them
 * as soon as the call returns, and a plan keeps what they were when it was made. A member whose
 * lengths are not those of the others learns of it at completion. */
EYOT_RET int eyot_scatterv_nb(eyot_team_t team, eyot_tunit_t root, const void *send,
                              const uint64_t *sizes, const uint64_t *at, void *recv, uint64_t bytes,
                              eyot_coll_t *handle);
EYOT_RET int eyot_scatterv_plan(eyot_team_t team, eyot_tunit_t root, const void *send,
                                const uint64_t *sizes, const uint64_t *at, void *recv,
                                uint64_t bytes, eyot_coll_t *handle);
EYOT_RET int eyot_gatherv_nb(eyot_team_t team, eyot_tunit_t root, const void *send, uint64_t bytes,
                             void *recv, const uint64_t *sizes, const uint64_t *at,
                             eyot_coll_t *handle);
EYOT_RET int eyot_gatherv_plan(eyot_team_t team, eyot_tunit_t root, const void *send,
                               uint64_t bytes, void *recv, const uint64_t *sizes,
                               const uint64_t *at, eyot_coll_t *handle);
EYOT_RET int eyot_allgatherv_nb(eyot_team_t team, const void *send, void *recv,
                                const uint64_t *sizes, const uint64_t *at, eyot_coll_t *handle);
EYOT_RET int eyot_allgatherv_plan(eyot_team_t team, const void *send, void *recv,
                                  const uint64_t *sizes, const uint64_t *at, eyot_coll_t *handle);
EYOT_RET int eyot_collect_nb(eyot_team_t team, const void *send, uint64_t bytes, void *recv,
                             uint64_t capacity, uint64_t *sizes, eyot_coll_t *handle);
EYOT_RET int eyot_collect_plan(eyot_team_t team, const void *send, uint64_t bytes, void *recv,
                               uint64_t capacity, uint64_t *sizes, eyot_coll_t *handle);
EYOT_RET int eyot_alltoallv_nb(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                               const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                               const uint64_t *recv_at, eyot_coll_t *handle);
EYOT_RET int eyot_alltoallv_plan(eyot_team_t team, const void *send, const uint64_t *send_sizes,
                                 const uint64_t *send_at, void *recv, const uint64_t *recv_sizes,
                                 const uint64_t *recv_at, eyot_coll_t *handle);
EYOT_RET int eyot_alltoallw_nb(eyot_team_t team, const void *send, const eyot_block_t *send_blocks,
                               void *recv, const eyot_block_t *recv_blocks, eyot_coll_t *handle);
EYOT_RET int eyot_alltoallw_plan(eyot_team_t team, const void *send,
                                 const eyot_block_t *send_blocks, void *recv,
                                 const eyot_block_t *recv_blocks, eyot_coll_t *handle);
EYOT_RET int eyot_alltoall_strided_nb(eyot_team_t team, const void *send, uint64_t send_stride,
                                      void *recv, uint64_t recv_stride, uint64_t n, uint64_t bytes,
                                      eyot_coll_t *handle);
EYOT_RET int eyot_alltoall_strided_plan(eyot_team_t team, const void *send, uint64_t send_stride,
                                        void *recv, uint64_t recv_stride, uint64_t n,
                                        uint64_t bytes, eyot_coll_t *handle);

/* eyot_coll_start starts a plan. Collective; blocks as eyot_..._nb. Errors: EINVAL (no handle of
 * this unit), ESTATE (no plan, or started and not completed), EBUSY. */
EYOT_RET int eyot_coll_start(eyot_coll_t handle);
/* eyot_coll_wait and eyot_coll_test complete a collective that was started: the caller's buffers
 * are its own again, and hold the result. wait blocks; test does not, and writes *done. A handle of
 * eyot_..._nb is EYOT_COLL_DONE afterwards, also after an error of the collective; a plan can be
 * started again. wait_all waits for n of them, and returns the first error. Errors: those of the
 * collective; EINVAL (no handle of this unit, or NULL), ESTATE (a plan that was not started). */
EYOT_RET int eyot_coll_wait(eyot_coll_t *handle);
EYOT_RET int eyot_coll_test(eyot_coll_t *handle, bool *done);
EYOT_RET int eyot_coll_wait_all(eyot_coll_t *handles, size_t n);
/* eyot_coll_free frees a plan. Local. Errors: EINVAL, ESTATE (it was started and not completed). */
EYOT_RET int eyot_coll_free(eyot_coll_t *handle);

#ifdef __cplusplus
}
#endif

#endif
