/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_exhaustive.c - the exhaustive search reaches every final state of small systems, with
 * reduction and without it, in the known numbers of runs; it reports what it has not explored, and
 * detects programs that are not deterministic. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/check/chk_toy_unit.h"

#define ANY UINT64_MAX

/* Searches with and without reduction, checks both against the oracle. ANY: any number of runs. */
static void check(const char *name, const struct toy_system *t, uint64_t plain_runs,
                  uint64_t reduced_runs) {
  struct toy_set want = toy_finals(t);
  struct toy_result plain = toy_search(t, false, 0, NULL), reduced = toy_search(t, true, 0, NULL);
  print_message("%s: %zu final states; %llu runs, reduced %llu + %llu pruned\n", name, want.n,
                (unsigned long long)plain.runs, (unsigned long long)reduced.whole,
                (unsigned long long)reduced.pruned);
  assert_int_equal(plain.pruned, 0);
  assert_true(toy_same(&plain.finals, &want));
  assert_true(toy_same(&reduced.finals, &want));
  if (plain_runs != ANY) assert_int_equal(plain.runs, plain_runs);
  if (reduced_runs != ANY) assert_int_equal(reduced.whole, reduced_runs);
  /* in none of these does the reduction try a known state */
  assert_int_equal(reduced.pruned, 0);
  free(want.at);
  free(plain.finals.at);
  free(reduced.finals.at);
}

static void interleavings_are_counted_exactly(void **state) {
  (void)state;
  struct toy_system t = {.units = 3};
  for (uint8_t u = 0; u < 3; u++)
    for (uint8_t l = 0; l < 2; l++)
      t.code[u][l] = (struct toy_line){TOY_WRITE, (uint8_t)(2 * u + l), 1};
  check("3 processes of 2 independent steps", &t, 90, 1);
  t = (struct toy_system){.units = 5};
  for (uint8_t u = 0; u < 5; u++) t.code[u][0] = (struct toy_line){TOY_WRITE, 0, u};
  check("5 writers of one word", &t, 120, 120);
  t = (struct toy_system){.units = 2};
  for (uint8_t u = 0; u < 2; u++)
    for (uint8_t l = 0; l < 4; l++)
      t.code[u][l] = (struct toy_line){TOY_WRITE, 0, (uint8_t)(4 * u + l)};
  check("2 processes of 4 steps on one word", &t, 70, 70); /* C(8,4) */
  t = (struct toy_system){.units = 4, .code = {{{TOY_WRITE, 0, 1}}}};
  for (uint8_t u = 1; u < 4; u++) t.code[u][0] = (struct toy_line){TOY_READ, 0, 0};
  check("a writer and 3 readers", &t, 24, 8);
  t = (struct toy_system){
      .units = 2,
      .code = {{{TOY_WRITE, 0, 1}, {TOY_READ, 1, 0}}, {{TOY_WRITE, 1, 1}, {TOY_READ, 0, 0}}}};
  /* of the 4 answers of two reads all but both before the writes */
  check("store buffering", &t, 6, 3);
}

static void draws_are_explored_with_all_values(void **state) {
  (void)state;
  struct toy_system t = {.units = 2, .code = {{{TOY_DRAW, 0, 3}}, {{TOY_DRAW, 1, 4}}}};
  check("2 independent draws", &t, 24, 12);
  t = (struct toy_system){.units = 2, .code = {{{TOY_DRAW2, 0, 0}}, {{TOY_READ, 1, 0}}}};
  check("a draw that decides on a further one and on the word", &t, 8, ANY);
  t = (struct toy_system){
      .units = 2,
      .code = {{{TOY_DRAW2, 0, 0}}, {{TOY_READ, 0, 0}, {TOY_READ, 1, 0}, {TOY_WRITE, 0, 9}}}};
  check("a draw of the word against accesses of both", &t, 16, ANY);
}

