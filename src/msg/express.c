/* SPDX-License-Identifier: BSD-3-Clause */
/* express.c - short messages through a ring that is there, without an operation (state.h): a send
 * whose ring has a free slot writes it and is over; a receive that names its sender and a tag, and
 * that no other one can compete with, waits for the next slot and copies from it.
 *
 * Why it exists: an operation with its lists, bins and image takes longer than the bytes of a short
 * message need from one processor to another. What goes to the fabric, and in which order, is the
 * same as without it; whatever is not the plain case is left to send.c and recv.c, before anything
 * was done for it. */
#include "msg/express.h"

#include <string.h>

#include "gmem/sheap.h"
#include "msg/arrivals.h"
#include "rt/place.h"

/* The call that runs, as messages carry it; most are made by the call of the one before. */
static inline uint64_t made_word(struct eyot_rt *rt, struct eyoti_msgs *m) {
  const void *site = eyoti_rt_site(rt);
  if (__builtin_expect(m->made.site != site, 0))
    m->made = (struct eyoti_msg_made){site, eyoti_place_word(rt, site)};
  return m->made.word;
}

/* The plain cases of arguments; the others get their errors elsewhere. */
static bool args_are_plain(const struct eyot_rt *rt, const struct eyoti_msg_args *a) {
  return rt->threads == NULL && a->tag >= 0 && (a->buf != NULL || a->bytes == 0) && !a->apart;
}

/* -- sends ------------------------------------------------------------------------------------- */

/* Waits for the receiver's credit, as long as a receiver that takes messages may need for half a
 * ring. Why: a queued message costs several times one that leaves at once, so a sender that was
 * faster than its receiver would become the slower one (adr/0107). Messages that are queued behind
 * one that has waited in vain do not wait. */
static void credit_await(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  const struct fab *f = eyoti_msg_stored(rt, m);
  if (p->mapped == NULL || p->waiting.head != NULL || f == NULL) return;
  for (uint32_t n = 0; n < f->spin_limit / 4 && !eyoti_msg_peer_is_free(rt, p); n++) fab_relax();
}

bool eyoti_msg_send_at_once(struct eyot_rt *rt, struct eyoti_msgs *m,
                            const struct eyoti_msg_args *a, int *rc) {
  if (!args_are_plain(rt, a) || a->given != NULL || a->bytes > EYOTI_MSG_AREA_IMAGE ||
      m->eager == 0 || a->bytes > m->eager)
    return false;
  if (m->n_sent > 0) eyoti_msg_reap(rt, m, EYOTI_MSG_REAPED_AT_A_TIME);
  if (a->bytes + EYOTI_MSG_IMAGE > m->most_buffered - m->buffered) return false;
  struct eyoti_msg_peer *p = eyoti_msg_peer_known(rt, m, a->team, a->unit);
  if (p != NULL && p->sent >= p->limit) credit_await(rt, m, p);
  if (p == NULL || p->ring == 0 || p->waiting.head != NULL || p->failed != EYOT_OK ||
      !eyoti_msg_peer_is_free(rt, p) || !eyoti_msg_ring_takes(m, p, a->bytes))
    return false;
  const struct eyoti_msg_head head = {.team = a->team.id,
                                      .tag = a->tag,
                                      .kind = EYOTI_MSG_INSIDE,
                                      .len = (uint16_t)a->bytes,
                                      .made = made_word(rt, m)};
  eyoti_observe_reads(rt, a->buf, a->bytes);
  *rc = p->failed = eyoti_msg_ring_send(rt, m, p, &head, a->buf);
  if (p->mapped != NULL) eyoti_msg_ring_fetch(p);
  return true;
}

/* -- receives ---------------------------------------------------------------------------------- */

static int slot_wait(struct eyot_rt *rt, const struct eyoti_msg_peer *p, int32_t tag) {
  const char *slot = eyoti_msg_next_slot(p);
  const struct fab_addr at =
      eyoti_gmem_heap_at(rt, rt->fab->me, p->from_off + (uint64_t)(slot - p->from));
  const struct fab_cond cond = {
      .seg = at.seg, .cmp = FAB_GE, .off = at.off, .value = eyoti_msg_slot_word(p->taken + 1, 0)};
  rt->about_message =
      (struct eyoti_about_message){.call = rt->fab->note.what, .unit = p->unit, .tag = tag};
  int rc = fab_wait_word(rt->fab, &cond, FAB_FOREVER, NULL);
  rt->about_message.call = NULL;
  return rc;
}

