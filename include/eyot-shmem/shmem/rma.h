/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/rma.h - put and get: typed, by size and in bytes; blocking, non-blocking, strided and
 * block-strided; put with signal. Source: OpenSHMEM 1.5, "Remote Memory Access Routines" and
 * "Signaling Operations"; 1.6 for ibput and ibget.
 *
 * A put returns when its source may be reused, a get when its bytes are here. Strides count
 * elements. */
#ifndef SHMEM_RMA_H
#define SHMEM_RMA_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A function, and its form with a context. */
#define SHMEMI_FN_CTX(result, name, ...)  \
  SHMEMI_FN(result, name, (__VA_ARGS__)); \
  SHMEMI_FN(result, ctx_##name, (shmem_ctx_t ctx, __VA_ARGS__))

/* All forms for elements of type T, with names that end in (or contain) N. */
#define SHMEMI_DECLARE_RMA(T, put, get, iput, iget, ibput, ibget, put_nbi, get_nbi, put_signal,    \
                           put_signal_nbi)                                                         \
  SHMEMI_FN_CTX(void, put, T *dest, const T *source, size_t nelems, int pe);                       \
  SHMEMI_FN_CTX(void, get, T *dest, const T *source, size_t nelems, int pe);                       \
  SHMEMI_FN_CTX(void, iput, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                int pe);                                                                           \
  SHMEMI_FN_CTX(void, iget, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                int pe);                                                                           \
  SHMEMI_FN_CTX(void, ibput, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
                size_t nblocks, int pe);                                                           \
  SHMEMI_FN_CTX(void, ibget, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, \
                size_t nblocks, int pe);                                                           \
  SHMEMI_FN_CTX(void, put_nbi, T *dest, const T *source, size_t nelems, int pe);                   \
  SHMEMI_FN_CTX(void, get_nbi, T *dest, const T *source, size_t nelems, int pe);                   \
  SHMEMI_FN_CTX(void, put_signal, T *dest, const T *source, size_t nelems, uint64_t *sig_addr,     \
                uint64_t signal, int sig_op, int pe);                                              \
  SHMEMI_FN_CTX(void, put_signal_nbi, T *dest, const T *source, size_t nelems, uint64_t *sig_addr, \
                uint64_t signal, int sig_op, int pe);

#define SHMEMI_RMA_TYPED(T, N, op)                                                               \
  SHMEMI_DECLARE_RMA(T, N##_put, N##_get, N##_iput, N##_iget, N##_ibput, N##_ibget, N##_put_nbi, \
                     N##_get_nbi, N##_put_signal, N##_put_signal_nbi)                            \
  SHMEMI_FN_CTX(void, N##_p, T *dest, T value, int pe);                                          \
  SHMEMI_FN_CTX(T, N##_g, const T *source, int pe);
#define SHMEMI_RMA_SIZED(B, N, op)                                                             \
  SHMEMI_DECLARE_RMA(void, put##N, get##N, iput##N, iget##N, ibput##N, ibget##N, put##N##_nbi, \
                     get##N##_nbi, put##N##_signal, put##N##_signal_nbi)

SHMEMI_RMA_TYPES(SHMEMI_RMA_TYPED, )
SHMEMI_SIZES(SHMEMI_RMA_SIZED, )

SHMEMI_FN_CTX(void, putmem, void *dest, const void *source, size_t nelems, int pe);
SHMEMI_FN_CTX(void, getmem, void *dest, const void *source, size_t nelems, int pe);
SHMEMI_FN_CTX(void, putmem_nbi, void *dest, const void *source, size_t nelems, int pe);
SHMEMI_FN_CTX(void, getmem_nbi, void *dest, const void *source, size_t nelems, int pe);
SHMEMI_FN_CTX(void, putmem_signal, void *dest, const void *source, size_t nelems,
              uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);
SHMEMI_FN_CTX(void, putmem_signal_nbi, void *dest, const void *source, size_t nelems,
              uint64_t *sig_addr, uint64_t signal, int sig_op, int pe);

#ifdef __cplusplus
}
#endif
#endif
