/* SPDX-License-Identifier: BSD-3-Clause */
/* test_op.c - compares the combine table with arithmetic written out for every type and operator,
 * and checks the pairs that are not defined. */
#include "rma/op.h"
#include "unit/api_unit.h"

#define N 9

/* Wraps to the width of the type, as signed or unsigned. */
static uint64_t wrap(eyot_type_t type, uint64_t v) {
  if (type == EYOT_INT32) return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
  return type == EYOT_UINT32 ? (uint32_t)v : v;
}

static bool less(eyot_type_t type, uint64_t x, uint64_t y) {
  return type == EYOT_INT32 || type == EYOT_INT64 ? (int64_t)x < (int64_t)y : x < y;
}

static uint64_t expect(eyot_type_t type, eyot_op_t op, uint64_t x, uint64_t y) {
  switch (op) {
    case EYOT_SUM:
      return wrap(type, x + y);
    case EYOT_PROD:
      return wrap(type, x * y);
    case EYOT_MIN:
      return less(type, y, x) ? y : x;
    case EYOT_MAX:
      return less(type, x, y) ? y : x;
    case EYOT_BAND:
      return x & y;
    case EYOT_BOR:
      return x | y;
    case EYOT_BXOR:
      return x ^ y;
    case EYOT_REPLACE:
      return y;
    case EYOT_NOOP:
      return x;
  }
  return 0;
}

static uint64_t element(eyot_type_t type, const void *p) {
  switch (type) {
    case EYOT_INT32:
      return (uint64_t)(int64_t) * (const int32_t *)p;
    case EYOT_UINT32:
      return *(const uint32_t *)p;
    default:
      return *(const uint64_t *)p;
  }
}

static void integer_operators_match_written_out_arithmetic(void **state) {
  (void)state;
  uint64_t rng = 5;
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_UINT64; type++) {
    uint32_t width = eyoti_type_width(type);
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
      _Alignas(8) char a[N * 8], b[N * 8], before[N * 8];
      for (size_t i = 0; i < sizeof a; i++) {
        a[i] = (char)draw(&rng);
        b[i] = (char)draw(&rng);
      }
      memcpy(before, a, sizeof a);
      assert_true(eyoti_op_defined(type, op));
      eyoti_combine(type, op, a, b, N);
      for (uint32_t i = 0; i < N; i++)
        assert_int_equal(
            element(type, a + i * width),
            expect(type, op, element(type, before + i * width), element(type, b + i * width)));
    }
  }
}

static void floating_point_operators_match_arithmetic(void **state) {
  (void)state;
  const double x[4] = {1.5, -2.25, 0.0, 1e300}, y[4] = {2.0, 3.0, -0.5, 1e300};
  for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
    if (op >= EYOT_BAND && op <= EYOT_BXOR) continue;
    double a[4];
    float f[4], g[4];
    memcpy(a, x, sizeof a);
    for (int i = 0; i < 4; i++) {
      f[i] = (float)(i + 1);
      g[i] = 2.5f;
    }
    eyoti_combine(EYOT_DOUBLE, op, a, y, 4);
    eyoti_combine(EYOT_FLOAT, op, f, g, 4);
    for (int i = 0; i < 4; i++) {
      double u = x[i], v = y[i];
      float s = (float)(i + 1), t = 2.5f;
      double want = op == EYOT_SUM       ? u + v
                    : op == EYOT_PROD    ? u * v
                    : op == EYOT_MIN     ? (v < u ? v : u)
                    : op == EYOT_MAX     ? (v > u ? v : u)
                    : op == EYOT_REPLACE ? v
                                         : u;
      float want_f = op == EYOT_SUM       ? s + t
                     : op == EYOT_PROD    ? s * t
                     : op == EYOT_MIN     ? (t < s ? t : s)
                     : op == EYOT_MAX     ? (t > s ? t : s)
                     : op == EYOT_REPLACE ? t
                                          : s;
      assert_memory_equal(&a[i], &want, sizeof want);
      assert_memory_equal(&f[i], &want_f, sizeof want_f);
    }
  }
}

static void undefined_pairs_are_refused(void **state) {
  (void)state;
  for (eyot_op_t op = EYOT_BAND; op <= EYOT_BXOR; op++) {
    assert_false(eyoti_op_defined(EYOT_FLOAT, op));
    assert_false(eyoti_op_defined(EYOT_DOUBLE, op));
  }
  for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++)
    assert_false(eyoti_op_defined(EYOT_BYTE, op));
  assert_false(eyoti_op_defined((eyot_type_t)99, EYOT_SUM));
  assert_false(eyoti_op_defined(EYOT_INT32, (eyot_op_t)99));
  assert_int_equal(eyoti_type_width((eyot_type_t)99), 0);
  assert_int_equal(eyoti_type_width(EYOT_BYTE), 1);
  assert_string_equal(eyoti_type_name((eyot_type_t)99), "?");
  assert_string_equal(eyoti_op_name((eyot_op_t)99), "?");
  assert_string_equal(eyoti_type_name(EYOT_DOUBLE), "DOUBLE");
  assert_string_equal(eyoti_op_name(EYOT_BXOR), "BXOR");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integer_operators_match_written_out_arithmetic),
      cmocka_unit_test(floating_point_operators_match_arithmetic),
      cmocka_unit_test(undefined_pairs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
