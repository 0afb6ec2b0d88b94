/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - from the choice of an algorithm to its generator (select.h). */
#include "coll/select.h"

#include <inttypes.h>

#include "coll/costs.h"
#include "coll/gen_multi.h"
#include "coll/parts_shape.h"
#include "coll/round.h"
#include "rt/proc.h"

/* Whether the operator gives the same bits in any order, or there is nothing to combine. */
static bool any_order(const struct eyoti_coll_args *a) {
  return (a->combiner.exact && a->combiner.commutative) || a->bytes == 0;
}

/* Trees go node by node. ordered: the order of combination matters. */
static const struct eyoti_layout *tree_layout(const struct eyoti_plan *p, bool ordered) {
  const struct eyoti_layout *l = &p->t->coll->layout;
  return eyoti_layout_is_scattered(l) && !ordered ? l : NULL;
}
static void broadcast_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_broadcast(p, a, tree_layout(p, false));
}
static void reduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_reduce(p, a, tree_layout(p, !any_order(a)));
}
static void allreduce_binomial(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_placed_allreduce(p, a, tree_layout(p, !any_order(a)));
}

/* As eyoti_shape_is_alone says. */
static struct eyoti_layout multi_layout(const struct eyoti_plan *p, bool ordered) {
  struct eyoti_layout l = p->t->coll->layout;
  return ordered && eyoti_layout_is_scattered(&l) ? eyoti_layout_regular(l.size, 1) : l;
}
static void allreduce_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  const struct eyoti_layout l = multi_layout(p, !any_order(a));
  eyoti_multi_allreduce(p, a, &l, a->radix, any_order(a));
}
static void reduce_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  const struct eyoti_layout l = multi_layout(p, !any_order(a));
  eyoti_multi_reduce(p, a, &l, a->radix, any_order(a));
}
static void scan_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  const struct eyoti_layout l = multi_layout(p, true);
  eyoti_multi_scan(p, a, &l, a->radix, any_order(a));
}
static void exscan_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  const struct eyoti_layout l = multi_layout(p, true);
  eyoti_multi_exscan(p, a, &l, a->radix, any_order(a));
}
static void broadcast_multi(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_multi_broadcast(p, a, &p->t->coll->layout, a->radix);
}

static void broadcast_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_broadcast(p, a, &p->t->coll->layout);
}

static void allreduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  const struct eyoti_layout *l = &p->t->coll->layout;
  if (l->nodes == 1)
    eyoti_parts_allreduce(p, a);
  else
    eyoti_parts_allreduce_nodes(p, a, l, any_order(a));
}
static void reduce_parts(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_parts_reduce(p, a, &p->t->coll->layout, any_order(a));
}

static void allreduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_allreduce(p, a, &p->t->coll->layout, any_order(a));
}
static void reduce_routers(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_routers_reduce(p, a, &p->t->coll->layout, any_order(a));
}

static void alltoall_nodeagg(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_alltoall(p, a, &p->t->coll->layout);
}

static void allgather_nodeagg(struct eyoti_plan *p, const struct eyoti_coll_args *a) {
  eyoti_nodeagg_allgather(p, a, &p->t->coll->layout);
}

