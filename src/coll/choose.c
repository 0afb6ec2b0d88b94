/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c - the choice of algorithms by predicted costs (predict.h) and rules (choose.h). */
#include "coll/choose.h"

#include "base/check.h"
#include "coll/gen.h"
#include "coll/predict.h"
#include "coll/round.h"

#define MULTI_BYTES_MOST 512u   /* longer messages make its board large */
#define NODEAGG_MOST 98304u     /* bytes of all blocks of a member */
#define DIRECT_TEAM_MOST 1024u  /* members: each has a message to each other */
#define DIRECT_PART_LEAST 1024u /* bytes of a member's part of a vector */
#define DIRECT_LEAST 8193u
#define DIRECT_LEAST_SHARED 16385u
#define LINEAR_MOST 4096u    /* bytes of a block of an allgather */
#define LINEAR_TEAM_MOST 64u /* members of an allreduce */
#define PARTS_LEAST 3u       /* members of a node: of two one has all */
#define PARTS_NODES_MOST 64u /* of reductions */
#define PARTS_TEAM_MOST 64u  /* members, of scans: each has a message to each other, twice */
#define PARTS_SCAN_LEAST 5u  /* unless a rule says otherwise: of fewer, doubling has as few bytes */
#define PARTS_LOTS_MOST 2u   /* the same: parts of a unit of the last node */
#define DOUBLING_FAN_MOST 8u /* messages of a round, where the size is no power of two */

/* Names and algorithms of the functions. */
#define HAS(algorithm) (1u << EYOTI_##algorithm)
static const struct {
  const char *name;
  uint32_t has;
} FUNCTIONS[EYOTI_CHOSEN_COUNT] = {
    [EYOTI_CHOSEN_BROADCAST] = {"broadcast",
                                HAS(BINOMIAL) | HAS(MULTI) | HAS(DIRECT) | HAS(PARTS) | HAS(TAKE)},
    [EYOTI_CHOSEN_REDUCE] = {"reduce", HAS(BINOMIAL) | HAS(MULTI) | HAS(DIRECT) | HAS(PARTS) |
                                           HAS(ROUTERS) | HAS(TAKE)},
    [EYOTI_CHOSEN_ALLREDUCE] = {"allreduce", HAS(BINOMIAL) | HAS(DOUBLING) | HAS(LINEAR) |
                                                 HAS(MULTI) | HAS(DIRECT) | HAS(PARTS) |
                                                 HAS(ROUTERS) | HAS(TAKE)},
    [EYOTI_CHOSEN_ALLGATHER] = {"allgather",
                                HAS(BRUCK) | HAS(LINEAR) | HAS(NODEAGG) | HAS(DIRECT) | HAS(TAKE)},
    [EYOTI_CHOSEN_ALLTOALL] = {"alltoall", HAS(LINEAR) | HAS(NODEAGG) | HAS(DIRECT) | HAS(TAKE)},
    [EYOTI_CHOSEN_GATHER] = {"gather", HAS(BINOMIAL) | HAS(GET) | HAS(PAIRS) | HAS(TAKE)},
    [EYOTI_CHOSEN_GATHERV] = {"gatherv", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_SCATTER] = {"scatter", HAS(BINOMIAL) | HAS(LINEAR) | HAS(PAIRS) | HAS(TAKE)},
    [EYOTI_CHOSEN_SCATTERV] = {"scatterv", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_ALLGATHERV] = {"allgatherv", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_COLLECT] = {"collect", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_ALLTOALLV] = {"alltoallv", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_ALLTOALLW] = {"alltoallw", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_ALLTOALL_STRIDED] = {"alltoall_strided", HAS(LINEAR) | HAS(PAIRS)},
    [EYOTI_CHOSEN_REDUCE_SCATTER] = {"reduce_scatter", HAS(PAIRWISE) | HAS(PAIRS)},
    [EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK] = {"reduce_scatter_block",
                                           HAS(PAIRWISE) | HAS(PAIRS) | HAS(TAKE)},
    [EYOTI_CHOSEN_SCAN] = {"scan", HAS(DOUBLING) | HAS(MULTI) | HAS(DIRECT) | HAS(PARTS)},
    [EYOTI_CHOSEN_EXSCAN] = {"exscan", HAS(DOUBLING) | HAS(MULTI) | HAS(DIRECT) | HAS(PARTS)}};

