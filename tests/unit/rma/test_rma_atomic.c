/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_atomic.c - compares typed atomics and array accumulates with a serial model for every
 * type and operator; concurrent updates, refusals. */
#include "rma/op.h"
#include "unit/api_unit.h"

#define ELEMENTS 12u

static const eyot_type_t TYPES[] = {EYOT_INT32,  EYOT_UINT32, EYOT_INT64,
                                    EYOT_UINT64, EYOT_FLOAT,  EYOT_DOUBLE};
#define TYPE_COUNT (sizeof TYPES / sizeof TYPES[0])

/* A random element; small numbers for floating point, so that sums and products stay finite. */
static void draw_element(uint64_t *rng, eyot_type_t type, void *p) {
  uint64_t bits = draw(rng);
  float f = (float)(int32_t)(bits % 2001) / 16.0f - 62.0f;
  double d = (double)f / 3.0;
  switch (type) {
    case EYOT_FLOAT:
      memcpy(p, &f, 4);
      break;
    case EYOT_DOUBLE:
      memcpy(p, &d, 8);
      break;
    default:
      memcpy(p, &bits, eyoti_type_width(type));
  }
}

/* One unit, one word, many operations: fetch_op, accumulate and accumulate_nbi against a copy that
 * is combined serially. */
static void pairs_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_gptr_t word = eyot_gptr_at(base, unit((me + 1) % n));
  uint64_t rng = 99 + me;
  for (size_t t = 0; t < TYPE_COUNT; t++) {
    eyot_type_t type = TYPES[t];
    uint32_t width = eyoti_type_width(type);
    eyot_gptr_t at = eyot_gptr_add(word, width == 4 ? 0 : 8); /* a word keeps its width */
    _Alignas(8) char model[8] = {0}, operand[8], old[8];
    draw_element(&rng, type, model);
    ok(eyot_accumulate(at, type, EYOT_REPLACE, model));
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
      draw_element(&rng, type, operand);
      if (!eyoti_op_defined(type, op)) {
        refuses(EYOT_EINVAL, eyot_fetch_op(at, type, op, operand, old));
        refuses(EYOT_EINVAL, eyot_accumulate(at, type, op, operand));
        refuses(EYOT_EINVAL, eyot_accumulate_nbi(at, type, op, operand));
        continue;
      }
      ok(eyot_fetch_op(at, type, op, op == EYOT_NOOP ? NULL : operand, old));
      assert_memory_equal(old, model, width);
      eyoti_combine(type, op, model, operand, 1);
      ok(eyot_accumulate(at, type, op, operand));
      eyoti_combine(type, op, model, operand, 1);
      bool has_nbi = op == EYOT_REPLACE || (eyoti_type_is_integer(type) && op != EYOT_NOOP &&
                                            op != EYOT_PROD && op != EYOT_MIN && op != EYOT_MAX);
      refuses(has_nbi ? EYOT_OK : EYOT_ENOTSUP, eyot_accumulate_nbi(at, type, op, operand));
      ok(eyot_flush_all(EYOT_REMOTE));
      if (has_nbi) eyoti_combine(type, op, model, operand, 1);
      ok(eyot_fetch_op(at, type, EYOT_NOOP, NULL, old));
      assert_memory_equal(old, model, width);
    }
    /* Compare-and-swap compares bits: once with the wrong expected value, once with the right
     * one. */
    draw_element(&rng, type, operand);
    _Alignas(8) char wrong[8];
    memcpy(wrong, model, 8);
    wrong[0] = (char)(wrong[0] ^ 1);
    ok(eyot_compare_swap(at, type, wrong, operand, old));
    assert_memory_equal(old, model, width);
    ok(eyot_compare_swap(at, type, model, operand, old));
    assert_memory_equal(old, model, width);
    ok(eyot_fetch_op(at, type, EYOT_NOOP, NULL, old));
    assert_memory_equal(old, operand, width);
  }
  api_free(base);
}