static const eyoti_plan_gen GENERATORS[EYOTI_CHOSEN_COUNT][EYOTI_ALGORITHM_COUNT] = {
    [EYOTI_CHOSEN_BROADCAST] = {[EYOTI_BINOMIAL] = broadcast_binomial,
                                [EYOTI_MULTI] = broadcast_multi,
                                [EYOTI_DIRECT] = eyoti_gen_broadcast_direct,
                                [EYOTI_PARTS] = broadcast_parts},
    [EYOTI_CHOSEN_REDUCE] = {[EYOTI_BINOMIAL] = reduce_binomial,
                             [EYOTI_MULTI] = reduce_multi,
                             [EYOTI_DIRECT] = eyoti_gen_reduce_direct,
                             [EYOTI_PARTS] = reduce_parts,
                             [EYOTI_ROUTERS] = reduce_routers},
    [EYOTI_CHOSEN_ALLREDUCE] = {[EYOTI_BINOMIAL] = allreduce_binomial,
                                [EYOTI_DOUBLING] = eyoti_gen_allreduce_doubling,
                                [EYOTI_LINEAR] = eyoti_gen_allreduce_linear,
                                [EYOTI_MULTI] = allreduce_multi,
                                [EYOTI_DIRECT] = eyoti_gen_allreduce_direct,
                                [EYOTI_PARTS] = allreduce_parts,
                                [EYOTI_ROUTERS] = allreduce_routers},
    [EYOTI_CHOSEN_ALLGATHER] = {[EYOTI_BRUCK] = eyoti_gen_allgather_bruck,
                                [EYOTI_LINEAR] = eyoti_gen_allgather_linear,
                                [EYOTI_NODEAGG] = allgather_nodeagg,
                                [EYOTI_DIRECT] = eyoti_gen_allgather_direct},
    [EYOTI_CHOSEN_ALLTOALL] = {[EYOTI_LINEAR] = eyoti_gen_alltoall_linear,
                               [EYOTI_NODEAGG] = alltoall_nodeagg,
                               [EYOTI_DIRECT] = eyoti_gen_alltoall_direct},
    [EYOTI_CHOSEN_GATHER] = {[EYOTI_BINOMIAL] = eyoti_gen_gather_tree,
                             [EYOTI_GET] = eyoti_gen_gather_get,
                             [EYOTI_PAIRS] = eyoti_gen_gather_pairs},
    [EYOTI_CHOSEN_SCATTER] = {[EYOTI_BINOMIAL] = eyoti_gen_scatter_tree,
                              [EYOTI_LINEAR] = eyoti_gen_scatter_linear,
                              [EYOTI_PAIRS] = eyoti_gen_scatter_pairs},
    [EYOTI_CHOSEN_ALLGATHERV] =
        {[EYOTI_LINEAR] = eyoti_gen_allgatherv_linear, [EYOTI_PAIRS] = eyoti_gen_allgatherv_pairs},
    [EYOTI_CHOSEN_ALLTOALL_STRIDED] =
        {[EYOTI_LINEAR] = eyoti_gen_alltoallv_linear, [EYOTI_PAIRS] = eyoti_gen_alltoallv_pairs},
    [EYOTI_CHOSEN_REDUCE_SCATTER] = {[EYOTI_PAIRWISE] = eyoti_gen_reduce_scatter_pairwise,
                                     [EYOTI_PAIRS] = eyoti_gen_reduce_scatter_pairs},
    [EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK] = {[EYOTI_PAIRWISE] = eyoti_gen_reduce_scatter_pairwise,
                                           [EYOTI_PAIRS] = eyoti_gen_reduce_scatter_pairs},
    [EYOTI_CHOSEN_SCAN] = {[EYOTI_DOUBLING] = eyoti_gen_scan,
                           [EYOTI_MULTI] = scan_multi,
                           [EYOTI_PARTS] = eyoti_gen_scan_parts,
                           [EYOTI_DIRECT] = eyoti_gen_scan_direct},
    [EYOTI_CHOSEN_EXSCAN] = {[EYOTI_DOUBLING] = eyoti_gen_exscan,
                             [EYOTI_MULTI] = exscan_multi,
                             [EYOTI_PARTS] = eyoti_gen_exscan_parts,
                             [EYOTI_DIRECT] = eyoti_gen_exscan_direct}};

#define DIRECT_MOST (UINT64_C(1) << 28) /* of a block in a round */
/* Of a scan in a round, for which a member has memory log2 p times; members begin the next one
 * while others are in the last. */
#define SCAN_MOST (UINT64_C(4) << 20)

/* Bytes of the blocks of a gather that a tree copies at no less cost than they are greeted at. */
#define GATHER_DIRECT 1024u

/* Blocks that would need several rounds are direct from fewer bytes on. 0: none is. */
static uint64_t direct_from(const struct eyot_rt *rt, const struct eyoti_coll_args *a,
                            uint64_t round_bytes) {
  const struct fab *f = rt->fab;
  if (f->ops->send == NULL || a->combiner.wire != NULL) return 0;
  uint64_t least = eyoti_direct_least(a->function == EYOTI_COLL_BROADCAST, f->oversubscribed);
  return round_bytes + 1 < least ? round_bytes + 1 : least;
}

