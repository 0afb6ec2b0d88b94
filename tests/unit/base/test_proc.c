/* SPDX-License-Identifier: BSD-3-Clause */
/* test_proc.c - memory that the units of a process share: equal bytes are stored once, counted, and
 * freed with the last user; what one unit has computed, others recall. */
#include "rt/proc.h"
#include "unit/api_unit.h"

static void equal_bytes_are_stored_once_and_counted(void **state) {
  (void)state;
  struct eyoti_proc *p = eyoti_proc_new();
  assert_non_null(p);
  char text[] = "heat";
  const char *a = eyoti_proc_intern(p, text, 5), *b = eyoti_proc_intern(p, text, 5),
             *c = eyoti_proc_intern(p, text, 4);
  assert_non_null(a);
  assert_ptr_equal(a, b);
  assert_ptr_not_equal(a, c);
  assert_int_equal((uintptr_t)a % 16, 0);
  text[0] = 'b'; /* a copy was stored */
  assert_string_equal(a, "heat");
  eyoti_proc_release(p, a);
  assert_string_equal(b, "heat");
  assert_ptr_equal(eyoti_proc_intern(p, "heat", 5), b);
  eyoti_proc_release(p, b);
  eyoti_proc_release(p, b);
  eyoti_proc_release(p, NULL);
  eyoti_proc_release(p, c);
  /* So many that the table grows; the rest is released with it. */
  const void *stored[500];
  for (uint64_t i = 0; i < 500; i++) stored[i] = eyoti_proc_intern(p, &i, sizeof i);
  for (uint64_t i = 0; i < 500; i++) assert_memory_equal(stored[i], &i, sizeof i);
  for (uint64_t i = 0; i < 500; i += 2) eyoti_proc_release(p, stored[i]);
  for (uint64_t i = 1; i < 500; i += 2)
    assert_ptr_equal(eyoti_proc_intern(p, &i, sizeof i), stored[i]);
  eyoti_proc_delete(p);
  eyoti_proc_delete(NULL);
}

static void intern_without_memory_can_be_tried_again(void **state) {
  (void)state;
  fake_alloc_fail_after(1);
  assert_null(eyoti_proc_new());
  fake_alloc_fail_after(0);
  for (uint64_t nth = 1; nth <= 3; nth++) {
    struct eyoti_proc *p = eyoti_proc_new();
    fake_alloc_fail_after(nth); /* the copy, the table, its buckets */
    assert_null(eyoti_proc_intern(p, "x", 2));
    fake_alloc_fail_after(0);
    const void *x = eyoti_proc_intern(p, "x", 2);
    assert_non_null(x);
    eyoti_proc_release(p, x);
    eyoti_proc_delete(p);
  }
}

/* More keys than are kept: what is not kept is not recalled, and never as another key's. */
static void results_are_recalled_by_their_whole_key(void **state) {
  (void)state;
  struct eyoti_proc *p = eyoti_proc_new();
  assert_non_null(p);
  uint32_t recalled = 0;
  for (uint64_t i = 0; i < 200; i++) {
    struct eyoti_recalled r = {.key = {EYOTI_RECALL_CHOICE}};
    r.key[1 + i % (EYOTI_RECALL_KEY - 1)] = i + 1;
    assert_false(eyoti_proc_recall(p, &r));
    for (uint32_t k = 0; k < EYOTI_RECALL_VALUE; k++) r.value[k] = 10 * i + k;
    eyoti_proc_remember(p, &r);
    memset(r.value, 0, sizeof r.value);
    assert_true(eyoti_proc_recall(p, &r));
    for (uint32_t k = 0; k < EYOTI_RECALL_VALUE; k++) assert_int_equal(r.value[k], 10 * i + k);
    r.key[0] = EYOTI_RECALL_EXCHANGE;
    assert_false(eyoti_proc_recall(p, &r));
  }
  for (uint64_t i = 0; i < 200; i++) {
    struct eyoti_recalled r = {.key = {EYOTI_RECALL_CHOICE}};
    r.key[1 + i % (EYOTI_RECALL_KEY - 1)] = i + 1;
    if (!eyoti_proc_recall(p, &r)) continue;
    assert_int_equal(r.value[0], 10 * i);
    recalled++;
  }
  assert_true(recalled > 0);
  eyoti_proc_delete(p);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_bytes_are_stored_once_and_counted),
                                     cmocka_unit_test(intern_without_memory_can_be_tried_again),
                                     cmocka_unit_test(results_are_recalled_by_their_whole_key)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
