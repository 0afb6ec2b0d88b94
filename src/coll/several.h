/* SPDX-License-Identifier: BSD-3-Clause */
/* several.h - blocks of several lengths, as the vector forms of collectives take them: their checks
 * and their sums, and calls that own such blocks. For scan.c, vector.c and exchange.c. */
#ifndef EYOT_COLL_SEVERAL_H
#define EYOT_COLL_SEVERAL_H

#include <eyot/coll.h>

#include "coll/call.h"

/* Checked blocks, in bytes: copies of the caller's arrays. Points into itself: not to be copied. */
#define EYOTI_SEVERAL_FEW 8u /* members, for whose lengths nothing is allocated */
struct eyoti_several {
  struct eyoti_coll_blocks blocks;
  uint64_t *memory; /* of both arrays */
  uint64_t few[2 * EYOTI_SEVERAL_FEW];
  struct eyoti_runs *shapes; /* NULL: the bytes of each block lie together */
  uint64_t longest;          /* bytes of the longest block */
  uint64_t extent; /* bytes from the first byte of the buffer to the end of the last block */
  uint64_t hash;   /* of all lengths */
};

/* Takes `size` lengths in units of `width` bytes, and where blocks begin, in the same; at NULL: one
 * after the other. apart: blocks must not overlap, as those that are received. `name`: of the
 * lengths, for messages. Errors (logged): EINVAL (NULL, overflow, blocks that overlap), ENOMEM; *s
 * is then empty. */
int eyoti_several_make(struct eyoti_several *s, uint32_t size, const uint64_t *lengths,
                       const uint64_t *at, uint32_t width, bool apart, const char *name);
/* The same of blocks in runs; apart: those of a block must not overlap. Errors (logged): EINVAL,
 * ENOMEM. */
int eyoti_several_shaped(struct eyoti_several *s, uint32_t size, const eyot_block_t *blocks,
                         bool apart, const char *name);
void eyoti_several_free(struct eyoti_several *s);
/* Gives the caller the memory of both arrays, to free. NULL: none is left (logged). */
uint64_t *eyoti_several_take(struct eyoti_several *s, uint32_t size);

/* The same, apart, as memory of a call, which ends with it. */
int eyoti_several_own(struct eyoti_coll_call *c, uint32_t size, const uint64_t *lengths,
                      const uint64_t *at, uint32_t width, const char *name,
                      const struct eyoti_several **out);

/* Bytes of each block that a round moves, where boards hold a block of every member. Boards of a
 * call that does not block are there before its longest block is known, so they are small. */
uint64_t eyoti_several_round(const struct eyoti_team *t, enum eyoti_coll_form form);
/* What the boards of a call's later operations must hold then. */
struct eyoti_coll_space eyoti_several_space(const struct eyoti_team *t, enum eyoti_coll_form form);
/* The same of plans of pairs (gen_pairs.c). */
struct eyoti_coll_space eyoti_pairs_space(const struct eyoti_team *t, enum eyoti_coll_form form);
/* The operations of a function by the algorithm that was chosen: those of all members, or of pairs
 * (EYOTI_PAIRS), which only greet each other where the fabric has no messages to private memory. */
static inline const struct eyoti_coll_stages *eyoti_several_stages(
    const struct eyot_rt *rt, enum eyoti_algorithm algorithm, const struct eyoti_coll_stages *all,
    const struct eyoti_coll_stages *pairs, const struct eyoti_coll_stages *greet) {
  if (algorithm != EYOTI_PAIRS) return all;
  return rt->fab->ops->send != NULL ? pairs : greet;
}
/* Whether a block does not travel with a greeting of theirs. */
bool eyoti_pairs_is_long(const struct eyoti_team *t, enum eyoti_coll_form form, uint64_t bytes);
/* EMISMATCH (logged). */
int eyoti_several_differ(uint32_t member, uint64_t sends, uint64_t expected);

/* EINVAL (logged) if the buffer of the blocks, or one of `bytes` bytes, is NULL. */
int eyoti_several_buffer(const struct eyoti_several *s, const void *buffer, const char *name);
int eyoti_several_null(const void *buffer, uint64_t bytes, const char *name);
/* EINVAL (logged) if the two buffers overlap, unless b is `in_place`. */
int eyoti_several_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes,
                          const void *in_place);

/* The blocks of a buffer; extent: bytes from its first one to the end of the last block. */
struct eyoti_placed {
  const void *buffer;
  const uint64_t *bytes, *at;
  uint32_t count;
  uint64_t extent;
};
static inline struct eyoti_placed eyoti_several_placed(const struct eyoti_several *s, uint32_t size,
                                                       const void *buffer) {
  return (struct eyoti_placed){buffer, s->blocks.bytes, s->blocks.at, size, s->extent};
}
/* EINVAL (logged) if a block of one buffer overlaps a block of the other: each may lie in the
 * other's gaps. */
int eyoti_several_meet(const struct eyoti_placed *a, const struct eyoti_placed *b);
/* The same of several blocks and one, which may be the block of member `own`. */
int eyoti_several_meet_one(const struct eyoti_several *s, uint32_t size, const void *buffer,
                           const void *one, uint64_t bytes, uint32_t own);
#endif
