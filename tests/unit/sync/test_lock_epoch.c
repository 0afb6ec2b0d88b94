/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_epoch.c - the two-level lock: which holds may overlap, exact costs, late releases,
 * misuse, failures. */
#include "unit/op_count.h"

#define UNITS 16u
#define ROUNDS 10u
#define AT_ONCE 3u

static eyot_lock_t make(uint32_t home) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  eyot_lock_t lock = EYOT_LOCK_NULL;
  a.kind = EYOT_LOCK_EPOCH;
  a.home = home;
  a.backoff_max_ns = 8000;
  ok(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  return lock;
}

/* When all messages have arrived, no word of the lock has anything left. */
static void destroy_clean(eyot_lock_t lock) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t u = 0; u < eyot_size(); u++) {
    for (int64_t off = 0; off < 16; off += 8) {
      uint64_t word = 1;
      ok(eyot_read_u64(eyot_gptr_add(eyot_gptr_at(lock.at, unit(u)), off), &word));
      assert_int_equal(word, 0);
    }
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_destroy(&lock));
}

/* -- overlapping holds ------------------------------------------------------------------------- */

/* The state between a return of acquire and the call of release: units change only inside calls. */
static struct { uint32_t readers, writers; } in[UNITS];
static uint32_t in_all;
/* seen over all runs: shows that the test has tested something */
static uint32_t met_readers, met_all, met_refused;

static void come_in(eyot_lock_mode_t mode, uint32_t target) {
  if (mode == EYOT_LOCK_EXCLUSIVE) {
    assert_int_equal(in[target].readers, 0);
    assert_int_equal(in[target].writers++, 0);
    assert_int_equal(in_all, 0);
  } else {
    assert_int_equal(in[target].writers, 0);
    if (in[target].readers++ > 0) met_readers++;
  }
}

static void come_in_all(uint32_t n) {
  for (uint32_t u = 0; u < n; u++) assert_int_equal(in[u].writers, 0);
  if (in_all++ > 0) met_all++;
}

static void go_out(eyot_lock_mode_t mode, uint32_t target) {
  if (mode == EYOT_LOCK_EXCLUSIVE)
    in[target].writers--;
  else
    in[target].readers--;
}

/* target UINT32_MAX: the whole. */
static bool get_in(eyot_lock_t lock, eyot_lock_mode_t mode, uint32_t target, uint64_t roll) {
  bool one = target != UINT32_MAX, got = true;
  eyot_tunit_t at = {target};
  uint64_t timeout = roll >> 8 & 0x3fff;
  int rc;
  if (roll % 4 == 0) {
    rc = one ? eyot_lock_try_at(lock, mode, at, &got) : eyot_lock_try(lock, mode, &got);
  } else if (roll % 4 == 1) {
    rc = one ? eyot_lock_acquire_at_timeout(lock, mode, at, timeout)
             : eyot_lock_acquire_timeout(lock, mode, timeout);
  } else {
    rc = one ? eyot_lock_acquire_at(lock, mode, at) : eyot_lock_acquire(lock, mode);
  }
  if (rc == EYOT_ETIMEOUT && roll % 4 == 1) got = false;
  if (rc != EYOT_ETIMEOUT) ok(rc);
  assert_true(rc != EYOT_ETIMEOUT || !got);
  if (!got) met_refused++;
  return got;
}

/* Two words at the target that an exclusive hold changes, and any other hold finds equal. */
static void look(eyot_gptr_t words, uint32_t target, uint64_t v[2]) {
  eyot_gptr_t at = eyot_gptr_at(words, unit(target));
  ok(eyot_get(&v[0], at, 8));
  ok(eyot_get(&v[1], eyot_gptr_add(at, 8), 8));
  assert_int_equal(v[0], v[1]);
}

static void change(eyot_gptr_t words, uint32_t target, uint64_t v[2]) {
  eyot_gptr_t at = eyot_gptr_at(words, unit(target));
  v[0]++;
  v[1]++;
  ok(eyot_put_nbi(at, &v[0], 8));
  ok(eyot_put_nbi(eyot_gptr_add(at, 8), &v[1], 8));
}

/* Acquires some members in ascending order, so that units cannot wait in a circle. Returns the
 * number of exclusive ones. */
