/* test_lock.c - what all locks have in common, with kinds mcs and tas: exclusion, try and timeout, making and destroying, misuse, exact costs, every fabric
 * call and allocation failing. SPDX-License-Identifier: BSD-3-Clause */
#include "api_unit.h"
#include "sync/locks.h"

#define UNITS 16u

static const eyot_lock_kind_t KINDS[] = {EYOT_LOCK_MCS, EYOT_LOCK_TAS};
static eyot_lock_kind_t kind; /* under test */

static eyot_lock_attr_t attr_of(eyot_lock_kind_t k) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = k;
  return a;
}

static eyot_lock_t make(eyot_team_t team) {
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock = EYOT_LOCK_NULL;
  ok(eyot_lock_create(team, &a, &lock));
  assert_false(eyot_gptr_is_null(lock.at));
  return lock;
}

/* Everybody has the same name for it. */
static void destroy(eyot_lock_t lock) {
  ok(eyot_lock_destroy(&lock));
  assert_true(eyot_gptr_is_null(lock.at));
}

static void sweep(uint32_t n, uint32_t seeds, api_body body) {
  for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
    kind = KINDS[k];
    api_sweep(n, seeds, body);
  }
}

static bool holds(eyot_lock_t lock) {
  bool held = false;
  ok(eyot_lock_held(lock, &held));
  return held;
}

/* -- exclusion -------------------------------------------------------------------------------------------------------------------------- */

/* One more, without an atomic and without completing anything: release does that. */
static void bump(eyot_gptr_t count, uint64_t *keep) {
  ok(eyot_get(keep, count, 8));
  (*keep)++;
  ok(eyot_put_nbi(count, keep, 8));
}

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
  eyot_gptr_t count[2] = {eyot_gptr_at(base, unit(n - 1)), eyot_gptr_add(eyot_gptr_at(base, unit(n / 2)), 8)};
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

static void test_exclusion(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) sweep(n, n <= 4 ? 30 : 8, exclusion_body);
}

/* -- try and timeout -------------------------------------------------------------------------------------------------------------------- */

static void polite_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  bool acquired = false;
  if (me == 0) {
    for (int i = 0; i < 5; i++) { /* free again at once, also for who has just released it */
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
  if (me == n - 1) { /* those who gave up stand in nobody's way */
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock));
  }
  destroy(lock);
}

/* A unit can give up 64 times while others hold the locks, not more; the lock that it waited for is not touched by that. */
static void exhausted_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  (void)n;
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) {
    for (uint32_t i = 0; i < EYOTI_QUEUE_NODES; i++) refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, i % 2 * 200));
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

static void test_polite(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++) sweep(n, 15, polite_body);
  kind = EYOT_LOCK_MCS;
  api_sweep(2, 5, exhausted_body);
  api_sweep(3, 5, exhausted_body);
}

/* -- misuse ----------------------------------------------------------------------------------------------------------------------------- */

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
  /* Destroyed while one holds it: refused on all, and it works on. */
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
  ok(eyot_team_split(EYOT_TEAM_ALL, me == n - 1 ? EYOT_COLOUR_NONE : 0, &team));
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

static void test_misuse(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) sweep(n, 4, misuse_body);
  for (uint32_t n = 2; n <= 4; n++) sweep(n, 4, outside_body);
  refuses(EYOT_ESTATE, eyot_lock_acquire(EYOT_LOCK_NULL, EYOT_LOCK_EXCLUSIVE)); /* outside a run */
  assert_string_equal(eyot_lock_kind_name(EYOT_LOCK_MCS), "mcs");
  assert_string_equal(eyot_lock_kind_name(EYOT_LOCK_TAS), "tas");
  assert_string_equal(eyot_lock_kind_name(EYOT_LOCK_KINDS), "?");
  assert_string_equal(eyot_lock_kind_name((eyot_lock_kind_t)-1), "?");
}

/* -- making ----------------------------------------------------------------------------------------------------------------------------- */

/* The attribute that one unit spoils, and what everybody gets. */
static const struct spoil {
  eyot_lock_kind_t kind;
  int code;
  void (*how)(eyot_lock_attr_t *a);
} *spoil;

