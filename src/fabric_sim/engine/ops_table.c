/* SPDX-License-Identifier: BSD-3-Clause */
/* ops_table.c - the endpoint's table of operations on sim (fabric.h): checks arguments, records the
 * call, and calls the engine. See ops_table.h. Every entry counts as a sign of life for the
 * watchdog and, when computation is measured, charges the unit the host time since its last
 * call. */
#include "fabric_sim/engine/ops_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/wording.h"
#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/post.h"
#include "fabric_sim/engine/report_ops.h"
#include "fabric_sim/engine/wait.h"

static inline struct sim_unit *ops_enter(struct fab *f, enum sim_call call) {
  struct sim_unit *u = sim_unit_of(f);
  struct sim_world *w = u->world;
  w->calls++;
  if (__builtin_expect(w->bound.tally != NULL, 0)) sim_bound_call(u, call);
  u->last.waited = call == SIM_CALL_WAIT_MEM;
  if (call == SIM_CALL_WAIT_MEM) {
    u->words.held_ps = 0;
  } else {
    u->last.call = (uint8_t)call;
    u->last.what = f->note.what;
    u->last.marked = eyoti_rt_marked(&u->rt) != NULL;
    if (__builtin_expect(u->last.marked, 0)) u->last_marked = eyoti_rt_marked(&u->rt);
  }
  if (__builtin_expect(w->measured.percent != 0, 0)) {
    u->local_ps += sim_measured_ps(&w->measured, u->host_ns);
    sim_away_computed(u);
  }
  return u;
}

static inline int ops_leave(struct sim_unit *u, int rc) {
  struct sim_measured *m = &u->world->measured;
  if (__builtin_expect(m->percent != 0, 0)) u->host_ns = sim_measured_since(m);
  return rc;
}

/* Charges the cost of a call that does nothing. */
static inline void ops_spend(struct sim_unit *u) {
  sim_engine_spend(u, sim_net_local_ps(u->world->net, 0));
}

static inline void ops_note_address(struct sim_unit *u, struct fab_addr a, uint64_t len) {
  u->last.unit = a.unit;
  u->last.seg = a.seg;
  u->last.off = a.off;
  u->last.len = len < UINT32_MAX ? (uint32_t)len : UINT32_MAX;
  if (__builtin_expect(u->world->bound.tally != NULL, 0)) sim_bound_place(u, a);
}

/* All of a segment is only reserved. */
static int ops_seg_reserve(struct fab *f, uint64_t len, uint64_t promised, uint64_t *front,
                           fab_seg_t *seg) {
  (void)promised;
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  int rc = sim_seg_create(u, len, front, seg);
  ops_spend(u);
  return ops_leave(u, rc);
}

static int ops_seg_create(struct fab *f, uint64_t len, fab_seg_t *seg) {
  uint64_t front = 0;
  return ops_seg_reserve(f, len, len, &front, seg);
}

/* Takes no virtual time: the answer comes from the simulator, not from the machine. */
static int ops_seg_reach(struct fab *f, uint64_t want, uint64_t *len) {
  *len = sim_seg_reach(sim_unit_of(f)->world, want);
  return EYOT_OK;
}

/* Segments are reserved, not committed, so only memory that units touch counts. */
static int ops_seg_available(struct fab *f, uint64_t *len) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  ops_spend(u);
  *len = UINT64_MAX;
  return ops_leave(u, EYOT_OK);
}

/* Takes no virtual time: nothing says what the system takes. */
static int ops_seg_secure(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len) {
  const struct sim_unit *u = sim_unit_of_const(f);
  EYOTI_TRY(sim_seg_check(u->world, fab_at(f->me, seg, off), len));
  sim_net_give(u->world->net, f->me, seg, off, len);
  return EYOT_OK;
}

static int ops_seg_destroy(struct fab *f, fab_seg_t seg) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  ops_spend(u);
  return ops_leave(u, sim_seg_destroy(u, seg));
}

