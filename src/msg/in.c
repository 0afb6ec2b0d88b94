/* SPDX-License-Identifier: BSD-3-Clause */
/* in.c - takes what has come to this unit (state.h, wire.h): knocks and the slots of rings.
 *
 * The unit takes only what it wants: of peers that a receive or a probe names, or of all. Other
 * messages stay where they are, so that a sender that nobody listens to is slowed down by its ring.
 * Knocks are taken all at once: their chain begins with the newest, and each record names the one
 * before it. A record that is not linked yet ends the reading; its sender links it, and adds to the
 * word, before it does anything else. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "msg/ring.h"
#include "msg/share.h"

/* -- rings ------------------------------------------------------------------------------------- */

/* Whether the bytes of a message that came as an envelope would have had space in an area. */
static bool is_for_area(const char *image) {
  struct eyoti_msg_head head;
  struct eyoti_msg_ends ends;
  memcpy(&head, image, sizeof head);
  if ((head.kind & EYOTI_MSG_LONG) == 0) return false;
  memcpy(&ends, image + sizeof head, sizeof ends);
  return eyoti_msg_area_len(ends.bytes) <= EYOTI_MSG_AREA_IMAGE;
}

static int ring_pull(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  while (m->ends || m->wild_wants > 0 || p->posted > 0) {
    const char *image = eyoti_msg_ring_next(p);
    if (image == NULL) return EYOT_OK;
    bool offer = !m->ends && is_for_area(image);
    EYOTI_TRY(eyoti_msg_arrive(rt, m, p->unit, image));
    if (offer) EYOTI_TRY(eyoti_msg_area_offer(rt, m, p));
    EYOTI_TRY(eyoti_msg_ring_took(rt, m, p));
  }
  return EYOT_OK;
}

static int ringed_pull(struct eyot_rt *rt, struct eyoti_msgs *m) {
  for (uint32_t i = 0; i < m->n_ringed; i++) EYOTI_TRY(ring_pull(rt, m, m->ringed[i]));
  return EYOT_OK;
}

static int wanted_pull(struct eyot_rt *rt, struct eyoti_msgs *m) {
  for (uint32_t i = 0; i < m->n_wanted;) {
    struct eyoti_msg_peer *p = m->wanted[i];
    EYOTI_TRY(ring_pull(rt, m, p));
    i += i < m->n_wanted && m->wanted[i] == p; /* else its last receive was matched */
  }
  return EYOT_OK;
}

/* -- knocks ------------------------------------------------------------------------------------ */

static int knock_answer(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                        uint64_t number) {
  uint64_t ring = eyoti_msg_ring_make(rt, m, p, number), base = p->theirs;
  struct fab_sig sig = {
      .at = eyoti_gmem_heap_at(rt, p->unit, base + offsetof(struct eyoti_msg_reply, answer)),
      .op = FAB_SIG_SET,
      .value = number};
  return eyoti_msg_put_word(
      rt, eyoti_gmem_heap_at(rt, p->unit, base + offsetof(struct eyoti_msg_reply, ring)), &ring,
      sizeof ring, &sig);
}

/* The envelope of a unit that has crashed names those before it, which are lost with it. */
static int knock_lost(struct eyot_rt *rt, struct eyoti_msgs *m, uint32_t list, fab_unit_t unit) {
  m->chain[list] = 0;
  if (m->lost_warned) return EYOT_OK;
  m->lost_warned = true;
  eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
            "unit %u cannot be reached, and its first message to this unit is lost; so are first "
            "messages of other units that came shortly before it",
            unit);
  return EYOT_OK;
}

/* A record and its link, which are got at the same time. */
struct knock_get {
  struct eyoti_msg_knock k;
  uint64_t next;
  fab_req_t record, link;
  int rc; /* of the beginning */
};

static void knock_get_begin(struct eyot_rt *rt, uint64_t ref, struct knock_get *g) {
  fab_unit_t unit = eyoti_msg_ref_unit(ref);
  uint64_t off = eyoti_msg_ref_off(ref);
  g->rc = fab_get(rt->fab, &g->k, eyoti_gmem_heap_at(rt, unit, off + EYOTI_MSG_KNOCK_OFF),
                  sizeof g->k, &g->record);
  if (g->rc != EYOT_OK) return;
  g->rc = fab_get(rt->fab, &g->next, eyoti_gmem_heap_at(rt, unit, off), sizeof g->next, &g->link);
  if (g->rc != EYOT_OK) (void)fab_req_end(rt->fab, unit, g->record);
}