static uint32_t members_round(eyot_lock_t lock, eyot_gptr_t words, uint32_t n, uint64_t *dice) {
  struct {
    uint32_t target;
    eyot_lock_mode_t mode;
    uint64_t v[2];
  } hold[AT_ONCE];
  uint32_t holds = 0, writes = 0, many = 1 + (uint32_t)(draw(dice) % AT_ONCE);
  for (uint32_t t = (uint32_t)(draw(dice) % n); t < n && holds < many;
       t += 1 + (uint32_t)(draw(dice) % 3)) {
    eyot_lock_mode_t mode = draw(dice) % 2 == 0 ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED;
    if (!get_in(lock, mode, t, draw(dice))) continue;
    come_in(mode, t);
    hold[holds].target = t;
    hold[holds].mode = mode;
    look(words, t, hold[holds].v);
    if (mode == EYOT_LOCK_EXCLUSIVE) {
      change(words, t, hold[holds].v);
      writes++;
    }
    holds++;
  }
  for (uint32_t left = holds; left > 0; left--) { /* in any order */
    uint32_t i = (uint32_t)(draw(dice) % left);
    go_out(hold[i].mode, hold[i].target);
    ok(eyot_lock_release_at(lock, (eyot_tunit_t){hold[i].target}));
    /* Its words are complete, so they may move. */
    hold[i] = hold[left - 1];
    ok(eyot_flush_all(EYOT_LOCAL));
  }
  return writes;
}

static void together_body(uint32_t me, uint32_t n) {
  eyot_gptr_t words = api_alloc(16);
  eyot_lock_t lock = make(n % 2 == 0 ? EYOT_LOCK_HOME_HASHED : n - 1);
  uint64_t dice = me * 31 + n, writes = 0, total, sum = 0, v[2];
  for (uint32_t round = 0; round < ROUNDS; round++) {
    if (draw(&dice) % 3 != 0) {
      writes += members_round(lock, words, n, &dice);
      continue;
    }
    if (!get_in(lock, EYOT_LOCK_SHARED, UINT32_MAX, draw(&dice))) continue;
    come_in_all(n);
    look(words, (uint32_t)(draw(&dice) % n), v);
    in_all--;
    ok(eyot_lock_release(lock));
  }
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &writes, &total, 1));
  for (uint32_t u = 0; u < n; u++) {
    look(words, u, v);
    sum += v[0];
  }
  assert_int_equal(sum, total);
  destroy_clean(lock);
  api_free(words);
}

static void readers_and_members_are_in_together_as_stated(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 8; n++) api_sweep(n, 30, together_body);
  api_sweep(UNITS, 10, together_body);
  assert_true(met_readers > 100 && met_all > 100 && met_refused > 100);
}

/* -- late releases ----------------------------------------------------------------------------- */

/* No other unit is there: whatever of the unit's own messages is still on its way, it acquires at
 * once, and leaves nothing. */
static void alone_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_LOCK_HOME_HASHED);
  uint64_t dice = n;
  for (uint32_t round = 0; round < 20 && me == 0; round++) {
    uint64_t roll = draw(&dice);
    eyot_tunit_t at = {(uint32_t)(roll >> 8) % n};
    eyot_lock_mode_t mode = roll % 3 == 0 ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED;
    bool got = false, whole = roll % 3 == 2, timed = (roll >> 4) % 2 == 0;
    if (whole) {
      ok(timed ? eyot_lock_acquire_timeout(lock, mode, 0) : eyot_lock_try(lock, mode, &got));
    } else {
      ok(timed ? eyot_lock_acquire_at_timeout(lock, mode, at, 0)
               : eyot_lock_try_at(lock, mode, at, &got));
    }
    assert_true(got || timed);
    ok(whole ? eyot_lock_release(lock) : eyot_lock_release_at(lock, at));
  }
  destroy_clean(lock);
}

/* A refused acquire leaves no trace, which would exclude others. */
static void refused_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(0);
  eyot_tunit_t held = {n - 1}, other = {0};
  bool got = true;
  if (me == 0) ok(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, held));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) {
    ok(eyot_lock_try_at(lock, EYOT_LOCK_EXCLUSIVE, held, &got));
    assert_false(got);
    ok(eyot_lock_try_at(lock, EYOT_LOCK_SHARED, held, &got));
    assert_false(got);
    ok(eyot_lock_try(lock, EYOT_LOCK_SHARED, &got));
    assert_false(got);
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_at_timeout(lock, EYOT_LOCK_EXCLUSIVE, held, 20000));
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_at_timeout(lock, EYOT_LOCK_SHARED, held, 20000));
    uint64_t before = eyot_now_ns();
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_SHARED, 20000));
    assert_true(eyot_now_ns() >= before + 20000);
    ok(eyot_lock_held(lock, &got));
    assert_false(got);
    ok(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, other)); /* another member is free */
    ok(eyot_lock_release_at(lock, other));
    ok(eyot_flush_all(EYOT_REMOTE));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_release_at(lock, held));
  if (me == 0) ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_try(lock, EYOT_LOCK_SHARED, &got)); /* all at once */
  assert_true(got);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) {
    ok(eyot_lock_release(lock));
    ok(eyot_lock_try_at(lock, EYOT_LOCK_EXCLUSIVE, held, &got));
    assert_false(got);
    ok(eyot_lock_try_at(lock, EYOT_LOCK_SHARED, held, &got)); /* beside shared on all */
    assert_true(got);
    ok(eyot_lock_release_at(lock, held));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me != 1) ok(eyot_lock_release(lock));
  destroy_clean(lock);
}

