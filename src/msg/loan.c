/* SPDX-License-Identifier: BSD-3-Clause */
/* loan.c - what a unit has borrowed and has to return (state.h): the buffers of others, and copies
 * of its own. The unit's own table, so it needs no communication. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "msg/state.h"
#include "rt/place.h"

#define KIND "loan of eyot_own_borrow"

static struct eyoti_msg_loan **loan_bin(struct eyoti_msgs *m, const void *p) {
  return &m->loans[eyoti_hash_mix(0, (uintptr_t)p) % EYOTI_MSG_LOAN_BINS];
}

int eyoti_msg_borrowed(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_op *op,
                       fab_unit_t from, uint64_t done) {
  struct eyoti_msg_loan *loan = malloc(sizeof *loan),
                        **bin = loan_bin(m, eyoti_owned_bytes(op->owned));
  if (loan == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory to note a buffer that is borrowed");
  *loan = (struct eyoti_msg_loan){
      .next = *bin, .owned = op->owned, .bytes = op->bytes, .from = from, .done = done};
  *bin = loan;
  m->n_loans++;
  const void *p = eyoti_owned_bytes(op->owned);
  if (done == 0) {
    eyoti_owned_borrow(rt, op->owned);
  } else {
    eyoti_observe_reads(rt, p, op->bytes);
    eyoti_observe_owned(rt, p, op->owned->capacity, FAB_OWNED_BORROWED);
  }
  eyoti_observe_made(rt, KIND, (uintptr_t)loan, op->bytes);
  return EYOT_OK;
}

/* -- what was returned ------------------------------------------------------------------------- */

/* Without memory only the message knows less. */
static void note_returned(struct eyot_rt *rt, struct eyoti_msgs *m, const void *p, bool cloned) {
  if (m->returned == NULL) m->returned = calloc(EYOTI_MSG_RETURNED, sizeof *m->returned);
  if (m->returned == NULL) return;
  m->returned[m->n_returned++ % EYOTI_MSG_RETURNED] =
      (struct eyoti_msg_returned){.p = p, .site = eyoti_rt_site(rt), .cloned = cloned};
}

/* The last one of that buffer, or NULL. */
static const struct eyoti_msg_returned *find_returned(const struct eyoti_msgs *m, const void *p) {
  for (uint32_t i = 1; m != NULL && m->returned != NULL && i <= EYOTI_MSG_RETURNED; i++) {
    const struct eyoti_msg_returned *r = &m->returned[(m->n_returned - i) % EYOTI_MSG_RETURNED];
    if (r->p == p) return r;
  }
  return NULL;
}

static int not_borrowed(struct eyot_rt *rt, const void *p) {
  const struct eyoti_msg_returned *r = find_returned(rt->msgs, p);
  char place[EYOTI_CODE_LINE];
  if (r == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "this unit has not borrowed the buffer %p, or has returned it", p);
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                        "this unit no longer borrows the buffer %p: it %s at %s; a loan is "
                        "returned once",
                        p, r->cloned ? "called eyot_own_clone" : "returned it",
                        eyoti_place_text(rt, eyoti_place_of(rt, r->site), place));
}

/* -- the table --------------------------------------------------------------------------------- */

int eyoti_msg_loan_find(struct eyot_rt *rt, const void *p, struct eyoti_msg_loan ***out,
                        uint64_t *most) {
  struct eyoti_msg_loan **found = NULL;
  *most = 0;
  if (rt->msgs != NULL)
    for (struct eyoti_msg_loan **at = loan_bin(rt->msgs, p); *at != NULL; at = &(*at)->next) {
      if (eyoti_owned_bytes((*at)->owned) != p) continue;
      if (found == NULL || (*at)->bytes < (*found)->bytes) found = at;
      if ((*at)->bytes > *most) *most = (*at)->bytes;
    }
  if (found == NULL) return not_borrowed(rt, p);
  *out = found;
  return EYOT_OK;
}

struct eyoti_msg_loan eyoti_msg_loan_remove(struct eyot_rt *rt, struct eyoti_msg_loan **at,
                                            bool cloned) {
  const struct eyoti_msg_loan loan = **at;
  note_returned(rt, rt->msgs, eyoti_owned_bytes(loan.owned), cloned);
  eyoti_observe_released(rt, KIND, (uintptr_t)*at);
  free(*at);
  *at = loan.next;
  rt->msgs->n_loans--;
  return loan;
}

void eyoti_msg_loans_left(struct eyot_rt *rt, const struct eyoti_msgs *m) {
  if (m->n_loans == 0) return;
  eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
            "this unit has borrowed %u buffers that it has not returned; eyotcheck names the calls",
            m->n_loans);
}

void eyoti_msg_loans_free(struct eyoti_msgs *m) {
  free(m->returned);
  for (uint32_t i = 0; i < EYOTI_MSG_LOAN_BINS; i++)
    while (m->loans[i] != NULL) {
      struct eyoti_msg_loan *loan = m->loans[i];
      m->loans[i] = loan->next;
      free(loan);
    }
}
