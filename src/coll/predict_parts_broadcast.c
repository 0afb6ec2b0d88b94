/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts_broadcast.c - implements predict_parts_broadcast.h. */
#include "coll/predict_parts_broadcast.h"

#include "coll/predict_ways.h"
#include "coll/round.h"

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* What is busiest in a round: the root's processor, which posts parts to all and its own to all,
 * and looks whether they have left its buffer; a memory, to which all but one of a node's units are
 * written; the root's NIC, which sends each part to as many nodes as a tree's root has children. */
static uint64_t busiest_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t part = bytes / x->parts + 1;
  uint64_t share = x->cores < m->memory_units ? x->cores : m->memory_units; /* of the fuller one */
  uint64_t copy = m->node_post_ps + fab_model_node_bytes(m, part, 1) + m->look_ps;
  uint64_t memory = (x->cores - 1) * fab_model_bytes(bytes, m->memory_kib_ps) * share / x->cores;
  uint64_t nic = fab_model_log2(x->nodes) * x->parts * fab_model_gap(m, part);
  uint64_t copies = (x->cores - 1 + x->parts - 1) * copy + (x->cores - 1) * m->look_ps;
  return larger(copies, larger(memory, nic));
}

/* And the ways: of a part along a tree over nodes. */
static uint64_t round_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  struct eyoti_ways nodes = {m, x->nodes, 1, bytes / x->parts + 1, true};
  return busiest_ps(x, bytes) + (x->cores - 1) * m->node_post_ps + m->node_ps + m->look_ps +
         eyoti_predict_ways_ps(&nodes);
}

/* Of several nodes one round in some begins with a barrier. */
uint64_t eyoti_predict_parts_broadcast_ps(const struct eyoti_predict_parts *x) {
  uint64_t most = EYOTI_ROUND_MOST, rounds = (x->q->bytes - 1) / most + 1;
  if (x->q->bytes <= most) return round_ps(x, x->q->bytes);
  uint64_t begins = 1 + (x->nodes > 1 ? rounds / eyoti_round_together(x->q->size) : 0);
  uint64_t rest = x->q->bytes - (rounds - 1) * most;
  return begins * (fab_model_doubling(x->m, x->q->size, x->cores, 0) + round_ps(x, most)) +
         (rounds - begins - 1) * busiest_ps(x, most) + busiest_ps(x, rest);
}
