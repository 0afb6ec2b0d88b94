/* SPDX-License-Identifier: BSD-3-Clause */
/* test_exact.c - exact sums (rma/exact.h) of random operands, in random orders of combination,
 * compared with the definition (support/exact_model.h). */
#include "rma/exact.h"
#include "support/exact_model.h"
#include "unit/api_unit.h"

#define MOST 40u
#define SUMS 400u

struct sum {
  bool single;
  struct eyoti_combiner c;
  uint32_t n;
  double operand[MOST];
};

static void number_store(bool single, char *to, double x) {
  float f = (float)x;
  memcpy(to, single ? (void *)&f : (void *)&x, single ? sizeof f : sizeof x);
}
static double number_load(bool single, const char *from) {
  float f;
  double d;
  memcpy(&f, from, sizeof f);
  memcpy(&d, from, single ? sizeof f : sizeof d);
  return single ? (double)f : d;
}

/* Combines two operands at random until one is left, each at an odd address; the result at any. */
static uint64_t combine_at_random(const struct sum *s, uint64_t *rng, double *result) {
  char memory[MOST * EYOTI_EXACT_F64_BYTES + 1], *wide = memory + 1, number[9] = {0};
  uint32_t width = s->c.width, left = s->n;
  for (uint32_t i = 0; i < s->n; i++) {
    number_store(s->single, number + 1, s->operand[i]);
    s->c.wire->widen(wide + i * width, number + 1, 1);
  }
  for (; left > 1; left--) {
    uint32_t a = (uint32_t)(draw(rng) % left), b = (uint32_t)(draw(rng) % (left - 1));
    if (b >= a) b++;
    bool into_left = draw(rng) % 2 == 0;
    char *out = wide + (into_left ? a : b) * width;
    s->c.builtin(out, wide + a * width, wide + b * width, 1);
    char *unused = wide + (into_left ? b : a) * width;
    memmove(unused, wide + (left - 1) * width, width);
  }
  s->c.wire->round(number + 1, wide, 1);
  *result = number_load(s->single, number + 1);
  uint64_t bits = 0;
  memcpy(&bits, number + 1, s->c.wire->element);
  return bits;
}

static void operands_draw(struct sum *s, enum exact_kind kind, uint64_t seed) {
  for (uint32_t i = 0; i < s->n; i++) s->operand[i] = exact_operand(kind, s->single, seed, i);
}

static void compare(struct sum *s, enum exact_kind kind, uint64_t seed, uint64_t *rng) {
  struct exact_model m = {0};
  double result, again;
  for (uint32_t i = 0; i < s->n; i++) exact_add(&m, s->operand[i]);
  uint64_t bits = combine_at_random(s, rng, &result);
  if (!exact_is(&m, s->single, result))
    fail_msg("kind %d, single %d, seed %llu, %u operands: %a is not their sum", (int)kind,
             s->single, (unsigned long long)seed, s->n, result);
  assert_true(bits == combine_at_random(s, rng, &again));
}

static void sums_are_rounded_once_in_any_order(void **state) {
  (void)state;
  uint64_t rng = 11;
  for (int single = 0; single < 2; single++) {
    struct sum s = {.single = single != 0};
    assert_int_equal(
        eyoti_combiner_find(NULL, single ? EYOT_FLOAT : EYOT_DOUBLE, EYOT_SUM_EXACT, &s.c), 0);
    assert_true(s.c.exact && s.c.commutative && s.c.width % 8 == 0);
    assert_true(s.c.width <= EYOTI_WIRE_MOST);
    for (enum exact_kind kind = EXACT_ANY; kind < EXACT_KINDS; kind++)
      for (uint64_t seed = 1; seed <= SUMS; seed++) {
        s.n = 1 + (uint32_t)(draw(&rng) % (seed % 4 == 0 ? MOST : 6));
        operands_draw(&s, kind, seed);
        compare(&s, kind, seed, &rng);
      }
  }
}

