/* SPDX-License-Identifier: BSD-3-Clause */
/* any.c - the wait for one of several messages (eyot/msg.h).
 *
 * Why it exists: a program that completes n receives by n waits for any passes all n handles each
 * time. An operation that is over is in a list, with the place of its handle in the array that was
 * read last, and the handle says whether that still holds. So most waits read one handle or two.
 * The array is read where that fails, and always while the unit has handles of sends, some of which
 * are over when a word of theirs has changed (adr/0107). */
#include <stdlib.h>

#include "msg/call.h"

#define FEW 32u            /* which are read before each wait: wrong handles are found */
#define READY_LOOKED_AT 8u /* some may be of another array */
#define BEFORE 16u         /* handles that are read before the array is */

/* -- what is known of the array ---------------------------------------------------------------- */

static bool handle_is_at(struct eyoti_msgs *m, const eyot_msg_t *handles, size_t n, size_t at,
                         const struct eyoti_msg_op *op) {
  m->any.read++;
  return at < n && handles[at].id == op->handle.id;
}

/* The place of one that is over, if it is known; else n. */
static bool ready_known(struct eyoti_msgs *m, const eyot_msg_t *handles, size_t n, size_t *index) {
  const struct eyoti_msg_op *op = m->ready.head;
  for (uint32_t i = 0; op != NULL && i < READY_LOOKED_AT; i++, op = op->next) {
    *index = op->any_at;
    if (handle_is_at(m, handles, n, *index, op)) return true;
  }
  *index = n;
  return false;
}

/* A receive of the array that is not over, at or before where one was; NULL: none is known. */
static const struct eyoti_msg_op *waiting_known(struct eyoti_msgs *m, const eyot_msg_t *handles,
                                                size_t n) {
  for (size_t i = 0; i < BEFORE && i <= m->any.waits; i++) {
    const size_t at = m->any.waits - i;
    if (at >= n || handles[at].id == 0) continue;
    const struct eyoti_msg_op *op = eyoti_msg_op_of(m, handles[at]);
    m->any.read++;
    if (op == NULL || op->role != EYOTI_MSG_RECV || op->over) continue;
    m->any.waits = at;
    return op;
  }
  return NULL;
}

/* *over: the first that is over, or n; *some: of a handle that is to be waited for. Notes where
 * each is. */
static int array_read(struct eyot_rt *rt, const eyot_msg_t *handles, size_t n, size_t *over,
                      bool *some) {
  struct eyoti_msg_op *op;
  *over = n;
  *some = false;
  for (size_t i = 0; i < n; i++) {
    if (handles[i].id == 0) continue;
    op = *over < n ? eyoti_msg_op_of(rt->msgs, handles[i]) : NULL;
    if (*over == n) EYOTI_TRY(eyoti_msg_handle_op(rt, &handles[i], &op));
    if (op == NULL) continue; /* a wrong one after the one that is completed now */
    op->any_at = i;
    if (!op->over) rt->msgs->any.waits = i;
    if (op->over && *over == n) *over = i;
    *some = true;
    rt->msgs->any.read++;
  }
  return EYOT_OK;
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* Until one is over whose handle is in the array. */
static int wait_ready(struct eyot_rt *rt, const eyot_msg_t *handles, size_t n, size_t *index) {
  struct eyoti_msgs *m = rt->msgs;
  bool some;
  for (*index = n; *index == n;) {
    const struct eyoti_msg_op *waits = waiting_known(m, handles, n);
    EYOTI_ASSERT(waits != NULL);
    EYOTI_TRY(eyoti_msg_wait_ready(rt, m, waits));
    if (ready_known(m, handles, n, index)) return EYOT_OK;
    EYOTI_TRY(array_read(rt, handles, n, index, &some));
  }
  return EYOT_OK;
}

/* The same with sends, whose words are waited for. */
static int wait_all_kinds(struct eyot_rt *rt, const eyot_msg_t *handles, size_t n, size_t *index) {
  struct eyoti_msg_op *few[FEW], **ops = n <= FEW ? few : malloc(n * sizeof(struct eyoti_msg_op *));
  if (ops == NULL) return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to wait for %zu messages", n);
  int rc = EYOT_OK;
  for (size_t i = 0; i < n && rc == EYOT_OK; i++)
    rc = eyoti_msg_handle_op(rt, &handles[i], &ops[i]);
  rt->msgs->any.read += n;
  if (rc == EYOT_OK) rc = eyoti_msg_wait_for(rt, rt->msgs, ops, n, FAB_FOREVER, index);
  if (ops != few) free(ops);
  return rc;
}

static int any_complete(struct eyot_rt *rt, eyot_msg_t *handles, size_t which, size_t *index,
                        eyot_msg_status_t *status) {
  struct eyoti_msgs *m = rt->msgs;
  struct eyoti_msg_op *op = eyoti_msg_op_of(m, handles[which]);
  handles[which] = EYOT_MSG_DONE;
  *index = m->any.last = which;
  return eyoti_msg_complete(rt, m, op, status);
}

int eyot_msg_wait_any(eyot_msg_t *handles, size_t n, size_t *index, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if ((handles == NULL && n > 0) || index == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", index == NULL ? "index" : "handles");
  struct eyoti_msgs *m = rt->msgs;
  size_t which = n;
  bool some = true, known = m != NULL && ready_known(m, handles, n, &which),
       reads = m == NULL || n <= FEW || m->ready.head != NULL || m->any.sends > 0;
  if (!known && (reads || waiting_known(m, handles, n) == NULL))
    EYOTI_TRY(array_read(rt, handles, n, &which, &some));
  if (!some) {
    *index = n;
    eyoti_msg_status_clear(status);
    return EYOT_OK;
  }
  int rc;
  if (which < n) {
    rc = any_complete(rt, handles, which, index, status);
    eyoti_msg_unwatch(rt, m);
    return rc;
  }
  eyoti_msg_enter(m);
  rc = m->any.sends > 0 ? wait_all_kinds(rt, handles, n, &which)
                        : wait_ready(rt, handles, n, &which);
  if (rc == EYOT_OK) rc = any_complete(rt, handles, which, index, status);
  return eyoti_msg_leave(rt, m, rc);
}
