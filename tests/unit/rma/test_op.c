/* SPDX-License-Identifier: BSD-3-Clause */
/* test_op.c - compares the combine table with arithmetic written out for every type and operator,
 * and checks the pairs that are not defined. */
#include <math.h>

#include "rma/op.h"
#include "unit/api_unit.h"

#define N 9

static const eyot_type_t INTEGERS[] = {EYOT_INT8,  EYOT_UINT8,  EYOT_INT16, EYOT_UINT16,
                                       EYOT_INT32, EYOT_UINT32, EYOT_INT64, EYOT_UINT64};
#define INTEGER_COUNT (sizeof INTEGERS / sizeof INTEGERS[0])

static bool is_signed(eyot_type_t type) {
  return type == EYOT_INT8 || type == EYOT_INT16 || type == EYOT_INT32 || type == EYOT_INT64;
}

/* Wraps to the width of the type, as signed or unsigned. */
static uint64_t wrap(eyot_type_t type, uint64_t v) {
  uint32_t unused = 64 - 8 * eyoti_type_width(type);
  v <<= unused;
  return is_signed(type) ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

static bool less(eyot_type_t type, uint64_t x, uint64_t y) {
  return is_signed(type) ? (int64_t)x < (int64_t)y : x < y;
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
    case EYOT_LAND:
      return x != 0 && y != 0;
    case EYOT_LOR:
      return x != 0 || y != 0;
    case EYOT_LXOR:
      return (x != 0) != (y != 0);
    default:
      fail_msg("%s has no model", eyoti_op_name(op));
      return 0;
  }
}

static uint64_t element(eyot_type_t type, const void *p) {
  uint64_t v = 0;
  memcpy(&v, p, eyoti_type_width(type));
  return wrap(type, v);
}

/* Operands that are 0 now and then, for the logical operators, at odd addresses. */
static void draw_elements(uint64_t *rng, char *a, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) a[i] = draw(rng) % 4 == 0 ? 0 : (char)draw(rng);
}

static void integer_operators_match_written_out_arithmetic(void **state) {
  (void)state;
  uint64_t rng = 5;
  for (size_t k = 0; k < INTEGER_COUNT; k++) {
    eyot_type_t type = INTEGERS[k];
    uint32_t width = eyoti_type_width(type);
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_LXOR; op++) {
      char l[N * 8 + 1], r[N * 8 + 1], out[N * 8 + 1], before[N * 8 + 1];
      draw_elements(&rng, l, sizeof l);
      draw_elements(&rng, r, sizeof r);
      memcpy(before, l, sizeof l);
      assert_true(eyoti_op_defined(type, op));
      eyoti_op_function(type, op)(out + 1, l + 1, r + 1, N);
      for (uint32_t i = 0; i < N; i++)
        assert_int_equal(
            element(type, out + 1 + i * width),
            expect(type, op, element(type, l + 1 + i * width), element(type, r + 1 + i * width)));
      assert_memory_equal(l, before, sizeof l);
      eyoti_combine(type, op, l + 1, r + 1, N); /* out is left */
      assert_memory_equal(l + 1, out + 1, N * width);
      eyoti_op_function(type, op)(r + 1, before + 1, r + 1, N); /* out is right */
      assert_memory_equal(r + 1, out + 1, N * width);
    }
  }
}

static void floating_point_operators_match_arithmetic(void **state) {
  (void)state;
  const double x[4] = {1.5, -2.25, 0.0, 1e300}, y[4] = {2.0, 3.0, -0.5, 1e300};
  for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
    if (op >= EYOT_BAND && op <= EYOT_BXOR) continue;
    long double h[4];
    double a[4];
    float f[4], g[4];
    memcpy(a, x, sizeof a);
    for (int i = 0; i < 4; i++) {
      f[i] = (float)(i + 1);
      g[i] = 2.5f;
      h[i] = (long double)x[i];
    }
    long double k[4] = {y[0], y[1], y[2], y[3]};
    if (op < EYOT_BAND) eyoti_combine(EYOT_LONG_DOUBLE, op, h, k, 4);
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
      if (op == EYOT_SUM) assert_true(h[i] == (long double)u + (long double)v);
      if (op == EYOT_PROD) assert_true(h[i] == (long double)u * (long double)v);
      if (op == EYOT_MIN || op == EYOT_MAX) assert_true(h[i] == (long double)want);
      assert_memory_equal(&f[i], &want_f, sizeof want_f);
    }
  }
}

