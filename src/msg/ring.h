/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h - the two ends of the way from one unit to another one (wire.h): a ring of slots, a wider
 * one for senders that fill it, and an area for messages that are longer than a slot. All of it
 * lies in the receiver's heap, and only the sender writes it. For the files of src/msg. */
#ifndef EYOT_MSG_RING_H
#define EYOT_MSG_RING_H

#include "msg/state.h"

/* -- the sender's end: ring_out.c -------------------------------------------------------------- */

/* The word of own memory that the next message to the peer needs, and the value; 0: it can leave
 * now. */
const uint64_t *eyoti_msg_push_word(const struct eyoti_msg_peer *p, uint64_t *off, uint64_t *value);
/* Whether it can leave. */
bool eyoti_msg_peer_is_free(struct eyoti_msg_peer *p);
/* Whether a message of so many bytes, without struct eyoti_msg_ends, can be sent by
 * eyoti_msg_ring_send: by the slot, or by the area if there is one and it has space. The peer has a
 * ring and is free. Local. */
bool eyoti_msg_ring_takes(struct eyoti_msgs *m, struct eyoti_msg_peer *p, uint64_t bytes);
/* Sends it. bytes may be used again on return. Errors: the fabric's. */
int eyoti_msg_ring_send(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p,
                        const struct eyoti_msg_head *head, const void *bytes);
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
  return p->from + p->taken % p->from_slots * EYOTI_MSG_SLOT_BYTES;
}
static inline char *eyoti_msg_wide_slot(const struct eyoti_msg_peer *p) {
  return p->wide + p->taken % p->wide_slots * EYOTI_MSG_SLOT_BYTES;
}
/* The image of the peer's next message, or NULL: it has not come. Local. */
const char *eyoti_msg_ring_next(struct eyoti_msg_peer *p);
/* That message was read: gives the peer credit for half a ring or area, and a wider ring if all
 * slots were filled. Errors: the fabric's. */
int eyoti_msg_ring_took(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p);
/* A message of the peer's was an envelope, although an area would take its bytes: gives it one, if
 * there is memory. Errors: the fabric's. */
int eyoti_msg_area_offer(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_peer *p);
#endif
