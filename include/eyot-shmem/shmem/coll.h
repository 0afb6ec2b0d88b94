/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/coll.h - collective functions of teams. Source: OpenSHMEM 1.5, "Collective Routines"; 1.6
 * for the scans.
 *
 * Each compares the members' arguments first where eyot's collective does; a difference is an error
 * with a message on the members concerned, and a result other than 0. Reductions combine in an
 * order that depends on the number of members alone, so that equal inputs give bitwise equal
 * results. */
#ifndef SHMEM_COLL_H
#define SHMEM_COLL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEMI_DECLARE_COLL(T, alltoall, alltoalls, broadcast, collect, fcollect)          \
  SHMEMI_FN(int, alltoall, (shmem_team_t team, T * dest, const T *source, size_t nelems)); \
  SHMEMI_FN(int, alltoalls,                                                                \
            (shmem_team_t team, T * dest, const T *source, ptrdiff_t dst, ptrdiff_t sst,   \
             size_t nelems));                                                              \
  SHMEMI_FN(int, broadcast,                                                                \
            (shmem_team_t team, T * dest, const T *source, size_t nelems, int PE_root));   \
  SHMEMI_FN(int, collect, (shmem_team_t team, T * dest, const T *source, size_t nelems));  \
  SHMEMI_FN(int, fcollect, (shmem_team_t team, T * dest, const T *source, size_t nelems));
#define SHMEMI_COLL_TYPED(T, N, op) \
  SHMEMI_DECLARE_COLL(T, N##_alltoall, N##_alltoalls, N##_broadcast, N##_collect, N##_fcollect)
SHMEMI_RMA_TYPES(SHMEMI_COLL_TYPED, )
SHMEMI_DECLARE_COLL(void, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem)

#define SHMEMI_REDUCE(T, N, op) \
  SHMEMI_FN(int, N##_##op, (shmem_team_t team, T * dest, const T *source, size_t nreduce));
SHMEMI_REDUCE_BITWISE_TYPES(SHMEMI_REDUCE, and_reduce)
SHMEMI_REDUCE_BITWISE_TYPES(SHMEMI_REDUCE, or_reduce)
SHMEMI_REDUCE_BITWISE_TYPES(SHMEMI_REDUCE, xor_reduce)
SHMEMI_REDUCE_ORDERED_TYPES(SHMEMI_REDUCE, max_reduce)
SHMEMI_REDUCE_ORDERED_TYPES(SHMEMI_REDUCE, min_reduce)
SHMEMI_REDUCE_SUM_TYPES(SHMEMI_REDUCE, sum_reduce)
SHMEMI_REDUCE_SUM_TYPES(SHMEMI_REDUCE, prod_reduce)
SHMEMI_REDUCE_SUM_TYPES(SHMEMI_REDUCE, sum_inscan)
SHMEMI_REDUCE_SUM_TYPES(SHMEMI_REDUCE, sum_exscan)

#ifdef __cplusplus
}
#endif
#endif
