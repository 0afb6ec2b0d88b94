/* SPDX-License-Identifier: BSD-3-Clause */
/* test_queue_cost.c - the queue's cost in fabric calls, uses that wrap around, calls that fail,
 * time. */
#include "unit/sync/queue_unit.h"

#define LOWER_MASK (((uint64_t)1 << 31) - 1)

static void costs(uint32_t me, uint32_t amos, uint32_t signals, uint32_t waits, uint32_t gets) {
  assert_int_equal(calls[me].amos, amos);
  assert_int_equal(calls[me].signals, signals);
  assert_int_equal(calls[me].waits, waits);
  assert_int_equal(calls[me].gets, gets);
  assert_int_equal(calls[me].puts, 0);
  memset(&calls[me], 0, sizeof calls[me]);
}

/* Barriers use the fabric themselves: their calls are not counted. */
static void meet(uint32_t me) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  memset(&calls[me], 0, sizeof calls[me]);
}

static void costs_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n);
  struct eyoti_queue q = start(rt, tail, me);
  eyoti_qref_t ref;
  bool first, passed;
  uint64_t grant;
  meet(me);
  for (int timed = 0; timed < 2; timed++) {
    if (me == 0) { /* alone */
      ok(eyoti_queue_node(rt, false, &ref));
      costs(0, 0, 0, 0, 0);
      ok(eyoti_queue_enter(rt, &q, ref, &first));
      costs(0, 1, 0, 0, 0);
    }
    meet(me);
    if (me == 1) { /* after unit 0 */
      ok(eyoti_queue_node(rt, timed == 1, &ref));
      ok(eyoti_queue_enter(rt, &q, ref, &first));
      assert_false(first);
      costs(1, 1, 1, 0, 0);
    }
    meet(me);
    if (me == 0) {
      assert_int_equal(eyoti_queue_follower(rt, ref), run.log[run.n_log - 1].ref);
      costs(0, 0, 0, 0, 0);
      ok(eyoti_queue_pass(rt, &q, ref, 3, &passed));
      assert_true(passed);
      costs(0, timed == 1, timed == 0, 0, 0);
      ok(eyoti_queue_node(rt, false, &ref));
      ok(eyoti_queue_try(rt, &q, ref, &passed));
      assert_false(passed);
      costs(0, 1, 0, 0, 0);
      eyoti_queue_node_done(rt, ref);
    }
    meet(me);
    if (me == 1) {
      ok(eyoti_queue_wait(rt, ref, EYOTI_DEADLINE_NEVER, &grant));
      assert_int_equal(grant, 3);
      costs(1, 0, 0, 1, 0);
      assert_int_equal(eyoti_queue_follower(rt, ref), 0);
      ok(eyoti_queue_pass(rt, &q, ref, 3, &passed));
      assert_false(passed);
      costs(1, 1, 0, 0, 0);
    }
    meet(me);
  }
  if (me == 0) {
    ok(eyoti_queue_node(rt, false, &ref));
    ok(eyoti_queue_publish(rt, ref, 9));
    assert_int_equal(calls[0].puts, 1);
    struct eyoti_queue_sight sight;
    memset(&calls[0], 0, sizeof calls[0]);
    ok(eyoti_queue_look(rt, ref & LOWER_MASK, &sight));
    assert_int_equal(sight.ref, ref);
    assert_int_equal(sight.follower, 0);
    assert_int_equal(sight.data, 9);
    costs(0, 0, 0, 0, 1);
    eyoti_queue_node_done(rt, ref);
  }
  finish(rt, tail);
}

static void queue_costs_the_stated_calls(void **state) {
  (void)state;
  api_sweep(2, 10, costs_body);
  api_sweep(3, 5, costs_body);
}

/* -- uses wrap around -------------------------------------------------------------------------- */

static uint64_t use_of(eyoti_qref_t ref) {
  return ref >> 32 & UINT16_MAX;
}

/* Acquires alone, over and over, until the node's last use was `until`. */
static void spin_uses(struct eyot_rt *rt, const struct eyoti_queue *q, uint64_t until) {
  eyoti_qref_t ref = 0;
  for (uint32_t i = 0; i < UINT16_MAX + 10u && (ref == 0 || use_of(ref) != until); i++) {
    bool first, passed;
    ok(eyoti_queue_node(rt, false, &ref));
    assert_int_equal(ref >> 24 & 0x7f, EYOTI_QUEUE_NODES - 1); /* the same each time */
    assert_true(use_of(ref) != 0);
    ok(eyoti_queue_enter(rt, q, ref, &first));
    assert_true(first);
    ok(eyoti_queue_pass(rt, q, ref, 0, &passed));
    assert_false(passed); /* a link of an old use would be taken for one of this */
  }
  assert_int_equal(use_of(ref), until);
}

