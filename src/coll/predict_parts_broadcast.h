/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts_broadcast.h - what a broadcast in parts takes (gen_parts.c), by the fabric's model:
 * for predict.c. */
#ifndef EYOT_COLL_PREDICT_PARTS_BROADCAST_H
#define EYOT_COLL_PREDICT_PARTS_BROADCAST_H

#include "coll/predict_parts.h"

uint64_t eyoti_predict_parts_broadcast_ps(const struct eyoti_predict_parts *x);
#endif
