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
#define DOUBLING_FAN_MOST 8u           /* messages of a round, where the size is no power of two */

const char *eyoti_chosen_name(enum eyoti_chosen function) {
  static const char *const NAMES[EYOTI_CHOSEN_COUNT] = {"broadcast", "reduce", "allreduce",
                                                        "allgather", "alltoall"};
  return (unsigned)function < EYOTI_CHOSEN_COUNT ? NAMES[function] : "?";
}
const char *eyoti_algorithm_name(enum eyoti_algorithm algorithm) {
  static const char *const NAMES[EYOTI_ALGORITHM_COUNT] = {"binomial", "doubling", "multi",
                                                           "bruck",    "linear",   "nodeagg"};
  return (unsigned)algorithm < EYOTI_ALGORITHM_COUNT ? NAMES[algorithm] : "?";
}

bool eyoti_chosen_has(enum eyoti_chosen function, enum eyoti_algorithm algorithm) {
  static const bool HAS[EYOTI_CHOSEN_COUNT][EYOTI_ALGORITHM_COUNT] = {
      [EYOTI_CHOSEN_BROADCAST] = {[EYOTI_BINOMIAL] = true, [EYOTI_MULTI] = true},
      [EYOTI_CHOSEN_REDUCE] = {[EYOTI_BINOMIAL] = true, [EYOTI_MULTI] = true},
      [EYOTI_CHOSEN_ALLREDUCE] =
          {[EYOTI_BINOMIAL] = true, [EYOTI_DOUBLING] = true, [EYOTI_MULTI] = true},
      [EYOTI_CHOSEN_ALLGATHER] = {[EYOTI_BRUCK] = true, [EYOTI_NODEAGG] = true},
      [EYOTI_CHOSEN_ALLTOALL] = {[EYOTI_LINEAR] = true, [EYOTI_NODEAGG] = true}};
  return (unsigned)function < EYOTI_CHOSEN_COUNT && (unsigned)algorithm < EYOTI_ALGORITHM_COUNT &&
         HAS[function][algorithm];
}

static uint32_t log2_up(uint64_t n) {
  uint32_t log = 0;
  while (((uint64_t)1 << log) < n) log++;
  return log;
}
static uint64_t cost_of_bytes(uint64_t bytes, uint64_t kib_ps) {
  return bytes / 1024 * kib_ps + bytes % 1024 * kib_ps / 1024;
}
static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
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

/* Within a node, beside so many others: the processor copies, and memory serves all. */
static uint64_t node_bytes(const struct fab_model *m, uint64_t bytes, uint64_t copies) {
  if (copies > m->memory_units) copies = m->memory_units;
  return larger(cost_of_bytes(bytes, m->node_kib_ps),
                copies * cost_of_bytes(bytes, m->memory_kib_ps));
}
static uint64_t node_message(const struct fab_model *m, uint64_t bytes, uint64_t copies) {
  return m->node_post_ps + m->node_ps + m->look_ps + node_bytes(m, bytes, copies);
}
static uint64_t net_message(const struct fab_model *m, uint64_t bytes) {
  return m->post_ps + m->net_ps + m->look_ps + cost_of_bytes(bytes, m->net_kib_ps);
}

/* A tree over ranks: ceil(log2 N) messages between nodes and ceil(log2 c) within one follow each
 * other; the first of them leaves after the posts of those before it. */
static uint64_t binomial_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t once =
      log2_up(s.nodes) * net_message(m, q->bytes) + log2_up(s.cores) * node_message(m, q->bytes, 1);
  return q->function == EYOTI_CHOSEN_ALLREDUCE ? 2 * once : once;
}

/* ceil(log2 p) exchanges. In that of level k members 2^k apart exchange, on one node while nodes
 * consist of aligned blocks of 2^(k+1) members; else at least some send through the NIC, one after
 * the other. Where p is no power of two, a member may send to several. */
