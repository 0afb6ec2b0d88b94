/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/deprecated.h - what OpenSHMEM has deprecated and programs still use: active sets, the older
 * names of atomics, memory and setup, waits for a change. Source: OpenSHMEM 1.5, annex "Deprecated
 * API".
 *
 * An active set becomes a team of its members at its first use, and is kept; pSync and pWrk are
 * neither read nor written. */
#ifndef SHMEM_DEPRECATED_H
#define SHMEM_DEPRECATED_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* A program that has called start_pes is finalized when it ends. */
void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmalloc(size_t size);
void shfree(void *ptr);
void *shrealloc(void *ptr, size_t size);
void *shmemalign(size_t alignment, size_t size);

/* Caches are coherent: these do nothing. */
SHMEMI_FN(void, clear_cache_inv, (void));
SHMEMI_FN(void, clear_cache_line_inv, (void *dest));
SHMEMI_FN(void, set_cache_inv, (void));
SHMEMI_FN(void, set_cache_line_inv, (void *dest));
SHMEMI_FN(void, udcflush, (void));
SHMEMI_FN(void, udcflush_line, (void *dest));

#define SHMEMI_AMO_EXTENDED_OLD(T, N, op)                \
  SHMEMI_FN(T, N##_fetch, (const T *source, int pe));    \
  SHMEMI_FN(void, N##_set, (T * dest, T value, int pe)); \
  SHMEMI_FN(T, N##_swap, (T * dest, T value, int pe));
#define SHMEMI_AMO_OLD(T, N, op)                                \
  SHMEMI_FN(T, N##_cswap, (T * dest, T cond, T value, int pe)); \
  SHMEMI_FN(T, N##_finc, (T * dest, int pe));                   \
  SHMEMI_FN(void, N##_inc, (T * dest, int pe));                 \
  SHMEMI_FN(T, N##_fadd, (T * dest, T value, int pe));          \
  SHMEMI_FN(void, N##_add, (T * dest, T value, int pe));
SHMEMI_AMO_EXTENDED_TYPES(SHMEMI_AMO_EXTENDED_OLD, )
SHMEMI_AMO_TYPES(SHMEMI_AMO_OLD, )

/* Wait until the word differs from cmp_value. */
#define SHMEMI_WAIT_OLD(T, N, op) SHMEMI_FN(void, N##_wait, (T * ivar, T cmp_value));
SHMEMI_WAIT_TYPES(SHMEMI_WAIT_OLD, )
SHMEMI_FN(void, wait, (long *ivar, long cmp_value));
#ifndef __cplusplus /* where it is overloaded */
SHMEMI_FN(void, wait_until, (long *ivar, int cmp, long cmp_value));
#endif

SHMEMI_FN(void, barrier, (int PE_start, int logPE_stride, int PE_size, long *pSync));
#ifndef __cplusplus /* where it is overloaded */
SHMEMI_FN(void, sync, (int PE_start, int logPE_stride, int PE_size, long *pSync));
#endif

#define SHMEMI_ACTIVE(B, N, op)                                                             \
  SHMEMI_FN(void, alltoall##N,                                                              \
            (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
             int PE_size, long *pSync));                                                    \
  SHMEMI_FN(void, alltoalls##N,                                                             \
            (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,   \
             int PE_start, int logPE_stride, int PE_size, long *pSync));                    \
  SHMEMI_FN(void, broadcast##N,                                                             \
            (void *dest, const void *source, size_t nelems, int PE_root, int PE_start,      \
             int logPE_stride, int PE_size, long *pSync));                                  \
  SHMEMI_FN(void, collect##N,                                                               \
            (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
             int PE_size, long *pSync));                                                    \
  SHMEMI_FN(void, fcollect##N,                                                              \
            (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
             int PE_size, long *pSync));
#define SHMEMI_ACTIVE_SIZES(X, op) X(4, 32, op) X(8, 64, op)
SHMEMI_ACTIVE_SIZES(SHMEMI_ACTIVE, )

#define SHMEMI_TO_ALL_INTEGERS(X, op) \
  X(short, short, op) X(int, int, op) X(long, long, op) X(long long, longlong, op)
#define SHMEMI_TO_ALL_REALS(X, op) \
  SHMEMI_TO_ALL_INTEGERS(X, op)    \
  X(float, float, op) X(double, double, op) X(long double, longdouble, op)
#define SHMEMI_TO_ALL_ALL(X, op) SHMEMI_TO_ALL_REALS(X, op) SHMEMI_COMPLEX(X, op)
#define SHMEMI_TO_ALL(T, N, op)                                                                   \
  SHMEMI_FN(void, N##_##op,                                                                       \
            (T * dest, const T *source, int nreduce, int PE_start, int logPE_stride, int PE_size, \
             T *pWrk, long *pSync));
SHMEMI_TO_ALL_INTEGERS(SHMEMI_TO_ALL, and_to_all)
SHMEMI_TO_ALL_INTEGERS(SHMEMI_TO_ALL, or_to_all)
SHMEMI_TO_ALL_INTEGERS(SHMEMI_TO_ALL, xor_to_all)
SHMEMI_TO_ALL_REALS(SHMEMI_TO_ALL, max_to_all)
SHMEMI_TO_ALL_REALS(SHMEMI_TO_ALL, min_to_all)
SHMEMI_TO_ALL_ALL(SHMEMI_TO_ALL, sum_to_all)
SHMEMI_TO_ALL_ALL(SHMEMI_TO_ALL, prod_to_all)

#ifdef __cplusplus
}
#endif
#endif
