/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_measured.c - computation at its measured time is charged without the readings of the
 * clock: here each reading takes 700 ns of the clock itself, and work takes what the test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric_sim/host/measured.h"

#define READING_NS 700u

static uint64_t thread_ns, first_ns;

/* The thread's clock of this program. The first reading takes longer, as on a cold machine. */
int clock_gettime(clockid_t id, struct timespec *t) {
  (void)id;
  thread_ns += READING_NS + first_ns;
  first_ns = 0;
  *t = (struct timespec){(time_t)(thread_ns / 1000000000u), (long)(thread_ns % 1000000000u)};
  return 0;
}

/* The time of `calls` calls with `work_ns` of work before each, as unit.c and ops_table.c take it,
 * in ps. */
static uint64_t charged_ps(uint64_t percent, unsigned calls, uint64_t work_ns) {
  struct sim_measured m;
  uint64_t sum_ps = 0;
  first_ns = 5000;
  sim_measured_init(&m, percent);
  for (unsigned i = 0; i < calls; i++) {
    uint64_t since_ns = sim_clock_thread_ns();
    thread_ns += work_ns;
    sum_ps += sim_measured_ps(&m, since_ns);
  }
  return sum_ps;
}

static void readings_are_not_charged(void **state) {
  (void)state;
  assert_int_equal(charged_ps(100, 1000, 0), 0);
}

static void work_is_charged_whole(void **state) {
  (void)state;
  assert_int_equal(charged_ps(100, 1, 1), 1000);
  assert_int_equal(charged_ps(100, 1000, 123), 123u * 1000u * 1000u);
  assert_int_equal(charged_ps(100, 3, 2000000000u), UINT64_C(6000000000000));
}

static void the_scale_multiplies_work_alone(void **state) {
  (void)state;
  assert_int_equal(charged_ps(300, 1000, 123), 3u * 123u * 1000u * 1000u);
  assert_int_equal(charged_ps(50, 1000, 124), 62u * 1000u * 1000u);
  assert_int_equal(charged_ps(300, 1000, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readings_are_not_charged),
      cmocka_unit_test(work_is_charged_whole),
      cmocka_unit_test(the_scale_multiplies_work_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
