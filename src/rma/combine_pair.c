/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_pair.c - combine functions of value-index pairs: MINLOC and MAXLOC (combine.h).
 *
 * A value that is not a number comes before all others, then the better value, then the least
 * index, then the left operand. */
#include "rma/combine.h"

#define NO_NAN(v) false
#define IS_NAN(v) ((v) != (v))

/* Value and index have the same width and no padding: elements 2i and 2i+1 of two kinds of
 * arrays. */
#define PICK(name, V, I, isnan, AHEAD)                                           \
  static void name(void *out, const void *left, const void *right, uint64_t n) { \
    typedef V __attribute__((may_alias, aligned(1))) value;                      \
    typedef I __attribute__((may_alias, aligned(1))) index;                      \
    value *ov = out;                                                             \
    index *oi = out;                                                             \
    const value *lv = left, *rv = right;                                         \
    const index *li = left, *ri = right;                                         \
    EYOTI_INDEPENDENT                                                            \
    for (uint64_t i = 0; i < n; i++) {                                           \
      V x = lv[2 * i], y = rv[2 * i];                                            \
      I xi = li[2 * i + 1], yi = ri[2 * i + 1];                                  \
      bool x_nan = isnan(x), y_nan = isnan(y);                                   \
      bool same = (x_nan && y_nan) || x == y;                                    \
      bool ahead = y_nan ? !x_nan : !x_nan && y AHEAD x;                         \
      bool take = ahead || (same && yi < xi);                                    \
      ov[2 * i] = take ? y : x;                                                  \
      oi[2 * i + 1] = take ? yi : xi;                                            \
    }                                                                            \
  }

#define PAIR(t, T, V, I, isnan)                                                                \
  _Static_assert(                                                                              \
      sizeof(V) == sizeof(I) && sizeof(T) == 2 * sizeof(V) && offsetof(T, index) == sizeof(V), \
      "a pair is two elements of an array");                                                   \
  PICK(t##_minloc, V, I, isnan, <)                                                             \
  PICK(t##_maxloc, V, I, isnan, >)                                                             \
  const eyoti_combine_row eyoti_row_##t = {[EYOT_MINLOC] = t##_minloc, [EYOT_MAXLOC] = t##_maxloc};

PAIR(i32_index, eyot_int32_index_t, int32_t, int32_t, NO_NAN)
PAIR(u32_index, eyot_uint32_index_t, uint32_t, int32_t, NO_NAN)
PAIR(f32_index, eyot_float_index_t, float, int32_t, IS_NAN)
PAIR(i64_index, eyot_int64_index_t, int64_t, int64_t, NO_NAN)
PAIR(u64_index, eyot_uint64_index_t, uint64_t, int64_t, NO_NAN)
PAIR(f64_index, eyot_double_index_t, double, int64_t, IS_NAN)
