/* SPDX-License-Identifier: BSD-3-Clause */
/* out.c - sends (state.h, wire.h).
 *
 * Messages to a peer leave in the order of their sends, one queue for each peer: by a knock while
 * the earlier one was answered and no ring is known, then through the ring while it has a free
 * slot. A ring is known after the answer to a knock, so all knocks were taken before, and the order
 * is kept when a pair changes from one to the other. What cannot leave now stays in the queue, and
 * a word of the sender's own, the answer or the credit, says when it can.
 *
 * A long message is only an envelope; the receiver gets the bytes from the sender's heap, from the
 * program's buffer if it is there and the send waits, else from a copy. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gmem/sheap.h"
#include "msg/ring.h"
#include "msg/share.h"
#include "rt/place.h"

#define COPIED_MOST (UINT64_C(1) << 20)

/* -- envelopes --------------------------------------------------------------------------------- */

/* Copies the bytes of a long message into the heap. */
static int long_copy(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  if (eyoti_gmem_own_take(rt, op->bytes, true, &op->copy) != EYOT_OK)
    return EYOTI_MSG_FAIL(rt, EYOT_ENOMEM,
                          "the heap has no place for a copy of %" PRIu64
                          " bytes: send from memory of eyot_alloc, or raise EYOT_HEAP_MAX",
                          op->bytes);
  char *to = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, op->copy));
  memcpy(to, op->buf, op->bytes);
  eyoti_observe_reads(rt, op->buf, op->bytes);
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the copy is there before the envelope */
  return eyoti_sheap_copied(rt, op->bytes);
}

/* As eyot_sync: the program's stores come before the envelope. */
static int stores_are_there(struct eyot_rt *rt) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return fab_flush(rt->fab, rt->fab->me, FAB_REMOTE);
}

/* Sets where the receiver finds the bytes of a long message. */
static int long_source(struct eyot_rt *rt, struct eyoti_msg_op *op, bool waits, uint64_t *source) {
  if ((waits || op->owned != NULL) && eyoti_gmem_heap_has(rt, op->buf, op->bytes, source)) {
    eyoti_observe_reads(rt, op->buf, op->bytes);
    return stores_are_there(rt);
  }
  EYOTI_TRY(long_copy(rt, op));
  *source = op->copy;
  return EYOT_OK;
}

/* A sender that waits in its call serves a get from its heap, which is faster than a message of the
 * fabric, unless many bytes had to be copied there first. */
static bool goes_direct(struct eyot_rt *rt, const struct eyoti_msg_op *op, bool waits) {
  uint64_t off;
  if (!eyoti_msg_direct_can(rt, op->to, op->bytes)) return false;
  if (!waits || !op->attended) return true;
  return op->bytes > COPIED_MOST && !eyoti_gmem_heap_has(rt, op->buf, op->bytes, &off);
}

/* The bytes of a message that the fabric sends may be anywhere. */
static int direct_source(struct eyot_rt *rt, struct eyoti_msg_op *op, bool waits) {
  if (!waits && op->owned == NULL) return long_copy(rt, op);
  eyoti_observe_reads(rt, op->buf, op->bytes);
  return EYOT_OK;
}

/* Whether the buffer of a give passes as it is. */
static bool op_passes(struct eyot_rt *rt, const struct eyoti_msg_op *op) {
  return op->owned != NULL && eyoti_sheap_reaches(rt, op->to);
}

/* Writes the envelope, and bytes that travel with it. */
static void image_write(struct eyot_rt *rt, struct eyoti_msg_op *op, enum eyoti_msg_kind kind,
                        const struct eyoti_msg_ends *ends) {
  bool inside = (kind & (EYOTI_MSG_LONG | EYOTI_MSG_GIVEN)) == 0;
  const struct eyoti_msg_head head = {.team = op->key.team,
                                      .tag = op->key.tag,
                                      .kind = (uint16_t)kind,
                                      .len = (uint16_t)(inside ? op->bytes : 0),
                                      .made = eyoti_place_word(rt, op->site)};
  char *at = op->image;
  memcpy(at, &head, sizeof head);
  at += sizeof head;
  if (kind != EYOTI_MSG_INSIDE) {
    memcpy(at, ends, sizeof *ends);
    at += sizeof *ends;
  }
  if (head.len > 0) {
    memcpy(at, op->buf, head.len);
    eyoti_observe_reads(rt, op->buf, head.len);
  }
  op->image_len = (uint16_t)(at - op->image + head.len);
}

