/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_nodeagg.h - what an exchange aggregated by nodes takes (gen_nodeagg.c), by the fabric's
 * model: for predict.c. */
#ifndef EYOT_COLL_PREDICT_NODEAGG_H
#define EYOT_COLL_PREDICT_NODEAGG_H

#include "coll/choose.h"

uint64_t eyoti_predict_nodeagg_ps(const struct fab_model *m, const struct eyoti_question *q);
#endif
