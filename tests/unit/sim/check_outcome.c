/* SPDX-License-Identifier: BSD-3-Clause */
/* check_outcome.c - the table of outcomes: counts, long texts, more texts than entries, several
 * workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric_sim/explore/outcome.h"

static struct sim_outcomes *table(void) {
  struct sim_outcomes *o = calloc(1, sizeof *o);
  assert_non_null(o);
  return o;
}

/* The printed table; the caller frees it. */
static char *printed(const struct sim_outcomes *o) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  sim_outcome_print(o, out);
  assert_int_equal(fclose(out), 0);
  return text;
}

static void empty_table_prints_nothing(void **state) {
  (void)state;
  struct sim_outcomes *o = table();
  char *text = printed(o);
  assert_string_equal(text, "");
  free(text);
  free(o);
}

static void outcomes_are_counted_and_sorted(void **state) {
  (void)state;
  struct sim_outcomes *o = table();
  sim_outcome_add(o, "b", 1);
  sim_outcome_add(o, "a", 2);
  sim_outcome_add(o, "b", 3);
  char *text = printed(o);
  assert_string_equal(text, "eyotcheck: 2 different outcomes:\n           2  a\n           4  b\n");
  free(text);
  free(o);
}

static void long_ones_are_cut(void **state) {
  (void)state;
  struct sim_outcomes *o = table();
  char one[2 * SIM_OUTCOME_BYTES], other[2 * SIM_OUTCOME_BYTES];
  memset(one, 'x', sizeof one);
  memset(other, 'x', sizeof other);
  one[sizeof one - 1] = other[sizeof other - 1] = '\0';
  other[SIM_OUTCOME_BYTES - 1] = 'y'; /* differs after the limit where it is cut */
  sim_outcome_add(o, one, 1);
  sim_outcome_add(o, other, 1);
  assert_int_equal(o->n, 1);
  other[SIM_OUTCOME_BYTES - 2] = 'y';
  sim_outcome_add(o, other, 1);
  assert_int_equal(o->n, 2);
  free(o);
}

static void outcomes_beyond_the_table_are_counted_as_others(void **state) {
  (void)state;
  struct sim_outcomes *o = table();
  char text[16];
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < SIM_OUTCOMES_MAX + 10; i++) {
      snprintf(text, sizeof text, "%u", i);
      sim_outcome_add(o, text, 1);
    }
  assert_int_equal(o->n, SIM_OUTCOMES_MAX);
  assert_int_equal(o->others, 20);
  char *all = printed(o);
  assert_non_null(strstr(all, "           2  0\n"));
  assert_non_null(strstr(all, "          20  others, for which the table had no entry left\n"));
  free(all);
  free(o);
}

static void outcomes_of_workers_are_merged(void **state) {
  (void)state;
  struct sim_outcomes *a = table(), *b = table();
  sim_outcome_add(a, "both", 1);
  sim_outcome_add(b, "both", 2);
  sim_outcome_add(b, "one", 4);
  b->others = 7;
  sim_outcome_merge(a, b);
  char *text = printed(a);
  assert_string_equal(text,
                      "eyotcheck: 2 different outcomes:\n           3  both\n           4  one\n   "
                      "        7  others, for which the table had no entry left\n");
  free(text);
  free(a);
  free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty_table_prints_nothing),
      cmocka_unit_test(outcomes_are_counted_and_sorted),
      cmocka_unit_test(long_ones_are_cut),
      cmocka_unit_test(outcomes_beyond_the_table_are_counted_as_others),
      cmocka_unit_test(outcomes_of_workers_are_merged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