/* The sender whose next slot alone can have what the receive gets; NULL: this is no plain case. */
static struct eyoti_msg_peer *only_sender(struct eyot_rt *rt, struct eyoti_msgs *m,
                                          const struct eyoti_msg_args *a) {
  if (!args_are_plain(rt, a) || a->place != NULL || m->n_posted > 0 || m->wild_wants > 0 ||
      m->busy != NULL || m->getting.head != NULL || m->landing.head != NULL)
    return NULL;
  struct eyoti_msg_peer *p = eyoti_msg_peer_known(rt, m, a->team, a->unit);
  if (p == NULL || p->from == NULL || p->wide != NULL) return NULL;
  const struct eyoti_msg_key key = {a->team.id, p->unit, a->tag};
  return m->first == NULL || eyoti_msg_find(m, &key) == NULL ? p : NULL;
}

/* Copies the bytes. Errors: the fabric's, of the peer's credit. */
static int image_copy(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                      const char *image, const struct eyoti_msg_args *a,
                      const struct eyoti_msg_head *head, eyot_msg_status_t *status) {
  if (head->len > 0) memcpy((void *)(uintptr_t)a->buf, image + sizeof *head, head->len);
  eyoti_observe_writes(rt, a->buf, head->len);
  if (__builtin_expect(head->len > EYOTI_MSG_INLINE, 0))
    EYOTI_TRY(eyoti_sheap_copied(rt, head->len));
  *status = (eyot_msg_status_t){.from = a->unit, .tag = head->tag, .bytes = head->len};
  EYOTI_TRY(eyoti_msg_ring_took(rt, m, p));
  __builtin_prefetch(eyoti_msg_next_slot(p)); /* of a stream, the next message is there */
  return EYOT_OK;
}

bool eyoti_msg_recv_next(struct eyot_rt *rt, struct eyoti_msgs *m, const struct eyoti_msg_args *a,
                         eyot_msg_status_t *status, int *rc) {
  struct eyoti_msg_head head;
  eyot_msg_status_t own;
  struct eyoti_msg_peer *p = only_sender(rt, m, a);
  if (p == NULL) return false;
  const char *image = eyoti_msg_ring_next(p);
  if (image == NULL && (*rc = slot_wait(rt, p, a->tag)) != EYOT_OK) return true;
  if (image == NULL) image = eyoti_msg_ring_next(p);
  EYOTI_ASSERT(image != NULL);
  if (!eyoti_msg_image_fits(image, a, &head)) return false;
  *rc = image_copy(rt, m, p, image, a, &head, status != NULL ? status : &own);
  return true;
}

bool eyoti_msg_recv_nb_next(struct eyot_rt *rt, struct eyoti_msgs *m,
                            const struct eyoti_msg_args *a, eyot_msg_t *handle, int *rc) {
  struct eyoti_team *t;
  struct eyoti_msg_head head;
  struct eyoti_msg_op *op;
  struct eyoti_msg_peer *p = only_sender(rt, m, a);
  if (p == NULL || !eyoti_team_find(rt, a->team, &t)) return false;
  const char *image = eyoti_msg_ring_next(p);
  if (image == NULL || !eyoti_msg_image_fits(image, a, &head)) return false;
  if ((*rc = eyoti_msg_op_new_lean(rt, m, &op)) != EYOT_OK) return true;
  op->team = t;
  op->key = (struct eyoti_msg_key){a->team.id, p->unit, a->tag}; /* for reports */
  if ((*rc = eyoti_msg_op_name(rt, m, op)) != EYOT_OK) {
    eyoti_msg_op_free(rt, m, op);
    return true;
  }
  *handle = op->handle;
  /* its completion returns errors */
  eyoti_msg_op_end(rt, m, op, image_copy(rt, m, p, image, a, &head, &op->status));
  return true;
}

