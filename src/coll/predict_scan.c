/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_scan.c - implements predict_scan.h.
 *
 * Only whole blocks of 2^k members are combined on the way: the largest that has members after it
 * takes as long as an allreduce of so many, and the last level is one message. What members of the
 * upper block wait for before comes from smaller blocks. */
#include "coll/predict_scan.h"

static uint64_t last_level_ps(const struct fab_model *m, uint32_t size, uint32_t cores,
                              uint32_t apart, uint64_t bytes) {
  uint32_t senders = apart < cores ? apart : cores, others = size > cores ? size - cores : 0;
  if (others == 0) return fab_model_node_level(m, bytes, cores);
  if (senders > others) senders = others;
  return fab_model_net_message(m, bytes) + fab_model_shift(m, size, cores, apart, senders, bytes);
}

uint64_t eyoti_predict_scan_ps(const struct fab_model *m, const struct eyoti_question *q,
                               uint32_t cores, uint64_t bytes) {
  if (q->size < 2) return 0;
  uint32_t lower = 1u << (fab_model_log2(q->size) - 1);
  return fab_model_doubling(m, lower, cores, bytes) +
         last_level_ps(m, q->size, cores, lower, bytes);
}

uint64_t eyoti_predict_scan_direct_ps(const struct fab_model *m, const struct eyoti_question *q,
                                      uint32_t cores) {
  uint64_t compares = fab_model_log2(q->size) * fab_model_net_message(m, 0);
  return compares + eyoti_predict_scan_ps(m, q, cores, q->bytes) +
         2 * fab_model_log2(q->size) * fab_model_net_message(m, 0);
}
