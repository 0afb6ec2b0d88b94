/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - transfers of many blocks, for strided.c and indexed.c, which compute block i and check
 * the shape; merging, packing and posting are the same for both and are in blocks.c.
 *
 * Source: Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote memory access programming
 * with MPI-3 one sided, SC 2013, section 2.4 (maximal blocks, or a fixed buffer while the remote
 * side is contiguous). */
#ifndef EYOT_RMA_BLOCKS_H
#define EYOT_RMA_BLOCKS_H

#include "rma/rma.h"

/* Blocks of at least this many bytes are sent without packing: injecting one message costs about as
 * much as copying them. */
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

/* What a put has completed on return; the rest completes a flush. */
enum eyoti_until { EYOTI_UNTIL_POSTED = 0, EYOTI_UNTIL_LOCAL, EYOTI_UNTIL_REMOTE };

/* Transfers the blocks; the shape was checked (offsets do not overflow, target blocks do not
 * overlap). `flushed`: blocking, complete on return; else a flush completes them. Errors: those of
 * resolve, and the fabric's. */
int eyoti_blocks_put(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                     const struct eyoti_shape *shape, enum eyoti_until until);
int eyoti_blocks_get(struct eyot_rt *rt, void *dst, eyot_gptr_t src,
                     const struct eyoti_shape *shape, bool flushed);

/* strided.c, indexed.c: as the public functions. */
int eyoti_rma_put_strided(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                          const eyot_strided_t *s, enum eyoti_until until);
int eyoti_rma_get_strided(struct eyot_rt *rt, void *dst, eyot_gptr_t src, const eyot_strided_t *s,
                          bool flushed);
int eyoti_rma_put_indexed(struct eyot_rt *rt, eyot_gptr_t dst, const void *src,
                          const eyot_indexed_t *shape, enum eyoti_until until);
int eyoti_rma_get_indexed(struct eyot_rt *rt, void *dst, eyot_gptr_t src,
                          const eyot_indexed_t *shape, bool flushed);
#endif