/* Minus zero and zero are equal but not the same bits; a not-a-number is the same as itself. */
static void float_bits_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(16);
  eyot_gptr_t at = eyot_gptr_at(base, unit((me + 1) % n));
  double zero = 0.0, minus = -0.0, nan = __builtin_nan(""), one = 1.0, old;
  ok(eyot_accumulate(at, EYOT_DOUBLE, EYOT_REPLACE, &minus));
  ok(eyot_compare_swap(at, EYOT_DOUBLE, &zero, &one, &old));
  assert_memory_equal(&old, &minus, 8);
  ok(eyot_accumulate(at, EYOT_DOUBLE, EYOT_REPLACE, &nan));
  ok(eyot_compare_swap(at, EYOT_DOUBLE, &nan, &one, &old));
  ok(eyot_fetch_op(at, EYOT_DOUBLE, EYOT_NOOP, NULL, &old));
  assert_memory_equal(&old, &one, 8);
  /* A sum with a not-a-number ends (the loop compares bits, not values). */
  ok(eyot_accumulate(at, EYOT_DOUBLE, EYOT_SUM, &nan));
  ok(eyot_accumulate(at, EYOT_DOUBLE, EYOT_SUM, &nan));
  api_free(base);
}

/* All units update the same words of unit 0 in every way; no update is lost. */
static void concurrent_body(uint32_t me, uint32_t n) {
  enum { ROUNDS = 6 };
  eyot_gptr_t base = api_alloc(128);
  eyot_gptr_t at = eyot_gptr_at(base, unit(0));
  for (uint64_t round = 0; round < ROUNDS; round++) {
    uint64_t one = 1, old, two = 2, bit = (uint64_t)1 << (round * n + me) % 64;
    double half = 0.5;
    float quarter = 0.25f;
    int32_t low = -(int32_t)(me + 1);
    ok(eyot_fetch_add_u64(at, one, &old));
    ok(eyot_accumulate_nbi(at, EYOT_UINT64, EYOT_SUM, &two));
    ok(eyot_accumulate(eyot_gptr_add(at, 8), EYOT_DOUBLE, EYOT_SUM, &half));
    ok(eyot_accumulate(eyot_gptr_add(at, 16), EYOT_FLOAT, EYOT_SUM, &quarter));
    ok(eyot_accumulate(eyot_gptr_add(at, 20), EYOT_INT32, EYOT_MIN, &low));
    ok(eyot_accumulate(eyot_gptr_add(at, 24), EYOT_UINT64, EYOT_BXOR, &bit));
    /* a compare-and-swap loop in the program */
    for (uint64_t seen = 0, before;; seen = before) {
      ok(eyot_cas_u64(eyot_gptr_add(at, 32), seen, seen + 1, &before));
      if (before == seen) break;
    }
  }
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) {
    const char *p = api_own(base);
    uint64_t words[5];
    float f;
    int32_t i;
    double d;
    memcpy(words, p, sizeof words);
    memcpy(&d, p + 8, 8);
    memcpy(&f, p + 16, 4);
    memcpy(&i, p + 20, 4);
    assert_int_equal(words[0], 3 * ROUNDS * n);
    assert_true(d == 0.5 * ROUNDS * n && f == 0.25f * ROUNDS * (float)n);
    assert_int_equal(i, -(int32_t)n);
    uint64_t bits = 0;
    for (uint64_t k = 0; k < ROUNDS * n; k++) bits ^= (uint64_t)1 << k % 64;
    assert_int_equal(words[3], bits);
    assert_int_equal(words[4], ROUNDS * n);
  }
  api_free(base);
}