static void created_processes_are_explored(void **state) {
  (void)state;
  /* Unit 0 has a put of data and a put of a flag in flight at once: codes 2 and 3. */
  struct toy_system t = {.units = 2,
                         .code = {{{TOY_CREATE, 2, 0}, {TOY_CREATE, 3, 0}, {TOY_READ, 2, 0}},
                                  {{TOY_AWAIT, 1, 1}, {TOY_READ, 0, 0}},
                                  {{TOY_WRITE, 0, 7}},
                                  {{TOY_WRITE, 1, 1}}}};
  check("message passing without order", &t, ANY, 2);
  /* The flag is put when the data has arrived. */
  t.code[0][1] = (struct toy_line){TOY_READ, 2, 0};
  t.code[2][1] = (struct toy_line){TOY_CREATE, 3, 0};
  check("message passing in order", &t, ANY, 1);
  t = (struct toy_system){.units = 2,
                          .code = {{{TOY_CREATE, 2, 0}, {TOY_WRITE, 0, 1}},
                                   {{TOY_ADD, 0, 1}, {TOY_READ, 1, 0}},
                                   {{TOY_CREATE, 3, 0}, {TOY_ADD, 0, 2}},
                                   {{TOY_CREATE, 4, 0}, {TOY_WRITE, 1, 1}},
                                   {{TOY_WRITE, 1, 2}}}};
  check("a chain of creations", &t, ANY, 36);
  t = (struct toy_system){
      .units = 2,
      .code = {{{TOY_WRITE, 0, 1}, {TOY_CREATE, 2, 0}}, {{TOY_WRITE, 1, 1}}, {{TOY_WRITE, 0, 2}}}};
  check("nobody goes before its creator", &t, ANY, 1);
  /* Created after a condition that comes and goes. */
  t = (struct toy_system){.units = 2,
                          .code = {{{TOY_CREATE, 2, 0}, {TOY_CREATE, 2, 0}},
                                   {{TOY_WRITE, 0, 1}, {TOY_WRITE, 0, 2}},
                                   {{TOY_AWAIT, 0, 1}, {TOY_ADD, 1, 1}}}};
  check("created to wait", &t, ANY, ANY);
}

static void conditions_that_come_and_go_are_explored(void **state) {
  (void)state;
  struct toy_system t = {.units = 2,
                         .code = {{{TOY_WRITE, 0, 1}, {TOY_WRITE, 0, 2}},
                                  {{TOY_WRITE, 1, 1}, {TOY_AWAIT, 0, 1}, {TOY_WRITE, 2, 1}}}};
  check("a condition that does not last", &t, ANY, ANY);
  t.units = 3;
  t.code[2][0] = (struct toy_line){TOY_AWAIT, 0, 2};
  t.code[2][1] = (struct toy_line){TOY_WRITE, 0, 1};
  check("a condition that comes back", &t, ANY, ANY);
  t = (struct toy_system){.units = 3,
                          .code = {{{TOY_WRITE, 2, 1}, {TOY_BOTH, 0, 1}, {TOY_WRITE, 3, 1}},
                                   {{TOY_WRITE, 0, 1}, {TOY_WRITE, 0, 0}},
                                   {{TOY_WRITE, 1, 1}, {TOY_WRITE, 1, 0}}}};
  check("two conditions at once, for a while", &t, ANY, ANY);
  t = (struct toy_system){.units = 3,
                          .code = {{{TOY_WRITE, 2, 1}, {TOY_EITHER, 0, 1}},
                                   {{TOY_AWAIT, 2, 1}, {TOY_WRITE, 0, 1}},
                                   {{TOY_AWAIT, 2, 1}, {TOY_WRITE, 1, 1}}}};
  check("one condition of two", &t, ANY, ANY);
  t = (struct toy_system){.units = 2,
                          .code = {{{TOY_ADD, 0, 1}, {TOY_AWAIT, 0, 1}, {TOY_WRITE, 1, 1}},
                                   {{TOY_ADD, 0, 1}, {TOY_AWAIT, 1, 1}, {TOY_WRITE, 0, 1}}}};
  check("each may wait for the other for ever", &t, ANY, ANY);
}

