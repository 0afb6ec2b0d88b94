/* SPDX-License-Identifier: BSD-3-Clause */
/* test_lock_ticket.c - properties of the ticket lock only: two counters in one word, which wrap;
 * tries that guess the word; waiting for a turn, by polls of the CPU and by the fabric's
 * atomics. */
#include "sync/locks/ticket.h"
#include "unit/sync/lock_unit.h"

enum { ROUNDS = 8, SEEDS = 30 };

static bool by_cpu;                       /* the CPU's atomics replace the fabric's */
static uint32_t first_ticket, inside_now; /* units are coroutines of one thread */

static void each_way(uint32_t n, uint32_t seeds, void (*body)(struct fab *f, void *arg)) {
  static const uint32_t FIRST[] = {0, UINT32_MAX - ROUNDS / 2, UINT32_MAX};
  kind = EYOT_LOCK_TICKET;
  for (size_t k = 0; k < sizeof FIRST / sizeof *FIRST; k++)
    for (int way = 0; way < 2; way++)
      for (uint64_t seed = 1; seed <= seeds; seed++) {
        first_ticket = FIRST[k];
        by_cpu = way == 1;
        inside_now = 0;
        struct fake_opts o = {.n = n,
                              .seed = seed,
                              .mode = seed % 2 == 0 ? FAKE_DELAY : FAKE_REORDER,
                              .mapped = by_cpu};
        o.units_per_node = by_cpu ? UNITS : 1;
        assert_int_equal(fake_run(&o, body, NULL), FAKE_DONE);
      }
}

static void meet(void) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

/* A lock that others have acquired so many times. */
static eyot_lock_t used_lock(void) {
  eyot_lock_t lock = make(EYOT_TEAM_ALL);
  struct eyoti_lock *l;
  ok(eyoti_lock_find(eyot_current, lock, &l));
  if (eyot_size() > 1) assert_int_equal(l->quick != NULL && eyot_current->fab->cpu_atomics, by_cpu);
  uint64_t word = ticket_free_at(first_ticket);
  eyot_gptr_t at = eyot_gptr_at(lock.at, (eyot_unit_t){l->home});
  meet();
  if (eyot_me().id == l->home) ok(eyot_put(at, &word, sizeof word));
  meet();
  return lock;
}

static uint64_t word_of(eyot_lock_t lock) {
  struct eyoti_lock *l;
  uint64_t word;
  ok(eyoti_lock_find(eyot_current, lock, &l));
  ok(eyot_get(&word, eyot_gptr_at(lock.at, (eyot_unit_t){l->home}), sizeof word));
  return word;
}

static void hold(void) {
  assert_int_equal(inside_now++, 0);
  for (int i = 0; i < 3; i++) ok(eyot_progress()); /* others run in between */
  assert_int_equal(--inside_now, 0);
}

/* All ways to acquire, while the counters wrap. */
static void wraps_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  eyot_lock_t lock = used_lock();
  uint64_t had = 0, all;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    int rc = EYOT_OK;
    bool got = true;
    switch ((i + eyot_me().id) % 3) {
      case 0:
        ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
        break;
      case 1:
        ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
        break;
      default:
        rc = eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 2000);
    }
    if (rc != EYOT_ETIMEOUT) ok(rc);
    if (rc != EYOT_OK || !got) continue;
    hold();
    had++;
    ok(eyot_lock_release(lock));
  }
  ok(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &had, &all, 1));
  meet();
  /* a ticket for each hold, and no more */
  assert_int_equal(word_of(lock), ticket_free_at(first_ticket + (uint32_t)all));
  destroy(lock);
  ok(eyot_finalize());
}

static void holders_exclude_each_other_while_counters_wrap(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) each_way(n, SEEDS, wraps_body);
}

/* A try yields to units with a ticket, succeeds when the lock is free, and delays no other unit. */
static void tries_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id;
  eyot_lock_t lock = used_lock();
  bool got = true;
  if (me == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  meet();
  if (me == 1) {
    ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
    assert_false(got);
    assert_int_equal(eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 0), EYOT_ETIMEOUT);
    assert_int_equal(eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 5000), EYOT_ETIMEOUT);
    /* no ticket was drawn */
    assert_int_equal(word_of(lock), ticket_free_at(first_ticket) + TICKET_ONE);
  }
  meet();
  if (me == 0) {
    ok(eyot_lock_release(lock));
    for (int i = 0; i < ROUNDS; i++) { /* at once, however far its own release has come */
      ok(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got));
      assert_true(got);
      ok(eyot_lock_release(lock));
    }
  }
  meet();
  if (me == 1) {
    ok(eyot_lock_acquire_timeout(lock, EYOT_LOCK_EXCLUSIVE, 5000));
    ok(eyot_lock_release(lock));
  }
  meet();
  assert_int_equal(word_of(lock), ticket_free_at(first_ticket + ROUNDS + 2));
  destroy(lock);
  ok(eyot_finalize());
}

static void try_gives_way_to_tickets(void **state) {
  (void)state;
  each_way(2, SEEDS, tries_body);
}

