/* SPDX-License-Identifier: BSD-3-Clause */
/* test_slack.c - state of a unit in the unused parts of its pages (rt/slack.h). */
#include "rt/rt.h"
#include "unit/api_unit.h"

static bool is_in(const void *p, const char *memory, size_t bytes) {
  return (uintptr_t)p - (uintptr_t)memory < bytes;
}

/* Blocks lie in the first place that has enough left, aligned and apart from each other; the rest
 * is malloc's, and free takes both. */
static void blocks_fill_both_places_then_malloc(void **state) {
  (void)state;
  static _Alignas(EYOTI_SLACK_ALIGN) char above[64], heap[128];
  static struct eyot_rt rt;
  struct eyot_rt *before = eyot_current;
  eyot_current = &rt;
  eyoti_slack_give(rt.slack, above, sizeof above);
  eyoti_slack_give(rt.slack, heap, sizeof heap);
  char *large = eyoti_slack_new(100), *small = eyoti_slack_new(33), *next = eyoti_slack_new(24);
  char *last = eyoti_slack_new(24), *other = eyoti_slack_new(1);
  assert_ptr_equal(large, heap);
  assert_ptr_equal(small, above);
  assert_ptr_equal(next, above + 40); /* 33 bytes take 40 */
  assert_ptr_equal(last, heap + 104);
  assert_false(is_in(other, above, sizeof above) || is_in(other, heap, sizeof heap));
  eyoti_slack_free(small);
  char *again = eyoti_slack_new(8); /* a block that is not the last one is not given out again */
  assert_false(is_in(again, above, sizeof above));
  memset(last, 1, 24);
  eyoti_slack_free(last);
  last = eyoti_slack_new(17); /* the last one is, zeroed */
  assert_ptr_equal(last, heap + 104);
  assert_int_equal(last[0] | last[16], 0);
  for (char *const *p = (char *[]){large, next, last, other, again, NULL}; *p != NULL; p++)
    eyoti_slack_free(*p);
  eyoti_slack_free(NULL);
  eyot_current = before;
}

/* A unit without slack, and the time before a unit runs. */
static void without_slack_memory_is_mallocs(void **state) {
  (void)state;
  uint64_t *p = eyoti_slack_new(sizeof *p);
  assert_non_null(p);
  assert_int_equal(*p, 0);
  *p = 1;
  eyoti_slack_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_fill_both_places_then_malloc),
      cmocka_unit_test(without_slack_memory_is_mallocs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
