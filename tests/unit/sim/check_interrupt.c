/* SPDX-License-Identifier: BSD-3-Clause */
/* check_interrupt.c - a search that is interrupted ends in order: the process that waits asks for
 * the signal, and a worker that it reached while it started does not die of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric_sim/explore/interrupt.h"

#define SURVIVED 7

static void signal_is_blocked_and_seen(void **state) {
  struct sim_interrupt i;
  (void)state;
  sim_interrupt_open(&i);
  assert_false(sim_interrupt_seen(&i));
  assert_int_equal(raise(SIGTERM), 0);
  sim_interrupt_wait(&i, 1000);
  assert_true(sim_interrupt_seen(&i));
  assert_int_equal(i.signal, SIGTERM);
  assert_int_equal(i.times, 1);
  assert_int_equal(raise(SIGINT), 0); /* dropped */
  sim_interrupt_close(&i);
}

static int end_of(pid_t worker) {
  int status;
  assert_int_equal(waitpid(worker, &status, 0), worker);
  return status;
}

static void starting_worker_survives(void **state) {
  static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
  struct sim_interrupt i;
  (void)state;
  sim_interrupt_open(&i);
  for (size_t k = 0; k < sizeof SIGNALS / sizeof *SIGNALS; k++) {
    pid_t worker = fork();
    assert_true(worker >= 0);
    if (worker == 0) {
      (void)raise(SIGNALS[k]); /* before it has a process group of its own */
      sim_interrupt_leave(&i);
      _exit(getpgrp() == getpid() ? SURVIVED : 1);
    }
    int status = end_of(worker);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SURVIVED);
  }
  sim_interrupt_close(&i);
}

static void later_signal_ends_worker(void **state) {
  struct sim_interrupt i;
  (void)state;
  sim_interrupt_open(&i);
  pid_t worker = fork();
  assert_true(worker >= 0);
  if (worker == 0) {
    sim_interrupt_leave(&i);
    (void)raise(SIGTERM);
    _exit(SURVIVED);
  }
  int status = end_of(worker);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGTERM);
  sim_interrupt_close(&i);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(signal_is_blocked_and_seen),
                                     cmocka_unit_test(starting_worker_survives),
                                     cmocka_unit_test(later_signal_ends_worker)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
