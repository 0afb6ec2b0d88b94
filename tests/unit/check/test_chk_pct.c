/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_pct.c - priorities with random changes: the bugs that they find, and that no process
 * starves.
 *
 * Why it exists: the bound on the probability is the reason for this strategy, so the test counts
 * failures; and strict priority could hang a program that waits in loops. */
#include <math.h>
#include <stdlib.h>

#include "unit/check/chk_toy.h"

/* Two processes of 2 * limit steps each. The bug takes three constraints: A's first half before B
 * begins, B's first half before A goes on, all of A before B goes on. A random walk meets it with
 * probability about 2^(-3 limit). */
static void halves_reset(struct toy *t) {
  memset(t->at, 0, sizeof t->at);
  t->x[0] = 1; /* the constraints hold so far */
}

static bool halves_can_go(struct toy *t, uint32_t who, bool *yields) {
  (void)yields;
  return t->at[who] < 2 * t->limit;
}

static bool halves_step(struct toy *t, uint32_t who, struct toy_engine *e) {
  (void)e;
  uint32_t a = t->at[0], b = t->at[1], half = t->limit;
  if (who == 1 && b == 0 && a != half) t->x[0] = 0;
  if (who == 0 && a == half && b != half) t->x[0] = 0;
  if (who == 1 && b == half && a != 2 * half) t->x[0] = 0;
  t->at[who]++;
  return !(t->x[0] && who == 1 && b == half);
}

static struct toy halves(uint32_t half) {
  return (struct toy){.n = 2,
                      .limit = half,
                      .reset = halves_reset,
                      .can_go = halves_can_go,
                      .step = halves_step,
                      .at_end = toy_at_end_passes};
}

static uint64_t failures(struct toy *t, struct chk_strategy *s) {
  struct toy_result r = toy_explore(t, s, 200, false);
  s->ops->destroy(s);
  return r.failed;
}

static void pct_finds_depth_3_oftener_than_random(void **state) {
  (void)state;
  struct toy t = halves(6);
  struct chk_options o = {.seed = 1, .runs = 20000, .processes = 2, .pct_depth = 3};
  uint64_t by_pct = failures(&t, chk_pct_new(&o)), by_random = failures(&t, chk_random_new(&o));
  /* n = 2, k <= 24: the bound promises 17; of a random walk 0.08 are expected. */
  assert_in_range(by_pct, 17, 2000);
  assert_in_range(by_random, 0, 2);
  /* one change is not enough: to find the bug with it would contradict the theory */
  o.pct_depth = 2;
  assert_int_equal(failures(&t, chk_pct_new(&o)), 0);
}

static void pct_finds_the_lost_wake_up_and_reports(void **state) {
  (void)state;
  struct toy t = toy_lock(3);
  struct chk_strategy *s =
      chk_pct_new(&(struct chk_options){.seed = 3, .runs = 300, .processes = 3, .pct_depth = 3});
  struct toy_result r = toy_explore(&t, s, 100, false);
  assert_int_equal(r.runs, 300);
  assert_in_range(r.failed, 3, 299); /* the bound promises one or two */
  char report[700];
  toy_report(s, report, sizeof report);
  assert_non_null(strstr(report, "pct: 300 runs of depth 3 from seed 3"));
  const char *numbers = strstr(report, "at most n = 3 processes and k = ");
  assert_non_null(numbers);
  double k = strtod(numbers + strlen("at most n = 3 processes and k = "), NULL);
  assert_true(k >= 8 && k <= 40);
  const char *p = strstr(report, "1/(n k^2) = ");
  assert_non_null(p);
  double bound = strtod(p + strlen("1/(n k^2) = "), NULL), exact = 1 / (3 * k * k);
  assert_true(fabs(bound - exact) < exact / 100);
  const char *need = strstr(report, " or more; ");
  assert_non_null(need);
  double runs = strtod(need + strlen(" or more; "), NULL);
  assert_true(pow(1 - exact, runs) <= 0.05 && pow(1 - exact, runs - 1) > 0.05);
  s->ops->destroy(s);
}

/* Process 0 sets a flag in its last of `limit` steps; the others wait for it in loops of polls, or,
 * in the form that the engine cannot recognize, in loops of steps. */
static void loops_reset(struct toy *t) {
  memset(t->at, 0, sizeof t->at);
}

static bool loops_can_go(struct toy *t, uint32_t who, bool *yields) {
  *yields = who > 0 && t->lock && t->at[who] > 0 && t->at[0] < t->limit;
  return who == 0 ? t->at[0] < t->limit : t->at[who] < UINT32_MAX;
}

static bool loops_step(struct toy *t, uint32_t who, struct toy_engine *e) {
  (void)e;
  t->at[who]++;
  if (who > 0 && t->at[0] == t->limit) t->at[who] = UINT32_MAX;
  return true;
}

