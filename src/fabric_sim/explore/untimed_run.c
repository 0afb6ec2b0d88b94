/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_run.c - one run without time: offers, picks, steps. See untimed.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/explore/step_report.h"
#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"
#include "fabric_sim/report/report.h"

#define FIRST_CAP 256u
/* what a unit's steps do to its own memory: neither an address / 8 nor another number of what is no
 * memory */
#define OWN ((UINT64_C(1) << 62) + (UINT64_C(1) << 32))

/* An array with room for one more element. */
void *sim_untimed_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  array = realloc(array, *cap * size);
  if (array == NULL) EYOTI_PANIC("no memory for %u elements of a run", *cap);
  return array;
}

int sim_untimed_run_new(struct sim_world *w, struct sim_untimed *c) {
  struct sim_untimed_run *r = calloc(1, sizeof *r);
  if (r == NULL || (r->units = calloc(w->n, sizeof *r->units)) == NULL ||
      (r->detect = sim_detect_new(w->n)) == NULL) {
    sim_untimed_run_delete(r);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the schedules of %u units", w->n);
  }
  c->run = r;
  w->check = c;
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

/* The step that is being taken has made or woken the process. */
static void note_woke(struct sim_world *w, uint32_t proc) {
  struct sim_untimed_run *r = w->check->run;
  if ((!w->check->record && w->check->step_report == NULL) || r->stepping == SIM_UNTIMED_NO_PROC)
    return;
  r->woke = sim_untimed_reserve(r->woke, r->n_woke, &r->woke_cap, sizeof *r->woke);
  r->woke[r->n_woke++] = proc;
}

uint32_t sim_untimed_new_proc(struct sim_world *w, bool unit, uint32_t index, uint32_t part) {
  struct sim_untimed_run *r = w->check->run;
  r->procs = sim_untimed_reserve(r->procs, r->n_procs, &r->procs_cap, sizeof *r->procs);
  r->procs[r->n_procs] = (struct sim_proc){.index = index, .part = (uint8_t)part, .unit = unit};
  note_woke(w, r->n_procs);
  return r->n_procs++;
}

void sim_untimed_offer(struct sim_world *w, uint32_t proc, bool yields) {
  struct sim_untimed_run *r = w->check->run;
  struct sim_proc *p = &r->procs[proc];
  p->yields = yields;
  if (p->offered) {
    for (uint32_t i = r->n_offers; i-- > 0;)
      if (r->offers[i] == proc) r->yields[i] = yields;
    return;
  }
  p->offered = true;
  if (r->n_offers == r->offers_cap) {
    uint32_t cap = r->offers_cap;
    r->offers = sim_untimed_reserve(r->offers, r->n_offers, &r->offers_cap, sizeof *r->offers);
    r->yields = sim_untimed_reserve(r->yields, r->n_offers, &cap, sizeof *r->yields);
  }
  r->offers[r->n_offers] = proc;
  r->yields[r->n_offers++] = yields;
  note_woke(w, proc);
}

static void remove_at(struct sim_untimed_run *r, uint32_t i) {
  r->procs[r->offers[i]].offered = false;
  r->n_offers--;
  memmove(&r->offers[i], &r->offers[i + 1], (r->n_offers - i) * sizeof *r->offers);
  memmove(&r->yields[i], &r->yields[i + 1], (r->n_offers - i) * sizeof *r->yields);
}

void sim_untimed_withdraw(struct sim_world *w, uint32_t proc) {
  struct sim_untimed_run *r = w->check->run;
  if (!r->procs[proc].offered) return;
  uint32_t i = r->n_offers - 1;
  while (r->offers[i] != proc) i--;
  remove_at(r, i);
}

void sim_untimed_touch_id(struct sim_world *w, uint64_t id, bool write) {
  struct sim_untimed_run *r = w->check->run;
  if (!w->check->record) return;
  r->accesses =
      sim_untimed_reserve(r->accesses, r->n_accesses, &r->accesses_cap, sizeof *r->accesses);
  r->accesses[r->n_accesses++] = (struct chk_access){id, write};
}

void sim_untimed_touch_own(struct sim_world *w, uint32_t unit, bool write) {
  sim_untimed_touch_id(w, OWN + unit, write);
}

void sim_untimed_touch(struct sim_world *w, const void *p, uint64_t len, bool write) {
  if (!w->check->record) return;
  uintptr_t a = (uintptr_t)p;
  for (uint64_t word = a / 8; word <= (a + len - 1) / 8; word++)
    sim_untimed_touch_id(w, word, write);
}

uint32_t sim_untimed_draw(struct sim_world *w, uint32_t bound) {
  struct sim_untimed *c = w->check;
  if (bound < 2 || c->strategy == NULL) return 0;
  uint32_t value = c->strategy->ops->draw(c->strategy, bound);
  EYOTI_ASSERT(value < bound);
  chk_stream_add(&c->choices, value, bound);
  return value;
}

__attribute__((noinline)) void sim_untimed_break(const char *why) {
  __asm__ volatile("" ::"r"(why) : "memory");
}

void sim_untimed_failed(struct sim_world *w, const char *format, ...) {
  struct sim_untimed *c = w->check;
  if (!c->failed) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(c->text, sizeof c->text, format, ap);
    va_end(ap);
    if (c->break_at != 0) sim_untimed_break(c->text);
  }
  c->failed = true;
  sim_world_stop(w, 1);
}

