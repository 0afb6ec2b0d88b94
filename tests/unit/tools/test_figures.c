/* SPDX-License-Identifier: BSD-3-Clause */
/* test_figures.c - the fit of eyot-calibrate (tools/calibrate/figures.h), with made-up samples
 * instead of a machine and a simulator: figures move by what is missing, and what they cannot reach
 * is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calibrate/figures.h"

#define NS 1000.0 /* of each kind, on the machine */

/* The kinds that figures are fitted by, and those that are figures or rates themselves. */
static const char *const KINDS[] = {
#define FIT(key, place, kind, times, text) #kind,
#include "calibrate/fit.def"
    "away_get",  "first",     "fresh_page", "cached_put", "far_1_put", "far_2_put", "cached_get",
    "far_1_get", "far_2_get", "cached_add", "far_1_add",  "far_2_add", "part_get"};
#define N_KINDS (sizeof KINDS / sizeof *KINDS)

static const struct machine MACHINE = {.cores = 2,
                                       .numa = 1,
                                       .cache = {1 << 19, 1 << 25},
                                       .cache_from = {"given", "given"},
                                       .network = "none"};

static void sample(struct samples *s, const char *kind, double ns) {
  char line[64];
  snprintf(line, sizeof line, "sample %s %.6g", kind, ns);
  assert_true(samples_line(s, line));
}

/* `other` takes other_ns at both places, everything else NS. Copies move a byte a nanosecond. */
static void fill(struct samples_of *of, const char *other, double other_ns) {
  for (int place = 0; place < PLACES; place++) {
    struct samples *s = &of->place[place];
    for (size_t i = 0; i < N_KINDS; i++)
      sample(s, KINDS[i], strcmp(KINDS[i], other) == 0 ? other_ns : NS);
    for (uint64_t bytes = 4096; bytes <= 4194304; bytes *= 4) {
      char kind[32];
      snprintf(kind, sizeof kind, "put_%lu", (unsigned long)bytes);
      sample(s, kind, (double)bytes);
      snprintf(kind, sizeof kind, "get_%lu", (unsigned long)bytes);
      sample(s, kind, (double)bytes);
    }
  }
}

static void empty(struct samples_of *of) {
  for (int place = 0; place < PLACES; place++) samples_free(&of->place[place]);
}

/* Fits once, with a simulator in which `other` takes other_ns; returns what remains. */
static double fitted(struct figures *f, const struct samples_of *machine, const char *other,
                     double other_ns) {
  struct samples_of simulated = {0};
  struct figures_off worst = {.part = -1};
  fill(&simulated, other, other_ns);
  assert_true(figures_fit(f, machine, &simulated, &worst));
  empty(&simulated);
  if (worst.part > 0 && strcmp(other, "trip") == 0)
    assert_true(worst.network && strstr(worst.text, "a put there and back") != NULL);
  return worst.part;
}

static double value(struct figures *f, const char *key) {
  struct figure *figure = figures_find(f, key);
  assert_non_null(figure);
  return figure->value;
}

static void figures_move_by_what_is_missing(void **state) {
  (void)state;
  struct samples_of machine = {0};
  struct figures f;
  fill(&machine, "", 0);
  assert_true(figures_begin(&f, &MACHINE, &machine));
  assert_true(fitted(&f, &machine, "", 0) == 0);
  assert_true(value(&f, "serve") == 0);
  assert_true(fitted(&f, &machine, "both_flood_put", 900) == 0.1);
  assert_true(value(&f, "serve") == 100);
  assert_true(fitted(&f, &machine, "both_flood_put", 1050) == 0.05);
  assert_true(value(&f, "serve") == 50);
  assert_true(value(&f, "rx") == 0); /* that of another kind */
  /* one of 31 words */
  assert_true(fitted(&f, &machine, "add_array", 690) == 0.31);
  assert_true(value(&f, "overhead_word") == 10);
  empty(&machine);
}

static void what_a_figure_cannot_reach_is_told(void **state) {
  (void)state;
  struct samples_of machine = {0};
  struct figures f;
  fill(&machine, "", 0);
  assert_true(figures_begin(&f, &MACHINE, &machine));
  for (int i = 0; i < 3; i++) { /* the figure is 0 and stays so */
    assert_true(fitted(&f, &machine, "trip", 3000) == 2);
    assert_true(value(&f, "rx") == 0);
  }
  empty(&machine);
}

static void what_is_measured_at_once_is_kept(void **state) {
  (void)state;
  struct samples_of machine = {0};
  struct figures f;
  fill(&machine, "first", 1.5e6);
  assert_true(figures_begin(&f, &MACHINE, &machine));
  assert_true(value(&f, "first") == 1.5e6);
  assert_true(value(&f, "progress") == 0); /* the get does not wait for its target */
  assert_true(fitted(&f, &machine, "first", 0) == 0);
  assert_true(value(&f, "first") == 1.5e6);
  empty(&machine);
  fill(&machine, "away_get", SAMPLES_AWAY_NS);
  assert_true(figures_begin(&f, &MACHINE, &machine));
  assert_true(value(&f, "progress") == 1);
  empty(&machine);
}

static void a_kind_that_is_missing_is_an_error(void **state) {
  (void)state;
  struct samples_of machine = {0};
  struct figures f;
  sample(&machine.place[PLACE_NODE], "put", NS);
  assert_false(figures_begin(&f, &MACHINE, &machine));
  empty(&machine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_move_by_what_is_missing),
      cmocka_unit_test(what_a_figure_cannot_reach_is_told),
      cmocka_unit_test(what_is_measured_at_once_is_kept),
      cmocka_unit_test(a_kind_that_is_missing_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
