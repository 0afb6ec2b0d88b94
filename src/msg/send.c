/* SPDX-License-Identifier: BSD-3-Clause */
/* send.c - the sends of eyot/msg.h, and the checks that all functions share (call.h). */
#include <inttypes.h>

#include "msg/call.h"
#include "msg/layout.h"

#define BYTES_MOST (UINT64_C(1) << 57) /* as of a collective */
#define APART (UINT64_C(1) << 63)      /* no id of a team has this bit */

/* -- arguments --------------------------------------------------------------------------------- */

static int args_unit(struct eyot_rt *rt, const struct eyoti_team *t, eyot_tunit_t unit,
                     fab_unit_t *out) {
  if (unit.id >= t->size)
    return EYOTI_MSG_FAIL(rt, EYOT_EUNIT, "%s has no unit %u, expected 0..%u", EYOTI_TEAM_WORDS(t),
                          unit.id, t->size - 1);
  *out = eyoti_team_unit(t, unit.id);
  return EYOT_OK;
}

static int args_op(struct eyot_rt *rt, struct eyoti_msgs *m, enum eyoti_msg_role role,
                   const struct eyoti_msg_args *a, struct eyoti_msg_op **out) {
  struct eyoti_team *t;
  bool recv = role == EYOTI_MSG_RECV, any = recv && a->unit.id == EYOT_ANY_UNIT.id;
  fab_unit_t unit = EYOTI_MSG_ANY_FROM;
  EYOTI_TRY(eyoti_team_get(rt, a->team, &t));
  if (!any) EYOTI_TRY(args_unit(rt, t, a->unit, &unit));
  if (a->tag < 0 && !(recv && a->tag == EYOT_ANY_TAG))
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "the tag is %d, expected 0 or more%s", (int)a->tag,
                          recv ? ", or EYOT_ANY_TAG" : "");
  if (a->buf == NULL && a->bytes > 0 && a->place == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "the buffer is NULL, expected %" PRIu64 " bytes",
                          a->bytes);
  if (__builtin_expect(a->bytes > BYTES_MOST, 0) && !recv)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "a message of %" PRIu64
                          " bytes is more than memory can hold, expected at most %" PRIu64,
                          a->bytes, BYTES_MOST);
  EYOTI_TRY(eyoti_msg_op_new(rt, m, role, out));
  struct eyoti_msg_op *op = *out;
  op->team = t;
  op->to = unit;
  op->status.from = a->unit; /* of a receive that names it */
  uint64_t team = t->handle.id | (a->apart ? APART : 0);
  op->key = (struct eyoti_msg_key){team, recv ? unit : rt->fab->me, a->tag};
  op->owned = a->given;
  op->place = a->place;
  op->borrows = a->borrows;
  op->record = a->record;
  if (a->layout != NULL) op->layout = *a->layout;
  op->buf = (void *)(uintptr_t)a->buf; /* only a receive writes it */
  op->bytes = a->bytes;
  return EYOT_OK;
}

int eyoti_msg_send_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                       struct eyoti_msg_op **out) {
  return args_op(rt, m, EYOTI_MSG_SEND, a, out);
}

int eyoti_msg_recv_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                       struct eyoti_msg_op **out) {
  return args_op(rt, m, EYOTI_MSG_RECV, a, out);
}

/* -- the end of an operation ------------------------------------------------------------------- */

/* Puts the elements of a take where its layout has them. Errors: ERANGE, ENOMEM; the message is
 * lost. */
static int op_unpack(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  const eyot_own_layout_t *l = &op->layout;
  struct eyoti_owned *packed = op->owned;
  uint64_t extent, bytes = op->status.bytes;
  if (eyoti_layout_is_row(l) && bytes == eyoti_layout_bytes(l)) return EYOT_OK;
  int rc = bytes <= eyoti_layout_bytes(l)
               ? eyoti_layout_check(rt, l, &extent)
               : EYOTI_MSG_FAIL(rt, EYOT_ERANGE,
                                "a message %s does not fit into the %" PRIu64
                                " bytes of the layout, and is lost",
                                eyoti_msg_words(&op->key, bytes, (char[EYOTI_MSG_WORDS]){0}),
                                eyoti_layout_bytes(l));
  if (rc == EYOT_OK) rc = eyoti_owned_new(rt, extent, &op->owned);
  if (rc == EYOT_OK)
    eyoti_layout_unpack(rt, eyoti_owned_bytes(op->owned), eyoti_owned_bytes(packed), l, bytes);
  int rc_drop = eyoti_owned_drop(rt, packed);
  return rc != EYOT_OK ? rc : rc_drop;
}

int eyoti_msg_complete(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                       eyot_msg_status_t *status) {
  int rc = op->rc;
  const eyot_msg_status_t got = op->status;
  if (rc == EYOT_OK && got.dropped > 0)
    rc = EYOTI_MSG_FAIL(
        rt, EYOT_ERANGE,
        "a message %s does not fit into the %" PRIu64 " bytes of the receive: %" PRIu64
        " are dropped",
        eyoti_msg_words(&op->key, got.bytes + got.dropped, (char[EYOTI_MSG_WORDS]){0}), got.bytes,
        got.dropped);
  if (status != NULL && op->role == EYOTI_MSG_RECV) *status = got;
  if (op->layout.n > 0 && !op->laid && rc == EYOT_OK) rc = op_unpack(rt, op);
  if (op->place != NULL && rc == EYOT_OK) *op->place = eyoti_owned_bytes(op->owned);
  eyoti_msg_op_free(rt, m, op);
  return rc;
}

