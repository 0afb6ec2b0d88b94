/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.c - implements predict.h: p members on N nodes of c, o = post, L = net, g = gap. */
#include "coll/predict.h"

#include "coll/layout.h"
#include "coll/predict_multi.h"
#include "coll/predict_nodeagg.h"
#include "coll/predict_parts.h"
#include "coll/predict_parts_broadcast.h"
#include "coll/predict_scan.h"
#include "coll/predict_shape.h"
#include "coll/predict_tree.h"
#include "coll/predict_ways.h"
#include "coll/round.h"
#include "fabric/ctl_nodes.h"

#define RADIX_MOST 64u   /* of multi: words and slots of a round */
#define TURN_PS 1500000u /* until a processor that units share has come round; judged */
#define LENGTH_BYTES 8u
#define GREETING_BYTES 16u
#define GREETED_MOST 8192u /* bytes of a greeting with its block */

/* Messages between nodes that so many members of each send at once, half of them over one link. */
static uint64_t apart_ps(const struct fab_model *m, uint64_t bytes, uint64_t senders) {
  uint64_t nic = (senders - 1) * fab_model_gap(m, bytes);
  uint64_t link = fab_model_bytes(senders * m->router_nodes * bytes, m->link_kib_ps) / 2;
  return fab_model_net_message(m, bytes) + (nic > link ? nic : link);
}

/* Trees over scattered members cross the network at each level, if they cannot go by positions. */
static uint64_t binomial_ps(const struct fab_model *m, const struct eyoti_question *q) {
  if (!eyoti_shape_is_alone(q)) return eyoti_predict_binomial_ps(m, q, eyoti_shape_of(q).cores);
  uint64_t ps = 0, cores = eyoti_shape_of(q).cores;
  uint64_t most = eyoti_round_levels(q->size, 8), rounds = q->bytes > most ? q->bytes / most : 1;
  for (uint32_t k = 0; ((uint64_t)1 << k) < q->size; k++) {
    uint64_t senders = cores >> (k + 1);
    ps += apart_ps(m, q->bytes / rounds, senders > 0 ? senders : 1);
  }
  return rounds * (q->function == EYOTI_CHOSEN_REDUCE ? ps : 2 * ps);
}

/* ceil(log2 p) exchanges. Where p is no power of two, the members of the last upper block have
 * begun the last level earlier, and each sends to several. */
static uint64_t doubling_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint32_t lower = 1u << (fab_model_log2(q->size) - 1), upper = q->size - lower;
  uint64_t all = fab_model_doubling(m, q->size, s.cores, q->bytes);
  if (q->scattered) return fab_model_log2(q->size) * apart_ps(m, q->bytes, s.cores);
  uint64_t message = fab_model_net_message(m, q->bytes), post = m->post_ps;
  if (s.nodes == 1) message = fab_model_node_message(m, q->bytes, 1);
  if (s.nodes == 1) post = m->node_post_ps + fab_model_node_bytes(m, q->bytes, 1);
  uint64_t last = fab_model_doubling(m, upper, s.cores, q->bytes) + (lower - 1) / upper * post;
  return all > last + message ? all : last + message;
}

/* The postings of a unit with so many others on its node. */
static uint64_t posts_ps(const struct fab_model *m, const struct eyoti_question *q,
                         uint64_t cores) {
  return (cores - 1) * (m->node_post_ps + fab_model_node_bytes(m, q->bytes, cores)) +
         (q->size - cores) * m->post_ps;
}

/* Every unit sends its blocks to all others: the messages of a node or a link, and the postings of
 * one. The last node may have fewer units: more to post, and less to copy. */
static uint64_t linear_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t last = q->size - (s.nodes - 1) * s.cores, far = q->size - s.cores;
  uint64_t gap = fab_model_gap(m, q->bytes), posts = posts_ps(m, q, last);
  if (posts < posts_ps(m, q, s.cores)) posts = posts_ps(m, q, s.cores);
  uint64_t nic = s.cores * far * gap;
  uint64_t links = fab_model_links(m, q->size, s.cores, q->bytes);
  if (links > nic) nic = links;
  return (posts > nic ? posts : nic) + (far > 0 ? m->net_ps : m->node_ps) +
         3 * (q->size - 1) * m->look_ps;
}

