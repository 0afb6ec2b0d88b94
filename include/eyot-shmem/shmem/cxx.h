/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/cxx.h - the type-generic forms for C++: overloads with the names of those of C11 (an
 * extension; OpenSHMEM has them for C only). */
#ifndef SHMEM_CXX_H
#define SHMEM_CXX_H

#include "atomic.h"
#include "coll.h"
#include "deprecated.h"
#include "rma.h"
#include "setup.h"
#include "sync.h"

/* A function and its form with a context: SHMEMI_X(result, generic name, name, parameters,
 * arguments). Inlined even without optimization, so that messages name the program's line. */
#define SHMEMI_INLINE static inline __attribute__((always_inline, unused))
#define SHMEMI_X(R, generic, name, params, args) \
  SHMEMI_INLINE R shmem_##generic params {       \
    return shmem_##name args;                    \
  }
#define SHMEMI_ARGS(...) __VA_ARGS__
#define SHMEMI_XC(R, generic, N, op, params, args)                       \
  SHMEMI_INLINE R shmem_##generic(SHMEMI_ARGS params) {                  \
    return shmem_##N##_##op args;                                        \
  }                                                                      \
  SHMEMI_INLINE R shmem_##generic(shmem_ctx_t ctx, SHMEMI_ARGS params) { \
    return shmem_ctx_##N##_##op(ctx, SHMEMI_ARGS args);                  \
  }

SHMEMI_INLINE int shmem_sync(shmem_team_t team) {
  return shmem_team_sync(team);
}
extern "C" void pshmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);
SHMEMI_INLINE void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync) {
  pshmem_sync(PE_start, logPE_stride, PE_size, pSync);
}

#define SHMEMI_CXX_RMA(T, N, op)                                                             \
  SHMEMI_XC(void, put, N, put, (T * d, const T *s, size_t n, int pe), (d, s, n, pe))         \
  SHMEMI_XC(void, get, N, get, (T * d, const T *s, size_t n, int pe), (d, s, n, pe))         \
  SHMEMI_XC(void, put_nbi, N, put_nbi, (T * d, const T *s, size_t n, int pe), (d, s, n, pe)) \
  SHMEMI_XC(void, get_nbi, N, get_nbi, (T * d, const T *s, size_t n, int pe), (d, s, n, pe)) \
  SHMEMI_XC(void, p, N, p, (T * d, T v, int pe), (d, v, pe))                                 \
  SHMEMI_XC(T, g, N, g, (const T *s, int pe), (s, pe))                                       \
  SHMEMI_XC(void, iput, N, iput,                                                             \
            (T * d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe),             \
            (d, s, dst, sst, n, pe))                                                         \
  SHMEMI_XC(void, iget, N, iget,                                                             \
            (T * d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n, int pe),             \
            (d, s, dst, sst, n, pe))                                                         \
  SHMEMI_XC(void, ibput, N, ibput,                                                           \
            (T * d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t b, size_t n, int pe),   \
            (d, s, dst, sst, b, n, pe))                                                      \
  SHMEMI_XC(void, ibget, N, ibget,                                                           \
            (T * d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t b, size_t n, int pe),   \
            (d, s, dst, sst, b, n, pe))                                                      \
  SHMEMI_XC(void, put_signal, N, put_signal,                                                 \
            (T * d, const T *s, size_t n, uint64_t *sig, uint64_t v, int op_, int pe),       \
            (d, s, n, sig, v, op_, pe))                                                      \
  SHMEMI_XC(void, put_signal_nbi, N, put_signal_nbi,                                         \
            (T * d, const T *s, size_t n, uint64_t *sig, uint64_t v, int op_, int pe),       \
            (d, s, n, sig, v, op_, pe))
SHMEMI_RMA_C(SHMEMI_CXX_RMA, )

