/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - short messages that come after their receives, by stores: a receive that names sender
 * and tag is posted, and a wait for several completes those whose messages are in the ring.
 *
 * Why it exists: of a stream most messages come so. Where all receives of a peer name sender and
 * tag, and nothing else is under way, its ring alone says what they get: a receive is posted, and a
 * message given to the earliest that matches, without a look at anything else. Whatever is not the
 * plain case is left to recv.c and complete.c, before anything was done for it. Receives are those
 * of state.h, so probes, cancels and other waits find them as ever. */
#include "msg/express.h"
#include "msg/post.h"

/* Whether the ring of a peer alone says what receives of it get. */
static inline bool ring_decides(const struct eyoti_msgs *m, const struct eyoti_msg_peer *p) {
  return m->wild_wants == 0 && m->busy == NULL && m->getting.head == NULL &&
         m->landing.head == NULL && p->from != NULL && p->wide == NULL;
}

static inline uint64_t next_word(const struct eyoti_msg_peer *p) {
  return eyoti_msg_slot_word(p->taken + 1, 0);
}

/* Gives the message in the peer's next slot to the earliest receive that matches. *rc: the error of
 * the peer's credit. False: this is no plain case. */
static inline bool slot_give(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                             int *rc) {
  if (!eyoti_msg_arrive_inside(rt, m, p, eyoti_msg_next_slot(p) + 8)) return false;
  *rc = eyoti_msg_ring_took_inside(rt, m, p);
  __builtin_prefetch(eyoti_msg_next_slot(p)); /* of a stream, the next message is there */
  return true;
}

/* The end of a call that has changed what is posted, or what has come. */
static inline void posted_leave(struct eyot_rt *rt, struct eyoti_msgs *m) {
  m->watch.stale = true;
  m->watch.held = false;
  if (m->n_posted > 0 && __builtin_expect(!m->watched, 0)) (void)eyoti_msg_leave(rt, m, EYOT_OK);
}

/* What has come to receives that were posted before; false: something else has. */
static inline bool earlier_given(struct eyot_rt *rt, struct eyoti_msgs *m,
                                 struct eyoti_msg_peer *p) {
  int rc; /* completions return errors */
  while (p->posted > 0 && eyoti_msg_slot_spin(eyoti_msg_next_slot(p), next_word(p), 0))
    if (!slot_give(rt, m, p, &rc) || p->wide != NULL) return false;
  return true;
}

/* Gives the message, which is the next of the peer's, to a receive that was not posted. */
static inline void over_at_once(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                                struct eyoti_msg_op *op, const char *image,
                                const struct eyoti_msg_head *head) {
  eyoti_msg_copy_short(op->buf, image + sizeof *head, head->len);
  op->status.tag = head->tag;
  op->status.bytes = head->len;
  eyoti_msg_op_end(rt, m, op, eyoti_msg_ring_took_inside(rt, m, p)); /* its completion returns it */
  __builtin_prefetch(eyoti_msg_next_slot(p));
}

/* Makes a receive that has a handle. Errors: ENOMEM, EBUSY. */
static inline int posted_new(struct eyot_rt *rt, struct eyoti_msgs *m,
                             const struct eyoti_msg_args *a, const struct eyoti_msg_recent *r,
                             struct eyoti_msg_op **out) {
  struct eyoti_msg_op *op;
  EYOTI_TRY(eyoti_msg_op_new_lean(rt, m, &op));
  op->team = r->of;
  op->to = r->peer->unit;
  op->key = (struct eyoti_msg_key){a->team.id, r->peer->unit, a->tag};
  op->status.from = a->unit;
  op->buf = (void *)(uintptr_t)a->buf;
  op->bytes = a->bytes;
  int rc = eyoti_msg_op_name(rt, m, op);
  if (rc != EYOT_OK) eyoti_msg_op_free(rt, m, op);
  if (rc == EYOT_OK) *out = op;
  return rc;
}