/* Within a node: the offers, what a member copies, and a barrier. */
static uint64_t take_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  bool exchanges = q->function == EYOTI_CHOSEN_ALLGATHER || q->function == EYOTI_CHOSEN_ALLTOALL ||
                   q->function == EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK;
  uint64_t vectors = exchanges ? q->size - 1 : q->function == EYOTI_CHOSEN_ALLREDUCE ? 2 : 1;
  return vectors * fab_model_node_bytes(m, q->bytes, s.cores) +
         3 * fab_model_doubling(m, q->size, s.cores, 0);
}

/* Exchange k of ceil(log2 p) moves 2^k blocks as far, or the rest. Of those within the length of a
 * node a chain of messages crosses to another node once, or there and back if it is all; farther
 * ones all do, and units send through the NIC one after the other. */
static uint64_t bruck_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint32_t crossings = fab_model_log2(q->size) > fab_model_log2(s.cores) ? 1 : 2;
  if (s.nodes < 2 || s.cores == 1 || q->scattered) crossings = 0;
  uint64_t ps = crossings * (fab_model_net_message(m, q->bytes) + s.cores / 2 * m->gap_ps);
  for (uint64_t far = 1; far < q->size; far *= 2) {
    uint32_t apart = (uint32_t)far;
    uint64_t bytes = (far < q->size - far ? far : q->size - far) * q->bytes;
    ps += q->scattered    ? apart_ps(m, bytes, s.cores)
          : far < s.cores ? fab_model_node_level(m, bytes, s.cores)
                          : fab_model_net_message(m, bytes) +
                                fab_model_shift(m, q->size, s.cores, apart, s.cores - 1, bytes);
  }
  return ps;
}

/* The comparison before it, and once or, to combine, twice a message to each other member, which
 * go through the NIC one after the other, after a handshake. */
static uint64_t direct_ps(const struct fab_model *m, const struct eyoti_question *q) {
  bool blocks = q->function == EYOTI_CHOSEN_ALLGATHER || q->function == EYOTI_CHOSEN_ALLTOALL;
  uint64_t bytes = blocks ? q->bytes : q->bytes / q->size + 1;
  uint64_t gap = fab_model_gap(m, bytes), once = fab_model_net_message(m, bytes);
  once += 2 * fab_model_net_message(m, 0) + (q->size - 2) * (gap > m->post_ps ? gap : m->post_ps);
  return fab_model_log2(q->size) * fab_model_net_message(m, 0) + (blocks ? once : 2 * once);
}

static struct eyoti_multi_of multi_of(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_node_shape s = eyoti_fullest_of(q);
  if (eyoti_shape_is_alone(q)) s = (struct eyoti_node_shape){1, q->size};
  return (struct eyoti_multi_of){m, q, s.cores, s.nodes};
}
static uint64_t multi_ps(const struct fab_model *m, const struct eyoti_question *q,
                         uint32_t radix) {
  struct eyoti_multi_of x = multi_of(m, q);
  return eyoti_predict_multi_ps(&x, radix, fab_model_rounds(x.nodes, radix));
}

static uint64_t parts_ps(const struct fab_model *m, const struct eyoti_question *q, bool routers) {
  bool down = q->function == EYOTI_CHOSEN_BROADCAST;
  struct eyoti_node_shape s = down ? eyoti_fullest_of(q) : eyoti_shape_of(q);
  struct eyoti_predict_parts x = {m, q, s.cores, s.nodes, routers, eyoti_least_of(q)};
  return q->function == EYOTI_CHOSEN_BROADCAST ? eyoti_predict_parts_broadcast_ps(&x)
                                               : eyoti_predict_parts_ps(&x);
}

/* -- functions with blocks, from and to one member --------------------------------------------- */

/* Messages of a member to all others, or of all to one: those within its node, and those between
 * nodes one after the other. */
static uint64_t fan_ps(const struct fab_model *m, const struct eyoti_question *q, uint64_t bytes,
                       uint64_t each_ps) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t gap = fab_model_gap(m, bytes), far = q->size - s.cores;
  uint64_t ps = (s.cores - 1) * (m->node_post_ps + fab_model_node_bytes(m, bytes, 1));
  return ps + far * (gap > each_ps ? gap : each_ps);
}
static uint64_t way_ps(const struct fab_model *m, const struct eyoti_question *q) {
  return (eyoti_shape_of(q).nodes > 1 ? m->net_ps : m->node_ps) + m->look_ps;
}