static uint64_t sum_of(bool single, uint32_t n, const double *x) {
  struct sum s = {.single = single, .n = n};
  uint64_t rng = 3;
  double result;
  assert_int_equal(
      eyoti_combiner_find(NULL, single ? EYOT_FLOAT : EYOT_DOUBLE, EYOT_SUM_EXACT, &s.c), 0);
  memcpy(s.operand, x, n * sizeof *x);
  return combine_at_random(&s, &rng, &result);
}
#define SUM64(...) \
  sum_of(false, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})
#define SUM32(...) \
  sum_of(true, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static uint64_t bits64(double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static uint64_t bits32(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}

/* Written out, without the model. */
static void special_values_have_their_bits(void **state) {
  (void)state;
  const double inf = (double)INFINITY, nan = NAN, other = -__builtin_nan("0x123");
  assert_int_equal(SUM64(-0.0), bits64(-0.0));
  assert_int_equal(SUM64(-0.0, -0.0, -0.0), bits64(-0.0));
  assert_int_equal(SUM64(-0.0, 0.0), bits64(0.0));
  assert_int_equal(SUM64(1.5, -1.5), bits64(0.0));
  assert_int_equal(SUM64(inf, -1e308, 5.0), bits64(inf));
  assert_int_equal(SUM64(-inf, 1e308), bits64(-inf));
  assert_int_equal(SUM64(inf, -inf), bits64(nan));
  assert_int_equal(SUM64(other, 1.0), bits64(nan));
  assert_int_equal(SUM64(other), bits64(nan));
  assert_int_equal(SUM64(1e300, 1.0, -1e300), bits64(1.0));
  assert_int_equal(SUM64(DBL_MAX, DBL_MAX, -DBL_MAX), bits64(DBL_MAX));
  assert_int_equal(SUM64(DBL_MAX, DBL_MAX), bits64(inf));
  assert_int_equal(SUM64(DBL_MAX, 0x1p970), bits64(inf)); /* half of the last bit, to even */
  assert_int_equal(SUM64(DBL_MAX, 0x1p970, -0x1p-1074), bits64(DBL_MAX));
  assert_int_equal(SUM64(0x1p-1074, 0x1p-1022, -0x1p-1074), bits64(0x1p-1022));
  assert_int_equal(SUM64(1.0, 0x1p-53), bits64(1.0));
  assert_int_equal(SUM64(1.0, 0x1p-53, 0x1p-1074), bits64(1.0 + 0x1p-52));
  assert_int_equal(SUM64(-1.0, -0x1p-53, -0x1p-1074), bits64(-1.0 - 0x1p-52));
  assert_int_equal(SUM32(-0.0), bits32(-0.0f));
  assert_int_equal(SUM32(1e30f, 1.0, -1e30f), bits32(1.0f));
  assert_int_equal(SUM32((double)FLT_MAX, 0x1p103), bits32(INFINITY));
  assert_int_equal(SUM32((double)FLT_MAX, 0x1p103, -0x1p-149), bits32(FLT_MAX));
  assert_int_equal(SUM32(1.0, 0x1p-24, 0x1p-149), bits32(1.0f + 0x1p-23f));
  assert_int_equal(SUM32(nan, 1.0), bits32(NAN));
  assert_int_equal(SUM32(inf, -inf), bits32(NAN));
}

static void other_types_are_refused(void **state) {
  (void)state;
  struct eyoti_combiner c;
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_LONG_DOUBLE_COMPLEX; type++)
    if (type != EYOT_FLOAT && type != EYOT_DOUBLE)
      assert_int_equal(eyoti_combiner_find(NULL, type, EYOT_SUM_EXACT, &c), EYOT_EINVAL);
  assert_false(eyoti_op_atomic(EYOT_DOUBLE, EYOT_SUM_EXACT));
  assert_int_equal(eyoti_op_refuse_atomic(EYOT_DOUBLE, EYOT_SUM_EXACT), EYOT_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_rounded_once_in_any_order),
      cmocka_unit_test(special_values_have_their_bits),
      cmocka_unit_test(other_types_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
