/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_int.c - combine functions of integers (combine.h).
 *
 * Sums and products are those of an unsigned type of at least 32 bits, so that they wrap on signed
 * types too, as the fabric's atomics do, and so that 16-bit products do not overflow an int. */
#include "rma/combine.h"

#define INTEGER(t, T, U)                                                            \
  EYOTI_COMBINE(t##_sum, T, (U)x + (U)y)                                            \
  EYOTI_COMBINE(t##_prod, T, (U)x *(U)y)                                            \
  EYOTI_COMBINE(t##_min, T, y < x ? y : x)                                          \
  EYOTI_COMBINE(t##_max, T, y > x ? y : x)                                          \
  EYOTI_COMBINE(t##_band, T, (U)x &(U)y)                                            \
  EYOTI_COMBINE(t##_bor, T, (U)x | (U)y)                                            \
  EYOTI_COMBINE(t##_bxor, T, (U)x ^ (U)y)                                           \
  EYOTI_COMBINE(t##_replace, T, ((void)x, y))                                       \
  EYOTI_COMBINE(t##_noop, T, ((void)y, x))                                          \
  EYOTI_COMBINE(t##_land, T, (x != 0) & (y != 0))                                   \
  EYOTI_COMBINE(t##_lor, T, (x != 0) | (y != 0))                                    \
  EYOTI_COMBINE(t##_lxor, T, (x != 0) ^ (y != 0))                                   \
  const eyoti_combine_row eyoti_row_##t = {                                         \
      [EYOT_SUM] = t##_sum,   [EYOT_PROD] = t##_prod,       [EYOT_MIN] = t##_min,   \
      [EYOT_MAX] = t##_max,   [EYOT_BAND] = t##_band,       [EYOT_BOR] = t##_bor,   \
      [EYOT_BXOR] = t##_bxor, [EYOT_REPLACE] = t##_replace, [EYOT_NOOP] = t##_noop, \
      [EYOT_LAND] = t##_land, [EYOT_LOR] = t##_lor,         [EYOT_LXOR] = t##_lxor};

INTEGER(i8, int8_t, uint32_t)
INTEGER(u8, uint8_t, uint32_t)
INTEGER(i16, int16_t, uint32_t)
INTEGER(u16, uint16_t, uint32_t)
INTEGER(i32, int32_t, uint32_t)
INTEGER(u32, uint32_t, uint32_t)
INTEGER(i64, int64_t, uint64_t)
INTEGER(u64, uint64_t, uint64_t)
