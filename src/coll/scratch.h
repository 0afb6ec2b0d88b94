/* SPDX-License-Identifier: BSD-3-Clause */
/* scratch.h - the scratch memory of a team, through which members exchange data during a
 * collective. For the files in coll/.
 *
 * Every member has the same layout: one signal word for each level of a tree, one for broadcast,
 * then data. It is a collective allocation of the team: made when first needed, replaced by a
 * larger one when a collective needs more, freed before the team is destroyed. scratch.c says why
 * its words and slots can be reused without a reset. */
#ifndef EYOT_COLL_SCRATCH_H
#define EYOT_COLL_SCRATCH_H

#include "coll/coll.h"

#define EYOTI_COLL_LEVELS_MAX 32u /* levels of a tree over at most 2^32 members */
/* data bytes of a round at most; longer operations take several rounds */
#define EYOTI_COLL_SCRATCH_MAX (256u * 1024u)

/* One member's handle during one collective. */
struct eyoti_scratch {
  struct eyot_rt *rt;
  struct eyoti_team *t;
  uint32_t levels;     /* ceil(log2 size): words 0..levels-1 */
  uint32_t bcast_word; /* the word after them */
  uint64_t data_off;   /* offset of the data in the allocation */
  struct fab_addr own; /* the caller's part of the allocation */
  char *data;          /* the data in the caller's part */
  uint64_t round;
};

/* The levels of a tree over `size` members: ceil(log2 size). */
uint32_t eyoti_scratch_levels(uint32_t size);

/* Bytes of each of `slots` equal slots in a round, for an operation of `bytes` bytes a slot: a
 * multiple of 8, unless one round transfers all `bytes`. */
uint64_t eyoti_scratch_chunk(uint64_t bytes, uint64_t slots);

/* Opens scratch with at least data_bytes of data, and enlarges it if necessary. Collective (all
 * members pass the same). Errors: ENOMEM on all. */
int eyoti_scratch_open(struct eyot_rt *rt, struct eyoti_team *t, uint64_t data_bytes,
                       struct eyoti_scratch *s);

/* Starts a round. `first`: the opening exchange was its barrier, else this waits at a barrier.
 * Collective. */
int eyoti_scratch_round(struct eyoti_scratch *s, bool first);

/* The address of byte `off` of the data of `member`. */
int eyoti_scratch_at(const struct eyoti_scratch *s, uint32_t member, uint64_t off, uint64_t len,
                     struct fab_addr *out);

/* Puts len bytes at `off` of member's data and then sets its word to this round's number. The
 * caller completes it at FAB_REMOTE. */
int eyoti_scratch_send(const struct eyoti_scratch *s, uint32_t member, uint64_t off,
                       const void *src, uint64_t len, uint32_t word, fab_req_t *req);

/* Waits for the signal of this round in the caller's word. */
int eyoti_scratch_await(const struct eyoti_scratch *s, uint32_t word);

/* Completes n requests of sends, also after an error; returns the first error. */
int eyoti_scratch_complete(const struct eyoti_scratch *s, const fab_req_t *reqs, uint32_t n);
#endif