const char *eyoti_chosen_name(enum eyoti_chosen function) {
  return (unsigned)function < EYOTI_CHOSEN_COUNT ? FUNCTIONS[function].name : "?";
}
const char *eyoti_algorithm_name(enum eyoti_algorithm algorithm) {
  static const char *const NAMES[EYOTI_ALGORITHM_COUNT] = {
      "binomial", "doubling", "multi", "bruck", "linear",  "nodeagg", "direct",
      "get",      "pairwise", "pairs", "parts", "routers", "take"};
  return (unsigned)algorithm < EYOTI_ALGORITHM_COUNT ? NAMES[algorithm] : "?";
}

bool eyoti_chosen_has(enum eyoti_chosen function, enum eyoti_algorithm algorithm) {
  return (unsigned)function < EYOTI_CHOSEN_COUNT && (unsigned)algorithm < EYOTI_ALGORITHM_COUNT &&
         (FUNCTIONS[function].has & 1u << algorithm) != 0;
}

bool eyoti_chosen_knows_lengths(enum eyoti_chosen function) {
  return function != EYOTI_CHOSEN_GATHERV && function != EYOTI_CHOSEN_SCATTERV &&
         function != EYOTI_CHOSEN_COLLECT && function != EYOTI_CHOSEN_ALLTOALLV &&
         function != EYOTI_CHOSEN_ALLTOALLW;
}

uint64_t eyoti_direct_least(bool broadcast, bool shared) {
  return shared && !broadcast ? DIRECT_LEAST_SHARED : DIRECT_LEAST;
}

/* Whether each member has a part of the vector that is worth a message. */
static bool has_parts(const struct eyoti_question *q) {
  return q->function > EYOTI_CHOSEN_ALLREDUCE || q->bytes / q->size >= DIRECT_PART_LEAST;
}

static bool is_scan(const struct eyoti_question *q) {
  return q->function == EYOTI_CHOSEN_SCAN || q->function == EYOTI_CHOSEN_EXSCAN;
}

/* Whether each member of a node takes a part. In a broadcast there are as many as the emptiest node
 * has members. Of a reduction those of nodes that have fewer may take two, and one has a message to
 * each node; on one node a reduce has its tree. In a scan each member of the team takes one. */
static bool has_nodes_parts(const struct eyoti_question *q) {
  uint32_t cores = q->per_node < q->size ? q->per_node : q->size;
  uint32_t nodes = cores > 0 ? (q->size - 1) / cores + 1 : 0, least = 1;
  if (nodes > 0) least = q->size - (nodes - 1) * cores;
  if (is_scan(q)) return q->size >= PARTS_LEAST && q->size <= PARTS_TEAM_MOST && q->bytes > 0;
  if (q->uneven_nodes > 0) cores = q->uneven_most, nodes = q->uneven_nodes, least = q->uneven_least;
  if (cores < PARTS_LEAST) return false;
  if (q->function == EYOTI_CHOSEN_BROADCAST) return least >= PARTS_LEAST;
  if (q->function == EYOTI_CHOSEN_REDUCE && nodes == 1) return false;
  return nodes <= PARTS_NODES_MOST && eyoti_round_lots(cores, least) <= PARTS_LOTS_MOST;
}

/* Whether members of a pair tell each other their lengths; where the fabric has no messages to
 * private memory, in teams that are one pair. */
