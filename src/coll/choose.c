/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c - predicted costs of algorithms, and the choice (choose.h). Formulas are those of
 * docs/collectives.md; p members on N nodes of c, o = post, L = net, g = gap. */
#include "coll/choose.h"

#include "base/check.h"
#include "coll/gen_multi.h"
#include "coll/layout.h"

#define RADIX_MOST 64u                 /* of multi: words and slots of a round */
#define MULTI_BYTES_MOST 512u          /* longer messages make its board large */
#define NODEAGG_MOST 98304u            /* bytes of all blocks of a member */
#define MULTI_TEAM_MOST (512ull << 20) /* bytes of an epoch of all members */
#define DIRECT_TEAM_MOST 1024u         /* members: each has a message to each other */
#define DIRECT_PART_LEAST 1024u        /* bytes of a member's part of a vector */
#define DIRECT_LEAST 8193u
#define DIRECT_LEAST_SHARED 16385u
#define TURN_PS 1500000u     /* until a processor that units share has come round; judged */
#define DOUBLING_FAN_MOST 8u /* messages of a round, where the size is no power of two */

const char *eyoti_chosen_name(enum eyoti_chosen function) {
  static const char *const NAMES[EYOTI_CHOSEN_COUNT] = {"broadcast", "reduce", "allreduce",
                                                        "allgather", "alltoall"};
  return (unsigned)function < EYOTI_CHOSEN_COUNT ? NAMES[function] : "?";
}
const char *eyoti_algorithm_name(enum eyoti_algorithm algorithm) {
  static const char *const NAMES[EYOTI_ALGORITHM_COUNT] = {"binomial", "doubling", "multi", "bruck",
                                                           "linear",   "nodeagg",  "direct"};
  return (unsigned)algorithm < EYOTI_ALGORITHM_COUNT ? NAMES[algorithm] : "?";
}

bool eyoti_chosen_has(enum eyoti_chosen function, enum eyoti_algorithm algorithm) {
  static const bool HAS[EYOTI_CHOSEN_COUNT][EYOTI_ALGORITHM_COUNT] = {
      [EYOTI_CHOSEN_BROADCAST] =
          {[EYOTI_BINOMIAL] = true, [EYOTI_MULTI] = true, [EYOTI_DIRECT] = true},
      [EYOTI_CHOSEN_REDUCE] =
          {[EYOTI_BINOMIAL] = true, [EYOTI_MULTI] = true, [EYOTI_DIRECT] = true},
      [EYOTI_CHOSEN_ALLREDUCE] = {[EYOTI_BINOMIAL] = true,
                                  [EYOTI_DOUBLING] = true,
                                  [EYOTI_MULTI] = true,
                                  [EYOTI_DIRECT] = true},
      [EYOTI_CHOSEN_ALLGATHER] =
          {[EYOTI_BRUCK] = true, [EYOTI_NODEAGG] = true, [EYOTI_DIRECT] = true},
      [EYOTI_CHOSEN_ALLTOALL] = {
          [EYOTI_LINEAR] = true, [EYOTI_NODEAGG] = true, [EYOTI_DIRECT] = true}};
  return (unsigned)function < EYOTI_CHOSEN_COUNT && (unsigned)algorithm < EYOTI_ALGORITHM_COUNT &&
         HAS[function][algorithm];
}

/* The nodes of the question; without a layout each member counts as one. */
struct shape {
  uint32_t cores, nodes;
};
static struct shape shape_of(const struct eyoti_question *q) {
  uint32_t cores = q->per_node > 0 ? q->per_node : 1;
  if (cores > q->size) cores = q->size;
  return (struct shape){cores, (q->size - 1) / cores + 1};
}

/* A tree over ranks: ceil(log2 N) messages between nodes and ceil(log2 c) within one follow each
 * other; the first of them leaves after the posts of those before it. */
static uint64_t binomial_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t once = fab_model_log2(s.nodes) * fab_model_net_message(m, q->bytes) +
                  fab_model_log2(s.cores) * fab_model_node_message(m, q->bytes, 1);
  return q->function == EYOTI_CHOSEN_ALLREDUCE ? 2 * once : once;
}

