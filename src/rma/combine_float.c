/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_float.c - combine functions of floating-point and complex numbers (combine.h).
 *
 * Minima and maxima are those of IEEE 754-2019, section 9.6: not a number if an operand is not, and
 * -0 is less than +0; always the same NaN, so that bits do not depend on the order of operands. The
 * zeros need no look at bits: +0 + -0 is +0, the maximum, and -(-0 + +0) is the minimum.
 * Complex products are the schoolbook ones: C's own call a function that recovers infinities, and
 * no compiler vectorizes that. Expressions must not be contracted: a fused multiply-add would make
 * (ac-bd) depend on which product it fuses. */
#include "rma/combine.h"

#define NAN_OF(x, y) ((x) != (x) || (y) != (y))
#define ZEROS(x, y) ((x) == 0 && (y) == 0)
#define LEAST(x, y) (ZEROS(x, y) ? -(-(x) + -(y)) : (y) < (x) ? (y) : (x))
#define MOST(x, y) (ZEROS(x, y) ? (x) + (y) : (y) > (x) ? (y) : (x))

#define REAL(t, T, nan)                                                         \
  EYOTI_COMBINE(t##_sum, T, x + y)                                              \
  EYOTI_COMBINE(t##_prod, T, x *y)                                              \
  EYOTI_COMBINE(t##_min, T, NAN_OF(x, y) ? nan : LEAST(x, y))                   \
  EYOTI_COMBINE(t##_max, T, NAN_OF(x, y) ? nan : MOST(x, y))                    \
  EYOTI_COMBINE(t##_replace, T, ((void)x, y))                                   \
  EYOTI_COMBINE(t##_noop, T, ((void)y, x))                                      \
  const eyoti_combine_row eyoti_row_##t = {                                     \
      [EYOT_SUM] = t##_sum, [EYOT_PROD] = t##_prod,       [EYOT_MIN] = t##_min, \
      [EYOT_MAX] = t##_max, [EYOT_REPLACE] = t##_replace, [EYOT_NOOP] = t##_noop};

REAL(f32, float, __builtin_nanf(""))
REAL(f64, double, __builtin_nan(""))
REAL(f80, long double, __builtin_nanl(""))

#define COMPLEX(t, T)                                                                \
  EYOTI_COMBINE(t##_parts_sum, T, x + y)                                             \
  static void t##_sum(void *out, const void *left, const void *right, uint64_t n) {  \
    t##_parts_sum(out, left, right, 2 * n);                                          \
  }                                                                                  \
  static void t##_prod(void *out, const void *left, const void *right, uint64_t n) { \
    typedef T __attribute__((may_alias, aligned(1))) part;                           \
    part *o = out;                                                                   \
    const part *l = left, *r = right;                                                \
    EYOTI_INDEPENDENT                                                                \
    for (uint64_t i = 0; i < n; i++) {                                               \
      T a = l[2 * i], b = l[2 * i + 1], c = r[2 * i], d = r[2 * i + 1];              \
      o[2 * i] = a * c - b * d;                                                      \
      o[2 * i + 1] = a * d + b * c;                                                  \
    }                                                                                \
  }                                                                                  \
  const eyoti_combine_row eyoti_row_##t = {[EYOT_SUM] = t##_sum, [EYOT_PROD] = t##_prod};

COMPLEX(c32, float)
COMPLEX(c64, double)
COMPLEX(c80, long double)