static void polling_loops_are_explored_to_the_end(void **state) {
  (void)state;
  struct toy_system t = {.units = 3};
  for (uint8_t u = 0; u < 3; u++) {
    t.code[u][0] = (struct toy_line){TOY_LOCK, 0, 0};
    t.code[u][1] = (struct toy_line){TOY_ADD, 1, 1};
    t.code[u][2] = (struct toy_line){TOY_WRITE, 0, 0};
  }
  check("a lock by compare-and-swap", &t, 2556, 162);
  t = (struct toy_system){.units = 3,
                          .code = {{{TOY_SPIN, 0, 1}, {TOY_WRITE, 1, 1}},
                                   {{TOY_SPIN, 1, 1}, {TOY_WRITE, 0, 2}},
                                   {{TOY_READ, 2, 0}, {TOY_WRITE, 0, 1}, {TOY_READ, 0, 0}}}};
  check("two that poll for each other", &t, ANY, ANY);
  struct toy_result r = toy_search(&t, true, 0, NULL);
  assert_true(r.runs < 30); /* an idle poll more or less makes no difference */
  free(r.finals.at);
}

/* -- by hand ----------------------------------------------------------------------------------- */

static uint32_t pick(struct chk_strategy *s, uint32_t a, bool a_polls, uint32_t b, bool b_polls) {
  const uint32_t who[] = {a, b};
  const bool yields[] = {a_polls, b_polls};
  uint32_t i = s->ops->pick(s, who, yields, 2);
  return i == CHK_STOP ? CHK_STOP : who[i];
}

static void did(struct chk_strategy *s, uint32_t who, uint64_t word, bool write) {
  const struct chk_access access = {word, write};
  s->ops->did(s, &(struct chk_step){.who = who, .n_accesses = 1, .accesses = &access});
}

/* A poller that has read two words in turn, and found nothing: held until one of them is written,
 * or when another one polls in vain too. */
static void poller_in_vain_is_held_until_a_write(void **state) {
  (void)state;
  struct chk_strategy *s =
      chk_exhaustive_new(&(struct chk_options){.processes = 2, .reduce = true});
  assert_true(s->ops->begin(s));
  assert_int_equal(pick(s, 0, false, 1, false), 0);
  did(s, 0, 10, false);
  assert_int_equal(pick(s, 0, true, 1, false), 0);
  did(s, 0, 11, false); /* reads a new word */
  assert_int_equal(pick(s, 0, true, 1, false), 0);
  did(s, 0, 10, false); /* in vain */
  assert_int_equal(pick(s, 0, true, 1, false), 1);
  did(s, 1, 12, true); /* a word that it has not read */
  assert_int_equal(pick(s, 0, true, 1, false), 1);
  did(s, 1, 11, true); /* a word that it has read */
  assert_int_equal(pick(s, 0, true, 1, false), 0);
  did(s, 0, 10, false);
  assert_int_equal(pick(s, 0, true, 1, true), 1);
  did(s, 1, 13, false);
  assert_int_equal(pick(s, 0, true, 1, true), 1); /* has not looked at 13 before */
  did(s, 1, 13, false);
  assert_int_equal(pick(s, 0, true, 1, true), 0); /* all in vain */
  did(s, 0, 10, false);
  assert_int_equal(pick(s, 0, false, 1, true), 0); /* does not poll any more */
  did(s, 0, 14, true);
  assert_int_equal(pick(s, 0, true, 1, true), 0);
  /* reads nothing: until another process has taken a step */
  s->ops->did(s, &(struct chk_step){.who = 0});
  assert_int_equal(pick(s, 0, true, 1, false), 1);
  did(s, 1, 15, true);
  assert_int_equal(pick(s, 0, true, 1, false), 0);
  s->ops->did(s, &(struct chk_step){.who = 0});
  s->ops->end(s, CHK_PASSED, NULL);
  s->ops->destroy(s);
}

static char *report_of(const struct chk_strategy *s) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  s->ops->report(s, out);
  fclose(out);
  return text;
}

