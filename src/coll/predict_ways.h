/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_ways.h - what a vector along a binomial tree over members takes (gen_binomial.c), by the
 * fabric's model: for predict.c. */
#ifndef EYOT_COLL_PREDICT_WAYS_H
#define EYOT_COLL_PREDICT_WAYS_H

#include "coll/choose.h"

struct eyoti_ways {
  const struct fab_model *m;
  uint32_t size, cores; /* members, and those of a node; the root is the first of a node */
  uint64_t bytes;       /* of the vector, which moves in one round */
  bool down;            /* from the root to all; else to the root */
};

/* From the first message to the last: the longest way between the root and a member, with what its
 * messages wait for. */
uint64_t eyoti_predict_ways_ps(const struct eyoti_ways *w);
/* A broadcast, a reduction or an allreduce of any length. */
uint64_t eyoti_predict_binomial_ps(const struct fab_model *m, const struct eyoti_question *q,
                                   uint32_t cores);
#endif
