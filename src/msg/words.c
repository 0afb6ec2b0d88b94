/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - words of a peer's memory that messages set (state.h). */
#include "msg/state.h"

int eyoti_msg_signal(struct eyot_rt *rt, struct fab_addr at, enum fab_sig_op op, uint64_t value) {
  struct fab_sig sig = {.at = at, .op = op, .value = value};
  fab_req_t req;
  EYOTI_TRY(fab_put_signal(rt->fab, at, NULL, 0, &sig, &req));
  return fab_req_release(rt->fab, at.unit, req);
}

/* Between nodes, a fabric without messages keeps the signal back until a call that makes progress:
 * this one. Its flush needs no call of the peer's, as progress processes serve it. */
int eyoti_msg_put_word(struct eyot_rt *rt, struct fab_addr dst, const void *src, uint64_t len,
                       const struct fab_sig *sig) {
  struct fab *f = rt->fab;
  fab_req_t req;
  EYOTI_TRY(fab_message(f, dst, src, len, sig, NULL, &req));
  EYOTI_TRY(fab_req_release(f, dst.unit, req));
  bool mapped = dst.unit - f->local.first < f->local.n;
  if ((f->caps & FAB_CAP_SIGNAL_LATER) == 0 || f->ops->message != NULL || mapped) return EYOT_OK;
  return f->ops->progress(f);
}
