/* SPDX-License-Identifier: BSD-3-Clause */
/* test_seeds_pool.c - the runs of a campaign (tools/seeds_pool.h), with a module whose runs sleep
 * and fail as their seed says: runs are handed over in the order of seeds, whatever the number of
 * processes and whichever ends first. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/exit_codes.h"
#include "seeds_pool.h"

#define RUNS 40u

/* Of the i-th run. */
static int code_of(uint64_t i) {
  return i == 12 || i == 17 || i == 31 ? (int)i : 0;
}

/* Seeds from 100 on. Early ones take longer; 117 fails at once, 112 and 131 later. */
static int job_run(struct fab_job *job, uint64_t seed) {
  (void)job;
  uint64_t i = seed - 100;
  if (seed != 117) (void)usleep((useconds_t)(i % 8 == 0 ? 20000 : i % 3 == 0 ? 3000 : 0));
  if (seed == 112) (void)usleep(30000);
  if (code_of(i) != 0) printf("seed %d\n", (int)seed);
  return code_of(i);
}

static void job_close(struct fab_job *job) {
  (void)job;
}

static const struct fab_module MODULE = {
    .name = "test", .job_run = job_run, .job_close = job_close};

struct seen {
  uint64_t n, seeds[RUNS];
  int codes[RUNS];
  uint64_t stop_after; /* tick ends the campaign then; 0: never */
  int raised;          /* a signal for this process, or 0 */
};

static void ended(void *arg, const struct seeds_ended *e) {
  struct seen *s = arg;
  assert_true(s->n < RUNS);
  s->codes[s->n] = seeds_code_of(e->status);
  s->seeds[s->n++] = e->seed;
}

static bool tick(void *arg) {
  struct seen *s = arg;
  if (s->raised != 0 && s->n >= 4) {
    (void)raise(s->raised);
    s->raised = 0;
  }
  return s->stop_after == 0 || s->n < s->stop_after;
}

static struct seeds_outcome run(struct seen *s, uint64_t jobs, bool keep_going, uint64_t from,
                                const struct seed_range *range) {
  const struct seeds_job j = {.module = &MODULE,
                              .range = *range,
                              .from = from,
                              .jobs = jobs,
                              .keep_going = keep_going,
                              .ended = ended,
                              .tick = tick,
                              .arg = s};
  return seeds_pool_run(&j);
}

static const struct seed_range ALL = {.first = 100, .n = RUNS, .shard = 1, .shards = 1};

static void expect_output(struct seeds_outcome *out, uint64_t seed) {
  char text[32] = "", expected[32];
  assert_true(out->output >= 0);
  assert_int_equal(out->output_seed, seed);
  assert_true(pread(out->output, text, sizeof text - 1, 0) > 0);
  snprintf(expected, sizeof expected, "seed %d\n", (int)seed);
  assert_string_equal(text, expected);
  close(out->output);
}

static void runs_are_handed_over_in_the_order_of_seeds(void **state) {
  (void)state;
  for (uint64_t jobs = 1; jobs <= 16; jobs *= 4) {
    struct seen s = {0};
    struct seeds_outcome out = run(&s, jobs, true, 0, &ALL);
    assert_true(out.ok);
    assert_int_equal(out.signal, 0);
    assert_int_equal(s.n, RUNS);
    for (uint64_t i = 0; i < RUNS; i++) {
      assert_int_equal(s.seeds[i], 100 + i);
      assert_int_equal(s.codes[i], code_of(i));
    }
    expect_output(&out, 112);
  }
}

static void the_failure_with_the_lowest_seed_is_the_last_run(void **state) {
  (void)state;
  for (uint64_t jobs = 1; jobs <= 16; jobs *= 4) {
    struct seen s = {0};
    struct seeds_outcome out = run(&s, jobs, false, 0, &ALL);
    assert_true(out.ok);
    assert_int_equal(s.n, 13);
    assert_int_equal(s.codes[12], 12);
    expect_output(&out, 112);
  }
}

static void a_shard_continues_in_its_middle(void **state) {
  (void)state;
  struct seen s = {0};
  struct seed_range r = ALL;
  r.shard = 2, r.shards = 3;
  struct seeds_outcome out = run(&s, 3, true, 6, &r); /* 101, 104, ... 119, ... */
  assert_true(out.ok);
  assert_int_equal(s.n, 7);
  for (uint64_t i = 0; i < s.n; i++) assert_int_equal(s.seeds[i], 119 + 3 * i);
  expect_output(&out, 131);
}

static void a_signal_ends_the_campaign_between_runs(void **state) {
  (void)state;
  struct seen s = {.raised = SIGTERM};
  struct seeds_outcome out = run(&s, 4, true, 0, &ALL);
  assert_true(out.ok);
  assert_int_equal(out.signal, SIGTERM);
  assert_in_range(s.n, 4, RUNS - 1);
  for (uint64_t i = 0; i < s.n; i++) assert_int_equal(s.codes[i], code_of(i)); /* not: killed */
  assert_true(out.output < 0 || out.output_seed == 112 || out.output_seed == 117);
  if (out.output >= 0) close(out.output);
}

static void the_caller_can_stop_the_campaign(void **state) {
  (void)state;
  struct seen s = {.stop_after = 5};
  struct seeds_outcome out = run(&s, 2, true, 0, &ALL);
  assert_in_range(s.n, 5, RUNS - 1);
  assert_true(out.ok);
  assert_int_equal(out.signal, 0);
  if (out.output >= 0) close(out.output);
}

static void a_run_beyond_its_limit_of_time_fails(void **state) {
  (void)state;
  char reason[SEEDS_REASON_BYTES];
  assert_int_equal(seeds_code_of(SIGALRM), EYOTI_EXIT_TIME_LIMIT);
  assert_int_equal(seeds_code_of(SIGSEGV), EYOTI_EXIT_SIGNAL + SIGSEGV);
  assert_int_equal(seeds_code_of(SIGXFSZ), EYOTI_EXIT_USAGE);
  seeds_reason_of(SIGXFSZ, 3, reason);
  assert_string_equal(reason, "cannot write the output, or another file: File too large");
  seeds_reason_of(SIGALRM, 3, reason);
  assert_string_equal(reason, "no end within 3 s of wall time (--run-limit)");
  seeds_reason_of(3 << 8, 3, reason);
  assert_string_equal(reason, "exit code 3 (deadlock)");
  seeds_reason_of(SIGSEGV, 3, reason);
  assert_non_null(strstr(reason, "killed by signal 11"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_are_handed_over_in_the_order_of_seeds),
      cmocka_unit_test(the_failure_with_the_lowest_seed_is_the_last_run),
      cmocka_unit_test(a_shard_continues_in_its_middle),
      cmocka_unit_test(a_signal_ends_the_campaign_between_runs),
      cmocka_unit_test(the_caller_can_stop_the_campaign),
      cmocka_unit_test(a_run_beyond_its_limit_of_time_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
