/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans over teams.
 *
 * Elements of 4 and 8 bytes, and sums of complex numbers, are eyot's own reductions. Integers of 1
 * and 2 bytes are widened to 4: sums and products keep their lower bits, the other operations their
 * values. For long double and products of complex numbers, and for scans, each member gathers all
 * elements and combines them in the order of members, a piece at a time. */
#include "interfaces/openshmem/reduce.h"

#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/openshmem/coll.h"

#define PIECE 4096u             /* elements that are widened at a time */
#define GATHER_BYTES (1u << 20) /* that a member gathers at a time */

static void check_both(const void *dest, const void *source, uint64_t n, uint64_t bytes) {
  uint64_t all = osh_bytes("the number of elements", n, bytes);
  osh_symmetric("dest", dest, all);
  osh_symmetric("source", source, all);
}

/* Elements of a piece when all members' are gathered. */
static uint64_t piece_of(const struct shmemi_team *team, uint64_t bytes) {
  uint64_t n = GATHER_BYTES / (bytes * (uint64_t)team->size);
  return n == 0 ? 1 : n;
}

static int reduce_widened(shmem_team_t team, char *dest, const char *source, uint64_t n,
                          const struct osh_reduction *r) {
  uint64_t most = n < PIECE ? n : PIECE;
  int32_t *wide = osh_scratch(most * sizeof *wide);
  int rc = EYOT_OK;
  for (uint64_t i = 0; rc == EYOT_OK && i < n; i += PIECE) {
    uint64_t k = n - i < PIECE ? n - i : PIECE;
    r->widen(wide, source + i * r->bytes, k);
    rc = eyot_allreduce(osh_team(team), r->type, r->op, wide, wide, k);
    if (rc == EYOT_OK) r->narrow(dest + i * r->bytes, wide, k);
  }
  free(wide);
  return rc;
}

/* Combines the elements of members from..to-1 of n elements each. */
static void fold(char *into, const char *all, uint64_t from, uint64_t to, uint64_t n,
                 const struct osh_reduction *r, bool turned, uint64_t size) {
  for (uint64_t m = from; m < to; m++) {
    const char *block = all + (turned ? size - 1 - m : m) * n * r->bytes;
    if (m == from)
      memcpy(into, block, n * r->bytes);
    else
      r->combine(into, block, n);
  }
}

/* Gathers piece by piece, and combines the elements of the first `last` members. */
static int reduce_gathered(shmem_team_t team, char *dest, const char *source, uint64_t n,
                           const struct osh_reduction *r, uint64_t last) {
  uint64_t piece = piece_of(team, r->bytes), size = (uint64_t)team->size;
  if (piece > n) piece = n;
  char *all = osh_scratch(piece * r->bytes * size);
  int rc = EYOT_OK;
  for (uint64_t i = 0; rc == EYOT_OK && i < n; i += piece) {
    uint64_t k = n - i < piece ? n - i : piece;
    rc = eyot_allgather(osh_team(team), source + i * r->bytes, all, k * r->bytes);
    if (rc != EYOT_OK) break;
    if (last == 0)
      memset(dest + i * r->bytes, 0, k * r->bytes);
    else
      fold(dest + i * r->bytes, all, 0, last, k, r, team->stride < 0, size);
  }
  free(all);
  return rc;
}

int osh_reduce(shmem_team_t team, void *dest, const void *source, uint64_t n,
               const struct osh_reduction *r) {
  eyot_team_t t = osh_team(team);
  if (n == 0) return EYOT_OK;
  check_both(dest, source, n, r->bytes);
  if (r->combines) return reduce_gathered(team, dest, source, n, r, (uint64_t)team->size);
  if (r->widen != NULL) return reduce_widened(team, dest, source, n, r);
  return eyot_allreduce(t, r->type, r->op, source, dest, n * r->per);
}

int osh_scan(shmem_team_t team, void *dest, const void *source, uint64_t n,
             const struct osh_reduction *r, bool inclusive) {
  (void)osh_team(team);
  if (n == 0) return EYOT_OK;
  check_both(dest, source, n, r->bytes);
  return reduce_gathered(team, dest, source, n, r, (uint64_t)team->me + (inclusive ? 1 : 0));
}

/* -- the operations of each type --------------------------------------------------------------- */

#define DEFINE_COMBINE(T, N, name, expression)                                 \
  static void combine_##N##_##name(void *into, const void *from, uint64_t n) { \
    T *a = into;                                                               \
    const T *b = from;                                                         \
    for (uint64_t i = 0; i < n; i++) a[i] = (T)(expression);                   \
  }
#define DEFINE_SUM(T, N, op) DEFINE_COMBINE(T, N, sum, a[i] + b[i])
SHMEMI_REDUCE_SUM_TYPES(DEFINE_SUM, )
DEFINE_COMBINE(long double, longdouble, prod, a[i] * b[i])
DEFINE_COMBINE(double _Complex, complexd, prod, a[i] * b[i])
DEFINE_COMBINE(float _Complex, complexf, prod, a[i] * b[i])
DEFINE_COMBINE(long double, longdouble, max, a[i] < b[i] ? b[i] : a[i])
DEFINE_COMBINE(long double, longdouble, min, b[i] < a[i] ? b[i] : a[i])

#define DEFINE_WIDE(T, W, N)                                       \
  static void widen_##N(void *to, const void *from, uint64_t n) {  \
    W *a = to;                                                     \
    const T *b = from;                                             \
    for (uint64_t i = 0; i < n; i++) a[i] = (W)b[i];               \
  }                                                                \
  static void narrow_##N(void *to, const void *from, uint64_t n) { \
    T *a = to;                                                     \
    const W *b = from;                                             \
    for (uint64_t i = 0; i < n; i++) a[i] = (T)b[i];               \
  }
