/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.c - posting in the fake fabric: checks arguments and queues the operation, which takes no
 * effect yet (except in FAKE_EAGER and on mapped memory). */
#include <stdlib.h>
#include <string.h>

#include "fake/state.h"

int fake_enter(struct fake_unit *u) {
  struct fake_world *w = u->w;
  if (w->down) return EYOT_EPEERDOWN;
  if (w->o.fail_unit != 0 && w->o.fail_unit - 1 != u->fab.me) return EYOT_OK;
  w->calls++;
  if (w->calls == w->o.fail_op) return w->o.fail_code;
  return EYOT_OK;
}

int fake_check(struct fake_unit *u, struct fab_addr a, uint64_t len) {
  const struct fake_world *w = u->w;
  if (a.unit >= w->o.n)
    return EYOTI_FAIL(EYOT_EUNIT, "there is no unit %u (there are %u)", a.unit, w->o.n);
  if (a.seg == FAB_SEG_ATTACHED) return EYOT_OK; /* only the target knows its bounds */
  if (a.seg >= FAB_SEG_MAX || w->segs[a.seg].base == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "there is no segment %u", a.seg);
  uint64_t have = w->segs[a.seg].len + (w->o.fault == FAKE_OFF_BY_ONE ? 1 : 0);
  if (len > have || a.off > have - len)
    return EYOTI_FAIL(EYOT_ERANGE, "bytes [%llu, +%llu) are outside segment %u of %llu bytes",
                      (unsigned long long)a.off, (unsigned long long)len, a.seg,
                      (unsigned long long)have);
  return EYOT_OK;
}

static bool fake_cap(struct fake_unit *u) {
  return u->inflight < u->w->o.max_outstanding;
}

static int new_req(struct fake_unit *u, struct fake_op *op, fab_req_t *req) {
  uint32_t i = 0;
  while (i < u->n_slots && u->slots[i].op != NULL) i++;
  if (i == u->n_slots) {
    if (i == FAKE_REQS_MAX)
      return EYOTI_FAIL(EYOT_EBUSY, "%u requests were never retired", FAKE_REQS_MAX);
    u->n_slots = u->n_slots == 0 ? 16 : u->n_slots * 2;
    u->slots = fake_grow(u->slots, u->n_slots * sizeof *u->slots);
    memset(&u->slots[i], 0, (u->n_slots - i) * sizeof *u->slots);
  }
  u->slots[i].op = op;
  u->slots[i].gen++;
  op->has_req = true;
  *req = (uint64_t)(u->slots[i].gen & INT32_MAX) << 32 | (i + 1u);
  return EYOT_OK;
}

static bool at_once(const struct fake_unit *u, const struct fake_op *op) {
  const struct fake_world *w = u->w;
  if (w->o.mode == FAKE_EAGER || (w->o.mapped && fake_same_node(w, op->origin, op->target)))
    return true;
  return w->o.fault == FAKE_IMMEDIATE && (op->kind == FAKE_PUT || op->kind == FAKE_SIG);
}

static int post(struct fake_unit *u, struct fake_op *op, fab_req_t *req) {
  struct fake_world *w = u->w;
  fake_offer(u);
  int rc = EYOT_OK;
  if (!fake_cap(u)) rc = fake_park(u, fake_cap, UINT64_MAX, "room for another operation in flight");
  if (rc == 0 && req != NULL) rc = new_req(u, op, req);
  if (rc != 0) {
    fake_op_free(op);
    return rc;
  }
  op->origin = u->fab.me;
  op->by = eyoti_rt_thread();
  op->epoch = u->epoch[op->target];
  op->set = fab_set_now(&u->fab);
  for (uint32_t i = 0; i < u->n_set_orders; i++) {
    const struct fake_set_order *o = &u->set_orders[i];
    if (o->set == op->set && o->target == op->target) op->after = o->seq;
  }
  if (op->len > 0) op->buf = fake_alloc(op->len);
  fake_post(w, op);
  if (at_once(u, op))
    fake_complete(w, op);
  else
    fake_offer(u);
  return EYOT_OK;
}

static struct fake_op *op_of(struct fake_unit *u, enum fake_kind kind, struct fab_addr a,
                             uint64_t len) {
  struct fake_op *op = fake_alloc(sizeof *op);
  *op = (struct fake_op){.kind = kind,
                         .target = a.unit < u->w->o.n ? a.unit : 0,
                         .seg = a.seg,
                         .off = a.off,
                         .len = len};
  return op;
}

static struct fab_addr faulty(const struct fake_unit *u, struct fab_addr a) {
  if (u->w->o.fault == FAKE_ANY_UNIT && a.unit >= u->w->o.n) a.unit = 0;
  return a;
}

int fake_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  dst = faulty(u, dst);
  EYOTI_TRY(fake_check(u, dst, len));
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "no source for %llu bytes", (unsigned long long)len);
  struct fake_op *op = op_of(u, FAKE_PUT, dst, len);
  op->local = (unsigned char *)(uintptr_t)src;
  return post(u, op, req);
}

int fake_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  src = faulty(u, src);
  EYOTI_TRY(fake_check(u, src, len));
  if (dst == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "no destination for %llu bytes", (unsigned long long)len);
  struct fake_op *op = op_of(u, FAKE_GET, src, len);
  op->local = dst;
  return post(u, op, req);
}

int fake_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *amo, uint64_t *old,
             fab_req_t *req) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  if (amo->width != 4 && amo->width != 8)
    return EYOTI_FAIL(EYOT_EINVAL, "an atomic is 4 or 8 bytes wide, not %u", amo->width);
  if ((uint32_t)amo->op > FAB_AMO_CAS)
    return EYOTI_FAIL(EYOT_EINVAL, "there is no atomic operation %u", amo->op);
  dst = faulty(u, dst);
  EYOTI_TRY(fake_check(u, dst, amo->width));
  if (dst.off % amo->width != 0 && u->w->o.fault != FAKE_MISALIGNED_AMO)
    return EYOTI_FAIL(EYOT_EALIGN, "offset %llu is not aligned to %u", (unsigned long long)dst.off,
                      amo->width);
  struct fake_op *op = op_of(u, FAKE_AMO, dst, 0);
  op->amo = *amo;
  op->old_to = old;
  return post(u, op, req);
}

int fake_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                    const struct fab_sig *sig, fab_req_t *req) {
  struct fake_unit *u = fake_of(f);
  EYOTI_TRY(fake_enter(u));
  struct fab_addr at = faulty(u, sig->at);
  dst = len > 0 ? faulty(u, dst) : at;
  EYOTI_TRY(fake_check(u, at, sizeof(uint64_t)));
  EYOTI_TRY(fake_check(u, dst, len));
  if (at.unit != dst.unit)
    return EYOTI_FAIL(EYOT_EUNIT, "the signal is on unit %u, the bytes on unit %u", at.unit,
                      dst.unit);
  if (at.off % sizeof(uint64_t) != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "signal offset %llu is not aligned to 8",
                      (unsigned long long)at.off);
  if (sig->op != FAB_SIG_SET && sig->op != FAB_SIG_ADD)
    return EYOTI_FAIL(EYOT_EINVAL, "there is no signal operation %u", sig->op);
  if (src == NULL && len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "no source for %llu bytes", (unsigned long long)len);
  struct fake_op *op = op_of(u, FAKE_SIG, dst, len);
  op->local = (unsigned char *)(uintptr_t)src;
  op->sig = *sig;
  op->sig.at = at;
  return post(u, op, req);
}