/* ceil(log2 p) exchanges. Where p is no power of two, a member may send to several. */
static uint64_t doubling_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t post =
      s.nodes > 1 ? m->post_ps : m->node_post_ps + fab_model_node_bytes(m, q->bytes, s.cores);
  return fab_model_doubling(m, q->size, s.cores, q->bytes) +
         (eyoti_gen_allreduce_fan(q->size) - 1) * post;
}

/* Blocks of the canonical tree that a partial result consists of, at most. */
static uint64_t parts_of(const struct eyoti_question *q, uint32_t rounds) {
  if (q->any_order || q->function == EYOTI_CHOSEN_BROADCAST) return 1;
  return rounds > 1 ? 2 * fab_model_log2(q->size) : 3;
}

/* Multi-object: within the node to one unit (not for broadcast), and in each round to all units of
 * the node, to radix - 1 nodes, and at the end to all units. A reduction goes the way of a
 * broadcast back: in each round radix - 1 messages come to one unit. */
static uint64_t multi_rounds_ps(const struct fab_model *m, const struct eyoti_question *q,
                                uint32_t radix, uint32_t rounds) {
  struct shape s = shape_of(q);
  uint64_t bytes = q->bytes * parts_of(q, rounds), up = 0;
  if (q->function != EYOTI_CHOSEN_BROADCAST) up = fab_model_node_up(m, s.cores, q->bytes);
  if (q->function != EYOTI_CHOSEN_REDUCE)
    return up + fab_model_node_rounds(m, s.cores, radix, rounds, bytes);
  uint64_t gap = fab_model_gap(m, bytes);
  uint64_t way = m->net_ps + m->look_ps + fab_model_bytes(bytes, m->net_kib_ps);
  return up + rounds * (m->post_ps + way + (radix - 1) * (gap > m->look_ps ? gap : m->look_ps));
}

/* Whether the boards of all members, of which first units of nodes need the whole, are no burden:
 * a process may simulate them all. */
static bool multi_fits(const struct eyoti_question *q, uint32_t radix, uint32_t rounds) {
  if (q->function == EYOTI_CHOSEN_BROADCAST) return true;
  struct shape s = shape_of(q);
  uint64_t parts = parts_of(q, rounds), words = s.cores + (uint64_t)rounds * radix;
  uint64_t slots = s.cores + 1 + (rounds + 1) * parts + rounds * radix * parts;
  uint64_t epoch = words * 8 + slots * ((q->bytes + 7) / 8 * 8);
  return q->size * epoch <= MULTI_TEAM_MOST;
}

/* Messages that a unit waits for one after the other, at most; of doubling those of a round come
 * together, of an allreduce by multi the last one is the node's own result. */
static uint64_t waits_of(const struct eyoti_question *q, enum eyoti_algorithm algorithm,
                         uint32_t radix) {
  struct shape s = shape_of(q);
  uint64_t log = fab_model_log2(q->size), up = s.cores - 1;
  switch (algorithm) {
    case EYOTI_BINOMIAL:
      return q->function == EYOTI_CHOSEN_ALLREDUCE ? 2 * log : log;
    case EYOTI_DOUBLING:
    case EYOTI_BRUCK:
      return log;
    case EYOTI_MULTI:
      if (q->function == EYOTI_CHOSEN_BROADCAST)
        return fab_model_rounds(s.nodes, radix) + (s.cores > 1);
      up += fab_model_rounds(s.nodes, radix) * (uint64_t)(radix - 1);
      return q->function == EYOTI_CHOSEN_ALLREDUCE ? up + 1 : up;
    case EYOTI_NODEAGG:
      return up + (s.nodes + s.cores - 1) / s.cores + (s.cores < s.nodes ? s.cores : s.nodes);
    case EYOTI_LINEAR:
    case EYOTI_DIRECT:
    case EYOTI_ALGORITHM_COUNT:
      break;
  }
  return q->size - 1;
}

/* What waiting costs beyond the messages where units share processors. */
static uint64_t turns_ps(const struct eyoti_question *q, enum eyoti_algorithm algorithm,
                         uint32_t radix) {
  return q->shared ? waits_of(q, algorithm, radix) * TURN_PS : 0;
}