/* The turns whose uses the words still show at `turn`: those after the first, which the second has
 * overwritten. */
static uint32_t oldest_shown(uint32_t turn) {
  return turn > 1 ? 1 : 0;
}

/* The last use before that of the turn before that no word shows. */
static uint64_t use_before(const uint64_t *used, uint32_t turn) {
  uint64_t use = used[turn - 1];
  for (bool again = true; again;) {
    use = use == 1 ? UINT16_MAX : use - 1;
    again = false;
    for (uint32_t t = oldest_shown(turn); t < turn; t++) again = again || used[t] == use;
  }
  return use;
}

/* The words of a node still show a use when the count wraps around to it: the waiter must not take
 * the old grant for a new one, nor miss the new one because it looks like the old; the holder must
 * not take the old link for a new one. Then the same with the parts exchanged, so that both words
 * of both nodes have been written, and 0 is no use for other reasons than that a word shows it. */
static void wrap_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = eyot_gptr_at(api_alloc(8), unit(0));
  struct eyoti_queue q = {.tail = place(rt, tail)};
  uint64_t used[4];
  (void)n;
  for (uint32_t turn = 0; turn < 4; turn++) {
    uint32_t holder = turn / 2;
    eyoti_qref_t ref;
    bool first, passed;
    uint64_t grant = 0;
    for (uint32_t u = 0; u < 2; u++) { /* one after the other, each alone */
      if (u == me && turn > 0) spin_uses(rt, &q, use_before(used, turn));
      ok(eyot_barrier(EYOT_TEAM_ALL));
    }
    ok(eyoti_queue_node(rt, false, &ref));
    used[turn] = use_of(ref);
    for (uint32_t t = oldest_shown(turn); t < turn; t++) assert_true(used[turn] != used[t]);
    if (me == holder) ok(eyoti_queue_enter(rt, &q, ref, &first));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (me != holder) ok(eyoti_queue_enter(rt, &q, ref, &first));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (me != holder) ok(eyoti_queue_wait(rt, ref, EYOTI_DEADLINE_NEVER, &grant));
    assert_int_equal(grant, me == holder ? 0 : 5);
    ok(eyoti_queue_pass(rt, &q, ref, 5, &passed));
    assert_int_equal(passed, me == holder);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  api_free(eyot_gptr_at(tail, unit(0)));
}

static void wrapped_use_is_not_taken_for_an_old_one(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 5, .units_per_node = 2}, wrap_body);
}

/* -- failing calls ----------------------------------------------------------------------------- */

struct faults {
  int met;
};

static int faulty_use(struct eyot_rt *rt, uint32_t me, uint32_t n) {
  eyot_gptr_t tail;
  struct fab_addr at;
  EYOTI_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 8, &tail));
  EYOTI_TRY(eyoti_gmem_resolve(rt, eyot_gptr_at(tail, unit(n - 1)), 8, &at));
  struct eyoti_queue q = {.tail = at};
  int first_error = 0;
  for (uint32_t round = 0; round < 4; round++) {
    eyoti_qref_t ref;
    bool first, passed;
    uint64_t grant;
    int rc = eyoti_queue_node(rt, round % 2 == 1, &ref);
    if (rc == 0) rc = eyoti_queue_enter(rt, &q, ref, &first);
    if (rc == 0 && !first)
      rc = eyoti_queue_wait(
          rt, ref, round == 1 ? eyoti_deadline(rt, 1000 * me) : EYOTI_DEADLINE_NEVER, &grant);
    if (rc == EYOT_ETIMEOUT) continue;
    if (rc == 0) rc = eyot_progress();
    if (rc == 0) rc = eyoti_queue_pass(rt, &q, ref, 0, &passed);
    if (rc != 0) {
      first_error = rc;
      break;
    }
  }
  /* A failed unit may still hold the lock: units that wait for it hang, which is no fault of the
   * queue. */
  if (first_error == 0) first_error = eyot_barrier(EYOT_TEAM_ALL);
  return first_error != 0 ? first_error : eyot_team_free(tail);
}

static void faults_main(struct fab *f, void *arg) {
  struct faults *x = arg;
  (void)f;
  int rc = eyot_init(NULL, NULL);
  if (rc == EYOT_ESYS) x->met++;
  if (rc != 0) return;
  if (faulty_use(eyot_current, eyot_me().id, eyot_size()) == EYOT_ESYS) x->met++;
  if (eyot_finalize() == EYOT_ESYS) x->met++;
}

