/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c - put with signal (eyot/signal.h). */
#include <inttypes.h>

#include "rma/rma.h"

int eyoti_rma_word_at(struct eyot_rt *rt, eyot_gptr_t word, uint32_t bytes, const char *name,
                      struct fab_addr *out) {
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, word, bytes, &a));
  /* The key of attached memory is the fabric's own; only the fabric knows its address. */
  if (a.seg != FAB_SEG_ATTACHED && a.off % bytes != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "the %s is at %s; expected a multiple of %u", name,
                      eyoti_gmem_byte_words(rt, word, (char[EYOTI_BYTE_WORDS]){0}), bytes);
  *out = a;
  return EYOT_OK;
}

int eyoti_rma_signal(struct eyot_rt *rt, const struct eyoti_message *m, fab_req_t *req) {
  if (m->op != EYOT_SIGNAL_SET && m->op != EYOT_SIGNAL_ADD)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "signal operation %d is neither EYOT_SIGNAL_SET nor EYOT_SIGNAL_ADD",
                      (int)m->op);
  if (m->src == NULL && m->len > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "source is NULL, length %" PRId64, (int64_t)m->len);
  struct fab_sig sig = {.op = m->op == EYOT_SIGNAL_ADD ? FAB_SIG_ADD : FAB_SIG_SET,
                        .value = m->value};
  EYOTI_TRY(eyoti_rma_word_at(rt, m->sig, 8, "signal word", &sig.at));
  struct fab_addr a = sig.at; /* ignored when there are no bytes */
  if (m->len > 0) EYOTI_TRY(eyoti_gmem_resolve(rt, m->dst, m->len, &a));
  if (a.unit != sig.at.unit)
    return EYOTI_FAIL(
        EYOT_EUNIT,
        "the bytes go to unit %u but the signal word is on unit %u; both must be on one unit",
        a.unit, sig.at.unit);
  return fab_put_signal(rt->fab, a, m->src, m->len, &sig, req);
}

int eyot_put_signal(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                    eyot_signal_op_t op, uint64_t value) {
  EYOTI_ENTER(rt);
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_rma_signal(rt, &(struct eyoti_message){dst, src, len, sig, op, value}, &req));
  return fab_req_end(rt->fab, sig.unit, req);
}

int eyot_put_signal_local(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                          eyot_signal_op_t op, uint64_t value) {
  EYOTI_ENTER(rt);
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_rma_signal(rt, &(struct eyoti_message){dst, src, len, sig, op, value}, &req));
  return fab_req_release(rt->fab, sig.unit, req);
}

int eyot_put_signal_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                       eyot_signal_op_t op, uint64_t value, eyot_handle_t *handle) {
  EYOTI_ENTER(rt);
  if (handle == NULL)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "handle is NULL; use eyot_put_signal_nbi for an operation that is completed by flush");
  fab_req_t req = 0;
  EYOTI_TRY(eyoti_rma_signal(rt, &(struct eyoti_message){dst, src, len, sig, op, value}, &req));
  eyoti_handle_give(rt, req, handle);
  return EYOT_OK;
}

int eyot_put_signal_nbi(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                        eyot_signal_op_t op, uint64_t value) {
  EYOTI_ENTER(rt);
  return eyoti_rma_signal(rt, &(struct eyoti_message){dst, src, len, sig, op, value}, NULL);
}