/* The root also tests whether each message has left its buffer. */
static uint64_t one_to_all_ps(const struct fab_model *m, const struct eyoti_question *q,
                              uint64_t bytes) {
  uint64_t ps = fan_ps(m, q, bytes, m->post_ps) + (q->size - 1) * m->look_ps + way_ps(m, q);
  return eyoti_shape_of(q).nodes > 1 ? ps + fab_model_bytes(bytes, m->net_kib_ps) : ps;
}
/* Their posts are others'; the receiver looks at each, and copies it. */
static uint64_t all_to_one_ps(const struct fab_model *m, const struct eyoti_question *q,
                              uint64_t bytes) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t nic = (q->size - s.cores) * fab_model_gap(m, bytes);
  return m->post_ps + nic + way_ps(m, q) + fab_model_node_bytes(m, bytes, s.cores) +
         (q->size - 2) * m->look_ps;
}

/* News along a binomial tree, and gets of the root, which go to other nodes and come back. */
static uint64_t get_ps(const struct fab_model *m, const struct eyoti_question *q, uint64_t bytes) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t news = fab_model_log2(s.nodes) * fab_model_net_message(m, 0) +
                  fab_model_log2(s.cores) * fab_model_node_message(m, 0, 1);
  uint64_t ps = news + fan_ps(m, q, bytes, m->post_ps), way = way_ps(m, q) - m->look_ps;
  return s.nodes > 1 ? ps + 2 * way + fab_model_bytes(bytes, m->net_kib_ps) : ps + way;
}

static struct eyoti_tree tree_of(const struct fab_model *m, const struct eyoti_question *q,
                                 uint64_t bytes) {
  return (struct eyoti_tree){m, q->size, eyoti_neighbors_of(q), bytes,
                             q->function == EYOTI_CHOSEN_GATHER};
}

/* The members' lengths, which come before the blocks: by Bruck's algorithm; or told to each, and
 * the longest by an allreduce. */
static struct eyoti_question of_lengths(const struct eyoti_question *q,
                                        enum eyoti_chosen function) {
  struct eyoti_question lengths = *q;
  lengths.function = function;
  lengths.bytes = LENGTH_BYTES;
  return lengths;
}
static uint64_t lengths_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_question all = of_lengths(q, EYOTI_CHOSEN_ALLGATHER);
  struct eyoti_question each = of_lengths(q, EYOTI_CHOSEN_ALLTOALL);
  struct eyoti_question longest = of_lengths(q, EYOTI_CHOSEN_ALLREDUCE);
  switch (q->function) {
    case EYOTI_CHOSEN_GATHERV:
    case EYOTI_CHOSEN_SCATTERV:
    case EYOTI_CHOSEN_COLLECT:
      return bruck_ps(m, &all);
    case EYOTI_CHOSEN_ALLTOALLV:
    case EYOTI_CHOSEN_ALLTOALLW:
      return linear_ps(m, &each) + binomial_ps(m, &longest);
    default:
      return 0;
  }
}

/* Blocks of so many bytes, directly. */
static uint64_t blocks_ps(const struct fab_model *m, const struct eyoti_question *q,
                          uint64_t bytes) {
  struct eyoti_question round = *q;
  round.bytes = bytes;
  if (q->function == EYOTI_CHOSEN_GATHERV || q->function == EYOTI_CHOSEN_GATHER)
    return all_to_one_ps(m, q, bytes);
  if (q->function == EYOTI_CHOSEN_SCATTERV || q->function == EYOTI_CHOSEN_SCATTER)
    return one_to_all_ps(m, q, bytes);
  return linear_ps(m, &round);
}

/* -- calls of several rounds ------------------------------------------------------------------- */

static uint64_t round_of(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  switch (q->function) {
    case EYOTI_CHOSEN_GATHER:
    case EYOTI_CHOSEN_SCATTER:
      return algorithm != EYOTI_BINOMIAL ? EYOTI_ROUND_MOST : eyoti_round_blocks(q->size);
    case EYOTI_CHOSEN_REDUCE_SCATTER:
    case EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK:
      return eyoti_round_operands(q->size, 8);
    case EYOTI_CHOSEN_SCAN:
    case EYOTI_CHOSEN_EXSCAN:
      if (algorithm == EYOTI_PARTS) return EYOTI_ROUND_MOST;
      return eyoti_round_operands(eyoti_round_scan_slots(q->size), 8);
    default:
      return eyoti_round_blocks(q->size);
  }
}