static struct toy loops(uint32_t n, bool known) {
  return (struct toy){.n = n,
                      .limit = 40,
                      .lock = known,
                      .reset = loops_reset,
                      .can_go = loops_can_go,
                      .step = loops_step,
                      .at_end = toy_at_end_passes};
}

static void pollers_starve_nobody_and_poll(void **state) {
  (void)state;
  struct toy t = loops(4, true);
  struct chk_strategy *s =
      chk_pct_new(&(struct chk_options){.seed = 1, .processes = 4, .pct_depth = 2});
  struct toy_engine e = {.strategy = s};
  uint64_t polls = 0;
  for (uint32_t i = 0; i < 200; i++) {
    assert_true(s->ops->begin(s));
    assert_int_equal(toy_run(&t, &e, 400), CHK_PASSED);
    polls += e.steps_of[1] + e.steps_of[2] + e.steps_of[3];
  }
  /* Each takes one step or two that are no polls. With three in four, a poller is above process 0,
   * and one in 8 of its 40 steps is then a poll: 4 more. */
  assert_in_range(polls, 200 * 6, 200 * 12);
  chk_stream_fini(&e.choices);
  s->ops->destroy(s);
}

static void loops_of_steps_lose_patience(void **state) {
  (void)state;
  struct toy t = loops(3, false);
  struct chk_strategy *s =
      chk_pct_new(&(struct chk_options){.seed = 1, .runs = 100, .processes = 3, .pct_depth = 1});
  struct toy_result r = toy_explore(&t, s, 2000, false);
  assert_int_equal(r.bounded, 0);
  char report[700];
  toy_report(s, report, sizeof report);
  assert_null(strstr(report, " 0 priorities lost"));
  s->ops->destroy(s);
}

/* Process 1, once woken, must be able to go on before 0 takes another step: it has its own priority
 * again. */
static void woken_pollers_have_their_priority_back(void **state) {
  (void)state;
  const uint32_t who[2] = {0, 1};
  uint32_t first[2] = {0};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct chk_strategy *s =
        chk_pct_new(&(struct chk_options){.seed = seed, .processes = 2, .pct_depth = 1});
    assert_true(s->ops->begin(s));
    for (uint32_t i = 0; i < 20; i++) s->ops->pick(s, who, (const bool[]){false, true}, 2);
    first[s->ops->pick(s, who, (const bool[]){false, false}, 2)]++;
    s->ops->destroy(s);
  }
  assert_in_range(first[0], 65, 135);
  assert_in_range(first[1], 65, 135);
}

/* When all processes poll, they take turns, whatever their priorities. */
static void pollers_take_turns(void **state) {
  (void)state;
  const uint32_t who[5] = {4, 2, 0, 1, 3};
  const bool yields[5] = {true, true, true, true, true};
  struct chk_strategy *s =
      chk_pct_new(&(struct chk_options){.seed = 4, .processes = 5, .pct_depth = 3});
  assert_true(s->ops->begin(s));
  uint32_t order[5];
  for (uint32_t i = 0; i < 50; i++) {
    uint32_t picked = s->ops->pick(s, who, yields, 5);
    if (i < 5) order[i] = picked;
    assert_int_equal(picked, order[i % 5]);
    for (uint32_t j = 0; j < i && i < 5; j++) assert_int_not_equal(order[j], picked);
  }
  s->ops->destroy(s);
}

static void pct_is_deterministic(void **state) {
  (void)state;
  struct toy t = toy_lock(4);
  toy_check_deterministic(&t, chk_pct_new, 3);
}

/* Processes that are created later have random ranks too, however large their numbers. */
static void late_processes_have_random_priorities(void **state) {
  (void)state;
  uint32_t late_first = 0;
  const bool yields[2] = {false, false};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct chk_strategy *s =
        chk_pct_new(&(struct chk_options){.seed = seed, .processes = 1, .pct_depth = 1});
    assert_true(s->ops->begin(s));
    s->ops->pick(s, (const uint32_t[]){0}, yields, 1);
    late_first += s->ops->pick(s, (const uint32_t[]){0, 1000 + (uint32_t)seed * 40}, yields, 2);
    s->ops->destroy(s);
  }
  assert_in_range(late_first, 65, 135);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pct_finds_depth_3_oftener_than_random),
      cmocka_unit_test(pct_finds_the_lost_wake_up_and_reports),
      cmocka_unit_test(pollers_starve_nobody_and_poll),
      cmocka_unit_test(loops_of_steps_lose_patience),
      cmocka_unit_test(woken_pollers_have_their_priority_back),
      cmocka_unit_test(pollers_take_turns),
      cmocka_unit_test(pct_is_deterministic),
      cmocka_unit_test(late_processes_have_random_priorities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
