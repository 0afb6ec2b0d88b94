/* SPDX-License-Identifier: BSD-3-Clause */
/* predict_parts.c - implements predict_parts.h. */
#include "coll/predict_parts.h"

#include "coll/parts_shape.h"
#include "coll/predict_shape.h"
#include "coll/round.h"

/* What is less busy is hidden, but for so many a part of it: seen. */
#define HIDDEN 3u

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
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
/* Over which nodes and routers. */
struct over {
  struct eyoti_layout l;
  struct eyoti_parts_shape s;
};

/* A node's NIC, where its router has so many, and it gives each of the others a share of each of
 * its parts, first of each block and then of the result. */
static uint64_t nic_ps(const struct fab_model *m, uint64_t messages, uint32_t blocks,
                       uint64_t share) {
  return messages * (fab_model_gap(m, blocks * share) + fab_model_gap(m, share));
}

static uint64_t nodes_net_ps(const struct eyoti_predict_parts *x, const struct over *o,
                             uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t chunks = eyoti_round_chunks(bytes), share = bytes / x->cores / x->nodes / chunks + 1;
  uint64_t messages = chunks * x->cores * (x->nodes - 1), result = share;
  uint64_t nic = nic_ps(m, messages, o->s.blocks, share);
  if (x->q->function == EYOTI_CHOSEN_REDUCE && m->router_nodes > 0) result /= m->router_nodes;
  uint64_t sent = chunks * (o->s.blocks * share + result);
  return larger(nic, fab_model_links(m, x->q->size, x->cores, sent) / x->cores);
}

/* Columns to the nodes of the router, and shares of the node's own ones to other routers; links
 * carry the shares alone. */
static uint64_t routers_net_ps(const struct eyoti_predict_parts *x, const struct over *o,
                               uint64_t bytes) {
  const struct fab_model *m = x->m;
  const struct eyoti_parts_shape *s = &o->s;
  uint64_t chunks = eyoti_round_chunks(bytes), parts = chunks * x->cores, nic = 0;
  uint64_t column = bytes / parts / s->columns + 1, share = column / s->routers + 1;
  for (uint32_t i = 0; i < s->routers; i++) {
    uint32_t nodes = eyoti_layout_router_first(&o->l, i + 1) - eyoti_layout_router_first(&o->l, i);
    uint64_t others = s->columns - s->columns / nodes, own = s->columns / nodes;
    nic = larger(nic, nic_ps(m, parts * others, s->node_blocks, column) +
                          nic_ps(m, parts * own * (s->routers - 1), s->blocks, share));
  }
  uint64_t sent = parts * s->columns * (s->blocks + 1) * share;
  return larger(nic, fab_model_router_links(m, s->routers, sent));
}

static struct busy busy_of(const struct eyoti_predict_parts *x, const struct over *o,
                           uint64_t bytes) {
  const struct fab_model *m = x->m;
  uint64_t part = bytes / x->cores + 1, chunks = eyoti_round_chunks(bytes), others = x->cores - 1;
  uint64_t in_node = others * (m->node_post_ps + 2 * m->look_ps);
  uint64_t messages = o->s.columns - 1 + o->s.owned * (o->s.routers - 1);
  uint64_t between = messages * (m->post_ps + 2 * m->look_ps) * o->s.lots;
  struct busy b = {.posts = chunks * (in_node + between)};
  b.net = x->over_routers ? routers_net_ps(x, o, bytes) : nodes_net_ps(x, o, bytes);
  b.copies = others * fab_model_node_bytes(m, part, 1);
  b.memory = others * fab_model_node_bytes(m, part, x->cores);
  if (x->q->function == EYOTI_CHOSEN_ALLREDUCE) {
    b.posts *= 2, b.copies *= 2, b.memory *= 2;
  } else { /* the root only looks */
    b.posts += chunks * (m->post_ps + (others + 2 * messages) * m->look_ps);
    b.memory += fab_model_bytes(bytes, m->memory_kib_ps);
  }
  return b;
}

/* A round of its own, with all ways between nodes: less is hidden. */
static uint64_t first_ps(const struct eyoti_predict_parts *x, struct busy b) {
  uint64_t ways = 2 * (x->m->node_ps + fab_model_net_message(x->m, 0));
  struct fab_model within = *x->m;
  if (within.router_ps > 0) within.net_ps = within.router_ps;
  if (x->over_routers) ways += 2 * fab_model_net_message(&within, 0);
  return ways + b.posts + larger(b.copies, b.memory) + b.net - b.net / HIDDEN;
}
/* One that follows on others. */
static uint64_t next_ps(struct busy b) {
  uint64_t node = larger(b.posts + b.copies, b.memory);
  return node > b.net ? node + b.net / HIDDEN : b.net + node / HIDDEN;
}

static uint64_t nodes_ps(const struct eyoti_predict_parts *x) {
  struct over o = {.l = eyoti_layout_regular(x->q->size, x->cores)};
  o.l.routers = x->over_routers ? x->q->routers : eyoti_layout_apart(x->nodes);
  o.s = eyoti_parts_shape(&o.l, x->q->any_order);
  if (eyoti_shape_is_alone(x->q)) o.s.blocks = o.s.node_blocks = x->cores;
  uint64_t most = eyoti_parts_round(&o.l, &o.s, 8);
  uint64_t rounds = x->q->bytes > 0 ? (x->q->bytes - 1) / most : 0;
  uint64_t rest = x->q->bytes - rounds * most; /* of the last round */
  if (rounds == 0) return first_ps(x, busy_of(x, &o, rest));
  struct busy b = busy_of(x, &o, most);
  return fab_model_doubling(x->m, x->q->size, x->cores, 0) + first_ps(x, b) +
         (rounds - 1) * next_ps(b) + next_ps(busy_of(x, &o, rest));
}

uint64_t eyoti_predict_parts_ps(const struct eyoti_predict_parts *x) {
  return x->nodes > 1 ? nodes_ps(x) : allreduce_rounds_ps(x);
}
