/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - what messages put into global memory: the words of a unit that all can reach, a sender's
 * records and its reply for each peer, and the slots of a ring. For the files of src/msg.
 *
 * A pair of units begins by knocks. The sender writes the message into a record of its own, swaps
 * its name into a word `head` of the receiver's, links the name that was there, and adds 1 to the
 * receiver's word `linked`: the first half of an MCS queue (Mellor-Crummey, Scott, 1991), in which
 * the receiver waits for a word of its own. So any number of senders may knock at once, and none
 * needs memory at the receiver. From the second knock of a peer on, the receiver answers with a
 * ring of slots in its own memory, which only that sender fills, by one put with signal a message.
 * A sender that fills it gets a wider one, into which it changes between any two messages: a
 * message's number says its slot in either, and the receiver waits for both.
 */
#ifndef EYOT_MSG_WIRE_H
#define EYOT_MSG_WIRE_H

#include <eyot/msg.h>

#include "sync/locks/queue.h"

#define EYOTI_MSG_INLINE 256u /* bytes of a message that travel with its envelope */

/* The words of each unit, beside the queue nodes of locks; zero at start. */
#define EYOTI_MSG_LINKED_OFF EYOTI_QUEUE_SPARE_OFF2 /* added to by senders */
/* The head of each list of knocks: swapped by senders and the owner. A list is read one record
 * after the other, a round trip each; many senders have several lists, which are read at the same
 * time. */
#define EYOTI_MSG_LISTS_MOST 16u
#define EYOTI_MSG_LISTS_FROM 128u /* so many units have them all, fewer one */
_Static_assert(EYOTI_MSG_LISTS_MOST < EYOTI_QUEUE_NODES, "each list has the word of a node");
static inline uint32_t eyoti_msg_lists(uint32_t units) {
  return units < EYOTI_MSG_LISTS_FROM ? 1 : EYOTI_MSG_LISTS_MOST;
}
static inline uint64_t eyoti_msg_head_off(uint32_t list) {
  return EYOTI_QUEUE_SPARE_OFF - list * EYOTI_QUEUE_NODE_BYTES;
}

/* The name of a record: unit << 40 | offset / 64. In `next`, 0: not linked yet; 1: the last. */
#define EYOTI_MSG_LINK_NONE 0u
#define EYOTI_MSG_LINK_END 1u
#define EYOTI_MSG_REF_BITS 40u

static inline uint64_t eyoti_msg_ref(fab_unit_t unit, uint64_t off) {
  return (uint64_t)unit << EYOTI_MSG_REF_BITS | off / 64;
}
static inline fab_unit_t eyoti_msg_ref_unit(uint64_t ref) {
  return (fab_unit_t)(ref >> EYOTI_MSG_REF_BITS);
}
static inline uint64_t eyoti_msg_ref_off(uint64_t ref) {
  return (ref & ((UINT64_C(1) << EYOTI_MSG_REF_BITS) - 1)) * 64;
}

enum eyoti_msg_kind {
  EYOTI_MSG_INSIDE = 0,       /* its bytes follow, and its sender waits for nothing */
  EYOTI_MSG_SYNC = 1u << 0,   /* its sender waits until it is matched */
  EYOTI_MSG_LONG = 1u << 1,   /* its bytes are at the sender, who waits until they were taken */
  EYOTI_MSG_GIVEN = 1u << 2,  /* its bytes are in a buffer of this node, which is passed */
  EYOTI_MSG_SHARED = 1u << 3, /* LONG, and the receiver may let both copy (share.h) */
  EYOTI_MSG_DIRECT = 1u << 6, /* LONG, and its bytes come by fab_ops.send (direct.c) */
  EYOTI_MSG_LAID = 1u << 5,   /* GIVEN, and its source is struct eyoti_laid */
  EYOTI_MSG_LENT = 1u << 4 /* its buffer is lent: the receiver adds 1 to its sender's word when it
                              has returned it, or has its bytes */
};