/* One run of two writers of one word that ends with `how`, after `steps` of its 2 steps; the last
 * of them cut off if `cut`. */
static void short_run(struct chk_strategy *s, enum chk_end how, uint32_t steps, bool cut) {
  bool done[2] = {false};
  for (uint32_t i = 0; i < steps; i++) {
    uint32_t who[2], n = 0;
    for (uint32_t u = 0; u < 2; u++)
      if (!done[u]) who[n++] = u;
    uint32_t u = who[s->ops->pick(s, who, (const bool[]){false, false}, n)];
    done[u] = true;
    if (!cut || i + 1 < steps) did(s, u, 5, true);
  }
  s->ops->end(s, how, NULL);
}

static void expect_report(struct chk_strategy *s, const char *phrase) {
  char *text = report_of(s);
  if (strstr(text, phrase) == NULL) fail_msg("no \"%s\" in: %s", phrase, text);
  free(text);
  s->ops->destroy(s);
}

static void report_says_what_was_not_explored(void **state) {
  (void)state;
  struct chk_options o = {.processes = 2, .reduce = true};
  struct chk_strategy *s = chk_exhaustive_new(&o);
  while (s->ops->begin(s)) short_run(s, CHK_PASSED, 2, false);
  expect_report(s,
                "all 2 interleavings explored, one of each class of equivalent ones, 0 pruned by "
                "sleep sets; 4 steps executed, at most 2 in a run");
  s = chk_exhaustive_new(&o);
  while (s->ops->begin(s)) short_run(s, CHK_BOUND, 1, false);
  expect_report(s, "incomplete: 0 interleavings");
  s = chk_exhaustive_new(&o);
  /* processes that could take a step that was cut off are tried */
  while (s->ops->begin(s)) short_run(s, CHK_FAILED, 1, true);
  expect_report(s, "2 runs failed");
  o.runs = 1;
  s = chk_exhaustive_new(&o);
  while (s->ops->begin(s)) short_run(s, CHK_PASSED, 2, false);
  expect_report(s, "stopped after 1 runs");
}

enum fickle { OFFERS, POLLS, TOUCHES, DRAWS, ENDS };

/* In a child: a second run that is not like the first. */
static void fickle(enum fickle kind) {
  struct chk_strategy *s = chk_exhaustive_new(&(struct chk_options){.processes = 3});
  for (uint32_t run = 0; run < 2 && s->ops->begin(s); run++) {
    bool other = run == 1;
    if (kind == ENDS && other) {
      s->ops->end(s, CHK_PASSED, NULL);
      continue;
    }
    uint32_t who = pick(s, 0, other && kind == POLLS, other && kind == OFFERS ? 2 : 1, false);
    (void)s->ops->draw(s, other && kind == DRAWS ? 3 : 2);
    did(s, who, other && kind == TOUCHES ? 6 : 5, true);
    who = pick(s, 0, false, 1, false);
    did(s, who, 5, true);
    s->ops->end(s, CHK_PASSED, NULL);
  }
}

static void programs_that_are_not_deterministic_are_found(void **state) {
  (void)state;
  for (enum fickle kind = OFFERS; kind <= ENDS; kind++) {
    int ends[2];
    char text[512] = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDERR_FILENO);
      signal(SIGABRT, SIG_DFL);
      fickle(kind);
      _exit(0);
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof text - 1;) {
      ssize_t got = read(ends[0], text + n, sizeof text - 1 - n);
      if (got <= 0) break;
      n += (size_t)got;
    }
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "the program under test is not deterministic"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interleavings_are_counted_exactly),
      cmocka_unit_test(draws_are_explored_with_all_values),
      cmocka_unit_test(created_processes_are_explored),
      cmocka_unit_test(conditions_that_come_and_go_are_explored),
      cmocka_unit_test(polling_loops_are_explored_to_the_end),
      cmocka_unit_test(poller_in_vain_is_held_until_a_write),
      cmocka_unit_test(report_says_what_was_not_explored),
      cmocka_unit_test(programs_that_are_not_deterministic_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