#define SHMEMI_CXX_COLL(T, N, op)                                                                  \
  SHMEMI_X(int, alltoall, N##_alltoall, (shmem_team_t t, T * d, const T *s, size_t n),             \
           (t, d, s, n))                                                                           \
  SHMEMI_X(int, alltoalls, N##_alltoalls,                                                          \
           (shmem_team_t t, T * d, const T *s, ptrdiff_t dst, ptrdiff_t sst, size_t n),            \
           (t, d, s, dst, sst, n))                                                                 \
  SHMEMI_X(int, broadcast, N##_broadcast, (shmem_team_t t, T * d, const T *s, size_t n, int root), \
           (t, d, s, n, root))                                                                     \
  SHMEMI_X(int, collect, N##_collect, (shmem_team_t t, T * d, const T *s, size_t n), (t, d, s, n)) \
  SHMEMI_X(int, fcollect, N##_fcollect, (shmem_team_t t, T * d, const T *s, size_t n), (t, d, s, n))
SHMEMI_RMA_C(SHMEMI_CXX_COLL, )

#define SHMEMI_CXX_EXTENDED(T, N, op)                                                              \
  SHMEMI_XC(T, atomic_fetch, N, atomic_fetch, (const T *s, int pe), (s, pe))                       \
  SHMEMI_XC(void, atomic_set, N, atomic_set, (T * d, T v, int pe), (d, v, pe))                     \
  SHMEMI_XC(T, atomic_swap, N, atomic_swap, (T * d, T v, int pe), (d, v, pe))                      \
  SHMEMI_XC(void, atomic_fetch_nbi, N, atomic_fetch_nbi, (T * f, const T *s, int pe), (f, s, pe))  \
  SHMEMI_XC(void, atomic_swap_nbi, N, atomic_swap_nbi, (T * f, T * d, T v, int pe), (f, d, v, pe)) \
  SHMEMI_X(T, fetch, N##_fetch, (const T *s, int pe), (s, pe))                                     \
  SHMEMI_X(void, set, N##_set, (T * d, T v, int pe), (d, v, pe))                                   \
  SHMEMI_X(T, swap, N##_swap, (T * d, T v, int pe), (d, v, pe))
SHMEMI_AMO_EXTENDED_C(SHMEMI_CXX_EXTENDED, )

#define SHMEMI_CXX_AMO(T, N, op)                                                              \
  SHMEMI_XC(T, atomic_compare_swap, N, atomic_compare_swap, (T * d, T c, T v, int pe),        \
            (d, c, v, pe))                                                                    \
  SHMEMI_XC(void, atomic_compare_swap_nbi, N, atomic_compare_swap_nbi,                        \
            (T * f, T * d, T c, T v, int pe), (f, d, c, v, pe))                               \
  SHMEMI_XC(T, atomic_fetch_inc, N, atomic_fetch_inc, (T * d, int pe), (d, pe))               \
  SHMEMI_XC(void, atomic_fetch_inc_nbi, N, atomic_fetch_inc_nbi, (T * f, T * d, int pe),      \
            (f, d, pe))                                                                       \
  SHMEMI_XC(void, atomic_inc, N, atomic_inc, (T * d, int pe), (d, pe))                        \
  SHMEMI_XC(T, atomic_fetch_add, N, atomic_fetch_add, (T * d, T v, int pe), (d, v, pe))       \
  SHMEMI_XC(void, atomic_fetch_add_nbi, N, atomic_fetch_add_nbi, (T * f, T * d, T v, int pe), \
            (f, d, v, pe))                                                                    \
  SHMEMI_XC(void, atomic_add, N, atomic_add, (T * d, T v, int pe), (d, v, pe))                \
  SHMEMI_X(T, cswap, N##_cswap, (T * d, T c, T v, int pe), (d, c, v, pe))                     \
  SHMEMI_X(T, finc, N##_finc, (T * d, int pe), (d, pe))                                       \
  SHMEMI_X(void, inc, N##_inc, (T * d, int pe), (d, pe))                                      \
  SHMEMI_X(T, fadd, N##_fadd, (T * d, T v, int pe), (d, v, pe))                               \
  SHMEMI_X(void, add, N##_add, (T * d, T v, int pe), (d, v, pe))
SHMEMI_AMO_C(SHMEMI_CXX_AMO, )

#define SHMEMI_CXX_BIT(T, N, name)                                                          \
  SHMEMI_XC(T, atomic_fetch##name, N, atomic_fetch##name, (T * d, T v, int pe), (d, v, pe)) \
  SHMEMI_XC(void, atomic##name, N, atomic##name, (T * d, T v, int pe), (d, v, pe))          \
  SHMEMI_XC(void, atomic_fetch##name##_nbi, N, atomic_fetch##name##_nbi,                    \
            (T * f, T * d, T v, int pe), (f, d, v, pe))
#define SHMEMI_CXX_BITWISE(T, N, op) \
  SHMEMI_CXX_BIT(T, N, _and) SHMEMI_CXX_BIT(T, N, _or) SHMEMI_CXX_BIT(T, N, _xor)
SHMEMI_AMO_BITWISE_C(SHMEMI_CXX_BITWISE, )

#define SHMEMI_ONE(T, N, name, V, v)                                                          \
  SHMEMI_X(int, test_all##name, N##_test_all##name,                                           \
           (T * p, size_t n, const int *st, int cmp, V v), (p, n, st, cmp, v))                \
  SHMEMI_X(size_t, test_any##name, N##_test_any##name,                                        \
           (T * p, size_t n, const int *st, int cmp, V v), (p, n, st, cmp, v))                \
  SHMEMI_X(size_t, test_some##name, N##_test_some##name,                                      \
           (T * p, size_t n, size_t * i, const int *st, int cmp, V v), (p, n, i, st, cmp, v)) \
  SHMEMI_X(void, wait_until_all##name, N##_wait_until_all##name,                              \
           (T * p, size_t n, const int *st, int cmp, V v), (p, n, st, cmp, v))                \
  SHMEMI_X(size_t, wait_until_any##name, N##_wait_until_any##name,                            \
           (T * p, size_t n, const int *st, int cmp, V v), (p, n, st, cmp, v))                \
  SHMEMI_X(size_t, wait_until_some##name, N##_wait_until_some##name,                          \
           (T * p, size_t n, size_t * i, const int *st, int cmp, V v), (p, n, i, st, cmp, v))
#define SHMEMI_CXX_WAIT(T, N, op)                                                \
  SHMEMI_X(void, wait_until, N##_wait_until, (T * p, int cmp, T v), (p, cmp, v)) \
  SHMEMI_X(int, test, N##_test, (T * p, int cmp, T v), (p, cmp, v))              \
  SHMEMI_ONE(T, N, , T, v)                                                       \
  SHMEMI_ONE(T, N, _vector, const T *, v)
SHMEMI_WAIT_C(SHMEMI_CXX_WAIT, )

#define SHMEMI_CXX_REDUCE(T, N, name) \
  SHMEMI_X(int, name, N##_##name, (shmem_team_t t, T * d, const T *s, size_t n), (t, d, s, n))
SHMEMI_REDUCE_BITWISE_C(SHMEMI_CXX_REDUCE, and_reduce)
SHMEMI_REDUCE_BITWISE_C(SHMEMI_CXX_REDUCE, or_reduce)
SHMEMI_REDUCE_BITWISE_C(SHMEMI_CXX_REDUCE, xor_reduce)
SHMEMI_REDUCE_ORDERED_C(SHMEMI_CXX_REDUCE, max_reduce)
SHMEMI_REDUCE_ORDERED_C(SHMEMI_CXX_REDUCE, min_reduce)
SHMEMI_REDUCE_SUM_C(SHMEMI_CXX_REDUCE, sum_reduce)
SHMEMI_REDUCE_SUM_C(SHMEMI_CXX_REDUCE, prod_reduce)
SHMEMI_REDUCE_SUM_C(SHMEMI_CXX_REDUCE, sum_inscan)
SHMEMI_REDUCE_SUM_C(SHMEMI_CXX_REDUCE, sum_exscan)
#endif
