/* SPDX-License-Identifier: BSD-3-Clause */
/* recv.c - the receives of eyot/msg.h, also of messages that a probe has found, and their cancel.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "msg/arrivals.h"
#include "msg/call.h"

int eyoti_msg_recv_start(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  struct eyoti_msg_arrival *a = eyoti_msg_find(m, &op->key);
  if (a == NULL) return eyoti_msg_post(rt, m, op);
  eyoti_msg_take(m, a);
  eyoti_msg_deliver(rt, m, op, a, a->bytes);
  eyoti_msg_arrival_free(m, a);
  return EYOT_OK;
}

/* Starts a receive; what is there already is received at once, but for long messages. */
static int recv_new(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                    struct eyoti_msg_op **out) {
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_recv_new(rt, m, a, &op));
  int rc = eyoti_msg_recv_start(rt, m, op);
  if (rc != EYOT_OK) eyoti_msg_op_free(rt, m, op);
  if (rc == EYOT_OK) *out = op;
  return rc;
}

int eyoti_msg_recv(struct eyot_rt *rt, const struct eyoti_msg_args *a, eyot_msg_status_t *status) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc;
  if (eyoti_msg_recv_next(rt, m, a, status, &rc)) return eyoti_msg_unchanged(rt, m, rc);
  rc = recv_new(rt, m, a, &op);
  if (rc == EYOT_OK) rc = eyoti_msg_end(rt, m, op, status);
  return eyoti_msg_leave(rt, m, rc);
}

int eyoti_msg_recv_nb(struct eyot_rt *rt, const struct eyoti_msg_args *a, eyot_msg_t *handle) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  if (handle == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL, expected a place for it");
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc;
  if (eyoti_msg_recv_nb_next(rt, m, a, handle, &rc)) return eyoti_msg_unchanged(rt, m, rc);
  rc = eyoti_msg_recv_new(rt, m, a, &op);
  if (rc != EYOT_OK) return eyoti_msg_leave(rt, m, rc);
  rc = eyoti_msg_op_name(rt, m, op);
  if (rc == EYOT_OK) rc = eyoti_msg_recv_start(rt, m, op);
  if (rc == EYOT_OK)
    *handle = op->handle;
  else
    eyoti_msg_op_free(rt, m, op);
  if (rc == EYOT_OK) (void)eyoti_msg_poll(rt, m); /* its completion returns errors */
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_msg_cancel(eyot_msg_t *handle, bool *cancelled) {
  EYOTI_ENTER(rt);
  if (handle == NULL || cancelled == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", handle == NULL ? "handle" : "cancelled");
  if (handle->id == 0) {
    *cancelled = false;
    return EYOT_OK;
  }
  struct eyoti_msgs *m = rt->msgs;
  struct eyoti_msg_op *op = m != NULL ? eyoti_msg_op_of(m, *handle) : NULL;
  if (op == NULL || op->role != EYOTI_MSG_RECV)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%#" PRIx64
                      " is no handle of a receive of this unit, or that one has been completed",
                      handle->id);
  eyoti_msg_enter(m);
  *cancelled = op->posted;
  if (op->posted) {
    eyoti_msg_unpost(m, op);
    eyoti_msg_op_free(rt, m, op);
    *handle = EYOT_MSG_DONE;
  }
  return eyoti_msg_leave(rt, m, EYOT_OK);
}

/* -- messages that a probe has found ----------------------------------------------------------- */

int eyoti_msg_found_receive(struct eyot_rt *rt, struct eyoti_msgs *m, eyot_msg_t *message,
                            const struct eyoti_msg_args *args, struct eyoti_msg_op **out) {
  if (message == NULL) return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "message is NULL");
  struct eyoti_msg_op *op = eyoti_msg_op_of(m, *message);
  if (op == NULL || op->role != EYOTI_MSG_FOUND)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "%#" PRIx64
                          " is no message of eyot_mprobe of this unit, or that one has been "
                          "received",
                          message->id);
  if (args->buf == NULL && args->bytes > 0)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "the buffer is NULL, expected %" PRIu64 " bytes",
                          args->bytes);
  struct eyoti_msg_arrival *a = op->found;
  op->role = EYOTI_MSG_RECV;
  op->buf = (void *)(uintptr_t)args->buf;
  op->bytes = args->bytes;
  op->place = args->place;
  op->borrows = args->borrows;
  eyoti_msg_deliver(rt, m, op, a, a->bytes);
  *out = op;
  return EYOT_OK;
}

int eyoti_msg_mrecv(struct eyot_rt *rt, eyot_msg_t *message, const struct eyoti_msg_args *a,
                    eyot_msg_status_t *status) {
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  int rc = eyoti_msg_found_receive(rt, m, message, a, &op);
  if (rc == EYOT_OK) {
    rc = eyoti_msg_end(rt, m, op, status);
    *message = EYOT_MSG_DONE;
  }
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_mrecv(eyot_msg_t *message, void *buf, uint64_t bytes, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.buf = buf, .bytes = bytes};
  return eyoti_msg_mrecv(rt, message, &a, status);
}

int eyot_mrecv_nb(eyot_msg_t *message, void *buf, uint64_t bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_msgs *m;
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  const struct eyoti_msg_args a = {.buf = buf, .bytes = bytes};
  int rc = eyoti_msg_found_receive(rt, m, message, &a, &op);
  if (rc == EYOT_OK) eyoti_msg_finish(rt, m);
  return eyoti_msg_leave(rt, m, rc);
}
