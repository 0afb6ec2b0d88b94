/* SPDX-License-Identifier: BSD-3-Clause */
/* several.h - blocks of several lengths, as the vector forms of collectives take them: their checks
 * and their sums. For scan.c and vector.c. */
#ifndef EYOT_COLL_SEVERAL_H
#define EYOT_COLL_SEVERAL_H

#include "coll/args.h"

/* Checked blocks, in bytes. */
struct eyoti_several {
  struct eyoti_coll_blocks blocks;
  uint64_t *memory; /* of both arrays, if they are not the caller's */
  uint64_t longest; /* bytes of the longest block */
  uint64_t extent;  /* bytes from the first byte of the buffer to the end of the last block */
  uint64_t hash;    /* of all lengths */
};

/* Takes `size` lengths in units of `width` bytes, and where blocks begin, in the same; at NULL: one
 * after the other. Blocks must not overlap. `name`: of the lengths, for messages. Errors (logged):
 * EINVAL (NULL, overflow, blocks that overlap), ENOMEM; *s is then empty. */
int eyoti_several_make(struct eyoti_several *s, uint32_t size, const uint64_t *lengths,
                       const uint64_t *at, uint32_t width, const char *name);
void eyoti_several_free(struct eyoti_several *s);

/* EINVAL (logged) if the buffer of the blocks, or one of `bytes` bytes, is NULL. */
int eyoti_several_buffer(const struct eyoti_several *s, const void *buffer, const char *name);
int eyoti_several_null(const void *buffer, uint64_t bytes, const char *name);
/* EINVAL (logged) if the two buffers overlap, unless b is `in_place`. */
int eyoti_several_overlap(const void *a, uint64_t a_bytes, const void *b, uint64_t b_bytes,
                          const void *in_place);
#endif
