/* SPDX-License-Identifier: BSD-3-Clause */
/* test_msg_faults.c - messages when the n-th fabric call or the n-th allocation fails, for every n:
 * no unit crashes, and of a run that ends some call has returned the error. */
#include <string.h>

#include "rt/rt.h"
#include "unit/api_unit.h"

#define STEPS_FACTOR 4u
#define STEPS_LEAST 2000u

#define NEXT(call) \
  if (rc == 0) rc = (call)

/* Knocks, a ring, long and synchronous messages, probes, a receive that goes on in a barrier. */
static int use_messages(uint32_t me, uint32_t n) {
  static char out[2][700], in[2][700];
  const eyot_tunit_t to = {(me + 1) % n}, from = {(me + n - 1) % n};
  eyot_msg_t h[2] = {EYOT_MSG_DONE, EYOT_MSG_DONE}, found;
  eyot_msg_status_t s;
  int rc = EYOT_OK;
  for (int32_t tag = 0; tag < 4; tag++) NEXT(eyot_send(EYOT_TEAM_ALL, to, tag, out[me], 8));
  for (int32_t tag = 3; tag >= 0; tag--)
    NEXT(eyot_recv(EYOT_TEAM_ALL, EYOT_ANY_UNIT, tag, in[me], 8, &s));
  NEXT(eyot_recv_nb(EYOT_TEAM_ALL, from, 5, in[me], sizeof in[me], &h[0]));
  NEXT(eyot_ssend_nb(EYOT_TEAM_ALL, to, 5, out[me], sizeof out[me], &h[1]));
  NEXT(eyot_barrier(EYOT_TEAM_ALL));
  NEXT(eyot_msg_wait_all(h, 2, NULL));
  NEXT(eyot_send(EYOT_TEAM_ALL, to, 6, out[me], sizeof out[me]));
  NEXT(eyot_mprobe(EYOT_TEAM_ALL, EYOT_ANY_UNIT, EYOT_ANY_TAG, &found, &s));
  NEXT(eyot_mrecv(&found, in[me], sizeof in[me], &s));
  NEXT(eyot_sendrecv(EYOT_TEAM_ALL, to, 7, out[me], 100, from, 7, in[me], 100, NULL));
  NEXT(eyot_barrier(EYOT_TEAM_ALL));
  return rc;
}

struct faults {
  int injected; /* the code that some function must return */
  int met;
};

static void note(struct faults *x, int rc) {
  if (rc == x->injected) x->met++;
}

static void faults_main(struct fab *f, void *arg) {
  struct faults *x = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  note(x, rc);
  if (rc != 0) return;
  note(x, use_messages(eyot_me().id, eyot_size()));
  note(x, eyot_finalize());
}

static void each_failing_call_is_returned(void **state) {
  (void)state;
  for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
    struct faults x = {.injected = EYOT_ESYS};
    struct fake_opts o = {.n = 2,
                          .seed = 3,
                          .mode = (enum fake_mode)mode,
                          .units_per_node = 1,
                          .fail_code = EYOT_ESYS,
                          .quiet = true};
    assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
    assert_int_equal(x.met, 0);
    uint64_t calls = fake_calls();
    assert_true(calls > 100);
    o.max_steps = STEPS_FACTOR * fake_steps() + STEPS_LEAST;
    for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
      x.met = 0;
      int end = fake_run(&o, faults_main, &x);
      assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_STEPS);
      if (x.met == 0 && end == FAKE_DONE)
        print_error("call %llu of %llu failed and no call has returned it\n",
                    (unsigned long long)o.fail_op, (unsigned long long)calls);
      assert_true(x.met > 0 || end != FAKE_DONE);
    }
  }
}

static void each_failing_allocation_is_survived(void **state) {
  (void)state;
  struct faults x = {.injected = EYOT_ENOMEM};
  struct fake_opts o = {.n = 2, .seed = 3, .units_per_node = 1, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  uint64_t allocs = fake_allocs();
  assert_true(allocs > 0);
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_failing_call_is_returned),
                                     cmocka_unit_test(each_failing_allocation_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
