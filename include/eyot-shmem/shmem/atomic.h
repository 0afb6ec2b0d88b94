/* SPDX-License-Identifier: BSD-3-Clause */
/* shmem/atomic.h - atomic operations on symmetric words. Source: OpenSHMEM 1.5, "Atomic Memory
 * Operations".
 *
 * All operations on one word are atomic to each other if they have one width. Fetching forms return
 * when the result is here; the others are completed by quiet. */
#ifndef SHMEM_ATOMIC_H
#define SHMEM_ATOMIC_H

#include "rma.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEMI_AMO_EXTENDED(T, N, op)                                           \
  SHMEMI_FN_CTX(T, N##_atomic_fetch, const T *source, int pe);                  \
  SHMEMI_FN_CTX(void, N##_atomic_set, T *dest, T value, int pe);                \
  SHMEMI_FN_CTX(T, N##_atomic_swap, T *dest, T value, int pe);                  \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_nbi, T *fetch, const T *source, int pe); \
  SHMEMI_FN_CTX(void, N##_atomic_swap_nbi, T *fetch, T *dest, T value, int pe);
#define SHMEMI_AMO_STANDARD(T, N, op)                                                           \
  SHMEMI_FN_CTX(T, N##_atomic_compare_swap, T *dest, T cond, T value, int pe);                  \
  SHMEMI_FN_CTX(T, N##_atomic_fetch_inc, T *dest, int pe);                                      \
  SHMEMI_FN_CTX(void, N##_atomic_inc, T *dest, int pe);                                         \
  SHMEMI_FN_CTX(T, N##_atomic_fetch_add, T *dest, T value, int pe);                             \
  SHMEMI_FN_CTX(void, N##_atomic_add, T *dest, T value, int pe);                                \
  SHMEMI_FN_CTX(void, N##_atomic_compare_swap_nbi, T *fetch, T *dest, T cond, T value, int pe); \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_inc_nbi, T *fetch, T *dest, int pe);                     \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_add_nbi, T *fetch, T *dest, T value, int pe);
#define SHMEMI_AMO_BITWISE(T, N, op)                                                 \
  SHMEMI_FN_CTX(T, N##_atomic_fetch_and, T *dest, T value, int pe);                  \
  SHMEMI_FN_CTX(T, N##_atomic_fetch_or, T *dest, T value, int pe);                   \
  SHMEMI_FN_CTX(T, N##_atomic_fetch_xor, T *dest, T value, int pe);                  \
  SHMEMI_FN_CTX(void, N##_atomic_and, T *dest, T value, int pe);                     \
  SHMEMI_FN_CTX(void, N##_atomic_or, T *dest, T value, int pe);                      \
  SHMEMI_FN_CTX(void, N##_atomic_xor, T *dest, T value, int pe);                     \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_and_nbi, T *fetch, T *dest, T value, int pe); \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_or_nbi, T *fetch, T *dest, T value, int pe);  \
  SHMEMI_FN_CTX(void, N##_atomic_fetch_xor_nbi, T *fetch, T *dest, T value, int pe);

SHMEMI_AMO_EXTENDED_TYPES(SHMEMI_AMO_EXTENDED, )
SHMEMI_AMO_TYPES(SHMEMI_AMO_STANDARD, )
SHMEMI_AMO_BITWISE_TYPES(SHMEMI_AMO_BITWISE, )

#ifdef __cplusplus
}
#endif
#endif
