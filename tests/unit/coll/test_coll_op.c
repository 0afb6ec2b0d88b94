/* SPDX-License-Identifier: BSD-3-Clause */
/* test_coll_op.c - operators of reductions: the tree over ranks for every root, operators of the
 * program and their mistakes. */
#include "support/coll_model.h"
#include "unit/api_unit.h"

static eyot_op_t op_of(const eyot_op_t ops[MODEL_USER_CASES], uint32_t k) {
  return k + MODEL_USER_CASES >= MODEL_CASES ? ops[k + MODEL_USER_CASES - MODEL_CASES]
                                             : model_cases[k].op;
}

/* Every pair, every root; of the operators of the program one does not commute. */
static void every_pair_body(uint32_t me, uint32_t n) {
  enum { COUNT = 3, MOST = 32 };
  eyot_op_t ops[MODEL_USER_CASES];
  uint32_t members[16];
  ok(model_make(ops));
  for (uint32_t i = 0; i < n; i++) members[i] = i;
  for (uint32_t k = 0; k < MODEL_CASES; k++) {
    const struct model_case *c = &model_cases[k];
    char send[COUNT * MOST], recv[COUNT * MOST], wanted[COUNT * MOST];
    for (uint64_t i = 0; i < COUNT; i++) {
      model_input(c, me, i, send + i * c->width);
      model_fold(c, members, n, i, wanted + i * c->width);
    }
    for (uint32_t root = 0; root < n; root++) {
      memset(recv, 0, sizeof recv);
      ok(eyot_reduce(EYOT_TEAM_ALL, (eyot_tunit_t){root}, c->type, op_of(ops, k), send, recv,
                     COUNT));
      if (me == root) assert_true(model_same(c, recv, wanted, COUNT));
    }
    ok(eyot_allreduce(EYOT_TEAM_ALL, c->type, op_of(ops, k), send, recv, COUNT));
    assert_true(model_same(c, recv, wanted, COUNT));
  }
  for (int k = 0; k < MODEL_USER_CASES; k++) ok(eyot_op_free(&ops[k]));
}

static void keep_left(void *out, const void *left, const void *right, uint64_t n, void *context) {
  (void)right;
  memmove(out, left, n * *(const uint64_t *)context);
}

/* The largest elements, which no round may cut. */
static void large_elements_body(uint32_t me, uint32_t n) {
  uint64_t bytes = EYOT_OP_BYTES_MAX - 3, count = 400;
  char *b = malloc(count * bytes);
  assert_non_null(b);
  eyot_op_t op;
  ok(eyot_op_create(keep_left, &bytes, bytes, false, &op));
  for (uint64_t i = 0; i < count * bytes; i++) b[i] = (char)(me == 0 ? i / 7 : 99);
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, op, b, b, count));
  for (uint64_t i = 0; i < count * bytes; i++)
    if (b[i] != (char)(i / 7)) fail_msg("byte %llu of %u units", (unsigned long long)i, n);
  ok(eyot_op_free(&op));
  free(b);
}

static int codes[3]; /* of calls from inside an operator */

static void calls_eyot(void *out, const void *left, const void *right, uint64_t n, void *context) {
  (void)context;
  codes[0] = eyot_barrier(EYOT_TEAM_ALL);
  codes[1] = eyot_flush_all(EYOT_REMOTE);
  codes[2] = eyot_compute(1);
  memmove(out, n > 0 ? left : right, n * 8);
}

