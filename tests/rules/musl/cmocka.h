/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka.h - the part of CMocka's interface that tests of pure layers use, for C libraries for
 * which Debian has no CMocka (musl.sh). A failure ends the process with code 1. */
#ifndef EYOT_RULES_MUSL_CMOCKA_H
#define EYOT_RULES_MUSL_CMOCKA_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
  const char *name;
  void (*test)(void **state);
  int (*setup)(void **state), (*teardown)(void **state);
  void *state; /* NULL: the group's */
};

#define cmocka_unit_test(f) \
  { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup(f, setup) \
  { #f, f, setup, NULL, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
  { #f, f, setup, teardown, NULL }
#define cmocka_unit_test_prestate(f, state) \
  { #f, f, NULL, NULL, state }

#define print_message(...) ((void)printf(__VA_ARGS__))
#define fail_msg(...)                                     \
  do {                                                    \
    (void)fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
    (void)fprintf(stderr, __VA_ARGS__);                   \
    (void)fputc('\n', stderr);                            \
    exit(1);                                              \
  } while (0)
#define fail() fail_msg("failed")
#define assert_true(c)                           \
  do {                                           \
    if (!(c)) fail_msg("does not hold: %s", #c); \
  } while (0)
#define assert_false(c) assert_true(!(c))
#define assert_null(p) assert_true((p) == NULL)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_ptr_equal(a, b) assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void *)(a) != (const void *)(b))
#define assert_int_equal(a, b) assert_true((uintmax_t)(a) == (uintmax_t)(b))
#define assert_int_not_equal(a, b) assert_true((uintmax_t)(a) != (uintmax_t)(b))
#define assert_in_range(v, low, high) \
  assert_true((uintmax_t)(v) >= (uintmax_t)(low) && (uintmax_t)(v) <= (uintmax_t)(high))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_string_not_equal(a, b) assert_true(strcmp((a), (b)) != 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp((a), (b), (n)) == 0)

static inline int run_tests(const struct CMUnitTest *test, size_t n, int (*setup)(void **state),
                            int (*teardown)(void **state)) {
  void *group = NULL;
  if (setup != NULL && setup(&group) != 0) fail_msg("the group cannot be set up");
  for (size_t i = 0; i < n; i++) {
    void *state = test[i].state != NULL ? test[i].state : group;
    if (test[i].setup != NULL && test[i].setup(&state) != 0)
      fail_msg("%s cannot be set up", test[i].name);
    test[i].test(&state);
    if (test[i].teardown != NULL && test[i].teardown(&state) != 0)
      fail_msg("%s cannot be taken down", test[i].name);
  }
  if (teardown != NULL && teardown(&group) != 0) fail_msg("the group cannot be taken down");
  printf("%zu cases passed\n", n);
  return 0;
}
#define cmocka_run_group_tests(tests, setup, teardown) \
  run_tests(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#endif
