/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.h - how combine functions are written, and the rows of the table of op.c that they fill.
 * For op.c and combine_*.c.
 *
 * Why it exists: the loops are generated once for every type and operator, in a form that compilers
 * vectorize (CMakeLists.txt has the options of these files). */
#ifndef EYOT_RMA_COMBINE_H
#define EYOT_RMA_COMBINE_H

#include "rma/op.h"

#define EYOTI_BUILTIN_OPS (EYOT_SUM_EXACT + 1)

/* Combine functions by operator; NULL: not defined. */
typedef eyoti_combine_fn *eyoti_combine_row[EYOTI_BUILTIN_OPS];

/* combine_int.c */
extern const eyoti_combine_row eyoti_row_i8, eyoti_row_u8, eyoti_row_i16, eyoti_row_u16,
    eyoti_row_i32, eyoti_row_u32, eyoti_row_i64, eyoti_row_u64;
/* combine_float.c */
extern const eyoti_combine_row eyoti_row_f32, eyoti_row_f64, eyoti_row_f80, eyoti_row_c32,
    eyoti_row_c64, eyoti_row_c80;
/* combine_pair.c */
extern const eyoti_combine_row eyoti_row_i32_index, eyoti_row_u32_index, eyoti_row_f32_index,
    eyoti_row_i64_index, eyoti_row_u64_index, eyoti_row_f64_index;

/* No iteration depends on another one, although out may be left or right. */
#if defined(__clang__)
#define EYOTI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define EYOTI_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Elements may lie in memory that was written as plain words, at any address. */
#define EYOTI_COMBINE(name, T, expression)                                       \
  static void name(void *out, const void *left, const void *right, uint64_t n) { \
    typedef T __attribute__((may_alias, aligned(1))) element;                    \
    element *o = out;                                                            \
    const element *l = left, *r = right;                                         \
    EYOTI_INDEPENDENT                                                            \
    for (uint64_t i = 0; i < n; i++) {                                           \
      T x = l[i], y = r[i];                                                      \
      o[i] = (element)(expression);                                              \
    }                                                                            \
  }
#endif
