/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.c - implements forward.h. The forwarding functions are written out, one for each
 * operation of the contract. */
#include "fabric/forward.h"

#include "base/check.h"

static struct fab *forward_inner(struct fab *f) {
  return eyoti_forward_inner(f);
}

static int forward_seg_create(struct fab *f, uint64_t len, fab_seg_t *seg) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_create(in, len, seg);
}

static int forward_seg_reserve(struct fab *f, uint64_t len, uint64_t promised, uint64_t *front,
                               fab_seg_t *seg) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_reserve(in, len, promised, front, seg);
}

static int forward_seg_reach(struct fab *f, uint64_t want, uint64_t *len) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_reach(in, want, len);
}

static int forward_seg_available(struct fab *f, uint64_t *len) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_available(in, len);
}

static int forward_seg_destroy(struct fab *f, fab_seg_t seg) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_destroy(in, seg);
}

static int forward_seg_ptr(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off,
                           void **ptr) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_ptr(in, seg, unit, off, ptr);
}

static int forward_seg_map(struct fab *f, fab_seg_t seg, char **base, uint64_t *stride) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_map(in, seg, base, stride);
}

static int forward_seg_common(struct fab *f, fab_seg_t seg, fab_unit_t unit, uint64_t off,
                              void **ptr) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_common(in, seg, unit, off, ptr);
}

static bool forward_seg_find(struct fab *f, fab_seg_t seg, const void *p, uint64_t len,
                             fab_unit_t *unit, uint64_t *off) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_find(in, seg, p, len, unit, off);
}

static int forward_seg_look(struct fab *f, struct fab_addr a, void *dst, uint64_t len) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_look(in, a, dst, len);
}

static int seg_return(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_return(in, seg, off, len);
}

static int seg_secure(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_secure(in, seg, off, len);
}

static int forward_seg_data(struct fab *f, struct fab_data *data) {
  struct fab *in = forward_inner(f);
  return in->ops->seg_data(in, data);
}

static bool forward_seg_data_known(const struct fab *f, struct fab_data *data) {
  const struct fab *in = ((const struct eyoti_forward *)(const void *)f)->inner;
  return in->ops->seg_data_known(in, data);
}

static int forward_attach(struct fab *f, void *addr, uint64_t len, uint64_t *key) {
  struct fab *in = forward_inner(f);
  return in->ops->attach(in, addr, len, key);
}

static int forward_detach(struct fab *f, uint64_t key) {
  struct fab *in = forward_inner(f);
  return in->ops->detach(in, key);
}

static int forward_put(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                       fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->put(in, dst, src, len, req);
}

static int forward_get(struct fab *f, void *dst, struct fab_addr src, uint64_t len,
                       fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->get(in, dst, src, len, req);
}

static int forward_amo(struct fab *f, struct fab_addr dst, const struct fab_amo *a, uint64_t *old,
                       fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->amo(in, dst, a, old, req);
}

static int forward_put_signal(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                              const struct fab_sig *sig, fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->put_signal(in, dst, src, len, sig, req);
}

static int forward_message(struct fab *f, struct fab_addr dst, const void *src, uint64_t len,
                           const struct fab_sig *sig, const struct fab_addr *least,
                           fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->message(in, dst, src, len, sig, least, req);
}

static int forward_message_least(struct fab *f, struct fab_addr word, uint64_t value) {
  struct fab *in = forward_inner(f);
  return in->ops->message_least(in, word, value);
}

static int forward_send(struct fab *f, const struct fab_sig *sig, const void *src, uint64_t len,
                        fab_req_t *req) {
  struct fab *in = forward_inner(f);
  return in->ops->send(in, sig, src, len, req);
}

static int forward_expect(struct fab *f, fab_unit_t from, const struct fab_sig *sig, void *dst,
                          uint64_t len, const struct fab_sig *landed) {
  struct fab *in = forward_inner(f);
  return in->ops->expect(in, from, sig, dst, len, landed);
}

static int forward_req_test(struct fab *f, fab_req_t req, enum fab_level level, bool *done) {
  struct fab *in = forward_inner(f);
  return in->ops->req_test(in, req, level, done);
}

static int forward_req_wait(struct fab *f, fab_req_t req, enum fab_level level) {
  struct fab *in = forward_inner(f);
  return in->ops->req_wait(in, req, level);
}

static int forward_flush(struct fab *f, fab_unit_t unit, enum fab_level level) {
  struct fab *in = forward_inner(f);
  return in->ops->flush(in, unit, level);
}

static int forward_order(struct fab *f, fab_unit_t unit) {
  struct fab *in = forward_inner(f);
  return in->ops->order(in, unit);
}

static int forward_wait_mem(struct fab *f, const struct fab_cond *cond, uint64_t timeout_ns,
                            uint64_t *seen) {
  struct fab *in = forward_inner(f);
  return in->ops->wait_mem(in, cond, timeout_ns, seen);
}

static int forward_wait_any(struct fab *f, const struct fab_cond *conds, uint32_t n,
                            uint64_t timeout_ns, uint32_t *index, uint32_t *held) {
  struct fab *in = forward_inner(f);
  return in->ops->wait_any(in, conds, n, timeout_ns, index, held);
}

static int forward_wait_low(struct fab *f, struct fab_addr at, uint32_t value) {
  struct fab *in = forward_inner(f);
  return in->ops->wait_low(in, at, value);
}

static void forward_tries(struct fab *f, uint64_t timeout_ns) {
  struct fab *in = forward_inner(f);
  in->ops->tries(in, timeout_ns);
}

static int forward_progress(struct fab *f) {
  struct fab *in = forward_inner(f);
  return in->ops->progress(in);
}

