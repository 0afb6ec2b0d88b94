/* test_api_faults.c - the n-th fabric call and the n-th allocation fail, for every n: each error is passed up as it is, nobody crashes, and
 * what has been refused can be tried again. SPDX-License-Identifier: BSD-3-Clause */
#include "api_unit.h"

/* Every kind of operation once. Returns the first error. */
#define STEP(call)               \
  do {                           \
    int rc_ = (call);            \
    if (first == 0) first = rc_; \
  } while (0)

static int use_rma(uint32_t me, uint32_t n) {
  int first = 0;
  eyot_gptr_t base;
  STEP(eyot_team_alloc(EYOT_TEAM_ALL, 4096, &base));
  if (first != 0) return first;
  eyot_gptr_t there = eyot_gptr_at(base, unit((me + 1) % n));
  char b[1024] = {0}, c[1024];
  uint64_t old, w[4] = {1, 2, 3, 4};
  double d[4] = {1, 2, 3, 4}, d_old[4];
  eyot_handle_t h[2] = {{0}, {0}};
  bool done = false;
  STEP(eyot_put(there, b, 64));
  STEP(eyot_get(c, there, 64));
  STEP(eyot_put_nb(there, b, 64, &h[0]));
  STEP(eyot_get_nb(c, there, 64, &h[1]));
  STEP(eyot_testall(h, 2, EYOT_LOCAL, &done));
  STEP(eyot_waitall(h, 2, EYOT_REMOTE));
  STEP(eyot_put_nbi(there, b, 64));
  STEP(eyot_order(unit((me + 1) % n)));
  STEP(eyot_flush(unit((me + 1) % n), EYOT_REMOTE));
  STEP(eyot_put_strided(there, b, &(eyot_strided_t){8, 32, 16, 8}));
  STEP(eyot_put_strided_nbi(there, b, &(eyot_strided_t){8, 32, 16, 8}));
  /* Twice: a packed transfer is retired by the next but one. */
  for (int i = 0; i < 2; i++) STEP(eyot_get_strided(c, there, &(eyot_strided_t){8, 32, 16, 8}));
  uint64_t len[3] = {8, 8, 8}, off[3] = {32, 0, 16};
  STEP(eyot_put_indexed(there, b, &(eyot_indexed_t){3, len, off, off}));
  STEP(eyot_fetch_add_u64(eyot_gptr_add(there, 2048), 1, &old));
  STEP(eyot_accumulate(eyot_gptr_add(there, 2056), EYOT_DOUBLE, EYOT_SUM, d));
  STEP(eyot_accumulate_nbi(eyot_gptr_add(there, 2048), EYOT_UINT64, EYOT_SUM, w));
  STEP(eyot_accumulate_array(eyot_gptr_add(there, 2064), EYOT_UINT64, EYOT_SUM, w, 4));
  STEP(eyot_get_accumulate_array(eyot_gptr_add(there, 2112), EYOT_DOUBLE, EYOT_SUM, d, d_old, 4));
  STEP(eyot_put_signal(there, b, 64, eyot_gptr_add(there, 3072), EYOT_SIGNAL_ADD, 1));
  STEP(eyot_wait_until_timeout(eyot_gptr_at(eyot_gptr_add(base, 3072), unit(me)), EYOT_CMP_GE, 1, 1000000, NULL));
  STEP(eyot_sync());
  STEP(eyot_phase("faults"));
  STEP(eyot_flush_all(EYOT_REMOTE));
  STEP(eyot_barrier(EYOT_TEAM_ALL));
  if (first == 0) first = eyot_team_free(base);
  return first;
}

/* Stops at the first error: a member that has failed cannot go on with the others. */
static int use_coll(uint32_t me, uint32_t n) {
  uint64_t v = me, got[4], out[4] = {0, 1, 2, 3};
  int rc = eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &v, 8);
  if (rc == 0) rc = eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &v, got, 1);
  if (rc == 0) rc = eyot_gather(EYOT_TEAM_ALL, (eyot_tunit_t){n - 1}, &v, got, 8);
  if (rc == 0) rc = eyot_allgather(EYOT_TEAM_ALL, &v, got, 8);
  if (rc == 0) rc = eyot_alltoall(EYOT_TEAM_ALL, out, got, 8);
  return rc;
}

struct faults {
  int (*use)(uint32_t me, uint32_t n);
  int injected; /* the code that must come out somewhere */
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
  rc = x->use(eyot_me().id, eyot_size());
  note(x, rc);
  note(x, eyot_finalize());
}

/* The number of calls is that of a run without failure; the failing call's error must be returned by some function. Operations take effect
 * when they are posted here: after a wait or flush that failed, nobody could say when a late one stops writing to the caller's memory. */
static void fail_each_call(uint32_t n, int (*use)(uint32_t, uint32_t)) {
  struct faults x = {.use = use, .injected = EYOT_ESYS};
  struct fake_opts o = {.n = n, .seed = 3, .units_per_node = 1, .fail_code = EYOT_ESYS, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  assert_int_equal(x.met, 0);
  uint64_t calls = fake_calls();
  assert_true(calls > 10);
  for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
    if (x.met == 0 && end != FAKE_ABORTED)
      print_error("call %llu of %llu failed and nobody was told\n", (unsigned long long)o.fail_op, (unsigned long long)calls);
    assert_true(x.met > 0 || end == FAKE_ABORTED);
  }
}

static void fail_each_alloc(uint32_t n, int (*use)(uint32_t, uint32_t)) {
  struct faults x = {.use = use, .injected = EYOT_ENOMEM};
  struct fake_opts o = {.n = n, .seed = 3, .units_per_node = 1, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  uint64_t allocs = fake_allocs();
  assert_true(allocs > 0);
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  }
}

static void test_rma_calls(void **state) {
  (void)state;
  fail_each_call(1, use_rma);
  fail_each_call(2, use_rma);
}
static void test_coll_calls(void **state) {
  (void)state;
  fail_each_call(2, use_coll);
  fail_each_call(3, use_coll);
}
static void test_allocs(void **state) {
  (void)state;
  fail_each_alloc(2, use_rma);
  fail_each_alloc(2, use_coll);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rma_calls),
      cmocka_unit_test(test_coll_calls),
      cmocka_unit_test(test_allocs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
