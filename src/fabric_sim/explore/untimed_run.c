/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_run.c - the main loop of the untimed engine: one run of offers, picks and steps. See
 * untimed.h. */
#include "fabric_sim/explore/untimed_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed_engine.h"
#include "fabric_sim/explore/untimed_fault.h"
#include "fabric_sim/explore/untimed_op.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_tso.h"
#include "fabric_sim/report/report.h"

int sim_untimed_run_new(struct sim_world *w, struct sim_untimed *c) {
  struct sim_untimed_run *r = calloc(1, sizeof *r);
  if (r == NULL || (r->units = calloc(w->n, sizeof *r->units)) == NULL ||
      (r->detect = sim_detect_new(w->n)) == NULL) {
    sim_untimed_run_delete(r);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the schedules of %u units", w->n);
  }
  c->run = r;
  w->untimed = c;
  w->engine = &sim_untimed_engine;
  for (uint32_t i = 0; i < w->n; i++) {
    uint32_t proc = sim_untimed_new_proc(w, true, i, 0);
    EYOTI_ASSERT(proc == i);
    sim_untimed_offer(w, proc, false);
  }
  return EYOT_OK;
}

void sim_untimed_run_delete(struct sim_untimed_run *r) {
  if (r == NULL) return;
  free(r->procs);
  free(r->offers);
  free(r->yields);
  free(r->units);
  free(r->accesses);
  free(r->woke);
  sim_detect_delete(r->detect);
  free(r);
}

static void check_invariants(struct sim_world *w) {
  const struct sim_untimed_run *r = w->untimed->run;
  for (uint32_t i = 0; i < r->n_invariants; i++) {
    const struct sim_untimed_invariant *v = &r->invariants[i];
    if (v->fn(v->arg) == 0)
      sim_untimed_failed(w, "invariant \"%s\" of unit %u does not hold", v->name, v->unit);
  }
}

/* Asks the strategy which offer to pick. Before the first run: the oldest that does not only
 * poll. */
static uint32_t pick(struct sim_world *w) {
  struct sim_untimed *c = w->untimed;
  const struct sim_untimed_run *r = c->run;
  if (c->strategy == NULL) {
    uint32_t i = 0;
    while (i < r->n_offers - 1 && r->yields[i]) i++;
    return i;
  }
  uint32_t i = c->strategy->ops->pick(c->strategy, r->offers, r->yields, r->n_offers);
  EYOTI_ASSERT(i < r->n_offers || i == CHK_STOP);
  if (i != CHK_STOP && r->n_offers > 1) chk_stream_add(&c->choices, i, r->n_offers);
  return i;
}

/* Adds the step to the trace hash: its process and kind. */
static void trace(struct sim_world *w, uint32_t who, const struct sim_proc *p) {
  if (p->unit || p->store) {
    sim_trace_event(&w->trace, w->now_ps, p->unit ? SIM_EV_WAKE : SIM_EV_LAND, p->index, 0, 0);
    return;
  }
  if (p->strike) {
    sim_trace_event(&w->trace, w->now_ps, SIM_EV_FAULT, p->index, 0, 0);
    return;
  }
  const struct sim_op *op = sim_pool_at(&w->pool, p->index);
  sim_trace_event(&w->trace, w->now_ps, SIM_EV_DELIVER, op->origin, op->target,
                  sim_seg_trace_off(w, op->target, op->seg, op->off) + p->part);
  (void)who;
}

/* Adds the step to the trace, and notes whether it is that of the recorded failure. */
static void note_step(struct sim_world *w, uint32_t who, const struct sim_proc *p) {
  struct sim_untimed *c = w->untimed;
  trace(w, who, p);
  if (c->awaited != 0 && w->trace.hash == c->awaited) c->awaited_came = true;
}

static void report_strike(struct sim_world *w, uint32_t proc) {
  char what[SIM_FAULT_WHAT];
  uint32_t unit = sim_untimed_fault_text(w, proc, what);
  sim_step_report_strike(w, unit, what);
}

/* Whether an operation of the unit has still to read its source or to write its result. A put whose
 * source has been read cares for the unit's memory no more. */
static bool uses_buffers(const struct sim_unit *u) {
  if (u->listed == 0 || !u->world->untimed->record) return u->listed > 0;
  for (const struct sim_op *op = u->head; op != NULL; op = sim_inflight_next(u, NULL, op)) {
    if (op->unread || (sim_op_has_result(op) && (op->flags & SIM_F_DELIVERED) == 0)) return true;
  }
  return false;
}

