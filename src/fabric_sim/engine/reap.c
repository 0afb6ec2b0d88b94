/* SPDX-License-Identifier: BSD-3-Clause */
/* reap.c - removes finished operations from their origin's list. Declared in op_stages.h.
 *
 * It does so lazily: the engine does not need them removed at once, and the head of a list is
 * nearly always what has finished. One slow operation at the head would keep all later ones of its
 * origin; so a list that has become long is swept whole, and again when it is twice as long as what
 * remained. A flush removes what is over, from a heap if the list is long. */
#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/op_stages.h"

#define SWEEP_LOG 4u /* shorter lists are reaped at the head only */

/* Over for every unit: strictly before now, so that no event of the same instant still refers to
 * it. */
static bool is_over(const struct sim_unit *u, const struct sim_op *op) {
  return (op->flags & SIM_F_INJECTED) != 0 && op->done_at < u->world->now_ps;
}

static void reap_unlist(struct sim_unit *u, struct sim_op *op) {
  sim_inflight_remove(u, op);
  if ((op->flags & SIM_F_REQ) == 0) sim_pool_put(&u->world->pool, op);
}

/* An error that the program has not seen stays for the next flush. */
static bool has_news(const struct sim_op *op) {
  return op->err != 0 && (op->flags & SIM_F_REQ) == 0;
}

static void keep_news(struct sim_unit *u, const struct sim_op *op) {
  if (!has_news(op)) return;
  u->lost_unit = u->lost_err == 0 || u->lost_unit == op->target ? op->target : FAB_ALL;
  u->lost_set = u->lost_err == 0 || u->lost_set == op->set ? op->set : FAB_SET_ALL;
  if (u->lost_err == 0) u->lost_err = op->err;
}

void sim_reap_one(struct sim_unit *u, struct sim_op *op) {
  keep_news(u, op);
  reap_unlist(u, op);
}

void sim_reap_release(struct sim_unit *u, struct sim_op *op) {
  EYOTI_ASSERT((op->flags & SIM_F_REQ) != 0);
  op->flags &= (uint16_t)~SIM_F_REQ;
  if ((op->flags & SIM_F_LISTED) != 0) return;
  keep_news(u, op);
  sim_pool_put(&u->world->pool, op);
}

void sim_reap_head(struct sim_unit *u) {
  while (u->head != NULL && is_over(u, u->head)) sim_reap_one(u, u->head);
}

/* So each operation takes part in two sweeps for length at most. */
static void next_sweep(struct sim_unit *u) {
  u->sweep_log = SWEEP_LOG;
  while (u->listed >= 1u << (u->sweep_log - 1)) u->sweep_log++;
}

void sim_reap_all(struct sim_unit *u) {
  struct sim_op *next;
  for (struct sim_op *op = u->head; op != NULL && op != u->inject; op = next) {
    next = sim_inflight_next(u, NULL, op);
    if (is_over(u, op)) sim_reap_one(u, op);
  }
  next_sweep(u);
}

void sim_reap_over(struct sim_unit *u) {
  if (u->listed < 1u << SWEEP_LOG) {
    sim_reap_all(u);
    return;
  }
  struct sim_op *op;
  while ((op = sim_inflight_over(u, u->world->now_ps)) != NULL) sim_reap_one(u, op);
  next_sweep(u);
}

void sim_reap_retire(struct sim_unit *u, struct sim_op *op) {
  EYOTI_ASSERT((op->flags & SIM_F_REQ) != 0);
  op->flags &= (uint16_t)~SIM_F_REQ;
  op->err = 0; /* its error was returned */
  if ((op->flags & SIM_F_LISTED) == 0) sim_pool_put(&u->world->pool, op);
}

/* Of the record's operations, or (t NULL) of all. */
static void errors_of(const struct sim_unit *u, const struct sim_target *t, int *err) {
  for (struct sim_op *op = sim_inflight_first(u, t); op != NULL; op = sim_inflight_next(u, t, op)) {
    if ((op->flags & SIM_F_REQ) != 0) continue;
    if (*err == 0) *err = op->err;
    op->err = 0;
  }
}

int sim_reap_errors(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  int err = 0;
  const struct sim_target *t;
  if ((unit == FAB_ALL || u->lost_unit == FAB_ALL || u->lost_unit == unit) &&
      (u->lost_set == FAB_SET_ALL || fab_set_covers(set, u->lost_set))) {
    err = u->lost_err;
    u->lost_err = 0;
  }
  if (unit == FAB_ALL && set == FAB_SET_ALL)
    errors_of(u, NULL, &err);
  else
    for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;)
      errors_of(u, t, &err);
  return err;
}