/* Every pair of special values, in both orders, gives the bits that the definition names. */
static void minima_and_maxima_do_not_depend_on_order(void **state) {
  (void)state;
  static const double V[] = {-INFINITY, -1.0, -0.0, 0.0, 1.0, INFINITY}; /* ascending */
  enum { COUNT = sizeof V / sizeof V[0] };
  const double nan = NAN, other = -__builtin_nan("0x123");
  for (int i = 0; i < COUNT; i++) {
    for (int j = 0; j < COUNT; j++) {
      double least, most;
      float x = (float)V[i], y = (float)V[j], least_f;
      eyoti_op_function(EYOT_DOUBLE, EYOT_MIN)(&least, &V[i], &V[j], 1);
      eyoti_op_function(EYOT_DOUBLE, EYOT_MAX)(&most, &V[i], &V[j], 1);
      eyoti_op_function(EYOT_FLOAT, EYOT_MIN)(&least_f, &x, &y, 1);
      assert_memory_equal(&least, &V[i < j ? i : j], sizeof least);
      assert_memory_equal(&most, &V[i < j ? j : i], sizeof most);
      assert_memory_equal(&least_f, i < j ? &x : &y, sizeof x);
    }
    double with[4][2] = {{V[i], other}, {other, V[i]}, {other, other}, {nan, V[i]}};
    for (int k = 0; k < 4; k++) {
      for (eyot_op_t op = EYOT_MIN; op <= EYOT_MAX; op++) {
        double got;
        float g, f[2] = {(float)with[k][0], (float)with[k][1]}, nan_f = NAN;
        long double h, e[2] = {with[k][0], with[k][1]};
        eyoti_op_function(EYOT_DOUBLE, op)(&got, &with[k][0], &with[k][1], 1);
        eyoti_op_function(EYOT_FLOAT, op)(&g, &f[0], &f[1], 1);
        eyoti_op_function(EYOT_LONG_DOUBLE, op)(&h, &e[0], &e[1], 1);
        assert_memory_equal(&got, &nan, sizeof nan);
        assert_memory_equal(&g, &nan_f, sizeof nan_f);
        assert_true(isnan(h) && !signbit(h));
      }
    }
  }
}

/* Long arrays take the vectorized loop, whose bits are those of single elements. */
static void long_arrays_have_the_bits_of_single_elements(void **state) {
  (void)state;
  enum { COUNT = 67, MOST = 32 };
  uint64_t rng = 77;
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_LONG_DOUBLE_COMPLEX; type++) {
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_MAXLOC; op++) {
      if (!eyoti_op_defined(type, op)) continue;
      uint32_t width = eyoti_type_width(type);
      _Alignas(16) char l[COUNT * MOST] = {0}, r[COUNT * MOST] = {0}, all[COUNT * MOST] = {0},
                                  one[COUNT * MOST] = {0};
      for (uint32_t i = 0; i < COUNT * width; i++) {
        l[i] = (char)draw(&rng);
        r[i] = (char)draw(&rng);
      }
      if (type == EYOT_LONG_DOUBLE || type == EYOT_LONG_DOUBLE_COMPLEX) {
        for (uint32_t at = 0; at < COUNT * width; at += sizeof(long double)) {
          long double x = (long double)draw(&rng) / 3, y = -(long double)draw(&rng);
          memcpy(l + at, &x, 10);
          memcpy(r + at, &y, 10);
        }
      }
      eyoti_op_function(type, op)(all, l, r, COUNT);
      for (uint32_t i = 0; i < COUNT; i++)
        eyoti_op_function(type, op)(one + i * width, l + i * width, r + i * width, 1);
      assert_memory_equal(all, one, COUNT * width);
    }
  }
}

static void complex_numbers_are_added_and_multiplied(void **state) {
  (void)state;
  const double x[4] = {1, 2, -3, 0.5}, y[4] = {4, -1, 2, 8};
  const double sum[4] = {5, 1, -1, 8.5}, product[4] = {6, 7, -10, -23};
  double out[4];
  eyoti_op_function(EYOT_DOUBLE_COMPLEX, EYOT_SUM)(out, x, y, 2);
  assert_memory_equal(out, sum, sizeof sum);
  eyoti_op_function(EYOT_DOUBLE_COMPLEX, EYOT_PROD)(out, x, y, 2);
  assert_memory_equal(out, product, sizeof product);
  float a[4], b[4], c[4];
  for (int i = 0; i < 4; i++) {
    a[i] = (float)x[i];
    b[i] = (float)y[i];
  }
  eyoti_op_function(EYOT_FLOAT_COMPLEX, EYOT_SUM)(c, a, b, 2);
  for (int i = 0; i < 4; i++) assert_true(c[i] == (float)sum[i]);
  eyoti_op_function(EYOT_FLOAT_COMPLEX, EYOT_PROD)(a, a, b, 2); /* out is left */
  for (int i = 0; i < 4; i++) assert_true(a[i] == (float)product[i]);
  const long double third[4] = {1.0L / 3, 2, -3, 0.5L}, other[4] = {4, -1, 2, 8}; /* no doubles */
  const long double sums[4] = {third[0] + 4, 1, -1, 8.5L};
  const long double products[4] = {third[0] * 4 + 2, 8 - third[0], -10, -23};
  long double h[4];
  assert_int_equal(eyoti_type_width(EYOT_LONG_DOUBLE_COMPLEX), sizeof(long double _Complex));
  eyoti_op_function(EYOT_LONG_DOUBLE_COMPLEX, EYOT_SUM)(h, third, other, 2);
  for (int i = 0; i < 4; i++) assert_true(h[i] == sums[i]);
  eyoti_op_function(EYOT_LONG_DOUBLE_COMPLEX, EYOT_PROD)(h, third, other, 2);
  for (int i = 0; i < 4; i++) assert_true(h[i] == products[i]);
}

