/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_wait.c - waits for words of every type and for several of them, through the public
 * API. */
#include "rt/rt.h"
#include "unit/api_unit.h"

#define N 40u /* more than fit on the stack of a wait */

static eyot_cond_t cond(eyot_gptr_t word, eyot_type_t type, eyot_cmp_t cmp, int64_t value) {
  return (eyot_cond_t){.word = word, .type = type, .cmp = cmp, .value = (uint64_t)value};
}

/* A put of 4 bytes to either half ends the neighbor's wait, and shows what came before it. */
static void types_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64), to = eyot_gptr_at(base, unit((me + 1) % n)),
              mine = eyot_gptr_at(base, unit(me));
  for (int32_t round = 1; round <= 6; round++) {
    int32_t value = -round;
    int64_t off = round % 2 == 0 ? 16 : 20;
    uint64_t seen = 0, data = (uint64_t)round;
    ok(eyot_put(to, &data, sizeof data));
    ok(eyot_put(eyot_gptr_add(to, off), &value, sizeof value));
    eyot_cond_t c = cond(eyot_gptr_add(mine, off), EYOT_INT32, EYOT_CMP_EQ, -round);
    ok(eyot_wait_until_word(&c, EYOT_FOREVER, &seen));
    assert_int_equal((int64_t)seen, -round);
    assert_int_equal(*(uint64_t *)api_own(base), round);
    bool done = true;
    c = cond(eyot_gptr_add(mine, off), EYOT_UINT32, EYOT_CMP_LT, 5);
    ok(eyot_test_until_word(&c, &seen, &done));
    assert_false(done);
    c.type = EYOT_INT32;
    ok(eyot_test_until_word(&c, &seen, &done));
    assert_true(done);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  api_free(base);
}

/* Of N words one in three is left out; the others are put one by one. */
static void lists_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(8 * N), to = eyot_gptr_at(base, unit((me + 1) % n)),
              mine = eyot_gptr_at(base, unit(me));
  eyot_cond_t c[N];
  size_t index = 0, count = 0, at[N], got = 0, want = 0;
  const uint64_t one = 1;
  bool done = true;
  for (uint32_t i = 0; i < N; i++)
    c[i] = cond(i % 3 == 0 ? EYOT_GPTR_NULL : eyot_gptr_add(mine, 8ull * i), i % 4, EYOT_CMP_EQ, 1);
  ok(eyot_test_until_any(c, N, &index));
  assert_int_equal(index, EYOT_NO_COND);
  ok(eyot_test_until_some(c, N, at, &count));
  assert_int_equal(count, 0);
  ok(eyot_test_until_all(c, N, &done));
  assert_false(done);
  refuses(EYOT_ETIMEOUT, eyot_wait_until_any(c, N, 2000, &index));
  refuses(EYOT_ETIMEOUT, eyot_wait_until_some(c, N, 2000, at, &count));
  refuses(EYOT_ETIMEOUT, eyot_wait_until_all(c, N, 2000));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = N - 1; i > 1; i--)
    if (i % 3 != 0) {
      ok(eyot_put(eyot_gptr_add(to, 8ull * i), &one, i % 4 < 2 ? 4 : 8));
      want++;
    }
  while (got < want) {
    ok(eyot_wait_until_some(c, N, EYOT_FOREVER, at, &count));
    assert_true(count > 0);
    for (size_t k = 0; k < count; k++) {
      assert_true(at[k] % 3 != 0 && (k == 0 || at[k] > at[k - 1]));
      c[at[k]].word = EYOT_GPTR_NULL; /* it is not waited for again */
    }
    got += count;
  }
  ok(eyot_test_until_all(c, N, &done)); /* the second word is missing */
  assert_false(done);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_put(eyot_gptr_add(to, 8), &one, sizeof one));
  ok(eyot_wait_until_any(c, N, EYOT_FOREVER, &index));
  assert_int_equal(index, 1);
  for (uint32_t i = 1; i < N; i++)
    if (i % 3 != 0) c[i].word = eyot_gptr_add(mine, 8ull * i);
  ok(eyot_wait_until_all(c, N, EYOT_FOREVER));
  ok(eyot_wait_until_all(c, N, 1000000));
  ok(eyot_test_until_all(c, N, &done));
  assert_true(done);
  api_free(base);
}

/* Lists in which nothing is left. */
static void empty_body(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  const eyot_cond_t out[2] = {{.word = EYOT_GPTR_NULL}, {.word = EYOT_GPTR_NULL}};
  size_t index = 5, count = 5, at[2];
  bool done = false;
  for (uint32_t k = 0; k <= 2; k++) {
    ok(eyot_wait_until_any(out, k, EYOT_FOREVER, &index));
    assert_int_equal(index, EYOT_NO_COND);
    ok(eyot_wait_until_some(out, k, EYOT_FOREVER, at, &count));
    assert_int_equal(count, 0);
    ok(eyot_wait_until_all(out, k, EYOT_FOREVER));
    ok(eyot_test_until_all(k == 0 ? NULL : out, k, &done));
    assert_true(done);
  }
}

