/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans over teams.
 *
 * Reductions and scans are eyot's own. eyot's teams are sorted: where the stride of a team is
 * negative, each member gathers all elements for a scan, and combines them in the order of PEs, a
 * piece at a time. */
#include "interfaces/openshmem/reduce.h"

#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/openshmem/coll.h"

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
  return eyot_allreduce(t, r->type, r->op, source, dest, n);
}

int osh_scan(shmem_team_t team, void *dest, const void *source, uint64_t n,
             const struct osh_reduction *r, bool inclusive) {
  eyot_team_t t = osh_team(team);
  if (n == 0) return EYOT_OK;
  check_both(dest, source, n, r->bytes);
  bool in_order = team->stride >= 0 || team->size == 1;
  if (in_order && inclusive) return eyot_scan(t, r->type, r->op, source, dest, n);
  if (in_order) {
    int rc = eyot_exscan(t, r->type, r->op, source, dest, n);
    if (rc == EYOT_OK && team->me == 0) memset(dest, 0, n * r->bytes); /* eyot leaves it */
    return rc;
  }
  return reduce_gathered(team, dest, source, n, r, (uint64_t)team->me + (inclusive ? 1 : 0));
}

/* -- the operations of each type --------------------------------------------------------------- */

static eyot_type_t integer_type(bool is_signed, uint64_t bytes) {
  switch (bytes) {
    case 1:
      return is_signed ? EYOT_INT8 : EYOT_UINT8;
    case 2:
      return is_signed ? EYOT_INT16 : EYOT_UINT16;
    case 4:
      return is_signed ? EYOT_INT32 : EYOT_UINT32;
    default:
      return is_signed ? EYOT_INT64 : EYOT_UINT64;
  }
}

struct osh_reduction osh_reduction_of(enum osh_type type, uint64_t bytes, eyot_op_t op) {
  static const eyot_type_t TYPES[] = {[OSH_FLOAT] = EYOT_FLOAT,
                                      [OSH_DOUBLE] = EYOT_DOUBLE,
                                      [OSH_LONG_DOUBLE] = EYOT_LONG_DOUBLE,
                                      [OSH_COMPLEX_FLOAT] = EYOT_FLOAT_COMPLEX,
                                      [OSH_COMPLEX_DOUBLE] = EYOT_DOUBLE_COMPLEX};
  bool integer = type == OSH_SIGNED || type == OSH_UNSIGNED;
  return (struct osh_reduction){
      .bytes = bytes,
      .type = integer ? integer_type(type == OSH_SIGNED, bytes) : TYPES[type],
      .op = op};
}

/* In scans: into[i] = into[i] + from[i]. */
#define DEFINE_SUM(T, N, op)                                                \
  static void combine_##N##_sum(void *into, const void *from, uint64_t n) { \
    T *a = into;                                                            \
    const T *b = from;                                                      \
    for (uint64_t i = 0; i < n; i++) a[i] = (T)(a[i] + b[i]);               \
  }
SHMEMI_REDUCE_SUM_TYPES(DEFINE_SUM, )

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
    struct osh_reduction r = osh_reduction_of(OSH_TYPE(T), sizeof(T), EYOT_SUM);                   \
    r.combine = combine_##N##_sum;                                                                 \
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
