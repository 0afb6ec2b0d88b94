/* SPDX-License-Identifier: BSD-3-Clause */
/* test_queue.c - the queue of the queue locks: exclusion, order, giving up, nodes from which
 * another unit passes on, nodes that come back. */
#include "unit/sync/queue_unit.h"

/* -- exclusion and order ----------------------------------------------------------------------- */

static void order_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n);
  struct eyoti_queue q = start(rt, tail, me);
  for (uint64_t round = 0; round < 6; round++) {
    eyoti_qref_t ref;
    bool first, passed;
    uint64_t grant = 0;
    ok(eyoti_queue_node(rt, false, &ref));
    ok(eyoti_queue_enter(rt, &q, ref, &first));
    if (!first) ok(eyoti_queue_wait(rt, ref, EYOTI_DEADLINE_NEVER, &grant));
    if (!first) assert_int_equal(grant, run.last + 7); /* the grant is the last holder's */
    took(ref, first);
    if (round % 2 == 0) ok(eyot_progress());
    leaves(ref);
    ok(eyoti_queue_pass(rt, &q, ref, ref + 7, &passed));
  }
  finish(rt, tail);
}

/* Updates of the counter are lost if two units are inside, or if one does not see the last
 * holder's: hand-over alone orders nothing, so the flush of a lock's release precedes it. */
static void counter_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n), count = eyot_gptr_at(api_alloc(8), unit(n - 1));
  struct eyoti_queue q = start(rt, tail, me);
  for (uint32_t round = 0; round < 5; round++) {
    eyoti_qref_t ref;
    bool first = false, passed;
    uint64_t grant, v;
    ok(eyoti_queue_node(rt, false, &ref));
    ok((me + round) % 3 == 0 ? eyoti_queue_try(rt, &q, ref, &first)
                             : eyoti_queue_enter(rt, &q, ref, &first));
    if ((me + round) % 3 == 0 && !first) ok(eyoti_queue_enter(rt, &q, ref, &first));
    if (!first) ok(eyoti_queue_wait(rt, ref, EYOTI_DEADLINE_NEVER, &grant));
    ok(eyot_get(&v, count, 8));
    v++;
    ok(eyot_put_nbi(count, &v, 8));
    ok(eyot_flush_all(EYOT_REMOTE));
    ok(eyoti_queue_pass(rt, &q, ref, 0, &passed));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t v;
  ok(eyot_get(&v, count, 8));
  assert_int_equal(v, 5 * n);
  finish(rt, tail);
  api_free(eyot_gptr_at(count, unit(0)));
}

static void units_hold_in_the_order_of_the_queue(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) api_sweep(n, n <= 4 ? 60 : 15, order_body);
}
static void hand_over_loses_no_update(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) api_sweep(n, n <= 4 ? 40 : 10, counter_body);
}

/* -- giving up --------------------------------------------------------------------------------- */

static uint64_t dice_seed;

static void timed_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n);
  struct eyoti_queue q = start(rt, tail, me);
  uint64_t dice = me * 31 + n + dice_seed * 977;
  for (uint32_t round = 0; round < 12; round++) {
    eyoti_qref_t ref;
    bool timed = draw(&dice) % 4 != 0, first, passed;
    uint64_t grant = 99, patience = draw(&dice) % 3 == 0 ? 0 : draw(&dice) % (n * 6000u);
    ok(eyoti_queue_node(rt, timed, &ref));
    ok(eyoti_queue_enter(rt, &q, ref, &first));
    if (!first) {
      int rc = eyoti_queue_wait(
          rt, ref, timed ? eyoti_deadline(rt, patience) : EYOTI_DEADLINE_NEVER, &grant);
      if (rc == EYOT_ETIMEOUT) {
        assert_true(timed);
        assert_int_equal(grant, 99);
        run.given_up++;
        continue;
      }
      ok(rc);
      assert_int_equal(grant, 5);
      run.waited++;
    }
    took(ref, first);
    for (uint64_t i = draw(&dice) % 4; i > 0; i--) ok(eyot_progress());
    leaves(ref);
    ok(eyoti_queue_pass(rt, &q, ref, 5, &passed));
    if (passed) run.passed++;
  }
  finish(rt, tail);
  if (me == 0) assert_int_equal(run.passed, run.waited);
}

static struct { uint64_t skipped, saved, given_up; } seen;

static void sweep_timed(uint32_t n, uint32_t seeds) {
  seeds = api_sample(seeds);
  for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
    for (uint32_t s = 1; s <= seeds; s++) {
      dice_seed = s;
      api_run(
          &(struct fake_opts){
              .n = n, .seed = s * 131 + n, .mode = mode, .units_per_node = 2, .mapped = s % 3 == 0},
          timed_body);
      seen.skipped += run.skipped;
      seen.saved += run.saved;
      seen.given_up += run.given_up;
    }
  }
}

/* Both ends of the race between giving up and handing over must have been seen, or the test shows
 * nothing. */
