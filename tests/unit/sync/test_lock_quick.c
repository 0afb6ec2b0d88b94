/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_quick.c - the quick path of a free mcs lock (sync/locks/lock.c), which is taken only
 * where the CPU's atomics may replace the fabric's: the fake with all units on one node. */
#include "unit/sync/lock_unit.h"

enum { ROUNDS = 6, SEEDS = 40 };

static uint32_t units_now;
static uint64_t inside, entries; /* units are coroutines of one thread */

static void run(uint32_t n, uint32_t seeds, void (*body)(struct fab *f, void *arg)) {
  units_now = n;
  for (enum fake_mode mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
    for (uint64_t seed = 1; seed <= seeds; seed++) {
      inside = entries = 0;
      struct fake_opts o = {
          .n = n, .seed = seed, .mode = mode, .mapped = true, .units_per_node = UNITS};
      assert_int_equal(fake_run(&o, body, NULL), FAKE_DONE);
    }
}

static void hold_once(void) {
  assert_int_equal(inside++, 0);
  entries++;
  for (int i = 0; i < 3; i++) ok(eyot_progress()); /* others may come in between */
  assert_int_equal(--inside, 0);
}

/* The state of the short path in the lock layer. */
static const struct eyoti_locks *locks_now(void) {
  return eyot_current->sync->locks;
}

static void free_lock_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  kind = EYOT_LOCK_MCS;
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  bool got;
  eyoti_qref_t name = 0;
  for (int i = 0; i < ROUNDS; i++) {
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    assert_true(holds(lock));
    /* the first time, the long path finds the lock */
    assert_int_equal(locks_now()->quick_busy, i > 0);
    /* no other unit has seen it: it is used again */
    if (i > 1) assert_int_equal(locks_now()->quick_node, name);
    name = locks_now()->quick_node;
    assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), EYOT_ESTATE);
    assert_int_equal(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got), EYOT_ESTATE);
    assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_SHARED), EYOT_ENOTSUP);
    ok(eyot_lock_release(lock));
    assert_false(holds(lock));
    assert_false(locks_now()->quick_busy);
    assert_int_equal(eyot_lock_release(lock), EYOT_ESTATE);
  }
  destroy(lock);
  assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), EYOT_ESEG);
  assert_int_equal(eyot_lock_release(lock), EYOT_ESEG);
  ok(eyot_finalize());
  assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), EYOT_ESTATE);
}

static void free_lock_is_taken_by_the_cpu(void **state) {
  (void)state;
  run(1, 3, free_lock_body);
}

/* Short and long paths mixed: plain, tried and timed acquires of one lock by all. */
static void contended_body(struct fab *f, void *arg) {
  (void)arg;
  ok(eyot_init(NULL, NULL));
  kind = EYOT_LOCK_MCS;
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  uint64_t random = f->me * 77 + 5, mine = 0;
  for (int i = 0; i < ROUNDS; i++) {
    bool got = true;
    random = random * 6364136223846793005u + 1442695040888963407u;
    switch (random >> 61) {
      case 0:
        ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
        break;
      case 1: {
        int rc = eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, random >> 50 & 2047);
        assert_true(rc == EYOT_OK || rc == EYOT_ETIMEOUT);
        got = rc == EYOT_OK;
        break;
      }
      default:
        ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    }
    if (!got) continue;
    mine++;
    hold_once();
    ok(eyot_lock_release(lock));
  }
  uint64_t all = 0;
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &mine, &all, 1));
  assert_int_equal(entries, all);
  destroy(lock);
  ok(eyot_finalize());
}

static void short_and_long_ways_exclude_each_other(void **state) {
  (void)state;
  for (uint32_t n = 2; n <= 7; n++) run(n, SEEDS, contended_body);
}

/* The reserved node serves one lock at a time: a second one, held inside the first, takes the long
 * path, in any order of release. */
static void nested_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  kind = EYOT_LOCK_MCS;
  eyot_lock_t a = make(EYOT_TEAM_ALL), b = make(EYOT_TEAM_ALL);
  for (int i = 0; i < ROUNDS; i++) {
    ok(eyot_lock_acquire(a, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_acquire(b, EYOT_LOCK_EXCLUSIVE));
    hold_once();
    ok(eyot_lock_release(i % 2 == 0 ? a : b));
    ok(eyot_lock_release(i % 2 == 0 ? b : a));
    ok(eyot_lock_acquire(b, EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(b));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  assert_int_equal(entries, (uint64_t)units_now * ROUNDS);
  destroy(a);
  destroy(b);
  ok(eyot_finalize());
}

static void second_lock_goes_the_long_way(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 5; n++) run(n, SEEDS / 2, nested_body);
}

/* While operations are counted, each is counted: the CPU executes none. */
static void counted_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  kind = EYOT_LOCK_MCS;
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  eyot_counts_t counts;
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_lock_release(lock));
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  assert_true(locks_now()->quick_busy);
  ok(eyot_count_begin());
  ok(eyot_lock_release(lock)); /* acquired on the short path, released on the long one */
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_count_read(&counts));
  ok(eyot_count_end());
  assert_int_equal(counts.own_atomics, 2);
  assert_false(locks_now()->quick_busy);
  ok(eyot_lock_release(lock)); /* and the reverse */
  ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  assert_true(locks_now()->quick_busy);
  ok(eyot_lock_release(lock));
  destroy(lock);
  ok(eyot_finalize());
}

