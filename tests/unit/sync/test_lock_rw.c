/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_rw.c - the reader-writer lock: readers together, writers alone, in all ways to acquire
 * and give up; the bounds on both; failures. */
#include "sync/locks/locks.h"
#include "sync/locks/rw.h"
#include "unit/api_unit.h"

/* Under test. */
static uint32_t units_per_counter, readers_max, writers_max, passes;
/* counters begin just before they wrap, and phases before they would carry, or before their end */
static bool near_wrap;

static struct eyoti_lock *lock_state(eyot_lock_t lock) {
  struct eyoti_lock *l;
  ok(eyoti_lock_find(eyot_current, lock, &l));
  return l;
}

static void add(struct fab_addr at, uint64_t value) {
  ok(fab_amo_wait(eyot_current->fab, at,
                  &(struct fab_amo){.op = FAB_AMO_ADD, .width = 8, .operand = value}, NULL));
}

static bool first_of_run(eyot_lock_t lock) {
  const struct eyoti_lock *l = lock_state(lock);
  uint32_t first, end;
  ok(eyoti_rw_run(eyot_current, l, l->team->me, 0, &first, &end));
  assert_true(first <= l->team->me && l->team->me < end);
  return first == l->team->me;
}

static eyot_lock_t make(void) {
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = EYOT_LOCK_RW;
  a.passes[EYOT_DOMAIN_NODE] = passes;
  a.units_per_counter = units_per_counter;
  a.readers_max = readers_max;
  a.writers_max = writers_max;
  eyot_lock_t lock = EYOT_LOCK_NULL;
  ok(eyot_lock_create(EYOT_TEAM_ALL, &a, &lock));
  if (near_wrap && first_of_run(lock)) {
    const struct eyoti_rw *w = lock_state(lock)->own;
    uint64_t phase = eyot_size() % 2 != 0 ? 0xfffffffe : (UINT64_C(1) << 48) - 1024;
    add(w->own.arrive, (uint64_t)0xfffd << 48 | phase);
    add(w->own.depart, 0xfffd);
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  return lock;
}

/* When no unit uses it: every counter is open and balanced, and no unit sleeps. */
static void destroy(eyot_lock_t lock) {
  ok(eyot_flush_all(EYOT_REMOTE)); /* departures */
  ok(eyot_barrier(EYOT_TEAM_ALL));
  const struct eyoti_rw *w = lock_state(lock)->own;
  uint64_t arrive, depart, list;
  ok(eyoti_rw_read(eyot_current, w->own.arrive, &arrive));
  ok(eyoti_rw_read(eyot_current, w->own.depart, &depart));
  ok(eyoti_rw_read(eyot_current, w->own.list, &list));
  assert_false(eyoti_rw_closed(arrive));
  assert_int_equal(eyoti_rw_arrived(arrive), (uint16_t)depart);
  assert_int_equal(list, 0);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_lock_destroy(&lock));
}

static void run(uint32_t n, uint64_t seed, enum fake_mode mode, uint32_t per_node, api_body body) {
  api_run(
      &(struct fake_opts){
          .n = n, .seed = seed, .mode = mode, .units_per_node = per_node, .mapped = seed % 2 != 0},
      body);
}

static void settle(void) {
  ok(eyot_compute(10000000));
}

/* -- exclusion --------------------------------------------------------------------------------- */

static uint32_t readers_in, writers_in, most_readers; /* units are coroutines of one thread */
static uint32_t gives_up_of_4;

static int get_in(eyot_lock_t lock, eyot_lock_mode_t mode, uint64_t how, uint64_t timeout_ns) {
  bool acquired = false;
  if (how == 0) return eyot_lock_acquire_timeout(lock, mode, timeout_ns);
  if (how > 1) return eyot_lock_acquire(lock, mode);
  int rc = eyot_lock_try(lock, mode, &acquired);
  return rc == EYOT_OK && !acquired ? EYOT_ETIMEOUT : rc;
}