/* A lock of one unit is free although its word is not 0, and is not freed while it is held. */
static void alone_body(struct fab *f, void *arg) {
  (void)f;
  (void)arg;
  ok(eyot_init(NULL, NULL));
  eyot_lock_attr_t a = attr_of(kind);
  eyot_lock_t lock = EYOT_LOCK_NULL;
  if (eyot_me().id == 0) ok(eyot_lock_alloc(&a, &lock));
  ok(eyot_broadcast(EYOT_TEAM_ALL, (eyot_tunit_t){0}, &lock, sizeof lock));
  for (int i = 0; i < ROUNDS; i++) {
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    hold();
    ok(eyot_lock_release(lock));
  }
  meet();
  if (eyot_me().id == eyot_size() - 1) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  meet();
  if (eyot_me().id == 0) {
    eyot_lock_t busy = lock;
    assert_int_equal(eyot_lock_free(&busy), EYOT_EBUSY);
  }
  meet();
  if (eyot_me().id == eyot_size() - 1) ok(eyot_lock_release(lock));
  meet();
  if (eyot_me().id == 0) ok(eyot_lock_free(&lock));
  ok(eyot_finalize());
}

static void used_lock_of_one_unit_is_free(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 3; n++) each_way(n, 5, alone_body);
}

/* -- waiting ----------------------------------------------------------------------------------- */

#define HOLD_NS 1000000u
static uint32_t spin_limit_now;
static struct fab_ops changed;
static const struct fab_ops *usual;

static int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
                     fab_req_t *req) {
  spin_limit_now++;
  return usual->amo(f, dst, amo, old, req);
}

/* A long hold is not polled more often: pauses grow up to the upper bound. */
static void long_hold_body(struct fab *f, void *arg) {
  (void)arg;
  ok(eyot_init(NULL, NULL));
  eyot_lock_t lock = used_lock();
  if (eyot_me().id == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  meet();
  if (eyot_me().id == 0) {
    ok(eyot_compute(HOLD_NS));
    ok(eyot_lock_release(lock));
    meet();
  } else {
    usual = f->ops;
    changed = *usual;
    changed.amo = count_amo;
    spin_limit_now = 0;
    f->ops = &changed;
    ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
    f->ops = usual;
    ok(eyot_lock_release(lock));
    uint64_t most = attr_of(kind).backoff_max_ns;
    /* at least half of the upper bound apart, once they have grown */
    assert_in_range(spin_limit_now, 2, 10 + 2 * HOLD_NS / most + 10);
    meet();
  }
  destroy(lock);
  ok(eyot_finalize());
}

static int fail_wait(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                     uint64_t *seen) {
  (void)f, (void)cond, (void)timeout_ns, (void)seen;
  return EYOT_ESYS;
}

/* A wait that fails leaves a ticket that no unit will hand on: the unit gets an error, instead of
 * waiting for itself. */
static void failed_wait_body(struct fab *f, void *arg) {
  (void)arg;
  ok(eyot_init(NULL, NULL));
  eyot_lock_t lock = used_lock();
  if (eyot_me().id == 0) ok(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE));
  meet();
  if (eyot_me().id == 1) {
    usual = f->ops;
    changed = *usual;
    changed.wait_mem = fail_wait;
    f->ops = &changed;
    assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), EYOT_ESYS);
    f->ops = usual;
    bool got;
    assert_false(holds(lock));
    assert_int_equal(eyot_lock_acquire(lock, EYOT_LOCK_EXCLUSIVE), EYOT_ESTATE);
    assert_int_equal(eyot_lock_try(lock, EYOT_LOCK_EXCLUSIVE, &got), EYOT_ESTATE);
    assert_int_equal(eyot_lock_release(lock), EYOT_ESTATE);
  }
  meet();
  if (eyot_me().id == 0) ok(eyot_lock_release(lock));
  meet();
  destroy(lock);
  ok(eyot_finalize());
}

static void waiters_pause_and_failed_waits_are_reported(void **state) {
  (void)state;
  kind = EYOT_LOCK_TICKET;
  first_ticket = 0;
  struct fake_opts far = {.n = 2, .seed = 1, .mode = FAKE_DELAY, .units_per_node = 1};
  by_cpu = false;
  assert_int_equal(fake_run(&far, long_hold_body, NULL), FAKE_DONE);
  assert_int_equal(fake_run(&far, failed_wait_body, NULL), FAKE_DONE);
  struct fake_opts near = {
      .n = 2, .seed = 1, .mode = FAKE_DELAY, .mapped = true, .units_per_node = UNITS};
  by_cpu = true;
  assert_int_equal(fake_run(&near, failed_wait_body, NULL), FAKE_DONE);
}

static void both_counters_of_the_word_wrap(void **state) {
  (void)state;
  uint64_t word = ticket_free_at(UINT32_MAX);
  assert_false(ticket_busy(word));
  word += TICKET_ONE; /* the last ticket is drawn: the other half is not changed */
  assert_int_equal(ticket_next(word), 0);
  assert_int_equal(ticket_served(word), UINT32_MAX);
  assert_true(ticket_busy(word));
  word += TICKET_ONE; /* one more waits */
  word += ticket_leave(UINT32_MAX);
  assert_int_equal(word, TICKET_ONE);
  word += ticket_leave(0);
  assert_int_equal(word, ticket_free_at(1));
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(both_counters_of_the_word_wrap),
      cmocka_unit_test(holders_exclude_each_other_while_counters_wrap),
      cmocka_unit_test(try_gives_way_to_tickets),
      cmocka_unit_test(used_lock_of_one_unit_is_free),
      cmocka_unit_test(waiters_pause_and_failed_waits_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