DEFINE_WIDE(int8_t, int32_t, i8)
DEFINE_WIDE(int16_t, int32_t, i16)
DEFINE_WIDE(uint8_t, uint32_t, u8)
DEFINE_WIDE(uint16_t, uint32_t, u16)

#define INTEGER(T, O)                                                                             \
  (struct osh_reduction) {                                                                        \
    .bytes = sizeof(T), .op = (O), .per = 1,                                                      \
    .type = sizeof(T) == 8 ? (IS_SIGNED(T) ? EYOT_INT64 : EYOT_UINT64)                            \
                           : (IS_SIGNED(T) ? EYOT_INT32 : EYOT_UINT32),                           \
    .widen = sizeof(T) == 1 ? (IS_SIGNED(T) ? widen_i8 : widen_u8)                                \
                            : (sizeof(T) == 2 ? (IS_SIGNED(T) ? widen_i16 : widen_u16) : NULL),   \
    .narrow = sizeof(T) == 1 ? (IS_SIGNED(T) ? narrow_i8 : narrow_u8)                             \
                             : (sizeof(T) == 2 ? (IS_SIGNED(T) ? narrow_i16 : narrow_u16) : NULL) \
  }
#define IS_SIGNED(T) ((T)-1 < (T)1)

/* How eyot reduces type N by operation O; GATHERED: it does not. */
#define REAL(T, E, P, O)                                   \
  (struct osh_reduction) {                                 \
    .bytes = sizeof(T), .op = (O), .per = (P), .type = (E) \
  }
#define GATHERED(T, f)                                   \
  (struct osh_reduction) {                               \
    .bytes = sizeof(T), .combines = true, .combine = (f) \
  }

struct osh_reduction osh_reduction_of(enum osh_type type, uint64_t bytes, eyot_op_t op) {
  switch (type) {
    case OSH_SIGNED:
      switch (bytes) {
        case 1:
          return INTEGER(int8_t, op);
        case 2:
          return INTEGER(int16_t, op);
        case 4:
          return INTEGER(int32_t, op);
        default:
          return INTEGER(int64_t, op);
      }
    case OSH_UNSIGNED:
      switch (bytes) {
        case 1:
          return INTEGER(uint8_t, op);
        case 2:
          return INTEGER(uint16_t, op);
        case 4:
          return INTEGER(uint32_t, op);
        default:
          return INTEGER(uint64_t, op);
      }
    case OSH_FLOAT:
      return REAL(float, EYOT_FLOAT, 1, op);
    case OSH_DOUBLE:
      return REAL(double, EYOT_DOUBLE, 1, op);
    case OSH_LONG_DOUBLE:
      return GATHERED(long double, op == EYOT_SUM    ? combine_longdouble_sum
                                   : op == EYOT_PROD ? combine_longdouble_prod
                                   : op == EYOT_MAX  ? combine_longdouble_max
                                                     : combine_longdouble_min);
    case OSH_COMPLEX_FLOAT:
      if (op == EYOT_SUM) return REAL(float _Complex, EYOT_FLOAT, 2, op);
      return GATHERED(float _Complex, combine_complexf_prod);
    default:
      if (op == EYOT_SUM) return REAL(double _Complex, EYOT_DOUBLE, 2, op);
      return GATHERED(double _Complex, combine_complexd_prod);
  }
}

/* -- the functions ----------------------------------------------------------------------------- */

#define DEFINE_REDUCE(T, N, name, op)                                          \
  OSH_DEFINE(int, N##_##name##_reduce,                                         \
             (shmem_team_t team, T * dest, const T *source, size_t nreduce)) { \
    OSH_ENTER("shmem_" #N "_" #name "_reduce");                                \
    struct osh_reduction r = osh_reduction_of(OSH_TYPE(T), sizeof(T), op);     \
    return osh_reduce(team, dest, source, nreduce, &r) != EYOT_OK;             \
  }
#define DEFINE_BITWISE(T, N, op)      \
  DEFINE_REDUCE(T, N, and, EYOT_BAND) \
  DEFINE_REDUCE(T, N, or, EYOT_BOR)   \
  DEFINE_REDUCE(T, N, xor, EYOT_BXOR)
#define DEFINE_ORDERED(T, N, op)     \
  DEFINE_REDUCE(T, N, max, EYOT_MAX) \
  DEFINE_REDUCE(T, N, min, EYOT_MIN)
#define DEFINE_SCAN(T, N, name, inclusive)                                                         \
  OSH_DEFINE(int, N##_sum_##name, (shmem_team_t team, T * dest, const T *source, size_t nelems)) { \
    OSH_ENTER("shmem_" #N "_sum_" #name);                                                          \
    struct osh_reduction r = GATHERED(T, combine_##N##_sum);                                       \
    return osh_scan(team, dest, source, nelems, &r, inclusive) != EYOT_OK;                         \
  }
#define DEFINE_SUMS(T, N, op)          \
  DEFINE_REDUCE(T, N, sum, EYOT_SUM)   \
  DEFINE_REDUCE(T, N, prod, EYOT_PROD) \
  DEFINE_SCAN(T, N, inscan, true)      \
  DEFINE_SCAN(T, N, exscan, false)
SHMEMI_REDUCE_BITWISE_TYPES(DEFINE_BITWISE, )
SHMEMI_REDUCE_ORDERED_TYPES(DEFINE_ORDERED, )
SHMEMI_REDUCE_SUM_TYPES(DEFINE_SUMS, )
