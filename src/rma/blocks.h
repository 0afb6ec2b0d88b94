/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - a transfer of many blocks, whatever describes them.
 *
 * Strided and indexed forms differ in how block i is computed and in how a shape is checked; how
 * blocks are merged, packed and posted is the same and lives in blocks.c (seed 002 section 2.4:
 * maximal blocks, or a fixed buffer while the remote side is contiguous). */
#ifndef EYOT_RMA_BLOCKS_H
#define EYOT_RMA_BLOCKS_H

#include "rma/rma.h"

/* Blocks of at least this many bytes are sent from where they lie: injecting one message costs
 * about as much as copying them. */
#define EYOTI_PACK_BLOCK_MAX 1024u

/* One block: byte offsets from the caller's pointer and from the global pointer. */
struct eyoti_block {
  int64_t local;
  int64_t remote;
  uint64_t len;
};

/* n blocks, of which block i is at(arg, i); lo and hi bound the bytes at the remote side. */
struct eyoti_shape {
  struct eyoti_block (*at)(const void *arg, uint64_t i);
  const void *arg;
  uint64_t n;
  int64_t lo, hi;
};

/* Moves the blocks; the shape was checked (offsets do not overflow, target blocks do not overlap).
 * `flushed`: blocking, complete on return (puts at the target); else completed by flush. Errors:
 * those of resolve, and the fabric's. */
int eyoti_blocks_put(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                     const struct eyoti_shape *shape, bool flushed);
int eyoti_blocks_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src,
                     const struct eyoti_shape *shape, bool flushed);
#endif
