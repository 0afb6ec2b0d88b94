/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - the table of element types and built-in operators (op.h). */
#include "rma/op.h"

#include "base/check.h"
#include "rma/combine.h"

#define TYPES (EYOT_LONG_DOUBLE_COMPLEX + 1)

static const struct {
  const char *name;
  uint32_t width;
  bool integer;
  const eyoti_combine_row *row; /* NULL: no operators */
} TYPE[TYPES] = {
    [EYOT_INT8] = {"INT8", 1, true, &eyoti_row_i8},
    [EYOT_UINT8] = {"UINT8", 1, true, &eyoti_row_u8},
    [EYOT_INT16] = {"INT16", 2, true, &eyoti_row_i16},
    [EYOT_UINT16] = {"UINT16", 2, true, &eyoti_row_u16},
    [EYOT_INT32] = {"INT32", 4, true, &eyoti_row_i32},
    [EYOT_UINT32] = {"UINT32", 4, true, &eyoti_row_u32},
    [EYOT_INT64] = {"INT64", 8, true, &eyoti_row_i64},
    [EYOT_UINT64] = {"UINT64", 8, true, &eyoti_row_u64},
    [EYOT_FLOAT] = {"FLOAT", sizeof(float), false, &eyoti_row_f32},
    [EYOT_DOUBLE] = {"DOUBLE", sizeof(double), false, &eyoti_row_f64},
    [EYOT_LONG_DOUBLE] = {"LONG_DOUBLE", sizeof(long double), false, &eyoti_row_f80},
    [EYOT_FLOAT_COMPLEX] = {"FLOAT_COMPLEX", 2 * sizeof(float), false, &eyoti_row_c32},
    [EYOT_DOUBLE_COMPLEX] = {"DOUBLE_COMPLEX", 2 * sizeof(double), false, &eyoti_row_c64},
    [EYOT_LONG_DOUBLE_COMPLEX] = {"LONG_DOUBLE_COMPLEX", 2 * sizeof(long double), false,
                                  &eyoti_row_c80},
    [EYOT_INT32_INDEX] = {"INT32_INDEX", 8, false, &eyoti_row_i32_index},
    [EYOT_UINT32_INDEX] = {"UINT32_INDEX", 8, false, &eyoti_row_u32_index},
    [EYOT_FLOAT_INDEX] = {"FLOAT_INDEX", 8, false, &eyoti_row_f32_index},
    [EYOT_INT64_INDEX] = {"INT64_INDEX", 16, false, &eyoti_row_i64_index},
    [EYOT_UINT64_INDEX] = {"UINT64_INDEX", 16, false, &eyoti_row_u64_index},
    [EYOT_DOUBLE_INDEX] = {"DOUBLE_INDEX", 16, false, &eyoti_row_f64_index},
    [EYOT_BYTE] = {"BYTE", 1, false, NULL},
    [EYOT_USER] = {"USER", 0, false, NULL},
};

static const char *const OP_NAME[EYOTI_BUILTIN_OPS] = {
    [EYOT_SUM] = "SUM",       [EYOT_PROD] = "PROD",     [EYOT_MIN] = "MIN",
    [EYOT_MAX] = "MAX",       [EYOT_BAND] = "BAND",     [EYOT_BOR] = "BOR",
    [EYOT_BXOR] = "BXOR",     [EYOT_LAND] = "LAND",     [EYOT_LOR] = "LOR",
    [EYOT_LXOR] = "LXOR",     [EYOT_NOOP] = "NOOP",     [EYOT_REPLACE] = "REPLACE",
    [EYOT_MINLOC] = "MINLOC", [EYOT_MAXLOC] = "MAXLOC", [EYOT_SUM_EXACT] = "SUM_EXACT"};

static bool type_exists(eyot_type_t type) {
  return (unsigned)type < TYPES;
}
static bool op_exists(eyot_op_t op) {
  return (unsigned)op < EYOTI_BUILTIN_OPS;
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

eyoti_combine_fn *eyoti_op_function(eyot_type_t type, eyot_op_t op) {
  if (!type_exists(type) || !op_exists(op) || TYPE[type].row == NULL) return NULL;
  return (*TYPE[type].row)[op];
}

bool eyoti_op_defined(eyot_type_t type, eyot_op_t op) {
  return eyoti_op_function(type, op) != NULL;
}

bool eyoti_op_atomic(eyot_type_t type, eyot_op_t op) {
  return (unsigned)type <= EYOT_DOUBLE && (unsigned)op <= EYOT_NOOP && eyoti_op_defined(type, op);
}

int eyoti_op_refuse_atomic(eyot_type_t type, eyot_op_t op) {
  if ((unsigned)type > EYOT_DOUBLE)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "type %s (%d) has no atomics, expected EYOT_INT32, EYOT_UINT32, EYOT_INT64, "
                      "EYOT_UINT64, EYOT_FLOAT or EYOT_DOUBLE",
                      eyoti_type_name(type), (int)type);
  if (op == EYOT_SUM_EXACT)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "SUM_EXACT is an operator of reductions: a word of %s cannot hold an exact "
                      "sum; use EYOT_SUM, or eyot_allreduce",
                      eyoti_type_name(type));
  if ((unsigned)op > EYOT_NOOP)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s (%d) is no operator of atomics, expected EYOT_SUM to EYOT_NOOP",
                      eyoti_op_name(op), (int)op);
  return EYOTI_FAIL(EYOT_EINVAL, "%s (%d) is not defined on type %s (%d)", eyoti_op_name(op),
                    (int)op, eyoti_type_name(type), (int)type);
}

void eyoti_combine(eyot_type_t type, eyot_op_t op, void *inout, const void *in, uint64_t n) {
  EYOTI_ASSERT(eyoti_op_defined(type, op));
  eyoti_op_function(type, op)(inout, inout, in, n);
}

const char *eyoti_type_name(eyot_type_t type) {
  return type_exists(type) ? TYPE[type].name : "?";
}
const char *eyoti_op_name(eyot_op_t op) {
  return op_exists(op)                 ? OP_NAME[op]
         : (unsigned)op >= 0x40000000u ? "an operator of the program"
                                       : "?";
}