/* -- by stores --------------------------------------------------------------------------------- */
/* Between units of a node whose stores may stand for the fabric's, a short message needs nothing of
 * it: its sender writes one line of the slot, of up to 32 bytes, and its receiver reads that line
 * until the word has come. Nothing goes back but the credit, once in half a ring. */

/* A call of its own would take a fifth of the time of a send. */
__attribute__((always_inline)) static inline bool send_stored(struct eyot_rt *rt, eyot_team_t team,
                                                              eyot_tunit_t to, int32_t tag,
                                                              const void *buf, uint64_t bytes) {
  struct eyoti_msgs *m = rt->msgs;
  if (!eyoti_msg_is_short(rt, m, tag, buf, bytes) || bytes >= m->stored_end || m->n_sent > 0)
    return false;
  struct eyoti_msg_peer *p = eyoti_msg_peer_known(rt, m, team, to);
  if (p == NULL || p->mapped == NULL || p->waiting.head != NULL || p->failed != EYOT_OK ||
      (p->sent >= p->limit && !eyoti_msg_peer_is_free(rt, p)))
    return false;
  const struct eyoti_msg_head head = {.team = team.id,
                                      .tag = tag,
                                      .kind = EYOTI_MSG_INSIDE,
                                      .len = (uint16_t)bytes,
                                      .made = made_word(rt, m)};
  eyoti_msg_ring_store(p, &head, buf);
  if (__builtin_expect(m->watched, 0)) eyoti_msg_unwatch(rt, m); /* its queue has become empty */
  return true;
}

int eyot_send(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf, uint64_t bytes) {
  EYOTI_ENTER(rt);
  if (send_stored(rt, team, to, tag, buf, bytes)) return EYOT_OK;
  const struct eyoti_msg_args a = {
      .team = team, .unit = to, .tag = tag, .buf = buf, .bytes = bytes};
  return eyoti_msg_send(rt, &a, false);
}

int eyot_send_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, const void *buf, uint64_t bytes,
                 eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  if (handle != NULL && send_stored(rt, team, to, tag, buf, bytes)) {
    *handle = EYOT_MSG_DONE;
    eyoti_msg_ring_fetch(eyoti_msg_peer_known(rt, rt->msgs, team, to));
    return EYOT_OK;
  }
  const struct eyoti_msg_args a = {
      .team = team, .unit = to, .tag = tag, .buf = buf, .bytes = bytes};
  return eyoti_msg_send_nb(rt, &a, false, handle);
}

/* *rc: the error of the peer's credit. */
static inline bool recv_stored(struct eyot_rt *rt, const struct eyoti_msg_args *a,
                               eyot_msg_status_t *status, int *rc) {
  struct eyoti_msgs *m = rt->msgs;
  if (!eyoti_msg_is_short(rt, m, a->tag, a->buf, a->bytes) || m->n_posted > 0 ||
      m->wild_wants > 0 || m->busy != NULL || m->getting.head != NULL || m->landing.head != NULL ||
      m->first != NULL)
    return false;
  struct eyoti_msg_peer *p = eyoti_msg_peer_known(rt, m, a->team, a->unit);
  if (p == NULL || p->from == NULL || p->wide != NULL) return false;
  const char *slot = eyoti_msg_next_slot(p), *image = slot + 8;
  struct eyoti_msg_head head;
  if (!eyoti_msg_slot_spin(slot, eyoti_msg_slot_word(p->taken + 1, 0), rt->fab->spin_limit) ||
      !eyoti_msg_image_fits(image, a, &head))
    return false;
  eyoti_msg_copy_short((void *)(uintptr_t)a->buf, image + sizeof head, head.len);
  if (status != NULL)
    *status = (eyot_msg_status_t){.from = a->unit, .tag = head.tag, .bytes = head.len};
  *rc = eyoti_msg_ring_took_inside(rt, m, p);
  if (__builtin_expect(m->watched, 0)) eyoti_msg_unwatch(rt, m);
  return true;
}

int eyot_recv(eyot_team_t team, eyot_tunit_t from, int32_t tag, void *buf, uint64_t bytes,
              eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .buf = buf, .bytes = bytes};
  int rc;
  return recv_stored(rt, &a, status, &rc) ? rc : eyoti_msg_recv(rt, &a, status);
}