static void fail_calls(uint32_t n, uint64_t seed) {
  struct faults x = {0};
  struct fake_opts o = {
      .n = n, .seed = seed, .units_per_node = 1, .fail_code = EYOT_ESYS, .quiet = true};
  assert_int_equal(fake_run(&o, faults_main, &x), FAKE_DONE);
  uint64_t total = fake_calls();
  assert_true(total > 20);
  for (o.fail_op = 1; o.fail_op <= total; o.fail_op++) {
    x.met = 0;
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
    assert_true(x.met > 0 || end == FAKE_ABORTED);
  }
  for (o.fail_op = 0, o.fail_alloc = 1; o.fail_alloc <= 40; o.fail_alloc++) {
    int end = fake_run(&o, faults_main, &x);
    assert_true(end == FAKE_DONE || end == FAKE_DEADLOCK || end == FAKE_ABORTED);
  }
}

/* The call that enters cannot be posted: the node is free again, at once. */
static int refuse_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
                      fab_req_t *req) {
  (void)f, (void)dst, (void)amo, (void)old, (void)req;
  return EYOT_ESYS;
}

static void refused_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n);
  struct eyoti_queue q = start(rt, tail, me);
  static struct fab_ops refusing;
  const struct fab_ops *counting = rt->fab->ops;
  refusing = *counting;
  refusing.amo = refuse_amo;
  eyoti_qref_t ref;
  bool first;
  rt->fab->ops = &refusing;
  for (uint32_t i = 0; i < 2 * EYOTI_QUEUE_NODES; i++) {
    ok(eyoti_queue_node(rt, false, &ref));
    refuses(EYOT_ESYS, i % 2 == 0 ? eyoti_queue_enter(rt, &q, ref, &first)
                                  : eyoti_queue_try(rt, &q, ref, &first));
  }
  rt->fab->ops = counting;
  finish(rt, tail);
}

static void each_failing_call_is_returned(void **state) {
  (void)state;
  fail_calls(1, 1);
  fail_calls(2, 2);
  fail_calls(3, 3);
  api_run(&(struct fake_opts){.n = 2, .seed = 1}, refused_body);
}

static void deadline_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  (void)me;
  (void)n;
  assert_true(eyoti_deadline(rt, UINT64_MAX) == EYOTI_DEADLINE_NEVER);
  assert_true(eyoti_deadline(rt, UINT64_MAX - 1) == EYOTI_DEADLINE_NEVER);
  assert_true(eyoti_deadline_left(rt, EYOTI_DEADLINE_NEVER) == FAB_FOREVER);
  uint64_t deadline = eyoti_deadline(rt, 1000000), left = eyoti_deadline_left(rt, deadline);
  assert_true(left > 0 && left <= 1000000);
  ok(eyot_compute(2000000));
  assert_true(eyoti_deadline_left(rt, deadline) == 0);
}

/* Pauses have the right length, double up to the bound, differ between units, and end at the
 * deadline. */
static void backoff_body(uint32_t me, uint32_t n) {
  static uint64_t drawn[UNITS];
  struct eyot_rt *rt = eyot_current;
  struct eyoti_locks *ls;
  ok(eyoti_locks_get(rt, &ls));
  eyot_lock_attr_t attr = EYOT_LOCK_ATTR_INIT;
  attr.backoff_min_ns = 1000000;
  attr.backoff_max_ns = 6000000;
  struct eyoti_backoff b;
  eyoti_backoff_init(&b, rt, &attr);
  static const uint64_t BOUND[] = {1000000, 2000000, 4000000, 6000000, 6000000};
  for (size_t i = 0; i < sizeof BOUND / sizeof BOUND[0]; i++) {
    assert_int_equal(b.next_ns, BOUND[i]);
    uint64_t before = eyot_now_ns();
    ok(eyoti_backoff_pause(rt, &b, EYOTI_DEADLINE_NEVER));
    assert_true(eyot_now_ns() - before > BOUND[i] / 2);
  }
  drawn[me] = b.random;
  for (uint32_t u = 0; u < me; u++) assert_true(drawn[u] != drawn[me]);
  uint64_t deadline = eyoti_deadline(rt, 1000);
  refuses(EYOT_ETIMEOUT, eyoti_backoff_pause(rt, &b, deadline));
  assert_true(eyot_now_ns() >= deadline);
  refuses(EYOT_ETIMEOUT, eyoti_backoff_pause(rt, &b, deadline));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  if (me == 0) memset(drawn, 0, n * sizeof drawn[0]);
}

static void deadlines_and_pauses_are_kept(void **state) {
  (void)state;
  api_sweep(1, 3, deadline_body);
  api_sweep(4, 3, backoff_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(queue_costs_the_stated_calls),
      cmocka_unit_test(wrapped_use_is_not_taken_for_an_old_one),
      cmocka_unit_test(each_failing_call_is_returned),
      cmocka_unit_test(deadlines_and_pauses_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
