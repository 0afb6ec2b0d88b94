/* SPDX-License-Identifier: BSD-3-Clause */
/* timed_wait.c - how a unit waits in virtual time. See timed.h. */
#include "base/check.h"
#include "fabric_sim/engine/away.h"
#include "fabric_sim/engine/fault_ops.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/engine/timed.h"

/* Calls cost nothing where `local` is 0. Time must pass all the same, or no loop of tests would
 * end; and if it passed by 1 ps a call, to wait for a microsecond would take a million of them. So
 * in a row of such calls each takes 1/FREE_PART of what the row has taken so far, and no more than
 * on machines where it has a price. */
#define FREE_PART 256u
#define FREE_MOST_PS (10u * (uint32_t)SIM_PS_PER_NS)

void sim_timed_pass(struct sim_unit *u) {
  uint32_t row_ps = u->free_end == (uint32_t)u->local_ps ? u->free_ps : 0;
  uint32_t ps = row_ps < FREE_PART ? 1 : row_ps / FREE_PART;
  u->free_ps = row_ps < FREE_PART * FREE_MOST_PS ? row_ps + ps : row_ps;
  u->local_ps += sim_fault_own(u, ps);
  u->free_end = (uint32_t)u->local_ps;
}

void sim_timed_spend(struct sim_unit *u, uint64_t ps) {
  if (__builtin_expect(ps > 0, 1))
    u->local_ps += sim_fault_own(u, ps);
  else
    sim_timed_pass(u);
  if (__builtin_expect(u->world->away != NULL, 0)) sim_away_spends(u);
  sim_unit_yield(u);
}

static void sleep_until(struct sim_unit *u, uint64_t t_ps) {
  sim_away_waits(u, true);
  if (u->local_ps < t_ps) u->local_ps = t_ps;
  sim_unit_yield(u);
  sim_away_waits(u, false);
}

/* Returns when the operation, which the NIC has accepted, is complete at the level for a wait. */
static uint64_t complete_ps(const struct sim_op *op, enum fab_level level) {
  if (level == FAB_LOCAL || (op->flags & SIM_F_LANDS) != 0) return sim_op_local_ps(op);
  return (op->flags & SIM_F_BUFFERED) != 0 ? op->sent_ps + 1 : op->done_at;
}

/* The unit knows that the operation is complete. */
static int timed_finish(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  int err = op->err;
  if (sim_observed(u->world)) sim_observe_completed(u, op, level);
  if (level == FAB_LOCAL) return (op->flags & SIM_F_LANDS) != 0 ? err : EYOT_OK;
  /* in the store buffer: later effects of the unit must not be seen before it */
  if (op->target_at > u->world->now_ps) {
    op->flags |= SIM_F_RELEASED;
    if (u->release_ps < op->target_at) u->release_ps = op->target_at;
    sim_inflight_released(u, sim_inflight_of(u, op), op->target_at);
    if (u->world->faults != NULL && sim_fault_is_crashed(&u->world->units[op->target]))
      err = EYOT_EPEERDOWN;
  }
  sim_reap_retire(u, op);
  return err;
}

int sim_timed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level) {
  sim_unit_yield(u); /* the NIC has accepted all that the unit has posted */
  if ((op->flags & SIM_F_LANDS) == 0 && complete_ps(op, level) >= SIM_TIME_END_PS)
    sim_flow_await(u, op);
  if ((op->flags & SIM_F_LANDS) == 0) {
    do sleep_until(u, complete_ps(op, level));
    /* its target may have crashed since, or compute */
    while (__builtin_expect(u->world->slips, 0) && complete_ps(op, level) > u->world->now_ps);
  } else {
    while ((op->flags & SIM_F_LANDED) == 0) {
      u->wait_op = op;
      sim_unit_block(u, SIM_WAIT_OP);
    }
  }
  u->local_ps += sim_net_complete_ps(u->world->net);
  return timed_finish(u, op, level);
}