static void counted_operations_are_all_seen(void **state) {
  (void)state;
  run(1, 3, counted_body);
}

/* The reserved node is one of the 64: a unit that needs all of them gets it too, on either path. */
static void all_nodes_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  kind = EYOT_LOCK_MCS;
  eyot_lock_t lock[EYOTI_QUEUE_NODES + 1];
  bool got;
  for (uint32_t i = 0; i <= EYOTI_QUEUE_NODES; i++) lock[i] = make(EYOT_TEAM_ALL);
  for (int i = 0; i < ROUNDS; i++) {
    ok(eyot_lock_acquire(lock[0], EYOT_LOCK_EXCLUSIVE));
    ok(eyot_lock_release(lock[0]));
    if (i > 0) assert_true(locks_now()->quick_node != 0 && !locks_now()->quick_busy);
    for (uint32_t k = 0; k < EYOTI_QUEUE_NODES; k++) {
      got = false;
      ok(eyot_lock_try(lock[k], EYOT_LOCK_EXCLUSIVE, &got));
      assert_true(got);
    }
    assert_int_equal(eyot_lock_acquire(lock[EYOTI_QUEUE_NODES], EYOT_LOCK_EXCLUSIVE), EYOT_EBUSY);
    for (uint32_t k = 0; k < EYOTI_QUEUE_NODES; k++) ok(eyot_lock_release(lock[k]));
    /* The same with the node in use: it is not given to two locks. */
    for (uint32_t k = 0; k < EYOTI_QUEUE_NODES; k++) {
      ok(eyot_lock_held(lock[k], &got)); /* found, so that the short path is possible */
      ok(eyot_lock_acquire(lock[k], EYOT_LOCK_EXCLUSIVE));
    }
    assert_true(locks_now()->quick_busy);
    assert_int_equal(eyot_lock_try(lock[EYOTI_QUEUE_NODES], EYOT_LOCK_EXCLUSIVE, &got), EYOT_EBUSY);
    for (uint32_t k = EYOTI_QUEUE_NODES; k-- > 0;) ok(eyot_lock_release(lock[k]));
  }
  for (uint32_t i = 0; i <= EYOTI_QUEUE_NODES; i++) destroy(lock[i]);
  ok(eyot_finalize());
}

static void reserved_node_is_one_of_the_64(void **state) {
  (void)state;
  run(1, 2, all_nodes_body);
}

/* Release also sends the notifications of gets that are complete and that no call has waited for:
 * of attached memory, as other bytes are copied. */
static uint64_t all_addresses[UNITS];

static void notifies_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id, n = eyot_size();
  for (size_t k = 0; k < LOCK_KINDS_N; k++) {
    if ((LOCK_KINDS[k].has & LOCK_ONE_UNIT) == 0) continue;
    kind = LOCK_KINDS[k].kind;
    eyot_lock_t lock = make(EYOT_TEAM_ALL);
    eyot_dynamic_t dynamic;
    eyot_gptr_t own, from;
    uint64_t word = me;
    eyot_counter_t done;
    ok(eyot_counter_create(EYOT_TEAM_ALL, 1, &done));
    ok(eyot_dynamic_create(EYOT_TEAM_ALL, NULL, &dynamic));
    ok(eyot_dynamic_attach(dynamic, &word, sizeof word, &own));
    all_addresses[me] = (uint64_t)(uintptr_t)&word;
    ok(eyot_barrier(EYOT_TEAM_ALL));
    ok(eyot_dynamic_gptr(dynamic, unit((me + 1) % n), all_addresses[(me + 1) % n], &from));
    for (int i = 0; i < ROUNDS; i++) {
      uint64_t in, value;
      eyot_handle_t h;
      ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
      ok(eyot_get_notify_nb(&in, from, sizeof in, eyot_counter_at(done, unit((me + 1) % n)), 1,
                            &h));
      ok(eyot_lock_release(lock));
      ok(eyot_barrier(EYOT_TEAM_ALL));
      ok(eyot_counter_value(eyot_counter_at(done, unit(me)), &value));
      assert_int_equal(value, i + 1);
      ok(eyot_barrier(EYOT_TEAM_ALL));
      ok(eyot_wait(&h, EYOT_REMOTE));
    }
    ok(eyot_dynamic_detach(dynamic, &word));
    ok(eyot_dynamic_destroy(&dynamic));
    ok(eyot_counter_destroy(&done));
    destroy(lock);
  }
  ok(eyot_finalize());
}

static void release_sends_notifications_of_gets(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) run(n, 3, notifies_body);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_lock_is_taken_by_the_cpu),
                                     cmocka_unit_test(short_and_long_ways_exclude_each_other),
                                     cmocka_unit_test(second_lock_goes_the_long_way),
                                     cmocka_unit_test(counted_operations_are_all_seen),
                                     cmocka_unit_test(reserved_node_is_one_of_the_64),
                                     cmocka_unit_test(release_sends_notifications_of_gets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
