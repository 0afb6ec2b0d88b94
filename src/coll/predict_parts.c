/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts.c - implements predict_parts.h. */
#include "coll/predict_parts.h"

#include "coll/round.h"

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* What is busiest in a broadcast of one round: the root's processor, which posts parts to all and
 * its own to all, and looks whether they have left its buffer; a memory, to which all but one of a
 * node's units are written; a NIC, which sends for a tree over nodes. */
static uint64_t busiest_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t part = bytes / x->cores + 1;
  uint64_t share = x->cores < m->memory_units ? x->cores : m->memory_units; /* of the fuller one */
  uint64_t copy = m->node_post_ps + fab_model_node_bytes(m, part, 1) + m->look_ps;
  uint64_t memory = (x->cores - 1) * fab_model_bytes(bytes, m->memory_kib_ps) * share / x->cores;
  uint64_t nic = fab_model_log2(x->nodes) * x->cores * fab_model_gap(m, part);
  return larger((x->cores - 1) * (2 * copy + m->look_ps), larger(memory, nic));
}

/* And the ways. */
static uint64_t broadcast_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t net = fab_model_net_message(m, bytes / x->cores + 1);
  return busiest_ps(x, bytes) + (x->cores - 1) * m->node_post_ps + m->node_ps + m->look_ps +
         fab_model_log2(x->nodes) * net;
}

/* Of several nodes one round in some begins with a barrier. */
uint64_t eyoti_predict_parts_broadcast(const struct eyoti_predict_parts *x) {
  uint64_t most = EYOTI_ROUND_MOST, rounds = (x->bytes - 1) / most + 1;
  if (x->bytes <= most) return broadcast_ps(x, x->bytes);
  uint64_t begins = 1 + (x->nodes > 1 ? rounds / eyoti_round_together(x->size) : 0);
  uint64_t rest = x->bytes - (rounds - 1) * most;
  return begins * (fab_model_doubling(x->m, x->size, x->cores, 0) + broadcast_ps(x, most)) +
         (rounds - begins - 1) * busiest_ps(x, most) + busiest_ps(x, rest);
}

/* All give operands to all, and then results. A unit looks at each word, and whether each message
 * has left and has come. */
static uint64_t allreduce_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t each = m->node_post_ps + fab_model_node_bytes(m, bytes / x->cores + 1, x->cores);
  return 2 * ((x->cores - 1) * (each + 3 * m->look_ps) + m->node_ps);
}

uint64_t eyoti_predict_parts_allreduce(const struct eyoti_predict_parts *x) {
  uint64_t most = eyoti_round_levels(x->size, 8), rounds = (x->bytes - 1) / most;
  if (x->bytes <= most) return allreduce_ps(x, x->bytes);
  return fab_model_doubling(x->m, x->size, x->cores, 0) + rounds * allreduce_ps(x, most) +
         allreduce_ps(x, x->bytes - rounds * most);
}
