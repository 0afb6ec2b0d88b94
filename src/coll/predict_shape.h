/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_shape.h - the nodes of a question, for the predictions of costs (predict*.c). */
#ifndef EYOT_COLL_PREDICT_SHAPE_H
#define EYOT_COLL_PREDICT_SHAPE_H

#include "coll/choose.h"

/* The nodes of the question; without a layout each member counts as one. Of members that lie
 * unevenly, as if they lay regularly on as many nodes. */
struct eyoti_node_shape {
  uint32_t cores, nodes;
};
static inline struct eyoti_node_shape eyoti_shape_of(const struct eyoti_question *q) {
  uint32_t cores = q->per_node > 0 ? q->per_node : 1;
  if (q->uneven_nodes > 0) cores = (q->size - 1) / q->uneven_nodes + 1;
  if (cores > q->size) cores = q->size;
  return (struct eyoti_node_shape){cores, (q->size - 1) / cores + 1};
}
/* The true nodes, as if all were as full as the fullest, which is the slowest to combine. */
static inline struct eyoti_node_shape eyoti_fullest_of(const struct eyoti_question *q) {
  if (q->uneven_nodes == 0) return eyoti_shape_of(q);
  return (struct eyoti_node_shape){q->uneven_most, q->uneven_nodes};
}

/* Members of the emptiest one. */
static inline uint32_t eyoti_least_of(const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  return q->uneven_nodes > 0 ? q->uneven_least : q->size - (s.nodes - 1) * s.cores;
}

/* Members next to each other on one node, by rank: of scattered ones none. */
static inline uint32_t eyoti_neighbors_of(const struct eyoti_question *q) {
  return q->scattered ? 1 : eyoti_shape_of(q).cores;
}
/* Whether MULTI treats each member as a node of its own, because those of a node do not follow each
 * other, so that their partial result is of no interval of ranks, and the order matters. */
static inline bool eyoti_shape_is_alone(const struct eyoti_question *q) {
  bool scans = q->function == EYOTI_CHOSEN_SCAN || q->function == EYOTI_CHOSEN_EXSCAN;
  return q->scattered && (scans || (q->function != EYOTI_CHOSEN_BROADCAST && !q->any_order));
}
#endif
