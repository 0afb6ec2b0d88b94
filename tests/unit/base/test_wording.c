/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wording.c - words of messages that an interface replaces: whole words of eyot's own text,
 * and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/image.h"
#include "base/wording.h"

static void worded(const char *text, const char *expected) {
  char to[80];
  assert_string_equal(eyoti_wording(text, to, sizeof to), expected);
}

static void whole_words_are_replaced(void **state) {
  (void)state;
  eyoti_wording_set("unit=PE units=PEs eyot_init=shmem_init  none=");
  worded("unit %u, units 1-2: a unit's", "PE %u, PEs 1-2: a PE's");
  worded("eyot_init, eyot_init_with, reunite, united",
         "shmem_init, eyot_init_with, reunite, united");
  worded("--units-per-node, unit=3, EYOT_N, -unit", "--units-per-node, unit=3, EYOT_N, -unit");
  worded("100% of unit %5u%%", "100% of PE %5u%%");
  worded("", "");
  worded("[none]", "[]");
  char longer[200], to[100];
  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  assert_ptr_equal(eyoti_wording(longer, to, sizeof to), longer); /* stays */
}

static void arguments_stay(void **state) {
  (void)state;
  char text[80];
  eyoti_wording_set("unit=PE");
  assert_int_equal(eyoti_snprintf(text, sizeof text, "unit %d: %s", 3, "a unit"), 12);
  assert_string_equal(text, "PE 3: a unit");
  assert_string_equal(EYOTI_WORDED("no unit"), "no PE");
}

static void without_words_nothing_changes(void **state) {
  (void)state;
  static const char TEXT[] = "unit %u";
  char to[80];
  eyoti_wording_set(NULL);
  assert_ptr_equal(eyoti_wording(TEXT, to, sizeof to), TEXT);
  assert_null(eyoti_image_loaded_words());
  assert_null(eyoti_image_file_words("/proc/self/exe"));
  assert_null(eyoti_image_file_words("/nowhere/at/all"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_words_are_replaced),
                                     cmocka_unit_test(arguments_stay),
                                     cmocka_unit_test(without_words_nothing_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
