/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock.c - properties that all locks have in common, with the kinds that one unit
 * can make: exclusion, try and timeout, misuse, exact costs. */
#include "unit/sync/lock_unit.h"

/* -- exclusion --------------------------------------------------------------------------------- */

static int get_in(eyot_lock_t lock, uint64_t how, uint64_t timeout_ns) {
  bool acquired = false;
  if (how == 0) return eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, timeout_ns);
  if (how > 1) return eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
  int rc = eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &acquired);
  return rc == EYOT_OK && !acquired ? EYOT_ETIMEOUT : rc;
}

/* Two locks, two counters; the second lock is taken now and then inside the first. */
static void exclusion_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(16);
  eyot_gptr_t count[2] = {eyot_gptr_at(base, unit(n - 1)),
                          eyot_gptr_add(eyot_gptr_at(base, unit(n / 2)), 8)};
  eyot_lock_t lock[2] = {make(EYOT_TEAM_ALL), make(EYOT_TEAM_ALL)};
  uint64_t dice = me * 7 + n, bumps[2] = {0}, v[2], total[2];
  for (uint32_t round = 0; round < 6; round++) {
    uint64_t roll = draw(&dice);
    bool outer = roll % 3 != 0, inner = roll % 3 != 1;
    if (outer) {
      int rc = get_in(lock[0], (roll >> 8) % 4, (roll >> 16) % 20000);
      if (rc == EYOT_ETIMEOUT) continue;
      ok(rc);
      bump(count[0], &v[0]);
      bumps[0]++;
    }
    if (inner && (!outer || round % 2 == 0)) {
      ok(eyot_lock_acquire(lock[1], EYOT_LOCK_EXCLUSIVE));
      assert_true(holds(lock[1]) && holds(lock[0]) == outer);
      bump(count[1], &v[1]);
      bumps[1]++;
      ok(eyot_lock_release(lock[1]));
    }
    if (outer) ok(eyot_lock_release(lock[0]));
    assert_false(holds(lock[0]) || holds(lock[1]));
  }
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, bumps, total, 2));
  for (int i = 0; i < 2; i++) {
    ok(eyot_get(&v[i], count[i], 8));
    assert_int_equal(v[i], total[i]);
    destroy(lock[i]);
  }
  api_free(base);
}

static void holders_exclude_each_other(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) sweep(n, n <= 4 ? 30 : 8, exclusion_body);
}

/* -- try and timeout --------------------------------------------------------------------------- */

static void polite_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  bool acquired = false;
  if (me == 0) {
    /* free again at once, also for the unit that has just released it */
    for (int i = 0; i < 5; i++) {
      ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &acquired));
      assert_true(acquired && holds(lock));
      ok(eyot_lock_release(lock));
    }
    ok(eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 0));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me != 0) {
    acquired = true;
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &acquired));
    assert_false(acquired || holds(lock));
    uint64_t timeout = me % 2 == 0 ? 0 : 30000, before = eyot_now_ns();
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, timeout));
    assert_true(eyot_now_ns() >= before + timeout);
    assert_false(holds(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_release(lock));
  if (me == n - 1) { /* waits that were given up do not delay others */
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock));
  }
  destroy(lock);
}

/* A unit can give up 64 times while others hold the locks, not more; the lock that it waited for is
 * not changed by that. */
static void exhausted_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  (void)n;
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) {
    for (uint32_t i = 0; i < EYOTI_QUEUE_NODES; i++)
      refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, i % 2 * 200));
    refuses(EYOT_EBUSY, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 0));
    refuses(EYOT_EBUSY, eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_release(lock));
  if (me == 0) ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(lock));
  destroy(lock);
}

static void tries_and_timeouts_give_up(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++) sweep(n, 15, polite_body);
  kind = EYOT_LOCK_MCS;
  api_sweep(2, 5, exhausted_body);
  api_sweep(3, 5, exhausted_body);
}

/* -- misuse ------------------------------------------------------------------------------------ */