static bool has_pairs(const struct eyoti_question *q) {
  if (q->direct_from != EYOTI_GREETS) return q->direct_from > 0 && q->size <= DIRECT_TEAM_MOST;
  bool rooted = q->function == EYOTI_CHOSEN_GATHERV || q->function == EYOTI_CHOSEN_SCATTERV;
  bool exchanges = q->function == EYOTI_CHOSEN_ALLTOALLV || q->function == EYOTI_CHOSEN_ALLTOALLW;
  return q->size == 2 && (rooted || exchanges);
}

/* Several, of which one has several members. */
static bool has_nodes(const struct eyoti_question *q) {
  return (q->per_node > 1 && q->per_node < q->size) || q->uneven_nodes > 0;
}

static bool is_allowed(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  if (!eyoti_chosen_has(q->function, algorithm)) return false;
  switch (algorithm) {
    case EYOTI_DOUBLING:
      return is_scan(q) || eyoti_gen_allreduce_fan(q->size) <= DOUBLING_FAN_MOST;
    case EYOTI_MULTI:
      return q->bytes <= MULTI_BYTES_MOST && (q->per_node > 0 || q->uneven_nodes > 0);
    case EYOTI_NODEAGG: /* of an alltoall in one round */
      return has_nodes(q) && q->bytes > 0 &&
             (q->bytes <= NODEAGG_MOST / q->size || q->function == EYOTI_CHOSEN_ALLGATHER);
    case EYOTI_DIRECT:
      return q->direct_from > 0 && q->bytes >= q->direct_from && q->size <= DIRECT_TEAM_MOST &&
             has_parts(q);
    case EYOTI_PARTS:
      return has_nodes_parts(q);
    case EYOTI_ROUTERS:
      return q->routers != 0 && has_nodes_parts(q);
    case EYOTI_PAIRS:
      return has_pairs(q);
    case EYOTI_TAKE:
      return q->take != EYOTI_TAKES_NOT;
    case EYOTI_LINEAR: /* an allreduce's operands are all in each member's board */
      return q->function != EYOTI_CHOSEN_ALLREDUCE ||
             (q->size > 2 && q->size <= LINEAR_TEAM_MOST && q->bytes <= MULTI_BYTES_MOST);
    case EYOTI_BRUCK:
    case EYOTI_BINOMIAL:
    case EYOTI_GET:
    case EYOTI_PAIRWISE:
      return true;
    case EYOTI_ALGORITHM_COUNT:
      break;
  }
  return false;
}

uint32_t eyoti_choose_all(const struct fab_model *m, const struct eyoti_question *q,
                          struct eyoti_choice out[EYOTI_ALGORITHM_COUNT]) {
  static const enum eyoti_algorithm ORDER[] = {
      EYOTI_GET,      EYOTI_PAIRWISE, EYOTI_BRUCK, EYOTI_LINEAR, EYOTI_NODEAGG, EYOTI_BINOMIAL,
      EYOTI_DOUBLING, EYOTI_DIRECT,   EYOTI_PAIRS, EYOTI_PARTS,  EYOTI_ROUTERS, EYOTI_TAKE};
  uint32_t n = 0;
  for (uint32_t i = 0; i < sizeof ORDER / sizeof ORDER[0]; i++)
    if (is_allowed(q, ORDER[i]))
      out[n++] = (struct eyoti_choice){.algorithm = ORDER[i],
                                       .cost_ps = eyoti_predict_ps(m, q, ORDER[i], 0)};
  if (is_allowed(q, EYOTI_MULTI)) {
    out[n] = eyoti_predict_multi(m, q);
    if (out[n].cost_ps < UINT64_MAX) n++;
  }
  return n;
}

/* For long messages, which the others would move in many rounds, and for blocks whose lengths would
 * have to be told first. */
static bool is_preferred(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  if (algorithm == EYOTI_PAIRS)
    return q->bytes >= q->direct_from || !eyoti_chosen_knows_lengths(q->function);
  if (algorithm == EYOTI_TAKE) return q->take == EYOTI_TAKES;
  return algorithm == EYOTI_DIRECT;
}

