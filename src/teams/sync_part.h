/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_part.h - the layout of the part of a team's control block that belongs to the sync layer.
 * For sync/barrier, and for team.c, which allocates it.
 *
 * Why it exists: barriers need words at the same offset on every member, and a little memory of the
 * unit's own, from the creation of the team on and without an allocation that could fail on one
 * member only. All bytes are zero when the team is made. For a team of p units: FIXED bytes, up to
 * CHILDREN_MAX words of 4 bytes, and a block of ctl (144 bytes a round): 2,816 bytes at 65,536
 * units. */
#ifndef EYOT_TEAMS_SYNC_PART_H
#define EYOT_TEAMS_SYNC_PART_H

#include "fabric/ctl.h"

/* the blades of an xc40 chassis, and the best of 3, 4, 6, 8, 16, 32 at 4,096 units of that
 * preset */
#define EYOTI_TREE_RADIX 16u
/* of a unit that leads a domain at each level */
#define EYOTI_TREE_CHILDREN_MAX ((EYOT_DOMAIN_COUNT - 1) * EYOTI_TREE_RADIX)

/* Offsets within the part. */
#define EYOTI_SYNC_OWN_OFF 0u /* the unit's own struct eyoti_barriers (sync/barrier/barriers.h) */
#define EYOTI_SYNC_OWN_BYTES 104u
#define EYOTI_SYNC_UP_OFF EYOTI_SYNC_OWN_BYTES       /* tree: the children's reports */
#define EYOTI_SYNC_DOWN_OFF (EYOTI_SYNC_UP_OFF + 8u) /* tree: the word that the parent writes */
#define EYOTI_SYNC_HOT_BYTES (EYOTI_SYNC_DOWN_OFF + 8u)

/* What only split-phase and tree barriers use, and mistakes: a block of ctl, then the unit's
 * children in the tree. It follows the part, or is elsewhere: members `cold...` of struct
 * eyoti_team. */
static inline uint64_t eyoti_sync_children_off(uint32_t size) {
  return eyoti_ctl_bytes(size);
}

/* After them: the word by which another member says that the team's members are apart (order.h). */
static inline uint64_t eyoti_sync_apart_off(uint32_t size) {
  uint64_t children = size - 1 < EYOTI_TREE_CHILDREN_MAX ? size - 1 : EYOTI_TREE_CHILDREN_MAX;
  return eyoti_sync_children_off(size) + (children * sizeof(fab_unit_t) + 7) / 8 * 8;
}

static inline uint64_t eyoti_sync_cold_bytes(uint32_t size) {
  return eyoti_sync_apart_off(size) + (size > 1 ? 8 : 0);
}
#endif
