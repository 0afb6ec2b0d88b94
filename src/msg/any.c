/* SPDX-License-Identifier: BSD-3-Clause */
/* any.c - the wait and the test for one of several messages (eyot/msg.h).
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

/* The handles of a call: in a row, or each in a structure, `offset` bytes after its begin; then of
 * has n pointers to these, some of which may be NULL. */
struct handles {
  eyot_msg_t *row;
  void *const *of;
  size_t offset, n;
};

static inline eyot_msg_t *handle_at(const struct handles *h, size_t i) {
  if (h->of == NULL) return &h->row[i];
  return h->of[i] == NULL ? NULL : (eyot_msg_t *)(void *)((char *)h->of[i] + h->offset);
}
static inline eyot_msg_t handle_read(const struct handles *h, size_t i) {
  const eyot_msg_t *at = handle_at(h, i);
  return at == NULL ? EYOT_MSG_DONE : *at;
}

/* -- what is known of the array ---------------------------------------------------------------- */

static bool handle_is_at(struct eyoti_msgs *m, const struct handles *h, size_t at,
                         const struct eyoti_msg_op *op) {
  m->any.read++;
  return at < h->n && handle_read(h, at).id == op->handle.id;
}

/* The place of one that is over, if it is known; else n. */
static bool ready_known(struct eyoti_msgs *m, const struct handles *h, size_t *index) {
  const struct eyoti_msg_op *op = m->ready.head;
  for (uint32_t i = 0; op != NULL && i < READY_LOOKED_AT; i++, op = op->next) {
    *index = op->any_at;
    if (handle_is_at(m, h, *index, op)) return true;
  }
  *index = h->n;
  return false;
}

/* A receive of the array that is not over, at or before where one was; NULL: none is known. */
static const struct eyoti_msg_op *waiting_known(struct eyoti_msgs *m, const struct handles *h) {
  for (size_t i = 0; i < BEFORE && i <= m->any.waits; i++) {
    const size_t at = m->any.waits - i;
    const eyot_msg_t handle = at < h->n ? handle_read(h, at) : EYOT_MSG_DONE;
    if (handle.id == 0) continue;
    const struct eyoti_msg_op *op = eyoti_msg_op_of(m, handle);
    m->any.read++;
    if (op == NULL || op->role != EYOTI_MSG_RECV || op->over) continue;
    m->any.waits = at;
    return op;
  }
  return NULL;
}

/* *over: the first that is over, or n; *some: of a handle that is to be waited for. Notes where
 * each is. words: those of sends are read. */
static int array_read(struct eyot_rt *rt, const struct handles *h, bool words, size_t *over,
                      bool *some) {
  struct eyoti_msgs *m = rt->msgs;
  struct eyoti_msg_op *op;
  *over = h->n;
  *some = false;
  for (size_t i = 0; i < h->n; i++) {
    const eyot_msg_t handle = handle_read(h, i);
    if (handle.id == 0) continue;
    op = *over < h->n ? eyoti_msg_op_of(m, handle) : NULL;
    if (*over == h->n) EYOTI_TRY(eyoti_msg_handle_op(rt, &handle, &op));
    if (op == NULL) continue; /* a wrong one after the one that is completed now */
    op->any_at = i;
    const bool is_over = words ? eyoti_msg_is_over(rt, m, op) : op->over;
    if (!is_over) m->any.waits = i;
    if (is_over && *over == h->n) *over = i;
    *some = true;
    m->any.read++;
  }
  return EYOT_OK;
}

/* Where one is that is over, if any is. The array is not read if that is known without. */
static int find_over(struct eyot_rt *rt, const struct handles *h, bool words, size_t *index,
                     bool *some) {
  struct eyoti_msgs *m = rt->msgs;
  *index = h->n;
  *some = true;
  if (m != NULL && ready_known(m, h, index)) return EYOT_OK;
  const bool reads = m == NULL || h->n <= FEW || m->ready.head != NULL || m->any.sends > 0;
  if (!reads && waiting_known(m, h) != NULL) return EYOT_OK;
  return array_read(rt, h, words, index, some);
}

/* -- waiting ----------------------------------------------------------------------------------- */

/* Until one is over whose handle is in the array. */
static int wait_ready(struct eyot_rt *rt, const struct handles *h, size_t *index) {
  struct eyoti_msgs *m = rt->msgs;
  bool some;
  for (*index = h->n; *index == h->n;) {
    const struct eyoti_msg_op *waits = waiting_known(m, h);
    EYOTI_ASSERT(waits != NULL);
    EYOTI_TRY(eyoti_msg_wait_ready(rt, m, waits));
    if (ready_known(m, h, index)) return EYOT_OK;
    EYOTI_TRY(array_read(rt, h, false, index, &some));
  }
  return EYOT_OK;
}

