/* SPDX-License-Identifier: BSD-3-Clause */
/* placement.h - on which node each of some members is, where members lie unevenly: nodes in the
 * order of their first members, and positions, which count members node by node. For teams, which
 * makes it of a team's units, and for algorithms that treat the units of a node as one.
 *
 * Why it exists: of members that lie regularly a division says the node; of others a table must,
 * and one that all units of a process share, since it grows with the number of members. */
#ifndef EYOT_BASE_PLACEMENT_H
#define EYOT_BASE_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* One block of memory without pointers, freed with free. at[0 .. nodes]: the position of the first
 * member of each node, and the number of members. If scattered, `size` members in the order of
 * positions follow, and `size` positions in the order of members; else positions are members. */
struct eyoti_placement {
  uint32_t size, nodes;
  uint32_t most, least; /* members of a node */
  bool scattered;
  uint32_t at[];
};

static inline uint32_t eyoti_placement_first(const struct eyoti_placement *p, uint32_t node) {
  return p->at[node];
}
static inline uint32_t eyoti_placement_member(const struct eyoti_placement *p, uint32_t position) {
  return p->scattered ? p->at[p->nodes + 1 + position] : position;
}
static inline uint32_t eyoti_placement_position(const struct eyoti_placement *p, uint32_t member) {
  return p->scattered ? p->at[p->nodes + 1 + p->size + member] : member;
}
/* The node of a position. O(log nodes). */
uint32_t eyoti_placement_node(const struct eyoti_placement *p, uint32_t position);

/* Makes the placement of `size` members, of which `node` (by member) says where each is, as any
 * number. NULL: no memory (not logged). */
struct eyoti_placement *eyoti_placement_make(const uint32_t *node, uint32_t size);
#endif