static uint64_t doubling_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t gap = larger(m->gap_ps, cost_of_bytes(q->bytes, m->net_kib_ps)), ps = 0;
  uint64_t others = s.nodes > 1 ? q->size - s.cores : 0;
  for (uint32_t k = 0; ((uint64_t)1 << k) < q->size; k++) {
    uint64_t apart = (uint64_t)1 << k, senders = apart < s.cores ? apart : s.cores;
    if (others > 0 && s.cores % (2 * apart) != 0)
      ps += net_message(m, q->bytes) + (senders < others ? senders : others) * gap;
    else
      ps += node_message(m, q->bytes, s.cores);
  }
  uint64_t post = others > 0 ? m->post_ps : m->node_post_ps + node_bytes(m, q->bytes, s.cores);
  return ps + (eyoti_gen_allreduce_fan(q->size) - 1) * post;
}

/* The time until a value has spread from one unit of a node to all. */
static uint64_t fan_ps(const struct fab_model *m, uint32_t cores, uint64_t bytes) {
  uint64_t ps = 0;
  /* In a step as long as a message each that knows sends to so many more: an upper bound. */
  for (uint64_t know = 1; know < cores; know *= EYOTI_LAYOUT_LATENCY + 1) {
    uint64_t left = (cores - 1) / know;
    uint64_t posts = left < EYOTI_LAYOUT_LATENCY ? left : EYOTI_LAYOUT_LATENCY;
    uint64_t senders = know < cores - know ? know : cores - know;
    ps += node_message(m, bytes, senders) +
          (posts > 0 ? posts - 1 : 0) * (m->node_post_ps + node_bytes(m, bytes, senders));
  }
  return ps;
}

/* Blocks of the canonical tree that a partial result consists of, at most. */
static uint64_t parts_of(const struct eyoti_question *q, uint32_t rounds) {
  if (q->any_order || q->function == EYOTI_CHOSEN_BROADCAST) return 1;
  return rounds > 1 ? 2 * log2_up(q->size) : 3;
}

/* Multi-object: within the node to one unit (not for broadcast), and in each round to all units of
 * the node, to radix - 1 nodes, and at the end to all units. A reduction goes the way of a
 * broadcast back: in each round radix - 1 messages come to one unit. */
static uint64_t multi_rounds_ps(const struct fab_model *m, const struct eyoti_question *q,
                                uint32_t radix, uint32_t rounds) {
  struct shape s = shape_of(q);
  uint64_t others = radix - 1, posts = (others + s.cores - 1) / s.cores;
  uint64_t bytes = q->bytes * parts_of(q, rounds), fan = fan_ps(m, s.cores, bytes), up = 0;
  uint64_t gap = larger(m->gap_ps, cost_of_bytes(bytes, m->net_kib_ps));
  uint64_t way = m->net_ps + m->look_ps + cost_of_bytes(bytes, m->net_kib_ps);
  if (q->function != EYOTI_CHOSEN_BROADCAST && s.cores > 1)
    up = node_message(m, q->bytes, s.cores - 1) + (s.cores - 1) * m->look_ps;
  if (q->function == EYOTI_CHOSEN_REDUCE)
    return up + rounds * (m->post_ps + way + others * larger(gap, m->look_ps));
  if (others <= EYOTI_MULTI_ALONE) return up + rounds * (others * m->post_ps + way) + fan;
  return up + rounds * (fan + larger(posts * m->post_ps, others * gap) + way) + fan;
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

/* The least radix that needs no more rounds. */
static uint32_t radix_for(uint32_t nodes, uint32_t rounds) {
  for (uint32_t radix = 2;; radix++) {
    uint64_t reach = 1;
    for (uint32_t i = 0; i < rounds && reach < nodes; i++) reach *= radix;
    if (reach >= nodes) return radix;
  }
}

static uint32_t rounds_of(uint32_t nodes, uint32_t radix) {
  uint32_t rounds = 0;
  for (uint64_t reach = 1; reach < nodes; reach *= radix) rounds++;
  return rounds;
}

static struct eyoti_choice multi(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  struct eyoti_choice best = {.algorithm = EYOTI_MULTI, .radix = 2, .cost_ps = UINT64_MAX};
  uint32_t most = log2_up(s.nodes);
  if (s.nodes == 1) best.cost_ps = multi_rounds_ps(m, q, 2, 0);
  for (uint32_t rounds = 1; rounds <= most; rounds++) {
    uint32_t radix = radix_for(s.nodes, rounds);
    if (radix > RADIX_MOST || !multi_fits(q, radix, rounds)) continue;
    uint64_t ps = multi_rounds_ps(m, q, radix, rounds);
    if (ps < best.cost_ps) best.radix = radix, best.cost_ps = ps;
  }
  return best;
}

/* Every unit sends its blocks to all others: the node's messages, and the postings of one on the
 * last node, which has the fewest others beside it. */
static uint64_t linear_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t last = q->size - (s.nodes - 1) * s.cores, far = q->size - s.cores;
  uint64_t gap = larger(m->gap_ps, cost_of_bytes(q->bytes, m->net_kib_ps));
  uint64_t posts = (last - 1) * (m->node_post_ps + node_bytes(m, q->bytes, last)) +
                   (q->size - last) * m->post_ps;
  return larger(posts, s.cores * far * gap) + (far > 0 ? m->net_ps : m->node_ps) +
         (q->size - 1) * m->look_ps;
}

