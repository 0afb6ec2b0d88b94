/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts.h - what a long broadcast or allreduce takes in parts (gen_parts.c), by the
 * fabric's model: for predict.c. */
#ifndef EYOT_COLL_PREDICT_PARTS_H
#define EYOT_COLL_PREDICT_PARTS_H

#include "fabric/model.h"

struct eyoti_predict_parts {
  const struct fab_model *m;
  uint32_t size, cores, nodes; /* members, of a node, and nodes */
  uint64_t bytes;
};

uint64_t eyoti_predict_parts_broadcast(const struct eyoti_predict_parts *x);
uint64_t eyoti_predict_parts_allreduce(const struct eyoti_predict_parts *x);
#endif
