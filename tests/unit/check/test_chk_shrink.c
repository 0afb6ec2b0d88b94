/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_shrink.c - shrinking reaches the known minimum, and the shrunk run still has the
 * failure.
 *
 * Why it exists: a shrunk run that fails for another reason, or not at all, misleads its reader;
 * one that is not small is of no use. */
#include "check/runfile/shrink.h"
#include "check/strategy/feature.h"
#include "check/strategy/rng.h"
#include "unit/check/chk_toy.h"

/* A program that asks questions one by one; a question may depend on earlier answers. */
struct asker {
  const struct chk_stream *given;
  struct chk_stream *used;
};

static uint32_t ask(struct asker *a, uint32_t bound) {
  uint32_t at = a->used->n, v = at < a->given->n ? a->given->at[at].value % bound : 0;
  chk_stream_add(a->used, v, bound);
  return v;
}

typedef bool (*program_fn)(struct asker *a);

/* For shrinking: no candidate is tried twice. */
struct trial {
  program_fn program;
  struct chk_features tried; /* hashes of candidates */
};

static bool try_program(void *arg, const struct chk_stream *candidate, struct chk_stream *used) {
  struct asker a = {.given = candidate, .used = used};
  assert_int_equal(used->n, 0);
  return (*(program_fn *)arg)(&a);
}

/* Fails if somewhere an answer of at least 7 is followed, at any distance, by a 3. The minimum is 7
 * 3. */
static bool pair_program(struct asker *a) {
  bool armed = false, failed = false;
  for (uint32_t i = 0; i < 500; i++) {
    uint32_t v = ask(a, 16);
    failed |= armed && v == 3;
    armed |= v >= 7;
  }
  return failed;
}

/* Fails if both a 3 and a 5 are answered, in any order, from question 10 on: the position
 * matters. */
static bool place_program(struct asker *a) {
  bool three = false, five = false;
  for (uint32_t i = 0; i < 200; i++) {
    uint32_t v = ask(a, 9);
    if (i < 10) continue;
    three |= v == 3;
    five |= v == 5;
  }
  return three && five;
}

/* Each round asks for a kind; kind 2 asks for n and then n times more. Fails when a payload of at
 * least 100 comes in a round of n >= 2: 2 2 100. */
static bool nested_program(struct asker *a) {
  bool failed = false;
  for (uint32_t round = 0; round < 60; round++) {
    if (ask(a, 3) != 2) continue;
    uint32_t n = ask(a, 6);
    for (uint32_t i = 0; i < n; i++) failed |= ask(a, 1000) >= 100 && n >= 2;
  }
  return failed;
}

/* Fails only if the answer is a multiple of 6 that is not 0, in question 4: binary search misleads,
 * and must still end lower than it began. */
static bool odd_program(struct asker *a) {
  uint32_t v = 0;
  for (uint32_t i = 0; i < 5; i++) v = ask(a, 1000);
  return v > 0 && v % 6 == 0;
}

static bool never_program(struct asker *a) {
  ask(a, 2);
  return false;
}

static bool always_program(struct asker *a) {
  ask(a, 2);
  return true;
}

/* The first random stream of n choices that fails. */
static void find_failing(program_fn p, uint32_t n, struct chk_stream *out) {
  struct chk_stream used;
  chk_stream_init(&used);
  for (uint64_t seed = 0;; seed++) {
    struct chk_rng rng = chk_rng_of(seed, 1);
    chk_stream_clear(out);
    chk_stream_clear(&used);
    for (uint32_t i = 0; i < n; i++) chk_stream_add(out, chk_rng_below(&rng, 1000), 1000);
    if (try_program(&p, out, &used)) break;
    assert_true(seed < 1000);
  }
  chk_stream_fini(&used);
}

static bool try_once(void *arg, const struct chk_stream *candidate, struct chk_stream *used) {
  struct trial *t = arg;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < candidate->n; i++) hash = chk_rng_mix(hash + candidate->at[i].value + 1);
  assert_true(chk_features_add(&t->tried, hash, 1));
  return try_program(&t->program, candidate, used);
}

