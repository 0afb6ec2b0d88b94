/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - words that messages set, in a peer's memory, and in the caller's by peers (state.h). */
#include <stdlib.h>

#include "msg/state.h"

#define DONE_WORDS 64u

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

/* -- words by which peers say that an operation is done ---------------------------------------- */

static int done_grow(struct eyot_rt *rt, struct eyoti_msgs *m) {
  uint32_t cap = m->done_cap + DONE_WORDS;
  uint64_t at, *all = realloc(m->free_done, cap * sizeof *all);
  if (all != NULL) m->free_done = all;
  if (all == NULL || eyoti_gmem_own_take(rt, DONE_WORDS * 8, false, &at) != EYOT_OK)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM,
                          "no memory in the heap for another message that waits for its receiver; "
                          "raise EYOT_HEAP_MAX");
  m->done_cap = cap;
  for (uint32_t i = 0; i < DONE_WORDS; i++) m->free_done[m->n_free_done++] = at + 8 * i;
  return EYOT_OK;
}

int eyoti_msg_done_take(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (m->n_free_done == 0) EYOTI_TRY(done_grow(rt, m));
  op->done = m->free_done[--m->n_free_done];
  op->value = ++m->done_values;
  return EYOT_OK;
}

void eyoti_msg_done_give(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  m->free_done[m->n_free_done++] = op->done;
  op->done = 0;
}