static void came_in(eyot_lock_mode_t mode) {
  assert_int_equal(writers_in, 0);
  if (mode == EYOT_LOCK_EXCLUSIVE) {
    assert_int_equal(readers_in, 0);
    writers_in++;
  } else if (++readers_in > most_readers) {
    most_readers = readers_in;
  }
}

static void goes_out(eyot_lock_mode_t mode) {
  assert_int_equal(writers_in, mode == EYOT_LOCK_EXCLUSIVE);
  if (mode == EYOT_LOCK_EXCLUSIVE)
    writers_in--;
  else
    readers_in--;
}

/* Two words that only writers change, both, one after the other; readers find them equal. */
static void inside(eyot_lock_mode_t mode, eyot_gptr_t words, uint64_t *v, uint64_t compute_ns) {
  ok(eyot_get(&v[0], words, 8));
  if (compute_ns > 0) ok(eyot_compute(compute_ns));
  ok(eyot_get(&v[1], eyot_gptr_add(words, 8), 8));
  assert_int_equal(v[0], v[1]);
  if (mode == EYOT_LOCK_SHARED) return;
  v[0]++;
  v[1]++;
  ok(eyot_put_nbi(eyot_gptr_add(words, 8), &v[1], 8));
  ok(eyot_put_nbi(words, &v[0], 8));
}

static void mixed_body(uint32_t me, uint32_t n) {
  eyot_gptr_t base = api_alloc(16), words = eyot_gptr_at(base, unit(n / 2));
  readers_in = writers_in = 0;
  eyot_lock_t lock = make();
  uint64_t dice = me * 77 + n + passes * 5 + readers_max, writes = 0, v[2], total;
  for (uint32_t round = 0; round < 8; round++) {
    uint64_t roll = draw(&dice);
    eyot_lock_mode_t mode = roll % 3 == 0 ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED;
    int rc = get_in(lock, mode, (roll >> 8) % 4 < gives_up_of_4 ? (roll >> 12) % 2 : 2,
                    (roll >> 16) % 30000);
    if (rc == EYOT_ETIMEOUT) continue;
    ok(rc);
    came_in(mode);
    inside(mode, words, v, (roll >> 40) % 2 * ((roll >> 32) % 3000));
    writes += mode == EYOT_LOCK_EXCLUSIVE;
    goes_out(mode);
    ok(eyot_lock_release(lock));
  }
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &writes, &total, 1));
  ok(eyot_get(&v[0], words, 8));
  assert_int_equal(v[0], total);
  destroy(lock);
  api_free(base);
}

static void writers_are_alone_and_readers_see_their_writes(void **state) {
  (void)state;
  static const uint32_t UNITS[] = {0, 1, 2, 3, 100};
  most_readers = 0;
  for (uint32_t seed = 1; seed <= 60; seed++) {
    for (gives_up_of_4 = 0; gives_up_of_4 <= 4; gives_up_of_4 += 2) {
      units_per_counter = UNITS[seed % 5];
      readers_max = 1 + seed % 4;
      writers_max = 1 + seed % 3;
      passes = seed % 4;
      near_wrap = seed % 2 != 0;
      run(3 + seed % 6, seed,
          seed % 10 == 0   ? FAKE_EAGER
          : seed % 10 == 1 ? FAKE_DELAY
                           : FAKE_REORDER,
          1 + seed % 3, mixed_body);
    }
  }
  assert_true(most_readers >= 3);
}

/* More counters than a window. */
static void more_counters_than_a_window_work(void **state) {
  (void)state;
  units_per_counter = 1;
  readers_max = writers_max = passes = 2;
  gives_up_of_4 = 2;
  run(70, 1, FAKE_EAGER, 4, mixed_body);
  run(70, 2, FAKE_REORDER, 4, mixed_body);
}

/* -- readers together, and against a writer ---------------------------------------------------- */

static uint32_t arrived;

static void together_body(uint32_t me, uint32_t n) {
  arrived = 0;
  eyot_lock_t lock = make();
  ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
  arrived++;
  while (arrived < n) ok(eyot_progress()); /* ends only if all are inside at a time */
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me != 0) ok(eyot_lock_release(lock));
  if (me == 1) { /* unit 0 stays inside */
    bool got = true;
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_false(got);
    refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 50000));
    /* the writer that gave up has opened the counters */
    ok(eyot_lock_try(lock, EYOT_LOCK_SHARED, &got));
    assert_true(got);
    ok(eyot_lock_release(lock));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) ok(eyot_lock_release(lock));
  destroy(lock);
}

