/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_tree.h - what a gather or a scatter along a binomial tree takes (gen_gather.c,
 * gen_scatter.c), by the fabric's model: for predict.c. */
#ifndef EYOT_COLL_PREDICT_TREE_H
#define EYOT_COLL_PREDICT_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/model.h"

struct eyoti_tree {
  const struct fab_model *m;
  uint32_t size, cores; /* members, and those of a node */
  uint64_t bytes;       /* of a block */
  bool gathers;
};

/* From the first message to the last. */
uint64_t eyoti_predict_tree_ps(const struct eyoti_tree *t);
/* A round that follows on others without a wait: what the busiest part of the machine does. */
uint64_t eyoti_predict_tree_next_ps(const struct eyoti_tree *t);
#endif
