/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - implements count.h: overrides the operations that are counted. */
#include "fabric/count.h"

#include <stdlib.h>

#include "base/check.h"

static struct eyoti_count *counting(struct fab *f) {
  return (struct eyoti_count *)(void *)f;
}

_Static_assert(offsetof(struct eyoti_count, forward.fab) == 0,
               "the endpoint is the first member of the counter");

static struct fab *count_inner(struct fab *f) {
  return eyoti_forward_inner(f);
}

/* Adds one to the count of an accepted operation on the own memory, or on that of other units. */
static bool add_one(const struct fab *f, fab_unit_t to, uint64_t *others, uint64_t *own) {
  bool other = to != f->me;
  ++*(other ? others : own);
  return other;
}

static int count_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                     fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->put(in, dst, src, len, req));
  if (add_one(f, dst.unit, &k->puts, &k->own_puts)) k->put_bytes += len;
  return EYOT_OK;
}

static int count_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len, fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->get(in, dst, src, len, req));
  if (add_one(f, src.unit, &k->gets, &k->own_gets)) k->get_bytes += len;
  return EYOT_OK;
}

static int count_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old,
                     fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->amo(in, dst, a, old, req));
  if (add_one(f, dst.unit, &k->atomics, &k->own_atomics) && old != NULL) k->fetching++;
  return EYOT_OK;
}

static int count_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                            const struct fab_sig *sig, fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->put_signal(in, dst, src, len, sig, req));
  if (add_one(f, sig->at.unit, &k->signals, &k->own_signals)) k->put_bytes += len;
  return EYOT_OK;
}

static int count_message(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                         const struct fab_sig *sig, const struct fab_addr *least, fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(fab_message(in, dst, src, len, sig, least, req));
  if (add_one(f, sig->at.unit, &k->signals, &k->own_signals)) k->put_bytes += len;
  return EYOT_OK;
}

static int count_send(struct fab *f, const struct fab_sig *sig, const void *src, uint64_t len,
                      fab_req_t *req) {
  struct fab *in = count_inner(f);
  eyot_counts_t *k = &counting(f)->counts;
  EYOTI_TRY(in->ops->send(in, sig, src, len, req));
  if (add_one(f, sig->at.unit, &k->signals, &k->own_signals)) k->put_bytes += len;
  return EYOT_OK;
}

static int count_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fab *in = count_inner(f);
  EYOTI_TRY(in->ops->flush(in, unit, level));
  counting(f)->counts.flushes++;
  return EYOT_OK;
}

static int count_order(struct fab *f, fab_unit_t unit) {
  struct fab *in = count_inner(f);
  EYOTI_TRY(in->ops->order(in, unit));
  counting(f)->counts.orders++;
  return EYOT_OK;
}

static int count_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                          uint64_t *seen) {
  struct fab *in = count_inner(f);
  counting(f)->counts.waits++;
  return in->ops->wait_mem(in, cond, timeout_ns, seen);
}

static int count_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                          uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct fab *in = count_inner(f);
  counting(f)->counts.waits++;
  return in->ops->wait_any(in, conds, n, timeout_ns, index, held);
}

int eyoti_count_new(const struct fab *like, struct eyoti_count **out) {
  struct eyoti_count *c = calloc(1, sizeof *c);
  if (c == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for counters (%zu bytes)", sizeof *c);
  struct fab_ops *ops = &c->forward.ops;
  eyoti_forward_init(&c->forward, like);
  ops->put = count_put;
  ops->get = count_get;
  ops->amo = count_amo;
  ops->put_signal = count_put_signal;
  if (ops->message != NULL) ops->message = count_message;
  if (ops->send != NULL) ops->send = count_send;
  ops->flush = count_flush;
  ops->order = count_order;
  ops->wait_mem = count_wait_mem;
  ops->wait_any = count_wait_any;
  *out = c;
  return EYOT_OK;
}

void eyoti_count_delete(struct eyoti_count *c) {
  EYOTI_ASSERT(c->forward.inner == NULL);
  free(c);
}