static void other_kind(eyot_lock_attr_t *a) { a->kind = EYOT_LOCK_TAS; }
static void no_kind(eyot_lock_attr_t *a) { a->kind = EYOT_LOCK_KINDS; }
static void far_home(eyot_lock_attr_t *a) { a->home = 1000; }
static void other_home(eyot_lock_attr_t *a) { a->home = 0; }
static void other_passes(eyot_lock_attr_t *a) { a->passes[EYOT_DOMAIN_GROUP]++; }
static void many_passes(eyot_lock_attr_t *a) { a->passes[EYOT_DOMAIN_BLADE] = EYOT_LOCK_PASSES_MAX + 1; }
static void unit_passes(eyot_lock_attr_t *a) { a->passes[EYOT_DOMAIN_UNIT] = 1; }
static void machine_passes(eyot_lock_attr_t *a) { a->passes[EYOT_DOMAIN_MACHINE] = 1; }
static void no_readers(eyot_lock_attr_t *a) { a->readers_max = 0; }
static void many_writers(eyot_lock_attr_t *a) { a->writers_max = EYOT_LOCK_PASSES_MAX + 1; }
static void other_counter(eyot_lock_attr_t *a) { a->units_per_counter = 3; }
static void no_backoff(eyot_lock_attr_t *a) { a->backoff_min_ns = 0; }
static void crossed_backoff(eyot_lock_attr_t *a) { a->backoff_max_ns = a->backoff_min_ns - 1; }
static void long_backoff(eyot_lock_attr_t *a) { a->backoff_max_ns = UINT64_MAX; }
static void other_backoff(eyot_lock_attr_t *a) { a->backoff_max_ns++; }

static const struct spoil SPOILS[] = {
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_kind},    {EYOT_LOCK_MCS, EYOT_EINVAL, no_kind},         {EYOT_LOCK_MCS, EYOT_EUNIT, far_home},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_home},    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_passes}, {EYOT_LOCK_HIER, EYOT_EINVAL, many_passes},
    {EYOT_LOCK_HIER, EYOT_EINVAL, unit_passes},     {EYOT_LOCK_RW, EYOT_EINVAL, machine_passes},   {EYOT_LOCK_RW, EYOT_EINVAL, no_readers},
    {EYOT_LOCK_RW, EYOT_EINVAL, many_writers},      {EYOT_LOCK_MCS, EYOT_EMISMATCH, no_readers},   {EYOT_LOCK_MCS, EYOT_EMISMATCH, many_writers},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_counter}, {EYOT_LOCK_TAS, EYOT_EINVAL, no_backoff},      {EYOT_LOCK_EPOCH, EYOT_EINVAL, crossed_backoff},
    {EYOT_LOCK_TAS, EYOT_EINVAL, long_backoff},     {EYOT_LOCK_TAS, EYOT_EMISMATCH, other_backoff}, {EYOT_LOCK_MCS, EYOT_EMISMATCH, no_backoff},
};

static uint64_t heap_used(void) {
  eyot_heap_info_t info;
  ok(eyot_heap_info(&info));
  return info.collective_used + info.private_used;
}

static void spoil_body(uint32_t me, uint32_t n) {
  uint64_t used = heap_used();
  eyot_lock_attr_t a = attr_of(spoil->kind);
  eyot_lock_t lock = EYOT_LOCK_NULL;
  if (me == n - 1) spoil->how(&a);
  refuses(spoil->code, eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  assert_true(eyot_gptr_is_null(lock.at));
  assert_int_equal(heap_used(), used);
  refuses(EYOT_EINVAL, eyot_lock_create(EYOT_TEAM_ALL, NULL, me == 0 ? NULL : &lock));
  assert_int_equal(heap_used(), used);
  refuses(EYOT_ETEAM, eyot_lock_create(EYOT_TEAM_NULL, NULL, &lock));
  ok(eyot_lock_create(EYOT_TEAM_ALL, NULL, &lock)); /* the team's exchange is in step */
  destroy(lock);
  assert_int_equal(heap_used(), used);
}

/* Different locks destroyed at one time are a mismatch on all, and stay. */
static void differ_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock[2] = {make(EYOT_TEAM_ALL), make(EYOT_TEAM_ALL)};
  refuses(EYOT_EMISMATCH, eyot_lock_destroy(&lock[me == n - 1]));
  for (int i = 0; i < 2; i++) {
    ok(eyot_lock_acquire(lock[i], EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock[i]));
    destroy(lock[i]);
  }
}

