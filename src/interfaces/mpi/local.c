/* SPDX-License-Identifier: BSD-3-Clause */
/* local.c - predefined operators of the MPI interface without a collective, for MPI_Reduce_local:
 * eyot/op.h says what each does. */
#include <math.h>
#include <string.h>

#include "interfaces/mpi/op.h"

/* Sums and products of integers wrap: they are made in uint64_t. */
#define WRAP(c, expression) ((c)(expression))
#define EACH(c, result)                                                  \
  for (uint64_t i = 0; i < n; i++, from += sizeof(c), to += sizeof(c)) { \
    c a, b;                                                              \
    memcpy(&a, from, sizeof a);                                          \
    memcpy(&b, to, sizeof b);                                            \
    c r = (result);                                                      \
    memcpy(to, &r, sizeof r);                                            \
  }                                                                      \
  break

#define INTEGERS(name, c)                                                  \
  static void name(eyot_op_t op, const char *from, char *to, uint64_t n) { \
    switch (op) {                                                          \
      case EYOT_SUM:                                                       \
        EACH(c, WRAP(c, (uint64_t)a + (uint64_t)b));                       \
      case EYOT_PROD:                                                      \
        EACH(c, WRAP(c, (uint64_t)a *(uint64_t)b));                        \
      case EYOT_MIN:                                                       \
        EACH(c, b < a ? b : a);                                            \
      case EYOT_MAX:                                                       \
        EACH(c, b > a ? b : a);                                            \
      case EYOT_BAND:                                                      \
        EACH(c, WRAP(c, a &b));                                            \
      case EYOT_BOR:                                                       \
        EACH(c, WRAP(c, a | b));                                           \
      case EYOT_BXOR:                                                      \
        EACH(c, WRAP(c, a ^ b));                                           \
      case EYOT_LAND:                                                      \
        EACH(c, WRAP(c, a != 0 && b != 0));                                \
      case EYOT_LOR:                                                       \
        EACH(c, WRAP(c, a != 0 || b != 0));                                \
      case EYOT_LXOR:                                                      \
        EACH(c, WRAP(c, (a != 0) != (b != 0)));                            \
      default:                                                             \
        break;                                                             \
    }                                                                      \
  }
INTEGERS(int8s, int8_t)
INTEGERS(int16s, int16_t)
INTEGERS(int32s, int32_t)
INTEGERS(int64s, int64_t)
INTEGERS(uint8s, uint8_t)
INTEGERS(uint16s, uint16_t)
INTEGERS(uint32s, uint32_t)
INTEGERS(uint64s, uint64_t)

/* Not a number if an operand is not; -0 is less than +0. */
#define LEAST(a, b) \
  (isnan(a) || isnan(b) ? NAN : (a) < (b) || ((a) == (b) && signbit(a)) ? (a) : (b))
#define MOST(a, b) \
  (isnan(a) || isnan(b) ? NAN : (a) > (b) || ((a) == (b) && !signbit(a)) ? (a) : (b))
#define FLOATS(name, c)                                                    \
  static void name(eyot_op_t op, const char *from, char *to, uint64_t n) { \
    switch (op) {                                                          \
      case EYOT_SUM:                                                       \
        EACH(c, a + b);                                                    \
      case EYOT_PROD:                                                      \
        EACH(c, a *b);                                                     \
      case EYOT_MIN:                                                       \
        EACH(c, LEAST(a, b));                                              \
      case EYOT_MAX:                                                       \
        EACH(c, MOST(a, b));                                               \
      default:                                                             \
        break;                                                             \
    }                                                                      \
  }
FLOATS(floats, float)
FLOATS(doubles, double)
FLOATS(long_doubles, long double)

#define COMPLEX(name, two, c)                                                                   \
  struct two {                                                                                  \
    c re, im;                                                                                   \
  };                                                                                            \
  static void name(eyot_op_t op, const char *from, char *to, uint64_t n) {                      \
    switch (op) {                                                                               \
      case EYOT_SUM:                                                                            \
        EACH(struct two, ((struct two){a.re + b.re, a.im + b.im}));                             \
      case EYOT_PROD:                                                                           \
        EACH(struct two, ((struct two){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re})); \
      default:                                                                                  \
        break;                                                                                  \
    }                                                                                           \
  }
COMPLEX(float_complexes, float_complex, float)
COMPLEX(double_complexes, double_complex, double)
COMPLEX(long_complexes, long_complex, long double)

/* Whether the pair b is taken before a: it has the value that op looks for, or the same one (two
 * that are no numbers are the same) and a lower index. */
#define BEFORE(a, b)                                                          \
  ((b).value != (b).value   ? (a).value == (a).value || (b).index < (a).index \
   : (a).value != (a).value ? 0                                               \
   : (b).value == (a).value ? (b).index < (a).index                           \
                            : ((b).value < (a).value) == (op == EYOT_MINLOC))
#define LOCATED(name, c, index_)                                           \
  struct name##_pair {                                                     \
    c value;                                                               \
    index_ index;                                                          \
  };                                                                       \
  static void name(eyot_op_t op, const char *from, char *to, uint64_t n) { \
    switch (op) {                                                          \
      case EYOT_MINLOC:                                                    \
      case EYOT_MAXLOC:                                                    \
        EACH(struct name##_pair, BEFORE(a, b) ? b : a);                    \
      default:                                                             \
        break;                                                             \
    }                                                                      \
  }
LOCATED(located_ints, int32_t, int32_t)
LOCATED(located_floats, float, int32_t)
#define FACE_PAIR(name, c) LOCATED(located_##name, c, int)
EYOT_MPI_PAIRS(FACE_PAIR)

void face_apply_predefined(const struct eyot_mpi_op *op, const struct eyot_mpi_type *type,
                           const void *in, void *inout, uint64_t n) {
  static void (*const of[])(eyot_op_t, const char *, char *, uint64_t) = {
      [EYOT_INT8] = int8s,
      [EYOT_INT16] = int16s,
      [EYOT_INT32] = int32s,
      [EYOT_INT64] = int64s,
      [EYOT_UINT8] = uint8s,
      [EYOT_UINT16] = uint16s,
      [EYOT_UINT32] = uint32s,
      [EYOT_UINT64] = uint64s,
      [EYOT_BYTE] = uint8s,
      [EYOT_FLOAT] = floats,
      [EYOT_DOUBLE] = doubles,
      [EYOT_LONG_DOUBLE] = long_doubles,
      [EYOT_FLOAT_COMPLEX] = float_complexes,
      [EYOT_DOUBLE_COMPLEX] = double_complexes,
      [EYOT_LONG_DOUBLE_COMPLEX] = long_complexes,
      [EYOT_INT32_INDEX] = located_ints,
      [EYOT_FLOAT_INDEX] = located_floats,
  };
#define FACE_PAIR_OF(name, c) [FACE_##name] = located_##name,
  static void (*const located[])(eyot_op_t, const char *, char *,
                                 uint64_t) = {EYOT_MPI_PAIRS(FACE_PAIR_OF)};
  if (type->located != FACE_NOT_LOCATED)
    located[type->located](op->op, in, inout, n);
  else
    of[type->element](op->op, in, inout, n);
}