static void units_that_give_up_are_skipped(void **state) {
  (void)state;
  memset(&seen, 0, sizeof seen);
  for (uint32_t n = 2; n <= UNITS; n += n < 5 ? 1 : 4) sweep_timed(n, n < 5 ? 60 : 20);
  assert_true(seen.given_up > 1000);
  assert_int_equal(seen.skipped, seen.given_up);
  assert_true(seen.saved > 20);
}

/* All waiters after the holder give up; the queue is found empty, the nodes come back. */
static void all_give_up_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n);
  struct eyoti_queue q = start(rt, tail, me);
  eyoti_qref_t ref;
  bool first, passed = true;
  uint64_t grant;
  if (me == 0) ok(eyoti_queue_node(rt, false, &ref));
  if (me == 0) ok(eyoti_queue_enter(rt, &q, ref, &first));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  for (uint32_t i = 0; i < 3; i++) { /* the holder's own nodes are among them */
    eyoti_qref_t timed;
    ok(eyoti_queue_node(rt, true, &timed));
    ok(eyoti_queue_enter(rt, &q, timed, &first));
    assert_false(first);
    refuses(EYOT_ETIMEOUT, eyoti_queue_wait(rt, timed, eyoti_deadline(rt, i * 700), &grant));
  }
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) {
    ok(eyoti_queue_pass(rt, &q, ref, 1, &passed));
    assert_false(passed);
    assert_int_equal(run.skipped, 3 * n);
  }
  finish(rt, tail);
}

static void queue_is_empty_after_all_give_up(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 6; n++) api_sweep(n, 30, all_give_up_body);
}

/* -- a node that another unit passes on (hier) ------------------------------------------------- */

#define LOWER_MASK (((uint64_t)1 << 31) - 1)

/* Unit 0 gets the upper queue's lock and hands the lower lock, and with it its place in the upper
 * queue, to unit 1, which passes the upper lock on. All others request only the upper lock. */
static void relay_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n), tail2 = eyot_gptr_at(api_alloc(8), unit(0));
  struct eyoti_queue upper = start(rt, tail, me), lower = {.tail = place(rt, tail2)};
  for (uint64_t round = 1; round <= 8; round++) {
    eyoti_qref_t up, low;
    bool first, passed;
    uint64_t grant;
    struct eyoti_queue_sight sight;
    if (me <= 1) {
      ok(eyoti_queue_node(rt, false, &low));
      if (me == 0) ok(eyoti_queue_enter(rt, &lower, low, &first));
      ok(eyot_barrier(EYOT_TEAM_ALL));
      if (me == 1) ok(eyoti_queue_enter(rt, &lower, low, &first));
      assert_true(first || me == 1);
    } else {
      ok(eyot_barrier(EYOT_TEAM_ALL));
    }
    if (me != 1) {
      ok(eyoti_queue_node(rt, round % 2 == 0 && me > 1, &up));
      ok(eyoti_queue_enter(rt, &upper, up, &first));
      if (!first) ok(eyoti_queue_wait(rt, up, EYOTI_DEADLINE_NEVER, &grant));
      took(up, first);
    }
    if (me == 0) {
      ok(eyoti_queue_publish(rt, up, round * 1000));
      ok(eyoti_queue_pass(rt, &lower, low, up & LOWER_MASK, &passed));
      if (!passed) { /* unit 1 has come too late: the lock is passed on the usual way */
        leaves(up);
        ok(eyoti_queue_pass(rt, &upper, up, 0, &passed));
      }
    } else if (me == 1) {
      if (!first) ok(eyoti_queue_wait(rt, low, EYOTI_DEADLINE_NEVER, &grant));
      if (!first) {
        ok(eyoti_queue_look(rt, grant, &sight));
        up = sight.ref;
        assert_int_equal(sight.data, round * 1000);
        if (sight.follower != 0) assert_int_equal(entry_of(sight.follower)->before, up);
        assert_int_equal(up & LOWER_MASK, grant);
        leaves(up);
        ok(eyoti_queue_pass(rt, &upper, up, 0, &passed));
        run.passed++;
      }
      ok(eyoti_queue_pass(rt, &lower, low, 0, &passed));
      assert_false(passed);
    } else {
      leaves(up);
      ok(eyoti_queue_pass(rt, &upper, up, 0, &passed));
    }
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  finish(rt, tail);
  api_free(eyot_gptr_at(tail2, unit(0)));
}

static void place_in_the_upper_queue_is_handed_on(void **state) {
  (void)state;
  uint64_t relayed = 0;
  for (uint32_t n = 2; n <= 6; n++) {
    for (uint32_t s = 1; s <= 40; s++) {
      for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
        api_run(&(struct fake_opts){.n = n,
                                    .seed = s * 17 + n,
                                    .mode = mode,
                                    .units_per_node = 2,
                                    .mapped = s % 2 == 0},
                relay_body);
      relayed += run.passed;
    }
  }
  assert_true(relayed > 200);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_hold_in_the_order_of_the_queue),
      cmocka_unit_test(hand_over_loses_no_update),
      cmocka_unit_test(units_that_give_up_are_skipped),
      cmocka_unit_test(queue_is_empty_after_all_give_up),
      cmocka_unit_test(place_in_the_upper_queue_is_handed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