static struct eyoti_choice multi(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  struct eyoti_choice best = {.algorithm = EYOTI_MULTI, .radix = 2, .cost_ps = UINT64_MAX};
  uint32_t most = fab_model_log2(s.nodes);
  if (s.nodes == 1) best.cost_ps = multi_rounds_ps(m, q, 2, 0) + turns_ps(q, EYOTI_MULTI, 2);
  for (uint32_t rounds = 1; rounds <= most; rounds++) {
    uint32_t radix = fab_model_radix(s.nodes, rounds);
    if (radix > RADIX_MOST || !multi_fits(q, radix, rounds)) continue;
    uint64_t ps = multi_rounds_ps(m, q, radix, rounds) + turns_ps(q, EYOTI_MULTI, radix);
    if (ps < best.cost_ps) best.radix = radix, best.cost_ps = ps;
  }
  return best;
}

/* Every unit sends its blocks to all others: the node's messages, and the postings of one on the
 * last node, which has the fewest others beside it. */
static uint64_t linear_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t last = q->size - (s.nodes - 1) * s.cores, far = q->size - s.cores;
  uint64_t gap = fab_model_gap(m, q->bytes);
  uint64_t posts = (last - 1) * (m->node_post_ps + fab_model_node_bytes(m, q->bytes, last)) +
                   (q->size - last) * m->post_ps;
  uint64_t nic = s.cores * far * gap;
  return (posts > nic ? posts : nic) + (far > 0 ? m->net_ps : m->node_ps) +
         (q->size - 1) * m->look_ps;
}

/* Exchange k of ceil(log2 p) moves 2^k blocks as far, or the rest. Of those within the length of a
 * node a chain of messages crosses to another node once; farther ones all do, and units send
 * through the NIC one after the other. */
static uint64_t bruck_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t ps = s.nodes > 1 ? fab_model_net_message(m, q->bytes) : 0;
  for (uint64_t far = 1; far < q->size; far *= 2) {
    uint64_t bytes = (far < q->size - far ? far : q->size - far) * q->bytes;
    uint64_t gap = fab_model_gap(m, bytes);
    ps += far < s.cores ? fab_model_node_message(m, bytes, s.cores)
                        : fab_model_net_message(m, bytes) + (s.cores - 1) * gap;
  }
  return ps;
}

/* From the agents of a node to its other units, each of which looks at a word of each agent. */
static uint64_t from_agents_ps(const struct fab_model *m, const struct shape *s, uint32_t agents,
                               uint64_t bytes) {
  return (s->cores - 1) * (m->node_post_ps + fab_model_node_bytes(m, bytes, agents)) + m->node_ps +
         agents * m->look_ps;
}

/* Within the node a message to each agent, or of an allgather to each unit; one to each other node;
 * and within the node from the agents. Two nodes may have different members: blocks of the other
 * are fewer, and in an alltoall those of the own node, which cross no network, may come last. */
static uint64_t nodeagg_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  bool all = q->function == EYOTI_CHOSEN_ALLTOALL;
  uint32_t part = (s.nodes + s.cores - 1) / s.cores, agents = s.cores < s.nodes ? s.cores : s.nodes;
  uint64_t there = s.nodes == 2 ? q->size - s.cores : s.cores; /* members of another node */
  uint64_t own = part * s.cores * q->bytes, other = part * there * q->bytes;
  uint64_t out = (s.cores - 1) * (m->node_post_ps + fab_model_node_bytes(m, q->bytes, s.cores));
  if (all)
    out = agents * m->node_post_ps + (agents - 1) * fab_model_node_bytes(m, own, s.cores) +
          fab_model_node_bytes(m, other, s.cores);
  out += m->node_ps + s.cores * m->look_ps;
  uint64_t gap = fab_model_gap(m, s.cores * q->bytes * (all ? there : 1));
  uint64_t posts = part * m->post_ps, nic = (s.nodes - 1) * gap;
  uint64_t far = (posts > nic ? posts : nic) + m->net_ps + part * m->look_ps +
                 from_agents_ps(m, &s, agents, other);
  uint64_t home = all ? from_agents_ps(m, &s, agents, own) : 0;
  return out + (far > home ? far : home);
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