static uint64_t round_ps(const struct fab_model *m, const struct eyoti_question *q,
                         enum eyoti_algorithm algorithm, uint64_t bytes) {
  struct eyoti_tree tree = tree_of(m, q, bytes);
  switch (algorithm) {
    case EYOTI_GET:
      return get_ps(m, q, bytes);
    case EYOTI_BINOMIAL:
      return eyoti_predict_tree_ps(&tree);
    case EYOTI_DOUBLING: /* of a scan */
      return eyoti_predict_scan_ps(m, q, eyoti_neighbors_of(q), bytes);
    case EYOTI_PARTS: /* the same: operands there, and results back */
      return 2 * blocks_ps(m, q, bytes / q->size + 1);
    default:
      return blocks_ps(m, q, bytes);
  }
}

/* A round that follows on others, whose ways have been gone meanwhile. */
static uint64_t next_ps(const struct fab_model *m, const struct eyoti_question *q,
                        enum eyoti_algorithm algorithm, uint64_t bytes) {
  struct eyoti_tree tree = tree_of(m, q, bytes);
  uint64_t ps = round_ps(m, q, algorithm, bytes);
  if (algorithm == EYOTI_BINOMIAL) return eyoti_predict_tree_next_ps(&tree);
  return algorithm == EYOTI_GET || algorithm == EYOTI_DOUBLING ? ps : ps - way_ps(m, q);
}

/* Rounds of one-way calls that begin with a barrier: then the ways are gone anew. */
static uint64_t openings_of(const struct eyoti_question *q, uint64_t rounds) {
  switch (q->function) {
    case EYOTI_CHOSEN_GATHER:
    case EYOTI_CHOSEN_GATHERV:
    case EYOTI_CHOSEN_SCATTER:
    case EYOTI_CHOSEN_SCATTERV:
    case EYOTI_CHOSEN_SCAN:
    case EYOTI_CHOSEN_EXSCAN:
      return rounds / eyoti_round_together(q->size);
    default:
      return 0;
  }
}

static uint64_t rounds_ps(const struct fab_model *m, const struct eyoti_question *q,
                          enum eyoti_algorithm algorithm) {
  uint64_t most = round_of(q, algorithm), ps = lengths_ps(m, q);
  if (q->bytes <= most) return ps + round_ps(m, q, algorithm, q->bytes);
  uint64_t rounds = (q->bytes - 1) / most + 1, begins = 1;
  if (algorithm != EYOTI_PARTS) begins += openings_of(q, rounds); /* all members hear of all */
  uint64_t rest = q->bytes - (rounds - 1) * most;                 /* of the last round */
  return ps +
         begins * (fab_model_doubling(m, q->size, eyoti_shape_of(q).cores, 0) +
                   round_ps(m, q, algorithm, most)) +
         (rounds - begins - 1) * next_ps(m, q, algorithm, most) + next_ps(m, q, algorithm, rest);
}

/* A greeting to each partner, a long block when it has been answered, and signals of a barrier
 * where only pairs know lengths. */
static uint64_t pairs_ps(const struct fab_model *m, const struct eyoti_question *q) {
  bool is_long = q->bytes > GREETED_MOST - GREETING_BYTES;
  if (is_long && q->direct_from == EYOTI_GREETS)
    return blocks_ps(m, q, GREETING_BYTES) + rounds_ps(m, q, EYOTI_LINEAR) - lengths_ps(m, q);
  uint64_t ps = blocks_ps(m, q, is_long ? GREETING_BYTES : q->bytes + GREETING_BYTES);
  if (is_long) ps += fab_model_net_message(m, 0) + blocks_ps(m, q, q->bytes);
  if (q->function == EYOTI_CHOSEN_COLLECT) ps += lengths_ps(m, q);
  bool confirms = q->function == EYOTI_CHOSEN_ALLTOALLV || q->function == EYOTI_CHOSEN_ALLTOALLW;
  return confirms && q->size > 2 ? ps + fab_model_doubling(m, q->size, eyoti_shape_of(q).cores, 0)
                                 : ps;
}

/* -- all --------------------------------------------------------------------------------------- */

