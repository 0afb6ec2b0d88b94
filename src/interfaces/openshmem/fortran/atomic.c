/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic.c - Fortran: atomics and waits. shmem_swap, shmem_wait and shmem_wait_until are of INTEGER
 * of default kind. */
#include "interfaces/openshmem/fortran/fsh.h"

#define DEFINE(result, name, args) \
  result shmem_##name##_ args;     \
  result shmem_##name##_ args

#define SWAP(T, C, name)                                       \
  DEFINE(T, name, (T * dest, const T *value, const int *pe)) { \
    FSH_ENTER(name);                                           \
    return shmem_##C##_atomic_swap(dest, *value, *pe);         \
  }
#define WORD(T, C, F, op)                                            \
  SWAP(T, C, F##_swap)                                               \
  DEFINE(T, F##_fetch, (const T *source, const int *pe)) {           \
    FSH_ENTER(F##_fetch);                                            \
    return shmem_##C##_atomic_fetch(source, *pe);                    \
  }                                                                  \
  DEFINE(void, F##_set, (T * dest, const T *value, const int *pe)) { \
    FSH_ENTER(F##_set);                                              \
    shmem_##C##_atomic_set(dest, *value, *pe);                       \
  }
FSH_WORDS(WORD, )
SWAP(int, int, swap)

#define ARITHMETIC(T, C, F, op)                                                    \
  DEFINE(T, F##_cswap, (T * dest, const T *cond, const T *value, const int *pe)) { \
    FSH_ENTER(F##_cswap);                                                          \
    return shmem_##C##_atomic_compare_swap(dest, *cond, *value, *pe);              \
  }                                                                                \
  DEFINE(T, F##_fadd, (T * dest, const T *value, const int *pe)) {                 \
    FSH_ENTER(F##_fadd);                                                           \
    return shmem_##C##_atomic_fetch_add(dest, *value, *pe);                        \
  }                                                                                \
  DEFINE(T, F##_finc, (T * dest, const int *pe)) {                                 \
    FSH_ENTER(F##_finc);                                                           \
    return shmem_##C##_atomic_fetch_inc(dest, *pe);                                \
  }                                                                                \
  DEFINE(void, F##_add, (T * dest, const T *value, const int *pe)) {               \
    FSH_ENTER(F##_add);                                                            \
    shmem_##C##_atomic_add(dest, *value, *pe);                                     \
  }                                                                                \
  DEFINE(void, F##_inc, (T * dest, const int *pe)) {                               \
    FSH_ENTER(F##_inc);                                                            \
    shmem_##C##_atomic_inc(dest, *pe);                                             \
  }
FSH_INTEGERS(ARITHMETIC, )

#define WAIT(T, C, name_wait, name_until)                                \
  DEFINE(void, name_wait, (T * ivar, const T *value)) {                  \
    FSH_ENTER(name_wait);                                                \
    shmem_##C##_wait_until(ivar, SHMEM_CMP_NE, *value);                  \
  }                                                                      \
  DEFINE(void, name_until, (T * ivar, const int *cmp, const T *value)) { \
    FSH_ENTER(name_until);                                               \
    shmem_##C##_wait_until(ivar, *cmp, *value);                          \
  }
#define WAITS(T, C, F, op) WAIT(T, C, F##_wait, F##_wait_until)
FSH_INTEGERS(WAITS, )
WAIT(int, int, wait, wait_until)
