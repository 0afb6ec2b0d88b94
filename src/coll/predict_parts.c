/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts.c - implements predict_parts.h. */
#include "coll/predict_parts.h"

#include "coll/gen_multi.h"
#include "coll/round.h"

/* What is less busy is hidden, but for so many a part of it: seen. */
#define HIDDEN 3u

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
static uint64_t broadcast_rounds_ps(const struct eyoti_predict_parts *x) {
  uint64_t most = EYOTI_ROUND_MOST, rounds = (x->q->bytes - 1) / most + 1;
  if (x->q->bytes <= most) return broadcast_ps(x, x->q->bytes);
  uint64_t begins = 1 + (x->nodes > 1 ? rounds / eyoti_round_together(x->q->size) : 0);
  uint64_t rest = x->q->bytes - (rounds - 1) * most;
  return begins * (fab_model_doubling(x->m, x->q->size, x->cores, 0) + broadcast_ps(x, most)) +
         (rounds - begins - 1) * busiest_ps(x, most) + busiest_ps(x, rest);
}

/* All give operands to all, and then results. A unit looks at each word, and whether each message
 * has left and has come. */
static uint64_t allreduce_ps(const struct eyoti_predict_parts *x, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t each = m->node_post_ps + fab_model_node_bytes(m, bytes / x->cores + 1, x->cores);
  return 2 * ((x->cores - 1) * (each + 3 * m->look_ps) + m->node_ps);
}

static uint64_t allreduce_rounds_ps(const struct eyoti_predict_parts *x) {
  uint64_t most = eyoti_round_levels(x->q->size, 8), rounds = (x->q->bytes - 1) / most;
  if (x->q->bytes <= most) return allreduce_ps(x, x->q->bytes);
  return fab_model_doubling(x->m, x->q->size, x->cores, 0) + rounds * allreduce_ps(x, most) +
         allreduce_ps(x, x->q->bytes - rounds * most);
}

/* -- reductions over several nodes ------------------------------------------------------------- */

/* What a round keeps busy: a unit's processor, which posts and copies, and looks at each word and
 * whether each message has come; a memory, to which a vector is copied, and with the
 * result another; a NIC, or the busiest link. */
struct busy {
  uint64_t posts, copies, memory, net;
};

static uint64_t net_ps(const struct eyoti_predict_parts *x, uint32_t blocks, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t chunks = eyoti_round_chunks(bytes), share = bytes / x->cores / x->nodes / chunks + 1;
  uint64_t messages = chunks * x->cores * (x->nodes - 1), result = share;
  uint64_t nic = messages * (fab_model_gap(m, blocks * share) + fab_model_gap(m, share));
  if (x->q->function == EYOTI_CHOSEN_REDUCE && m->router_nodes > 0) result /= m->router_nodes;
  uint64_t sent = chunks * (blocks * share + result);
  return larger(nic, fab_model_links(m, x->q->size, x->cores, sent) / x->cores);
}

static struct busy busy_of(const struct eyoti_predict_parts *x, uint32_t blocks, uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t part = bytes / x->cores + 1, chunks = eyoti_round_chunks(bytes), others = x->cores - 1;
  uint64_t in_node = others * (m->node_post_ps + 2 * m->look_ps);
  uint64_t between = (x->nodes - 1) * (m->post_ps + 2 * m->look_ps);
  between *= eyoti_round_lots(x->q->size, x->cores);
  struct busy b = {.posts = chunks * (in_node + between), .net = net_ps(x, blocks, bytes)};
  b.copies = others * fab_model_node_bytes(m, part, 1);
  b.memory = others * fab_model_node_bytes(m, part, x->cores);
  if (x->q->function == EYOTI_CHOSEN_ALLREDUCE) {
    b.posts *= 2, b.copies *= 2, b.memory *= 2;
  } else { /* the root only looks */
    b.posts += chunks * (m->post_ps + (others + 2 * (x->nodes - 1)) * m->look_ps);
    b.memory += fab_model_bytes(bytes, m->memory_kib_ps);
  }
  return b;
}

/* A round of its own, with both ways between nodes: less is hidden. */
static uint64_t first_ps(const struct eyoti_predict_parts *x, struct busy b) {
  uint64_t ways = 2 * (x->m->node_ps + fab_model_net_message(x->m, 0));
  return ways + b.posts + larger(b.copies, b.memory) + b.net - b.net / HIDDEN;
}
/* One that follows on others. */
static uint64_t next_ps(struct busy b) {
  uint64_t node = larger(b.posts + b.copies, b.memory);
  return node > b.net ? node + b.net / HIDDEN : b.net + node / HIDDEN;
}

static uint64_t nodes_ps(const struct eyoti_predict_parts *x) {
  uint32_t blocks = x->q->any_order ? 1 : eyoti_parts_blocks(x->q->size, x->cores);
  uint64_t most = eyoti_round_parts(x->q->size, x->cores, blocks, 8);
  uint64_t rounds = x->q->bytes > 0 ? (x->q->bytes - 1) / most : 0;
  uint64_t rest = x->q->bytes - rounds * most; /* of the last round */
  if (rounds == 0) return first_ps(x, busy_of(x, blocks, rest));
  struct busy b = busy_of(x, blocks, most);
  return fab_model_doubling(x->m, x->q->size, x->cores, 0) + first_ps(x, b) +
         (rounds - 1) * next_ps(b) + next_ps(busy_of(x, blocks, rest));
}

uint64_t eyoti_predict_parts_ps(const struct eyoti_predict_parts *x) {
  if (x->q->function == EYOTI_CHOSEN_BROADCAST) return broadcast_rounds_ps(x);
  return x->nodes > 1 ? nodes_ps(x) : allreduce_rounds_ps(x);
}