static uint64_t chosen_ps(const struct fab_model *m, const struct eyoti_question *q,
                          enum eyoti_algorithm algorithm, uint32_t radix) {
  bool old = q->function <= EYOTI_CHOSEN_ALLTOALL; /* in one round, or as long as one */
  switch (algorithm) {
    case EYOTI_BINOMIAL:
      return old ? binomial_ps(m, q) : rounds_ps(m, q, algorithm);
    case EYOTI_DOUBLING:
      return old ? doubling_ps(m, q) : rounds_ps(m, q, algorithm);
    case EYOTI_MULTI:
      return multi_ps(m, q, radix);
    case EYOTI_BRUCK:
      return bruck_ps(m, q);
    case EYOTI_LINEAR:
      return old ? linear_ps(m, q) : rounds_ps(m, q, algorithm);
    case EYOTI_NODEAGG:
      return eyoti_predict_nodeagg_ps(m, q);
    case EYOTI_DIRECT:
      return old ? direct_ps(m, q) : eyoti_predict_scan_direct_ps(m, q, eyoti_neighbors_of(q));
    case EYOTI_PAIRS:
      return pairs_ps(m, q);
    case EYOTI_PARTS:
    case EYOTI_ROUTERS:
      return old ? parts_ps(m, q, algorithm == EYOTI_ROUTERS) : rounds_ps(m, q, algorithm);
    case EYOTI_TAKE:
      return take_ps(m, q);
    case EYOTI_GET:
    case EYOTI_PAIRWISE:
    case EYOTI_ALGORITHM_COUNT:
      break;
  }
  return rounds_ps(m, q, algorithm);
}

/* Of those that tell lengths before the blocks. */
static uint64_t length_waits(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  uint64_t log = fab_model_log2(q->size);
  switch (q->function) {
    case EYOTI_CHOSEN_COLLECT:
      return log;
    case EYOTI_CHOSEN_GATHERV:
    case EYOTI_CHOSEN_SCATTERV:
      return algorithm == EYOTI_PAIRS ? 0 : log;
    case EYOTI_CHOSEN_ALLTOALLV:
    case EYOTI_CHOSEN_ALLTOALLW:
      return algorithm == EYOTI_PAIRS ? log : q->size - 1 + 2 * log;
    default:
      return 0;
  }
}

/* Messages that a unit waits for one after the other, at most; of doubling those of a round come
 * together, of an allreduce by multi the last one is the node's own result. */
static uint64_t waits_of(const struct eyoti_question *q, enum eyoti_algorithm algorithm,
                         uint32_t radix) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t log = fab_model_log2(q->size), up = s.cores - 1;
  switch (algorithm) {
    case EYOTI_BINOMIAL:
      return q->function == EYOTI_CHOSEN_ALLREDUCE ? 2 * log : log;
    case EYOTI_DOUBLING:
    case EYOTI_BRUCK:
    case EYOTI_GET:
      return log;
    case EYOTI_MULTI:
      if (q->function == EYOTI_CHOSEN_BROADCAST)
        return fab_model_rounds(s.nodes, radix) + (s.cores > 1);
      if (q->function == EYOTI_CHOSEN_REDUCE && s.nodes == 1) return 1; /* all post, in any turn */
      up += fab_model_rounds(s.nodes, radix) * (uint64_t)(radix - 1);
      return q->function == EYOTI_CHOSEN_REDUCE ? up : up + 1;
    case EYOTI_NODEAGG:
      return up + (s.nodes + s.cores - 1) / s.cores + (s.cores < s.nodes ? s.cores : s.nodes);
    case EYOTI_DIRECT:
      if (q->function == EYOTI_CHOSEN_SCAN || q->function == EYOTI_CHOSEN_EXSCAN) return 2 * log;
      break;
    case EYOTI_PARTS:
    case EYOTI_ROUTERS:
      if (q->function > EYOTI_CHOSEN_ALLTOALL) return 2 * (q->size - 1); /* of a scan */
      if (q->function != EYOTI_CHOSEN_BROADCAST) return 2 * (up + s.nodes - 1);
      return fab_model_log2(s.nodes) + 1 + up;
    case EYOTI_TAKE:
      return 3 * log;
    case EYOTI_LINEAR: /* all post before they wait */
      return length_waits(q, algorithm) + 1;
    case EYOTI_PAIRWISE:
    case EYOTI_PAIRS:
    case EYOTI_ALGORITHM_COUNT:
      break;
  }
  bool from_root = q->function == EYOTI_CHOSEN_SCATTER || q->function == EYOTI_CHOSEN_SCATTERV;
  return length_waits(q, algorithm) + (from_root ? 1 : q->size - 1);
}