static inline bool recv_nb_stored(struct eyot_rt *rt, const struct eyoti_msg_args *a,
                                  eyot_msg_t *handle, int *rc) {
  struct eyoti_msgs *m = rt->msgs;
  struct eyoti_msg_op *op;
  struct eyoti_msg_head head;
  if (handle == NULL || !eyoti_msg_is_short(rt, m, a->tag, a->buf, a->bytes) || m->first != NULL)
    return false;
  const struct eyoti_msg_recent *r = eyoti_msg_member(rt, m, a->team, a->unit);
  struct eyoti_msg_peer *p = r != NULL ? r->peer : NULL;
  if (p == NULL || !ring_decides(m, p)) return false;
  eyoti_msg_enter(m);
  if (!earlier_given(rt, m, p)) return false;
  const char *slot = eyoti_msg_next_slot(p);
  const bool is_there = p->posted == 0 && eyoti_msg_slot_spin(slot, next_word(p), 0);
  if (is_there && !eyoti_msg_image_fits(slot + 8, a, &head)) return false;
  *rc = posted_new(rt, m, a, r, &op);
  if (*rc != EYOT_OK) {
    posted_leave(rt, m);
    return true;
  }
  *handle = op->handle;
  if (is_there)
    over_at_once(rt, m, p, op, slot + 8, &head);
  else
    eyoti_msg_post_named(m, op, p);
  posted_leave(rt, m);
  return true;
}

int eyot_recv_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void *buf, uint64_t bytes,
                 eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .buf = buf, .bytes = bytes};
  int rc;
  return recv_nb_stored(rt, &a, handle, &rc) ? rc : eyoti_msg_recv_nb(rt, &a, handle);
}

/* -- waits ------------------------------------------------------------------------------------- */

/* Gives the next message to the receive that is waited for, if that is the earliest that it
 * matches. It is completed now, so nobody else needs to know that it is over. */
static inline bool slot_take(struct eyoti_msgs *m, const struct eyoti_msg_peer *p,
                             struct eyoti_msg_op *op) {
  const char *image = eyoti_msg_next_slot(p) + 8;
  struct eyoti_msg_head head;
  memcpy(&head, image, sizeof head);
  if (head.team != op->key.team || head.tag != op->key.tag || head.kind != EYOTI_MSG_INSIDE ||
      head.len > op->bytes || m->n_open > 0 || !eyoti_msg_index_is_first(&op->entry))
    return false;
  eyoti_msg_unpost_named(m, op);
  eyoti_msg_copy_short(op->buf, image + sizeof head, head.len);
  op->status.tag = head.tag;
  op->status.bytes = head.len;
  op->over = true;
  return true;
}

/* Until the receive is over. *rc: the error of the peer's credit. False: it is not, or there was
 * an error. */
static inline bool posted_await(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op,
                                uint32_t spin_limit, int *rc) {
  struct eyoti_msg_peer *p = op->from;
  while (!op->over) {
    if (!ring_decides(m, p) ||
        !eyoti_msg_slot_spin(eyoti_msg_next_slot(p), next_word(p), spin_limit) ||
        !(slot_take(m, p, op) || eyoti_msg_arrive_inside(rt, m, p, eyoti_msg_next_slot(p) + 8)))
      return false;
    *rc = eyoti_msg_ring_took_inside(rt, m, p);
    if (__builtin_expect(*rc != EYOT_OK, 0)) {
      if (op->over && !op->ready) eyoti_msg_ready_add(m, op); /* its handle is completed later */
      return false;
    }
    __builtin_prefetch(eyoti_msg_next_slot(p)); /* of a stream, the next message is there */
  }
  return op->rc == EYOT_OK;
}

size_t eyoti_msg_wait_stored(struct eyot_rt *rt, eyot_msg_t *handles, size_t n,
                             eyot_msg_status_t *statuses, int *rc) {
  struct eyoti_msgs *m = rt->msgs;
  size_t i = 0;
  *rc = EYOT_OK;
  const struct fab *f = m != NULL && rt->threads == NULL ? eyoti_msg_stored(rt, m) : NULL;
  if (f == NULL) return 0;
  const uint32_t spin_limit = f->spin_limit;
  eyoti_msg_enter(m);
  for (; i < n; i++) {
    if (handles[i].id == 0) {
      eyoti_msg_status_clear(statuses != NULL ? &statuses[i] : NULL);
      continue;
    }
    struct eyoti_msg_op *op = eyoti_msg_op_of(m, handles[i]);
    if (op == NULL || !op->lean || !posted_await(rt, m, op, spin_limit, rc)) break;
    if (statuses != NULL) statuses[i] = op->status;
    handles[i] = EYOT_MSG_DONE;
    eyoti_msg_op_free(rt, m, op);
  }
  posted_leave(rt, m);
  if (__builtin_expect(m->watched, 0)) eyoti_msg_unwatch(rt, m);
  return i;
}