static void arrays_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(2 * ELEMENTS * 8);
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  uint64_t rng = 7 * me + 1;
  for (size_t t = 0; t < TYPE_COUNT; t++) {
    eyot_type_t type = TYPES[t];
    uint32_t width = eyoti_type_width(type);
    eyot_gptr_t at = eyot_gptr_add(there, width == 4 ? 0 : ELEMENTS * 8);
    _Alignas(8) char model[ELEMENTS * 8], src[ELEMENTS * 8], old[ELEMENTS * 8];
    for (uint32_t i = 0; i < ELEMENTS; i++) draw_element(&rng, type, model + i * width);
    ok(eyot_accumulate_array(at, type, EYOT_REPLACE, model, ELEMENTS));
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
      for (uint32_t i = 0; i < ELEMENTS; i++) draw_element(&rng, type, src + i * width);
      if (!eyoti_op_defined(type, op)) {
        refuses(EYOT_EINVAL, eyot_accumulate_array(at, type, op, src, ELEMENTS));
        continue;
      }
      ok(eyot_get_accumulate_array(at, type, op, op == EYOT_NOOP ? NULL : src, old, ELEMENTS));
      assert_memory_equal(old, model, ELEMENTS * width);
      eyoti_combine(type, op, model, src, ELEMENTS);
      ok(eyot_accumulate_array(at, type, op, src, ELEMENTS));
      eyoti_combine(type, op, model, src, ELEMENTS);
    }
    ok(eyot_get_accumulate_array(at, type, EYOT_NOOP, NULL, old, ELEMENTS));
    assert_memory_equal(old, model, ELEMENTS * width);
  }
  api_free(base);
}

/* Concurrent sums over arrays longer than a batch and than a chunk: by words, and under the
 * lock. */
static void concurrent_arrays_body(uint32_t me, uint32_t n) {
  enum { WORDS = 150, REALS = 1100 };
  eyot_gptr_t base = api_alloc((WORDS + REALS) * 8);
  eyot_gptr_t words = eyot_gptr_at(base, unit(n - 1)), reals = eyot_gptr_add(words, WORDS * 8);
  uint64_t w[WORDS], w_old[WORDS];
  double *r = malloc(REALS * sizeof *r), *r_old = malloc(REALS * sizeof *r);
  assert_true(r != NULL && r_old != NULL);
  for (uint64_t i = 0; i < WORDS; i++) w[i] = i + me;
  for (int i = 0; i < REALS; i++) r[i] = i * 0.5;
  for (uint64_t round = 0; round < 2; round++) {
    ok(eyot_accumulate_array(words, EYOT_UINT64, EYOT_SUM, w, WORDS));
    ok(eyot_accumulate_array(reals, EYOT_DOUBLE, EYOT_SUM, r, REALS));
    ok(eyot_get_accumulate_array(words, EYOT_UINT64, EYOT_SUM, w, w_old, WORDS));
    ok(eyot_get_accumulate_array(reals, EYOT_DOUBLE, EYOT_SUM, r, r_old, REALS));
    for (uint64_t i = 0; i < WORDS; i++) assert_true(w_old[i] >= (2 * round + 1) * w[i]);
    for (int i = 1; i < REALS; i++) assert_true(r_old[i] >= (double)(2 * round + 1) * r[i]);
    /* Under the lock an array changes as a whole. */
    for (int i = 2; i < REALS; i++) assert_true(r_old[i] == r_old[1] * i);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == n - 1) {
    const char *p = api_own(base);
    for (uint64_t i = 0; i < WORDS; i++) {
      uint64_t v;
      memcpy(&v, p + i * 8, 8);
      assert_int_equal(v, 4 * (i * n + n * (n - 1) / 2));
    }
    for (int i = 0; i < REALS; i++) {
      double d;
      memcpy(&d, p + (WORDS + i) * 8, 8);
      assert_true(d == 4.0 * n * i * 0.5);
    }
  }
  free(r);
  free(r_old);
  api_free(base);
}