static int knock_get_end(struct eyot_rt *rt, uint64_t ref, const struct knock_get *g) {
  fab_unit_t unit = eyoti_msg_ref_unit(ref);
  if (g->rc != EYOT_OK) return g->rc;
  int rc = fab_req_end(rt->fab, unit, g->link), rc_record = fab_req_end(rt->fab, unit, g->record);
  return rc != EYOT_OK ? rc : rc_record;
}

/* *unlinked: the record is not linked yet, and stays. */
static int knock_take(struct eyot_rt *rt, struct eyoti_msgs *m, uint32_t list,
                      const struct knock_get *g, bool *unlinked) {
  struct eyoti_msg_peer *p;
  const uint64_t ref = m->chain[list];
  fab_unit_t unit = eyoti_msg_ref_unit(ref);
  int rc = knock_get_end(rt, ref, g);
  if (rc == EYOT_EPEERDOWN) return knock_lost(rt, m, list, unit);
  EYOTI_TRY(rc);
  *unlinked = g->next == EYOTI_MSG_LINK_NONE;
  if (*unlinked) return EYOT_OK;
  EYOTI_TRY(eyoti_msg_peer(rt, m, unit, &p));
  EYOTI_TRY(eyoti_msg_arrive(rt, m, unit, g->k.image));
  p->theirs = g->k.reply;
  m->taken++;
  m->chain[list] = g->next == EYOTI_MSG_LINK_END ? 0 : g->next;
  return m->ends ? EYOT_OK : knock_answer(rt, m, p, g->k.number);
}

/* The next record of each list that has one, but for the lists of *unlinked, to which it adds.
 * Ends all gets that it has begun. */
