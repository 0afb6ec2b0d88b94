/* SPDX-License-Identifier: BSD-3-Clause */
/* message_brief.h - the brief form of the header of a message with few bytes, for message.c and
 * message_take.c.
 *
 * Why it exists: between processes of a machine MPICH's message of up to 24 bytes is one cache
 * line, and a longer one takes 0.1 us more, a sixth of the whole. A header has 64 bytes. The words
 * of collectives and barriers lie in the heap's segment, near their bytes and the word `least`, so
 * that three places take 64 bits. What does not fit travels with a whole header: the receiver tells
 * the two apart by the message's length. */
#ifndef EYOT_FABRIC_REAL_OPS_MESSAGE_BRIEF_H
#define EYOT_FABRIC_REAL_OPS_MESSAGE_BRIEF_H

#include "fabric_real/ops/message_parts.h"

#define FMPI_BRIEF_MOST 32u /* bytes of a message */

/* places, from the lowest bits: the segment (8), the word (32), and how far its bytes and `least`
 * are from it (12 each, signed); in units of 8 bytes. `least` at distance 0: there is none. */
struct fmpi_brief {
  uint64_t places, value;
};
_Static_assert(sizeof(struct fmpi_brief) + FMPI_BRIEF_MOST < sizeof(struct fmpi_message_header),
               "a brief message is shorter than a whole header");

#define FMPI_BRIEF_SEG_BITS 8u
#define FMPI_BRIEF_WORD_BITS 32u
#define FMPI_BRIEF_BYTES_AT (FMPI_BRIEF_SEG_BITS + FMPI_BRIEF_WORD_BITS)
#define FMPI_BRIEF_LEAST_AT (FMPI_BRIEF_BYTES_AT + 12u)

/* The distance in units of 8 bytes as 12 bits. False: it does not fit. */
static inline bool fmpi_brief_distance(uint64_t at, uint64_t word, uint64_t *out) {
  uint64_t units = (at - word) / 8 & UINT64_C(0xfff);
  uint64_t back = word + (uint64_t)((int64_t)(units << 52) >> 49);
  *out = units;
  return back == at;
}

/* False: the message does not have that form. */
static inline bool fmpi_brief_of(const struct fmpi_message_header *h, struct fmpi_brief *out) {
  uint64_t word = h->word_off / 8, bytes = 0, least = 0;
  if (h->what != FMPI_BYTES_INSIDE || h->len > FMPI_BRIEF_MOST ||
      h->seg >> FMPI_BRIEF_SEG_BITS != 0 || word >> FMPI_BRIEF_WORD_BITS != 0)
    return false;
  if (h->len > 0 && !fmpi_brief_distance(h->off, h->word_off, &bytes)) return false;
  if (h->bounded && (h->least_seg != h->seg || h->least_off == h->word_off ||
                     !fmpi_brief_distance(h->least_off, h->word_off, &least)))
    return false;
  *out = (struct fmpi_brief){.places = h->seg | word << FMPI_BRIEF_SEG_BITS |
                                       bytes << FMPI_BRIEF_BYTES_AT | least << FMPI_BRIEF_LEAST_AT,
                             .value = h->value};
  return true;
}

/* The whole header of a message of len bytes. */
static inline struct fmpi_message_header fmpi_brief_whole(const struct fmpi_brief *b,
                                                          uint64_t len) {
  const uint64_t places = b->places;
  uint64_t word = (places >> FMPI_BRIEF_SEG_BITS & ((UINT64_C(1) << FMPI_BRIEF_WORD_BITS) - 1)) * 8;
  int64_t bytes = (int64_t)(places << 12) >> 52, least = (int64_t)places >> 52;
  fab_seg_t seg = (fab_seg_t)(places & ((1u << FMPI_BRIEF_SEG_BITS) - 1));
  return (struct fmpi_message_header){.what = FMPI_BYTES_INSIDE,
                                      .seg = seg,
                                      .bounded = least != 0,
                                      .least_seg = least != 0 ? seg : 0,
                                      .least_off = word + (uint64_t)least * 8,
                                      .word_off = word,
                                      .value = b->value,
                                      .off = word + (uint64_t)bytes * 8,
                                      .len = len};
}
#endif
