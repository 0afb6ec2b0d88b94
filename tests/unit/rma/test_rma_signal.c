/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rma_signal.c - put-with-signal, wait-until, time and phases. */
#include "rt/rt.h"
#include "unit/api_unit.h"

#define MESSAGE 200u

/* A ring: each unit sends messages to the next, which checks all bytes as soon as it sees the
 * signal. */
static void messages_body(uint32_t me, uint32_t n) {
  enum { ROUNDS = 6, SIG = 256, ACK = 264 };
  eyot_gptr_t base = api_alloc(320);
  uint32_t next = (me + 1) % n, last = (me + n - 1) % n;
  eyot_gptr_t to = eyot_gptr_at(base, unit(next)), back = eyot_gptr_at(base, unit(last)),
              mine = eyot_gptr_at(base, unit(me));
  uint8_t out[MESSAGE];
  for (uint64_t round = 1; round <= ROUNDS; round++) {
    memset(out, (int)(round * 16 + me), sizeof out);
    eyot_handle_t h;
    if (round % 3 == 0) {
      ok(eyot_put_signal(to, out, MESSAGE, eyot_gptr_add(to, SIG), EYOT_SIGNAL_ADD, 1));
    } else if (round % 3 == 1) {
      ok(eyot_put_signal_nb(to, out, MESSAGE, eyot_gptr_add(to, SIG), EYOT_SIGNAL_ADD, 1, &h));
    } else {
      ok(eyot_put_signal_nbi(to, out, MESSAGE, eyot_gptr_add(to, SIG), EYOT_SIGNAL_ADD, 1));
    }
    uint64_t seen = 0;
    ok(eyot_wait_until(eyot_gptr_add(mine, SIG), EYOT_CMP_GE, round, &seen));
    assert_int_equal(seen, round);
    const uint8_t *p = api_own(base);
    for (uint32_t i = 0; i < MESSAGE; i++) assert_int_equal(p[i], (uint8_t)(round * 16 + last));
    ok(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, eyot_gptr_add(back, ACK), EYOT_SIGNAL_SET, round));
    ok(eyot_wait_until(eyot_gptr_add(mine, ACK), EYOT_CMP_EQ, round, NULL));
    if (round % 3 == 1) ok(eyot_wait(&h, EYOT_REMOTE));
    ok(eyot_flush(unit(next), EYOT_LOCAL));
  }
  api_free(base);
}

static void look_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(16);
  eyot_gptr_t mine = eyot_gptr_at(base, unit(me)), to = eyot_gptr_at(base, unit((me + 1) % n));
  uint64_t seen = 77;
  bool done = true;
  ok(eyot_test_until(mine, EYOT_CMP_NE, 0, &seen, &done));
  assert_false(done);
  assert_int_equal(seen, 77);
  refuses(EYOT_ETIMEOUT, eyot_wait_until_timeout(mine, EYOT_CMP_EQ, 1, 5000, &seen));
  assert_int_equal(seen, 77);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, to, EYOT_SIGNAL_SET, 5));
  ok(eyot_flush_all(EYOT_REMOTE)); /* else no unit would have to deliver it */
  for (done = false; !done;) ok(eyot_test_until(mine, EYOT_CMP_EQ, 5, &seen, &done));
  assert_int_equal(seen, 5);
  static const eyot_cmp_t HOLDS[] = {EYOT_CMP_NE, EYOT_CMP_LT, EYOT_CMP_LE, EYOT_CMP_LE,
                                     EYOT_CMP_GT, EYOT_CMP_GE, EYOT_CMP_GE};
  static const uint64_t VALUE[] = {4, 6, 5, 6, 4, 5, 4};
  for (size_t i = 0; i < sizeof HOLDS / sizeof HOLDS[0]; i++)
    ok(eyot_wait_until_timeout(mine, HOLDS[i], VALUE[i], 1000, NULL));
  static const eyot_cmp_t FAILS[] = {EYOT_CMP_EQ, EYOT_CMP_NE, EYOT_CMP_LT,
                                     EYOT_CMP_LE, EYOT_CMP_GT, EYOT_CMP_GE};
  static const uint64_t OTHER[] = {4, 5, 5, 4, 5, 6};
  for (size_t i = 0; i < sizeof FAILS / sizeof FAILS[0]; i++) {
    ok(eyot_test_until(mine, FAILS[i], OTHER[i], NULL, &done));
    assert_false(done);
  }
  api_free(base);
}

