/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts.h - what a long broadcast or reduction takes in parts (gen_parts.c,
 * gen_parts_nodes.c), by the fabric's model: for predict.c. */
#ifndef EYOT_COLL_PREDICT_PARTS_H
#define EYOT_COLL_PREDICT_PARTS_H

#include "coll/choose.h"

struct eyoti_predict_parts {
  const struct fab_model *m;
  const struct eyoti_question *q;
  uint32_t cores, nodes; /* members of a node, and nodes */
  bool over_routers;     /* ROUTERS, not PARTS */
  uint32_t parts;        /* of a broadcast: members of the emptiest node */
};

uint64_t eyoti_predict_parts_ps(const struct eyoti_predict_parts *x);
#endif
