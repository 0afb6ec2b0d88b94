/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plan_code.c - plans of large teams: steps come back from their code, and what a generator
 * reserves does not lie across the end of a board's hot part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "coll/plan_code.h"
#include "teams/ranges.h"

#define SIZE 5000u
#define FAR (UINT64_C(1) << 40)
#define STEPS 7u

static struct eyoti_ref hot, cold;

static void gen(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  (void)a;
  (void)eyoti_plan_words(p, 300);
  hot = eyoti_plan_board(p, 16);
  cold = eyoti_plan_board(p, 256);
  eyoti_plan_copy(p, hot, eyoti_ref(EYOTI_IN, 0), 8);
  eyoti_plan_put(p, 4999, cold, hot, 8, 299, EYOTI_HEAD);
  eyoti_plan_await(p, 128, 127, 128);
  eyoti_plan_combine_before(p, eyoti_ref(EYOTI_TEMP, FAR), cold, 127);
  eyoti_plan_drain(p);
  eyoti_plan_copy_runs(p, eyoti_ref(EYOTI_OUT, 3), 40, hot, 16, 8, 2);
  eyoti_plan_combine(p, hot, cold, 1);
}

static void expect(const struct eyoti_plan *p, uint32_t *at, const struct eyoti_step *want) {
  struct eyoti_step s;
  *at = eyoti_plan_decode(p, *at, &s);
  assert_true(s.kind == want->kind && s.from_in == want->from_in && s.to_in == want->to_in);
  assert_true(s.before == want->before && s.word == want->word);
  assert_true(s.from_stride == want->from_stride && s.to_stride == want->to_stride);
  assert_true(s.from == want->from && s.to == want->to && s.len == want->len);
}

static void steps_come_back_from_their_code(void **state) {
  (void)state;
  struct eyoti_coll_args a = {.len = 8};
  struct eyoti_team t = {.size = SIZE, .me = 7};
  struct eyoti_ranges *units;
  assert_int_equal(eyoti_ranges_new(0, SIZE, 1, &units), EYOT_OK);
  t.units = units;
  struct eyoti_plan *p = eyoti_plan_make(&t, &a, gen);
  assert_non_null(p);
  assert_true(p->step == NULL && p->code != NULL && p->steps == STEPS);
  const struct eyoti_step want[STEPS] = {
      {.kind = EYOTI_STEP_COPY, .from_in = EYOTI_IN, .to_in = EYOTI_BOARD, .count = 1, .len = 8},
      {.kind = EYOTI_STEP_PUT,
       .from_in = EYOTI_BOARD,
       .to_in = EYOTI_BOARD,
       .word = 299,
       .peer = 4999,
       .unit = 4999,
       .to = cold.off,
       .len = 8},
      {.kind = EYOTI_STEP_AWAIT, .word = 127, .chunk = 128, .peer = 128},
      {.kind = EYOTI_STEP_COMBINE,
       .from_in = EYOTI_BOARD,
       .to_in = EYOTI_TEMP,
       .before = true,
       .from = cold.off,
       .to = FAR,
       .len = 127},
      {.kind = EYOTI_STEP_DRAIN},
      {.kind = EYOTI_STEP_COPY,
       .from_in = EYOTI_BOARD,
       .to_in = EYOTI_OUT,
       .count = 2,
       .from_stride = 16,
       .to_stride = 40,
       .to = 3,
       .len = 8},
      {.kind = EYOTI_STEP_COMBINE,
       .from_in = EYOTI_BOARD,
       .to_in = EYOTI_BOARD,
       .from = cold.off,
       .len = 1}};
  uint32_t at = 0;
  for (uint32_t i = 0; i < STEPS; i++) expect(p, &at, &want[i]);
  eyoti_plan_free(p);
  free(units);
}

static void no_reservation_lies_across_the_hot_part(void **state) {
  (void)state;
  uint64_t end = eyoti_plan_hot(SIZE);
  assert_true(hot.off == 0 && end > 16 && end < 256 && cold.off == end);
  assert_true(eyoti_plan_hot(EYOTI_HOT_UNITS) == UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_come_back_from_their_code),
      cmocka_unit_test(no_reservation_lies_across_the_hot_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