/* What waiting costs beyond the messages where units share processors. */
static uint64_t turns_ps(const struct eyoti_question *q, enum eyoti_algorithm algorithm,
                         uint32_t radix) {
  return q->shared ? waits_of(q, algorithm, radix) * TURN_PS : 0;
}

/* The ways of a team that uses one memory, or the nodes of one router. */
static struct fab_model ways_of(const struct fab_model *m, const struct eyoti_question *q) {
  struct fab_model ways = *m;
  struct eyoti_node_shape s = eyoti_shape_of(q);
  if (s.nodes == 1 && s.cores <= m->memory_units && m->memory_ps > 0) ways.node_ps = m->memory_ps;
  if (s.nodes <= m->router_nodes && m->router_ps > 0) ways.net_ps = m->router_ps;
  return ways;
}

uint64_t eyoti_predict_ps(const struct fab_model *m, const struct eyoti_question *q,
                          enum eyoti_algorithm algorithm, uint32_t radix) {
  struct fab_model ways = ways_of(m, q);
  return chosen_ps(&ways, q, algorithm, radix) + turns_ps(q, algorithm, radix);
}

struct eyoti_choice eyoti_predict_multi(const struct fab_model *m, const struct eyoti_question *q) {
  struct eyoti_multi_of x = multi_of(m, q);
  struct eyoti_choice best = {.algorithm = EYOTI_MULTI, .radix = 2, .cost_ps = UINT64_MAX};
  uint32_t most = fab_model_log2(x.nodes);
  if (x.nodes == 1) best.cost_ps = eyoti_predict_ps(m, q, EYOTI_MULTI, 2);
  for (uint32_t rounds = 1; rounds <= most; rounds++) {
    uint32_t radix = fab_model_radix(x.nodes, rounds);
    if (radix > RADIX_MOST || !eyoti_predict_multi_fits(&x, radix, rounds)) continue;
    uint64_t ps = eyoti_predict_ps(m, q, EYOTI_MULTI, radix);
    if (ps < best.cost_ps) best.radix = radix, best.cost_ps = ps;
  }
  return best;
}

/* -- for eyot-info ----------------------------------------------------------------------------- */

uint64_t eyoti_predict_direct_from(const struct eyoti_question *q) {
  uint64_t least = eyoti_direct_least(q->function == EYOTI_CHOSEN_BROADCAST, q->shared);
  if (q->function == EYOTI_CHOSEN_GATHER || !eyoti_chosen_knows_lengths(q->function)) return 1;
  if (q->function <= EYOTI_CHOSEN_ALLTOALL) return least;
  uint64_t most = round_of(q, EYOTI_LINEAR);
  return most + 1 < least ? most + 1 : least;
}

uint64_t eyoti_predict_barrier_ps(const struct fab_model *m, const struct eyoti_question *q) {
  return fab_model_doubling(m, q->size, eyoti_shape_of(q).cores, 0);
}
uint64_t eyoti_predict_barrier_nodes_ps(const struct fab_model *m, const struct eyoti_question *q,
                                        uint32_t *radix) {
  if (q->per_node == 0 || q->per_node >= q->size || q->per_node > EYOTI_LAYOUT_CORES)
    return UINT64_MAX;
  struct fab_nodes nodes = fab_nodes_regular(q->size, q->per_node);
  return fab_model_by_nodes(m, &nodes, EYOTI_CTL_NODES_RADIX_MOST, radix);
}

uint64_t eyoti_predict_neighbors_ps(const struct fab_model *m, const struct eyoti_question *q,
                                    uint64_t neighbors) {
  struct eyoti_node_shape s = eyoti_shape_of(q);
  uint64_t post = m->node_post_ps + fab_model_node_bytes(m, q->bytes, s.cores), nic = 0;
  if (s.nodes > 1) {
    post = m->post_ps;
    nic = s.cores * neighbors * fab_model_gap(m, q->bytes);
  }
  uint64_t posts = neighbors * post;
  return (posts > nic ? posts : nic) + way_ps(m, q) + (neighbors - 1) * m->look_ps;
}
