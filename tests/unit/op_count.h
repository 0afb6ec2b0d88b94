/* SPDX-License-Identifier: BSD-3-Clause */
/* op_count.h - counts the operations that a unit posts to the fabric, for tests of exact costs. */
#ifndef OP_COUNT_H
#define OP_COUNT_H

#include "rt/rt.h"
#include "unit/api_unit.h"

#define OP_COUNT_UNITS 16u

struct op_counts {
  uint32_t amos, signals, puts, gets, waits, flushes, orders;
};

static struct op_counts op_counts[OP_COUNT_UNITS];
static const struct fab_ops *op_count_base;

static int op_count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo,
                        uint64_t *old, fab_req_t *req) {
  op_counts[f->me].amos++;
  return op_count_base->amo(f, dst, amo, old, req);
}
static int op_count_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                           const struct fab_sig *sig, fab_req_t *req) {
  op_counts[f->me].signals++;
  return op_count_base->put_signal(f, dst, src, len, sig, req);
}
static int op_count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                        fab_req_t *req) {
  op_counts[f->me].puts++;
  return op_count_base->put(f, dst, src, len, req);
}
static int op_count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len,
                        fab_req_t *req) {
  op_counts[f->me].gets++;
  return op_count_base->get(f, dst, src, len, req);
}
static int op_count_wait(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                         uint64_t *seen) {
  op_counts[f->me].waits++;
  return op_count_base->wait_mem(f, cond, timeout_ns, seen);
}
static int op_count_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                        uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  op_counts[f->me].waits++;
  return op_count_base->wait_any(f, conds, n, timeout_ns, index, held);
}
static int op_count_flush(struct fab *f, fab_unit_t to, enum fab_level level) {
  op_counts[f->me].flushes++;
  return op_count_base->flush(f, to, level);
}
static int op_count_order(struct fab *f, fab_unit_t to) {
  op_counts[f->me].orders++;
  return op_count_base->order(f, to);
}

/* From here on the calling unit's operations are counted. */
static inline void op_count_begin(void) {
  static struct fab_ops counting;
  struct fab *f = eyot_current->fab;
  assert_true(f->n <= OP_COUNT_UNITS);
  op_count_base = f->ops;
  counting = *op_count_base;
  counting.amo = op_count_amo;
  counting.put_signal = op_count_signal;
  counting.put = op_count_put;
  counting.get = op_count_get;
  counting.wait_mem = op_count_wait;
  counting.wait_any = op_count_any;
  counting.flush = op_count_flush;
  counting.order = op_count_order;
  ok(eyot_barrier(EYOT_TEAM_ALL)); /* `base` is the fabric's own for all */
  f->ops = &counting;
  f->cpu_atomics = f->quiet = false; /* every operation must pass through the counter */
  eyoti_rt_fast_renew(eyot_current);
}

static inline void op_count_end(void) {
  ok(eyot_barrier(EYOT_TEAM_ALL));
  struct fab *f = eyot_current->fab;
  f->ops = op_count_base;
  f->cpu_atomics = f->quiet = f->local.n == f->n; /* as the fake fabric has it */
  eyoti_rt_fast_renew(eyot_current);
}

/* All units and operations have arrived; the counts so far are discarded. */
static inline void op_count_meet(void) {
  ok(eyot_flush_all(EYOT_REMOTE));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  ok(eyot_barrier(EYOT_TEAM_ALL));
  op_counts[eyot_me().id] = (struct op_counts){0};
}

/* Exactly these since the last call. */
static inline void op_count_is(struct op_counts want) {
  struct op_counts *c = &op_counts[eyot_me().id];
  assert_int_equal(c->amos, want.amos);
  assert_int_equal(c->signals, want.signals);
  assert_int_equal(c->puts, want.puts);
  assert_int_equal(c->gets, want.gets);
  assert_int_equal(c->waits, want.waits);
  assert_int_equal(c->flushes, want.flushes);
  assert_int_equal(c->orders, want.orders);
  *c = (struct op_counts){0};
}
#endif