uint64_t eyoti_direct_least(bool broadcast, bool shared) {
  return shared && !broadcast ? DIRECT_LEAST_SHARED : DIRECT_LEAST;
}

static bool is_allowed(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  if (!eyoti_chosen_has(q->function, algorithm)) return false;
  switch (algorithm) {
    case EYOTI_DOUBLING:
      return eyoti_gen_allreduce_fan(q->size) <= DOUBLING_FAN_MOST;
    case EYOTI_MULTI:
      return q->per_node > 0 && q->bytes <= MULTI_BYTES_MOST;
    case EYOTI_NODEAGG: /* in one round */
      return q->per_node > 1 && q->per_node < q->size && q->bytes > 0 &&
             q->bytes <= NODEAGG_MOST / q->size;
    case EYOTI_DIRECT:
      return q->direct_from > 0 && q->bytes >= q->direct_from && q->size <= DIRECT_TEAM_MOST &&
             (q->function >= EYOTI_CHOSEN_ALLGATHER || q->bytes / q->size >= DIRECT_PART_LEAST);
    case EYOTI_BRUCK:
    case EYOTI_LINEAR:
    case EYOTI_BINOMIAL:
    case EYOTI_ALGORITHM_COUNT:
      return true;
  }
  return false;
}

uint32_t eyoti_choose_all(const struct fab_model *m, const struct eyoti_question *q,
                          struct eyoti_choice out[EYOTI_ALGORITHM_COUNT]) {
  uint32_t n = 0;
  if (is_allowed(q, EYOTI_LINEAR))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_LINEAR, .cost_ps = linear_ps(m, q)};
  if (is_allowed(q, EYOTI_BRUCK))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_BRUCK, .cost_ps = bruck_ps(m, q)};
  if (is_allowed(q, EYOTI_NODEAGG))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_NODEAGG, .cost_ps = nodeagg_ps(m, q)};
  if (is_allowed(q, EYOTI_BINOMIAL))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_BINOMIAL, .cost_ps = binomial_ps(m, q)};
  if (is_allowed(q, EYOTI_DOUBLING))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_DOUBLING, .cost_ps = doubling_ps(m, q)};
  if (is_allowed(q, EYOTI_DIRECT))
    out[n++] = (struct eyoti_choice){.algorithm = EYOTI_DIRECT, .cost_ps = direct_ps(m, q)};
  for (uint32_t i = 0; i < n; i++) out[i].cost_ps += turns_ps(q, out[i].algorithm, 0);
  if (is_allowed(q, EYOTI_MULTI)) {
    out[n] = multi(m, q);
    if (out[n].cost_ps < UINT64_MAX) n++;
  }
  return n;
}

static bool applies(const struct eyoti_rule *r, const struct eyoti_question *q) {
  return r->function == q->function && q->bytes >= r->from && q->bytes <= r->to &&
         is_allowed(q, r->algorithm);
}

struct eyoti_choice eyoti_choose(const struct fab_model *m, const struct eyoti_rules *rules,
                                 const struct eyoti_question *q, enum eyoti_reason *why) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT], best;
  uint32_t n = eyoti_choose_all(m, q, all);
  if (why != NULL) *why = EYOTI_BY_MODEL;
  best = all[0];
  for (uint32_t i = 1; i < n; i++) /* the others would move long messages in many rounds */
    if (best.algorithm != EYOTI_DIRECT &&
        (all[i].algorithm == EYOTI_DIRECT || all[i].cost_ps < best.cost_ps))
      best = all[i];
  for (uint32_t k = 0; rules != NULL && k < rules->n; k++) {
    const struct eyoti_rule *r = &rules->rule[k];
    if (!applies(r, q)) continue;
    uint32_t i = 0;
    while (i < n && all[i].algorithm != r->algorithm) i++;
    if (i == n) continue;
    best = all[i];
    if (r->radix > 0) {
      best.radix = r->radix;
      best.cost_ps =
          multi_rounds_ps(m, q, r->radix, fab_model_rounds(shape_of(q).nodes, r->radix)) +
          turns_ps(q, EYOTI_MULTI, r->radix);
    }
    if (why != NULL) *why = k < rules->given ? EYOTI_BY_RULE : EYOTI_BY_TABLE;
    break;
  }
  return best;
}