/* The envelope. After it come, if kind is not 0, struct eyoti_msg_ends, and `len` bytes. */
struct eyoti_msg_head {
  uint64_t team; /* the id of its handle, which all members have */
  int32_t tag;
  uint16_t kind, len;
  uint64_t made; /* by that call (eyoti_place_word) */
};
struct eyoti_msg_ends {
  uint64_t bytes;  /* of a long message, or one whose buffer is passed */
  uint64_t source; /* where they are in the sender's heap; or the address of struct eyoti_owned */
  uint64_t done;   /* a word there, */
  uint64_t value;  /* and what the receiver sets it to; of LENT, the unit whose heap has them */
};
/* The bytes of a message. */
static inline uint64_t eyoti_msg_bytes(const struct eyoti_msg_head *h,
                                       const struct eyoti_msg_ends *e) {
  return (h->kind & (EYOTI_MSG_LONG | EYOTI_MSG_GIVEN)) != 0 ? e->bytes : h->len;
}
#define EYOTI_MSG_IMAGE \
  (sizeof(struct eyoti_msg_head) + sizeof(struct eyoti_msg_ends) + EYOTI_MSG_INLINE)

/* A slot: a word, which says the number of the message, from 1 on, and whether and where its image
 * lies in the area, in units of 64 bytes; else the image follows. */
#define EYOTI_MSG_SLOT_BYTES 320u
#define EYOTI_MSG_PLACE_BITS 20u
static inline uint64_t eyoti_msg_slot_word(uint64_t number, uint64_t place) {
  return number << EYOTI_MSG_PLACE_BITS | place;
}
static inline uint64_t eyoti_msg_slot_number(uint64_t word) {
  return word >> EYOTI_MSG_PLACE_BITS;
}
static inline uint64_t eyoti_msg_slot_place(uint64_t offset) {
  return offset / 64 + 1;
}
static inline bool eyoti_msg_slot_beside(uint64_t word) {
  return word % (1u << EYOTI_MSG_PLACE_BITS) != 0;
}
static inline uint64_t eyoti_msg_slot_offset(uint64_t word) {
  return (word % (1u << EYOTI_MSG_PLACE_BITS) - 1) * 64;
}
_Static_assert(8 + EYOTI_MSG_IMAGE <= EYOTI_MSG_SLOT_BYTES && EYOTI_MSG_SLOT_BYTES % 64 == 0,
               "an image fits into a slot, and slots keep their alignment");

/* A record of a sender's, for the knock that is under way. Its sender writes `next` by signals
 * alone, since the receiver may get it at the same time, and the others before a knock. When the
 * knock was answered, the record serves another one, of any peer. */
struct eyoti_msg_knock {
  uint64_t number; /* of the sender's to that peer */
  uint64_t reply;  /* where in the sender's heap the answer goes */
  char image[EYOTI_MSG_IMAGE];
};
struct eyoti_msg_record {
  uint64_t next; /* the record that was swapped in before */
  struct eyoti_msg_knock knock;
};
#define EYOTI_MSG_KNOCK_OFF 8u
#define EYOTI_MSG_RECORD_BYTES 384u
_Static_assert(sizeof(struct eyoti_msg_record) <= EYOTI_MSG_RECORD_BYTES &&
                   EYOTI_MSG_RECORD_BYTES % 64 == 0 &&
                   offsetof(struct eyoti_msg_record, knock) == EYOTI_MSG_KNOCK_OFF,
               "names of records count lines");

/* What a sender keeps for each peer: the receiver writes it, by signals and puts. */
struct eyoti_msg_reply {
  uint64_t answer;  /* the number of the knock that was taken */
  uint64_t ring;    /* what that one was answered: offset | slots; 0: no ring */
  uint64_t credit;  /* messages that were taken out of the ring */
  uint64_t grown;   /* 1: `wider` is there */
  uint64_t wider;   /* a ring for the messages from now on: as `ring` */
  uint64_t offered; /* 1: an area is there: */
  uint64_t area, area_bytes;
};
_Static_assert(sizeof(struct eyoti_msg_reply) == 64,
               "what one unit writes shares no line with what another one does");

#define EYOTI_MSG_RINGS_EACH 1024u /* so many rings double the knocks for the next */
#define EYOTI_MSG_GROWN_MOST 16u   /* wider rings of a receiver */
#define EYOTI_MSG_AREAS_MOST 16u
#define EYOTI_MSG_AREA_IMAGE 4160u /* the longest image in an area: of 4 KiB, and its head */
/* The bytes of the area that a message takes. */
static inline uint64_t eyoti_msg_area_len(uint64_t bytes) {
  return (sizeof(struct eyoti_msg_head) + bytes + 63) / 64 * 64;
}
#define EYOTI_MSG_SLOTS_MAX 32u /* they stand in the low bits of `ring` */
#endif