/* A step of a unit may access the buffers of its operations that are in flight, or have arrived
 * since its last step; the search must know. Without any, a step that polls changes nothing. */
static void touch_buffers(struct sim_unit *u) {
  struct sim_untimed_unit *cu = sim_untimed_unit_of(u);
  bool uses = uses_buffers(u);
  if (cu->left_ops || uses) sim_untimed_touch_own(u->world, u->fab.me, true);
  cu->left_ops = uses;
}

static void untimed_step(struct sim_world *w, uint32_t i) {
  struct sim_untimed *c = w->untimed;
  struct sim_untimed_run *r = c->run;
  uint32_t who = r->offers[i];
  struct sim_proc *p = &r->procs[who];
  r->stepping = who;
  r->n_accesses = r->n_woke = 0;
  sim_untimed_take(r, i);
  if (!c->fine) w->now_ps += SIM_PS_PER_NS;
  note_step(w, who, p);
  if (c->step_report != NULL && p->strike)
    report_strike(w, who);
  else if (c->step_report != NULL)
    sim_step_report_before(w, who);
  if (r->steps == c->break_at) sim_untimed_break("before the step that fails");
  if (p->unit) {
    struct sim_unit *u = &w->units[p->index];
    touch_buffers(u);
    sim_unit_run(u);
    touch_buffers(u);
    if (w->faults != NULL) sim_untimed_fault_stepped(u);
  } else if (p->strike) {
    p->over = true;
    sim_untimed_fault_strike(w, who);
    check_invariants(w);
  } else {
    p->over = true;
    if (p->store)
      sim_untimed_tso_drain(w, who);
    else
      sim_untimed_arrive(w, who);
    check_invariants(w);
  }
  if (c->step_report != NULL) sim_step_report_after(w);
  if (c->record && c->strategy != NULL) {
    const struct chk_step s = {.who = who,
                               .n_accesses = r->n_accesses,
                               .n_woke = r->n_woke,
                               .accesses = r->accesses,
                               .woke = r->woke};
    c->strategy->ops->did(c->strategy, &s);
  }
  r->stepping = SIM_UNTIMED_NO_PROC;
}

enum chk_end sim_untimed_go(struct sim_world *w) {
  struct sim_untimed *c = w->untimed;
  struct sim_untimed_run *r = c->run;
  r->stepping = SIM_UNTIMED_NO_PROC;
  /* a unit has crashed; it is neither run again nor examined */
  if (sigsetjmp(c->escape, 1) != 0) {
    eyot_current = eyoti_rt_idle(); /* its own goes with the run */
    c->can_escape = false;
    c->steps += r->steps;
    return CHK_FAILED;
  }
  c->can_escape = true;
  if (w->faults != NULL && c->strategy != NULL) sim_untimed_fault_begin(w);
  c->watch.struck = false;
  enum chk_end how = CHK_PASSED;
  while (!w->stop && w->ended + r->at_end < w->n && r->at_begin < w->n) {
    if (r->n_offers == 0 || (w->faults != NULL && sim_untimed_fault_only(w))) {
      if (w->faults != NULL && sim_fault_release(w)) continue;
      if ((c->detect & FAB_DETECT_DEADLOCK) == 0) break;
      sim_report_deadlock(w);
      if (c->step_report != NULL) sim_step_report_standstill(w);
      sim_untimed_failed(w, "deadlock: no unit can continue");
      break;
    }
    if (r->steps == c->max_steps) {
      how = CHK_BOUND;
      if (!c->livelock) break;
      sim_report_livelock(w, "--max-run", r->steps);
      sim_untimed_failed(w, "livelock: no end within %" PRIu64 " steps", c->max_steps);
      break;
    }
    if (w->faults != NULL) sim_untimed_fault_last(w);
    uint32_t i = pick(w);
    if (i == CHK_STOP) {
      how = CHK_PRUNED;
      break;
    }
    r->steps++;
    c->watch.steps++;
    untimed_step(w, i);
  }
  c->can_escape = false;
  c->steps += r->steps;
  c->ended_only = !c->failed;
  if (w->stop && w->exit_code != 0 && !c->failed)
    sim_untimed_failed(w, "a unit ended with code %d", w->exit_code);
  if (w->failed > 0 && !c->failed)
    sim_untimed_failed(w, "%u units ended with a code other than 0", w->failed);
  return c->failed ? CHK_FAILED : how;
}
