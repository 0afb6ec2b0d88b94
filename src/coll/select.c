/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c - from the choice of an algorithm to its generator (select.h). */
#include "coll/select.h"

#include "coll/choose.h"
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
    [EYOTI_CHOSEN_BROADCAST] =
        {[EYOTI_BINOMIAL] = eyoti_gen_broadcast_binomial, [EYOTI_MULTI] = broadcast_multi},
    [EYOTI_CHOSEN_REDUCE] =
        {[EYOTI_BINOMIAL] = eyoti_gen_reduce_binomial, [EYOTI_MULTI] = reduce_multi},
    [EYOTI_CHOSEN_ALLREDUCE] = {[EYOTI_BINOMIAL] = eyoti_gen_allreduce_binomial,
                                [EYOTI_DOUBLING] = eyoti_gen_allreduce_doubling,
                                [EYOTI_MULTI] = allreduce_multi},
    [EYOTI_CHOSEN_ALLGATHER] =
        {[EYOTI_BRUCK] = eyoti_gen_allgather_bruck, [EYOTI_NODEAGG] = allgather_nodeagg},
    [EYOTI_CHOSEN_ALLTOALL] = {
        [EYOTI_LINEAR] = eyoti_gen_alltoall_linear, [EYOTI_NODEAGG] = alltoall_nodeagg}};

eyoti_plan_gen eyoti_select(const struct eyot_rt *rt, const struct eyoti_team *t,
                            eyoti_plan_gen asked, struct eyoti_coll_args *a) {
  static const struct fab_model DEFAULT = FAB_MODEL_DEFAULT;
  struct eyoti_question q = {.bytes = a->bytes, .size = t->size};
  switch (a->function) {
    case EYOTI_COLL_BROADCAST:
      q.function = EYOTI_CHOSEN_BROADCAST;
      break;
    case EYOTI_COLL_REDUCE:
      q.function = EYOTI_CHOSEN_REDUCE;
      break;
    case EYOTI_COLL_ALLREDUCE:
      q.function = EYOTI_CHOSEN_ALLREDUCE;
      break;
    case EYOTI_COLL_ALLGATHER:
      q.function = EYOTI_CHOSEN_ALLGATHER;
      break;
    case EYOTI_COLL_ALLTOALL:
      q.function = EYOTI_CHOSEN_ALLTOALL;
      break;
    default:
      return asked;
  }
  q.per_node = t->coll->layout.per_node;
  q.any_order = any_order(a);
  const struct fab_model *m = rt->fab->ops->model != NULL ? rt->fab->ops->model : &DEFAULT;
  struct eyoti_choice best = eyoti_choose(m, rt->coll->rules, &q, NULL);
  a->algorithm = (uint32_t)best.algorithm + 1;
  a->radix = best.radix;
  eyoti_plan_gen gen = GENERATORS[q.function][best.algorithm];
  EYOTI_ASSERT(gen != NULL);
  return gen;
}