/* A writer holds; readers try, and give up; one waits and enters when the writer leaves. */
static void shut_body(uint32_t me, uint32_t n) {
  readers_in = writers_in = 0;
  eyot_lock_t lock = make();
  if (me == n - 1) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  bool got = true;
  if (me == n - 1) {
    writers_in = 1;
    settle();
    writers_in = 0;
    ok(eyot_lock_release(lock));
  } else if (me % 2 == 0) {
    for (uint32_t i = 0; i < 4; i++) {
      ok(eyot_lock_try(lock, EYOT_LOCK_SHARED, &got));
      assert_false(got);
      refuses(EYOT_ETIMEOUT, eyot_lock_acquire_timeout(lock, EYOT_LOCK_SHARED, 1000 + i * 3000));
    }
  } else {
    ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    assert_int_equal(writers_in, 0);
    ok(eyot_lock_release(lock));
  }
  destroy(lock);
}

static void readers_are_inside_together(void **state) {
  (void)state;
  near_wrap = false;
  passes = readers_max = writers_max = 3;
  for (uint32_t seed = 1; seed <= 30; seed++) {
    units_per_counter = seed % 4;
    run(2 + seed % 7, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 2, together_body);
    run(3 + seed % 6, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 2 + seed % 4, shut_body);
  }
}

/* No other unit is there: the unit's own release on its way must not refuse it. */
static void alone_body(uint32_t me, uint32_t n) {
  eyot_lock_t lock = make();
  for (uint32_t round = 0; me == n - 1 && round < 12; round++) {
    eyot_lock_mode_t mode = round % 3 == 0 ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED;
    ok(eyot_lock_acquire(lock, mode));
    ok(eyot_lock_release(lock));
    ok(get_in(lock, EYOT_LOCK_EXCLUSIVE, round % 2, 0)); /* by a try, or with a timeout of 0 */
    ok(eyot_lock_release(lock));
    ok(get_in(lock, EYOT_LOCK_SHARED, round % 2, 0));
    ok(eyot_lock_release(lock));
  }
  destroy(lock);
}

static void lone_unit_is_never_refused(void **state) {
  (void)state;
  near_wrap = false;
  passes = readers_max = writers_max = 3;
  for (uint32_t seed = 1; seed <= 20; seed++) {
    units_per_counter = seed % 4;
    run(1 + seed % 5, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 1 + seed % 3, alone_body);
  }
}

/* -- the bounds -------------------------------------------------------------------------------- */

static uint32_t order[64], entries; /* 0: a reader came in, 1: a writer */
static bool timed_writers;

/* Unit 0 writes until all others wait: odd units to read, even ones to write. */
static void row_body(uint32_t me, uint32_t n) {
  entries = 0;
  eyot_lock_t lock = make();
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  bool writes = me % 2 == 0;
  if (me != 0) {
    uint64_t timeout = writes && timed_writers ? 1000000000 : EYOTI_DEADLINE_NEVER;
    ok(eyot_lock_acquire_timeout(lock, writes ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED, timeout));
  }
  order[entries++] = writes;
  settle();
  ok(eyot_lock_release(lock));
  destroy(lock);
  assert_int_equal(entries, n);
}

static void check_order(uint32_t n, uint32_t row) {
  uint32_t writers = (n + 1) / 2, readers = n / 2, expected = writers < row ? writers : row;
  for (uint32_t i = 0; i < n; i++)
    assert_int_equal(order[i], i < expected || i >= expected + readers);
}

static void writers_in_a_row_stay_within_the_bound(void **state) {
  (void)state;
  near_wrap = false;
  readers_max = 1;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    writers_max = 1 + (uint32_t)(seed % 5);
    units_per_counter = (uint32_t)(seed % 3);
    passes = (uint32_t)(seed % 4);
    timed_writers = false;
    run(9, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 3, row_body);
    check_order(9, writers_max);
    /* the counters are never left closed for a request that may be given up */
    timed_writers = true;
    run(9, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 3, row_body);
    check_order(9, 1);
  }
}