int sim_timed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done) {
  sim_timed_spend(u, sim_net_local_ps(u->world->net, 0));
  if (op != NULL && complete_ps(op, level) > u->world->now_ps) {
    *done = false;
    return EYOT_OK;
  }
  if (op != NULL) EYOTI_TRY(timed_finish(u, op, level));
  *done = true;
  return EYOT_OK;
}

/* Returns when everything that the flush covers is complete; 0: it is already. */
static uint64_t flushed_ps(struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                           enum fab_level level) {
  /* A full barrier: puts to units of the same node that the unit has waited for leave the store
   * buffer too, whichever unit the flush names. */
  struct sim_ends ends = sim_inflight_ends(u, set, unit);
  if (level == FAB_LOCAL) return ends.local_ps;
  uint64_t buffer_ps = u->release_ps > u->world->now_ps ? u->release_ps + 1 : 0;
  return ends.done_ps > buffer_ps ? ends.done_ps : buffer_ps;
}

int sim_timed_flush(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level) {
  /* of the unit's own memory it is a fence of the processor */
  sim_timed_spend(
      u, unit == u->fab.me ? sim_net_local_ps(u->world->net, 0) : sim_net_flush_ps(u->world->net));
  sim_flow_await_all(u, set, unit, level);
  do sleep_until(u, flushed_ps(u, set, unit, level));
  while (__builtin_expect(u->world->slips, 0) &&
         flushed_ps(u, set, unit, level) > u->world->now_ps);
  int err = sim_reap_errors(u, set, unit, level);
  if (sim_observed(u->world)) sim_observe_flushed(u, set, unit, level);
  sim_reap_over(u);
  return err;
}

/* Of the record's operations, or (t NULL) of all, back to the last order, `before`: what came
 * before that is visible before this, or marked already. */
static void order_back(struct sim_unit *u, struct sim_target *t, uint16_t mark, uint16_t before) {
  for (struct sim_op *op = sim_inflight_last(u, t); op != NULL && (op->flags & before) == 0;
       op = sim_inflight_prev(u, t, op)) {
    op->flags |= mark;
    if (sim_flow_is_open(op)) {
      sim_flow_order(u, op);
      continue;
    }
    if (op->kind == SIM_OP_GET || op->target_at < u->world->now_ps) continue;
    op->flags |= SIM_F_FENCED;
    struct sim_target *of = t != NULL ? t : sim_inflight_of(u, op);
    if (mark != SIM_F_SET_ORDERED)
      sim_inflight_before(u, of, op->target_at);
    else if (of->ordered_at < op->target_at)
      of->ordered_at = op->target_at;
  }
}

/* Orders wait for nothing; but a loop of them that looks at a word must let other units go on. */
#define ORDERS_AHEAD_PS (10000u * SIM_PS_PER_NS)

int sim_timed_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  uint64_t ps = sim_net_local_ps(u->world->net, 0);
  if (__builtin_expect(ps > 0, 1))
    u->local_ps += ps;
  else
    sim_timed_pass(u);
  bool far = u->local_ps - u->world->now_ps > u->world->lookahead_ps + ORDERS_AHEAD_PS;
  if (u->inject != NULL || far) sim_unit_yield(u); /* the times of operations must be known */
  const uint16_t all = SIM_F_ORDERED | SIM_F_ORDERED_ALL;
  if (set == FAB_SET_ALL && unit == FAB_ALL) {
    order_back(u, NULL, SIM_F_ORDERED_ALL, SIM_F_ORDERED_ALL);
    return EYOT_OK;
  }
  struct sim_target *t;
  for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;)
    if (set == FAB_SET_ALL)
      order_back(u, t, SIM_F_ORDERED, all);
    else
      order_back(u, t, SIM_F_SET_ORDERED, all | SIM_F_SET_ORDERED);
  return EYOT_OK;
}
