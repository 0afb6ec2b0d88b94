/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_multi.c - implements predict_multi.h. */
#include "coll/predict_multi.h"

#include "base/groups.h"
#include "coll/predict_shape.h"

#define TEAM_MOST (512ull << 20) /* bytes of an epoch of all members */

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Blocks of the canonical tree that a partial result consists of, at most. */
static uint64_t parts_of(const struct eyoti_question *q, uint32_t rounds) {
  if (q->any_order || q->function == EYOTI_CHOSEN_BROADCAST) return 1;
  if (rounds > 1) return 2 * fab_model_log2(q->size);
  return q->uneven_most > 1 ? 1 + fab_model_log2(q->uneven_most) : 3; /* of most nodes */
}

/* Within a node: to one unit, and from one, after whose posting of a message to the other node. */
static uint64_t up_ps(const struct eyoti_multi_of *x, uint32_t cores) {
  return fab_model_node_up(x->m, cores, x->q->bytes);
}
static uint64_t fan_ps(const struct eyoti_multi_of *x, uint32_t cores, uint64_t bytes) {
  return fab_model_node_rounds(x->m, cores, 2, 1, bytes) - fab_model_net_message(x->m, bytes);
}

static bool scans(const struct eyoti_question *q) {
  return q->function == EYOTI_CHOSEN_SCAN || q->function == EYOTI_CHOSEN_EXSCAN;
}
/* So many messages of one unit. */
static uint64_t posts_ps(const struct fab_model *m, uint64_t messages, uint64_t bytes) {
  if (messages == 0) return 0;
  return messages * (m->node_post_ps + fab_model_node_bytes(m, bytes, 1)) + m->node_ps + m->look_ps;
}
/* The same, of a scan: results of each group of units, and in it of each unit. */
static uint64_t results_ps(const struct eyoti_multi_of *x, uint32_t cores) {
  uint32_t group = eyoti_postal_group(cores, EYOTI_POSTAL_LATENCY);
  return posts_ps(x->m, (cores - 1) / group, group * x->q->bytes) +
         posts_ps(x->m, group - 1, x->q->bytes);
}
static uint64_t last_ps(const struct eyoti_multi_of *x, uint32_t cores, uint64_t bytes) {
  return scans(x->q) ? results_ps(x, cores) : fan_ps(x, cores, bytes);
}

/* Two nodes, of which the second may have fewer members. What comes from the other node, or goes
 * there, crosses the network while the own node goes on. */
static uint64_t two_nodes_ps(const struct eyoti_multi_of *x, uint64_t bytes) {
  uint32_t first = x->cores, second = x->q->size - first;
  uint64_t message = fab_model_net_message(x->m, bytes), to_first, to_second;
  switch (x->q->function) {
    case EYOTI_CHOSEN_BROADCAST:
      to_first = x->m->post_ps + fan_ps(x, first, bytes);
      to_second = message + fan_ps(x, second, bytes);
      break;
    case EYOTI_CHOSEN_REDUCE:
      to_first = larger(up_ps(x, first), up_ps(x, second) + message);
      to_second = 0;
      break;
    default:
      to_first = larger(up_ps(x, first), up_ps(x, second) + message) + last_ps(x, first, bytes);
      to_second = larger(up_ps(x, second), up_ps(x, first) + message) + last_ps(x, second, bytes);
      /* two members alone: the look that is else a part of the way up */
      if (x->q->size == 2) to_first += x->m->look_ps;
  }
  return larger(to_first, to_second);
}

/* By how much the NIC that scattered members share is behind the posting of one of them. */
static uint64_t behind_ps(const struct eyoti_multi_of *x, uint64_t bytes) {
  uint64_t nic = x->q->uneven_most * fab_model_gap(x->m, bytes);
  return nic > x->m->post_ps ? nic - x->m->post_ps : 0;
}

/* Within the node to one unit (not for broadcast), and in each round to all units of the node, to
 * radix - 1 nodes, and at the end to all units. A reduction goes the way of a broadcast back: in
 * each round radix - 1 messages come to one unit. A scan ends with a result for each unit. */
uint64_t eyoti_predict_multi_ps(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds) {
  const struct fab_model *m = x->m;
  uint64_t bytes = x->q->bytes * parts_of(x->q, rounds);
  uint64_t spread = fab_model_node_rounds(m, x->cores, radix, rounds, bytes);
  if (eyoti_shape_is_alone(x->q)) spread += rounds * (radix - 1) * behind_ps(x, bytes);
  if (x->nodes == 2) return two_nodes_ps(x, bytes);
  if (x->q->function == EYOTI_CHOSEN_BROADCAST) return spread;
  if (x->q->function == EYOTI_CHOSEN_ALLREDUCE) return up_ps(x, x->cores) + spread;
  if (scans(x->q))
    return up_ps(x, x->cores) + spread - fan_ps(x, x->cores, bytes) + results_ps(x, x->cores);
  uint64_t way = m->net_ps + m->look_ps + fab_model_bytes(bytes, m->net_kib_ps);
  uint64_t others = (radix - 1) * larger(fab_model_gap(m, bytes), m->look_ps);
  return up_ps(x, x->cores) + rounds * (m->post_ps + way + others);
}

/* Blocks of the lists of all rounds together: those of a group of few ranks are fewer. */
static uint64_t parts_of_all(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds) {
  uint64_t parts = 0, ranks = x->cores, most = parts_of(x->q, rounds);
  for (uint32_t round = 0; round < rounds; round++, ranks *= radix) {
    if (ranks > x->q->size) ranks = x->q->size;
    uint64_t of_group = rounds == 1 ? most : ranks == 1 ? 1 : 2 * fab_model_log2(ranks);
    parts += of_group < most ? of_group : most;
  }
  return parts;
}

bool eyoti_predict_multi_fits(const struct eyoti_multi_of *x, uint32_t radix, uint32_t rounds) {
  if (x->q->function == EYOTI_CHOSEN_BROADCAST) return true;
  uint64_t parts = parts_of_all(x, radix, rounds), words = x->cores + (uint64_t)rounds * radix;
  uint64_t slots = x->cores + 1 + parts_of(x->q, rounds) + parts + radix * parts;
  if (scans(x->q)) slots += x->cores;
  if (x->q->uneven_most > 1) slots *= 2; /* some nodes' lists are longer than most */
  uint64_t epoch = words * 8 + slots * ((x->q->bytes + 7) / 8 * 8);
  return x->q->size * epoch <= TEAM_MOST;
}