void sim_untimed_crashed(struct sim_world *w, const char *text) {
  struct sim_untimed *c = w->check;
  if (c == NULL || !c->can_escape) return;
  sim_untimed_failed(w, "%s", c->reads != NULL ? c->reads : text);
  c->reads = NULL;
  siglongjmp(c->escape, 1);
}

static void check_invariants(struct sim_world *w) {
  const struct sim_untimed_run *r = w->check->run;
  for (uint32_t i = 0; i < r->n_invariants; i++) {
    const struct sim_untimed_invariant *v = &r->invariants[i];
    if (v->fn(v->arg) == 0)
      sim_untimed_failed(w, "invariant \"%s\" of unit %u does not hold", v->name, v->unit);
  }
}

/* Asks the strategy which offer is taken up. Before the first run: the oldest that does not only
 * poll. */
static uint32_t pick(struct sim_world *w) {
  struct sim_untimed *c = w->check;
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

/* Of the trace hash: who took the step, and what it was. */
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
  sim_trace_event(&w->trace, w->now_ps, SIM_EV_DELIVER, op->origin, op->target, op->off + p->part);
  (void)who;
}

static void untimed_step(struct sim_world *w, uint32_t i) {
  struct sim_untimed *c = w->check;
  struct sim_untimed_run *r = c->run;
  uint32_t who = r->offers[i];
  struct sim_proc *p = &r->procs[who];
  r->stepping = who;
  r->n_accesses = r->n_woke = 0;
  remove_at(r, i);
  if (!c->fine) w->now_ps += SIM_PS_PER_NS;
  trace(w, who, p);
  if (c->step_report != NULL) sim_step_report_before(w, who);
  if (r->steps == c->break_at) sim_untimed_break("before the step that fails");
  if (p->unit) {
    struct sim_unit *u = &w->units[p->index];
    sim_untimed_touch_own(w, p->index, true);
    sim_unit_run(u);
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
  struct sim_untimed *c = w->check;
  struct sim_untimed_run *r = c->run;
  r->stepping = SIM_UNTIMED_NO_PROC;
  /* a unit has crashed; it is not to be run again, nor looked at */
  if (sigsetjmp(c->escape, 1) != 0) {
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
      sim_untimed_failed(w, "deadlock: nobody can go on");
      break;
    }
    if (r->steps == c->max_steps) {
      how = CHK_BOUND;
      if (!c->livelock) break;
      sim_report_livelock(w);
      sim_untimed_failed(w, "livelock: no end within %llu steps", (unsigned long long)c->max_steps);
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
  if (w->stop && !c->failed) sim_untimed_failed(w, "a unit ended with code %d", w->exit_code);
  if (w->failed > 0 && !c->failed)
    sim_untimed_failed(w, "%u units ended with a code other than 0", w->failed);
  return c->failed ? CHK_FAILED : how;
}
