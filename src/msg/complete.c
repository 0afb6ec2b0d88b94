/* SPDX-License-Identifier: BSD-3-Clause */
/* complete.c - waits and tests for messages that were started (eyot/msg.h). */
#include <inttypes.h>

#include "msg/call.h"

int eyoti_msg_handle_op(struct eyot_rt *rt, const eyot_msg_t *handle, struct eyoti_msg_op **op) {
  *op = NULL;
  if (handle->id == 0) return EYOT_OK;
  if (rt->msgs != NULL) *op = eyoti_msg_op_of(rt->msgs, *handle);
  if (*op != NULL && (*op)->role != EYOTI_MSG_FOUND) return EYOT_OK;
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%#" PRIx64 " is %s", handle->id,
                        *op != NULL ? "a message of eyot_mprobe: receive it by eyot_mrecv"
                                    : "no handle of a message of this unit, or that one has been "
                                      "completed");
}

/* Without progress: nothing that other calls wait for changes. */
static int complete_over(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                         eyot_msg_t *handle, eyot_msg_status_t *status) {
  *handle = EYOT_MSG_DONE;
  int rc = eyoti_msg_complete(rt, m, op, status);
  eyoti_msg_unwatch(rt, m);
  return rc;
}

static int wait_one(struct eyot_rt *rt, eyot_msg_t *handle, uint64_t timeout_ns,
                    eyot_msg_status_t *status) {
  struct eyoti_msg_op *op;
  size_t which;
  if (handle == NULL) return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL");
  EYOTI_TRY(eyoti_msg_handle_op(rt, handle, &op));
  if (op == NULL) {
    eyoti_msg_status_clear(status);
    return EYOT_OK;
  }
  struct eyoti_msgs *m = rt->msgs;
  if (op->over) return complete_over(rt, m, op, handle, status);
  eyoti_msg_enter(m);
  int rc = eyoti_msg_wait_for(rt, m, &op, 1, timeout_ns, &which);
  if (rc == EYOT_OK) {
    rc = eyoti_msg_complete(rt, m, op, status);
    *handle = EYOT_MSG_DONE;
  }
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_msg_wait(eyot_msg_t *handle, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  int rc;
  if (handle != NULL && eyoti_msg_wait_stored(rt, handle, 1, status, &rc) == 1) return EYOT_OK;
  if (handle != NULL && rc != EYOT_OK) return rc;
  return wait_one(rt, handle, FAB_FOREVER, status);
}

int eyot_msg_wait_timeout(eyot_msg_t *handle, uint64_t timeout_ns, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  return wait_one(rt, handle, timeout_ns, status);
}

int eyot_msg_test(eyot_msg_t *handle, bool *done, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_op *op;
  if (handle == NULL || done == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", handle == NULL ? "handle" : "done");
  EYOTI_TRY(eyoti_msg_handle_op(rt, handle, &op));
  *done = op == NULL;
  if (op == NULL) {
    eyoti_msg_status_clear(status);
    return EYOT_OK;
  }
  struct eyoti_msgs *m = rt->msgs;
  if (op->over) {
    *done = true;
    return complete_over(rt, m, op, handle, status);
  }
  eyoti_msg_enter(m);
  int rc = rt->fab->ops->progress(rt->fab);
  if (rc == EYOT_OK) rc = eyoti_msg_poll(rt, m);
  if (rc == EYOT_OK && eyoti_msg_is_over(rt, m, op)) {
    *done = true;
    *handle = EYOT_MSG_DONE;
    rc = eyoti_msg_complete(rt, m, op, status);
  }
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_msg_wait_all(eyot_msg_t *handles, size_t n, eyot_msg_status_t *statuses) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_op *op;
  if (handles == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "handles is NULL, expected %zu of them", n);
  for (size_t i = 0; i < n; i++)
    if (handles[i].id != 0) EYOTI_TRY(eyoti_msg_handle_op(rt, &handles[i], &op));
  int rc, first = EYOT_OK;
  for (size_t i = 0; i < n; i++) {
    eyot_msg_status_t *more = statuses != NULL ? statuses + i : NULL;
    i += eyoti_msg_wait_stored(rt, handles + i, n - i, more, &rc);
    if (i == n) break;
    if (rc == EYOT_OK)
      rc = wait_one(rt, &handles[i], FAB_FOREVER, statuses != NULL ? &statuses[i] : NULL);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}
