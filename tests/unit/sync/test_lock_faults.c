/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_faults.c - locks when each fabric call and each allocation fails in turn. */
#include "unit/sync/lock_unit.h"

#define STEP(call)            \
  do {                        \
    int rc_ = (call);         \
    if (rc_ != 0) return rc_; \
  } while (0)

static int faulty_use(uint32_t me, uint32_t n) {
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock, own, theirs;
  bool got, held;
  STEP(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  for (int i = 0; i < 2; i++) {
    STEP(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    STEP(eyot_lock_held(lock, &held));
    STEP(eyot_lock_release(lock));
  }
  int rc = eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 2000);
  if (rc == EYOT_OK) rc = eyot_lock_release(lock);
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  STEP(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
  if (got) STEP(eyot_lock_release(lock));
  STEP(eyot_lock_destroy(&lock));
  STEP(eyot_lock_alloc(&a, &own));
  theirs = own;
  if (n > 1) STEP(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &theirs, sizeof theirs));
  STEP(eyot_lock_acquire(theirs, EYOT_LOCK_EXCLUSIVE));
  STEP(eyot_lock_release(theirs));
  (void)me;
  STEP(eyot_barrier(EYOT_TEAM_ALL));
  return eyot_lock_free(&own);
}

/* Of a unit that meets another one's lock: what messages say of it (gmem/label.h) is read by a get,
 * a test and a wait, whose failure is no error of the program's call. Its buffer is one
 * allocation. */
#define LABEL_CALLS 3u
/* A put that has no memory for its request goes without, and a flush completes it. */
#define REQUEST_ALLOCS 1u
/* Of each unit: the calls that the report of a difference would name. */
#define PAST_ALLOCS(n) (n)

struct faults {
  int code, met;
};

static void faults_main(struct fab *f, void *arg) {
  struct faults *x = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  if (rc == x->code) x->met++;
  if (rc != 0) return;
  if (faulty_use(eyot_me().id, eyot_size()) == x->code) x->met++;
  if (eyot_finalize() == x->code) x->met++;
}

/* Units that wait for a lock whose holder has failed sleep (a deadlock is found), or try for ever
 * with a kind that polls. */
static bool ended(int end) {
  return end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED ||
         (end == FAKE_STEPS && lock_kind_has(kind, LOCK_POLLS));
}

static void fail_each(uint32_t n) {
  struct faults x = {.code = EYOT_ESYS};
  struct fake_opts o = {.n = n,
                        .seed = 3,
                        .units_per_node = 1,
                        .fail_code = EYOT_ESYS,
                        .max_steps = 100000,
                        .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  assert_int_equal(x.met, 0);
  uint64_t total = fake_calls(), allocs = fake_allocs();
  assert_true(total > 20 && allocs > 5);
  uint32_t silent = 0;
  for (o.fail_op = 1; o.fail_op <= total; o.fail_op++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(ended(end));
    silent += x.met == 0 && end == FAKE_DONE;
    assert_true(x.met > 0 || end == FAKE_ABORTED || silent <= (n - 1) * LABEL_CALLS);
  }
  o.fail_op = 0;
  silent = 0;
  x.code = EYOT_ENOMEM;
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(ended(end));
    silent += x.met == 0 && end == FAKE_DONE;
    assert_true(x.met > 0 || end == FAKE_ABORTED ||
                silent <= n - 1 + REQUEST_ALLOCS + PAST_ALLOCS(n));
  }
}

static void nothing_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

/* A creation that fails for lack of memory at one unit fails on all, leaves nothing, and can be
 * tried again. */
static bool was_refused;
static void memory_body(uint32_t me, uint32_t n) {
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock = EYOT_LOCK_NULL;
  uint64_t used = heap_used();
  ok(eyot_barrier(EYOT_TEAM_ALL));
  int rc = eyot_lock_create(EYOT_TEAM_ALL, &a, &lock);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_true(rc == EYOT_OK || rc == EYOT_ENOMEM);
  static int codes[UNITS];
  codes[me] = rc;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t u = 0; u < n; u++) assert_int_equal(codes[u], rc);
  if (me == 0) was_refused = rc != EYOT_OK;
  if (rc != EYOT_OK) {
    assert_true(eyot_gptr_is_null(lock.at));
    assert_int_equal(heap_used(), used);
    ok(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  }
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(lock));
  destroy(lock);
}

static void fail_creation(uint32_t n) {
  struct fake_opts o = {.n = n, .seed = 2};
  api_run(&o, nothing_body);
  uint64_t before = fake_allocs();
  api_run(&o, memory_body);
  assert_false(was_refused);
  uint64_t after = fake_allocs();
  assert_true(after >= before + 3 * n);
  uint32_t refused = 0;
  for (o.fail_alloc = before + 1; o.fail_alloc <= after; o.fail_alloc++) {
    api_run(&o, memory_body);
    refused += was_refused;
  }
  assert_true(refused >= 3 * n);
}

/* A hand-over that fails leaves the lock held, and released a second time it is refused rather than
 * passed on twice. */
static int refuse_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                         const struct fab_sig *sig, fab_req_t *req) {
  (void)f, (void)dst, (void)src, (void)len, (void)sig, (void)req;
  return EYOT_ESYS;
}
static int refuse_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
                      fab_req_t *req) {
  (void)f, (void)dst, (void)amo, (void)old, (void)req;
  return EYOT_ESYS;
}
static int refuse_flush(struct fab *f, fab_unit_t to, enum fab_level level) {
  (void)f, (void)to, (void)level;
  return EYOT_ESYS;
}
static void broken_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  static struct fab_ops refusing;
  struct fab *f = eyot_current->fab;
  const struct fab_ops *sound = f->ops;
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  refusing = *sound;
  refusing.flush = refuse_flush;
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  f->ops = &refusing;
  refuses(EYOT_ESYS, eyot_lock_release(lock)); /* nothing was handed over: it may be tried again */
  f->ops = sound;
  ok(eyot_lock_release(lock));
  refusing = *sound;
  refusing.amo = refuse_amo;
  refusing.put_signal = refuse_signal;
  f->ops = &refusing;
  refuses(EYOT_ESYS, eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  f->ops = sound;
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  f->ops = &refusing;
  refuses(EYOT_ESYS, eyot_lock_release(lock));
  f->ops = sound;
  refuses(EYOT_ESTATE, eyot_lock_release(lock));
  refuses(EYOT_EBUSY, eyot_lock_destroy(&lock));
}

static void each_failing_call_and_allocation_is_returned(void **state) {
  (void)state;
  for (size_t k = 0; k < LOCK_KINDS_N; k++) {
    if ((LOCK_KINDS[k].has & LOCK_ONE_UNIT) == 0) continue;
    kind = LOCK_KINDS[k].kind;
    for (uint32_t n = 1; n <= 3; n++) fail_each(n);
    for (uint32_t n = 1; n <= 3; n++) fail_creation(n);
    api_run(&(struct fake_opts){.n = 1, .seed = 2, .quiet = true}, broken_body);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_failing_call_and_allocation_is_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
