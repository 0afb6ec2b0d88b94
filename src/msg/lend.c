/* SPDX-License-Identifier: BSD-3-Clause */
/* lend.c - buffers that are lent to readers (eyot/own.h). A loan is an operation with a handle and
 * one word; the messages to its readers are of the background and name that word. A reader of the
 * node has the buffer itself, and adds 1 to the word when it returns it; others get a copy, and add
 * 1 when they have its bytes. The loan is over when the word has counted all. */
#include <inttypes.h>
#include <string.h>

#include "msg/call.h"

/* -- the lender -------------------------------------------------------------------------------- */

static int lend_args(struct eyot_rt *rt, const eyot_tunit_t *readers, uint32_t n, const void *p,
                     uint64_t bytes, const eyot_msg_t *handle, struct eyoti_owned **out) {
  struct eyoti_owned *o;
  if (handle == NULL || n == 0 || readers == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s",
                          handle == NULL ? "handle is NULL, expected a place for it"
                          : n == 0       ? "there are 0 readers, expected some"
                                         : "readers is NULL");
  EYOTI_TRY(eyoti_owned_find_lent(rt, p, &o));
  if (bytes > o->capacity)
    return EYOTI_MSG_FAIL(rt, EYOT_ERANGE,
                          "the buffer has %" PRIu64 " bytes, less than the %" PRIu64
                          " that are lent",
                          o->capacity, bytes);
  *out = o;
  return EYOT_OK;
}

static void ops_free(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  while (op != NULL) {
    struct eyoti_msg_op *next = op->next;
    eyoti_msg_op_free(rt, m, op);
    op = next;
  }
}

/* Makes the messages to all readers, so that a wrong one is found before any is sent. */
static int lend_messages(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                         const eyot_tunit_t *readers, uint32_t n, struct eyoti_msg_op **list) {
  struct eyoti_msg_args one = *a;
  struct eyoti_msg_op **at = list;
  *list = NULL;
  for (uint32_t i = 0; i < n; i++) {
    one.unit = readers[i];
    int rc = eyoti_msg_send_new(rt, m, &one, at);
    if (rc != EYOT_OK) {
      *at = NULL;
      ops_free(rt, m, *list);
      return rc;
    }
    at = &(*at)->next;
    *at = NULL;
  }
  return EYOT_OK;
}

/* The operation of the whole loan. Errors: EBUSY, ENOMEM. */
static int lend_loan(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_op *first,
                     uint32_t n, struct eyoti_msg_op **out) {
  struct eyoti_msg_op *loan;
  EYOTI_TRY(eyoti_msg_op_new(rt, m, EYOTI_MSG_SEND, &loan));
  loan->team = first->team;
  loan->to = first->to;
  loan->key = first->key;
  loan->bytes = first->bytes;
  int rc = eyoti_msg_loan_word(rt, m, loan, n);
  if (rc == EYOT_OK) rc = eyoti_msg_op_name(rt, m, loan);
  if (rc == EYOT_OK) {
    *out = loan;
    return EYOT_OK;
  }
  if (loan->done != 0) m->free_done[m->n_free_done++] = loan->done;
  eyoti_msg_op_free(rt, m, loan);
  return rc;
}

/* Sends the messages. The completion of the loan returns the first error; that of all is returned
 * here. */
static int lend_start(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *loan,
                      struct eyoti_msg_op *list) {
  bool some = false;
  while (list != NULL) {
    struct eyoti_msg_op *op = list;
    list = op->next;
    op->lent = loan->lent;
    op->loan = loan;
    int rc = eyoti_msg_start_lent(rt, m, op);
    some |= rc == EYOT_OK;
    if (rc == EYOT_OK) continue;
    eyoti_msg_loan_lost(loan, rc);
    eyoti_msg_op_free(rt, m, op);
  }
  return some ? EYOT_OK : loan->rc;
}

static int lend(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                const eyot_tunit_t *readers, uint32_t n, struct eyoti_owned *o,
                eyot_msg_t *handle) {
  struct eyoti_msg_op *list, *loan;
  EYOTI_TRY(lend_messages(rt, m, a, readers, n, &list));
  int rc = lend_loan(rt, m, list, n, &loan);
  if (rc != EYOT_OK) {
    ops_free(rt, m, list);
    return rc;
  }
  loan->lent = o;
  eyoti_owned_lend(rt, o);
  rc = lend_start(rt, m, loan, list);
  /* from now on the owner may read alone */
  eyoti_observe_reads(rt, a->buf, a->bytes);
  if (rc == EYOT_OK) {
    *handle = loan->handle;
    return EYOT_OK;
  }
  bool over = eyoti_msg_is_sent(rt, m, loan);
  EYOTI_ASSERT(over); /* no reader is left to wait for */
  eyoti_msg_op_free(rt, m, loan);
  return rc;
}