static int knocks_take(struct eyot_rt *rt, struct eyoti_msgs *m, uint32_t *unlinked) {
  struct knock_get get[EYOTI_MSG_LISTS_MOST];
  const uint32_t skip = *unlinked;
  int first = EYOT_OK;
  for (uint32_t i = 0; i < m->n_lists; i++)
    if (m->chain[i] != 0 && (skip >> i & 1) == 0) knock_get_begin(rt, m->chain[i], &get[i]);
  for (uint32_t i = 0; i < m->n_lists; i++) {
    bool later = false;
    if (m->chain[i] == 0 || (skip >> i & 1) != 0) continue;
    int rc = knock_take(rt, m, i, &get[i], &later);
    if (later) *unlinked |= 1u << i;
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

static bool knocks_left(const struct eyoti_msgs *m, uint32_t unlinked) {
  for (uint32_t i = 0; i < m->n_lists; i++)
    if (m->chain[i] != 0 && (unlinked >> i & 1) == 0) return true;
  return false;
}

/* Takes what is in each list whose records were all read. Of several lists one may be empty, which
 * a load tells. */
static int heads_take(struct eyot_rt *rt, struct eyoti_msgs *m) {
  const struct fab_amo take = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
  for (uint32_t i = 0; i < m->n_lists; i++) {
    struct fab_addr head = eyoti_msg_word_at(rt, rt->fab->me, eyoti_msg_head_off(i));
    if (m->chain[i] != 0) continue;
    /* pairs with the senders' swaps */
    if (m->n_lists > 1 && eyoti_load_own(eyoti_gmem_mapped(rt, head)) == 0) continue;
    EYOTI_TRY(fab_amo_wait(rt->fab, head, &take, &m->chain[i]));
  }
  return EYOT_OK;
}

static int knocks_pull(struct eyot_rt *rt, struct eyoti_msgs *m) {
  /* pairs with the senders' signals: so many records are linked */
  for (uint64_t linked; (linked = eyoti_load_own(m->linked_word)) > m->heard;) {
    uint32_t unlinked = 0; /* a bit for each list */
    EYOTI_TRY(heads_take(rt, m));
    if (!knocks_left(m, 0)) m->taken = linked; /* lost: see above */
    while (knocks_left(m, unlinked)) EYOTI_TRY(knocks_take(rt, m, &unlinked));
    m->heard = unlinked != 0 ? linked : m->taken;
  }
  return EYOT_OK;
}

/* A record that was read stays in its list until it is linked. One that was not read is named by
 * its list's head: had its sender said that it is linked, the wait would have ended. */
uint32_t eyoti_msg_knocked(struct eyot_rt *rt) {
  const struct eyoti_msgs *m = rt->msgs;
  for (uint32_t i = 0; i < m->n_lists; i++) {
    uint64_t ref = m->chain[i];
    if (ref == 0)
      ref = eyoti_load_own(
          eyoti_gmem_mapped(rt, eyoti_msg_word_at(rt, rt->fab->me, eyoti_msg_head_off(i))));
    if (ref != 0) return eyoti_msg_ref_unit(ref);
  }
  return UINT32_MAX;
}

int eyoti_msg_pull(struct eyot_rt *rt, struct eyoti_msgs *m) {
  bool all = m->ends || m->wild_wants > 0;
  if (eyoti_msg_wants_new(m)) EYOTI_TRY(knocks_pull(rt, m));
  return all ? ringed_pull(rt, m) : wanted_pull(rt, m);
}

/* Tells the sender that the bytes are here. */
static int sender_signal(struct eyot_rt *rt, const struct eyoti_msg_op *op) {
  const struct fab_addr done = eyoti_gmem_heap_at(rt, op->key.from, op->ends.done);
  return op->counted ? eyoti_msg_signal(rt, done, FAB_SIG_ADD, 1)
                     : eyoti_msg_signal(rt, done, FAB_SIG_SET, op->ends.value);
}

void eyoti_msg_finish_oldest(struct eyot_rt *rt, struct eyoti_msgs *m) {
  struct eyoti_msg_op *op = m->getting.head;
  eyoti_msg_queue_remove(&m->getting, op);
  int rc = op->shared ? eyoti_msg_share_recv(rt, m, op) : fab_req_end(rt->fab, op->to, op->req);
  if (rc == EYOT_OK) rc = sender_signal(rt, op);
  eyoti_msg_op_end(rt, m, op, op->rc != EYOT_OK ? op->rc : rc);
}

/* A call that does not wait begins to get what the sender was to copy too. */
static int get_alone(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  op->shared = false;
  return fab_get(rt->fab, op->buf, eyoti_gmem_heap_at(rt, op->key.from, op->ends.source),
                 op->status.bytes, &op->req);
}

void eyoti_msg_finish_done(struct eyot_rt *rt, struct eyoti_msgs *m) {
  bool done = true;
  for (struct eyoti_msg_op *op; done && (op = m->getting.head) != NULL;) {
    int rc = op->shared ? get_alone(rt, op) : EYOT_OK;
    if (rc == EYOT_OK) rc = fab_req_test(rt->fab, op->req, FAB_LOCAL, &done);
    if (rc == EYOT_OK && done) eyoti_msg_finish_oldest(rt, m);
    if (rc == EYOT_OK) continue;
    eyoti_msg_queue_remove(&m->getting, op);
    fab_settle_set(rt->fab, op->to);
    eyoti_msg_op_end(rt, m, op, rc);
    done = true;
  }
}

static void land(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  eyoti_msg_queue_remove(&m->landing, op);
  eyoti_msg_direct_end(rt, m, op);
  eyoti_msg_op_end(rt, m, op, sender_signal(rt, op));
}

void eyoti_msg_landed(struct eyot_rt *rt, struct eyoti_msgs *m) {
  for (struct eyoti_msg_op *op = m->landing.head, *next; op != NULL; op = next) {
    next = op->next;
    if (eyoti_load_own(eyoti_msg_direct_word(rt, op)) >= op->value) land(rt, m, op);
  }
}

void eyoti_msg_finish(struct eyot_rt *rt, struct eyoti_msgs *m) {
  while (m->getting.head != NULL) eyoti_msg_finish_oldest(rt, m);
  while (m->landing.head != NULL) {
    if (eyoti_msg_direct_wait(rt, m->landing.head) == EYOT_OK)
      land(rt, m, m->landing.head);
    else
      eyoti_msg_direct_withdraw(rt, m, m->landing.head);
  }
}
