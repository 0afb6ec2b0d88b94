/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_team.c - every kind of lock over teams that are not all units: some of them with gaps,
 * some of one unit, several at a time; home at every member; the smallest and the largest
 * attributes; all ways to acquire, with timeouts from none to the longest. */
#include "unit/sync/lock_unit.h"

enum { ROUNDS = 6 };

static uint64_t variant; /* of attributes and teams */
/* by color; units are coroutines of one thread */
static uint32_t readers_in[UNITS], writers_in[UNITS];

static uint32_t color_of(uint32_t me) {
  if (variant % 4 == 0) return me; /* teams of one */
  if (variant % 4 == 1) return me * 5 % 7 % 2;
  if (variant % 4 == 2) return me == 1 || me == 4;
  return (me * 11 + (uint32_t)variant) % 3;
}

static eyot_lock_attr_t varied(uint32_t size) {
  static const uint32_t PER_COUNTER[] = {0, 1, 2, UINT32_MAX};
  uint64_t v = variant;
  bool small = v % 2 == 0;
  eyot_lock_attr_t a = attr_of(kind);
  a.home = v % 5 == 0 ? EYOT_LOCK_HOME_HASHED : (uint32_t)(v % size);
  for (int d = EYOT_DOMAIN_NODE; d <= EYOT_DOMAIN_GROUP; d++)
    a.passes[d] = v % 3 == 2 ? 0 : small ? 1 : EYOT_LOCK_PASSES_MAX;
  a.units_per_counter = PER_COUNTER[v / 2 % 4];
  a.readers_max = a.writers_max = small ? 1 : EYOT_LOCK_PASSES_MAX;
  return a;
}

static uint64_t timeout_of(uint64_t roll) {
  static const uint64_t SOME[] = {
      0, 1, 3000, 100000, UINT64_MAX / 2, UINT64_MAX - 200000, UINT64_MAX - 1, UINT64_MAX};
  return SOME[roll % 8];
}

/* 0 or ETIMEOUT. */
static int get_in(eyot_lock_t lock, eyot_lock_mode_t mode, uint32_t size, uint64_t roll) {
  bool got = true, one = lock_kind_has(kind, LOCK_MEMBERS);
  eyot_tunit_t last = {size - 1};
  int rc = EYOT_OK;
  if (roll % 4 == 0)
    rc = one ? eyot_lock_try_at(lock, mode, last, &got) : eyot_lock_try(lock, mode, &got);
  else if (roll % 4 == 1)
    rc = one ? eyot_lock_acquire_at_timeout(lock, mode, last, timeout_of(roll / 4))
             : eyot_lock_acquire_timeout(lock, mode, timeout_of(roll / 4));
  else
    rc = one ? eyot_lock_acquire_at(lock, mode, last) : eyot_lock_acquire(lock, mode);
  if (rc != EYOT_ETIMEOUT) ok(rc);
  return rc == EYOT_OK && got ? EYOT_OK : EYOT_ETIMEOUT;
}

static void inside(eyot_lock_mode_t mode, uint32_t color, eyot_gptr_t word, uint64_t *keep) {
  bool writes = mode == EYOT_LOCK_EXCLUSIVE;
  assert_int_equal(writers_in[color], 0);
  if (writes) assert_int_equal(readers_in[color], 0);
  uint32_t *in = writes ? &writers_in[color] : &readers_in[color];
  (*in)++;
  ok(eyot_compute(300));
  if (writes) bump(word, keep);
  (*in)--;
}

static void team_body(uint32_t me, uint32_t n) {
  (void)n;
  eyot_team_t team;
  eyot_tunit_t my;
  uint32_t size, color = color_of(me);
  ok(eyot_team_split(EYOT_TEAM_ALL, color, &team));
  ok(eyot_team_size(team, &size));
  ok(eyot_team_me(team, &my));
  readers_in[color] = writers_in[color] = 0;
  eyot_lock_attr_t a = varied(size);
  eyot_lock_t lock;
  eyot_gptr_t words, word;
  ok(eyot_lock_create(team, &a, &lock));
  ok(eyot_team_alloc(team, 8, &words));
  /* the member that epoch locks */
  ok(eyot_gptr_at_team(words, team, (eyot_tunit_t){size - 1}, &word));
  uint64_t dice = me * 131 + variant, writes = 0, all, keep,
           mode_bits = lock_kind_has(kind, LOCK_SHARED) ? 1 : 0;
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t roll = draw(&dice);
    eyot_lock_mode_t mode = (roll & mode_bits) != 0 ? EYOT_LOCK_SHARED : EYOT_LOCK_EXCLUSIVE;
    if (get_in(lock, mode, size, roll >> 8) != EYOT_OK) continue;
    inside(mode, color, word, &keep);
    writes += mode == EYOT_LOCK_EXCLUSIVE;
    ok(lock_kind_has(kind, LOCK_MEMBERS) ? eyot_lock_release_at(lock, (eyot_tunit_t){size - 1})
                                         : eyot_lock_release(lock));
    assert_false(holds(lock));
  }
  ok(eyot_allreduce(team, EYOT_UINT64, EYOT_SUM, &writes, &all, 1));
  ok(eyot_get(&keep, word, 8));
  assert_int_equal(keep, all);
  destroy(lock);
  ok(eyot_barrier(team));
  ok(eyot_team_free(words));
  ok(eyot_team_destroy(&team));
}

static void all_kinds_work_over_teams_of_all_shapes(void **state) {
  (void)state;
  for (int k = 0; k < EYOT_LOCK_KIND_COUNT; k++) {
    kind = (eyot_lock_kind_t)k;
    for (variant = 1; variant <= 60; variant++) {
      struct fake_opts o = {.n = 5 + (uint32_t)(variant % 7),
                            .seed = variant,
                            .mode = variant % 6 == 0 ? FAKE_DELAY : FAKE_REORDER};
      o.units_per_node = variant % 9 == 0 ? UNITS : 1 + (uint32_t)(variant % 4);
      o.mapped = variant % 3 == 0;
      api_run(&o, team_body);
    }
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_kinds_work_over_teams_of_all_shapes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