static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  uint64_t v = 1, old;
  (void)me;
  refuses(EYOT_EALIGN, eyot_fetch_add_u64(eyot_gptr_add(base, 4), 1, &old));
  refuses(EYOT_EALIGN, eyot_accumulate(eyot_gptr_add(base, 2), EYOT_FLOAT, EYOT_SUM, &v));
  refuses(EYOT_EALIGN, eyot_accumulate_array(eyot_gptr_add(base, 4), EYOT_DOUBLE, EYOT_SUM, &v, 1));
  refuses(EYOT_EINVAL, eyot_fetch_op(base, EYOT_UINT64, EYOT_SUM, NULL, &old));
  refuses(EYOT_EINVAL, eyot_fetch_op(base, EYOT_UINT64, EYOT_SUM, &v, NULL));
  refuses(EYOT_EINVAL, eyot_fetch_op(base, EYOT_BYTE, EYOT_REPLACE, &v, &old));
  refuses(EYOT_EINVAL, eyot_accumulate(base, (eyot_type_t)77, EYOT_SUM, &v));
  refuses(EYOT_EINVAL, eyot_accumulate(base, EYOT_INT32, (eyot_op_t)77, &v));
  refuses(EYOT_EINVAL, eyot_accumulate_nbi(base, EYOT_INT32, EYOT_SUM, NULL));
  refuses(EYOT_EINVAL, eyot_compare_swap(base, EYOT_UINT64, NULL, &v, &old));
  refuses(EYOT_EINVAL, eyot_compare_swap(base, EYOT_UINT64, &v, NULL, &old));
  refuses(EYOT_EINVAL, eyot_compare_swap(base, EYOT_UINT64, &v, &v, NULL));
  refuses(EYOT_EINVAL, eyot_compare_swap(base, EYOT_BYTE, &v, &v, &old));
  refuses(EYOT_ESEG, eyot_read_u64(EYOT_GPTR_NULL, &old));
  refuses(EYOT_ERANGE, eyot_read_u64(eyot_gptr_add(base, 64), &old));
  refuses(EYOT_EUNIT, eyot_read_u64(eyot_gptr_at(base, unit(n)), &old));
  refuses(EYOT_ERANGE, eyot_accumulate_array(base, EYOT_UINT64, EYOT_SUM, &v, UINT64_MAX / 4));
  refuses(EYOT_EINVAL, eyot_accumulate_array(base, EYOT_UINT64, EYOT_SUM, NULL, 1));
  refuses(EYOT_EINVAL, eyot_get_accumulate_array(base, EYOT_UINT64, EYOT_SUM, &v, NULL, 1));
  ok(eyot_accumulate_array(base, EYOT_UINT64, EYOT_SUM, NULL, 0));
  ok(eyot_get_accumulate_array(base, EYOT_DOUBLE, EYOT_SUM, NULL, NULL, 0));
  api_free(base);
}

static void every_type_and_operator_matches_a_copy(void **state) {
  (void)state;
  api_sweep(1, 1, pairs_body);
  api_sweep(3, 4, pairs_body);
}
static void compare_and_swap_compares_bits_of_floats(void **state) {
  (void)state;
  api_sweep(2, 2, float_bits_body);
}
static void concurrent_updates_lose_nothing(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n += 2) api_sweep(n, 6, concurrent_body);
}
static void arrays_match_a_copy_by_words_and_under_the_lock(void **state) {
  (void)state;
  api_sweep(2, 2, arrays_body);
  setenv("EYOT_BULK_ATOMIC", "0", 1); /* everything under the lock */
  api_sweep(3, 2, arrays_body);
  setenv("EYOT_BULK_ATOMIC", "100000", 1);
  api_sweep(3, 2, arrays_body);
  unsetenv("EYOT_BULK_ATOMIC");
}
static void concurrent_sums_of_arrays_lose_nothing(void **state) {
  (void)state;
  setenv("EYOT_BULK_ATOMIC", "100000", 1);
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 2, concurrent_arrays_body);
  setenv("EYOT_BULK_ATOMIC", "0", 1);
  api_sweep(3, 2, concurrent_arrays_body);
  unsetenv("EYOT_BULK_ATOMIC");
}
static void misaligned_and_undefined_atomics_are_refused(void **state) {
  (void)state;
  api_sweep(2, 1, refused_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type_and_operator_matches_a_copy),
      cmocka_unit_test(compare_and_swap_compares_bits_of_floats),
      cmocka_unit_test(concurrent_updates_lose_nothing),
      cmocka_unit_test(arrays_match_a_copy_by_words_and_under_the_lock),
      cmocka_unit_test(concurrent_sums_of_arrays_lose_nothing),
      cmocka_unit_test(misaligned_and_undefined_atomics_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
