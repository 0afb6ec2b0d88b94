/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_hier.c - the hierarchical queue: its levels, exclusion in all ways to acquire and give
 * up, the stated bounds on rows and bypass, failures. */
#include "sync/locks/hier.h"
#include "sync/locks/locks.h"
#include "unit/api_unit.h"

#define UNITS_MAX 32u
#define LEVELS 3u

/* Levels of the fake's machine under test, and the number of units of their domains. */
static const eyot_domain_t DOMAIN[LEVELS] = {EYOT_DOMAIN_NODE, EYOT_DOMAIN_BLADE,
                                             EYOT_DOMAIN_CHASSIS};

static uint32_t passes[LEVELS]; /* under test */
static uint32_t per_node;

static eyot_lock_t make(eyot_team_t team) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = EYOT_LOCK_HIER;
  memset(a.passes, 0, sizeof a.passes);
  for (uint32_t k = 0; k < LEVELS; k++) a.passes[DOMAIN[k]] = passes[k];
  eyot_lock_t lock = EYOT_LOCK_NULL;
  ok(eyot_lock_create(team, &a, &lock));
  return lock;
}

static const struct eyoti_hier *lock_state(eyot_lock_t lock) {
  struct eyoti_lock *l;
  ok(eyoti_lock_find(eyot_current, lock, &l));
  return l->own;
}

static void run(uint32_t n, uint64_t seed, enum fake_mode mode, api_body body) {
  api_run(
      &(struct fake_opts){
          .n = n, .seed = seed, .mode = mode, .units_per_node = per_node, .mapped = seed % 2 != 0},
      body);
}

/* Every shape of the tree, from flat to all levels, with small bounds. */
static void shapes(uint32_t n, uint32_t seeds, enum fake_mode mode, api_body body) {
  static const uint32_t SHAPES[][LEVELS] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 3, 0},
                                            {2, 2, 0}, {3, 1, 2}, {1, 2, 1}, {0, 2, 2}};
  seeds = api_sample(seeds);
  for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; s++) {
    memcpy(passes, SHAPES[s], sizeof passes);
    for (uint32_t seed = 1; seed <= seeds; seed++) {
      per_node = 1 + seed % 3;
      run(n, seed * 131 + s, mode, body);
    }
  }
}

/* -- the levels -------------------------------------------------------------------------------- */

/* The expected result of eyoti_hier_domain, found by checking all units. */
static void domain_by_hand(const struct eyoti_team *t, eyot_domain_t level, uint32_t index,
                           uint32_t *first, uint32_t *end) {
  eyot_place_t mine, other;
  ok(eyot_locate(unit(eyoti_team_unit(t, index)), &mine));
  *first = *end = index;
  for (uint32_t i = 0; i < t->size; i++) {
    ok(eyot_locate(unit(eyoti_team_unit(t, i)), &other));
    if (other.id[level] != mine.id[level]) continue;
    if (i < *first) *first = i;
    if (i >= *end) *end = i + 1;
  }
}

static void check_domains(eyot_team_t team) {
  struct eyoti_team *t;
  ok(eyoti_team_get(eyot_current, team, &t));
  for (eyot_domain_t level = EYOT_DOMAIN_NUMA; level <= EYOT_DOMAIN_MACHINE; level++) {
    for (uint32_t i = 0; i < t->size; i++) {
      uint32_t first, end, is_first, is_end;
      domain_by_hand(t, level, i, &is_first, &is_end);
      for (uint32_t guess = 0; guess <= 5; guess++) {
        ok(eyoti_hier_domain(eyot_current, t, level, i, guess, &first, &end));
        assert_int_equal(first, is_first);
        assert_int_equal(end, is_end);
      }
    }
  }
}

/* The team of every second unit, and one with holes. */
static void domains_body(uint32_t me, uint32_t n) {
  check_domains(EYOT_TEAM_ALL);
  for (uint32_t kind = 0; kind < 2; kind++) {
    eyot_team_t team;
    ok(eyot_team_split(EYOT_TEAM_ALL, kind == 0 ? me % 2 : (me * 5 + me / 3) % 7 < 4, &team));
    check_domains(team);
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_team_destroy(&team));
  }
  (void)n;
}

static void domains_cover_the_team_and_nest(void **state) {
  (void)state;
  for (per_node = 1; per_node <= 4; per_node++) run(23, per_node, FAKE_EAGER, domains_body);
  per_node = 5;
  run(1, 1, FAKE_EAGER, domains_body);
}

/* 20 units, 2 a node, 4 a blade, 8 a chassis; the last chassis has 4 units, so it is the same as
 * its last blade. */