/* Where the central word lies: where it is asked for, else spread over the team. */
static void home_body(uint32_t me, uint32_t n) {
  (void)me;
  uint32_t at[UNITS] = {0};
  eyot_lock_t lock[40];
  for (uint32_t i = 0; i < 40; i++) {
    eyot_lock_attr_t a = attr_of(kind);
    if (i < n) a.home = i;
    ok(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock[i]));
    struct eyoti_lock *l;
    ok(eyoti_lock_find(eyot_current, lock[i], &l));
    if (i < n) assert_int_equal(l->home, i);
    assert_int_equal(l->word.unit, l->home);
    if (i >= n) at[l->home]++;
    ok(eyot_lock_acquire(lock[i], EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock[i]));
  }
  for (uint32_t u = 0; u < n; u++) assert_true(at[u] > 0 && at[u] < 40 - n);
  for (uint32_t i = 0; i < 40; i++) destroy(lock[(i * 7) % 40]);
}

/* Left behind, one even held: finalize says so, and goes on. */
static void left_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_lock_t lock = make(EYOT_TEAM_ALL), own;
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_alloc(NULL, &own));
}

static void test_make(void **state) {
  (void)state;
  kind = EYOT_LOCK_MCS;
  for (size_t i = 0; i < sizeof SPOILS / sizeof SPOILS[0]; i++) {
    spoil = &SPOILS[i];
    api_sweep(2, 1, spoil_body);
    api_sweep(3, 2, spoil_body);
  }
  api_sweep(3, 3, differ_body);
  for (uint32_t n = 2; n <= 4; n++) sweep(n, 1, home_body);
  sweep(2, 1, left_body);
}

/* -- locks of one unit ------------------------------------------------------------------------------------------------------------------ */

/* Each unit makes a lock; all use all of them, two at once. */
static void single_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(8);
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t own, all[UNITS];
  uint64_t v, keep[UNITS];
  if (me % 2 == 0) a.home = me;
  ok(eyot_lock_alloc(&a, &own));
  ok(eyot_allgather(EYOT_TEAM_ALL, &own, all, sizeof own));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = (me + i) % n;
    ok(eyot_lock_acquire(all[k], EYOT_LOCK_EXCLUSIVE));
    bump(eyot_gptr_at(base, unit(k)), &keep[k]);
    bool inner = false;
    if (i + 1 < n) ok(eyot_lock_try(all[(k + 1) % n], EYOT_LOCK_EXCLUSIVE, &inner));
    if (inner) bump(eyot_gptr_at(base, unit((k + 1) % n)), &keep[(k + 1) % n]);
    if (inner) ok(eyot_lock_release(all[(k + 1) % n]));
    if (inner) ok(eyot_put_nbi(eyot_gptr_at(base, unit(me)), &v, 0));
    ok(eyot_lock_release(all[k]));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_get(&v, eyot_gptr_at(base, unit(me)), 8));
  assert_true(v >= n && v <= 2 * n);
  uint32_t next = (me + 1) % n;
  eyot_lock_t theirs = all[next];
  if (n > 1) refuses(EYOT_EUNIT, eyot_lock_free(&theirs));
  refuses(EYOT_EINVAL, eyot_lock_destroy(&theirs));
  ok(eyot_lock_acquire(all[next], EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  refuses(EYOT_EBUSY, eyot_lock_free(&own));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_release(all[next]));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_free(&own));
  assert_true(eyot_gptr_is_null(own.at));
  refuses(EYOT_ESEG, eyot_lock_acquire(all[me], EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ESEG, eyot_lock_free(&all[me]));
  api_free(base);
}