/* Without a way to wait for it, a send goes on in the background, and a receive is taken back. */
static void op_give_up(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (op->role == EYOTI_MSG_RECV) {
    if (op->posted) eyoti_msg_unpost(m, op);
    if (op->direct) eyoti_msg_direct_withdraw(rt, m, op);
    eyoti_msg_op_free(rt, m, op);
    return;
  }
  eyoti_msg_background(m, op);
}

int eyoti_msg_end(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                  eyot_msg_status_t *status) {
  size_t which;
  int rc = eyoti_msg_is_over(rt, m, op) ? EYOT_OK
                                        : eyoti_msg_wait_for(rt, m, &op, 1, FAB_FOREVER, &which);
  if (rc != EYOT_OK && op->over && m->failed == EYOT_OK) m->failed = rc; /* of another message */
  if (rc == EYOT_OK || op->over) return eyoti_msg_complete(rt, m, op, status);
  op_give_up(rt, m, op);
  return rc;
}

/* -- sends ------------------------------------------------------------------------------------- */

/* *op: what the caller is to wait for, or NULL: nothing. attended: it does so in this call. */
static int send_start(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                      bool sync, bool attended, struct eyoti_msg_op **out) {
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_send_new(rt, m, a, &op));
  op->attended = attended;
  int rc = eyoti_msg_start(rt, m, op, sync);
  if (rc == EYOT_OK && !op->over && !op->waits) {
    eyoti_msg_background(m, op);
    *out = NULL;
    return EYOT_OK;
  }
  if (rc == EYOT_OK && !op->over) {
    *out = op;
    return EYOT_OK;
  }
  if (rc == EYOT_OK) rc = op->rc;
  eyoti_msg_op_free(rt, m, op);
  *out = NULL;
  return rc;
}

int eyoti_msg_send(struct eyot_rt *rt, const struct eyoti_msg_args *a, bool sync) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc;
  if (!sync && eyoti_msg_send_at_once(rt, m, a, &rc)) return eyoti_msg_unchanged(rt, m, rc);
  rc = send_start(rt, m, a, sync, true, &op);
  if (rc == EYOT_OK && op != NULL) rc = eyoti_msg_end(rt, m, op, NULL);
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_ssend(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf, uint64_t bytes) {
  EYOTI_ENTER(rt);
  return eyoti_msg_send(
      rt,
      &(struct eyoti_msg_args){.team = team, .unit = to, .tag = tag, .buf = buf, .bytes = bytes},
      true);
}

static int handle_reserve(struct eyot_rt *rt, struct eyoti_msgs *m) {
  uint32_t index = eyoti_idtab_next(&m->ops);
  if (index == EYOTI_IDTAB_NONE)
    return EYOTI_MSG_FAIL(rt, EYOT_EBUSY, "no handle is left for another message: complete some");
  return eyoti_idtab_reserve(&m->ops, index);
}

int eyoti_msg_send_nb(struct eyot_rt *rt, const struct eyoti_msg_args *a, bool sync,
                      eyot_msg_t *handle) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  if (handle == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL, expected a place for it");
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc;
  if (!sync && eyoti_msg_send_at_once(rt, m, a, &rc)) {
    if (rc == EYOT_OK) *handle = EYOT_MSG_DONE;
    return eyoti_msg_unchanged(rt, m, rc);
  }
  rc = handle_reserve(rt, m);
  if (rc == EYOT_OK) rc = send_start(rt, m, a, sync, false, &op);
  if (rc == EYOT_OK && op != NULL) rc = eyoti_msg_op_name(rt, m, op);
  if (rc == EYOT_OK && op != NULL && a->given == NULL)
    eyoti_observe_source(rt, op, a->buf, a->bytes);
  if (rc == EYOT_OK) *handle = op != NULL ? op->handle : EYOT_MSG_DONE;
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_ssend_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf, uint64_t bytes,
                  eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_msg_send_nb(
      rt,
      &(struct eyoti_msg_args){.team = team, .unit = to, .tag = tag, .buf = buf, .bytes = bytes},
      true, handle);
}

static bool overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes) {
  uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
  if (a_bytes == 0 || b_bytes == 0) return false;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

int eyot_sendrecv(eyot_team_t team, eyot_tunit_t to, int32_t send_tag, const void *send,
                  uint64_t send_bytes, eyot_tunit_t from, int32_t recv_tag, void *recv,
                  uint64_t recv_bytes, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  struct eyoti_msgs *m;
  struct eyoti_msg_op *in, *out;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  if (overlap(send, send_bytes, recv, recv_bytes))
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "the buffers overlap: %" PRIu64 " bytes to send at %p, and %" PRIu64
                          " to receive at %p",
                          send_bytes, send, recv_bytes, recv);
  eyoti_msg_enter(m);
  const struct eyoti_msg_args
      a = {.team = team, .unit = from, .tag = recv_tag, .buf = recv, .bytes = recv_bytes},
      b = {.team = team, .unit = to, .tag = send_tag, .buf = send, .bytes = send_bytes};
  int rc = eyoti_msg_recv_new(rt, m, &a, &in);
  if (rc != EYOT_OK) return eyoti_msg_leave(rt, m, rc);
  rc = eyoti_msg_recv_start(rt, m, in);
  if (rc == EYOT_OK) rc = send_start(rt, m, &b, false, true, &out);
  if (rc != EYOT_OK) {
    eyoti_msg_finish(rt, m); /* it may get bytes of its match */
    if (in->posted) eyoti_msg_unpost(m, in);
    eyoti_msg_op_free(rt, m, in);
    return eyoti_msg_leave(rt, m, rc);
  }
  if (out != NULL) rc = eyoti_msg_end(rt, m, out, NULL);
  int rc_in = eyoti_msg_end(rt, m, in, status);
  return eyoti_msg_leave(rt, m, rc != EYOT_OK ? rc : rc_in);
}
