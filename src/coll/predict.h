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
#endif
