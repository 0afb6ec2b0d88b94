/* test_queue.c - the queue under the queue locks: exclusion, order, giving up, nodes that come back, exact costs, every fabric call failing.
 *
 * All units of a run share this process, so what one knows of another is checked in plain variables; the fabric's table is wrapped to count calls and to learn
 * who entered behind whom. SPDX-License-Identifier: BSD-3-Clause */
#include "api_unit.h"
#include "sync/locks.h"

#define UNITS 16u
#define LOG_MAX 8192u

/* What happened in one run. */
static struct {
  struct entry {
    eyoti_qref_t ref, before; /* who entered, behind whom */
    bool gave_up;
  } log[LOG_MAX];
  uint32_t n_log;
  eyoti_qref_t holder, last; /* of the queue under test; `last` held it before */
  uint64_t skipped, saved;   /* nodes that had been given up when the lock came; grants that came before giving up took effect */
  uint64_t waited, given_up, passed;
} run;

/* Calls of one unit. */
static struct calls {
  uint32_t amos, signals, puts, gets, waits;
} calls[UNITS];
static const struct fab_ops *base;
static struct fab_addr tail_of; /* whose swaps are logged */
static uint64_t dice_seed;

/* Whoever hands over finds that the owner of the node at `go` has given up in the use that it shows. */
static void skips(struct fab_addr go, uint64_t word) {
  uint64_t node = (go.off - eyoti_gmem_sync_at(eyot_current, go.unit, 0).off) / EYOTI_QUEUE_NODE_BYTES;
  uint64_t named = go.unit | node << 24 | EYOTI_REF_TIMED | word >> 48 << 32;
  uint32_t i = run.n_log;
  while (run.log[--i].ref != named) assert_true(i > 0);
  run.log[i].gave_up = true;
  run.skipped++;
}

static int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old, fab_req_t *req) {
  calls[f->me].amos++;
  uint64_t seen;
  fab_req_t own;
  int rc = base->amo(f, dst, amo, &seen, &own);
  if (rc == 0) rc = base->req_wait(f, own, FAB_REMOTE);
  if (rc != 0) return rc;
  if (old != NULL) *old = seen;
  if (req != NULL) *req = 0;
  if (amo->op == FAB_AMO_SWAP && dst.unit == tail_of.unit && dst.off == tail_of.off) {
    assert_true(run.n_log < LOG_MAX);
    run.log[run.n_log++] = (struct entry){.ref = amo->operand, .before = seen};
  }
  if (amo->op == FAB_AMO_SWAP && (seen & EYOTI_QUEUE_FREE) == EYOTI_QUEUE_ABANDONED) skips(dst, seen);
  if (amo->op == FAB_AMO_CAS && (amo->operand & EYOTI_QUEUE_FREE) == EYOTI_QUEUE_ABANDONED && seen != amo->compare) run.saved++;
  return 0;
}
static int count_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, const struct fab_sig *sig, fab_req_t *req) {
  calls[f->me].signals++;
  return base->put_signal(f, dst, src, len, sig, req);
}
static int count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  calls[f->me].puts++;
  return base->put(f, dst, src, len, req);
}
static int count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  calls[f->me].gets++;
  return base->get(f, dst, src, len, req);
}
static int count_wait(struct fab *f, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value, uint64_t timeout_ns, uint64_t *seen) {
  calls[f->me].waits++;
  return base->wait_mem(f, seg, off, cmp, value, timeout_ns, seen);
}

/* Puts the wrapped table before the unit's own; the same for all units. */
static void wrap(struct fab *f) {
  static struct fab_ops wrapped;
  base = f->ops;
  wrapped = *base;
  wrapped.amo = count_amo;
  wrapped.put_signal = count_signal;
  wrapped.put = count_put;
  wrapped.get = count_get;
  wrapped.wait_mem = count_wait;
  f->ops = &wrapped;
}
static void unwrap(struct fab *f) {
  f->ops = base;
}

static struct fab_addr place(struct eyot_rt *rt, eyot_gptr_t g) {
  struct fab_addr at;
  ok(eyoti_gmem_resolve(rt, g, 8, &at));
  return at;
}

static struct entry *entry_of(eyoti_qref_t ref) {
  for (uint32_t i = run.n_log; i-- > 0;)
    if (run.log[i].ref == ref) return &run.log[i];
  return NULL;
}

/* First come, first served: whoever entered directly before `ref`, those who gave up left out, held the lock last. */
static void took(eyoti_qref_t ref, bool first) {
  assert_int_equal(run.holder, 0);
  eyoti_qref_t before = entry_of(ref)->before;
  assert_int_equal(before == 0, first);
  while (before != 0 && entry_of(before)->gave_up) before = entry_of(before)->before;
  if (before != 0) assert_int_equal(before, run.last);
  run.holder = ref;
}
static void leaves(eyoti_qref_t ref) {
  assert_int_equal(run.holder, ref);
  run.holder = 0;
  run.last = ref;
}

