/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c - put with signal, and waiting for a signal (eyot/signal.h). */
#include <inttypes.h>

#include "rma/rma.h"

_Static_assert((int)EYOT_CMP_EQ == (int)FAB_EQ && (int)EYOT_CMP_NE == (int)FAB_NE &&
                   (int)EYOT_CMP_LT == (int)FAB_LT && (int)EYOT_CMP_LE == (int)FAB_LE &&
                   (int)EYOT_CMP_GT == (int)FAB_GT && (int)EYOT_CMP_GE == (int)FAB_GE,
               "eyot's comparisons have the values of the contract's");

int eyoti_rma_signal_at(struct eyot_rt *rt, eyot_gptr_t sig, struct fab_addr *out) {
  struct fab_addr a;
  EYOTI_TRY(eyoti_gmem_resolve(rt, sig, sizeof(uint64_t), &a));
  /* The key of attached memory is the fabric's own; only the fabric knows its address. */
  if (a.seg != FAB_SEG_ATTACHED && a.off % sizeof(uint64_t) != 0)
    return EYOTI_FAIL(EYOT_EALIGN, "the signal word is at %s; expected a multiple of 8",
                      eyoti_gmem_byte_words(rt, sig, (char[EYOTI_BYTE_WORDS]){0}));
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
  EYOTI_TRY(eyoti_rma_signal_at(rt, m->sig, &sig.at));
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

static int wait_word(struct eyot_rt *rt, eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value,
                     uint64_t timeout_ns, uint64_t *seen) {
  if ((unsigned)cmp > (unsigned)EYOT_CMP_GE)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "comparison %d does not exist, expected EYOT_CMP_EQ..EYOT_CMP_GE", (int)cmp);
  struct fab_addr a;
  EYOTI_TRY(eyoti_rma_signal_at(rt, sig, &a));
  if (a.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the word is at %s; a unit waits only for words in its own memory",
                      eyoti_gmem_byte_words(rt, sig, (char[EYOTI_BYTE_WORDS]){0}));
  if (a.seg == FAB_SEG_ATTACHED)
    return EYOTI_FAIL(EYOT_ESEG,
                      "the word is in registered or dynamic memory; a unit waits only for words "
                      "that eyot allocated");
  return fab_wait_mem(rt->fab, a.seg, a.off, (enum fab_cmp)cmp, value, timeout_ns, seen);
}

int eyot_wait_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen) {
  EYOTI_ENTER(rt);
  return wait_word(rt, sig, cmp, value, FAB_FOREVER, seen);
}

int eyot_wait_until_timeout(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t timeout_ns,
                            uint64_t *seen) {
  EYOTI_ENTER(rt);
  return wait_word(rt, sig, cmp, value, timeout_ns, seen);
}

int eyot_test_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen, bool *done) {
  EYOTI_ENTER(rt);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  int rc = wait_word(rt, sig, cmp, value, 0, seen);
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *done = rc == EYOT_OK;
  return EYOT_OK;
}