static void check_shrinks_to(program_fn p, uint32_t from, const uint32_t *minimum, uint32_t n,
                             uint64_t most_tries) {
  struct chk_stream s;
  struct chk_shrunk stats;
  chk_stream_init(&s);
  struct trial t = {.program = p};
  chk_features_init(&t.tried);
  find_failing(p, from, &s);
  assert_true(chk_shrink(&s, try_once, &t, 0, &stats));
  chk_features_fini(&t.tried);
  assert_int_equal(s.n, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(s.at[i].value, minimum[i]);
  assert_true(stats.fixed_point);
  assert_int_equal(stats.after, n);
  assert_true(stats.before > stats.after && stats.before_set > stats.after_set);
  assert_in_range(stats.tries, stats.kept + 1, most_tries);
  chk_stream_fini(&s);
}

static void shrinks_500_choices_to_two(void **state) {
  (void)state;
  check_shrinks_to(pair_program, 500, (const uint32_t[]){7, 3}, 2, 400);
}

static void shrinks_where_place_matters(void **state) {
  (void)state;
  check_shrinks_to(place_program, 200, (const uint32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 5}, 12,
                   600);
}

static void shrinks_where_answers_ask_more(void **state) {
  (void)state;
  check_shrinks_to(nested_program, 200, (const uint32_t[]){2, 2, 100}, 3, 600);
}

/* Fails if n answers are 1, n of at least 2 being the first answer, and then comes a 7: n and the
 * answers that it counts must shrink together. */
static bool counted_program(struct asker *a) {
  uint32_t n = ask(a, 20), ones = 0;
  for (uint32_t i = 0; i < n; i++) ones += ask(a, 8) == 1;
  return n >= 2 && ones == n && ask(a, 8) == 7;
}

static void check_given(program_fn p, const uint32_t *given, uint32_t n_given,
                        const uint32_t *minimum, uint32_t n) {
  struct chk_stream s;
  struct chk_shrunk stats;
  chk_stream_init(&s);
  for (uint32_t i = 0; i < n_given; i++) chk_stream_add(&s, given[i], 1000);
  assert_true(chk_shrink(&s, try_program, &p, 0, &stats));
  assert_int_equal(s.n, n);
  for (uint32_t i = 0; i < n; i++) assert_int_equal(s.at[i].value, minimum[i]);
  chk_stream_fini(&s);
}

static void counts_shrink_with_what_they_count(void **state) {
  (void)state;
  check_given(counted_program, (const uint32_t[]){9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7}, 11,
              (const uint32_t[]){2, 1, 1, 7}, 4);
}

static void order_is_ascending(void **state) {
  (void)state;
  check_given(place_program, (const uint32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 3}, 12,
              (const uint32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 5}, 12);
}

static void odd_values_end_lower(void **state) {
  (void)state;
  struct chk_stream s;
  struct chk_shrunk stats;
  program_fn p = odd_program;
  chk_stream_init(&s);
  for (uint32_t i = 0; i < 5; i++) chk_stream_add(&s, i == 4 ? 996 : 5, 1000);
  assert_true(chk_shrink(&s, try_program, &p, 0, &stats));
  assert_int_equal(s.n, 5);
  assert_int_equal(stats.after_set, 1);
  assert_true(s.at[4].value < 996 && s.at[4].value % 6 == 0 && s.at[4].value > 0);
  chk_stream_fini(&s);
}

static void empty_is_the_simplest(void **state) {
  (void)state;
  struct chk_stream s;
  struct chk_shrunk stats;
  program_fn p = always_program;
  chk_stream_init(&s);
  for (uint32_t i = 0; i < 1000; i++) chk_stream_add(&s, 1, 2);
  assert_true(chk_shrink(&s, try_program, &p, 0, &stats));
  assert_int_equal(s.n, 0);
  assert_int_equal(stats.before, 1); /* the questions asked, not the stream given */
  assert_true(chk_shrink(&s, try_program, &p, 0, &stats));
  assert_int_equal(stats.tries, 1);
  assert_true(stats.fixed_point);
  chk_stream_fini(&s);
}

static void what_does_not_fail_stays(void **state) {
  (void)state;
  struct chk_stream s;
  struct chk_shrunk stats;
  program_fn p = never_program;
  chk_stream_init(&s);
  for (uint32_t i = 0; i < 10; i++) chk_stream_add(&s, i, 20);
  assert_false(chk_shrink(&s, try_program, &p, 100, &stats));
  assert_int_equal(s.n, 10);
  assert_int_equal(s.at[9].value, 9);
  assert_int_equal(stats.tries, 1);
  assert_false(stats.fixed_point);
  chk_stream_fini(&s);
}

/* With any number of tries, the result fails, and is no less simple than with fewer. */
static void tries_are_a_bound(void **state) {
  (void)state;
  struct chk_stream given, s, before, used;
  chk_stream_init(&given);
  chk_stream_init(&s);
  chk_stream_init(&before);
  chk_stream_init(&used);
  program_fn p = nested_program;
  find_failing(p, 200, &given);
  chk_stream_copy(&before, &given);
  for (uint64_t tries = 1; tries < 120; tries++) {
    struct chk_shrunk stats;
    chk_stream_copy(&s, &given);
    assert_true(chk_shrink(&s, try_program, &p, tries, &stats));
    assert_true(stats.tries <= tries);
    assert_true(stats.fixed_point == (stats.tries < tries));
    chk_stream_clear(&used);
    assert_true(try_program(&p, &s, &used));
    assert_true(chk_shrink_compare(&s, &before) <= 0);
    chk_stream_copy(&before, &s);
  }
  chk_stream_fini(&given);
  chk_stream_fini(&s);
  chk_stream_fini(&before);
  chk_stream_fini(&used);
}

static int compare(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b) {
  struct chk_stream s[2];
  for (uint32_t i = 0; i < 2; i++) chk_stream_init(&s[i]);
  for (uint32_t i = 0; i < n_a; i++) chk_stream_add(&s[0], a[i], 10);
  for (uint32_t i = 0; i < n_b; i++) chk_stream_add(&s[1], b[i], 11);
  int c = chk_shrink_compare(&s[0], &s[1]), d = chk_shrink_compare(&s[1], &s[0]);
  assert_int_equal(c, -d);
  for (uint32_t i = 0; i < 2; i++) chk_stream_fini(&s[i]);
  return c;
}

static void simpler_is_fewer_then_shorter_then_smaller(void **state) {
  (void)state;
  const uint32_t nine_late[] = {0, 0, 0, 9}, two_early[] = {1, 1}, one_late[] = {0, 0, 0, 1, 0, 0},
                 two[] = {0, 2, 1}, other[] = {1, 0, 1};
  assert_int_equal(compare(nine_late, 4, two_early, 2), -1);
  assert_int_equal(compare(one_late, 6, nine_late, 4), -1);
  assert_int_equal(compare(one_late, 6, one_late, 4), 0);
  assert_int_equal(compare(two_early, 2, two, 3), -1);
  assert_int_equal(compare(two, 3, other, 3), -1);
  assert_int_equal(compare(NULL, 0, one_late, 3), 0);
}

/* Replays a toy as the real engine does. */
static bool try_lock(void *arg, const struct chk_stream *candidate, struct chk_stream *used) {
  struct toy t = toy_lock(*(uint32_t *)arg);
  struct chk_strategy *r = chk_replay_new(candidate);
  struct toy_engine e = {.strategy = r};
  assert_true(r->ops->begin(r));
  enum chk_end how = toy_run(&t, &e, 500);
  chk_stream_copy(used, &e.choices);
  chk_stream_fini(&e.choices);
  r->ops->destroy(r);
  return how == CHK_FAILED;
}

/* True if a simpler failing stream of at most `n` choices exists. Tries all, up to bounds of 8. */
static bool simpler_exists(uint32_t units, const struct chk_stream *s, uint32_t n) {
  struct chk_stream c, used;
  bool found = false;
  chk_stream_init(&c);
  chk_stream_init(&used);
  for (uint32_t i = 0; i < n; i++) chk_stream_add(&c, 0, units);
  for (uint32_t i = 0; i < n && !found;) {
    if (chk_shrink_compare(&c, s) < 0) {
      chk_stream_clear(&used);
      found = try_lock(&units, &c, &used);
    }
    for (i = 0; i < n && ++c.at[i].value == units; i++) c.at[i].value = 0;
  }
  chk_stream_fini(&c);
  chk_stream_fini(&used);
  return found;
}

static void shrinks_the_lost_wake_up_to_the_minimum(void **state) {
  (void)state;
  for (uint32_t units = 2; units <= 3; units++) {
    uint32_t failing = 0;
    for (uint64_t seed = 0; failing < 20; seed++) {
      struct toy t = toy_lock(units);
      struct chk_strategy *s = chk_random_new(&(struct chk_options){.seed = seed, .runs = 1});
      struct toy_engine e = {.strategy = s};
      struct chk_shrunk stats;
      assert_true(s->ops->begin(s));
      if (toy_run(&t, &e, 500) == CHK_FAILED) {
        failing++;
        assert_true(chk_shrink(&e.choices, try_lock, &units, 0, &stats));
        assert_false(simpler_exists(units, &e.choices, units == 2 ? 10 : 8));
      }
      chk_stream_fini(&e.choices);
      s->ops->destroy(s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shrinks_500_choices_to_two),
      cmocka_unit_test(shrinks_where_place_matters),
      cmocka_unit_test(shrinks_where_answers_ask_more),
      cmocka_unit_test(counts_shrink_with_what_they_count),
      cmocka_unit_test(order_is_ascending),
      cmocka_unit_test(odd_values_end_lower),
      cmocka_unit_test(empty_is_the_simplest),
      cmocka_unit_test(what_does_not_fail_stays),
      cmocka_unit_test(tries_are_a_bound),
      cmocka_unit_test(simpler_is_fewer_then_shorter_then_smaller),
      cmocka_unit_test(shrinks_the_lost_wake_up_to_the_minimum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