/* All nodes of the caller can be had, and one more cannot. After a barrier that everybody has entered with all operations complete. */
static void all_nodes_back(struct eyot_rt *rt) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  eyoti_qref_t ref[EYOTI_QUEUE_NODES], none;
  for (uint32_t i = 0; i < EYOTI_QUEUE_NODES; i++) ok(eyoti_queue_node(rt, i % 2 == 0, &ref[i]));
  refuses(EYOT_EBUSY, eyoti_queue_node(rt, false, &none));
  for (uint32_t i = 0; i < EYOTI_QUEUE_NODES; i++) {
    for (uint32_t k = 0; k < i; k++) assert_true((ref[i] ^ ref[k]) << 32 != 0); /* unit, node */
    eyoti_queue_node_done(rt, ref[i]);
  }
  ok(eyoti_queue_node(rt, false, &none));
  eyoti_queue_node_done(rt, none);
  ok(eyot_barrier(EYOT_TEAM_ALL));
}

static struct eyoti_queue start(struct eyot_rt *rt, eyot_gptr_t tail, uint32_t me) {
  struct eyoti_queue q = {.tail = place(rt, tail)};
  if (me == 0) {
    memset(&run, 0, sizeof run);
    tail_of = q.tail;
  }
  memset(&calls[me], 0, sizeof calls[me]);
  ok(eyot_barrier(EYOT_TEAM_ALL));
  wrap(rt->fab);
  return q;
}
static void finish(struct eyot_rt *rt, eyot_gptr_t tail) {
  all_nodes_back(rt);
  unwrap(rt->fab);
  uint64_t word;
  ok(eyot_read_u64(tail, &word));
  assert_int_equal(word, 0);
  api_free(tail);
}

/* -- exclusion and order ---------------------------------------------------------------------------------------------------------------- */

static eyot_gptr_t tail_at(uint32_t n) {
  return eyot_gptr_at(api_alloc(8), unit(n / 2));
}

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

/* The counter's updates are lost if two are inside, or if one does not see what the last holder did: hand-over alone orders nothing, so the flush of a lock's
 * release stands before it. */
static void counter_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = tail_at(n), count = eyot_gptr_at(api_alloc(8), unit(n - 1));
  struct eyoti_queue q = start(rt, tail, me);
  for (uint32_t round = 0; round < 5; round++) {
    eyoti_qref_t ref;
    bool first = false, passed;
    uint64_t grant, v;
    ok(eyoti_queue_node(rt, false, &ref));
    ok((me + round) % 3 == 0 ? eyoti_queue_try(rt, &q, ref, &first) : eyoti_queue_enter(rt, &q, ref, &first));
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

static void test_order(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) api_sweep(n, n <= 4 ? 60 : 15, order_body);
}
static void test_counter(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= UNITS; n++) api_sweep(n, n <= 4 ? 40 : 10, counter_body);
}

/* -- giving up -------------------------------------------------------------------------------------------------------------------------- */

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
      int rc = eyoti_queue_wait(rt, ref, timed ? eyoti_deadline(rt, patience) : EYOTI_DEADLINE_NEVER, &grant);
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

static struct {
  uint64_t skipped, saved, given_up;
} seen;

static void sweep_timed(uint32_t n, uint32_t seeds) {
  for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++) {
    for (uint32_t s = 1; s <= seeds; s++) {
      dice_seed = s;
      api_run(&(struct fake_opts){.n = n, .seed = s * 131 + n, .mode = mode, .units_per_node = 2, .mapped = s % 3 == 0}, timed_body);
      seen.skipped += run.skipped;
      seen.saved += run.saved;
      seen.given_up += run.given_up;
    }
  }
}

/* Both ends of the race between giving up and handing over must have been seen, or the test shows nothing. */
static void test_timed(void **state) {
  (void)state;
  memset(&seen, 0, sizeof seen);
  for (uint32_t n = 2; n <= UNITS; n += n < 5 ? 1 : 4) sweep_timed(n, n < 5 ? 60 : 20);
  assert_true(seen.given_up > 1000);
  assert_int_equal(seen.skipped, seen.given_up);
  assert_true(seen.saved > 20);
}

/* Everybody behind the holder gives up; the queue is found empty, the nodes come back. */
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

static void test_all_give_up(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 6; n++) api_sweep(n, 30, all_give_up_body);
}

/* -- a node that another unit passes on (hier) ------------------------------------------------------------------------------------------ */

#define LOWER_MASK (((uint64_t)1 << 31) - 1)