static int image_make(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, bool sync,
                      bool waits) {
  bool passes = op_passes(rt, op), is_long = !passes && op->bytes > EYOTI_MSG_INLINE;
  struct eyoti_msg_ends ends = {.bytes = op->bytes,
                                .source = (uintptr_t)(op->record != NULL ? op->record : op->owned)};
  if (passes) EYOTI_TRY(stores_are_there(rt));
  op->direct = is_long && goes_direct(rt, op, waits);
  if (op->direct)
    EYOTI_TRY(direct_source(rt, op, waits));
  else if (is_long)
    EYOTI_TRY(long_source(rt, op, waits, &ends.source));
  bool shared = is_long && !op->direct && waits && op->owned == NULL && op->copy == 0 &&
                eyoti_msg_share_begin(rt, m, op);
  if (!shared && (is_long || sync)) EYOTI_TRY(eyoti_msg_done_take(rt, m, op));
  ends.done = op->done;
  ends.value = op->value;
  image_write(rt, op,
              (sync ? EYOTI_MSG_SYNC : 0u) | (is_long ? EYOTI_MSG_LONG : 0u) |
                  (passes ? EYOTI_MSG_GIVEN : 0u) |
                  (passes && op->record != NULL ? EYOTI_MSG_LAID : 0u) |
                  (op->direct ? EYOTI_MSG_DIRECT : 0u) | (shared ? EYOTI_MSG_SHARED : 0u),
              &ends);
  if (passes) op->owned = NULL; /* the receiver's, as soon as the envelope has left */
  return EYOT_OK;
}

/* The envelope of a loan: the buffer's address, or where its bytes are, for which it needs no copy:
 * its owner leaves it as it is. */
static int image_lend(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  bool passes = eyoti_sheap_reaches(rt, op->to), is_long = !passes && op->bytes > EYOTI_MSG_INLINE;
  const struct eyoti_msg_ends ends = {
      .bytes = op->bytes,
      .source = passes ? (uintptr_t)op->lent : op->lent->off + sizeof *op->lent,
      .done = op->loan->done,
      .value = op->lent->home};
  if (passes || is_long) EYOTI_TRY(stores_are_there(rt));
  image_write(rt, op,
              EYOTI_MSG_LENT | (is_long ? EYOTI_MSG_LONG : 0u) | (passes ? EYOTI_MSG_GIVEN : 0u),
              &ends);
  return EYOT_OK;
}

/* -- handing over ------------------------------------------------------------------------------ */

static void sent_forget(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (op->ledger != 0)
    eyoti_msg_share_end(m, op);
  else if (op->done != 0)
    eyoti_msg_done_give(m, op);
  if (op->req != 0) (void)fab_req_end(rt->fab, op->to, op->req); /* its bytes are there */
  op->req = 0;
  if (op->copy != 0) eyoti_gmem_own_give(rt, op->copy);
  if (op->owned != NULL) (void)eyoti_owned_drop(rt, op->owned); /* its bytes were sent */
  if (op->lent != NULL && op->loan == NULL) eyoti_owned_regain(rt, op->lent);
  op->owned = op->lent = NULL;
  m->buffered -= op->buffered;
  op->done = op->copy = op->buffered = 0;
}

void eyoti_msg_background(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  op->background = true;
  if (!op->handed) return;
  eyoti_msg_queue_add(&m->sent, op);
  m->n_sent++;
}

static void op_handed(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                      struct eyoti_msg_op *op, int rc) {
  op->handed = true;
  if (rc == EYOT_OK && op->done != 0) {
    if (op->background) eyoti_msg_background(m, op);
    return;
  }
  sent_forget(rt, m, op);
  if (rc != EYOT_OK) p->failed = rc;
  if (rc != EYOT_OK && op->loan != NULL) {
    eyoti_msg_loan_lost(op->loan, rc);
  } else if (rc != EYOT_OK && op->background) {
    if (m->failed == EYOT_OK) m->failed = rc;
    eyoti_log(EYOTI_LOG_WARN, op->what, 0,
              "a message of %" PRIu64
              " bytes, tag %d, to unit %u, whose send has returned, is lost",
              op->bytes, (int)op->key.tag, op->to);
  }
  eyoti_msg_op_end(rt, m, op, rc);
}

/* After an error nothing more goes to the peer: whether the message has reached it is not known,
 * and a record that was swapped in must not be swapped in again. */
static void peer_push(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  while (p->waiting.head != NULL && (p->failed != EYOT_OK || eyoti_msg_peer_is_free(rt, p))) {
    struct eyoti_msg_op *op = p->waiting.head;
    int rc = p->failed;
    if (rc == EYOT_OK)
      rc = p->ring != 0 ? eyoti_msg_ring_put(rt, p, op->image, op->image_len)
                        : eyoti_msg_knock(rt, m, p, op->image, op->image_len);
    if (rc == EYOT_OK && op->direct) rc = eyoti_msg_direct_send(rt, op);
    eyoti_msg_queue_remove(&p->waiting, op);
    op_handed(rt, m, p, op, rc);
  }
}

