/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/value.h - reductions of one value of each member: eyot_sum(team, x, &total) and the like.
 *
 * Each is eyot_allreduce (eyot/coll.h) of one element: who must call, completion, order of
 * combination, errors and thread rule are its own. result is written on success only, on every
 * member; it may be where the value came from. Inline. */
#ifndef EYOT_VALUE_H
#define EYOT_VALUE_H

#include "coll.h"
#include "fast.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_sum_double and, for each type and operator below, its like set *result to the sum, product,
 * minimum or maximum of all members' values; of complex numbers, in C, sum and product. */
#define EYOTI_VALUE(op, OP, N, T, E)                                           \
  EYOTI_INLINE_RET int eyot_##op##_##N(eyot_team_t team, T value, T *result) { \
    return eyot_allreduce(team, E, OP, &value, result, 1);                     \
  }
#define EYOTI_VALUES(N, T, E)           \
  EYOTI_VALUE(sum, EYOT_SUM, N, T, E)   \
  EYOTI_VALUE(prod, EYOT_PROD, N, T, E) \
  EYOTI_VALUE(min, EYOT_MIN, N, T, E)   \
  EYOTI_VALUE(max, EYOT_MAX, N, T, E)
EYOTI_VALUES(int8, int8_t, EYOT_INT8)
EYOTI_VALUES(uint8, uint8_t, EYOT_UINT8)
EYOTI_VALUES(int16, int16_t, EYOT_INT16)
EYOTI_VALUES(uint16, uint16_t, EYOT_UINT16)
EYOTI_VALUES(int32, int32_t, EYOT_INT32)
EYOTI_VALUES(uint32, uint32_t, EYOT_UINT32)
EYOTI_VALUES(int64, int64_t, EYOT_INT64)
EYOTI_VALUES(uint64, uint64_t, EYOT_UINT64)
EYOTI_VALUES(float, float, EYOT_FLOAT)
EYOTI_VALUES(double, double, EYOT_DOUBLE)
EYOTI_VALUES(longlong, long long, EYOT_INT64)
EYOTI_VALUES(ulonglong, unsigned long long, EYOT_UINT64)
EYOTI_VALUES(longdouble, long double, EYOT_LONG_DOUBLE)
#ifndef __cplusplus
EYOTI_VALUE(sum, EYOT_SUM, complexf, float _Complex, EYOT_FLOAT_COMPLEX)
EYOTI_VALUE(prod, EYOT_PROD, complexf, float _Complex, EYOT_FLOAT_COMPLEX)
EYOTI_VALUE(sum, EYOT_SUM, complexd, double _Complex, EYOT_DOUBLE_COMPLEX)
EYOTI_VALUE(prod, EYOT_PROD, complexd, double _Complex, EYOT_DOUBLE_COMPLEX)
EYOTI_VALUE(sum, EYOT_SUM, complexl, long double _Complex, EYOT_LONG_DOUBLE_COMPLEX)
EYOTI_VALUE(prod, EYOT_PROD, complexl, long double _Complex, EYOT_LONG_DOUBLE_COMPLEX)
#endif
#undef EYOTI_VALUES
#undef EYOTI_VALUE

/* eyot_all sets *result to whether the value of every member is true, eyot_any to whether that of
 * any member is. */
EYOTI_INLINE_RET int eyot_all(eyot_team_t team, bool value, bool *result) {
  uint8_t mine = value, all = 0;
  int rc = eyot_allreduce(team, EYOT_UINT8, EYOT_LAND, &mine, result ? &all : NULL, 1);
  if (rc == EYOT_OK) *result = all != 0;
  return rc;
}
EYOTI_INLINE_RET int eyot_any(eyot_team_t team, bool value, bool *result) {
  uint8_t mine = value, any = 0;
  int rc = eyot_allreduce(team, EYOT_UINT8, EYOT_LOR, &mine, result ? &any : NULL, 1);
  if (rc == EYOT_OK) *result = any != 0;
  return rc;
}

#ifdef __cplusplus
}
#else
/* eyot_sum, eyot_prod, eyot_min and eyot_max choose the function by the type of *result: any
 * integer type but char and bool, float, double or long double; eyot_sum and eyot_prod also the
 * complex types of these three. C only. */
/* clang-format off */
#define EYOTI_VALUE_REAL(op)                                                           \
      signed char: eyot_##op##_int8, unsigned char: eyot_##op##_uint8,                 \
      short: eyot_##op##_int16, unsigned short: eyot_##op##_uint16,                    \
      int: eyot_##op##_int32, unsigned: eyot_##op##_uint32, long: eyot_##op##_int64,   \
      unsigned long: eyot_##op##_uint64, long long: eyot_##op##_longlong,              \
      unsigned long long: eyot_##op##_ulonglong, float: eyot_##op##_float,             \
      double: eyot_##op##_double, long double: eyot_##op##_longdouble
#define EYOTI_VALUE_ANY(op)                                                            \
      EYOTI_VALUE_REAL(op),                                                            \
      float _Complex: eyot_##op##_complexf, double _Complex: eyot_##op##_complexd,     \
      long double _Complex: eyot_##op##_complexl
/* clang-format on */
#define eyot_sum(team, value, result) _Generic(*(result), EYOTI_VALUE_ANY(sum))(team, value, result)
#define eyot_prod(team, value, result) \
  _Generic(*(result), EYOTI_VALUE_ANY(prod))(team, value, result)
#define eyot_min(team, value, result) \
  _Generic(*(result), EYOTI_VALUE_REAL(min))(team, value, result)
#define eyot_max(team, value, result) \
  _Generic(*(result), EYOTI_VALUE_REAL(max))(team, value, result)
#endif
#endif