/* false: calls of the function are others'. */
static bool function_of(enum eyoti_coll_function function, enum eyoti_chosen *out) {
  static const uint8_t CHOSEN[] = {
      [EYOTI_COLL_BROADCAST] = 1 + EYOTI_CHOSEN_BROADCAST,
      [EYOTI_COLL_REDUCE] = 1 + EYOTI_CHOSEN_REDUCE,
      [EYOTI_COLL_ALLREDUCE] = 1 + EYOTI_CHOSEN_ALLREDUCE,
      [EYOTI_COLL_GATHER] = 1 + EYOTI_CHOSEN_GATHER,
      [EYOTI_COLL_ALLGATHER] = 1 + EYOTI_CHOSEN_ALLGATHER,
      [EYOTI_COLL_ALLTOALL] = 1 + EYOTI_CHOSEN_ALLTOALL,
      [EYOTI_COLL_SCAN] = 1 + EYOTI_CHOSEN_SCAN,
      [EYOTI_COLL_EXSCAN] = 1 + EYOTI_CHOSEN_EXSCAN,
      [EYOTI_COLL_REDUCE_SCATTER_BLOCK] = 1 + EYOTI_CHOSEN_REDUCE_SCATTER_BLOCK,
      [EYOTI_COLL_REDUCE_SCATTER] = 1 + EYOTI_CHOSEN_REDUCE_SCATTER,
      [EYOTI_COLL_SCATTER] = 1 + EYOTI_CHOSEN_SCATTER,
      [EYOTI_COLL_SCATTERV] = 1 + EYOTI_CHOSEN_SCATTERV,
      [EYOTI_COLL_GATHERV] = 1 + EYOTI_CHOSEN_GATHERV,
      [EYOTI_COLL_ALLGATHERV] = 1 + EYOTI_CHOSEN_ALLGATHERV,
      [EYOTI_COLL_COLLECT] = 1 + EYOTI_CHOSEN_COLLECT,
      [EYOTI_COLL_ALLTOALLV] = 1 + EYOTI_CHOSEN_ALLTOALLV,
      [EYOTI_COLL_ALLTOALLW] = 1 + EYOTI_CHOSEN_ALLTOALLW,
      [EYOTI_COLL_ALLTOALL_STRIDED] = 1 + EYOTI_CHOSEN_ALLTOALL_STRIDED,
      [EYOTI_COLL_BARRIER] = 1 + EYOTI_CHOSEN_ALLREDUCE /* of no bytes */};
  uint8_t chosen = (unsigned)function < sizeof CHOSEN ? CHOSEN[function] : 0;
  if (chosen > 0) *out = (enum eyoti_chosen)(chosen - 1);
  return chosen > 0;
}

static void place(const struct eyoti_layout *l, struct eyoti_question *q) {
  q->per_node = l->per_node;
  q->routers = l->routers;
  if (l->placed == NULL) return;
  q->uneven_nodes = l->nodes;
  q->uneven_most = l->most;
  q->uneven_least = l->least;
  q->scattered = l->placed->scattered;
}

static bool question_of(const struct eyot_rt *rt, const struct eyoti_team *t,
                        const struct eyoti_coll_args *a, struct eyoti_question *q) {
  *q = (struct eyoti_question){.bytes = a->bytes, .size = t->size};
  if (!function_of(a->function, &q->function)) return false;
  if (t->coll != NULL) place(&t->coll->layout, q);
  q->any_order = any_order(a);
  q->direct_from = a->direct_from;
  q->shared = rt->fab->oversubscribed;
  return true;
}

/* Once for each rule: what the user asks for is not what is done. `what`: as in eyoti_coll_call. */
static void say_unmet(const struct eyot_rt *rt, struct eyoti_costs *costs,
                      const struct eyoti_question *q, const char *what) {
  int k = eyoti_rules_unmet(&costs->rules, q);
  if (k < 0 || (costs->unmet & 1u << k) != 0) return;
  costs->unmet |= 1u << k;
  const struct eyoti_rule *r = &costs->rules.rule[k];
  eyoti_log_at(
      EYOTI_LOG_WARN, what != NULL ? what : eyoti_rt_shown(rt), NULL, 0,
      "EYOT_COLL asks for %s in %s, which this call cannot have (%" PRIu64
      " bytes, a team of %u): another is taken; docs/collectives.md says when it is possible",
      eyoti_algorithm_name(r->algorithm), eyoti_chosen_name(r->function), q->bytes, q->size);
}

