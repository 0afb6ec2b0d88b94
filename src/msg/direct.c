/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.c - long messages to another node by the fabric's own messages (fab_ops.send and expect),
 * where it has them. The sender hands its bytes over with the envelope; they land in the receiver's
 * buffer when a receive has matched. So a transfer needs the sender's processor only as far as the
 * network's own messages do, while a get from its memory waits for a call of the sender's. A sender
 * that waits in its call serves such a get, which is faster: that one stays.
 *
 * An envelope and its bytes are matched by sender and number: a word that all units have, and that
 * nobody sets, stands for messages here, and the value is the one that the receiver sets the
 * sender's word to, which no other message of that sender has. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "msg/state.h"

#define DIRECT_MOST INT32_MAX /* bytes, of the fabric's messages */

bool eyoti_msg_direct_can(struct eyot_rt *rt, fab_unit_t to, uint64_t bytes) {
  const struct fab *f = rt->fab;
  bool mapped = to - f->local.first < f->local.n;
  return f->ops->send != NULL && !mapped && bytes <= DIRECT_MOST;
}

static struct fab_sig name_of(struct eyot_rt *rt, fab_unit_t at, uint64_t value) {
  return (struct fab_sig){
      .at = eyoti_msg_word_at(rt, at, EYOTI_MSG_LINKED_OFF), .op = FAB_SIG_SET, .value = value};
}

int eyoti_msg_direct_send(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  const struct fab_sig name = name_of(rt, op->to, op->value);
  const void *from = op->copy != 0
                         ? eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, op->copy))
                         : op->buf;
  return rt->fab->ops->send(rt->fab, &name, from, op->bytes, &op->req);
}

int eyoti_msg_direct_expect(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                            uint64_t len) {
  struct fab *f = rt->fab;
  const struct fab_sig name = name_of(rt, f->me, op->ends.value);
  if (op->status.bytes == 0) return f->ops->expect(f, op->key.from, &name, NULL, len, NULL);
  if (op->status.dropped > 0 && (op->scratch = malloc(len)) == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for a message of %" PRIu64 " bytes", len);
  int rc = eyoti_msg_done_take(rt, m, op);
  const struct fab_sig landed = {
      .at = eyoti_gmem_heap_at(rt, f->me, op->done), .op = FAB_SIG_SET, .value = op->value};
  if (rc == EYOT_OK)
    rc = f->ops->expect(f, op->key.from, &name, op->scratch != NULL ? op->scratch : op->buf, len,
                        &landed);
  op->direct = rc == EYOT_OK;
  if (rc != EYOT_OK) eyoti_msg_direct_end(rt, m, op);
  return rc;
}

const uint64_t *eyoti_msg_direct_word(struct eyot_rt *rt, const struct eyoti_msg_op *op) {
  return eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, op->done));
}

int eyoti_msg_direct_wait(struct eyot_rt *rt, const struct eyoti_msg_op *op) {
  const struct fab_addr at = eyoti_gmem_heap_at(rt, rt->fab->me, op->done);
  const struct fab_cond landed = {.seg = at.seg, .cmp = FAB_GE, .off = at.off, .value = op->value};
  return fab_wait_word(rt->fab, &landed, FAB_FOREVER, NULL);
}

void eyoti_msg_direct_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (op->direct && op->scratch != NULL) memcpy(op->buf, op->scratch, op->status.bytes);
  if (op->direct) eyoti_observe_writes(rt, op->buf, op->status.bytes);
  free(op->scratch);
  op->scratch = NULL;
  if (op->done != 0) eyoti_msg_done_give(m, op);
  op->direct = false;
}

void eyoti_msg_direct_withdraw(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  const struct fab_sig name = name_of(rt, rt->fab->me, op->ends.value);
  (void)rt->fab->ops->expect(rt->fab, op->key.from, &name, NULL, 0, NULL);
  eyoti_msg_queue_remove(&m->landing, op);
  op->direct = false;
  eyoti_msg_direct_end(rt, m, op);
}

int eyoti_msg_direct_refuse(struct eyot_rt *rt) {
  struct fab *f = rt->fab;
  if (f->ops->expect == NULL) return EYOT_OK;
  const struct fab_sig name = name_of(rt, f->me, 0);
  return f->ops->expect(f, FAB_ALL, &name, NULL, 0, NULL);
}
