/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_make.c - making and destroying locks, by a team and by a single unit. */
#include "unit/sync/lock_unit.h"

/* -- making ------------------------------------------------------------------------------------ */

/* The attribute that one unit makes invalid, and the error that all get. */
struct spoil {
  eyot_lock_kind_t kind;
  int code;
  void (*how)(eyot_lock_attr_t *a);
};
static const struct spoil *spoil;

static void other_kind(eyot_lock_attr_t *a) {
  a->kind = EYOT_LOCK_TAS;
}
static void no_kind(eyot_lock_attr_t *a) {
  a->kind = EYOT_LOCK_KIND_COUNT;
}
static void far_home(eyot_lock_attr_t *a) {
  a->home = 1000;
}
static void other_home(eyot_lock_attr_t *a) {
  a->home = 0;
}
static void other_passes(eyot_lock_attr_t *a) {
  a->passes[EYOT_DOMAIN_GROUP]++;
}
static void many_passes(eyot_lock_attr_t *a) {
  a->passes[EYOT_DOMAIN_BLADE] = EYOT_LOCK_PASSES_MAX + 1;
}
static void unit_passes(eyot_lock_attr_t *a) {
  a->passes[EYOT_DOMAIN_UNIT] = 1;
}
static void machine_passes(eyot_lock_attr_t *a) {
  a->passes[EYOT_DOMAIN_MACHINE] = 1;
}
static void no_readers(eyot_lock_attr_t *a) {
  a->readers_max = 0;
}
static void many_writers(eyot_lock_attr_t *a) {
  a->writers_max = EYOT_LOCK_PASSES_MAX + 1;
}
static void other_counter(eyot_lock_attr_t *a) {
  a->units_per_counter = 3;
}
static void no_backoff(eyot_lock_attr_t *a) {
  a->backoff_min_ns = 0;
}
static void crossed_backoff(eyot_lock_attr_t *a) {
  a->backoff_max_ns = a->backoff_min_ns - 1;
}
static void long_backoff(eyot_lock_attr_t *a) {
  a->backoff_max_ns = UINT64_MAX;
}
static void other_backoff(eyot_lock_attr_t *a) {
  a->backoff_max_ns++;
}

static const struct spoil SPOILS[] = {
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_kind},     {EYOT_LOCK_MCS, EYOT_EINVAL, no_kind},
    {EYOT_LOCK_MCS, EYOT_EUNIT, far_home},           {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_home},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_passes},   {EYOT_LOCK_HIER, EYOT_EINVAL, many_passes},
    {EYOT_LOCK_HIER, EYOT_EINVAL, unit_passes},      {EYOT_LOCK_RW, EYOT_EINVAL, machine_passes},
    {EYOT_LOCK_RW, EYOT_EINVAL, no_readers},         {EYOT_LOCK_RW, EYOT_EINVAL, many_writers},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, no_readers},     {EYOT_LOCK_MCS, EYOT_EMISMATCH, many_writers},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, other_counter},  {EYOT_LOCK_TAS, EYOT_EINVAL, no_backoff},
    {EYOT_LOCK_EPOCH, EYOT_EINVAL, crossed_backoff}, {EYOT_LOCK_TAS, EYOT_EINVAL, long_backoff},
    {EYOT_LOCK_TICKET, EYOT_EINVAL, no_backoff},     {EYOT_LOCK_TAS, EYOT_EMISMATCH, other_backoff},
    {EYOT_LOCK_MCS, EYOT_EMISMATCH, no_backoff},
};

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

/* Different locks destroyed at the same time are a mismatch on all, and stay. */
static void differ_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock[2] = {make(EYOT_TEAM_ALL), make(EYOT_TEAM_ALL)};
  refuses(EYOT_EMISMATCH, eyot_lock_destroy(&lock[me == n - 1]));
  for (int i = 0; i < 2; i++) {
    ok(eyot_lock_acquire(lock[i], EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock[i]));
    destroy(lock[i]);
  }
}

/* The location of the central word: as requested, else spread over the team. */
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

/* Not destroyed, one even held: finalize reports it, and continues. */
static void left_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_lock_t lock = make(EYOT_TEAM_ALL), own;
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_alloc(NULL, &own));
}

static void wrong_attributes_are_refused_on_all(void **state) {
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

/* -- locks of one unit ------------------------------------------------------------------------- */

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
  for (size_t i = 0; i < LOCK_KINDS_N; i++) {
    if ((LOCK_KINDS[i].has & LOCK_ONE_UNIT) != 0) continue;
    a.kind = LOCK_KINDS[i].kind;
    refuses(EYOT_ENOTSUP, eyot_lock_alloc(&a, &lock));
  }
  a.kind = EYOT_LOCK_KIND_COUNT;
  refuses(EYOT_EINVAL, eyot_lock_alloc(&a, &lock));
  a = attr_of(kind);
  a.home = me + 1;
  refuses(EYOT_EINVAL, eyot_lock_alloc(&a, &lock));
  refuses(EYOT_EINVAL, eyot_lock_alloc(NULL, NULL));
  assert_int_equal(heap_used(), used);
  /* Memory without a lock, memory of no unit, and a lock's memory, but not its start. */
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

/* A unit that uses many locks keeps a bounded number of them in its lock table, and never drops one
 * that it holds. */
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
        assert_int_equal(ls->n_locks, ls->n_single);
      }
    }
    assert_true(holds(lock[0]));
    ok(eyot_lock_release(lock[0]));
    /* The 1,023 used last are there: no call to the fabric is needed to find them. */
    for (int i = MANY - 1023; i < MANY; i++)
      assert_non_null(eyoti_lock_table_find(eyot_current->sync->locks, lock[i]));
    assert_null(eyoti_lock_table_find(eyot_current->sync->locks, lock[MANY - 1024]));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0)
    for (int i = 0; i < MANY; i++) ok(eyot_lock_free(&lock[i]));
  api_free(names);
}

/* The memory of a freed lock is given to another; the old name must not open the new one. */
static void reuse_body(uint32_t me, uint32_t n) {
  eyot_lock_t old = EYOT_LOCK_NULL, now = EYOT_LOCK_NULL;
  if (me == 0) ok(eyot_lock_alloc(NULL, &old));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &old, sizeof old));
  if (me != n - 1) { /* the last unit first uses the old name when it is old */
    ok(eyot_lock_acquire(old, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(old));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  eyot_lock_t copy = old;
  if (me == 0) ok(eyot_lock_free(&copy));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  /* A unit that has used it can detect that only where the memory is mapped; other units,
   * everywhere. */
  if (me == n - 1 || (me == 1 && eyot_current->fab->local.n > 0))
    refuses(EYOT_ESEG, eyot_lock_acquire(old, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_alloc(NULL, &now));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &now, sizeof now));
  assert_int_equal(now.at.offset, old.at.offset);
  assert_true(now.at.gen != old.at.gen);
  ok(eyot_lock_acquire(now, EYOT_LOCK_EXCLUSIVE));
  if (me == 0 || me == n - 1) refuses(EYOT_ESEG, eyot_lock_acquire(old, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(now));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_free(&now));
}

static void lock_of_one_unit_serves_all(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 6; n++) sweep(n, 10, single_body);
  sweep(1, 1, single_misuse_body);
  sweep(2, 1, single_misuse_body);
  sweep(2, 3, reuse_body);
  sweep(3, 3, reuse_body);
  kind = EYOT_LOCK_MCS;
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, many_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_attributes_are_refused_on_all),
      cmocka_unit_test(lock_of_one_unit_serves_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