static void mistakes_body(uint32_t me, uint32_t n) {
  uint64_t v[2] = {me, me}, w[2] = {7, 7}, bytes = 8;
  eyot_op_t op, other, gone, many[EYOT_OP_MAX];
  refuses(EYOT_EINVAL, eyot_op_create(NULL, NULL, 8, true, &op));
  refuses(EYOT_EINVAL, eyot_op_create(keep_left, &bytes, 0, true, &op));
  refuses(EYOT_EINVAL, eyot_op_create(keep_left, &bytes, EYOT_OP_BYTES_MAX + 1, true, &op));
  refuses(EYOT_EINVAL, eyot_op_create(keep_left, &bytes, 8, true, NULL));
  refuses(EYOT_EINVAL, eyot_op_free(NULL));
  op = EYOT_SUM;
  refuses(EYOT_EINVAL, eyot_op_free(&op));
  op = EYOT_OP_USER_LAST;
  refuses(EYOT_EINVAL, eyot_op_free(&op));

  ok(eyot_op_create(keep_left, &bytes, 8, true, &op));
  gone = op;
  /* widths of types, atomics, a type without an operator */
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_INT32, op, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_BYTE, op, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, EYOT_SUM, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE_COMPLEX, EYOT_MIN, v, w, 1));
  for (eyot_op_t wrong = EYOT_MIN; wrong <= EYOT_SUM_EXACT; wrong++)
    refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_LONG_DOUBLE_COMPLEX, wrong, v, w, 1));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_FLOAT, EYOT_LAND, v, w, 1));
  eyot_gptr_t word = api_alloc(16);
  refuses(EYOT_EINVAL, eyot_accumulate(word, EYOT_UINT64, op, v));
  refuses(EYOT_EINVAL, eyot_accumulate(word, EYOT_UINT64, EYOT_LAND, v));
  refuses(EYOT_EINVAL, eyot_fetch_op(word, EYOT_INT16, EYOT_SUM, v, w));
  refuses(EYOT_EINVAL, eyot_accumulate_array(word, EYOT_LONG_DOUBLE, EYOT_SUM, v, 1));
  refuses(EYOT_EINVAL, eyot_compare_swap(word, EYOT_DOUBLE_COMPLEX, v, v, w));
  refuses(EYOT_EINVAL, eyot_accumulate(word, EYOT_LONG_DOUBLE_COMPLEX, EYOT_SUM, v));
  api_free(word);
  /* A type of the same width is as good as EYOT_USER, but not the same. */
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, op, v, w, 1));
  assert_int_equal(w[0], 0);
  if (n > 1) {
    refuses(EYOT_EMISMATCH,
            eyot_allreduce(EYOT_TEAM_ALL, me == 0 ? EYOT_USER : EYOT_DOUBLE, op, v, w, 1));
    ok(eyot_op_create(keep_left, &bytes, 8, me == 0, &other));
    refuses(EYOT_EMISMATCH, eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, other, v, w, 1));
    ok(eyot_op_free(&other));
  }
  /* The operators of members may have different names. */
  if (me == 0) ok(eyot_op_create(keep_left, &bytes, 8, false, &many[0]));
  ok(eyot_op_create(keep_left, &bytes, 8, false, &other));
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, other, v, w, 2));
  assert_true(w[0] == 0 && w[1] == 0);
  ok(eyot_op_free(&other));
  if (me == 0) ok(eyot_op_free(&many[0]));
  assert_int_equal(other, EYOT_NOOP);

  ok(eyot_op_free(&op));
  refuses(EYOT_EINVAL, eyot_op_free(&gone));
  refuses(EYOT_EINVAL, eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, gone, v, w, 1));
  /* a freed operator is not the one that has its place */
  for (uint32_t i = 0; i < EYOT_OP_MAX; i++)
    ok(eyot_op_create(keep_left, &bytes, 8, true, &many[i]));
  refuses(EYOT_EBUSY, eyot_op_create(keep_left, &bytes, 8, true, &op));
  refuses(EYOT_EINVAL, eyot_op_free(&gone));
  for (uint32_t i = 0; i + 1 < EYOT_OP_MAX; i++) ok(eyot_op_free(&many[i])); /* one is left */

  ok(eyot_op_create(calls_eyot, NULL, 8, true, &op));
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_USER, op, v, w, 1));
  if (me == 0 && n > 1) {
    assert_int_equal(codes[0], EYOT_ESTATE);
    assert_int_equal(codes[2], EYOT_ESTATE);
  }
  ok(eyot_op_free(&op));
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

static void every_pair_is_combined_along_the_tree_of_ranks(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 9; n++) api_sweep(n, 1, every_pair_body);
}
static void large_elements_are_not_cut(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 5; n += 3) api_sweep(n, 1, large_elements_body);
}
static void mistakes_with_operators_are_refused(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) api_sweep(n, 1, mistakes_body);
}

int main(void) {
  api_environment();
  setenv("EYOT_HEAP_SIZE", "8M", 1);
  setenv("EYOT_HEAP_MAX", "8M", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_is_combined_along_the_tree_of_ranks),
      cmocka_unit_test(large_elements_are_not_cut),
      cmocka_unit_test(mistakes_with_operators_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
