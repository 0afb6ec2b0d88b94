/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - what a unit has started (state.h): memory, handles and lists of operations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wording.h"
#include "msg/arrivals.h"

#define INDEX_BITS 20u /* of a handle; the generation lies above */
#define KIND "message"

/* Clears its first members, up to offset `clear`. */
static inline int op_make(struct eyot_rt *rt, struct eyoti_msgs *m, enum eyoti_msg_role role,
                          size_t clear, struct eyoti_msg_op **out) {
  struct eyoti_msg_op *op = m->spare;
  if (op != NULL)
    m->spare = op->next;
  else if ((op = malloc(sizeof *op)) == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for a message (%zu bytes)", sizeof *op);
  __asm__("" : "+r"(clear)); /* of a size that it knows, gcc writes single words in a slow loop */
  memset(op, 0, clear);
  op->role = role;
  op->what = eyoti_rt_shown(rt);
  op->site = eyoti_rt_site(rt);
  *out = op;
  return EYOT_OK;
}

int eyoti_msg_op_new(struct eyot_rt *rt, struct eyoti_msgs *m, enum eyoti_msg_role role,
                     struct eyoti_msg_op **out) {
  return op_make(rt, m, role, offsetof(struct eyoti_msg_op, image), out);
}

int eyoti_msg_op_new_lean(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op **out) {
  EYOTI_TRY(op_make(rt, m, EYOTI_MSG_RECV, offsetof(struct eyoti_msg_op, stamp), out));
  (*out)->lean = true;
  return EYOT_OK;
}

int eyoti_msg_op_name(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  uint32_t index;
  uint64_t gen;
  EYOTI_TRY(eyoti_idtab_add(&m->ops, op, &index, &gen));
  if (__builtin_expect(index == EYOTI_IDTAB_NONE, 0))
    return EYOTI_MSG_FAIL(rt, EYOT_EBUSY,
                          "no handle is left for another message: complete some of the %u",
                          m->ops.live);
  op->handle.id = gen << INDEX_BITS | index;
  op->team->msgs_open++;
  op->any_at = m->any.last;
  m->any.sends += op->role == EYOTI_MSG_SEND;
  if (op->over) eyoti_msg_ready_add(m, op);
  eyoti_observe_made(rt, KIND, op->handle.id, 0);
  return EYOT_OK;
}

void eyoti_msg_op_free(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (op->handle.id != 0) {
    eyoti_idtab_del(&m->ops, (uint32_t)op->handle.id & ((1u << INDEX_BITS) - 1));
    eyoti_observe_released(rt, KIND, op->handle.id);
    eyoti_observe_completed(rt, op);
    op->team->msgs_open--;
    m->any.sends -= op->role == EYOTI_MSG_SEND;
    if (op->ready) eyoti_msg_ready_remove(m, op);
  }
  if (op->found != NULL) eyoti_msg_arrival_free(m, op->found);
  op->found = NULL;
  op->next = m->spare;
  m->spare = op;
}

struct eyoti_msg_op *eyoti_msg_op_of(const struct eyoti_msgs *m, eyot_msg_t handle) {
  return eyoti_idtab_get(&m->ops, (uint32_t)handle.id & ((1u << INDEX_BITS) - 1),
                         handle.id >> INDEX_BITS, EYOTI_IDTAB_GEN_BITS);
}

void eyoti_msg_op_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, int rc) {
  op->over = true;
  op->rc = rc;
  if (op->background)
    eyoti_msg_op_free(rt, m, op);
  else if (op->handle.id != 0)
    eyoti_msg_ready_add(m, op);
}

void eyoti_msg_queue_add(struct eyoti_msg_queue *q, struct eyoti_msg_op *op) {
  op->next = NULL;
  if (q->tail != NULL)
    q->tail->next = op;
  else
    q->head = op;
  q->tail = op;
}

void eyoti_msg_queue_remove(struct eyoti_msg_queue *q, struct eyoti_msg_op *op) {
  struct eyoti_msg_op *before = NULL;
  for (struct eyoti_msg_op *o = q->head; o != op; o = o->next) {
    EYOTI_ASSERT(o != NULL);
    before = o;
  }
  if (before != NULL)
    before->next = op->next;
  else
    q->head = op->next;
  if (q->tail == op) q->tail = before;
  op->next = NULL;
}

const char *eyoti_msg_words(const struct eyoti_msg_key *key, uint64_t bytes,
                            char text[EYOTI_MSG_WORDS]) {
  eyoti_snprintf(text, EYOTI_MSG_WORDS, "of %" PRIu64 " bytes from unit %u, tag %d", bytes,
                 key->from, (int)key->tag);
  return text;
}
