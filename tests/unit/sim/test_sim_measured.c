/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sim_measured.c - computation at its measured time (host/measured.h): readings of clocks are
 * not charged, nor is what other programs take the processor for. Here readings take time of the
 * clocks themselves, and work and interruptions take what the test says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fabric_sim/host/measured.h"

#define THREAD_READING_NS 700u
#define WALL_READING_NS 30u

/* When others have the processor, the wall's clock goes on and the thread's does not. */
static uint64_t wall_ns, others_ns, first_ns;
static unsigned thread_readings;

/* The clocks of this program. The first reading takes longer, as on a cold machine. */
int clock_gettime(clockid_t id, struct timespec *t) {
  bool thread = id == CLOCK_THREAD_CPUTIME_ID;
  wall_ns += (thread ? THREAD_READING_NS : WALL_READING_NS) + first_ns;
  if (thread) thread_readings++;
  first_ns = 0;
  uint64_t ns = thread ? wall_ns - others_ns : wall_ns;
  *t = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
  return 0;
}

/* Whether the system tells when it takes the processor; if not, all is by the thread's clock. */
static bool marks;

/* Another program has the processor, or a signal comes. */
static void interrupt(const struct sim_measured *m, uint64_t ns) {
  wall_ns += ns;
  others_ns += ns;
  if (m->mark != NULL) *m->mark = 0;
}

static void open_measured(struct sim_measured *m, uint64_t percent) {
  first_ns = 5000;
  sim_measured_init(m, percent);
  if (marks) return;
  sim_measured_fini(m);
  m->least_thread_ns = THREAD_READING_NS; /* without the wall's */
}

/* The time of `calls` calls with `work_ns` of work before each, as unit.c and ops_table.c take it,
 * in ps. In the middle of every third one others have the processor. */
static uint64_t charged_ps(uint64_t percent, unsigned calls, uint64_t work_ns, uint64_t other_ns) {
  struct sim_measured m;
  uint64_t sum_ps = 0;
  open_measured(&m, percent);
  thread_readings = 0;
  for (unsigned i = 0; i < calls; i++) {
    uint64_t since_ns = sim_measured_since(&m);
    wall_ns += work_ns / 2;
    if (other_ns > 0 && i % 3 == 0) interrupt(&m, other_ns);
    wall_ns += work_ns - work_ns / 2;
    sum_ps += sim_measured_ps(&m, since_ns);
    if (other_ns > 0 && i % 7 == 0) interrupt(&m, other_ns); /* in the simulator's own code */
  }
  sim_measured_fini(&m);
  return sum_ps;
}

static void readings_are_not_charged(void **state) {
  marks = *(const bool *)*state;
  assert_int_equal(charged_ps(100, 1000, 0, 0), 0);
  assert_int_equal(charged_ps(100, 1000, 0, 5000), 0);
}

static void work_is_charged_whole(void **state) {
  marks = *(const bool *)*state;
  assert_int_equal(charged_ps(100, 1, 1, 0), 1000);
  assert_int_equal(charged_ps(100, 1000, 123, 0), 123u * 1000u * 1000u);
  assert_int_equal(charged_ps(100, 3, 2000000000u, 0), UINT64_C(6000000000000));
}

static void what_others_take_is_not_charged(void **state) {
  marks = *(const bool *)*state;
  assert_int_equal(charged_ps(100, 1000, 123, 4000000), 123u * 1000u * 1000u);
  assert_int_equal(charged_ps(100, 3, 2000000000u, 1), UINT64_C(6000000000000));
}

static void the_scale_multiplies_work_alone(void **state) {
  marks = *(const bool *)*state;
  assert_int_equal(charged_ps(300, 1000, 123, 0), 3u * 123u * 1000u * 1000u);
  assert_int_equal(charged_ps(50, 1000, 124, 77), 62u * 1000u * 1000u);
  assert_int_equal(charged_ps(300, 1000, 0, 0), 0);
}

/* A hypervisor takes the processor: the system does not tell, and only the wall's clock goes on. An
 * interruption then leads to the thread's clock, by which the work would begin after its end. */
static void time_never_goes_back(void **state) {
  struct sim_measured m;
  marks = *(const bool *)*state;
  open_measured(&m, 1000);
  uint64_t since_ns = sim_measured_since(&m);
  (void)sim_measured_ps(&m, since_ns);
  wall_ns += 50000;
  others_ns += 50000;
  since_ns = sim_measured_since(&m);
  interrupt(&m, 1);
  wall_ns += 100;
  assert_in_range(sim_measured_ps(&m, since_ns), 0, 1000000);
  sim_measured_fini(&m);
}

/* Where the system tells, the thread's clock is read when it has, and each 10 ms. */
static void the_threads_clock_is_read_seldom(void **state) {
  (void)state;
  struct sim_measured m;
  marks = true;
  open_measured(&m, 100);
  bool tells = m.mark != NULL;
  sim_measured_fini(&m);
  (void)charged_ps(100, 1000, 10000, 0); /* 10 ms */
  if (tells)
    assert_in_range(thread_readings, 0, 3); /* a real interruption may come too */
  else
    assert_int_equal(thread_readings, 2000);
  (void)charged_ps(100, 1000, 100000, 0);
  if (tells) assert_in_range(thread_readings, 9, 12);
}

int main(void) {
  static bool both[2] = {false, true};
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(readings_are_not_charged, &both[0]),
      cmocka_unit_test_prestate(work_is_charged_whole, &both[0]),
      cmocka_unit_test_prestate(what_others_take_is_not_charged, &both[0]),
      cmocka_unit_test_prestate(the_scale_multiplies_work_alone, &both[0]),
      cmocka_unit_test_prestate(readings_are_not_charged, &both[1]),
      cmocka_unit_test_prestate(work_is_charged_whole, &both[1]),
      cmocka_unit_test_prestate(what_others_take_is_not_charged, &both[1]),
      cmocka_unit_test_prestate(the_scale_multiplies_work_alone, &both[1]),
      cmocka_unit_test_prestate(time_never_goes_back, &both[0]),
      cmocka_unit_test_prestate(time_never_goes_back, &both[1]),
      cmocka_unit_test(the_threads_clock_is_read_seldom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
