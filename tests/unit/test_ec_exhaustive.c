/* test_ec_exhaustive.c - the exhaustive search reaches every final state of small systems, with reduction as without it, in the known
 * numbers of runs. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "ec_toy_unit.h"

/* Searches with and without reduction, checks both against the oracle. UINT64_MAX: any number of runs. */
static void check(const char *name, const struct toy_system *t, uint64_t plain_runs, uint64_t reduced_runs) {
  struct toy_set want = toy_finals(t);
  struct toy_result plain = toy_search(t, false, 0, NULL), reduced = toy_search(t, true, 0, NULL);
  print_message("%s: %zu final states; %llu runs, reduced %llu + %llu pruned\n", name, want.n, (unsigned long long)plain.runs,
                (unsigned long long)reduced.whole, (unsigned long long)reduced.pruned);
  assert_true(toy_same(&plain.finals, &want));
  assert_true(toy_same(&reduced.finals, &want));
  if (plain_runs != UINT64_MAX) assert_int_equal(plain.runs, plain_runs);
  if (reduced_runs != UINT64_MAX) assert_int_equal(reduced.whole, reduced_runs);
  free(want.at);
  free(plain.finals.at);
  free(reduced.finals.at);
}

static void test_writers(void **state) {
  (void)state;
  check(
      "3 independent x2",
      &(struct toy_system){
          .units = 3,
          .code = {{{TOY_WRITE, 0, 1}, {TOY_WRITE, 1, 1}}, {{TOY_WRITE, 2, 1}, {TOY_WRITE, 3, 1}}, {{TOY_WRITE, 4, 1}, {TOY_WRITE, 5, 1}}}},
      90, 1);
  check("4 writers",
        &(struct toy_system){.units = 4, .code = {{{TOY_WRITE, 0, 1}}, {{TOY_WRITE, 0, 2}}, {{TOY_WRITE, 0, 3}}, {{TOY_WRITE, 0, 4}}}}, 24,
        24);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_writers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
