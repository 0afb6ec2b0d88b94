/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h - what a call takes by an algorithm, by the fabric's model: for choose.c. The formulas
 * are those of docs/collectives.md. */
#ifndef EYOT_COLL_PREDICT_H
#define EYOT_COLL_PREDICT_H

#include "coll/choose.h"

/* By an algorithm of the function. radix: of MULTI, else 0. */
uint64_t eyoti_predict_ps(const struct fab_model *m, const struct eyoti_question *q,
                          enum eyoti_algorithm algorithm, uint32_t radix);
/* MULTI with its cheapest radix; cost_ps is UINT64_MAX if the team can have none. */
struct eyoti_choice eyoti_predict_multi(const struct fab_model *m, const struct eyoti_question *q);

/* For eyot-info. The question's direct_from between nodes over MPI. */
EYOT_API uint64_t eyoti_predict_direct_from(const struct eyoti_question *q);
/* A barrier of all units by dissemination; and by nodes (fabric/ctl_nodes.h), with *radix, or
 * UINT64_MAX if they are not on several nodes of several units. */
EYOT_API uint64_t eyoti_predict_barrier_ps(const struct fab_model *m,
                                           const struct eyoti_question *q);
EYOT_API uint64_t eyoti_predict_barrier_nodes_ps(const struct fab_model *m,
                                                 const struct eyoti_question *q, uint32_t *radix);
/* A block to each of so many neighbours, and one from each, all on other nodes if there are any. */
EYOT_API uint64_t eyoti_predict_neighbors_ps(const struct fab_model *m,
                                             const struct eyoti_question *q, uint64_t neighbors);
#endif
