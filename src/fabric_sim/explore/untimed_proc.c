/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_proc.c - the processes of a run: offers and withdraws them, draws choices, and records
 * how a step fails the run. See untimed.h. */
#include "fabric_sim/explore/untimed_proc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/wording.h"

#define FIRST_CAP 256u

void *sim_untimed_reserve(void *array, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return array;
  *cap = *cap == 0 ? FIRST_CAP : *cap * 2;
  array = realloc(array, *cap * size);
  if (array == NULL) eyoti_no_memory(*cap * size, "%u elements of a run; lower --max-run", *cap);
  return array;
}

/* Records that the current step has made or woken the process. */
static void note_woke(struct sim_world *w, uint32_t proc) {
  struct sim_untimed_run *r = w->untimed->run;
  if ((!w->untimed->record && w->untimed->step_report == NULL) ||
      r->stepping == SIM_UNTIMED_NO_PROC)
    return;
  r->woke = sim_untimed_reserve(r->woke, r->n_woke, &r->woke_cap, sizeof *r->woke);
  r->woke[r->n_woke++] = proc;
}

uint32_t sim_untimed_new_proc(struct sim_world *w, bool unit, uint32_t index, uint32_t part) {
  struct sim_untimed_run *r = w->untimed->run;
  r->procs = sim_untimed_reserve(r->procs, r->n_procs, &r->procs_cap, sizeof *r->procs);
  r->procs[r->n_procs] = (struct sim_proc){.index = index, .part = (uint8_t)part, .unit = unit};
  note_woke(w, r->n_procs);
  return r->n_procs++;
}

void sim_untimed_offer(struct sim_world *w, uint32_t proc, bool yields) {
  struct sim_untimed_run *r = w->untimed->run;
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

void sim_untimed_take(struct sim_untimed_run *r, uint32_t i) {
  r->procs[r->offers[i]].offered = false;
  r->n_offers--;
  memmove(&r->offers[i], &r->offers[i + 1], (r->n_offers - i) * sizeof *r->offers);
  memmove(&r->yields[i], &r->yields[i + 1], (r->n_offers - i) * sizeof *r->yields);
}

void sim_untimed_withdraw(struct sim_world *w, uint32_t proc) {
  struct sim_untimed_run *r = w->untimed->run;
  if (!r->procs[proc].offered) return;
  uint32_t i = r->n_offers - 1;
  while (r->offers[i] != proc) i--;
  sim_untimed_take(r, i);
}

uint32_t sim_untimed_draw(struct sim_world *w, uint32_t bound) {
  struct sim_untimed *c = w->untimed;
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
  struct sim_untimed *c = w->untimed;
  if (!c->failed) {
    va_list ap;
    va_start(ap, format);
    eyoti_vsnprintf(c->text, sizeof c->text, format, ap);
    va_end(ap);
    if (c->break_at != 0) sim_untimed_break(c->text);
  }
  c->failed = true;
  sim_world_stop(w, 1);
}

void sim_untimed_crashed(struct sim_world *w, const char *text) {
  struct sim_untimed *c = w->untimed;
  if (c == NULL || !c->can_escape) return;
  sim_untimed_failed(w, "%s", c->reads != NULL ? c->reads : text);
  c->reads = NULL;
  siglongjmp(c->escape, 1);
}
