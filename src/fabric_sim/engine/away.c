/* SPDX-License-Identifier: BSD-3-Clause */
/* away.c - operations that wait until their target is in a call of eyot. See away.h. */
#include "fabric_sim/engine/away.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/engine/inflight.h"

int sim_away_open(struct sim_world *w) {
  if (!sim_net_needs_targets(w->net)) return EYOT_OK;
  w->away = calloc(w->n, sizeof *w->away);
  if (w->away == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u units that compute", w->n);
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

bool sim_away_holds(struct sim_world *w, struct sim_op *op) {
  struct sim_away *t = &w->away[op->target];
  if (op->by_memory || op->held_off) return false;
  if (t->until_ps <= w->now_ps && t->last_ps < w->now_ps) return false;
  uint64_t at_ps = t->last_ps < t->until_ps ? t->until_ps : t->last_ps + 1;
  t->last_ps = at_ps;
  op->held_off = true;
  put_off(w, op, at_ps);
  sim_world_push(w, at_ps, SIM_EV_DELIVER, op->index);
  return true;
}