static int ops_seg_ptr(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  int rc = seg == FAB_SEG_ATTACHED ? EYOT_ESEG : sim_seg_check(u->world, fab_at(unit, seg, off), 1);
  /* no error: the answer is that nothing is mapped */
  if (rc == 0 && unit != f->me) rc = EYOT_ENOTSUP;
  if (rc == 0) *ptr = sim_seg_at(u->world, unit, seg, off, 1);
  return ops_leave(u, rc);
}

static int ops_seg_map(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride) {
  (void)f, (void)seg, (void)base, (void)stride;
  return EYOT_ENOTSUP; /* every access goes through the table */
}

/* Takes no virtual time: it is arithmetic on a machine. */
static int ops_seg_common(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off, void **ptr) {
  const struct sim_unit *u = sim_unit_of_const(f);
  if (seg == FAB_SEG_ATTACHED) return EYOTI_FAIL(EYOT_ESEG, "attached memory is its owner's alone");
  EYOTI_TRY(sim_seg_check(u->world, fab_at(unit, seg, off), 1));
  if (!sim_net_same_node(u->world->net, f->me, unit)) return EYOT_ENOTSUP;
  *ptr = sim_seg_at(u->world, unit, seg, off, 1);
  return EYOT_OK;
}

static bool ops_seg_find(struct fab *f, fab_seg_t seg, const void *p, uint64_t len,
                         fab_unit_t *unit, uint64_t *off) {
  const struct sim_unit *u = sim_unit_of_const(f);
  uint32_t found;
  return sim_seg_find(u->world, f->me, p, len, unit, &found, off) && found == seg;
}

static int ops_seg_look(struct fab *f, struct fab_addr a, void *dst, uint64_t len) {
  const struct sim_unit *u = sim_unit_of_const(f);
  if (a.seg == FAB_SEG_ATTACHED)
    return EYOTI_FAIL(EYOT_ESEG, "attached memory cannot be read without an operation");
  EYOTI_TRY(sim_seg_check(u->world, a, len));
  memcpy(dst, sim_seg_at(u->world, a.unit, a.seg, a.off, len), len);
  return EYOT_OK;
}

/* Takes no virtual time, like other questions about the program. */
static int ops_seg_data(struct fab *f, struct fab_data *data) {
  return sim_seg_data(sim_unit_of(f), data);
}

static bool ops_seg_data_known(const struct fab *f, struct fab_data *data) {
  return sim_seg_data_known(sim_unit_of_const(f), data);
}

static int ops_attach(struct fab *f, void *addr, uint64_t len, uint64_t *key) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  return ops_leave(u, sim_seg_attach(u, addr, len, key));
}

static int ops_detach(struct fab *f, uint64_t key) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SEGMENT);
  return ops_leave(u, sim_seg_detach(u, key));
}

/* Checks an address inline, and calls sim_seg_check only to report an error. A free slot has length
 * 0. */
static inline int ops_check(const struct sim_world *w, struct fab_addr a, uint64_t len) {
  return sim_seg_inside(&w->segs, w->n, a, len) && len > 0 ? EYOT_OK : sim_seg_check(w, a, len);
}

/* Makes an operation to `a` and fills in all fields but those of its kind. */
static inline __attribute__((always_inline)) int new_op(struct sim_unit *u, enum sim_op_kind kind,
                                                        struct fab_addr a, uint64_t len,
                                                        const fab_req_t *req, struct sim_op **out) {
  ops_note_address(u, a, len);
  EYOTI_TRY(ops_check(u->world, a, len));
  sim_reap_head(u); /* first, so that the unit's own last operation can be reused */
  if (__builtin_expect(u->listed >> u->sweep_log != 0, 0)) sim_reap_all(u);
  struct sim_op *op = sim_pool_get(&u->world->pool);
  if (op == NULL) return EYOT_ENOMEM;
  op->kind = (uint8_t)kind;
  op->floats = op->narrow = op->follows = op->held_off = op->by_memory = false; /* one store */
  op->flags = req != NULL ? SIM_F_REQ : 0;
  if (req != NULL) u->requested = true;
  op->target = a.unit;
  op->set = fab_set_now(&u->fab);
  op->seg = a.seg;
  op->off = a.off;
  op->len = len;
  *out = op;
  return EYOT_OK;
}

