/* SPDX-License-Identifier: BSD-3-Clause */
/* queue_unit.h - helpers of the tests of queues: the fabric's table wrapped to count calls and to
 * record which node entered after which.
 *
 * All units of a run share this process, so one unit's knowledge of another is checked in plain
 * variables. */
#ifndef QUEUE_UNIT_H
#define QUEUE_UNIT_H

#include "sync/locks/locks.h"
#include "unit/api_unit.h"

#define UNITS 16u
#define LOG_MAX 8192u

/* The events of one run. */
static struct {
  struct entry {
    eyoti_qref_t ref, before; /* a node that entered, and the one before it */
    bool gave_up;
  } log[LOG_MAX];
  uint32_t n_log;
  eyoti_qref_t holder, last; /* of the queue under test; `last` held it before */
  /* nodes that had been given up when the lock came; grants that came before giving up took
   * effect */
  uint64_t skipped, saved;
  uint64_t waited, given_up, passed;
} run;

/* Calls of one unit. */
static struct calls { uint32_t amos, signals, puts, gets, waits; } calls[UNITS];
static const struct fab_ops *base;
static struct fab_addr tail_of; /* whose swaps are logged */

/* The unit that hands over finds that the owner of the node at `go` has given up in the use that it
 * shows. */
static inline void skips(struct fab_addr go, uint64_t word) {
  uint64_t node =
      (go.off - eyoti_gmem_sync_at(eyot_current, go.unit, 0).off) / EYOTI_QUEUE_NODE_BYTES;
  uint64_t named = go.unit | node << 24 | EYOTI_REF_TIMED | word >> 48 << 32;
  uint32_t i = run.n_log;
  while (run.log[--i].ref != named) assert_true(i > 0);
  run.log[i].gave_up = true;
  run.skipped++;
}

static inline int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo,
                            uint64_t *old, fab_req_t *req) {
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
  if (amo->op == FAB_AMO_SWAP && (seen & EYOTI_QUEUE_FREE) == EYOTI_QUEUE_ABANDONED)
    skips(dst, seen);
  if (amo->op == FAB_AMO_CAS && (amo->operand & EYOTI_QUEUE_FREE) == EYOTI_QUEUE_ABANDONED &&
      seen != amo->compare)
    run.saved++;
  return 0;
}
static inline int count_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                               const struct fab_sig *sig, fab_req_t *req) {
  calls[f->me].signals++;
  return base->put_signal(f, dst, src, len, sig, req);
}
static inline int count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                            fab_req_t *req) {
  calls[f->me].puts++;
  return base->put(f, dst, src, len, req);
}
static inline int count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len,
                            fab_req_t *req) {
  calls[f->me].gets++;
  return base->get(f, dst, src, len, req);
}
static inline int count_wait(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                             uint64_t *seen) {
  calls[f->me].waits++;
  return base->wait_mem(f, cond, timeout_ns, seen);
}

/* Puts the wrapped table before the unit's own; the same for all units. */
static inline void wrap(struct fab *f) {
  static struct fab_ops wrapped;
  base = f->ops;
  wrapped = *base;
  wrapped.amo = count_amo;
  wrapped.put_signal = count_signal;
  wrapped.put = count_put;
  wrapped.get = count_get;
  wrapped.wait_mem = count_wait;
  f->ops = &wrapped;
  f->cpu_atomics = f->quiet = false; /* every operation must pass through the table */
  eyoti_rt_fast_renew(eyot_current);
}
static inline void unwrap(struct fab *f) {
  f->ops = base;
  f->cpu_atomics = f->quiet = f->local.n == f->n; /* as the fake fabric has it */
  eyoti_rt_fast_renew(eyot_current);
}

static inline struct fab_addr place(struct eyot_rt *rt, eyot_gptr_t g) {
  struct fab_addr at;
  ok(eyoti_gmem_resolve(rt, g, 8, &at));
  return at;
}

static inline struct entry *entry_of(eyoti_qref_t ref) {
  for (uint32_t i = run.n_log; i-- > 0;)
    if (run.log[i].ref == ref) return &run.log[i];
  return NULL;
}

/* First come, first served: the node that entered directly before `ref`, except those that gave up,
 * held the lock last. */
static inline void took(eyoti_qref_t ref, bool first) {
  assert_int_equal(run.holder, 0);
  eyoti_qref_t before = entry_of(ref)->before;
  assert_int_equal(before == 0, first);
  while (before != 0 && entry_of(before)->gave_up) before = entry_of(before)->before;
  if (before != 0) assert_int_equal(before, run.last);
  run.holder = ref;
}
static inline void leaves(eyoti_qref_t ref) {
  assert_int_equal(run.holder, ref);
  run.holder = 0;
  run.last = ref;
}

/* The caller can get all its nodes, and no more. Called after a barrier that all units entered with
 * all operations complete. */
static inline void all_nodes_back(struct eyot_rt *rt) {
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

static inline struct eyoti_queue start(struct eyot_rt *rt, eyot_gptr_t tail, uint32_t me) {
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
static inline void finish(struct eyot_rt *rt, eyot_gptr_t tail) {
  all_nodes_back(rt);
  unwrap(rt->fab);
  uint64_t word;
  ok(eyot_read_u64(tail, &word));
  assert_int_equal(word, 0);
  api_free(tail);
}

static inline eyot_gptr_t tail_at(uint32_t n) {
  return eyot_gptr_at(api_alloc(8), unit(n / 2));
}
#endif
