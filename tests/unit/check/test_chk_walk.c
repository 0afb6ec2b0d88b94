/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_walk.c - streams, the random walk and replay.
 *
 * Why it exists: every other strategy is measured against the walk, and every failure is shown
 * again by replay. */
#include "check/snapshot/mem.h"
#include "check/strategy/walk.h"
#include "unit/check/chk_toy.h"

static void stream_grows_and_copies(void **state) {
  (void)state;
  struct chk_stream a, b;
  chk_stream_init(&a);
  chk_stream_init(&b);
  for (uint32_t i = 0; i < 10000; i++) chk_stream_add(&a, i, i + 2);
  chk_stream_add(&b, 1, 2);
  chk_stream_copy(&b, &a);
  chk_stream_copy(&a, &a);
  chk_stream_add(&a, 5, 6);
  assert_int_equal(a.n, 10001);
  assert_int_equal(b.n, 10000);
  for (uint32_t i = 0; i < b.n; i++) {
    assert_int_equal(b.at[i].value, i);
    assert_int_equal(a.at[i].bound, i + 2);
  }
  chk_stream_clear(&a);
  chk_stream_copy(&b, &a);
  assert_int_equal(b.n, 0);
  chk_stream_fini(&a);
  chk_stream_fini(&b);
  chk_stream_copy(&b, &a);
  assert_null(b.at);
}

static void draws_are_zero_in_half_and_else_uniform(void **state) {
  (void)state;
  struct chk_strategy *s = chk_random_new(&(struct chk_options){.seed = 1});
  assert_true(s->ops->begin(s));
  uint32_t two[2] = {0}, five[5] = {0};
  for (uint32_t i = 0; i < 8000; i++) {
    two[s->ops->draw(s, 2)]++;
    five[s->ops->draw(s, 5)]++;
  }
  assert_in_range(two[0], 3800, 4200); /* 4000 +- 4.5 standard deviations */
  assert_in_range(five[0], 3800, 4200);
  for (uint32_t v = 1; v < 5; v++) assert_in_range(five[v], 866, 1134);
  s->ops->destroy(s);
}

/* 8 candidates of which 6 poll: the two others get 7/16 each, the six 1/48 each; when all poll,
 * they are equals. */