/* By the model of the fabric, which all units of the process have: thousands ask the same. */
static struct eyoti_choice choose_once(const struct eyot_rt *rt, const struct eyoti_question *q) {
  const struct fab_model *m = eyoti_costs_of(rt->fab);
  uint64_t flags = (uint64_t)q->take << 3 | (uint64_t)q->any_order << 2 | (uint64_t)q->shared << 1 |
                   (uint64_t)q->scattered;
  uint64_t nodes = (uint64_t)q->uneven_nodes << 32 | (uint64_t)q->uneven_least << 16 |
                   (q->per_node + q->uneven_most);
  struct eyoti_recalled r = {.key = {EYOTI_RECALL_CHOICE, (uintptr_t)m, (uint64_t)q->function,
                                     q->bytes, q->size, nodes, q->direct_from, q->routers, flags}};
  if (rt->proc != NULL && eyoti_proc_recall(rt->proc, &r))
    return (struct eyoti_choice){(enum eyoti_algorithm)r.value[0], (uint32_t)r.value[1],
                                 r.value[2]};
  struct eyoti_choice best = eyoti_choose(m, NULL, q, NULL);
  r.value[0] = (uint64_t)best.algorithm;
  r.value[1] = best.radix;
  r.value[2] = best.cost_ps;
  if (rt->proc != NULL) eyoti_proc_remember(rt->proc, &r);
  return best;
}

static struct eyoti_choice choose(const struct eyot_rt *rt, const struct eyoti_question *q,
                                  const char *what) {
  struct eyoti_costs *costs = rt->coll->costs;
  if (costs == NULL) return choose_once(rt, q);
  say_unmet(rt, costs, q, what);
  return eyoti_choose(&costs->model, &costs->rules, q, NULL);
}

/* Whether the algorithm is that of a plan, not of the call. */
static bool is_by_plan(enum eyoti_chosen function) {
  return function <= EYOTI_CHOSEN_ALLTOALL;
}

enum eyoti_algorithm eyoti_select_operations(const struct eyot_rt *rt, const struct eyoti_team *t,
                                             enum eyoti_coll_function function,
                                             enum eyoti_coll_form form) {
  struct eyoti_coll_args a = {.function = function};
  struct eyoti_coll_asked *last = t->coll != NULL ? &t->coll->operations : NULL;
  struct eyoti_question q;
  if (last != NULL && last->function == function && last->form == form) return last->algorithm;
  a.direct_from = rt->fab->ops->send != NULL && t->size > 1 && !rt->coll->check;
  bool known = question_of(rt, t, &a, &q);
  bool greets = form == EYOTI_COLL_BLOCKING && t->size == 2 && !rt->coll->check;
  if (q.direct_from == 0 && greets) q.direct_from = EYOTI_GREETS;
  EYOTI_ASSERT(known && !eyoti_chosen_knows_lengths(q.function));
  enum eyoti_algorithm algorithm = choose(rt, &q, NULL).algorithm;
  if (last != NULL)
    *last = (struct eyoti_coll_asked){
        .function = function, .form = form, .algorithm = algorithm, .direct_from = a.direct_from};
  return algorithm;
}

/* Bytes of a block that a round moves; c has those of the algorithms without a case. */
static void set_rounds(struct eyoti_coll_call *c, const struct eyoti_team *t,
                       enum eyoti_algorithm algorithm) {
  uint64_t width = c->args.combiner.width > 0 ? c->args.combiner.width : 1;
  if (algorithm == EYOTI_DIRECT) {
    c->direct = true;
    c->round_bytes = SCAN_MOST / width * width;
  } else if (algorithm == EYOTI_PAIRS) {
    if (c->round_bytes < c->args.bytes) c->round_bytes = c->args.bytes;
  } else if (algorithm == EYOTI_PARTS) {
    if (width < EYOTI_ROUND_MOST) c->round_bytes = EYOTI_ROUND_MOST / width * width;
  } else if (algorithm == EYOTI_BINOMIAL) { /* its boards hold a block of every member */
    c->round_bytes = eyoti_round_blocks(t->size);
  }
}

/* Calls that are repeated ask once. */
static void select_by_call(const struct eyot_rt *rt, const struct eyoti_team *t,
                           struct eyoti_coll_call *c, const struct eyoti_question *q) {
  struct eyoti_coll_asked *last = &t->coll->asked;
  if (last->function != c->args.function || last->bytes != q->bytes ||
      last->direct_from != q->direct_from || last->any_order != q->any_order) {
    struct eyoti_choice best = choose(rt, q, c->what);
    *last = (struct eyoti_coll_asked){.function = c->args.function,
                                      .algorithm = best.algorithm,
                                      .radix = best.radix,
                                      .any_order = q->any_order,
                                      .bytes = q->bytes,
                                      .direct_from = q->direct_from};
  }
  c->args.algorithm = eyoti_select_mark(last->algorithm);
  c->args.radix = last->radix;
  c->gen = GENERATORS[q->function][last->algorithm];
  EYOTI_ASSERT(c->gen != NULL);
  set_rounds(c, t, last->algorithm);
}