/* Words of memory that the unit has registered, and of a dynamic segment. */
static void other_memory_body(uint32_t me, uint32_t n) {
  _Alignas(8) uint64_t own[2] = {0};
  eyot_gptr_t base = api_alloc(2 * sizeof(eyot_gptr_t)), mine, to;
  ok(eyot_register(own, sizeof own, &mine));
  ok(eyot_put(eyot_gptr_at(base, unit(me)), &mine, sizeof mine));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_get(&to, eyot_gptr_at(base, unit((me + 1) % n)), sizeof to));
  const uint64_t flag = 7;
  const int32_t half = -2;
  ok(eyot_put(to, &flag, sizeof flag));
  ok(eyot_wait_until(mine, EYOT_CMP_EQ, 7, NULL));
  ok(eyot_put(eyot_gptr_add(to, 12), &half, sizeof half));
  eyot_cond_t c[2] = {cond(eyot_gptr_add(mine, 12), EYOT_INT32, EYOT_CMP_LT, 0),
                      cond(mine, EYOT_UINT64, EYOT_CMP_GE, 7)};
  ok(eyot_wait_until_all(c, 2, EYOT_FOREVER));
  refuses(EYOT_EALIGN, eyot_wait_until(eyot_gptr_add(mine, 4), EYOT_CMP_EQ, 0, NULL));
  refuses(EYOT_ERANGE, eyot_wait_until(eyot_gptr_add(mine, 16), EYOT_CMP_EQ, 0, NULL));
  refuses(EYOT_EUNIT, eyot_wait_until(to, EYOT_CMP_EQ, 0, NULL));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_unregister(mine));
  api_free(base);
}

static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64), mine = eyot_gptr_at(base, unit(me)),
              to = eyot_gptr_at(base, unit((me + 1) % n));
  size_t index = 0, count = 0, at[2];
  bool done;
  eyot_cond_t c[2] = {cond(mine, EYOT_UINT64, EYOT_CMP_GE, 0)};
  const struct {
    eyot_cond_t c;
    int code;
  } BAD[] = {{cond(eyot_gptr_add(mine, 2), EYOT_UINT32, EYOT_CMP_EQ, 0), EYOT_EALIGN},
             {cond(eyot_gptr_add(mine, 4), EYOT_INT64, EYOT_CMP_EQ, 0), EYOT_EALIGN},
             {cond(mine, EYOT_FLOAT, EYOT_CMP_EQ, 0), EYOT_EINVAL},
             {cond(mine, EYOT_INT32, (eyot_cmp_t)6, 0), EYOT_EINVAL},
             {cond(to, EYOT_INT32, EYOT_CMP_EQ, 0), EYOT_EUNIT},
             {cond(eyot_gptr_add(mine, 64), EYOT_INT32, EYOT_CMP_EQ, 0), EYOT_ERANGE}};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    c[1] = BAD[i].c;
    refuses(BAD[i].code, eyot_wait_until_word(&c[1], EYOT_FOREVER, NULL));
    refuses(BAD[i].code, eyot_test_until_word(&c[1], NULL, &done));
    refuses(BAD[i].code, eyot_wait_until_any(c, 2, EYOT_FOREVER, &index));
    refuses(BAD[i].code, eyot_wait_until_some(c, 2, EYOT_FOREVER, at, &count));
    refuses(BAD[i].code, eyot_test_until_all(c, 2, &done));
  }
  c[1] = c[0];
  refuses(EYOT_EINVAL, eyot_wait_until_word(NULL, 0, NULL));
  refuses(EYOT_EINVAL, eyot_test_until_word(c, NULL, NULL));
  refuses(EYOT_EINVAL, eyot_wait_until_any(NULL, 2, 0, &index));
  refuses(EYOT_EINVAL, eyot_wait_until_any(c, 2, 0, NULL));
  refuses(EYOT_EINVAL, eyot_wait_until_some(c, 2, 0, NULL, &count));
  refuses(EYOT_EINVAL, eyot_wait_until_some(c, 2, 0, at, NULL));
  refuses(EYOT_EINVAL, eyot_test_until_all(c, 2, NULL));
  refuses(EYOT_EINVAL, eyot_wait_until_all(c, (size_t)UINT32_MAX + 1, 0));
  api_free(base);
}

static void a_put_ends_a_wait_for_a_word_of_4_bytes(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 3; n++) api_sweep(n, 8, types_body);
}
static void lists_return_any_some_and_all_that_hold(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) api_sweep(n, 4, lists_body);
}
static void a_list_without_conditions_ends_at_once(void **state) {
  (void)state;
  api_sweep(2, 1, empty_body);
}
static void registered_words_are_waited_for(void **state) {
  (void)state;
  api_sweep(3, 4, other_memory_body);
}
static void misuse_of_conditions_is_refused(void **state) {
  (void)state;
  api_sweep(2, 1, refused_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_put_ends_a_wait_for_a_word_of_4_bytes),
      cmocka_unit_test(lists_return_any_some_and_all_that_hold),
      cmocka_unit_test(a_list_without_conditions_ends_at_once),
      cmocka_unit_test(registered_words_are_waited_for),
      cmocka_unit_test(misuse_of_conditions_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
