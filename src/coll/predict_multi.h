/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_multi.h - what multi-object rounds take (gen_multi_*.c), by the fabric's model: for
 * predict.c. */
#ifndef EYOT_COLL_PREDICT_MULTI_H
#define EYOT_COLL_PREDICT_MULTI_H

#include "coll/choose.h"

struct eyoti_multi_of {
  const struct fab_model *m;
  const struct eyoti_question *q;
  uint32_t cores, nodes; /* members of a node, and nodes */
};

/* In so many rounds; none within a node. */
uint64_t eyoti_predict_multi_ps(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds);
/* Whether the boards of all members, of which first units of nodes need the whole, are no burden:
 * a process may simulate them all. */
bool eyoti_predict_multi_fits(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds);
#endif