static void refused_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(64);
  eyot_gptr_t mine = eyot_gptr_at(base, unit(me)), to = eyot_gptr_at(base, unit((me + 1) % n));
  uint64_t v = 1;
  bool done;
  refuses(EYOT_EALIGN, eyot_put_signal(to, &v, 8, eyot_gptr_add(to, 4), EYOT_SIGNAL_SET, 1));
  refuses(EYOT_EUNIT, eyot_put_signal(to, &v, 8, eyot_gptr_add(mine, 8), EYOT_SIGNAL_SET, 1));
  refuses(EYOT_EINVAL, eyot_put_signal(to, NULL, 8, eyot_gptr_add(to, 8), EYOT_SIGNAL_SET, 1));
  refuses(EYOT_EINVAL, eyot_put_signal(to, &v, 8, eyot_gptr_add(to, 8), (eyot_signal_op_t)9, 1));
  refuses(EYOT_EINVAL,
          eyot_put_signal_nb(to, &v, 8, eyot_gptr_add(to, 8), EYOT_SIGNAL_SET, 1, NULL));
  refuses(EYOT_ESEG, eyot_put_signal_nbi(to, &v, 8, EYOT_GPTR_NULL, EYOT_SIGNAL_SET, 1));
  refuses(EYOT_ESEG, eyot_put_signal_nbi(EYOT_GPTR_NULL, &v, 8, to, EYOT_SIGNAL_SET, 1));
  refuses(EYOT_ERANGE, eyot_put_signal(to, &v, 65, eyot_gptr_add(to, 8), EYOT_SIGNAL_SET, 1));
  refuses(EYOT_EUNIT, eyot_wait_until(to, EYOT_CMP_EQ, 0, NULL));
  refuses(EYOT_EALIGN, eyot_wait_until(eyot_gptr_add(mine, 1), EYOT_CMP_EQ, 0, NULL));
  refuses(EYOT_EINVAL, eyot_wait_until(mine, (eyot_cmp_t)6, 0, NULL));
  refuses(EYOT_EINVAL, eyot_test_until(mine, EYOT_CMP_EQ, 0, NULL, NULL));
  refuses(EYOT_ERANGE, eyot_test_until(eyot_gptr_add(mine, 64), EYOT_CMP_EQ, 0, NULL, &done));
  api_free(base);
}

static void time_body(uint32_t me, uint32_t n) {
  (void)me;
  (void)n;
  uint64_t before = eyot_now_ns();
  ok(eyot_compute(100000));
  assert_true(eyot_now_ns() >= before + 100000);
  ok(eyot_progress());
  char name[33];
  memset(name, 'a', sizeof name);
  name[32] = 0;
  refuses(EYOT_EINVAL, eyot_phase(name));
  name[31] = 0;
  ok(eyot_phase(name)); /* 31 characters */
  for (int i = 0; i < 15; i++) {
    name[1] = 0;
    name[0] = (char)('b' + i);
    ok(eyot_phase(name));
  }
  name[0] = '!'; /* the caller's string may change */
  assert_string_equal(eyot_current->phase, "p");
  assert_string_equal(eyot_current->fab->note.phase, "p");
  refuses(EYOT_EBUSY, eyot_phase("seventeenth"));
  ok(eyot_phase("c"));
  ok(eyot_phase(NULL));
}

static void signal_comes_after_all_its_bytes(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 4; n++) api_sweep(n, 8, messages_body);
}
static void failed_tests_and_timeouts_leave_the_value_alone(void **state) {
  (void)state;
  api_sweep(3, 3, look_body);
}
static void misuse_of_signals_and_waits_is_refused(void **state) {
  (void)state;
  api_sweep(2, 1, refused_body);
}
static void compute_takes_its_time_and_phases_have_names(void **state) {
  (void)state;
  api_sweep(2, 1, time_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signal_comes_after_all_its_bytes),
      cmocka_unit_test(failed_tests_and_timeouts_leave_the_value_alone),
      cmocka_unit_test(misuse_of_signals_and_waits_is_refused),
      cmocka_unit_test(compute_takes_its_time_and_phases_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