static void single_misuse_body(uint32_t me, uint32_t n) {
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock = EYOT_LOCK_NULL, odd;
  eyot_gptr_t other;
  bool held;
  uint64_t used = heap_used();
  static const eyot_lock_kind_t TEAM_ONLY[] = {EYOT_LOCK_HIER, EYOT_LOCK_RW, EYOT_LOCK_EPOCH};
  for (int i = 0; i < 3; i++) {
    a.kind = TEAM_ONLY[i];
    refuses(EYOT_ENOTSUP, eyot_lock_alloc(&a, &lock));
  }
  a.kind = EYOT_LOCK_KINDS;
  refuses(EYOT_EINVAL, eyot_lock_alloc(&a, &lock));
  a = attr_of(kind);
  a.home = me + 1;
  refuses(EYOT_EINVAL, eyot_lock_alloc(&a, &lock));
  refuses(EYOT_EINVAL, eyot_lock_alloc(NULL, NULL));
  assert_int_equal(heap_used(), used);
  /* Memory that is no lock, memory of no unit, and a lock's memory, but not its start. */
  ok(eyot_alloc(256, &other));
  refuses(EYOT_ESEG, eyot_lock_acquire((eyot_lock_t){other}, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ESEG, eyot_lock_free(&(eyot_lock_t){other}));
  ok(eyot_free(other));
  refuses(EYOT_ESEG, eyot_lock_held((eyot_lock_t){other}, &held));
  a = attr_of(kind);
  ok(eyot_lock_alloc(&a, &lock));
  odd = lock;
  odd.at.unit = n;
  refuses(EYOT_EUNIT, eyot_lock_acquire(odd, EYOT_LOCK_EXCLUSIVE));
  odd = lock;
  odd.at.offset += 8;
  refuses(EYOT_ESEG, eyot_lock_acquire(odd, EYOT_LOCK_EXCLUSIVE));
  refuses(EYOT_ESTATE, eyot_lock_release(lock));
  ok(eyot_lock_free(&lock));
  assert_int_equal(heap_used(), used);
}

/* A unit that meets many locks keeps a bounded number of views, never dropping one that it holds. */
static void many_body(uint32_t me, uint32_t n) {
  enum { MANY = 1100 };
  eyot_gptr_t names = api_alloc(MANY * sizeof(eyot_lock_t));
  (void)n;
  eyot_lock_t lock[MANY];
  eyot_lock_attr_t a = attr_of(kind);
  if (me == 0) {
    for (int i = 0; i < MANY; i++) ok(eyot_lock_alloc(&a, &lock[i]));
    ok(eyot_put(eyot_gptr_at(names, unit(1)), lock, sizeof lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 1) {
    memcpy(lock, api_own(names), sizeof lock);
    const struct eyoti_locks *ls;
    ok(eyot_lock_acquire(lock[0], EYOT_LOCK_EXCLUSIVE));
    ls = eyot_current->sync->locks;
    for (int turn = 0; turn < 2; turn++) {
      for (int i = 1; i < MANY; i++) {
        ok(eyot_lock_acquire(lock[i], EYOT_LOCK_EXCLUSIVE));
        ok(eyot_lock_release(lock[i]));
        assert_int_equal(ls->n_single, i < 1024 && turn == 0 ? i + 1 : 1024);
        assert_int_equal(ls->n_views, ls->n_single);
      }
    }
    assert_true(holds(lock[0]));
    ok(eyot_lock_release(lock[0]));
    /* The 1,023 used last are there: no call to the fabric is needed to find them. */
    for (int i = MANY - 1023; i < MANY; i++) assert_non_null(eyoti_views_find(eyot_current->sync->locks, lock[i]));
    assert_null(eyoti_views_find(eyot_current->sync->locks, lock[MANY - 1024]));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0)
    for (int i = 0; i < MANY; i++) ok(eyot_lock_free(&lock[i]));
  api_free(names);
}

/* The place of a lock that was freed is given to another; the old name must not open the new one. */
static void reuse_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_lock_t old = EYOT_LOCK_NULL, now = EYOT_LOCK_NULL;
  if (me == 0) ok(eyot_lock_alloc(NULL, &old));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &old, sizeof old));
  ok(eyot_lock_acquire(old, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(old));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  eyot_lock_t copy = old;
  if (me == 0) ok(eyot_lock_free(&copy));
  if (me == 0) ok(eyot_lock_alloc(NULL, &now));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &now, sizeof now));
  assert_int_equal(now.at.offset, old.at.offset);
  assert_true(now.at.gen != old.at.gen);
  ok(eyot_lock_acquire(now, EYOT_LOCK_EXCLUSIVE));
  if (me == 0) refuses(EYOT_ESEG, eyot_lock_acquire(old, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(now));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_free(&now));
}