static uint32_t reads; /* reads by unit 1 since the writer's request */
static bool asked, wrote;

/* Unit 0 reads on and on, unit 1 again and again; unit 2 requests to write. It must let readers_max
 * pass, and not many more: unit 0 leaves when unit 1 is stopped. */
static void quota_body(uint32_t me, uint32_t n) {
  (void)n;
  reads = 0;
  asked = wrote = false;
  eyot_lock_t lock = make();
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) {
    uint32_t before;
    do {
      before = reads;
      ok(eyot_compute(2000000));
    } while (reads != before || !asked);
    ok(eyot_lock_release(lock));
  }
  while (me == 1 && !wrote) {
    ok(eyot_lock_acquire(lock, EYOT_LOCK_SHARED));
    if (asked && !wrote) reads++;
    ok(eyot_lock_release(lock));
    ok(eyot_progress()); /* FAKE_EAGER changes units nowhere else */
  }
  if (me == 2) {
    asked = true;
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    wrote = true;
    ok(eyot_lock_release(lock));
  }
  destroy(lock);
}

static void waiting_writer_lets_a_bounded_number_of_readers_pass(void **state) {
  (void)state;
  /* reads while the writer comes to the head, between two of its polls, and while it closes: steps
   * of 100 ns */
  enum { BETWEEN = 60 };
  near_wrap = false;
  units_per_counter = 0;
  writers_max = passes = 2;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    readers_max = 1 + (uint32_t)(seed % 4) * 40;
    run(3, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 3, quota_body);
    if (reads < readers_max || reads > readers_max + BETWEEN)
      print_error("readers_max %u: %u reads\n", readers_max, reads);
    assert_true(reads >= readers_max && reads <= readers_max + BETWEEN);
  }
}

static uint32_t done;

/* Units that write do so on and on until every reader has read thrice, and the other way round. */
static void starve(uint32_t me, uint32_t n, bool writers_go_on) {
  done = 0;
  eyot_lock_t lock = make();
  bool writes = me % 2 == 0;
  uint32_t others = writers_go_on ? n / 2 : (n + 1) / 2, rounds = 0;
  while (writes == writers_go_on ? done < others : rounds < 3) {
    ok(eyot_lock_acquire(lock, writes ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED));
    ok(eyot_lock_release(lock));
    ok(eyot_progress());
    if (++rounds == 3 && writes != writers_go_on) done++;
  }
  destroy(lock);
}
static void readers_starve_body(uint32_t me, uint32_t n) {
  starve(me, n, true);
}
static void writers_starve_body(uint32_t me, uint32_t n) {
  starve(me, n, false);
}

static void neither_readers_nor_writers_starve(void **state) {
  (void)state;
  near_wrap = false;
  for (uint32_t seed = 1; seed <= 10; seed++) {
    units_per_counter = seed % 3;
    readers_max = writers_max = passes = 1 + seed % 4;
    run(6, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 3, readers_starve_body);
    run(6, seed, seed == 1 ? FAKE_EAGER : FAKE_REORDER, 3, writers_starve_body);
  }
}

/* -- failures ---------------------------------------------------------------------------------- */

static uint64_t failed; /* calls that returned an error */

/* FAKE_EAGER: a call that waits and fails leaves its buffers to the operation, which must not write
 * later. Calls everything once, without assertions; counts failures, after which units may wait for
 * each other for ever. */
