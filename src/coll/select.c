/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - from the choice of an algorithm to its generator (select.h). */
#include "coll/select.h"

#include "coll/costs.h"
#include "coll/gen_multi.h"

/* Whether the operator gives the same bits in any order. */
static bool any_order(const struct eyoti_coll_args *a) {
  return a->combiner.exact && a->combiner.commutative;
}

static void allreduce_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_allreduce(p, a, &p->t->coll->layout, a->radix, any_order(a));
}
static void reduce_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_reduce(p, a, &p->t->coll->layout, a->radix, any_order(a));
}
static void broadcast_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_broadcast(p, a, &p->t->coll->layout, a->radix);
}

static void alltoall_nodeagg(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_alltoall(p, a, &p->t->coll->layout);
}

static void allgather_nodeagg(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_allgather(p, a, &p->t->coll->layout);
}

static const eyoti_plan_gen GENERATORS[EYOTI_CHOSEN_COUNT][EYOTI_ALGORITHM_COUNT] = {
    [EYOTI_CHOSEN_BROADCAST] = {[EYOTI_BINOMIAL] = eyoti_gen_broadcast_binomial,
                                [EYOTI_MULTI] = broadcast_multi,
                                [EYOTI_DIRECT] = eyoti_gen_broadcast_direct},
    [EYOTI_CHOSEN_REDUCE] = {[EYOTI_BINOMIAL] = eyoti_gen_reduce_binomial,
                             [EYOTI_MULTI] = reduce_multi,
                             [EYOTI_DIRECT] = eyoti_gen_reduce_direct},
    [EYOTI_CHOSEN_ALLREDUCE] = {[EYOTI_BINOMIAL] = eyoti_gen_allreduce_binomial,
                                [EYOTI_DOUBLING] = eyoti_gen_allreduce_doubling,
                                [EYOTI_MULTI] = allreduce_multi,
                                [EYOTI_DIRECT] = eyoti_gen_allreduce_direct},
    [EYOTI_CHOSEN_ALLGATHER] = {[EYOTI_BRUCK] = eyoti_gen_allgather_bruck,
                                [EYOTI_NODEAGG] = allgather_nodeagg,
                                [EYOTI_DIRECT] = eyoti_gen_allgather_direct},
    [EYOTI_CHOSEN_ALLTOALL] = {[EYOTI_LINEAR] = eyoti_gen_alltoall_linear,
                               [EYOTI_NODEAGG] = alltoall_nodeagg,
                               [EYOTI_DIRECT] = eyoti_gen_alltoall_direct}};

#define DIRECT_MOST (UINT64_C(1) << 28) /* of a block in a round */
/* Of a scan in a round, for which a member has memory log2 p times; members begin the next one
 * while others are in the last. */
#define SCAN_MOST (UINT64_C(4) << 20)
#define PAIRS_TEAM_MOST 1024u /* members: words and slots for each other one */

/* Blocks that would need several rounds are direct from fewer bytes on. 0: none is. */
static uint64_t direct_from(const struct eyot_rt *rt, const struct eyoti_coll_args *a,
                            uint64_t round_bytes) {
  const struct fab *f = rt->fab;
  if (f->ops->send == NULL || a->combiner.wire != NULL) return 0;
  uint64_t least = eyoti_direct_least(a->function == EYOTI_COLL_BROADCAST, f->oversubscribed);
  return round_bytes + 1 < least ? round_bytes + 1 : least;
}

/* false: the function has no choice. */
static bool question_of(const struct eyot_rt *rt, const struct eyoti_team *t,
                        const struct eyoti_coll_args *a, struct eyoti_question *q) {
  *q = (struct eyoti_question){.bytes = a->bytes, .size = t->size};
  switch (a->function) {
    case EYOTI_COLL_BROADCAST:
      q->function = EYOTI_CHOSEN_BROADCAST;
      break;
    case EYOTI_COLL_REDUCE:
      q->function = EYOTI_CHOSEN_REDUCE;
      break;
    case EYOTI_COLL_ALLREDUCE:
      q->function = EYOTI_CHOSEN_ALLREDUCE;
      break;
    case EYOTI_COLL_ALLGATHER:
      q->function = EYOTI_CHOSEN_ALLGATHER;
      break;
    case EYOTI_COLL_ALLTOALL:
      q->function = EYOTI_CHOSEN_ALLTOALL;
      break;
    default:
      return false;
  }
  q->per_node = t->coll->layout.per_node;
  q->any_order = any_order(a);
  q->direct_from = a->direct_from;
  q->shared = rt->fab->oversubscribed;
  return true;
}

