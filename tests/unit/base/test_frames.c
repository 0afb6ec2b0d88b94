/* SPDX-License-Identifier: BSD-3-Clause */
/* test_frames.c - which faults are overflows of a stack, and how much was needed (rt/frames.h); how
 * long a report waits for the tool that finds its lines (base/patience.h). */
#include "base/patience.h"
#include "rt/frames.h"
#include "unit/api_unit.h"

#define KIB UINT64_C(1024)
#define TOP UINT64_C(0x7f0000800000)

static const struct eyoti_stack STACK = {(const char *)(uintptr_t)TOP, 256 * KIB, 4 * KIB};

/* The KiB that were needed where the fault at `address` found the stack pointer at `sp`, both as
 * KiB below the top; 0: it is no overflow. */
static uint64_t needed(uint64_t address, uint64_t sp) {
  const struct eyoti_fault f = {NULL, (const char *)(uintptr_t)(TOP - sp * KIB)};
  uint64_t wanted = 0;
  bool over =
      eyoti_stack_overflow(&STACK, &f, (const char *)(uintptr_t)(TOP - address * KIB), &wanted);
  return over ? wanted / KIB : 0;
}

static void a_fault_below_the_stack_is_an_overflow(void **state) {
  (void)state;
  assert_int_equal(needed(257, 257), 257); /* touches the guard */
  assert_int_equal(needed(600, 610), 610); /* an array that begins below the guard */
  assert_int_equal(needed(610, 600), 610); /* a push */
  assert_int_equal(needed(300, 8000), 8000);
  assert_int_equal(needed(40 * KIB, 40 * KIB), 40 * KIB);
}

static void other_faults_are_not(void **state) {
  (void)state;
  assert_int_equal(needed(100, 100), 0);             /* inside */
  assert_int_equal(needed(200, 255), 0);             /* inside, nearly full */
  assert_int_equal(needed(TOP / KIB, 100), 0);       /* a null pointer, on a good stack */
  assert_int_equal(needed(200 * KIB, 100), 0);       /* a wild pointer */
  assert_int_equal(needed(100 * KIB, 100 * KIB), 0); /* another stack: too far for an array */
}

#define SECOND UINT64_C(1000000000)

/* On a loaded machine a tool that works gets little of the processor. */
static void a_tool_that_works_is_waited_for(void **state) {
  (void)state;
  struct eyoti_patience p = {0};
  for (uint64_t s = 1; s < 100; s++)
    assert_true(eyoti_patience_lasts(&p, s * SECOND, s * SECOND / 50));
}

static void a_tool_that_is_broken_is_not(void **state) {
  (void)state;
  struct eyoti_patience sleeps = {0}, loops = {0}, unknown = {0};
  assert_true(eyoti_patience_lasts(&sleeps, 9 * SECOND, 7));
  assert_true(eyoti_patience_lasts(&sleeps, 13 * SECOND, 7));
  assert_false(eyoti_patience_lasts(&sleeps, 14 * SECOND, 7));
  assert_true(eyoti_patience_lasts(&loops, 9 * SECOND, 4 * SECOND));
  assert_false(eyoti_patience_lasts(&loops, 10 * SECOND, 5 * SECOND));
  assert_true(eyoti_patience_lasts(&unknown, 9 * SECOND, 0)); /* no clock: by time alone */
  assert_false(eyoti_patience_lasts(&unknown, 14 * SECOND, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_fault_below_the_stack_is_an_overflow),
                                     cmocka_unit_test(other_faults_are_not),
                                     cmocka_unit_test(a_tool_that_works_is_waited_for),
                                     cmocka_unit_test(a_tool_that_is_broken_is_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