static void all_main(struct fab *f, void *arg) {
  (void)arg;
  if (eyot_init(NULL, NULL) != EYOT_OK) {
    failed++;
    return;
  }
  eyot_lock_attr_t a = EYOT_LOCK_ATTR_INIT;
  a.kind = EYOT_LOCK_RW;
  eyot_lock_t lock = EYOT_LOCK_NULL;
  if (eyot_lock_create(EYOT_TEAM_ALL, &a, &lock) == EYOT_OK) {
    for (uint32_t i = 0; i < 6; i++) {
      int rc =
          get_in(lock, (i + f->me) % 2 == 0 ? EYOT_LOCK_EXCLUSIVE : EYOT_LOCK_SHARED, i / 2, 3000);
      if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) failed++;
      if (rc == EYOT_OK && eyot_compute(1000) != EYOT_OK) failed++;
      if (rc == EYOT_OK && eyot_lock_release(lock) != EYOT_OK) failed++;
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
  uint64_t calls = fake_calls(), allocs = fake_allocs(), steps = fake_steps();
  assert_true(calls > 50 && allocs > 3);
  for (o.fail_op = 1; o.fail_op <= calls; o.fail_op++) {
    failed = 0;
    /* a unit may poll for ever a counter that a failed departure has left wrong */
    o.max_steps = 20 * steps;
    int end = fake_run(&o, all_main, NULL);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_STEPS);
    if (end != FAKE_DONE) assert_true(failed > 0);
  }
  o.fail_op = 0;
  for (o.fail_alloc = 1; o.fail_alloc <= allocs; o.fail_alloc++) {
    failed = 0;
    int end = fake_run(&o, all_main, NULL);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK);
    assert_true(failed > 0);
  }
}

/* A call that fails has waited for operations that would otherwise write to its memory after it is
 * freed: each request is seen to be retired. */
static const struct fab_ops *sound_ops;
/* requests that write to the caller's memory; posts and waits until one fails */
static uint32_t writing, posts_left;
static fab_req_t writes[256];

static bool fails_now(void) {
  return posts_left > 0 && --posts_left == 0;
}

static int watch_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
                     fab_req_t *req) {
  if (fails_now()) return EYOT_ESYS;
  int rc = sound_ops->amo(f, dst, amo, old, req);
  if (rc == EYOT_OK && old != NULL && *req != 0) writes[writing++] = *req;
  return rc;
}
static int watch_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  bool fails = fails_now();
  int rc = sound_ops->req_wait(f, req, level);
  for (uint32_t i = 0; i < writing; i++)
    if (writes[i] == req) writes[i--] = writes[--writing];
  return fails ? EYOT_ESYS : rc;
}

static void unfinished_body(uint32_t me, uint32_t n) {
  (void)n;
  static struct fab_ops watching;
  struct fab *f = eyot_current->fab;
  eyot_lock_t lock = make();
  if (me == 0) {
    sound_ops = f->ops;
    watching = *sound_ops;
    watching.amo = watch_amo;
    watching.req_wait = watch_wait;
    writing = 0;
    f->ops = &watching;
    uint32_t nth = posts_left;
    int rc = eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE);
    asked = rc != EYOT_OK;
    if (rc != EYOT_OK) refuses(EYOT_ESYS, rc);
    if (writing > 0) print_error("call %u fails: %u operations still write\n", nth, writing);
    assert_int_equal(writing, 0);
    f->ops = sound_ops;
  }
  ok(eyot_barrier(EYOT_TEAM_ALL)); /* the lock is left to finalize */
}

static void failed_call_has_waited_for_its_writes(void **state) {
  (void)state;
  near_wrap = false;
  units_per_counter = 1;
  passes = readers_max = writers_max = 2;
  asked = true;
  uint32_t nth = 0;
  while (asked) {
    posts_left = ++nth;
    run(5, nth * 2, FAKE_REORDER, 2, unfinished_body); /* an even seed: nothing is mapped */
  }
  assert_true(nth > 20);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writers_are_alone_and_readers_see_their_writes),
      cmocka_unit_test(more_counters_than_a_window_work),
      cmocka_unit_test(readers_are_inside_together),
      cmocka_unit_test(writers_in_a_row_stay_within_the_bound),
      cmocka_unit_test(waiting_writer_lets_a_bounded_number_of_readers_pass),
      cmocka_unit_test(neither_readers_nor_writers_starve),
      cmocka_unit_test(each_failure_is_returned),
      cmocka_unit_test(lone_unit_is_never_refused),
      cmocka_unit_test(failed_call_has_waited_for_its_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
