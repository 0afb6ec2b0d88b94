/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - Fortran: collectives of active sets. pSync and pWrk are neither read nor written, as in
 * the C interface. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/openshmem/fortran/fsh.h"

/* The active set, as parameters and as arguments of the C functions. */
#define SET const int *start, const int *log_stride, const int *size
#define SET_ARGS *start, *log_stride, *size

#define DEFINE(name, ...)            \
  void shmem_##name##_(__VA_ARGS__); \
  void shmem_##name##_(__VA_ARGS__)

#define BROADCAST(name, bits, op)                                                                  \
  DEFINE(broadcast##name, void *dest, const void *source, const int *nelems, const int *root, SET, \
         void *psync) {                                                                            \
    FSH_ENTER(broadcast##name);                                                                    \
    shmem_broadcast##bits(dest, source, fsh_count("nelems", nelems), *root, SET_ARGS, psync);      \
  }
FSH_COLL_SIZES(BROADCAST, )

#define GATHER(name, bits, op)                                                            \
  DEFINE(op##name, void *dest, const void *source, const int *nelems, SET, void *psync) { \
    FSH_ENTER(op##name);                                                                  \
    shmem_##op##bits(dest, source, fsh_count("nelems", nelems), SET_ARGS, psync);         \
  }
FSH_COLL_SIZES(GATHER, collect)
FSH_COLL_SIZES(GATHER, fcollect)
GATHER(32, 32, alltoall)
GATHER(64, 64, alltoall)

#define ALLTOALLS(bits)                                                                            \
  DEFINE(alltoalls##bits, void *dest, const void *source, const int *dst, const int *sst,          \
         const int *nelems, SET, void *psync) {                                                    \
    FSH_ENTER(alltoalls##bits);                                                                    \
    shmem_alltoalls##bits(dest, source, *dst, *sst, fsh_count("nelems", nelems), SET_ARGS, psync); \
  }
ALLTOALLS(32)
ALLTOALLS(64)

/* INTEGER*2 is not in 1.4, but in programs. */
#define REDUCE(C, F, op)                                                                         \
  DEFINE(F##_##op##_to_all, void *dest, const void *source, const int *nreduce, SET, void *pwrk, \
         void *psync) {                                                                          \
    FSH_ENTER(F##_##op##_to_all);                                                                \
    shmem_##C##_##op##_to_all(dest, source, *nreduce, SET_ARGS, pwrk, psync);                    \
  }
#define INTEGERS(op) REDUCE(short, int2, op) REDUCE(int, int4, op) REDUCE(long, int8, op)
#define REALS(op) INTEGERS(op) REDUCE(float, real4, op) REDUCE(double, real8, op)
#define NUMBERS(op) REALS(op) REDUCE(complexf, comp4, op) REDUCE(complexd, comp8, op)
INTEGERS(and)
INTEGERS(or)
INTEGERS(xor)
REALS(max)
REALS(min)
NUMBERS(sum)
NUMBERS(prod)

/* -- REAL*16 ----------------------------------------------------------------------------------- */

/* C has no function of this type where long double is another one: each PE reads the elements of
 * all others in the order of their numbers, so that the results are equal. */
#if __LDBL_MANT_DIG__ == 113
typedef long double real16;
#else
typedef __float128 real16;
#endif

typedef real16 combine_fn(real16 a, real16 b);

static real16 larger(real16 a, real16 b) {
  return a < b ? b : a;
}
static real16 smaller(real16 a, real16 b) {
  return b < a ? b : a;
}
static real16 sum(real16 a, real16 b) {
  return a + b;
}
static real16 product(real16 a, real16 b) {
  return a * b;
}

struct set {
  int start, log_stride, size;
  void *psync;
};

static void reduce16(combine_fn *combine, real16 *dest, const real16 *source, size_t n,
                     struct set set) {
  shmem_barrier(set.start, set.log_stride, set.size, set.psync);
  enum { PART = 64 };
  real16 *result = n == 0 ? NULL : malloc(n * sizeof *result), other[PART];
  if (result == NULL && n > 0) fsh_fail(EYOT_ENOMEM, "no memory for %zu elements", n);
  for (int i = 0; i < set.size; i++) {
    int pe = set.start + i * (1 << set.log_stride);
    if (i == 0) shmem_getmem(result, source, n * sizeof *result, pe);
    for (size_t at = 0, m; i > 0 && at < n; at += m) {
      m = n - at < PART ? n - at : PART;
      shmem_getmem(other, source + at, m * sizeof *other, pe);
      for (size_t k = 0; k < m; k++) result[at + k] = combine(result[at + k], other[k]);
    }
  }
  /* All have read the source, which may be the destination. */
  shmem_barrier(set.start, set.log_stride, set.size, set.psync);
  if (n > 0) memcpy(dest, result, n * sizeof *result);
  free(result);
}

#define REDUCE16(op, combine)                                                                      \
  DEFINE(real16_##op##_to_all, void *dest, const void *source, const int *nreduce, SET,            \
         void *pwrk, void *psync) {                                                                \
    (void)pwrk;                                                                                    \
    FSH_ENTER(real16_##op##_to_all);                                                               \
    reduce16(combine, dest, source, fsh_count("nreduce", nreduce), (struct set){SET_ARGS, psync}); \
  }
REDUCE16(max, larger)
REDUCE16(min, smaller)
REDUCE16(sum, sum)
REDUCE16(prod, product)
