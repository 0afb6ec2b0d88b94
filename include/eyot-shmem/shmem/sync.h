/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/sync.h - waits for words, signals, order and completion, barriers, locks. Source: OpenSHMEM
 * 1.5, "Point-To-Point Synchronization Routines", "Memory Ordering Routines", "Distributed Locking
 * Routines"; 1.6 for pe_quiet, signal_set and signal_add. */
#ifndef SHMEM_SYNC_H
#define SHMEM_SYNC_H

#include "rma.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the caller has waited for it sees with all that the sender had completed, or ordered by a
 * fence, before. A put that ends a wait synchronizes with that PE alone. status[i] other than 0
 * leaves word i out. */
#define SHMEMI_WAITS(T, N, op)                                                                \
  SHMEMI_FN(void, N##_wait_until, (T * ivar, int cmp, T cmp_value));                          \
  SHMEMI_FN(int, N##_test, (T * ivar, int cmp, T cmp_value));                                 \
  SHMEMI_FN(void, N##_wait_until_all,                                                         \
            (T * ivars, size_t nelems, const int *status, int cmp, T cmp_value));             \
  SHMEMI_FN(size_t, N##_wait_until_any,                                                       \
            (T * ivars, size_t nelems, const int *status, int cmp, T cmp_value));             \
  SHMEMI_FN(                                                                                  \
      size_t, N##_wait_until_some,                                                            \
      (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp, T cmp_value)); \
  SHMEMI_FN(void, N##_wait_until_all_vector,                                                  \
            (T * ivars, size_t nelems, const int *status, int cmp, const T *cmp_values));     \
  SHMEMI_FN(size_t, N##_wait_until_any_vector,                                                \
            (T * ivars, size_t nelems, const int *status, int cmp, const T *cmp_values));     \
  SHMEMI_FN(size_t, N##_wait_until_some_vector,                                               \
            (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp,          \
             const T *cmp_values));                                                           \
  SHMEMI_FN(int, N##_test_all,                                                                \
            (T * ivars, size_t nelems, const int *status, int cmp, T cmp_value));             \
  SHMEMI_FN(size_t, N##_test_any,                                                             \
            (T * ivars, size_t nelems, const int *status, int cmp, T cmp_value));             \
  SHMEMI_FN(                                                                                  \
      size_t, N##_test_some,                                                                  \
      (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp, T cmp_value)); \
  SHMEMI_FN(int, N##_test_all_vector,                                                         \
            (T * ivars, size_t nelems, const int *status, int cmp, const T *cmp_values));     \
  SHMEMI_FN(size_t, N##_test_any_vector,                                                      \
            (T * ivars, size_t nelems, const int *status, int cmp, const T *cmp_values));     \
  SHMEMI_FN(size_t, N##_test_some_vector,                                                     \
            (T * ivars, size_t nelems, size_t * indices, const int *status, int cmp,          \
             const T *cmp_values));
SHMEMI_WAIT_TYPES(SHMEMI_WAITS, )

SHMEMI_FN(uint64_t, signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_value));
SHMEMI_FN(uint64_t, signal_fetch, (const uint64_t *sig_addr));
SHMEMI_FN_CTX(void, signal_set, uint64_t *sig_addr, uint64_t signal, int pe);
SHMEMI_FN_CTX(void, signal_add, uint64_t *sig_addr, uint64_t signal, int pe);

SHMEMI_FN(void, fence, (void));
SHMEMI_FN(void, ctx_fence, (shmem_ctx_t ctx));
SHMEMI_FN(void, quiet, (void));
SHMEMI_FN(void, ctx_quiet, (shmem_ctx_t ctx));
SHMEMI_FN_CTX(void, pe_quiet, const int *target_pes, size_t npes);

/* barrier_all completes the operations of the default context, sync_all nothing. */
SHMEMI_FN(void, barrier_all, (void));
SHMEMI_FN(void, sync_all, (void));
SHMEMI_FN(int, team_sync, (shmem_team_t team));

/* A queue lock in the word itself (first come, first served): `lock` is 0 at all PEs before its
 * first use. */
SHMEMI_FN(void, set_lock, (long *lock));
SHMEMI_FN(void, clear_lock, (long *lock));
SHMEMI_FN(int, test_lock, (long *lock));

#ifdef __cplusplus
}
#endif
#endif
