/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_guided.c - search by coverage: finds what a random walk cannot, keeps runs that reached
 * something new, and reports when there was nothing new for long.
 *
 * Why it exists: the gain over a random walk is the only reason for this strategy, so it is
 * measured on a system where the difference is known beforehand. */
#include <stdlib.h>

#include "check/strategy/feature.h"
#include "check/strategy/mutate.h"
#include "unit/check/chk_toy.h"

#define MAGIC 10u /* right answers in a row, each one of 8: a walk needs about 8^10 runs */

static void magic_reset(struct toy *t) {
  t->at[0] = t->x[0] = 0;
}

static bool magic_can_go(struct toy *t, uint32_t who, bool *yields) {
  (void)yields;
  return who == 0 && t->at[0] < 3 * MAGIC;
}

/* x[0] of the answers were right; a wrong one ends the progress, not the run. */
static bool magic_step(struct toy *t, uint32_t who, struct toy_engine *e) {
  (void)who;
  uint32_t i = t->at[0]++;
  bool right = toy_draw(e, 8) == 1 + i * 5 % 7;
  if (right && t->x[0] == i) toy_saw(e, ++t->x[0]);
  toy_saw(e, 1000 + i); /* features that every run reaches */
  return t->x[0] < t->limit;
}

static struct toy magic(uint32_t limit) {
  return (struct toy){.n = 1,
                      .limit = limit,
                      .reset = magic_reset,
                      .can_go = magic_can_go,
                      .step = magic_step,
                      .at_end = toy_at_end_passes};
}

static void guided_finds_the_magic_sequence(void **state) {
  (void)state;
  struct toy t = magic(MAGIC);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    struct chk_options o = {.seed = seed, .runs = 4000, .processes = 1};
    struct chk_strategy *guided = chk_guided_new(&o), *walk = chk_random_new(&o);
    assert_int_not_equal(toy_explore(&t, guided, 100, true).failed, 0);
    assert_int_equal(toy_explore(&t, walk, 100, true).failed, 0);
    guided->ops->destroy(guided);
    walk->ops->destroy(walk);
  }
}

static void guided_reports_the_plateau(void **state) {
  (void)state;
  struct toy t = magic(4);
  struct chk_strategy *s =
      chk_guided_new(&(struct chk_options){.seed = 1, .runs = 3000, .processes = 1});
  struct toy_result r = toy_explore(&t, s, 100, false);
  assert_int_equal(r.runs, 3000);
  assert_true(r.failed > 0);
  char report[500];
  toy_report(s, report, sizeof report);
  assert_non_null(strstr(report, "guided: 3000 runs from seed 1"));
  assert_non_null(strstr(report, "; 34 features, ")); /* 30 that all reach, 4 of progress */
  const char *last = strstr(report, "came in run "), *none = strstr(report, ", none in the ");
  assert_non_null(last);
  assert_non_null(none);
  unsigned long in = strtoul(last + strlen("came in run "), NULL, 10),
                since = strtoul(none + strlen(", none in the "), NULL, 10);
  assert_in_range(in, 3, 1500);
  assert_int_equal(in + since, 3000);
  /* The first run, and at most one for every step of progress: the failing ones are not kept. */
  const char *kept = strstr(report, "34 features, ");
  assert_in_range(strtoul(kept + strlen("34 features, "), NULL, 10), 2, 4);
  s->ops->destroy(s);
}

static void guided_without_features_is_a_walk(void **state) {
  (void)state;
  struct toy t = toy_lock(3);
  struct chk_strategy *s = chk_guided_new(&(struct chk_options){.seed = 3, .runs = 200});
  struct toy_result r = toy_explore(&t, s, 100, false);
  assert_in_range(r.failed, 20, 180);
  s->ops->destroy(s);
}

static bool stages_step(struct toy *t, uint32_t who, struct toy_engine *e) {
  bool goes_on = toy_lock_step(t, who, e);
  uint64_t f = t->lock;
  for (uint32_t p = 0; p < t->n; p++) f = f * 6 + t->at[p];
  toy_saw(e, f);
  return goes_on;
}

static void guided_is_deterministic(void **state) {
  (void)state;
  struct toy t = magic(MAGIC), lock = toy_lock(4);
  toy_check_deterministic(&t, chk_guided_new, 0);
  lock.step = stages_step;
  toy_check_deterministic(&lock, chk_guided_new, 0);
}

