/* SPDX-License-Identifier: BSD-3-Clause */
/* block.h - the layout of a team's control block: a block of ctl, then the part of sync. For team.c
 * and words.c. */
#ifndef EYOT_TEAMS_BLOCK_H
#define EYOT_TEAMS_BLOCK_H

#include "teams/sync_part.h"
#include "teams/teams.h"

#define EYOTI_BLOCK_ALIGN 64u

static inline uint64_t eyoti_block_round(uint64_t bytes) {
  return (bytes + EYOTI_BLOCK_ALIGN - 1) / EYOTI_BLOCK_ALIGN * EYOTI_BLOCK_ALIGN;
}
/* A control block is a block of ctl, then the part of sync. Returns the offset of the latter. */
static inline uint64_t eyoti_block_sync_at(uint32_t size) {
  return eyoti_block_round(eyoti_ctl_bytes(size));
}
static inline uint64_t eyoti_block_hot_bytes(uint32_t size) {
  return eyoti_block_sync_at(size) + EYOTI_SYNC_HOT_BYTES;
}
static inline uint64_t eyoti_block_bytes(uint32_t size) {
  return eyoti_block_round(eyoti_block_hot_bytes(size) + eyoti_sync_cold_bytes(size));
}

/* `base`: the caller's part of the segment. */
static inline void eyoti_block_set_sync(struct eyoti_team *t, fab_seg_t seg, uint64_t off,
                                        char *base) {
  t->sync_off = off;
  t->sync = base + off;
  t->cold_seg = seg;
  t->cold_off = off + EYOTI_SYNC_HOT_BYTES;
  t->cold = base + t->cold_off;
}

static inline void eyoti_block_set(struct eyoti_team *t, fab_seg_t seg, uint64_t off, char *base) {
  t->ctl.seg = seg;
  t->ctl.off = off;
  eyoti_block_set_sync(t, seg, off + eyoti_block_sync_at(t->size), base);
}
#endif
