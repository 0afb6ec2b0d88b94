/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_out.c - the sender's end of a ring and its area (ring.h).
 *
 * The area is a ring of bytes. What of it is free again follows from the credit for slots: the
 * sender notes for each message where the area's used part ended after it. A message for which the
 * area has no space becomes an envelope, as without an area; so nothing waits for space. */
#include <stdlib.h>
#include <string.h>

#include "msg/ring.h"

const uint64_t *eyoti_msg_push_word(const struct eyoti_msg_peer *p, uint64_t *off,
                                    uint64_t *value) {
  bool ring = p->ring != 0;
  *off = p->reply + (ring ? offsetof(struct eyoti_msg_reply, credit)
                          : offsetof(struct eyoti_msg_reply, answer));
  *value = !ring ? p->knocks : p->sent < p->slots ? 0 : p->sent - p->slots + 1;
  return ring ? &p->mine->credit : &p->mine->answer;
}

/* Pairs with the release of the answer or the credit, which is read only when what was read before
 * is used up: its line is then the caller's again. */
static bool peer_has_credit(struct eyoti_msg_peer *p) {
  if (p->ring == 0) return p->knocks == 0 || eyoti_load_own(&p->mine->answer) >= p->knocks;
  if (p->sent >= p->limit) p->limit = eyoti_load_own(&p->mine->credit) + p->slots;
  return p->sent < p->limit;
}

static void ring_set(struct eyot_rt *rt, struct eyoti_msg_peer *p, uint64_t ring) {
  if (ring == 0) return;
  p->slots = (uint32_t)ring % 64;
  p->ring = ring - p->slots;
  p->to_at = p->sent % p->slots * EYOTI_MSG_SLOT_BYTES;
  p->limit = p->slots;
  p->mapped = eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, p->unit, p->ring));
}

bool eyoti_msg_peer_is_free(struct eyot_rt *rt, struct eyoti_msg_peer *p) {
  if (!peer_has_credit(p)) {
    /* pairs with the signal of ring_widen (ring_in.c) */
    if (p->ring == 0 || p->grew || eyoti_load_own(&p->mine->grown) == 0) return false;
    p->grew = true;
    ring_set(rt, p, eyoti_load_own(&p->mine->wider));
    return peer_has_credit(p);
  }
  if (p->ring == 0 && p->knocks > 0) ring_set(rt, p, eyoti_load_own(&p->mine->ring));
  return true;
}

/* -- the area ---------------------------------------------------------------------------------- */

/* Whether the peer has one; it says so at some time after the second envelope. */
static bool area_is_there(struct eyoti_msgs *m, struct eyoti_msg_peer *p) {
  if (p->area != NULL) return true;
  /* pairs with the signal of eyoti_msg_area_offer */
  if (eyoti_load_own(&p->mine->offered) == 0) return false;
  if (m->image == NULL) m->image = malloc(EYOTI_MSG_AREA_IMAGE);
  if (m->image != NULL) p->area = calloc(1, sizeof *p->area);
  if (p->area == NULL) return false;
  p->area->off = eyoti_load_own(&p->mine->area);
  p->area->bytes = eyoti_load_own(&p->mine->area_bytes);
  return true;
}

/* Where the area's next message begins: after bytes that are left out at its end, if any. */
static uint64_t area_next(const struct eyoti_msg_area *a, uint64_t len) {
  uint64_t at = a->head % a->bytes;
  return at + len <= a->bytes ? a->head : a->head + a->bytes - at;
}

static bool area_has_space(const struct eyoti_msg_peer *p, uint64_t len) {
  const struct eyoti_msg_area *a = p->area;
  uint64_t credit = eyoti_load_own(&p->mine->credit), tail = a->after[credit % EYOTI_MSG_AFTER];
  return area_next(a, len) + len - tail <= a->bytes;
}

bool eyoti_msg_ring_takes(struct eyoti_msgs *m, struct eyoti_msg_peer *p, uint64_t bytes) {
  if (bytes <= EYOTI_MSG_INLINE) return true;
  uint64_t len = eyoti_msg_area_len(bytes);
  return len <= EYOTI_MSG_AREA_IMAGE && area_is_there(m, p) && area_has_space(p, len);
}

/* -- sending ----------------------------------------------------------------------------------- */

/* at: of the image; place: 0, or what says where in the area it is. */
static int put(struct eyot_rt *rt, struct eyoti_msg_peer *p, uint64_t at, uint64_t place,
               const char *image, uint64_t len) {
  const uint64_t slot = p->ring + p->to_at;
  const struct fab_sig sig = {.at = eyoti_gmem_heap_at(rt, p->unit, slot),
                              .op = FAB_SIG_SET,
                              .value = eyoti_msg_slot_word(p->sent + 1, place)};
  EYOTI_TRY(eyoti_msg_put_word(rt, eyoti_gmem_heap_at(rt, p->unit, at != 0 ? at : slot + 8), image,
                               len, &sig));
  eyoti_msg_ring_sent(p);
  return EYOT_OK;
}

int eyoti_msg_ring_put(struct eyot_rt *rt, struct eyoti_msg_peer *p, const char *image,
                       uint64_t image_len) {
  return put(rt, p, 0, 0, image, image_len);
}

static void image_write(char *to, const struct eyoti_msg_head *head, const void *bytes) {
  memcpy(to, head, sizeof *head);
  if (head->len > 0) memcpy(to + sizeof *head, bytes, head->len);
}

int eyoti_msg_ring_send(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                        const struct eyoti_msg_head *head, const void *bytes) {
  char image[sizeof *head + EYOTI_MSG_INLINE];
  const uint64_t len = sizeof *head + head->len;
  if (head->len <= EYOTI_MSG_INLINE && p->mapped != NULL && eyoti_msg_stored(rt, m) != NULL) {
    eyoti_msg_ring_store(p, head, bytes);
    return EYOT_OK;
  }
  if (head->len <= EYOTI_MSG_INLINE) {
    image_write(image, head, bytes);
    return put(rt, p, 0, 0, image, len);
  }
  struct eyoti_msg_area *a = p->area;
  const uint64_t begin = area_next(a, eyoti_msg_area_len(head->len)), at = begin % a->bytes;
  a->head = begin + eyoti_msg_area_len(head->len);
  /* where the processor's stores may stand for the fabric's, one copy less */
  char *to = rt->fab->cpu_atomics
                 ? eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, p->unit, a->off + at))
                 : NULL;
  image_write(to != NULL ? to : m->image, head, bytes);
  return put(rt, p, a->off + at, eyoti_msg_slot_place(at), m->image, to != NULL ? 0 : len);
}