static inline __attribute__((always_inline)) int ops_post(struct sim_unit *u, struct sim_op *op,
                                                          enum sim_op_kind kind, fab_req_t *req) {
  if (__builtin_expect(u->world->engine == &sim_timed_engine, 1))
    sim_post_as(u, op, kind);
  else
    u->world->engine->post(u, op);
  if (req != NULL) *req = sim_op_req(op);
  return ops_leave(u, EYOT_OK);
}

static int ops_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                   fab_req_t *req) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_PUT);
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "the source of a put of %" PRIu64 " bytes is NULL", len);
  struct sim_op *op;
  EYOTI_TRY(new_op(u, SIM_OP_PUT, dst, len, req, &op));
  op->local = (void *)(uintptr_t)src;
  return ops_post(u, op, SIM_OP_PUT, req);
}

static int ops_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_GET);
  if (dst == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "the destination of a get of %" PRIu64 " bytes is NULL", len);
  struct sim_op *op;
  EYOTI_TRY(new_op(u, SIM_OP_GET, src, len, req, &op));
  op->local = dst;
  return ops_post(u, op, SIM_OP_GET, req);
}

static int ops_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old,
                   fab_req_t *req) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_AMO);
  if (a->width != 4 && a->width != 8)
    return EYOTI_FAIL(EYOT_EINVAL, "an atomic of width %u (4 and 8 are possible)", a->width);
  if ((uint32_t)a->op > FAB_AMO_CAS)
    return EYOTI_FAIL(EYOT_EINVAL, "%d is not an atomic operation", (int)a->op);
  if ((dst.off & (a->width - 1)) != 0)
    return EYOTI_FAIL(EYOT_EALIGN,
                      "offset %" PRIu64 " of an atomic is not a multiple of its width %u", dst.off,
                      a->width);
  struct sim_op *op;
  EYOTI_TRY(new_op(u, SIM_OP_AMO, dst, a->width, req, &op));
  op->width = (uint8_t)a->width;
  op->amo_op = (uint8_t)a->op;
  op->floats = a->floats;
  op->narrow = a->narrow;
  op->follows = a->follows;
  op->local = old;
  op->value = a->operand;
  op->value2 = a->compare;
  return ops_post(u, op, SIM_OP_AMO, req);
}

static int ops_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                          const struct fab_sig *sig, fab_req_t *req) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SIGNAL);
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "the source of a put of %" PRIu64 " bytes is NULL", len);
  if (sig->op != FAB_SIG_SET && sig->op != FAB_SIG_ADD)
    return EYOTI_FAIL(EYOT_EINVAL, "%d is not a signal operation", (int)sig->op);
  if (sig->at.off % 8 != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %" PRIu64 " of a signal is not a multiple of 8",
                      sig->at.off);
  if (len == 0) dst = sig->at;
  if (sig->at.unit != dst.unit)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the signal is for unit %u, the bytes for unit %u; both must be for one unit",
                      sig->at.unit, dst.unit);
  EYOTI_TRY(ops_check(u->world, sig->at, 8));
  struct sim_op *op;
  EYOTI_TRY(new_op(u, SIM_OP_SIGNAL, dst, len, req, &op));
  op->local = (void *)(uintptr_t)src;
  op->sig_op = (uint8_t)(sig->op | (uint32_t)sig->message << SIM_SIG_MESSAGE_BIT);
  op->sig_seg = sig->at.seg;
  op->value2 = sig->at.off;
  op->value = sig->value;
  return ops_post(u, op, SIM_OP_SIGNAL, req);
}

