/* SPDX-License-Identifier: BSD-3-Clause */
/* active.c - the deprecated collective functions of active sets: those of the team that an active
 * set stands for (team.c). Errors end the run, because these functions return nothing. */
#include "interfaces/openshmem/coll.h"
#include "interfaces/openshmem/reduce.h"

static shmem_team_t set_of(int first, int log_stride, int size, const long *psync) {
  if (psync == NULL) osh_fail(EYOT_EINVAL, "pSync is NULL");
  return osh_active_set(first, log_stride, size);
}

OSH_DEFINE(void, barrier, (int PE_start, int logPE_stride, int PE_size, long *pSync)) {
  OSH_ENTER("shmem_barrier");
  shmem_team_t team = set_of(PE_start, logPE_stride, PE_size, pSync);
  osh_quiet();
  osh_must(eyot_barrier(osh_team(team)));
}

#undef shmem_sync
OSH_DEFINE(void, sync, (int PE_start, int logPE_stride, int PE_size, long *pSync)) {
  OSH_ENTER("shmem_sync");
  osh_must(osh_sync(osh_team(set_of(PE_start, logPE_stride, PE_size, pSync))));
}

#define SET int PE_start, int logPE_stride, int PE_size
#define BODY(call, kind, B, ...)                                                    \
  {                                                                                 \
    OSH_ENTER(call);                                                                \
    shmem_team_t team = set_of(PE_start, logPE_stride, PE_size, pSync);             \
    osh_must(osh_##kind(team, (struct osh_buffers){dest, source, B}, __VA_ARGS__)); \
  }
#define DEFINE_ACTIVE(B, N, op)                                                                    \
  OSH_DEFINE(void, alltoall##N, (void *dest, const void *source, size_t nelems, SET, long *pSync)) \
  BODY("shmem_alltoall" #N, alltoall, B, nelems)                                                   \
  OSH_DEFINE(void, alltoalls##N,                                                                   \
             (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET,    \
              long *pSync))                                                                        \
  BODY("shmem_alltoalls" #N, alltoalls, B, dst, sst, nelems)                                       \
  OSH_DEFINE(void, broadcast##N,                                                                   \
             (void *dest, const void *source, size_t nelems, int PE_root, SET, long *pSync))       \
  BODY("shmem_broadcast" #N, broadcast, B, nelems, PE_root, false)                                 \
  OSH_DEFINE(void, collect##N, (void *dest, const void *source, size_t nelems, SET, long *pSync))  \
  BODY("shmem_collect" #N, collect, B, nelems)                                                     \
  OSH_DEFINE(void, fcollect##N, (void *dest, const void *source, size_t nelems, SET, long *pSync)) \
  BODY("shmem_fcollect" #N, fcollect, B, nelems)
SHMEMI_ACTIVE_SIZES(DEFINE_ACTIVE, )

#define DEFINE_TO_ALL(T, N, name, op)                                                 \
  OSH_DEFINE(void, N##_##name##_to_all,                                               \
             (T * dest, const T *source, int nreduce, SET, T *pWrk, long *pSync)) {   \
    OSH_ENTER("shmem_" #N "_" #name "_to_all");                                       \
    (void)pWrk;                                                                       \
    if (nreduce < 0) osh_fail(EYOT_EINVAL, "nreduce is %d", nreduce);                 \
    struct osh_reduction r = osh_reduction_of(OSH_TYPE(T), sizeof(T), op);            \
    osh_must(osh_reduce(set_of(PE_start, logPE_stride, PE_size, pSync), dest, source, \
                        (uint64_t)nreduce, &r));                                      \
  }
#define DEFINE_INTEGERS(T, N, op)     \
  DEFINE_TO_ALL(T, N, and, EYOT_BAND) \
  DEFINE_TO_ALL(T, N, or, EYOT_BOR)   \
  DEFINE_TO_ALL(T, N, xor, EYOT_BXOR)
#define DEFINE_REALS(T, N, op)       \
  DEFINE_TO_ALL(T, N, max, EYOT_MAX) \
  DEFINE_TO_ALL(T, N, min, EYOT_MIN)
#define DEFINE_SUMS(T, N, op)        \
  DEFINE_TO_ALL(T, N, sum, EYOT_SUM) \
  DEFINE_TO_ALL(T, N, prod, EYOT_PROD)
SHMEMI_TO_ALL_INTEGERS(DEFINE_INTEGERS, )
SHMEMI_TO_ALL_REALS(DEFINE_REALS, )
SHMEMI_TO_ALL_ALL(DEFINE_SUMS, )