static void misuse_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL), copy = lock, null = EYOT_LOCK_NULL, odd = lock;
  eyot_tunit_t first = {0};
  bool b = true;
  odd.at.offset = 8;
  refuses(EYOT_ESTATE, eyot_lock_release(lock));
  refuses(EYOT_ESEG, eyot_lock_acquire(null, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ESEG, eyot_lock_release(null));
  refuses(EYOT_ESEG, eyot_lock_held(null, &b));
  refuses(EYOT_ESEG, eyot_lock_destroy(&null));
  refuses(EYOT_ESEG, eyot_lock_free(&null));
  refuses(EYOT_ESEG, eyot_lock_acquire(odd, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_EINVAL, eyot_lock_acquire(lock, (eyot_lock_mode_t)2));
  refuses(EYOT_EINVAL, eyot_lock_acquire(lock, (eyot_lock_mode_t)-1));
  refuses(EYOT_ENOTSUP, eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
  refuses(EYOT_ENOTSUP, eyot_lock_try(lock, EYOT_LOCK_SHARED, &b));
  refuses(EYOT_ENOTSUP, eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, first));
  refuses(EYOT_ENOTSUP, eyot_lock_try_at(lock, EYOT_LOCK_EXCLUSIVE, first, &b));
  refuses(EYOT_ENOTSUP, eyot_lock_acquire_at_timeout(lock, EYOT_LOCK_EXCLUSIVE, first, 5));
  refuses(EYOT_EUNIT, eyot_lock_acquire_at(lock, EYOT_LOCK_EXCLUSIVE, (eyot_tunit_t){UINT32_MAX}));
  refuses(EYOT_ENOTSUP, eyot_lock_release_at(lock, first));
  refuses(EYOT_EINVAL, eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, NULL));
  refuses(EYOT_EINVAL, eyot_lock_try_at(lock, EYOT_LOCK_EXCLUSIVE, first, NULL));
  refuses(EYOT_EINVAL, eyot_lock_held(lock, NULL));
  refuses(EYOT_EINVAL, eyot_lock_destroy(NULL));
  refuses(EYOT_EINVAL, eyot_lock_free(NULL));
  refuses(EYOT_EINVAL, eyot_lock_free(&lock));
  assert_true(b); /* outputs are written on success only */
  for (uint32_t turn = 0; turn < n; turn++) {
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (turn != me) continue;
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    refuses(EYOT_ESTATE, eyot_lock_acquire(copy, EYOT_LOCK_EXCLUSIVE));
    refuses(EYOT_ESTATE, eyot_lock_try(copy, EYOT_LOCK_EXCLUSIVE, &b));
    refuses(EYOT_ESTATE, eyot_lock_acquire_timeout(copy, EYOT_LOCK_EXCLUSIVE, 5));
    ok(eyot_lock_release(copy));
    refuses(EYOT_ESTATE, eyot_lock_release(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  /* Destroyed while one unit holds it: refused on all, and the lock stays usable. */
  if (me == n / 2) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_EBUSY, eyot_lock_destroy(&lock));
  assert_true(eyot_gptr_equal(lock.at, copy.at));
  if (me == n / 2) ok(eyot_lock_release(lock));
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(lock));
  destroy(lock);
  refuses(EYOT_ESEG, eyot_lock_acquire(copy, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ESEG, eyot_lock_release(copy));
  refuses(EYOT_ESEG, eyot_lock_destroy(&copy));
  assert_false(eyot_gptr_is_null(copy.at));
}

/* The last unit is not in the team. */
static void outside_body(uint32_t me, uint32_t n) {
  eyot_team_t team;
  eyot_lock_t lock = EYOT_LOCK_NULL;
  ok(eyot_team_split(EYOT_TEAM_ALL, me == n - 1 ? EYOT_COLOR_NONE : 0, &team));
  if (me != n - 1) lock = make(team);
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &lock, sizeof lock));
  if (me == n - 1) {
    refuses(EYOT_ESEG, eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    refuses(EYOT_ESEG, eyot_lock_destroy(&lock));
    refuses(EYOT_ETEAM, eyot_lock_create(team, NULL, &lock));
  } else {
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock));
    refuses(EYOT_EBUSY, eyot_team_destroy(&team));
    destroy(lock);
    ok(eyot_team_destroy(&team));
  }
}