/* Unit 0 gets the upper queue's lock and hands the lower lock, and with it its place in the upper queue, to unit 1, which passes the upper lock on. All others
 * want the upper lock alone. */
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
      if (!passed) { /* unit 1 has come too late: the lock goes the usual way */
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

static void test_relay(void **state) {
  (void)state;
  uint64_t relayed = 0;
  for (uint32_t n = 2; n <= 6; n++) {
    for (uint32_t s = 1; s <= 40; s++) {
      for (uint32_t mode = FAKE_EAGER; mode <= FAKE_REORDER; mode++)
        api_run(&(struct fake_opts){.n = n, .seed = s * 17 + n, .mode = mode, .units_per_node = 2, .mapped = s % 2 == 0}, relay_body);
      relayed += run.passed;
    }
  }
  assert_true(relayed > 200);
}

/* -- costs ------------------------------------------------------------------------------------------------------------------------------ */

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
    if (me == 1) { /* behind unit 0 */
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

static void test_costs(void **state) {
  (void)state;
  api_sweep(2, 10, costs_body);
  api_sweep(3, 5, costs_body);
}

/* -- uses wrap around ------------------------------------------------------------------------------------------------------------------- */

static uint64_t use_of(eyoti_qref_t ref) {
  return ref >> 32 & UINT16_MAX;
}

/* Alone, over and over, until the node's last use was `until`. */
static void spin_uses(struct eyot_rt *rt, const struct eyoti_queue *q, uint64_t until) {
  eyoti_qref_t ref = 0;
  for (uint32_t i = 0; i < UINT16_MAX + 10u && (ref == 0 || use_of(ref) != until); i++) {
    bool first, passed;
    ok(eyoti_queue_node(rt, false, &ref));
    assert_int_equal(ref >> 24 & 0x7f, 0);
    assert_true(use_of(ref) != 0);
    ok(eyoti_queue_enter(rt, q, ref, &first));
    assert_true(first);
    ok(eyoti_queue_pass(rt, q, ref, 0, &passed));
    assert_false(passed); /* a link of an old use would be taken for one of this */
  }
  assert_int_equal(use_of(ref), until);
}

/* The words of a node still show a use when the count comes round to it: the waiter must not take the old grant for a new one, nor miss the new one because it
 * looks like the old; the holder must not take the old link for a new one. */
static void wrap_body(uint32_t me, uint32_t n) {
  struct eyot_rt *rt = eyot_current;
  eyot_gptr_t tail = eyot_gptr_at(api_alloc(8), unit(0));
  struct eyoti_queue q = {.tail = place(rt, tail)};
  uint64_t used = 0;
  (void)n;
  for (int turn = 0; turn < 3; turn++) {
    eyoti_qref_t ref;
    bool first, passed;
    uint64_t grant = 0;
    for (uint32_t u = 0; u < 2; u++) { /* one after the other: all alone, and in a hurry */
      if (u == me && turn > 0) spin_uses(rt, &q, used == 1 ? UINT16_MAX : used - 1);
      ok(eyot_barrier(EYOT_TEAM_ALL));
    }
    ok(eyoti_queue_node(rt, false, &ref));
    if (turn > 0) assert_true(use_of(ref) != used);
    used = use_of(ref);
    if (me == 0) ok(eyoti_queue_enter(rt, &q, ref, &first));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (me == 1) ok(eyoti_queue_enter(rt, &q, ref, &first));
    ok(eyot_barrier(EYOT_TEAM_ALL));
    if (me == 1) ok(eyoti_queue_wait(rt, ref, EYOTI_DEADLINE_NEVER, &grant));
    assert_int_equal(grant, me == 0 ? 0 : 5);
    ok(eyoti_queue_pass(rt, &q, ref, 5, &passed));
    assert_int_equal(passed, me == 0);
    ok(eyot_barrier(EYOT_TEAM_ALL));
  }
  api_free(tail);
}

static void test_wrap(void **state) {
  (void)state;
  api_run(&(struct fake_opts){.n = 2, .seed = 5, .units_per_node = 2}, wrap_body);
}

/* -- failing calls ---------------------------------------------------------------------------------------------------------------------- */

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
    if (rc == 0 && !first) rc = eyoti_queue_wait(rt, ref, round == 1 ? eyoti_deadline(rt, 1000 * me) : EYOTI_DEADLINE_NEVER, &grant);
    if (rc == EYOT_ETIMEOUT) continue;
    if (rc == 0) rc = eyot_progress();
    if (rc == 0) rc = eyoti_queue_pass(rt, &q, ref, 0, &passed);
    if (rc != 0) {
      first_error = rc;
      break;
    }
  }
  /* A failed unit may still hold the lock: those who wait for it are found to hang, which is no fault of the queue. */
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
  struct fake_opts o = {.n = n, .seed = seed, .units_per_node = 1, .fail_code = EYOT_ESYS, .quiet = true};
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
static int refuse_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old, fab_req_t *req) {
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
    refuses(EYOT_ESYS, i % 2 == 0 ? eyoti_queue_enter(rt, &q, ref, &first) : eyoti_queue_try(rt, &q, ref, &first));
  }
  rt->fab->ops = counting;
  finish(rt, tail);
}

static void test_faults(void **state) {
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

/* Pauses take the time that they should, double up to the bound, differ between units, and end at the deadline. */
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

static void test_time(void **state) {
  (void)state;
  api_sweep(1, 3, deadline_body);
  api_sweep(4, 3, backoff_body);
}

int main(void) {
  api_environment();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order), cmocka_unit_test(test_counter), cmocka_unit_test(test_timed), cmocka_unit_test(test_all_give_up),
      cmocka_unit_test(test_relay), cmocka_unit_test(test_costs),   cmocka_unit_test(test_wrap),  cmocka_unit_test(test_faults),
      cmocka_unit_test(test_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
