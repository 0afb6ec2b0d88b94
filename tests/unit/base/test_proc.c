/* SPDX-License-Identifier: BSD-3-Clause */
/* test_proc.c - memory that the units of a process share: equal bytes are stored once, counted, and
 * freed with the last user. */
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

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_bytes_are_stored_once_and_counted),
                                     cmocka_unit_test(intern_without_memory_can_be_tried_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