/* One unit acquires every member in one order and releases them in another. */
static void many_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_LOCK_HOME_HASHED);
  bool got = true;
  /* n is a power of two, so each step visits all members */
  for (uint32_t step = 1; step < n && me == 0; step += 2) {
    for (uint32_t i = 0; i < n; i++)
      ok(eyot_lock_acquire_at(lock, i % 3 == 0 ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE,
                              (eyot_tunit_t){i * step % n}));
    for (uint32_t i = 0; i < n; i++)
      refuses(EYOT_ESTATE, eyot_lock_try_at(lock, EYOT_LOCK_SHARED, (eyot_tunit_t){i}, &got));
    for (uint32_t i = n; i > 0; i--)
      ok(eyot_lock_release_at(lock, (eyot_tunit_t){i * (step + 2) % n}));
    for (uint32_t i = 0; i < n; i++)
      refuses(EYOT_ESTATE, eyot_lock_release_at(lock, (eyot_tunit_t){i}));
  }
  destroy_clean(lock);
}

static void late_releases_do_not_refuse_their_own_unit(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 40, alone_body);
  for (uint32_t n = 2; n <= 4; n++) api_sweep(n, 20, refused_body);
  api_sweep(16, 4, many_body);
}

/* -- misuse ------------------------------------------------------------------------------------ */

static void misuse_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_LOCK_HOME_HASHED);
  eyot_tunit_t mine = {me}, next = {(me + 1) % n}, nobody = {n};
  bool b = true;
  refuses(EYOT_ENOTSUP, eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ENOTSUP, eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &b));
  refuses(EYOT_EUNIT, eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, nobody));
  refuses(EYOT_EUNIT, eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, (eyot_tunit_t){UINT32_MAX}));
  refuses(EYOT_EUNIT, eyot_lock_release_at(lock, nobody));
  refuses(EYOT_EINVAL, eyot_lock_acquire_at(lock, (eyot_lock_mode_t)2, mine));
  refuses(EYOT_EINVAL, eyot_lock_try_at(lock, EYOT_LOCK_SHARED, mine, NULL));
  refuses(EYOT_ESTATE, eyot_lock_release(lock));
  refuses(EYOT_ESTATE, eyot_lock_release_at(lock, mine));
  ok(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, mine));
  refuses(EYOT_ESTATE, eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, mine));
  refuses(EYOT_ESTATE, eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, mine));
  refuses(EYOT_ESTATE, eyot_lock_try_at(lock, EYOT_LOCK_SHARED, mine, &b));
  refuses(EYOT_ESTATE, eyot_lock_acquire(lock, EYOT_LOCK_SHARED)); /* the whole beside a member */
  refuses(EYOT_ESTATE, eyot_lock_release(lock));
  if (n > 1) refuses(EYOT_ESTATE, eyot_lock_release_at(lock, next));
  assert_true(b);
  refuses(EYOT_EBUSY, eyot_lock_destroy(&lock));
  assert_false(eyot_gptr_is_null(lock.at));
  ok(eyot_lock_release_at(lock, mine));
  ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
  refuses(EYOT_ESTATE, eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
  /* a member beside the whole */
  refuses(EYOT_ESTATE, eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, mine));
  refuses(EYOT_ESTATE, eyot_lock_release_at(lock, mine));
  ok(eyot_lock_release(lock));
  destroy_clean(lock);
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = EYOT_LOCK_EPOCH;
  refuses(EYOT_ENOTSUP, eyot_lock_alloc(&a, &lock));
  a.backoff_min_ns = 0;
  refuses(EYOT_EINVAL, eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
}

static void misuse_of_the_two_level_lock_is_refused(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) api_sweep(n, 4, misuse_body);
}

/* -- costs ------------------------------------------------------------------------------------- */