int eyot_own_lend(eyot_team_t team, const eyot_tunit_t *readers, uint32_t n, int32_t tag,
                  const void *p, uint64_t bytes, eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  struct eyoti_msgs *m;
  struct eyoti_owned *o;
  const struct eyoti_msg_args a = {.team = team, .tag = tag, .buf = p, .bytes = bytes};
  EYOTI_TRY(lend_args(rt, readers, n, p, bytes, handle, &o));
  EYOTI_TRY(eyoti_msg_get(rt, &m));
  eyoti_msg_enter(m);
  return eyoti_msg_leave(rt, m, lend(rt, m, &a, readers, n, o, handle));
}

/* -- readers ----------------------------------------------------------------------------------- */

/* Tells the owner that it has it back. The unit's loads come before. */
static int loan_back(struct eyot_rt *rt, const struct eyoti_msg_loan *loan) {
  struct eyoti_msgs *m = rt->msgs;
  const void *p = eyoti_owned_bytes(loan->owned);
  eyoti_observe_reads(rt, p, loan->bytes);
  eyoti_observe_owned(rt, p, loan->owned->capacity, FAB_OWNED_RETURNED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  eyoti_msg_enter(m);
  int rc = eyoti_msg_signal(rt, eyoti_gmem_heap_at(rt, loan->from, loan->done), FAB_SIG_ADD, 1);
  return eyoti_msg_unchanged(rt, m, rc);
}

int eyot_own_return(const void **p) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_loan loan, **at;
  uint64_t most;
  if (p == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "p is NULL, expected the address of the pointer to the buffer");
  if (*p == NULL) return EYOT_OK;
  EYOTI_TRY(eyoti_msg_loan_find(rt, *p, &at, &most));
  loan = eyoti_msg_loan_remove(rt, at, false);
  *p = NULL;
  return loan.done == 0 ? eyoti_owned_drop(rt, loan.owned) : loan_back(rt, &loan);
}

/* A buffer of the caller's with the bytes of one that was lent. Errors: ENOMEM. */
static int loan_copy(struct eyot_rt *rt, struct eyoti_owned *lent, uint64_t bytes,
                     struct eyoti_owned **out) {
  EYOTI_TRY(eyoti_owned_pool(rt));
  EYOTI_TRY(eyoti_owned_new(rt, bytes, out));
  if (bytes > 0) memcpy(eyoti_owned_bytes(*out), eyoti_owned_bytes(lent), bytes);
  eyoti_observe_reads(rt, eyoti_owned_bytes(lent), bytes);
  eyoti_observe_writes(rt, eyoti_owned_bytes(*out), bytes);
  return EYOT_OK;
}

int eyot_own_clone(const void **lent, void **mine) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_loan loan, **at;
  struct eyoti_owned *o;
  uint64_t most;
  if (lent == NULL || mine == NULL || *lent == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s is NULL",
                          mine == NULL   ? "mine"
                          : lent == NULL ? "lent"
                                         : "*lent");
  EYOTI_TRY(eyoti_msg_loan_find(rt, *lent, &at, &most));
  bool is_copy = (*at)->done == 0;
  if (!is_copy) EYOTI_TRY(loan_copy(rt, (*at)->owned, most, &o));
  loan = eyoti_msg_loan_remove(rt, at, true);
  if (is_copy) eyoti_owned_adopt(rt, o = loan.owned);
  *lent = NULL;
  *mine = eyoti_owned_bytes(o);
  return is_copy ? EYOT_OK : loan_back(rt, &loan);
}

/* -- borrowing --------------------------------------------------------------------------------- */

static int borrow_null(struct eyot_rt *rt) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "p is NULL, expected a place for the pointer");
}

int eyot_own_borrow(eyot_team_t team, eyot_tunit_t from, int32_t tag, const void **p,
                    eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .place = (void **)(uintptr_t)p, .borrows = true};
  return p == NULL ? borrow_null(rt) : eyoti_msg_recv(rt, &a, status);
}

int eyot_own_borrow_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, const void **p,
                       eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .place = (void **)(uintptr_t)p, .borrows = true};
  return p == NULL ? borrow_null(rt) : eyoti_msg_recv_nb(rt, &a, handle);
}

int eyot_own_mborrow(eyot_msg_t *message, const void **p, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.place = (void **)(uintptr_t)p, .borrows = true};
  return p == NULL ? borrow_null(rt) : eyoti_msg_mrecv(rt, message, &a, status);
}