enum eyoti_takes eyoti_choose_take(const struct eyoti_question *q, bool virtual_time) {
  uint64_t most = q->shared ? eyoti_round_blocks(q->size) : EYOTI_TAKE_MOST;
  bool by_rule = virtual_time || (q->function == EYOTI_CHOSEN_ALLREDUCE && !q->shared);
  if (!eyoti_chosen_has(q->function, EYOTI_TAKE) || q->size < 2 || q->per_node < q->size ||
      q->bytes <= most)
    return EYOTI_TAKES_NOT;
  return by_rule ? EYOTI_TAKES_IF_ASKED : EYOTI_TAKES;
}

/* Only a rule takes it: what it costs depends on where the program's buffers are, or, of a long
 * broadcast or a scan in parts of units that share processors, on turns that the model does not
 * know. Long allgathers to each member took up to 2.9 times the time of bruck over MPI. Between
 * nodes an allreduce to each member is multi's with more messages; on a node it saves turns of
 * shared processors, and without them little or nothing. */
bool eyoti_choose_is_left(const struct eyoti_question *q, enum eyoti_algorithm algorithm) {
  if (algorithm == EYOTI_PARTS && is_scan(q)) return q->shared || q->size < PARTS_SCAN_LEAST;
  if (algorithm == EYOTI_PARTS)
    return q->function == EYOTI_CHOSEN_BROADCAST && q->shared && q->per_node >= q->size &&
           q->bytes > EYOTI_STAGE_MOST;
  if (algorithm == EYOTI_LINEAR)
    return (q->function == EYOTI_CHOSEN_ALLGATHER && q->bytes > LINEAR_MOST) ||
           (q->function == EYOTI_CHOSEN_ALLREDUCE && (!q->shared || q->per_node < q->size));
  return algorithm == EYOTI_TAKE && q->take != EYOTI_TAKES;
}

static bool is_for(const struct eyoti_rule *r, const struct eyoti_question *q) {
  return r->function == q->function && q->bytes >= r->from && q->bytes <= r->to;
}

static bool applies(const struct eyoti_rule *r, const struct eyoti_question *q) {
  return is_for(r, q) && is_allowed(q, r->algorithm);
}

int eyoti_rules_unmet(const struct eyoti_rules *rules, const struct eyoti_question *q) {
  int first = -1;
  for (uint32_t k = 0; k < rules->given; k++) {
    if (!is_for(&rules->rule[k], q)) continue;
    enum eyoti_algorithm algorithm = rules->rule[k].algorithm;
    if (algorithm == EYOTI_TAKE || is_allowed(q, algorithm)) return -1;
    if (first < 0) first = (int)k;
  }
  return first;
}

struct eyoti_choice eyoti_choose(const struct fab_model *m, const struct eyoti_rules *rules,
                                 const struct eyoti_question *q, enum eyoti_reason *why) {
  struct eyoti_choice all[EYOTI_ALGORITHM_COUNT], best;
  uint32_t n = eyoti_choose_all(m, q, all);
  if (why != NULL) *why = EYOTI_BY_MODEL;
  uint32_t first = 0;
  while (first + 1 < n && eyoti_choose_is_left(q, all[first].algorithm)) first++;
  best = all[first];
  for (uint32_t i = first + 1; i < n; i++)
    if (!is_preferred(q, best.algorithm) && !eyoti_choose_is_left(q, all[i].algorithm) &&
        (is_preferred(q, all[i].algorithm) || all[i].cost_ps < best.cost_ps))
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
      best.cost_ps = eyoti_predict_ps(m, q, EYOTI_MULTI, r->radix);
    }
    if (why != NULL) *why = k < rules->given ? EYOTI_BY_RULE : EYOTI_BY_TABLE;
    break;
  }
  return best;
}