static int ops_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_REQ);
  return ops_leave(u, sim_wait_test(u, req, level, done));
}

static int ops_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_REQ);
  return ops_leave(u, sim_wait_req(u, req, level));
}

static int ops_check_unit(const struct sim_unit *u, fab_unit_t unit) {
  if (unit != FAB_ALL && unit >= u->fab.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, u->fab.n);
  return EYOT_OK;
}

static int ops_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_FLUSH);
  EYOTI_TRY(ops_check_unit(u, unit));
  return ops_leave(u, sim_engine_flush(u, f->set, unit, level));
}

static int ops_order(struct fab *f, fab_unit_t unit) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_ORDER);
  EYOTI_TRY(ops_check_unit(u, unit));
  return ops_leave(u, sim_wait_order(u, f->set, unit));
}

static int ops_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                        uint64_t *seen) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_WAIT_MEM);
  if (__builtin_expect(u->world->bound.tally != NULL, 0))
    sim_bound_place(u, fab_at(f->me, cond->seg, cond->off));
  return ops_leave(u, sim_wait_word(u, cond, timeout_ns, seen));
}

static int ops_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                        uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_WAIT_MEM);
  return ops_leave(u, sim_wait_any(u, conds, n, timeout_ns, index, held));
}

static int ops_progress(struct fab *f) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_TIME);
  ops_spend(u);
  return ops_leave(u, EYOT_OK);
}

static int ops_locate(struct fab *f, fab_unit_t unit, eyot_place_t *place) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_TIME);
  if (unit >= f->n) return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", unit, f->n);
  sim_net_place(u->world->net, unit, place);
  return ops_leave(u, EYOT_OK);
}

static uint32_t ops_per_node(const struct fab *f) {
  return sim_net_per_node(((const struct sim_unit *)(const void *)f)->world->net);
}

/* A loop that only reads the clock, as programs wait for a second, would be a hundred million
 * calls: after READS_EXACT_PS of reads in a row each costs 1/READS_PART of them, and READ_MOST_PS
 * at most, by which the loop may end late. The untimed engine has a way of its own. */
#define READS_EXACT_PS (100000u * SIM_PS_PER_NS)
#define READS_PART 256u
#define READ_MOST_PS (10000u * SIM_PS_PER_NS) /* without it a loop by number would never end */
static void spend_read(struct sim_unit *u) {
  uint64_t ps = sim_net_local_ps(u->world->net, 0);
  if (u->local_ps != u->read_ps) u->reads_from_ps = u->local_ps;
  uint64_t in_row_ps = u->local_ps - u->reads_from_ps;
  uint64_t part_ps = in_row_ps / READS_PART < READ_MOST_PS ? in_row_ps / READS_PART : READ_MOST_PS;
  if (in_row_ps > READS_EXACT_PS && u->world->untimed == NULL && part_ps > ps) ps = part_ps;
  sim_engine_spend(u, ps);
  u->read_ps = u->local_ps;
}

static uint64_t ops_now_ns(struct fab *f) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_TIME);
  spend_read(u);
  (void)ops_leave(u, EYOT_OK);
  return u->local_ps / SIM_PS_PER_NS;
}

static int ops_compute(struct fab *f, uint64_t ns) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_TIME);
  uint64_t ps = sim_net_local_ps(u->world->net, 0);
  if (u->world->opt.compute == EYOTI_COMPUTE_DECLARED) {
    uint64_t end;
    if (__builtin_mul_overflow(ns, SIM_PS_PER_NS, &ps) ||
        __builtin_add_overflow(u->local_ps, ps, &end) || end >= SIM_TIME_END_PS)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%" PRIu64 " ns of computation are beyond the end of virtual time", ns);
    sim_away_computes(u);
  }
  sim_engine_spend(u, ps);
  return ops_leave(u, EYOT_OK);
}