static void levels_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  const struct eyoti_hier *h = lock_state(lock);
  bool last = me >= 16;
  assert_int_equal(h->levels, last ? 3 : 4);
  assert_int_equal(h->level[0].domain, EYOT_DOMAIN_NODE);
  assert_int_equal(h->level[0].bound, passes[0]);
  assert_int_equal(h->level[0].end - h->level[0].first, 2);
  assert_int_equal(h->level[1].domain, EYOT_DOMAIN_BLADE);
  assert_int_equal(h->level[1].first, me / 4 * 4);
  if (!last) assert_int_equal(h->level[2].end, me / 8 * 8 + 8);
  const struct eyoti_hier_level *root = &h->level[h->levels - 1];
  assert_int_equal(root->domain, EYOT_DOMAIN_MACHINE);
  assert_true(root->first == 0 && root->end == n);
  for (uint32_t k = 0; k + 1 < h->levels; k++) { /* the tail lies in its domain */
    uint32_t at = h->level[k].queue.tail.unit;
    assert_true(at >= h->level[k].first && at < h->level[k].end);
  }
  ok(eyot_lock_destroy(&lock));
}

/* All members of a domain use one tail word, and no two domains use the same. */
static void tails_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  const struct eyoti_hier *h = lock_state(lock);
  struct {
    uint64_t domain, first, end, unit, off;
  } mine[EYOT_DOMAIN_COUNT] = {{0}}, *all = calloc(n, sizeof mine);
  assert_non_null(all);
  for (uint32_t k = 0; k < h->levels; k++) {
    const struct eyoti_hier_level *l = &h->level[k];
    mine[l->domain].domain = l->domain;
    mine[l->domain].first = l->first;
    mine[l->domain].end = l->end;
    mine[l->domain].unit = l->queue.tail.unit + 1;
    mine[l->domain].off = l->queue.tail.off;
  }
  ok(eyot_allgather(EYOT_TEAM_ALL, mine, all, sizeof mine));
  for (uint32_t u = 0; u < n; u++) {
    for (uint32_t d = 0; d < EYOT_DOMAIN_COUNT; d++) {
      size_t other = (size_t)u * EYOT_DOMAIN_COUNT + d;
      for (uint32_t k = 0; k < h->levels; k++) {
        uint32_t own = h->level[k].domain;
        bool same_word = mine[own].unit == all[other].unit && mine[own].off == all[other].off &&
                         all[other].unit != 0;
        bool same_domain = own == all[other].domain && mine[own].first == all[other].first &&
                           mine[own].end == all[other].end;
        assert_int_equal(same_word, same_domain && all[other].unit != 0);
      }
    }
  }
  free(all);
  (void)me;
  ok(eyot_lock_destroy(&lock));
}

static void levels_follow_the_machine(void **state) {
  (void)state;
  memcpy(passes, (uint32_t[LEVELS]){3, 2, 5}, sizeof passes);
  per_node = 2;
  run(20, 1, FAKE_EAGER, levels_body);
  run(20, 2, FAKE_EAGER, tails_body);
  per_node = 1; /* a node is a unit: its level is left out */
  run(7, 3, FAKE_EAGER, tails_body);
}

/* -- exclusion --------------------------------------------------------------------------------- */

static uint32_t inside; /* holders; units are coroutines of one thread */

static int get_in(eyot_lock_t lock, uint64_t how, uint64_t timeout_ns) {
  bool acquired = false;
  if (how == 0) return eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, timeout_ns);
  if (how > 1) return eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
  int rc = eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &acquired);
  return rc == EYOT_OK && !acquired ? EYOT_ETIMEOUT : rc;
}

static uint32_t tries_of_4; /* under test: of four requests, how many may be given up */

/* A counter that is no atomic, at another unit than the lock's words. */
static void exclusion_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(8), count = eyot_gptr_at(base, unit(n / 2));
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  uint64_t dice = me * 77 + n + passes[0], bumps = 0, v, total;
  inside = 0;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t round = 0; round < 8; round++) {
    uint64_t roll = draw(&dice);
    int rc = get_in(lock, roll % 4 < tries_of_4 ? roll / 4 % 2 : 2, (roll >> 16) % 20000);
    if (rc == EYOT_ETIMEOUT) continue;
    ok(rc);
    assert_int_equal(inside++, 0);
    ok(eyot_get(&v, count, 8));
    v++;
    if (roll >> 40 & 1) ok(eyot_compute((roll >> 32) % 2000));
    ok(eyot_put_nbi(count, &v, 8));
    bumps++;
    assert_int_equal(inside--, 1);
    ok(eyot_lock_release(lock));
  }
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &bumps, &total, 1));
  ok(eyot_get(&v, count, 8));
  assert_int_equal(v, total);
  /* A wait that was given up has left nothing in the way: the queues are empty, so one unit alone
   * acquires at once. */
  for (uint32_t u = 0; u < n; u++) {
    bool got = true;
    if (u == me) {
      ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)); /* removes nodes that were given up */
      ok(eyot_lock_release(lock));
      ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
      if (got) ok(eyot_lock_release(lock));
    }
    assert_true(got);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  ok(eyot_lock_destroy(&lock));
  api_free(base);
}

