/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_scan.h - what a scan takes by recursive doubling (gen_scan.c), for predict.c. cores:
 * members of a node. */
#ifndef EYOT_COLL_PREDICT_SCAN_H
#define EYOT_COLL_PREDICT_SCAN_H

#include "coll/choose.h"

/* A round of so many bytes. */
uint64_t eyoti_predict_scan_ps(const struct fab_model *m, const struct eyoti_question *q,
                               uint32_t cores, uint64_t bytes);
/* Of messages that land where they are expected. */
uint64_t eyoti_predict_scan_direct_ps(const struct fab_model *m, const struct eyoti_question *q,
                                      uint32_t cores);
#endif