void eyoti_msg_push(struct eyot_rt *rt, struct eyoti_msgs *m) {
  struct eyoti_msg_peer **at = &m->busy;
  while (*at != NULL) {
    struct eyoti_msg_peer *p = *at;
    peer_push(rt, m, p);
    if (p->waiting.head != NULL) {
      at = &p->next_busy;
    } else {
      *at = p->next_busy;
      p->busy = false;
    }
  }
}

/* -- sends ------------------------------------------------------------------------------------- */

bool eyoti_msg_is_sent(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  if (op->over || !op->handed || op->done == 0) return op->over;
  const uint64_t *word = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, op->done));
  if (eyoti_load_own(word) < op->value) return false;
  sent_forget(rt, m, op);
  op->over = true;
  if (op->handle.id != 0) eyoti_msg_ready_add(m, op);
  return true;
}

/* In turn: each send adds one at most and looks at several, so those that are done are found before
 * they are half as many as the others, and a send does not take longer because many are on their
 * way. */
void eyoti_msg_reap(struct eyot_rt *rt, struct eyoti_msgs *m, uint32_t most) {
  for (uint32_t left = most < m->n_sent ? most : m->n_sent; left > 0; left--) {
    struct eyoti_msg_op *op = m->sent.head;
    eyoti_msg_queue_remove(&m->sent, op);
    if (!eyoti_msg_is_sent(rt, m, op)) {
      eyoti_msg_queue_add(&m->sent, op);
      continue;
    }
    m->n_sent--;
    eyoti_msg_op_free(rt, m, op);
  }
}

static void op_queue(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                     struct eyoti_msg_op *op) {
  eyoti_msg_queue_add(&p->waiting, op);
  peer_push(rt, m, p);
  if (p->waiting.head == NULL || p->busy) return;
  p->busy = true;
  p->next_busy = m->busy;
  m->busy = p;
}

/* The peer of a send. Errors: ENOMEM, that of an earlier message. */
static int peer_ready(struct eyot_rt *rt, struct eyoti_msgs *m, fab_unit_t to,
                      struct eyoti_msg_peer **out) {
  EYOTI_TRY(eyoti_msg_peer(rt, m, to, out));
  if ((*out)->failed != EYOT_OK)
    return EYOTI_MSG_FAIL(rt, (*out)->failed, "an earlier message to unit %u could not be sent",
                          (*out)->unit);
  return eyoti_msg_reply_make(rt, m, *out);
}

int eyoti_msg_start(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op, bool sync) {
  struct eyoti_msg_peer *p;
  if (m->eager == 0) sync = true;
  uint64_t kept = op_passes(rt, op) ? 0 : op->bytes, cost = kept + EYOTI_MSG_IMAGE;
  eyoti_msg_reap(rt, m, EYOTI_MSG_REAPED_AT_A_TIME);
  if (cost > m->most_buffered - m->buffered) eyoti_msg_reap(rt, m, m->n_sent);
  bool too_long = op->owned == NULL && kept > m->eager; /* a buffer that is given can stay */
  bool waits = sync || too_long || cost > m->most_buffered - m->buffered;
  EYOTI_TRY(peer_ready(rt, m, op->to, &p));
  int rc = image_make(rt, m, op, sync, waits);
  if (rc != EYOT_OK) {
    op->owned = NULL; /* stays the caller's */
    sent_forget(rt, m, op);
    return rc;
  }
  if (!waits) {
    op->buffered = cost;
    m->buffered += cost;
  }
  op->waits = waits;
  op_queue(rt, m, p, op);
  return EYOT_OK;
}

/* -- loans ------------------------------------------------------------------------------------- */

/* Readers add to the word, and later sends set it: so that it only grows, these begin above. */
int eyoti_msg_loan_word(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *loan,
                        uint32_t readers) {
  EYOTI_TRY(eyoti_msg_done_take(rt, m, loan));
  const uint64_t *word = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, loan->done));
  loan->value = __atomic_load_n(word, __ATOMIC_RELAXED) + readers;
  m->done_values += readers;
  loan->handed = true;
  return EYOT_OK;
}

void eyoti_msg_loan_lost(struct eyoti_msg_op *loan, int rc) {
  loan->value--;
  if (loan->rc == EYOT_OK) loan->rc = rc;
}

int eyoti_msg_start_lent(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  struct eyoti_msg_peer *p;
  EYOTI_TRY(peer_ready(rt, m, op->to, &p));
  EYOTI_TRY(image_lend(rt, op));
  op->background = true;
  op_queue(rt, m, p, op);
  return EYOT_OK;
}
