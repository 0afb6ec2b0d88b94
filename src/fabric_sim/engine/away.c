/* SPDX-License-Identifier: BSD-3-Clause */
/* away.c - operations that need the processor of their target. See away.h. */
#include "fabric_sim/engine/away.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"

int sim_away_open(struct sim_world *w) {
  if (!sim_net_needs_targets(w->net, &w->targets)) return EYOT_OK;
  w->away = calloc(w->n, sizeof *w->away);
  if (w->away == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the processors of %u units", w->n);
  w->slips = true;
  return EYOT_OK;
}

/* Its times, which only grow. */
static void put_off(struct sim_world *w, struct sim_op *op, uint64_t at_ps) {
  struct sim_unit *u = &w->units[op->origin];
  op->target_at = at_ps;
  if (sim_flow_is_open(op)) return; /* a get whose response has not been sent */
  op->done_at += at_ps - w->now_ps;
  if ((op->flags & SIM_F_LISTED) != 0) sim_inflight_timed(u, sim_inflight_held(u, op), op);
}

/* Messages of the runtime come to a target that waits for them. */
static uint64_t serve_ps(const struct sim_world *w, const struct sim_op *op) {
  const struct sim_net_targets *t = &w->targets;
  if (op->kind == SIM_OP_AMO) return t->serve_amo_ps;
  if (op->kind != SIM_OP_SIGNAL) return t->serve_ps;
  if (sim_op_is_message(op)) return 0;
  return t->serve_amo_ps + (op->len > 0 ? t->serve_ps : 0);
}

/* Returns when the operation takes effect. The prices of its way and of the target's NIC (rx, gap)
 * contain what a processor does that has nothing else to do. */
static uint64_t turn_ps(const struct sim_world *w, const struct sim_op *op) {
  const struct sim_unit *u = &w->units[op->target];
  struct sim_away *t = &w->away[op->target];
  bool works = w->now_ps < (t->waits ? t->work_ps : u->local_ps);
  uint64_t takes_ps = works ? serve_ps(w, op) : 0, at_ps = w->now_ps;
  t->lost_ps += takes_ps;
  if (w->targets.in_call && t->until_ps > at_ps) at_ps = t->until_ps;
  if (t->busy_ps + takes_ps > at_ps) at_ps = t->busy_ps + takes_ps;
  if (t->busy_ps == at_ps) at_ps++;
  if (at_ps > w->now_ps || takes_ps > 0) t->busy_ps = at_ps;
  return at_ps;
}

bool sim_away_holds_part(const struct sim_world *w, const struct sim_op *op) {
  const struct sim_away *t = &w->away[op->target];
  if (op->by_memory) return false;
  return t->busy_ps >= w->now_ps || (w->targets.in_call && t->until_ps > w->now_ps);
}

bool sim_away_arrives(struct sim_world *w, struct sim_op *op) {
  if (op->by_memory || op->held_off) return false;
  uint64_t at_ps = turn_ps(w, op);
  if (at_ps == w->now_ps) return false;
  op->held_off = true;
  put_off(w, op, at_ps);
  sim_world_push(w, at_ps, SIM_EV_DELIVER, op->index);
  return true;
}

uint64_t sim_away_first_ps(const struct sim_world *w, const struct sim_op *op) {
  struct sim_away *o = &w->away[op->origin];
  if (op->by_memory || o->began || (op->kind == SIM_OP_SIGNAL && sim_op_is_message(op))) return 0;
  o->began = true;
  return w->targets.first_ps;
}
