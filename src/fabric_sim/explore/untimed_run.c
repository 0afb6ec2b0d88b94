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
void *fs_check_room(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  array = realloc(array, *cap * size);
  if (array == NULL) EYOTI_PANIC("no memory for %u elements of a run", *cap);
  return array;
}

int fs_check_run_new(struct fs_world *w, struct fs_check *c) {
  struct fs_check_run *r = calloc(1, sizeof *r);
  if (r == NULL || (r->units = calloc(w->n, sizeof *r->units)) == NULL ||
      (r->detect = fs_detect_new(w->n)) == NULL) {
    fs_check_run_delete(r);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the schedules of %u units", w->n);
  }
  c->run = r;
  w->check = c;
  for (uint32_t i = 0; i < w->n; i++) {
    uint32_t proc = fs_check_new_proc(w, true, i, 0);
    EYOTI_ASSERT(proc == i);
    fs_check_offer(w, proc, false);
  }
  return EYOT_OK;
}

void fs_check_run_delete(struct fs_check_run *r) {
  if (r == NULL) return;
  free(r->procs);
  free(r->offers);
  free(r->yields);
  free(r->units);
  free(r->accesses);
  free(r->woke);
  fs_detect_delete(r->detect);
  free(r);
}

/* The step that is being taken has made or woken the process. */
static void note_woke(struct fs_world *w, uint32_t proc) {
  struct fs_check_run *r = w->check->run;
  if ((!w->check->record && w->check->tell == NULL) || r->stepping == FS_CHECK_NO_PROC) return;
  r->woke = fs_check_room(r->woke, r->n_woke, &r->woke_cap, sizeof *r->woke);
  r->woke[r->n_woke++] = proc;
}

uint32_t fs_check_new_proc(struct fs_world *w, bool unit, uint32_t index, uint32_t part) {
  struct fs_check_run *r = w->check->run;
  r->procs = fs_check_room(r->procs, r->n_procs, &r->procs_cap, sizeof *r->procs);
  r->procs[r->n_procs] = (struct fs_proc){.index = index, .part = (uint8_t)part, .unit = unit};
  note_woke(w, r->n_procs);
  return r->n_procs++;
}

void fs_check_offer(struct fs_world *w, uint32_t proc, bool yields) {
  struct fs_check_run *r = w->check->run;
  struct fs_proc *p = &r->procs[proc];
  p->yields = yields;
  if (p->offered) {
    for (uint32_t i = r->n_offers; i-- > 0;)
      if (r->offers[i] == proc) r->yields[i] = yields;
    return;
  }
  p->offered = true;
  if (r->n_offers == r->offers_cap) {
    uint32_t cap = r->offers_cap;
    r->offers = fs_check_room(r->offers, r->n_offers, &r->offers_cap, sizeof *r->offers);
    r->yields = fs_check_room(r->yields, r->n_offers, &cap, sizeof *r->yields);
  }
  r->offers[r->n_offers] = proc;
  r->yields[r->n_offers++] = yields;
  note_woke(w, proc);
}

static void remove_at(struct fs_check_run *r, uint32_t i) {
  r->procs[r->offers[i]].offered = false;
  r->n_offers--;
  memmove(&r->offers[i], &r->offers[i + 1], (r->n_offers - i) * sizeof *r->offers);
  memmove(&r->yields[i], &r->yields[i + 1], (r->n_offers - i) * sizeof *r->yields);
}

void fs_check_withdraw(struct fs_world *w, uint32_t proc) {
  struct fs_check_run *r = w->check->run;
  if (!r->procs[proc].offered) return;
  uint32_t i = r->n_offers - 1;
  while (r->offers[i] != proc) i--;
  remove_at(r, i);
}

void fs_check_touch_id(struct fs_world *w, uint64_t id, bool write) {
  struct fs_check_run *r = w->check->run;
  if (!w->check->record) return;
  r->accesses = fs_check_room(r->accesses, r->n_accesses, &r->accesses_cap, sizeof *r->accesses);
  r->accesses[r->n_accesses++] = (struct ec_access){id, write};
}

void fs_check_touch_own(struct fs_world *w, uint32_t unit, bool write) {
  fs_check_touch_id(w, OWN + unit, write);
}

void fs_check_touch(struct fs_world *w, const void *p, uint64_t len, bool write) {
  if (!w->check->record) return;
  uintptr_t a = (uintptr_t)p;
  for (uint64_t word = a / 8; word <= (a + len - 1) / 8; word++) fs_check_touch_id(w, word, write);
}

uint32_t fs_check_draw(struct fs_world *w, uint32_t bound) {
  struct fs_check *c = w->check;
  if (bound < 2 || c->strategy == NULL) return 0;
  uint32_t value = c->strategy->ops->draw(c->strategy, bound);
  EYOTI_ASSERT(value < bound);
  ec_stream_add(&c->choices, value, bound);
  return value;
}

__attribute__((noinline)) void fs_check_break(const char *why) {
  __asm__ volatile("" ::"r"(why) : "memory");
}

void fs_check_failed(struct fs_world *w, const char *format, ...) {
  struct fs_check *c = w->check;
  if (!c->failed) {
    va_list ap;
    va_start(ap, format);
    vsnprintf(c->text, sizeof c->text, format, ap);
    va_end(ap);
    if (c->break_at != 0) fs_check_break(c->text);
  }
  c->failed = true;
  fs_world_stop(w, 1);
}

