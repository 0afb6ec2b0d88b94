/* SPDX-License-Identifier: BSD-3-Clause */
/* parts_shape.h - what the members of a team hold in a long reduction in parts over nodes
 * (gen_parts_nodes.c), at most: for the plans, and for predictions of their costs.
 *
 * Each unit of a node has a part of the vector. A part has a column for each node of the fullest
 * router, and a column a share for each router. Without a stage of routers each node counts as one
 * (eyoti_layout_apart). */
#ifndef EYOT_COLL_PARTS_SHAPE_H
#define EYOT_COLL_PARTS_SHAPE_H

#include "coll/layout.h"

struct eyoti_parts_shape {
  uint32_t lots;    /* parts of a unit: of the last node, where that has fewer units */
  uint32_t columns; /* nodes of the fullest router */
  uint32_t owned;   /* columns of a node */
  uint32_t lists;   /* of a unit's part, results of nodes that come: owned columns times nodes */
  uint32_t routers;
  uint32_t node_blocks, blocks; /* of the tree over ranks: in a node, and in a router */
  bool singles;                 /* each member is one: those of a node do not follow each other */
};

/* any_order: the operator gives the same bits in any order, so nodes and routers are one block. */
struct eyoti_parts_shape eyoti_parts_shape(const struct eyoti_layout *l, bool any_order);
/* Bytes of a vector that a round moves, in whole elements: boards hold the vector, operands of a
 * unit's parts, and twice the results of blocks. */
uint64_t eyoti_parts_round(const struct eyoti_layout *l, const struct eyoti_parts_shape *s,
                           uint64_t width);
#endif