/* A sleep that would pass the end of virtual time ends there, and the run with it. */
static void ops_sleep(struct fab *f, uint64_t ns) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_SLEEP);
  uint64_t left_ps = SIM_TIME_END_PS - u->local_ps, ps;
  if (__builtin_mul_overflow(ns, SIM_PS_PER_NS, &ps) || ps > left_ps) ps = left_ps;
  uint64_t least_ps = sim_net_local_ps(u->world->net, 0);
  sim_away_computes(u);
  sim_engine_spend(u, ps > least_ps ? ps : least_ps);
  (void)ops_leave(u, EYOT_OK);
}

static void ops_deep(struct fab *f, void (*fn)(void *arg), void *arg) {
  struct sim_world *w = sim_unit_of(f)->world;
  w->exec_ops->deep(w->exec, f->me, fn, arg);
}

static void ops_phase(struct fab *f, const char *name) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_TIME);
  sim_unit_phase(u, name);
  (void)ops_leave(u, EYOT_OK);
}

__attribute__((noreturn)) static void ops_abort_run(struct fab *f, int code, const char *reason) {
  struct sim_unit *u = sim_unit_of(f);
  eyoti_fprintf(stderr, "eyot: unit %u aborted the run with code %d at virtual %.3f us: %s\n",
                f->me, code, (double)u->local_ps * 1e-6,
                reason != NULL ? reason : "no reason given");
  if (u->rt.ends_by == EYOT_EMISMATCH) u->world->reports->calls(u);
  sim_world_stop(u->world, code & 0xff);
  sim_unit_block(u, SIM_ENDED);
  EYOTI_PANIC("unit %u was run after it aborted the run", f->me);
}

__attribute__((noreturn)) static void ops_exit_all(struct fab *f, int code) {
  struct sim_unit *u = sim_unit_of(f);
  sim_world_finish(u->world, code & 0xff);
  sim_unit_block(u, SIM_ENDED);
  EYOTI_PANIC("unit %u was run after it ended the run", f->me);
}

static int close_unit(struct fab *f) {
  struct sim_unit *u = ops_enter(f, SIM_CALL_CLOSE);
  int rc = sim_engine_flush(u, FAB_SET_ALL, FAB_ALL, FAB_REMOTE);
  sim_unit_phase(u, NULL);
  u->closed = true;
  return ops_leave(u, rc);
}

const struct fab_ops sim_fab_ops = {
    .abi = FAB_ABI,
    .name = "sim",
    .seg_create = ops_seg_create,
    .seg_reserve = ops_seg_reserve,
    .seg_reach = ops_seg_reach,
    .seg_available = ops_seg_available,
    .seg_secure = ops_seg_secure,
    .seg_destroy = ops_seg_destroy,
    .seg_ptr = ops_seg_ptr,
    .seg_map = ops_seg_map,
    .seg_common = ops_seg_common,
    .seg_find = ops_seg_find,
    .seg_look = ops_seg_look,
    .seg_data = ops_seg_data,
    .seg_data_known = ops_seg_data_known,
    .attach = ops_attach,
    .detach = ops_detach,
    .put = ops_put,
    .get = ops_get,
    .amo = ops_amo,
    .put_signal = ops_put_signal,
    .req_test = ops_req_test,
    .req_wait = ops_req_wait,
    .flush = ops_flush,
    .order = ops_order,
    .wait_mem = ops_wait_mem,
    .wait_any = ops_wait_any,
    .progress = ops_progress,
    .locate = ops_locate,
    .per_node = ops_per_node,
    .now_ns = ops_now_ns,
    .compute = ops_compute,
    .sleep = ops_sleep,
    .deep = ops_deep,
    .phase = ops_phase,
    .abort = ops_abort_run,
    .exit_all = ops_exit_all,
    .close = close_unit,
};
