/* count.c - see count.h. SPDX-License-Identifier: BSD-3-Clause */
#include "count.h"

#include <stdlib.h>

#include "../base/check.h"

static struct eyoti_count *counting(struct fab *f) {
  return (struct eyoti_count *)(void *)f;
}

_Static_assert(offsetof(struct eyoti_count, fab) == 0, "the endpoint is the counter");

/* The endpoint behind, told what the layers have noted. */
static struct fab *inner(struct fab *f) {
  struct eyoti_count *c = counting(f);
  c->inner->note = f->note;
  return c->inner;
}

/* Adds one to the count of an accepted operation, that of the own memory or that of others'. */
static bool add_one(const struct fab *f, fab_unit_t to, uint64_t *others, uint64_t *own) {
  bool other = to != f->me;
  ++*(other ? others : own);
  return other;
}

/* -- what is counted ----------------------------------------------------------------------------------------------------------------------
 */

static int put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, fab_req_t *req) {
  struct fab *in = inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->put(in, dst, src, len, req));
  if (add_one(f, dst.unit, &k->puts, &k->own_puts)) k->put_bytes += len;
  return EYOT_OK;
}

static int get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fab *in = inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->get(in, dst, src, len, req));
  if (add_one(f, src.unit, &k->gets, &k->own_gets)) k->get_bytes += len;
  return EYOT_OK;
}

static int amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old, fab_req_t *req) {
  struct fab *in = inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->amo(in, dst, a, old, req));
  if (add_one(f, dst.unit, &k->atomics, &k->own_atomics) && old != NULL) k->fetching++;
  return EYOT_OK;
}

static int put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len, const struct fab_sig *sig, fab_req_t *req) {
  struct fab *in = inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->put_signal(in, dst, src, len, sig, req));
  if (add_one(f, sig->at.unit, &k->signals, &k->own_signals)) k->put_bytes += len;
  return EYOT_OK;
}

static int flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fab *in = inner(f);
  EYOTI_TRY(in->ops->flush(in, unit, level));
  counting(f)->counts.flushes++;
  return EYOT_OK;
}

static int order(struct fab *f, fab_unit_t unit) {
  struct fab *in = inner(f);
  EYOTI_TRY(in->ops->order(in, unit));
  counting(f)->counts.orders++;
  return EYOT_OK;
}

static int wait_mem(struct fab *f, fab_seg_t seg, uint64_t off, enum fab_cmp cmp, uint64_t value, uint64_t timeout_ns, uint64_t *seen) {
  struct fab *in = inner(f);
  counting(f)->counts.waits++;
  return in->ops->wait_mem(in, seg, off, cmp, value, timeout_ns, seen);
}

static int wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns, uint32_t *index) {
  struct fab *in = inner(f);
  counting(f)->counts.waits++;
  return in->ops->wait_any(in, conds, n, timeout_ns, index);
}

/* -- what is only handed on
 * ---------------------------------------------------------------------------------------------------------------- */

static int seg_create(struct fab *f, uint64_t len, fab_seg_t *seg) {
  struct fab *in = inner(f);
  return in->ops->seg_create(in, len, seg);
}

static int seg_room(struct fab *f, uint64_t *len) {
  struct fab *in = inner(f);
  return in->ops->seg_room(in, len);
}

static int seg_destroy(struct fab *f, fab_seg_t seg) {
  struct fab *in = inner(f);
  return in->ops->seg_destroy(in, seg);
}

static int seg_ptr(struct fab *f, fab_seg_t seg, fab_unit_t unit, void **ptr) {
  struct fab *in = inner(f);
  return in->ops->seg_ptr(in, seg, unit, ptr);
}

static int seg_map(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride) {
  struct fab *in = inner(f);
  return in->ops->seg_map(in, seg, base, stride);
}

static int seg_look(struct fab *f, struct fab_addr a, void *dst, uint64_t len) {
  struct fab *in = inner(f);
  return in->ops->seg_look(in, a, dst, len);
}

static int attach(struct fab *f, void *addr, uint64_t len, uint64_t *key) {
  struct fab *in = inner(f);
  return in->ops->attach(in, addr, len, key);
}

static int detach(struct fab *f, uint64_t key) {
  struct fab *in = inner(f);
  return in->ops->detach(in, key);
}

static int req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct fab *in = inner(f);
  return in->ops->req_test(in, req, level, done);
}

static int req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct fab *in = inner(f);
  return in->ops->req_wait(in, req, level);
}

static int progress(struct fab *f) {
  struct fab *in = inner(f);
  return in->ops->progress(in);
}

static int locate(struct fab *f, fab_unit_t unit, eyot_place_t *place) {
  struct fab *in = inner(f);
  return in->ops->locate(in, unit, place);
}

static uint64_t now_ns(struct fab *f) {
  struct fab *in = inner(f);
  return in->ops->now_ns(in);
}

static int compute(struct fab *f, uint64_t ns) {
  struct fab *in = inner(f);
  return in->ops->compute(in, ns);
}

static void phase(struct fab *f, const char *name) {
  struct fab *in = inner(f);
  in->ops->phase(in, name);
}

__attribute__((noreturn)) static void abort_run(struct fab *f, int code, const char *reason) {
  struct fab *in = inner(f);
  in->ops->abort(in, code, reason);
}

static void unit_exit(struct fab *f, int how, int code) {
  struct fab *in = inner(f);
  in->unit_exit(in, how, code);
}

/* Whoever closes an endpoint has taken the counter away before: the endpoint behind is gone afterwards. */
static int close_counted(struct fab *f) {
  EYOTI_PANIC("the counter of unit %u was closed", f->me);
}

int eyoti_count_new(struct fab *f, struct eyoti_count **out) {
  struct eyoti_count *c = calloc(1, sizeof *c);
  if (c == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for counters (%zu bytes)", sizeof *c);
  c->ops = (struct fab_ops){.abi = FAB_ABI,
                            .name = f->ops->name,
                            .seg_create = seg_create,
                            .seg_room = seg_room,
                            .seg_destroy = seg_destroy,
                            .seg_ptr = seg_ptr,
                            .seg_map = seg_map,
                            .seg_look = f->ops->seg_look != NULL ? seg_look : NULL,
                            .attach = attach,
                            .detach = detach,
                            .put = put,
                            .get = get,
                            .amo = amo,
                            .put_signal = put_signal,
                            .req_test = req_test,
                            .req_wait = req_wait,
                            .flush = flush,
                            .order = order,
                            .wait_mem = wait_mem,
                            .wait_any = wait_any,
                            .progress = progress,
                            .locate = locate,
                            .now_ns = now_ns,
                            .compute = compute,
                            .phase = phase,
                            .abort = abort_run,
                            .close = close_counted};
  c->fab = *f; /* who, how many, capabilities and what is mapped do not change after open */
  c->fab.ops = &c->ops;
  c->fab.cpu_atomics = c->fab.quiet = false; /* every operation is to come by */
  if (f->unit_exit != NULL) c->fab.unit_exit = unit_exit;
  c->inner = f;
  *out = c;
  return EYOT_OK;
}

struct fab *eyoti_count_delete(struct eyoti_count *c) {
  struct fab *in = inner(&c->fab);
  free(c);
  return in;
}