static void holders_exclude_each_other_on_all_shapes(void **state) {
  (void)state;
  for (tries_of_4 = 0; tries_of_4 <= 4; tries_of_4 += 2) {
    shapes(9, 1, FAKE_EAGER, exclusion_body);
    shapes(9, 3, FAKE_DELAY, exclusion_body);
    shapes(9, 10, FAKE_REORDER, exclusion_body);
    shapes(4, 30, FAKE_REORDER, exclusion_body);
  }
}

/* -- the bounds -------------------------------------------------------------------------------- */

static uint32_t order[UNITS_MAX * 64], entries; /* the holders, in order */

/* Enough time for everything in flight to arrive. */
static void settle(void) {
  ok(eyot_compute(10000000));
}

/* Unit 0 holds until all others wait; then each holds once. */
static void once_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  entries = 0;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me != 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  settle(); /* the unit that must ascend has queued there */
  order[entries++] = me;
  ok(eyot_lock_release(lock));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(entries, n);
  ok(eyot_lock_destroy(&lock));
}

/* The domain of level k (LEVELS: the machine) of a unit. */
static uint32_t domain_of(uint32_t u, uint32_t k) {
  return k == LEVELS ? 0 : u / (per_node << k);
}

/* Holders in one turn of a domain of level k. */
static uint32_t turn_most(uint32_t k) {
  uint32_t most = 1;
  for (uint32_t i = 0; i <= k; i++) most *= passes[i];
  return most;
}

/* With all units waiting, and each holding once: a domain never has more consecutive holders than a
 * turn has while others of the next outer domain wait, and a node leaves no turn unused as long as
 * it has units that wait. */
static void check_rows(uint32_t n) {
  uint32_t longest[LEVELS] = {0};
  for (uint32_t k = 0; k < LEVELS; k++) {
    for (uint32_t i = 0, row; i < n; i += row) {
      uint32_t own = domain_of(order[i], k), others = 0, same = 0;
      for (row = 1; i + row < n && domain_of(order[i + row], k) == own; row++) continue;
      for (uint32_t j = i + row; j < n; j++) {
        others += domain_of(order[j], k) != own &&
                  domain_of(order[j], k + 1) == domain_of(order[i], k + 1);
        same += domain_of(order[j], k) == own;
      }
      if (others > 0) assert_true(row <= turn_most(k));
      if (row > longest[k]) longest[k] = row;
      if (k == 0 && same > 0) assert_true(row >= passes[0]); /* it has not left early */
    }
  }
  /* and the bound is reached */
  assert_true(longest[0] >= (passes[0] < per_node ? passes[0] : per_node));
}

/* W(0) of hier.c, for full domains: the innermost has per_node children, others 2, the root the
 * rest. */
static uint32_t bypass_most(uint32_t n) {
  uint32_t w = ((n + (per_node << (LEVELS - 1)) - 1) / (per_node << (LEVELS - 1)) - 1) *
               turn_most(LEVELS - 1);
  for (uint32_t k = LEVELS; k-- > 0;) {
    uint32_t children = k == 0 ? per_node : 2;
    w = (children - 1) * (k == 0 ? 1 : turn_most(k - 1)) +
        (children + passes[k] - 1) / passes[k] * w;
  }
  return w;
}

static void rows_of_a_domain_stay_within_the_bound(void **state) {
  (void)state;
  for (uint32_t a = 1; a <= 4; a++) {
    for (uint32_t b = 1; b <= 3; b++) {
      memcpy(passes, (uint32_t[LEVELS]){a, b, 1 + (a + b) % 2}, sizeof passes);
      for (uint64_t seed = 1; seed <= 4; seed++) {
        per_node = 4;
        run(32, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, once_body);
        check_rows(32);
      }
    }
  }
}

enum { AGAIN = 12 };
static uint32_t asked[UNITS_MAX]; /* number of entries when the unit made its request */
static uint32_t most_bypassed;

/* Each unit requests again as soon as it has released; counts the other holders between request and
 * hold. */