/* The same with sends, whose words are waited for. */
static int wait_all_kinds(struct eyot_rt *rt, const struct handles *h, size_t *index) {
  const size_t n = h->n;
  struct eyoti_msg_op *few[FEW], **ops = n <= FEW ? few : malloc(n * sizeof(struct eyoti_msg_op *));
  if (ops == NULL) return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to wait for %zu messages", n);
  int rc = EYOT_OK;
  for (size_t i = 0; i < n && rc == EYOT_OK; i++) {
    const eyot_msg_t handle = handle_read(h, i);
    rc = eyoti_msg_handle_op(rt, &handle, &ops[i]);
  }
  rt->msgs->any.read += n;
  if (rc == EYOT_OK) rc = eyoti_msg_wait_for(rt, rt->msgs, ops, n, FAB_FOREVER, index);
  if (ops != few) free(ops);
  return rc;
}

static int any_complete(struct eyot_rt *rt, const struct handles *h, size_t which, size_t *index,
                        eyot_msg_status_t *status) {
  struct eyoti_msgs *m = rt->msgs;
  eyot_msg_t *handle = handle_at(h, which);
  struct eyoti_msg_op *op = eyoti_msg_op_of(m, *handle);
  *handle = EYOT_MSG_DONE;
  *index = m->any.last = which;
  return eyoti_msg_complete(rt, m, op, status);
}

/* Completes one that was over already. */
static int complete_found(struct eyot_rt *rt, const struct handles *h, size_t which, size_t *index,
                          eyot_msg_status_t *status) {
  int rc = any_complete(rt, h, which, index, status);
  eyoti_msg_unwatch(rt, rt->msgs);
  return rc;
}

static int none_active(size_t n, size_t *index, eyot_msg_status_t *status) {
  *index = n;
  eyoti_msg_status_clear(status);
  return EYOT_OK;
}

static int wait_any(struct eyot_rt *rt, const struct handles *h, size_t *index,
                    eyot_msg_status_t *status) {
  size_t which;
  bool some;
  EYOTI_TRY(find_over(rt, h, false, &which, &some));
  if (!some) return none_active(h->n, index, status);
  if (which < h->n) return complete_found(rt, h, which, index, status);
  struct eyoti_msgs *m = rt->msgs;
  eyoti_msg_enter(m);
  int rc = m->any.sends > 0 ? wait_all_kinds(rt, h, &which) : wait_ready(rt, h, &which);
  if (rc == EYOT_OK) rc = any_complete(rt, h, which, index, status);
  return eyoti_msg_leave(rt, m, rc);
}

int eyot_msg_wait_any(eyot_msg_t *handles, size_t n, size_t *index, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if ((handles == NULL && n > 0) || index == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", index == NULL ? "index" : "handles");
  return wait_any(rt, &(struct handles){.row = handles, .n = n}, index, status);
}

/* -- handles in structures --------------------------------------------------------------------- */

int eyot_msg_wait_any_in(void *const *at, size_t n, size_t offset, size_t *index,
                         eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if ((at == NULL && n > 0) || index == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", index == NULL ? "index" : "at");
  return wait_any(rt, &(struct handles){.of = at, .offset = offset, .n = n}, index, status);
}

int eyot_msg_test_any_in(void *const *at, size_t n, size_t offset, size_t *index, bool *done,
                         eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  if ((at == NULL && n > 0) || index == NULL || done == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL",
                      index == NULL  ? "index"
                      : done == NULL ? "done"
                                     : "at");
  const struct handles h = {.of = at, .offset = offset, .n = n};
  struct eyoti_msgs *m = rt->msgs;
  size_t which = n;
  bool some = true;
  *done = true;
  if (m != NULL && ready_known(m, &h, &which)) return complete_found(rt, &h, which, index, status);
  if (m == NULL) EYOTI_TRY(array_read(rt, &h, false, &which, &some));
  if (m == NULL) return none_active(n, index, status);
  eyoti_msg_enter(m);
  int rc = rt->fab->ops->progress(rt->fab);
  if (rc == EYOT_OK) rc = eyoti_msg_poll(rt, m);
  if (rc == EYOT_OK) rc = find_over(rt, &h, true, &which, &some);
  *done = rc != EYOT_OK || !some || which < n;
  if (rc == EYOT_OK && which < n)
    rc = any_complete(rt, &h, which, index, status);
  else if (rc == EYOT_OK)
    (void)none_active(n, index, some ? NULL : status);
  return eyoti_msg_leave(rt, m, rc);
}