static struct eyoti_choice choose(const struct eyot_rt *rt, const struct eyoti_question *q) {
  const struct eyoti_costs *costs = rt->coll->costs;
  if (costs != NULL) return eyoti_choose(&costs->model, &costs->rules, q, NULL);
  return eyoti_choose(eyoti_costs_of(rt->fab), NULL, q, NULL);
}

bool eyoti_select_pairs(const struct eyot_rt *rt, const struct eyoti_team *t) {
  return rt->fab->ops->send != NULL && t->size > 1 && t->size <= PAIRS_TEAM_MOST &&
         !rt->coll->check;
}

/* Functions that have no choice but by the length. NULL: they have no pairs. */
static eyoti_plan_gen pairs_of(enum eyoti_coll_function function) {
  switch (function) {
    case EYOTI_COLL_GATHER:
      return eyoti_gen_gather_pairs;
    case EYOTI_COLL_SCATTER:
      return eyoti_gen_scatter_pairs;
    case EYOTI_COLL_ALLGATHERV:
      return eyoti_gen_allgatherv_pairs;
    case EYOTI_COLL_ALLTOALL_STRIDED:
      return eyoti_gen_alltoallv_pairs;
    case EYOTI_COLL_REDUCE_SCATTER_BLOCK:
    case EYOTI_COLL_REDUCE_SCATTER:
      return eyoti_gen_reduce_scatter_pairs;
    default:
      return NULL;
  }
}

static void select_pairs(struct eyoti_coll_call *c, eyoti_plan_gen gen) {
  c->gen = gen;
  if (c->round_bytes < c->args.bytes) c->round_bytes = c->args.bytes;
}

static void select_scan(struct eyoti_coll_call *c, uint64_t width) {
  bool inclusive = c->args.function == EYOTI_COLL_SCAN;
  c->gen = inclusive ? eyoti_gen_scan_direct : eyoti_gen_exscan_direct;
  c->direct = true;
  c->round_bytes = SCAN_MOST / width * width;
}

/* Calls of functions without a choice of algorithms. */
static void select_unchosen(struct eyoti_coll_call *c, const struct eyoti_team *t, uint64_t width) {
  eyoti_plan_gen gen = pairs_of(c->args.function);
  bool scan = c->args.function == EYOTI_COLL_SCAN || c->args.function == EYOTI_COLL_EXSCAN;
  if (t->size > PAIRS_TEAM_MOST) return;
  if (gen != NULL) select_pairs(c, gen);
  if (scan) select_scan(c, width);
}

void eyoti_select_direct(const struct eyot_rt *rt, const struct eyoti_team *t,
                         struct eyoti_coll_call *c) {
  struct eyoti_question q;
  uint64_t width = c->args.combiner.width > 0 ? c->args.combiner.width : 1;
  c->args.direct_from = direct_from(rt, &c->args, c->round_bytes);
  if (c->args.function == EYOTI_COLL_GATHER && c->args.direct_from > 0) c->args.direct_from = 1;
  /* short calls do not ask the model twice */
  if (c->args.direct_from == 0 || c->args.bytes < c->args.direct_from) return;
  if (!question_of(rt, t, &c->args, &q)) {
    select_unchosen(c, t, width);
    return;
  }
  if (choose(rt, &q).algorithm != EYOTI_DIRECT) return;
  c->direct = true;
  c->round_bytes = DIRECT_MOST / width * width;
}

eyoti_plan_gen eyoti_select(const struct eyot_rt *rt, const struct eyoti_team *t,
                            eyoti_plan_gen asked, struct eyoti_coll_args *a) {
  struct eyoti_question q;
  if (!question_of(rt, t, a, &q)) return asked;
  struct eyoti_choice best = choose(rt, &q);
  a->algorithm = (uint32_t)best.algorithm + 1;
  a->radix = best.radix;
  eyoti_plan_gen gen = GENERATORS[q.function][best.algorithm];
  EYOTI_ASSERT(gen != NULL);
  return gen;
}