static void misuse_of_locks_is_refused(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) sweep(n, 4, misuse_body);
  for (uint32_t n = 2; n <= 4; n++) sweep(n, 4, outside_body);
  refuses(EYOT_ESTATE, eyot_lock_acquire(EYOT_LOCK_NULL, EYOT_LOCK_EXCLUSIVE)); /* outside a run */
  for (size_t k = 0; k < LOCK_KINDS_N; k++)
    assert_string_equal(eyot_lock_kind_name(LOCK_KINDS[k].kind), LOCK_KINDS[k].name);
  assert_string_equal(eyot_lock_kind_name(EYOT_LOCK_KIND_COUNT), "?");
  assert_string_equal(eyot_lock_kind_name((eyot_lock_kind_t)-1), "?");
}

/* -- costs ------------------------------------------------------------------------------------- */

static struct calls { uint32_t amos, signals, others, waits, flushes; } calls[UNITS];
static const struct fab_ops *base_ops;

static int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
                     fab_req_t *req) {
  calls[f->me].amos++;
  return base_ops->amo(f, dst, amo, old, req);
}
static int count_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                        const struct fab_sig *sig, fab_req_t *req) {
  calls[f->me].signals++;
  return base_ops->put_signal(f, dst, src, len, sig, req);
}
static int count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                     fab_req_t *req) {
  calls[f->me].others++;
  return base_ops->put(f, dst, src, len, req);
}
static int count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  calls[f->me].others++;
  return base_ops->get(f, dst, src, len, req);
}
static int count_wait(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                      uint64_t *seen) {
  calls[f->me].waits++;
  return base_ops->wait_mem(f, cond, timeout_ns, seen);
}
static int count_flush(struct fab *f, fab_unit_t to, enum fab_level level) {
  calls[f->me].flushes++;
  return base_ops->flush(f, to, level);
}

static void costs(uint32_t amos, uint32_t signals, uint32_t waits, uint32_t flushes) {
  struct calls *c = &calls[eyot_me().id];
  assert_int_equal(c->amos, amos);
  assert_int_equal(c->signals, signals);
  assert_int_equal(c->waits, waits);
  assert_int_equal(c->flushes, flushes);
  assert_int_equal(c->others, 0);
  *c = (struct calls){0};
}

static void meet(void) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  calls[eyot_me().id] = (struct calls){0};
}

static void costs_body(uint32_t me, uint32_t n) {
  (void)n;
  static struct fab_ops counting;
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  struct fab *f = eyot_current->fab;
  bool mcs = kind == EYOT_LOCK_MCS;
  base_ops = f->ops;
  counting = *base_ops;
  counting.amo = count_amo;
  counting.put_signal = count_signal;
  counting.put = count_put;
  counting.get = count_get;
  counting.wait_mem = count_wait;
  counting.flush = count_flush;
  meet();
  f->ops = &counting;
  f->cpu_atomics = f->quiet = false; /* every operation must pass through the counter */
  eyoti_rt_fast_renew(eyot_current);
  meet();
  for (int i = 0; i < 3 && me == 0; i++) { /* alone */
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    if (mcs) costs(1, 0, 0, 0);
    ok(eyot_lock_release(lock));
    if (mcs) costs(1, 0, 0, 1);
    /* or its own release might be on its way, and it would have to try twice */
    if (!mcs) ok(eyot_flush_all(EYOT_REMOTE));
    if (!mcs) costs(1, 1, 0, 2);
  }
  meet();
  bool got;
  if (me == 1) { /* the first time here: without reading the lock's state first */
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_true(got);
    /* the number of tickets that others have had */
    costs(lock_kind_has(kind, LOCK_COUNTS) ? 2 : 1, 0, 0, 0);
  }
  meet();
  if (me == 0) {
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_false(got);
    costs(1, 0, 0, 0);
  }
  meet();
  if (me == 1) {
    ok(eyot_lock_release(lock));
    costs(mcs, !mcs, 0, 1);
  }
  meet();
  f->ops = base_ops;
  destroy(lock);
}

static void locks_cost_the_stated_calls(void **state) {
  (void)state;
  sweep(2, 10, costs_body);
  sweep(3, 5, costs_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(holders_exclude_each_other),
      cmocka_unit_test(tries_and_timeouts_give_up),
      cmocka_unit_test(misuse_of_locks_is_refused),
      cmocka_unit_test(locks_cost_the_stated_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