/* A release and what it cost; its flush travels nowhere when nothing is on its way, and is left out
 * where the fabric knows that. */
static void release_costs(eyot_lock_t lock, const eyot_tunit_t *at, uint32_t amos) {
  ok(at != NULL ? eyot_lock_release_at(lock, *at) : eyot_lock_release(lock));
  struct op_counts *c = &op_counts[eyot_me().id];
  assert_true(c->flushes <= 1);
  c->flushes = 0;
  op_count_is((struct op_counts){.amos = amos});
}

/* The costs as the source counts them. */
static void costs_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(0);
  const struct op_counts one = {.amos = 1}, two = {.amos = 2};
  op_count_begin();
  op_count_meet();
  for (uint32_t at = 0; at < n && me == n - 1; at++) {
    eyot_tunit_t first = {at}, second = {(at + 1) % n};
    ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    op_count_is(one);
    release_costs(lock, NULL, 1);
    ok(eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, first));
    op_count_is(one);
    release_costs(lock, &first, 1);
    /* or its own releases might be on their way, and it would have to try twice */
    ok(eyot_flush_all(EYOT_REMOTE));
    op_count_is((struct op_counts){.flushes = 1});
    ok(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, first));
    op_count_is(two);
    ok(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, second));
    op_count_is(one);
    release_costs(lock, &first, 1);
    release_costs(lock, &second, 2);
    ok(eyot_flush_all(EYOT_REMOTE));
    op_count_is((struct op_counts){.flushes = 1});
  }
  op_count_end();
  destroy_clean(lock);
}

static void two_level_lock_costs_the_stated_calls(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 4; n++) api_sweep(n, 10, costs_body);
}

/* -- failures ---------------------------------------------------------------------------------- */

#define STEP(call)            \
  do {                        \
    int rc_ = (call);         \
    if (rc_ != 0) return rc_; \
  } while (0)

static int faulty_use(uint32_t me, uint32_t n) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  eyot_lock_t lock;
  eyot_tunit_t mine = {me}, next = {(me + 1) % n};
  bool got;
  a.kind = EYOT_LOCK_EPOCH;
  STEP(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  for (int i = 0; i < 2; i++) {
    STEP(eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, mine));
    STEP(eyot_lock_release_at(lock, mine));
    STEP(eyot_lock_acquire_at(lock, EYOT_LOCK_SHARED, next));
    STEP(eyot_lock_release_at(lock, next));
    STEP(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    STEP(eyot_lock_release(lock));
  }
  STEP(eyot_lock_try_at(lock, EYOT_LOCK_EXCLUSIVE, next, &got));
  if (got) STEP(eyot_lock_release_at(lock, next));
  int rc = eyot_lock_acquire_at_timeout(lock, EYOT_LOCK_SHARED, next, 1000);
  if (rc == EYOT_OK) rc = eyot_lock_release_at(lock, next);
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  return eyot_lock_destroy(&lock);
}

static int fault_code, fault_met;

static void faults_main(struct fab *f, void *arg) {
  (void)f, (void)arg;
  int rc = eyot_init(NULL, NULL);
  if (rc == fault_code) fault_met++;
  if (rc != 0) return;
  if (faulty_use(eyot_me().id, eyot_size()) == fault_code) fault_met++;
  if (eyot_finalize() == fault_code) fault_met++;
}

static void fail_one(struct fake_opts *o) {
  fault_met = 0;
  int end = fake_run(o, faults_main, NULL);
  /* Others may try for ever to acquire what a unit held when its call failed. */
  assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED || end == FAKE_STEPS);
  assert_true(fault_met > 0 || end == FAKE_ABORTED);
}

static void each_failure_is_returned(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) {
    struct fake_opts o = {.n = n,
                          .seed = 3,
                          .units_per_node = 1,
                          .fail_code = EYOT_ESYS,
                          .max_steps = 100000,
                          .quiet = true};
    assert_int_equal(fake_run(&o, faults_main, NULL), FAKE_DONE);
    uint64_t calls = fake_calls(), allocs = fake_allocs();
    fault_code = EYOT_ESYS;
    for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) fail_one(&o);
    o.fail_op = 0;
    fault_code = EYOT_ENOMEM;
    for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) fail_one(&o);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readers_and_members_are_in_together_as_stated),
      cmocka_unit_test(late_releases_do_not_refuse_their_own_unit),
      cmocka_unit_test(misuse_of_the_two_level_lock_is_refused),
      cmocka_unit_test(two_level_lock_costs_the_stated_calls),
      cmocka_unit_test(each_failure_is_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