void fs_check_crashed(struct fs_world *w, const char *text) {
  struct fs_check *c = w->check;
  if (c == NULL || !c->can_escape) return;
  fs_check_failed(w, "%s", c->reads != NULL ? c->reads : text);
  c->reads = NULL;
  siglongjmp(c->escape, 1);
}

static void check_invariants(struct fs_world *w) {
  const struct fs_check_run *r = w->check->run;
  for (uint32_t i = 0; i < r->n_invariants; i++) {
    const struct fs_check_invariant *v = &r->invariants[i];
    if (v->fn(v->arg) == 0)
      fs_check_failed(w, "invariant \"%s\" of unit %u does not hold", v->name, v->unit);
  }
}

/* Asks the strategy which offer is taken up. Before the first run: the oldest that does not only
 * poll. */
static uint32_t pick(struct fs_world *w) {
  struct fs_check *c = w->check;
  const struct fs_check_run *r = c->run;
  if (c->strategy == NULL) {
    uint32_t i = 0;
    while (i < r->n_offers - 1 && r->yields[i]) i++;
    return i;
  }
  uint32_t i = c->strategy->ops->pick(c->strategy, r->offers, r->yields, r->n_offers);
  EYOTI_ASSERT(i < r->n_offers || i == EC_STOP);
  if (i != EC_STOP && r->n_offers > 1) ec_stream_add(&c->choices, i, r->n_offers);
  return i;
}

/* Of the trace hash: who took the step, and what it was. */
static void trace(struct fs_world *w, uint32_t who, const struct fs_proc *p) {
  if (p->unit || p->store) {
    fs_trace_event(&w->trace, w->now_ps, p->unit ? FS_EV_WAKE : FS_EV_LAND, p->index, 0, 0);
    return;
  }
  if (p->strike) {
    fs_trace_event(&w->trace, w->now_ps, FS_EV_FAULT, p->index, 0, 0);
    return;
  }
  const struct fs_op *op = fs_pool_at(&w->pool, p->index);
  fs_trace_event(&w->trace, w->now_ps, FS_EV_DELIVER, op->origin, op->target, op->off + p->part);
  (void)who;
}

static void step(struct fs_world *w, uint32_t i) {
  struct fs_check *c = w->check;
  struct fs_check_run *r = c->run;
  uint32_t who = r->offers[i];
  struct fs_proc *p = &r->procs[who];
  r->stepping = who;
  r->n_accesses = r->n_woke = 0;
  remove_at(r, i);
  if (!c->fine) w->now_ps += FS_PS_PER_NS;
  trace(w, who, p);
  if (c->tell != NULL) fs_check_tell_step(w, who);
  if (r->steps == c->break_at) fs_check_break("before the step that fails");
  if (p->unit) {
    struct fs_unit *u = &w->units[p->index];
    fs_check_touch_own(w, p->index, true);
    fs_unit_run(u);
    if (w->faults != NULL) fs_check_fault_stepped(u);
  } else if (p->strike) {
    p->over = true;
    fs_check_fault_strike(w, who);
    check_invariants(w);
  } else {
    p->over = true;
    if (p->store)
      fs_check_tso_drain(w, who);
    else
      fs_check_arrive(w, who);
    check_invariants(w);
  }
  if (c->tell != NULL) fs_check_tell_did(w);
  if (c->record && c->strategy != NULL) {
    const struct ec_step s = {.who = who,
                              .n_accesses = r->n_accesses,
                              .n_woke = r->n_woke,
                              .accesses = r->accesses,
                              .woke = r->woke};
    c->strategy->ops->did(c->strategy, &s);
  }
  r->stepping = FS_CHECK_NO_PROC;
}

enum ec_end fs_check_go(struct fs_world *w) {
  struct fs_check *c = w->check;
  struct fs_check_run *r = c->run;
  r->stepping = FS_CHECK_NO_PROC;
  /* a unit has crashed; it is not to be run again, nor looked at */
  if (sigsetjmp(c->escape, 1) != 0) {
    c->can_escape = false;
    c->steps += r->steps;
    return EC_FAILED;
  }
  c->can_escape = true;
  if (w->faults != NULL && c->strategy != NULL) fs_check_fault_begin(w);
  c->watch.struck = false;
  enum ec_end how = EC_PASSED;
  while (!w->stop && w->ended + r->at_end < w->n && r->at_begin < w->n) {
    if (r->n_offers == 0 || (w->faults != NULL && fs_check_fault_only(w))) {
      if (w->faults != NULL && fs_fault_release(w)) continue;
      if ((c->detect & FAB_DETECT_DEADLOCK) == 0) break;
      fs_report_deadlock(w);
      fs_check_failed(w, "deadlock: nobody can go on");
      break;
    }
    if (r->steps == c->max_steps) {
      how = EC_BOUND;
      if (!c->livelock) break;
      fs_report_livelock(w);
      fs_check_failed(w, "livelock: no end within %llu steps", (unsigned long long)c->max_steps);
      break;
    }
    if (w->faults != NULL) fs_check_fault_last(w);
    uint32_t i = pick(w);
    if (i == EC_STOP) {
      how = EC_PRUNED;
      break;
    }
    r->steps++;
    c->watch.steps++;
    step(w, i);
  }
  c->can_escape = false;
  c->steps += r->steps;
  c->ended_only = !c->failed;
  if (w->stop && !c->failed) fs_check_failed(w, "a unit ended with code %d", w->exit_code);
  if (w->failed > 0 && !c->failed)
    fs_check_failed(w, "%u units ended with a code other than 0", w->failed);
  return c->failed ? EC_FAILED : how;
}