/* Exchange k of ceil(log2 p) moves 2^k blocks as far, or the rest. Of those within the length of a
 * node a chain of messages crosses to another node once; farther ones all do, and units send
 * through the NIC one after the other. */
static uint64_t bruck_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  uint64_t ps = s.nodes > 1 ? net_message(m, q->bytes) : 0;
  for (uint64_t far = 1; far < q->size; far *= 2) {
    uint64_t bytes = (far < q->size - far ? far : q->size - far) * q->bytes;
    uint64_t gap = larger(m->gap_ps, cost_of_bytes(bytes, m->net_kib_ps));
    ps += far < s.cores ? node_message(m, bytes, s.cores)
                        : net_message(m, bytes) + (s.cores - 1) * gap;
  }
  return ps;
}

/* Within the node `first` bytes to each of so many units, a message of a node's `between` bytes to
 * each other node, and within the node `last` bytes to each. */
static uint64_t nodeagg_ps(const struct fab_model *m, const struct eyoti_question *q) {
  struct shape s = shape_of(q);
  bool all = q->function == EYOTI_CHOSEN_ALLTOALL;
  uint64_t part = (s.nodes + s.cores - 1) / s.cores, last = part * s.cores * q->bytes;
  uint64_t agents = s.cores < s.nodes ? s.cores : s.nodes;
  uint64_t first = all ? last : q->bytes, units = all ? agents : s.cores - 1;
  uint64_t there = s.nodes == 2 ? q->size - s.cores : s.cores; /* members of another node */
  uint64_t between = s.cores * q->bytes * (all ? there : 1);
  uint64_t gap = larger(m->gap_ps, cost_of_bytes(between, m->net_kib_ps));
  uint64_t out =
      units * (m->node_post_ps + node_bytes(m, first, s.cores)) + m->node_ps + s.cores * m->look_ps;
  uint64_t in = (s.cores - 1) * (m->node_post_ps + node_bytes(m, last, agents)) + m->node_ps +
                agents * m->look_ps;
  return out + larger(part * m->post_ps, (s.nodes - 1) * gap) + m->net_ps + part * m->look_ps + in;
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
                                 const struct eyoti_question *q, bool *by_rule) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT], best;
  uint32_t n = eyoti_choose_all(m, q, all);
  if (by_rule != NULL) *by_rule = false;
  best = all[0];
  for (uint32_t i = 1; i < n; i++)
    if (all[i].cost_ps < best.cost_ps) best = all[i];
  for (uint32_t k = 0; rules != NULL && k < rules->n; k++) {
    const struct eyoti_rule *r = &rules->rule[k];
    if (!applies(r, q)) continue;
    uint32_t i = 0;
    while (i < n && all[i].algorithm != r->algorithm) i++;
    if (i == n) continue;
    best = all[i];
    if (r->radix > 0) {
      best.radix = r->radix;
      best.cost_ps = multi_rounds_ps(m, q, r->radix, rounds_of(shape_of(q).nodes, r->radix));
    }
    if (by_rule != NULL) *by_rule = true;
    break;
  }
  return best;
}
