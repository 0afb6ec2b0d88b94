/* SPDX-License-Identifier: BSD-3-Clause */
/* test_run_code.c - the exit code of a supervised run (tools/run_code.h) where a launcher ends the
 * other processes because one has returned another code than 0: which of them the run's code and
 * its message are of does not depend on how far the others were. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "run_code.h"

#define UNITS 3u

struct job {
  struct members m;
  struct member member[UNITS];
};

static void job_init(struct job *j) {
  *j = (struct job){.m = {.n = UNITS, .joined = UNITS, .member = j->member}};
  j->m.run = aligned_alloc(alignof(struct eyoti_run_memory), sizeof *j->m.run);
  assert_non_null(j->m.run);
  for (uint32_t i = 0; i < UNITS; i++) {
    j->member[i] = (struct member){.pid = 1000 + (pid_t)i, .pidfd = -1, .status = -1};
    j->m.run->record[i] = (struct eyoti_run_record){.state = EYOTI_RUN_RUNNING, .unit = i};
  }
}

/* Process i has ended, as the next one; `status` as wait(2) gives it. */
static void job_end(struct job *j, uint32_t i, enum eyoti_run_state state, int status) {
  j->m.run->record[i].state = state;
  j->member[i].gone = true;
  j->member[i].status = status;
  j->member[i].ended = ++j->m.ended;
}

static int job_code(const struct job *j, int launcher) {
  const struct run_end end = {
      .launcher = "launcher", .code = -1, .silent = true, .whole = true, .status = launcher << 8};
  return run_code(&end, &j->m);
}

/* As Open MPI's does. */
static void a_launcher_that_ends_the_others_is_not_the_cause(void **state) {
  (void)state;
  struct job j;
  bool sure;
  job_init(&j);
  job_end(&j, 1, EYOTI_RUN_LEFT, 7 << 8);
  job_end(&j, 0, EYOTI_RUN_RUNNING, SIGTERM);
  job_end(&j, 2, EYOTI_RUN_LEFT, 0);
  assert_int_equal(members_first_lost(&j.m, &sure), 0);
  assert_true(sure);
  assert_int_equal(members_cause(&j.m, 0), 1);
  assert_int_equal(job_code(&j, 7), 7);
  assert_int_equal(job_code(&j, 1), 7);
  free(j.m.run);
}

static void a_signal_of_others_is_the_cause(void **state) {
  (void)state;
  struct job j;
  job_init(&j);
  job_end(&j, 0, EYOTI_RUN_RUNNING, SIGTERM);
  job_end(&j, 1, EYOTI_RUN_LEFT, 0);
  assert_int_equal(members_cause(&j.m, 0), 0);
  assert_int_equal(job_code(&j, 1), 128 + SIGTERM);
  free(j.m.run);
}

static void another_signal_is_the_cause(void **state) {
  (void)state;
  struct job j;
  job_init(&j);
  job_end(&j, 0, EYOTI_RUN_RUNNING, SIGSEGV);
  job_end(&j, 1, EYOTI_RUN_LEFT, 7 << 8);
  assert_int_equal(members_cause(&j.m, 0), 0);
  assert_int_equal(job_code(&j, 7), 128 + SIGSEGV);
  free(j.m.run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_launcher_that_ends_the_others_is_not_the_cause),
      cmocka_unit_test(a_signal_of_others_is_the_cause),
      cmocka_unit_test(another_signal_is_the_cause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