/* Whether rounds in parts are longer than others: of reductions over several nodes. */
static bool has_long_parts(const struct eyoti_team *t, const struct eyoti_question *q) {
  bool reduces = q->function == EYOTI_CHOSEN_ALLREDUCE || q->function == EYOTI_CHOSEN_REDUCE;
  return reduces && ((q->per_node > 0 && q->per_node < t->size) || q->uneven_nodes > 0);
}

void eyoti_select_call(const struct eyot_rt *rt, const struct eyoti_team *t,
                       struct eyoti_coll_call *c) {
  struct eyoti_question q;
  uint64_t width = c->args.combiner.width > 0 ? c->args.combiner.width : 1;
  if (c->has_gen) return;
  c->args.direct_from = direct_from(rt, &c->args, c->round_bytes);
  if (c->args.function == EYOTI_COLL_GATHER && c->args.direct_from > GATHER_DIRECT)
    c->args.direct_from = GATHER_DIRECT;
  if (!question_of(rt, t, &c->args, &q) || !eyoti_chosen_knows_lengths(q.function)) return;
  if (!is_by_plan(q.function)) {
    select_by_call(rt, t, c, &q);
    return;
  }
  /* short calls do not ask the model twice */
  bool direct = c->args.direct_from > 0 && c->args.bytes >= c->args.direct_from;
  bool other_rounds = has_long_parts(t, &q) || q.function == EYOTI_CHOSEN_ALLGATHER;
  if (!direct && (c->args.bytes <= c->round_bytes || !other_rounds)) return;
  enum eyoti_algorithm algorithm = choose(rt, &q, c->what).algorithm;
  if (algorithm == EYOTI_DIRECT) {
    c->direct = true;
    c->round_bytes = DIRECT_MOST / width * width;
  } else if (algorithm == EYOTI_NODEAGG && c->args.bytes > c->round_bytes) {
    c->round_bytes = eyoti_nodeagg_round(&t->coll->layout, c->round_bytes);
  } else if ((algorithm == EYOTI_PARTS || algorithm == EYOTI_ROUTERS) && has_long_parts(t, &q)) {
    struct eyoti_layout l = t->coll->layout;
    if (algorithm == EYOTI_PARTS) l.routers = eyoti_layout_apart(l.nodes);
    struct eyoti_parts_shape shape = eyoti_parts_shape(&l, q.any_order);
    c->round_bytes = eyoti_parts_round(&l, &shape, width);
  }
}

bool eyoti_select_take(const struct eyot_rt *rt, const struct eyoti_team *t,
                       const struct eyoti_coll_call *c) {
  struct eyoti_question q;
  if (!question_of(rt, t, &c->args, &q)) return false;
  q.take = eyoti_choose_take(&q, (rt->fab->caps & FAB_CAP_VIRTUAL_TIME) != 0);
  return q.take != EYOTI_TAKES_NOT && choose(rt, &q, c->what).algorithm == EYOTI_TAKE;
}

bool eyoti_select_linear(const struct eyot_rt *rt, const struct eyoti_team *t, uint64_t bytes) {
  const struct eyoti_coll_args a = {.function = EYOTI_COLL_ALLGATHER, .bytes = bytes};
  struct eyoti_question q;
  const struct eyoti_costs *costs = rt->coll->costs;
  const struct fab_model *m = costs != NULL ? &costs->model : eyoti_costs_of(rt->fab);
  return question_of(rt, t, &a, &q) && eyoti_choose(m, NULL, &q, NULL).algorithm == EYOTI_LINEAR;
}

eyoti_plan_gen eyoti_select(const struct eyot_rt *rt, const struct eyoti_team *t,
                            const struct eyoti_coll_call *c, struct eyoti_coll_args *a) {
  struct eyoti_question q;
  if (c->has_gen || !question_of(rt, t, a, &q) || !is_by_plan(q.function)) return c->gen;
  struct eyoti_choice best = choose(rt, &q, c->what);
  a->algorithm = eyoti_select_mark(best.algorithm);
  a->radix = best.radix;
  eyoti_plan_gen gen = GENERATORS[q.function][best.algorithm];
  EYOTI_ASSERT(gen != NULL);
  return gen;
}
