/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - eyot_reduce and eyot_allreduce, in their three forms. Partial results are combined in
 * an order that depends on the arguments and the team alone, and all members of an allreduce have
 * the same bits. */
#include <eyot/coll_nb.h>

#include "coll/call.h"
#include "coll/gen.h"
#include "coll/global.h"
#include "coll/quick.h"
#include "coll/round.h"
#include "coll/several.h"
#include "coll/wide.h"
#include "rma/op.h"

/* Completes the call, whose arguments are as the caller gave them. *why: the error in them. */
static EYOTI_APART int reduce_complete(struct eyot_rt *rt, eyot_team_t team,
                                       struct eyoti_coll_call *c, struct eyoti_team **out,
                                       int *why) {
  struct eyoti_coll_args *a = &c->args;
  bool everywhere = a->function == EYOTI_COLL_ALLREDUCE; /* its root is 0 */
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  int refused = eyoti_coll_combiner(rt, t, a);
  uint64_t width = a->combiner.width, element = eyoti_combiner_element(&a->combiner);
  bool wanted = everywhere || t->me == a->root;
  if (refused == EYOT_OK) refused = eyoti_coll_check_root(t, a->root);
  if (refused == EYOT_OK)
    refused = eyoti_coll_check_elements(c->in, c->out, wanted, a->count, element);
  if (refused == EYOT_OK) refused = eyoti_wide_check(&a->combiner, a->count, 1);
  if (refused == EYOT_OK) a->bytes = a->count * width;
  c->gen = everywhere ? eyoti_gen_allreduce_binomial : eyoti_gen_reduce_binomial;
  c->round_bytes = eyoti_round_levels(t->size, width);
  uint64_t bytes = eyoti_wide_caller(&a->combiner, a->bytes); /* in the caller's buffers */
  if (refused == EYOT_OK && wanted)
    refused = eyoti_several_overlap(c->in, bytes, c->out, bytes, c->in);
  c->reads = bytes;
  c->writes = wanted ? bytes : 0;
  c->seen_bytes = a->count * element;
  *why = refused;
  *out = t;
  return EYOT_OK;
}

static int reduce_values(struct eyot_rt *rt, eyot_team_t team, struct eyoti_coll_call *c,
                         struct eyoti_coll_how how) {
  struct eyoti_team *t;
  int refused;
  EYOTI_TRY(reduce_complete(rt, team, c, &t, &refused));
  return eyoti_coll_do(rt, t, c, refused, how);
}

int eyoti_coll_do_reduce(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t root, eyot_type_t type,
                         eyot_op_t op, const void *send, void *recv, uint64_t n,
                         struct eyoti_coll_how how) {
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_REDUCE, .root = root.id, .type = type, .op = op, .count = n},
      .in = send,
      .out = recv};
  return reduce_values(rt, team, &c, how);
}
int eyoti_coll_do_allreduce(struct eyot_rt *rt, eyot_team_t team, eyot_type_t type, eyot_op_t op,
                            const void *send, void *recv, uint64_t n, struct eyoti_coll_how how) {
  struct eyoti_coll_call c = {
      .args = {.function = EYOTI_COLL_ALLREDUCE, .type = type, .op = op, .count = n},
      .in = send,
      .out = recv};
  return reduce_values(rt, team, &c, how);
}

int eyot_reduce(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                const void *send, void *recv, uint64_t n) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_REDUCE, root.id, type, op, n, send, recv);
  return eyoti_coll_do_reduce(rt, team, root, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_reduce_nb(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                   const void *send, void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_reduce(rt, team, root, type, op, send, recv, n,
                              EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_reduce_plan(eyot_team_t team, eyot_tunit_t root, eyot_type_t type, eyot_op_t op,
                     const void *send, void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_reduce(rt, team, root, type, op, send, recv, n,
                              EYOTI_HOW(PERSISTENT, handle));
}

int eyot_allreduce(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send, void *recv,
                   uint64_t n) {
  EYOTI_ENTER(rt);
  EYOTI_QUICK(rt, team, EYOTI_COLL_ALLREDUCE, 0, type, op, n, send, recv);
  return eyoti_coll_do_allreduce(rt, team, type, op, send, recv, n, EYOTI_HOW(BLOCKING, NULL));
}
int eyot_allreduce_nb(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                      void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_allreduce(rt, team, type, op, send, recv, n, EYOTI_HOW(NONBLOCKING, handle));
}
int eyot_allreduce_plan(eyot_team_t team, eyot_type_t type, eyot_op_t op, const void *send,
                        void *recv, uint64_t n, eyot_coll_t *handle) {
  EYOTI_ENTER(rt);
  return eyoti_coll_do_allreduce(rt, team, type, op, send, recv, n, EYOTI_HOW(PERSISTENT, handle));
}