#define PAIR_CASES(T, type)                                                                 \
  do {                                                                                      \
    const T x[] = {{1, 5}, {2, 5}, {2, 5}, {2, 5}}, y[] = {{2, 4}, {1, 9}, {2, 4}, {2, 6}}; \
    const T least[] = {{1, 5}, {1, 9}, {2, 4}, {2, 5}};                                     \
    const T most[] = {{2, 4}, {2, 5}, {2, 4}, {2, 5}};                                      \
    T out[4];                                                                               \
    eyoti_op_function(type, EYOT_MINLOC)(out, x, y, 4);                                     \
    assert_memory_equal(out, least, sizeof least);                                          \
    eyoti_op_function(type, EYOT_MAXLOC)(out, x, y, 4);                                     \
    assert_memory_equal(out, most, sizeof most);                                            \
  } while (0)

static void pairs_are_ordered_by_value_and_index(void **state) {
  (void)state;
  PAIR_CASES(eyot_int32_index_t, EYOT_INT32_INDEX);
  PAIR_CASES(eyot_uint32_index_t, EYOT_UINT32_INDEX);
  PAIR_CASES(eyot_float_index_t, EYOT_FLOAT_INDEX);
  PAIR_CASES(eyot_int64_index_t, EYOT_INT64_INDEX);
  PAIR_CASES(eyot_uint64_index_t, EYOT_UINT64_INDEX);
  PAIR_CASES(eyot_double_index_t, EYOT_DOUBLE_INDEX);
  /* signed and unsigned values differ; a NaN is not lost */
  const eyot_int32_index_t low = {-1, 0}, high = {1, 1};
  const eyot_uint32_index_t big = {UINT32_MAX, 0}, small = {1, 1};
  eyot_int32_index_t i32;
  eyot_uint32_index_t u32;
  eyoti_op_function(EYOT_INT32_INDEX, EYOT_MINLOC)(&i32, &high, &low, 1);
  eyoti_op_function(EYOT_UINT32_INDEX, EYOT_MINLOC)(&u32, &big, &small, 1);
  assert_true(i32.value == -1 && u32.value == 1);
  for (eyot_op_t op = EYOT_MINLOC; op <= EYOT_MAXLOC; op++) {
    const eyot_double_index_t nan = {NAN, 7}, later = {NAN, 8}, one = {1, 1};
    eyot_double_index_t out;
    eyoti_op_function(EYOT_DOUBLE_INDEX, op)(&out, &one, &nan, 1);
    assert_true(isnan(out.value) && out.index == 7);
    eyoti_op_function(EYOT_DOUBLE_INDEX, op)(&out, &nan, &one, 1);
    assert_true(isnan(out.value) && out.index == 7);
    eyoti_op_function(EYOT_DOUBLE_INDEX, op)(&out, &later, &nan, 1);
    assert_true(isnan(out.value) && out.index == 7);
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
  for (eyot_op_t op = EYOT_SUM; op <= EYOT_MAXLOC; op++)
    assert_false(eyoti_op_defined(EYOT_USER, op));
  assert_false(eyoti_op_defined(EYOT_DOUBLE, EYOT_LAND));
  assert_false(eyoti_op_defined(EYOT_DOUBLE_COMPLEX, EYOT_MAX));
  for (eyot_op_t op = EYOT_MIN; op <= EYOT_SUM_EXACT; op++)
    assert_false(eyoti_op_defined(EYOT_LONG_DOUBLE_COMPLEX, op));
  assert_string_equal(eyoti_type_name(EYOT_LONG_DOUBLE_COMPLEX), "LONG_DOUBLE_COMPLEX");
  assert_false(eyoti_op_defined(EYOT_DOUBLE_INDEX, EYOT_MAX));
  assert_false(eyoti_op_defined(EYOT_DOUBLE, EYOT_MAXLOC));
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_LONG_DOUBLE_COMPLEX; type++)
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_MAXLOC; op++)
      assert_int_equal(eyoti_op_atomic(type, op),
                       type <= EYOT_DOUBLE && op <= EYOT_NOOP && eyoti_op_defined(type, op));
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
      cmocka_unit_test(minima_and_maxima_do_not_depend_on_order),
      cmocka_unit_test(long_arrays_have_the_bits_of_single_elements),
      cmocka_unit_test(complex_numbers_are_added_and_multiplied),
      cmocka_unit_test(pairs_are_ordered_by_value_and_index),
      cmocka_unit_test(undefined_pairs_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