static void who_only_polls_goes_on_seldom_but_goes_on(void **state) {
  (void)state;
  const uint32_t who[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const bool some[8] = {true, false, true, true, false, true, true, true}, all[2] = {true, true},
             none[2] = {false, false};
  struct chk_strategy *s = chk_random_new(&(struct chk_options){.seed = 2});
  assert_true(s->ops->begin(s));
  uint32_t n[8] = {0}, n_all = 0, n_none = 0;
  for (uint32_t i = 0; i < 9600; i++) {
    n[s->ops->pick(s, who, some, 8)]++;
    n_all += s->ops->pick(s, who, all, 2);
    n_none += s->ops->pick(s, who, none, 2);
    assert_int_equal(s->ops->pick(s, who, all, 1), 0);
  }
  for (uint32_t p = 0; p < 8; p++) {
    if (some[p])
      assert_in_range(n[p], 137, 263); /* 200 */
    else
      assert_in_range(n[p], 3980, 4420); /* 4200 */
  }
  assert_in_range(n_all, 4580, 5020);
  assert_in_range(n_none, 4580, 5020);
  s->ops->destroy(s);
}

static void random_finds_the_lost_wake_up(void **state) {
  (void)state;
  struct toy t = toy_lock(3);
  struct chk_strategy *s = chk_random_new(&(struct chk_options){.seed = 3, .runs = 200});
  struct toy_result r = toy_explore(&t, s, 100, false);
  assert_int_equal(r.runs, 200);
  assert_int_equal(r.bounded, 0);
  assert_in_range(r.failed, 20, 180);
  char report[400], expected[80];
  toy_report(s, report, sizeof report);
  snprintf(expected, sizeof expected,
           "random: 200 runs from seed 3, %u failed, 0 reached the bound", (unsigned)r.failed);
  assert_non_null(strstr(report, expected));
  s->ops->destroy(s);
}

static void random_is_deterministic(void **state) {
  (void)state;
  struct toy t = toy_lock(4);
  toy_check_deterministic(&t, chk_random_new, 0);
}

/* The n-th run does not depend on what was drawn before. */
static void runs_do_not_hang_on_earlier_draws(void **state) {
  (void)state;
  struct chk_options o = {.seed = 11};
  struct chk_strategy *a = chk_random_new(&o), *b = chk_random_new(&o);
  a->ops->begin(a);
  b->ops->begin(b);
  for (uint32_t i = 0; i < 100; i++) a->ops->draw(a, 1000);
  a->ops->begin(a);
  b->ops->begin(b);
  for (uint32_t i = 0; i < 20; i++) assert_int_equal(a->ops->draw(a, 1000), b->ops->draw(b, 1000));
  a->ops->destroy(a);
  b->ops->destroy(b);
}

static void replay_repeats_a_run(void **state) {
  (void)state;
  struct toy t = toy_lock(4);
  struct chk_strategy *s = chk_random_new(&(struct chk_options){.seed = 5});
  struct toy_engine e = {.strategy = s}, again = {0};
  for (uint32_t i = 0; i < 50; i++) {
    assert_true(s->ops->begin(s));
    enum chk_end how = toy_run(&t, &e, 100);
    struct chk_strategy *r = again.strategy = chk_replay_new(&e.choices);
    assert_true(r->ops->begin(r));
    assert_int_equal(toy_run(&t, &again, 100), how);
    assert_true(again.hash == e.hash);
    assert_int_equal(again.choices.n, e.choices.n);
    assert_memory_equal(again.choices.at, e.choices.at, e.choices.n * sizeof *e.choices.at);
    assert_false(r->ops->begin(r));
    char report[300];
    toy_report(r, report, sizeof report);
    assert_null(strstr(report, "not the recorded one"));
    r->ops->destroy(r);
  }
  chk_stream_fini(&e.choices);
  chk_stream_fini(&again.choices);
  s->ops->destroy(s);
}

static void replay_takes_any_stream(void **state) {
  (void)state;
  struct chk_stream given;
  chk_stream_init(&given);
  chk_stream_add(&given, 6, 7);
  chk_stream_add(&given, 5, 9);
  chk_stream_add(&given, 1, 2);
  const uint32_t who[3] = {0, 1, 2};
  const bool yields[3] = {false, true, false};
  struct chk_strategy *r = chk_replay_new(&given);
  assert_true(r->ops->begin(r));
  assert_int_equal(r->ops->pick(r, who, yields, 1), 0); /* takes nothing from the stream */
  assert_int_equal(r->ops->draw(r, 7), 6);
  assert_int_equal(r->ops->pick(r, who, yields, 3), 2); /* 5 modulo 3 */
  assert_int_equal(r->ops->draw(r, 2), 1);
  assert_int_equal(r->ops->draw(r, 2), 0); /* after the end */
  assert_int_equal(r->ops->pick(r, who, yields, 3), 0);
  char report[300];
  toy_report(r, report, sizeof report);
  assert_non_null(strstr(report, "3 choices recorded, 5 made"));
  assert_non_null(strstr(report, "choice 1 (from 0) was recorded as one of 9 and is now one of 3"));
  r->ops->destroy(r);
  chk_stream_fini(&given);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stream_grows_and_copies),
      cmocka_unit_test(draws_are_zero_in_half_and_else_uniform),
      cmocka_unit_test(who_only_polls_goes_on_seldom_but_goes_on),
      cmocka_unit_test(random_finds_the_lost_wake_up),
      cmocka_unit_test(random_is_deterministic),
      cmocka_unit_test(runs_do_not_hang_on_earlier_draws),
      cmocka_unit_test(replay_repeats_a_run),
      cmocka_unit_test(replay_takes_any_stream),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
