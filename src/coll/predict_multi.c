/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_multi.c - implements predict_multi.h. */
#include "coll/predict_multi.h"

#define TEAM_MOST (512ull << 20) /* bytes of an epoch of all members */

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Blocks of the canonical tree that a partial result consists of, at most. */
static uint64_t parts_of(const struct eyoti_question *q, uint32_t rounds) {
  if (q->any_order || q->function == EYOTI_CHOSEN_BROADCAST) return 1;
  return rounds > 1 ? 2 * fab_model_log2(q->size) : 3;
}

static uint64_t up_ps(const struct eyoti_multi_of *x, uint32_t cores) {
  return fab_model_node_up(x->m, cores, x->q->bytes);
}

/* Within the node to one unit (not for broadcast), and in each round to all units of the node, to
 * radix - 1 nodes, and at the end to all units. A reduction goes the way of a broadcast back: in
 * each round radix - 1 messages come to one unit. */
uint64_t eyoti_predict_multi_ps(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds) {
  const struct fab_model *m = x->m;
  uint64_t bytes = x->q->bytes * parts_of(x->q, rounds);
  uint64_t spread = fab_model_node_rounds(m, x->cores, radix, rounds, bytes);
  if (x->q->function == EYOTI_CHOSEN_BROADCAST) return spread;
  if (x->q->function == EYOTI_CHOSEN_ALLREDUCE) return up_ps(x, x->cores) + spread;
  uint64_t way = m->net_ps + m->look_ps + fab_model_bytes(bytes, m->net_kib_ps);
  uint64_t others = (radix - 1) * larger(fab_model_gap(m, bytes), m->look_ps);
  return up_ps(x, x->cores) + rounds * (m->post_ps + way + others);
}

bool eyoti_predict_multi_fits(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds) {
  if (x->q->function == EYOTI_CHOSEN_BROADCAST) return true;
  uint64_t parts = parts_of(x->q, rounds), words = x->cores + (uint64_t)rounds * radix;
  uint64_t slots = x->cores + 1 + (rounds + 1) * parts + rounds * radix * parts;
  uint64_t epoch = words * 8 + slots * ((x->q->bytes + 7) / 8 * 8);
  return x->q->size * epoch <= TEAM_MOST;
}
