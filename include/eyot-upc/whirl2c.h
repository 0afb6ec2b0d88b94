/* SPDX-License-Identifier: BSD-3-Clause */
/* whirl2c.h - types and operators in the output of the Berkeley translator, which is based on
 * Open64 and writes each operator of its intermediate language with the type of its result: I and
 * U are integers, F floating point, 4 and 8 bytes, FQ long double. Sources: the output of versions
 * 2.12 to 2.28 of that translator. */
#ifndef EYOT_WHIRL2C_H
#define EYOT_WHIRL2C_H

#include <math.h>
#include <string.h>

typedef char _BOOLEAN;
typedef signed char _INT8;
typedef short _INT16;
typedef int _INT32;
typedef long long _INT64;
typedef unsigned char _UINT8;
typedef unsigned short _UINT16;
typedef unsigned _UINT32;
typedef unsigned long long _UINT64;
typedef float _IEEE32;
typedef double _IEEE64;
typedef long double _QUAD;

/* Sizes: arguments are evaluated once. */
#define EYOT_W2C_SELECT(T, name, operation) \
  static inline T name(T a, T b) {          \
    return a operation b ? a : b;           \
  }
#define EYOT_W2C_EXTREMES(T, max, min) EYOT_W2C_SELECT(T, max, >) EYOT_W2C_SELECT(T, min, <)
EYOT_W2C_EXTREMES(_INT32, _I4MAX, _I4MIN)
EYOT_W2C_EXTREMES(_UINT32, _U4MAX, _U4MIN)
EYOT_W2C_EXTREMES(_INT64, _I8MAX, _I8MIN)
EYOT_W2C_EXTREMES(_UINT64, _U8MAX, _U8MIN)
EYOT_W2C_EXTREMES(_IEEE32, _F4MAX, _F4MIN)
EYOT_W2C_EXTREMES(_IEEE64, _F8MAX, _F8MIN)
EYOT_W2C_EXTREMES(_QUAD, _FQMAX, _FQMIN)

static inline _INT32 _I4ABS(_INT32 v) {
  return v < 0 ? -v : v;
}
static inline _INT64 _I8ABS(_INT64 v) {
  return v < 0 ? -v : v;
}
#define _F4ABS(v) fabsf(v)
#define _F8ABS(v) fabs(v)
#define _FQABS(v) fabsl(v)
#define _F4SQRT(v) sqrtf(v)
#define _F8SQRT(v) sqrt(v)
#define _FQSQRT(v) sqrtl(v)
#define _F4RECIP(v) (1.0F / (v))
#define _F8RECIP(v) (1.0 / (v))
#define _FQRECIP(v) (1.0L / (v))
#define _F4RSQRT(v) (1.0F / sqrtf(v))
#define _F8RSQRT(v) (1.0 / sqrt(v))

/* Floating point to integers: nearest (halves away from 0), toward 0, up, down. */
#define EYOT_W2C_CONVERT(name, T, F, F_NAME, suffix) \
  static inline T name##F_NAME##RND(F v) {           \
    return (T)round##suffix(v);                      \
  }                                                  \
  static inline T name##F_NAME##TRUNC(F v) {         \
    return (T)v;                                     \
  }                                                  \
  static inline T name##F_NAME##CEIL(F v) {          \
    return (T)ceil##suffix(v);                       \
  }                                                  \
  static inline T name##F_NAME##FLOOR(F v) {         \
    return (T)floor##suffix(v);                      \
  }
#define EYOT_W2C_CONVERSIONS(name, T)       \
  EYOT_W2C_CONVERT(name, T, _IEEE32, F4, f) \
  EYOT_W2C_CONVERT(name, T, _IEEE64, F8, )  \
  EYOT_W2C_CONVERT(name, T, _QUAD, FQ, l)
EYOT_W2C_CONVERSIONS(_I4, _INT32)
EYOT_W2C_CONVERSIONS(_U4, _UINT32)
EYOT_W2C_CONVERSIONS(_I8, _INT64)
EYOT_W2C_CONVERSIONS(_U8, _UINT64)

/* Quotients rounded down and up, and what they leave; MOD has the divisor's sign. */
#define EYOT_W2C_DIVIDE(name, T)                     \
  static inline T name##DIVFLOOR(T a, T b) {         \
    T q = a / b, r = a % b;                          \
    return r != 0 && (r < 0) != (b < 0) ? q - 1 : q; \
  }                                                  \
  static inline T name##DIVCEIL(T a, T b) {          \
    T q = a / b, r = a % b;                          \
    return r != 0 && (r < 0) == (b < 0) ? q + 1 : q; \
  }                                                  \
  static inline T name##MODFLOOR(T a, T b) {         \
    return a - b * name##DIVFLOOR(a, b);             \
  }                                                  \
  static inline T name##MODCEIL(T a, T b) {          \
    return a - b * name##DIVCEIL(a, b);              \
  }                                                  \
  static inline T name##MOD(T a, T b) {              \
    return name##MODFLOOR(a, b);                     \
  }
EYOT_W2C_DIVIDE(_I4, _INT32)
EYOT_W2C_DIVIDE(_I8, _INT64)
#define _U4DIVFLOOR(a, b) ((_UINT32)(a) / (_UINT32)(b))
#define _U8DIVFLOOR(a, b) ((_UINT64)(a) / (_UINT64)(b))
#define _U4MODFLOOR(a, b) ((_UINT32)(a) % (_UINT32)(b))
#define _U8MODFLOOR(a, b) ((_UINT64)(a) % (_UINT64)(b))
#define _U4MOD(a, b) _U4MODFLOOR(a, b)
#define _U8MOD(a, b) _U8MODFLOOR(a, b)

/* Shifts use the lower 5 or 6 bits of the second operand: left, arithmetic and logical right. */
#define EYOT_W2C_SHIFTS(name, T, S, U, mask)  \
  static inline T name##SHL(T v, _INT64 n) {  \
    return (T)((U)v << (n & mask));           \
  }                                           \
  static inline T name##ASHR(T v, _INT64 n) { \
    return (T)((S)v >> (n & mask));           \
  }                                           \
  static inline T name##LSHR(T v, _INT64 n) { \
    return (T)((U)v >> (n & mask));           \
  }
EYOT_W2C_SHIFTS(_I4, _INT32, _INT32, _UINT32, 31)
EYOT_W2C_SHIFTS(_U4, _UINT32, _INT32, _UINT32, 31)
EYOT_W2C_SHIFTS(_I8, _INT64, _INT64, _UINT64, 63)
EYOT_W2C_SHIFTS(_U8, _UINT64, _INT64, _UINT64, 63)

#endif