static void forward_wake(struct fab *f, fab_unit_t unit) {
  struct fab *in = forward_inner(f);
  in->ops->wake(in, unit);
}

static uint32_t forward_per_node(const struct fab *f) {
  const struct fab *in = ((const struct eyoti_forward *)(const void *)f)->inner;
  return in->ops->per_node(in);
}

static int forward_locate(struct fab *f, fab_unit_t unit, eyot_place_t *place) {
  struct fab *in = forward_inner(f);
  return in->ops->locate(in, unit, place);
}

static uint64_t forward_now_ns(struct fab *f) {
  struct fab *in = forward_inner(f);
  return in->ops->now_ns(in);
}

static int forward_compute(struct fab *f, uint64_t ns) {
  struct fab *in = forward_inner(f);
  return in->ops->compute(in, ns);
}

static void forward_deep(struct fab *f, void (*fn)(void *arg), void *arg) {
  struct fab *in = forward_inner(f);
  in->ops->deep(in, fn, arg);
}

static void forward_phase(struct fab *f, const char *name) {
  struct fab *in = forward_inner(f);
  in->ops->phase(in, name);
}

__attribute__((noreturn)) static void forward_abort_run(struct fab *f, int code,
                                                        const char *reason) {
  struct fab *in = forward_inner(f);
  in->ops->abort(in, code, reason);
}

__attribute__((noreturn)) static void forward_exit_all(struct fab *f, int code) {
  struct fab *in = forward_inner(f);
  in->ops->exit_all(in, code);
}

static void unit_exit(struct fab *f, int how, int code) {
  struct fab *in = forward_inner(f);
  in->unit_exit(in, how, code);
}

/* Endpoints in front of the fabric's are removed before it is closed: the one that they forward to
 * is gone afterwards. The function also marks an endpoint as one that forwards. */
static int close_forwarding(struct fab *f) {
  EYOTI_PANIC("an endpoint that forwards to that of unit %u was closed", f->me);
}

static struct eyoti_forward *forwarding(struct fab *f) {
  return f->ops->close == close_forwarding ? (struct eyoti_forward *)(void *)f : NULL;
}

void eyoti_forward_init(struct eyoti_forward *w, const struct fab *like) {
  w->ops = (struct fab_ops){
      .abi = FAB_ABI,
      .name = like->ops->name,
      .model = like->ops->model,
      .check = like->ops->check,
      .seg_create = forward_seg_create,
      .seg_reserve = forward_seg_reserve,
      .seg_reach = forward_seg_reach,
      .seg_available = forward_seg_available,
      .seg_destroy = forward_seg_destroy,
      .seg_ptr = forward_seg_ptr,
      .seg_map = forward_seg_map,
      .seg_common = like->ops->seg_common != NULL ? forward_seg_common : NULL,
      .seg_find = like->ops->seg_find != NULL ? forward_seg_find : NULL,
      .seg_look = like->ops->seg_look != NULL ? forward_seg_look : NULL,
      .seg_return = like->ops->seg_return != NULL ? seg_return : NULL,
      .seg_secure = like->ops->seg_secure != NULL ? seg_secure : NULL,
      .seg_data = like->ops->seg_data != NULL ? forward_seg_data : NULL,
      .seg_data_known = like->ops->seg_data_known != NULL ? forward_seg_data_known : NULL,
      .attach = forward_attach,
      .detach = forward_detach,
      .put = forward_put,
      .get = forward_get,
      .amo = forward_amo,
      .put_signal = forward_put_signal,
      .message = like->ops->message != NULL ? forward_message : NULL,
      .message_least = like->ops->message != NULL ? forward_message_least : NULL,
      .send = like->ops->send != NULL ? forward_send : NULL,
      .expect = like->ops->expect != NULL ? forward_expect : NULL,
      .req_test = forward_req_test,
      .req_wait = forward_req_wait,
      .flush = forward_flush,
      .order = forward_order,
      .wait_mem = forward_wait_mem,
      .wait_any = forward_wait_any,
      .wait_low = like->ops->wait_low != NULL ? forward_wait_low : NULL,
      .tries = like->ops->tries != NULL ? forward_tries : NULL,
      .progress = forward_progress,
      .wake = like->ops->wake != NULL ? forward_wake : NULL,
      .locate = forward_locate,
      .per_node = like->ops->per_node != NULL ? forward_per_node : NULL,
      .now_ns = forward_now_ns,
      .compute = forward_compute,
      .deep = like->ops->deep != NULL ? forward_deep : NULL,
      .phase = forward_phase,
      .abort = forward_abort_run,
      .exit_all = forward_exit_all,
      .close = close_forwarding};
  /* unit, number of units, capabilities and mapped units do not change after open */
  w->fab = *like;
  w->fab.ops = &w->ops;
  w->fab.cpu_atomics = w->fab.quiet = false;
  if (like->unit_exit != NULL) w->fab.unit_exit = unit_exit;
  w->inner = NULL;
}

void eyoti_forward_add(struct eyoti_forward *w, struct fab **at) {
  EYOTI_ASSERT(w->inner == NULL && *at != &w->fab);
  w->inner = *at;
  w->fab.note = w->inner->note;
  *at = &w->fab;
}

struct fab **eyoti_forward_last(struct fab **head) {
  struct eyoti_forward *w;
  while ((w = forwarding(*head)) != NULL) head = &w->inner;
  return head;
}

void eyoti_forward_remove(struct eyoti_forward *w, struct fab **head) {
  while (*head != &w->fab) {
    struct eyoti_forward *before = forwarding(*head);
    EYOTI_ASSERT(before != NULL);
    head = &before->inner;
  }
  *head = eyoti_forward_inner(&w->fab);
  w->inner = NULL;
}