static void features_are_counted_once_a_run(void **state) {
  (void)state;
  struct chk_features f;
  chk_features_init(&f);
  for (uint64_t run = 1; run <= 3; run++)
    for (uint64_t i = 0; i < 5000; i++)
      for (uint32_t twice = 0; twice < 2; twice++)
        assert_int_equal(chk_features_add(&f, i << 40, run), run == 1 && twice == 0);
  assert_int_equal(f.n, 5000);
  assert_false(f.full);
  for (uint32_t i = 0; i < f.n; i++) {
    assert_true(f.at[i].name == (uint64_t)i << 40);
    assert_int_equal(f.at[i].runs, 3);
  }
  chk_features_fini(&f);
}

/* True if s has all 40 bounds of the stream that it was made from, which are distinct. */
static bool all_there(const struct chk_stream *s) {
  uint64_t there = 0;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->at[i].bound >= 10 && s->at[i].bound < 50) there |= UINT64_C(1) << (s->at[i].bound - 10);
  return there == (UINT64_C(1) << 40) - 1;
}

/* After any mutation values stay below their bounds; streams become longer, shorter and different,
 * and none stays unchanged for long. */
static void mutated_streams_stay_valid_and_differ(void **state) {
  (void)state;
  struct chk_stream s, origin, other;
  struct chk_rng rng = chk_rng_of(1, 0);
  chk_stream_init(&s);
  chk_stream_init(&origin);
  chk_stream_init(&other);
  for (uint32_t i = 0; i < 40; i++) chk_stream_add(&origin, i % 3, 10 + i);
  for (uint32_t i = 0; i < 25; i++) chk_stream_add(&other, 99, 100);
  uint32_t longer = 0, grown = 0, shorter = 0, alike = 0, borrowed = 0;
  for (uint32_t k = 0; k < 5000; k++) {
    chk_stream_copy(&s, &origin);
    chk_mutate(&s, k % 2 ? &other : &origin, &rng);
    longer += s.n > origin.n;
    grown += s.n > origin.n && all_there(&s);
    shorter += s.n < origin.n;
    alike += s.n == origin.n && memcmp(s.at, origin.at, s.n * sizeof *s.at) == 0;
    bool lent = false;
    for (uint32_t i = 0; i < s.n; i++) {
      assert_true(s.at[i].bound >= 2 && s.at[i].value < s.at[i].bound);
      lent |= s.at[i].bound == 100;
    }
    assert_true(!lent || k % 2);
    borrowed += lent;
  }
  assert_in_range(longer, 500, 4000);
  assert_in_range(shorter, 500, 4000);
  assert_in_range(borrowed, 300, 2000);
  assert_in_range(grown, 1000, longer);
  assert_in_range(alike, 0, 200);
  chk_stream_clear(&origin);
  chk_stream_copy(&s, &origin);
  chk_mutate(&s, &origin, &rng); /* an empty stream, without another to copy from */
  chk_stream_fini(&s);
  chk_stream_fini(&origin);
  chk_stream_fini(&other);
}

static void guided_tells_edges_from_states(void **state) {
  (void)state;
  struct chk_strategy *s =
      chk_guided_new(&(struct chk_options){.seed = 1, .runs = 5, .processes = 1});
  struct chk_stream none;
  chk_stream_init(&none);
  for (uint64_t run = 1; s->ops->begin(s); run++) {
    s->ops->saw(s, 7);
    s->ops->saw(s, CHK_SAW_EDGE | 7);
    if (run == 2) s->ops->saw(s, CHK_SAW_EDGE | 8);
    if (run == 4) s->ops->saw(s, 9);
    s->ops->end(s, CHK_PASSED, &none);
  }
  char report[500];
  toy_report(s, report, sizeof report);
  assert_non_null(strstr(report, "; 4 features, 3 runs kept\n"));
  assert_non_null(
      strstr(report, "guided: 2 edges; the last new one came in run 2, none in the 3 since\n"));
  assert_non_null(strstr(
      report, "guided: 2 protocol states; the last new one came in run 4, none in the 1 since\n"));
  s->ops->destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guided_finds_the_magic_sequence),
      cmocka_unit_test(guided_reports_the_plateau),
      cmocka_unit_test(guided_tells_edges_from_states),
      cmocka_unit_test(guided_without_features_is_a_walk),
      cmocka_unit_test(guided_is_deterministic),
      cmocka_unit_test(features_are_counted_once_a_run),
      cmocka_unit_test(mutated_streams_stay_valid_and_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
