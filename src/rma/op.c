/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - element-wise operators (op.h), generated once for every type.
 *
 * Integers are combined as unsigned of the same width, so that overflow wraps on signed types too,
 * as the fabric's atomics do. */
#include "rma/op.h"

#include "base/check.h"

#define TYPES (EYOT_BYTE + 1)
#define OPS (EYOT_NOOP + 1)

typedef void (*combine_fn)(void *inout, const void *in, uint64_t n);

/* Elements may lie in memory that was written as plain words: hence may_alias. */
#define COMBINE(name, T, expression)                          \
  static void name(void *inout, const void *in, uint64_t n) { \
    typedef T __attribute__((may_alias)) element;             \
    element *a = inout;                                       \
    const element *b = in;                                    \
    for (uint64_t i = 0; i < n; i++) {                        \
      T x = a[i], y = b[i];                                   \
      a[i] = (T)(expression);                                 \
    }                                                         \
  }

#define NUMBER_OPS(t, T, U)          \
  COMBINE(t##_sum, T, (U)x + (U)y)   \
  COMBINE(t##_prod, T, (U)x *(U)y)   \
  COMBINE(t##_min, T, y < x ? y : x) \
  COMBINE(t##_max, T, y > x ? y : x) \
  COMBINE(t##_replace, T, ((void)x, y))

#define INTEGER_OPS(t, T, U)       \
  NUMBER_OPS(t, T, U)              \
  COMBINE(t##_band, T, (U)x &(U)y) \
  COMBINE(t##_bor, T, (U)x | (U)y) \
  COMBINE(t##_bxor, T, (U)x ^ (U)y)

INTEGER_OPS(i32, int32_t, uint32_t)
INTEGER_OPS(u32, uint32_t, uint32_t)
INTEGER_OPS(i64, int64_t, uint64_t)
INTEGER_OPS(u64, uint64_t, uint64_t)
NUMBER_OPS(f32, float, float)
NUMBER_OPS(f64, double, double)

static void keep(void *inout, const void *in, uint64_t n) {
  (void)inout;
  (void)in;
  (void)n;
}

#define NUMBER_ROW(t)                                                                       \
  [EYOT_SUM] = t##_sum, [EYOT_PROD] = t##_prod, [EYOT_MIN] = t##_min, [EYOT_MAX] = t##_max, \
  [EYOT_REPLACE] = t##_replace, [EYOT_NOOP] = keep
#define INTEGER_ROW(t) \
  NUMBER_ROW(t), [EYOT_BAND] = t##_band, [EYOT_BOR] = t##_bor, [EYOT_BXOR] = t##_bxor

static const combine_fn TABLE[TYPES][OPS] = {
    [EYOT_INT32] = {INTEGER_ROW(i32)}, [EYOT_UINT32] = {INTEGER_ROW(u32)},
    [EYOT_INT64] = {INTEGER_ROW(i64)}, [EYOT_UINT64] = {INTEGER_ROW(u64)},
    [EYOT_FLOAT] = {NUMBER_ROW(f32)},  [EYOT_DOUBLE] = {NUMBER_ROW(f64)},
};

static const struct {
  const char *name;
  uint32_t width;
  bool integer;
} TYPE[TYPES] = {
    [EYOT_INT32] = {"INT32", 4, true},  [EYOT_UINT32] = {"UINT32", 4, true},
    [EYOT_INT64] = {"INT64", 8, true},  [EYOT_UINT64] = {"UINT64", 8, true},
    [EYOT_FLOAT] = {"FLOAT", 4, false}, [EYOT_DOUBLE] = {"DOUBLE", 8, false},
    [EYOT_BYTE] = {"BYTE", 1, false},
};

static const char *const OP_NAME[OPS] = {"SUM", "PROD", "MIN",     "MAX", "BAND",
                                         "BOR", "BXOR", "REPLACE", "NOOP"};

static bool type_exists(eyot_type_t type) {
  return (unsigned)type < TYPES;
}
static bool op_exists(eyot_op_t op) {
  return (unsigned)op < OPS;
}

uint32_t eyoti_type_width(eyot_type_t type) {
  return type_exists(type) ? TYPE[type].width : 0;
}

bool eyoti_type_is_integer(eyot_type_t type) {
  return type_exists(type) && TYPE[type].integer;
}

bool eyoti_type_floats(eyot_type_t type) {
  return type == EYOT_FLOAT || type == EYOT_DOUBLE;
}

bool eyoti_op_defined(eyot_type_t type, eyot_op_t op) {
  return type_exists(type) && op_exists(op) && TABLE[type][op] != NULL;
}

void eyoti_combine(eyot_type_t type, eyot_op_t op, void *inout, const void *in, uint64_t n) {
  EYOTI_ASSERT(eyoti_op_defined(type, op));
  TABLE[type][op](inout, in, n);
}

const char *eyoti_type_name(eyot_type_t type) {
  return type_exists(type) ? TYPE[type].name : "?";
}
const char *eyoti_op_name(eyot_op_t op) {
  return op_exists(op) ? OP_NAME[op] : "?";
}