static void bypass_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  entries = most_bypassed = 0;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < AGAIN; i++) {
    asked[me] = entries;
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    uint32_t bypassed = entries - asked[me];
    if (bypassed > most_bypassed) most_bypassed = bypassed;
    order[entries++] = me;
    /* requests have arrived before the next unit holds: a request in flight is not bypassed */
    settle();
    ok(eyot_lock_release(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(entries, n * AGAIN);
  ok(eyot_lock_destroy(&lock));
}

static void bypass_stays_within_the_bound(void **state) {
  (void)state;
  for (uint32_t a = 1; a <= 5; a += 2) {
    for (uint32_t b = 1; b <= 3; b++) {
      memcpy(passes, (uint32_t[LEVELS]){a, b, 2}, sizeof passes);
      per_node = 2;
      for (uint64_t seed = 1; seed <= 3; seed++) {
        run(16, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, bypass_body);
        uint32_t bound = bypass_most(16) + 1; /* the holder at the time of the request */
        if (most_bypassed > bound)
          print_error("passes %u %u %u: bypassed by %u, bound %u\n", passes[0], passes[1],
                      passes[2], most_bypassed, bound);
        assert_true(most_bypassed <= bound);
        assert_true(most_bypassed >= 15); /* all wait for each other */
      }
    }
  }
}

/* -- giving up --------------------------------------------------------------------------------- */

/* Unit 0 holds. Unit 2 leads the queue of its node, waits at the machine's and gives up; unit 3
 * after it must continue alone. */
static void leader_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 2)
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 5000000));
  if (me == 3) {
    ok(eyot_compute(1000000));
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock));
  }
  if (me == 0) {
    for (int i = 0; i < 3; i++) settle();
    ok(eyot_lock_release(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  bool got = false;
  if (me == n - 1) {
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_true(got);
    ok(eyot_lock_release(lock));
  }
  ok(eyot_lock_destroy(&lock));
}

/* A try keeps nothing: unit 1 tries while unit 2 holds, and its node's queue is free for unit 0
 * afterwards. */
static void try_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  bool got = true;
  (void)n;
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 2) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (int i = 0; me == 1 && i < 5; i++) {
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_false(got);
  }
  if (me == 0) { /* may be in the middle of unit 1's try */
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock));
  }
  if (me == 2) {
    settle();
    ok(eyot_lock_release(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 3) {
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_true(got);
    ok(eyot_lock_release(lock));
  }
  ok(eyot_lock_destroy(&lock));
}

static void unit_after_a_leader_that_gives_up_goes_on(void **state) {
  (void)state;
  memcpy(passes, (uint32_t[LEVELS]){2, 0, 0}, sizeof passes);
  per_node = 2;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    run(4, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, leader_body);
    run(4, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, try_body);
  }
}

/* -- failures ---------------------------------------------------------------------------------- */

static uint64_t failed; /* calls that returned an error */

/* FAKE_EAGER: a call that waits and fails leaves its buffers to the operation, which must not write
 * later. Calls everything once, without assertions; counts failures, after which units may wait for
 * each other for ever. */
static void all_main(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  if (eyot_init(NULL, NULL) != EYOT_OK) {
    failed++;
    return;
  }
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = EYOT_LOCK_HIER;
  a.passes[EYOT_DOMAIN_NODE] = 2;
  eyot_lock_t lock = EYOT_LOCK_NULL;
  bool got = false;
  if (eyot_lock_create(EYOT_TEAM_ALL, &a, &lock) == EYOT_OK) {
    for (int i = 0; i < 3; i++) {
      int rc = i == 0   ? eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE)
               : i == 1 ? eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 3000)
                        : eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got);
      if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) failed++;
      if (rc == EYOT_OK && (i < 2 || got) && eyot_lock_release(lock) != EYOT_OK) failed++;
    }
    if (eyot_lock_destroy(&lock) != EYOT_OK) failed++;
  } else {
    failed++;
  }
  if (eyot_finalize() != EYOT_OK) failed++;
}

static void each_failure_is_returned(void **state) {
  (void)state;
  struct fake_opts o = {.n = 3, .seed = 5, .mode = FAKE_EAGER, .units_per_node = 2, .quiet = true};
  failed = 0;
  assert_int_equal(fake_run(&o, all_main, NULL), FAKE_DONE);
  assert_int_equal(failed, 0);
  uint64_t calls = fake_calls(), allocs = fake_allocs();
  assert_true(calls > 30 && allocs > 3);
  for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
    failed = 0;
    int end = fake_run(&o, all_main, NULL);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK);
    if (end == FAKE_DEADLOCK) assert_true(failed > 0);
  }
  o.fail_op = 0;
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    failed = 0;
    int end = fake_run(&o, all_main, NULL);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK);
    assert_true(failed > 0);
  }
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(domains_cover_the_team_and_nest),
      cmocka_unit_test(levels_follow_the_machine),
      cmocka_unit_test(holders_exclude_each_other_on_all_shapes),
      cmocka_unit_test(rows_of_a_domain_stay_within_the_bound),
      cmocka_unit_test(bypass_stays_within_the_bound),
      cmocka_unit_test(unit_after_a_leader_that_gives_up_goes_on),
      cmocka_unit_test(each_failure_is_returned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