static void test_single(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 6; n++) sweep(n, 10, single_body);
  sweep(1, 1, single_misuse_body);
  sweep(2, 1, single_misuse_body);
  sweep(2, 3, reuse_body);
  kind = EYOT_LOCK_MCS;
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, many_body);
}

/* -- costs ------------------------------------------------------------------------------------------------------------------------------ */

static struct calls {
  uint32_t amos, signals, others, waits, flushes;
} calls[UNITS];
static const struct fab_ops *base_ops;

static int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old, fab_req_t *req) {
  calls[f->me].amos++;
  return base_ops->amo(f, dst, amo, old, req);
}
static int count_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, const struct fab_sig *sig, fab_req_t *req) {
  calls[f->me].signals++;
  return base_ops->put_signal(f, dst, src, len, sig, req);
}
static int count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  calls[f->me].others++;
  return base_ops->put(f, dst, src, len, req);
}
static int count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  calls[f->me].others++;
  return base_ops->get(f, dst, src, len, req);
}
static int count_wait(struct fab *f, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value, uint64_t timeout_ns, uint64_t *seen) {
  calls[f->me].waits++;
  return base_ops->wait_mem(f, seg, off, cmp, value, timeout_ns, seen);
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
  meet();
  for (int i = 0; i < 3 && me == 0; i++) { /* alone */
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    if (mcs) costs(1, 0, 0, 0);
    ok(eyot_lock_release(lock));
    if (mcs) costs(1, 0, 0, 1);
    if (!mcs) ok(eyot_flush_all(EYOT_REMOTE)); /* or its own release might be on its way, and it would have to ask twice */
    if (!mcs) costs(1, 1, 0, 2);
  }
  meet();
  bool got;
  if (me == 1) { /* the first time here: nothing to be learnt first */
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_true(got);
    costs(1, 0, 0, 0);
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

static void test_costs(void **state) {
  (void)state;
  sweep(2, 10, costs_body);
  sweep(3, 5, costs_body);
}

/* -- failures --------------------------------------------------------------------------------------------------------------------------- */

#define STEP(call)         \
  do {                     \
    int rc_ = (call);      \
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

/* Those who wait for a lock whose holder has failed sleep (a deadlock is found), or try for ever with tas. */
static bool ended(int end) {
  return end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED || (end == FAKE_STEPS && kind == EYOT_LOCK_TAS);
}

static void fail_each(uint32_t n) {
  struct faults x = {.code = EYOT_ESYS};
  struct fake_opts o = {.n = n, .seed = 3, .units_per_node = 1, .fail_code = EYOT_ESYS, .max_steps = 100000, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  assert_int_equal(x.met, 0);
  uint64_t total = fake_calls(), allocs = fake_allocs();
  assert_true(total > 20 && allocs > 5);
  for (o.fail_op = 1; o.fail_op <= total; o.fail_op++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(ended(end));
    assert_true(x.met > 0 || end == FAKE_ABORTED);
  }
  o.fail_op = 0;
  x.code = EYOT_ENOMEM;
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(ended(end));
    assert_true(x.met > 0 || end == FAKE_ABORTED);
  }
}

static void nothing_body(uint32_t me, uint32_t n) {
  (void)me, (void)n;
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

/* A creation that fails for want of memory at one unit fails on all, leaves nothing, and can be tried again. */
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

/* A hand-over that fails leaves the lock held, and released a second time it is refused rather than passed on twice. */
static int refuse_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, const struct fab_sig *sig, fab_req_t *req) {
  (void)f, (void)dst, (void)src, (void)len, (void)sig, (void)req;
  return EYOT_ESYS;
}
static int refuse_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old, fab_req_t *req) {
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

static void test_failures(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++) {
    kind = KINDS[k];
    for (uint32_t n = 1; n <= 3; n++) fail_each(n);
    for (uint32_t n = 1; n <= 3; n++) fail_creation(n);
    api_run(&(struct fake_opts){.n = 1, .seed = 2, .quiet = true}, broken_body);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exclusion), cmocka_unit_test(test_polite), cmocka_unit_test(test_misuse), cmocka_unit_test(test_make),
      cmocka_unit_test(test_single),    cmocka_unit_test(test_costs),  cmocka_unit_test(test_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
