/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h - the two ends of the way from one unit to another one (wire.h): a ring of slots, a wider
 * one for senders that fill it, and an area for messages that are longer than a slot. All of it
 * lies in the receiver's heap, and only the sender writes it. For the files of src/msg. */
#ifndef EYOT_MSG_RING_H
#define EYOT_MSG_RING_H

#include <string.h>

#include "msg/state.h"

/* The endpoint of the fabric, if the processor's stores may stand for its puts and signals to
 * memory that is mapped here, and wake nobody; else NULL. The messages' own watch misses nothing:
 * calls of messages hold it. */
static inline const struct fab *eyoti_msg_stored(const struct eyot_rt *rt,
                                                 const struct eyoti_msgs *m) {
  const struct fab *f = rt->fab;
  if (__builtin_expect(m->watched, 0)) f = eyoti_watch_alone(rt, &m->watch);
  return f != NULL && f->cpu_atomics && f->spin_limit > 0 ? f : NULL;
}

/* After `at`, in a ring of so many slots. */
static inline uint64_t eyoti_msg_slot_after(uint64_t at, uint32_t slots) {
  at += EYOTI_MSG_SLOT_BYTES;
  return at < slots * EYOTI_MSG_SLOT_BYTES ? at : 0;
}

/* Copies so few bytes that a call takes longer than most of them need. */
static inline void eyoti_msg_copy_short(void *to, const void *from, uint64_t len) {
  if (len == 8)
    memcpy(to, from, 8);
  else if (len > 0)
    memcpy(to, from, len);
}

/* -- the sender's end: knock.c and ring_out.c -------------------------------------------------- */

/* knock.c: makes the caller's reply for the peer, if there is none. Errors: ENOMEM. */
int eyoti_msg_reply_make(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p);
/* Sends an image by a knock; the peer is free, and has no ring. Errors: ENOMEM, the fabric's. */
int eyoti_msg_knock(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                    const char *image, uint64_t image_len);

/* The word of own memory that the next message to the peer needs, and the value; 0: it can leave
 * now. */
const uint64_t *eyoti_msg_push_word(const struct eyoti_msg_peer *p, uint64_t *off, uint64_t *value);
/* Whether it can leave. */
bool eyoti_msg_peer_is_free(struct eyot_rt *rt, struct eyoti_msg_peer *p);
/* A message is in the slot. */
static inline void eyoti_msg_ring_sent(struct eyoti_msg_peer *p) {
  p->sent++;
  p->to_at = eyoti_msg_slot_after(p->to_at, p->slots);
  if (p->area != NULL) p->area->after[p->sent % EYOTI_MSG_AFTER] = p->area->head;
}
/* Whether a message of so many bytes, without struct eyoti_msg_ends, can be sent by
 * eyoti_msg_ring_send: by the slot, or by the area if there is one and it has space. The peer has a
 * ring and is free. Local. */
bool eyoti_msg_ring_takes(struct eyoti_msgs *m, struct eyoti_msg_peer *p, uint64_t bytes);
/* Sends it. bytes may be used again on return. Errors: the fabric's. */
int eyoti_msg_ring_send(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                        const struct eyoti_msg_head *head, const void *bytes);
/* The same of at most EYOTI_MSG_INLINE bytes, to a ring that is mapped here, where
 * eyoti_msg_stored. */
static inline void eyoti_msg_ring_store(struct eyoti_msg_peer *p, const struct eyoti_msg_head *head,
                                        const void *bytes) {
  char *slot = p->mapped + p->to_at;
  memcpy(slot + 8, head, sizeof *head);
  eyoti_msg_copy_short(slot + 8 + sizeof *head, bytes, head->len);
  /* pairs with the receiver's load of its next slot */
  __atomic_store_n((uint64_t *)(void *)slot, eyoti_msg_slot_word(p->sent + 1, 0), __ATOMIC_RELEASE);
  eyoti_msg_ring_sent(p);
}
/* Fetches, for writing, the line of the slot after the one to which the next message goes: in a
 * stream, its receiver has it. Not worth its cost for a single message. Local. */
static inline void eyoti_msg_ring_fetch(const struct eyoti_msg_peer *p) {
  const char *line = p->mapped + eyoti_msg_slot_after(p->to_at, p->slots);
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*line)); /* gcc fetches for reading alone */
#else
  __builtin_prefetch(line, 1);
#endif
}
/* Puts an image, which may have the ends, into the next slot, which is free. Errors: the
 * fabric's. */
int eyoti_msg_ring_put(struct eyot_rt *rt, struct eyoti_msg_peer *p, const char *image,
                       uint64_t image_len);

/* -- the receiver's end: ring_in.c ------------------------------------------------------------- */

/* Gives the peer, which has knocked so often, a ring: its offset | slots. 0: none yet, or no
 * memory. */
uint64_t eyoti_msg_ring_make(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                             uint64_t knocks);
/* The slot to which the peer's next message comes; later messages, if it has changed to the wider
 * ring. */
static inline char *eyoti_msg_next_slot(const struct eyoti_msg_peer *p) {
  return p->from + p->from_at;
}
static inline char *eyoti_msg_wide_slot(const struct eyoti_msg_peer *p) {
  return p->wide + p->taken % p->wide_slots * EYOTI_MSG_SLOT_BYTES;
}
/* The image of the peer's next message, or NULL: it has not come. Local. */
const char *eyoti_msg_ring_next(struct eyoti_msg_peer *p);
/* That message was read: gives the peer credit for half a ring or area, and a wider ring if all
 * slots were filled. Errors: the fabric's. */
int eyoti_msg_ring_took(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p);
/* The same, of a message whose bytes were in the slot. */
static inline int eyoti_msg_ring_took_inside(struct eyot_rt *rt, struct eyoti_msgs *m,
                                             struct eyoti_msg_peer *p) {
  if (2 * (p->taken + 1 - p->credited) >= p->from_slots) return eyoti_msg_ring_took(rt, m, p);
  p->taken++;
  p->from_at = eyoti_msg_slot_after(p->from_at, p->from_slots);
  return EYOT_OK;
}
/* A message of the peer's was an envelope, although an area would take its bytes: gives it one, if
 * there is memory. Errors: the fabric's. */
int eyoti_msg_area_offer(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p);
#endif
