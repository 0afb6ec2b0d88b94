/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_fault.c - faults as choices of the strategy. See untimed_fault.h.
 *
 * Each possible victim has a number: a unit, which crashes, or a link between two nodes, which goes
 * down for good. An exhaustive search is offered each strike as a process, at every step until one
 * has been taken. For the other strategies that would strike within the first few steps of nearly
 * every run. For them the victim, and the number of steps after which it is struck, are drawn at
 * the beginning, such that each order of magnitude is equally probable; the strike is a process
 * from then on, and its effect on other units depends on when it is picked. For a unit its own
 * steps are counted, and it takes no further one; for a link those of all units. A run in which all
 * draws are 0 has no fault. */
#include "fabric_sim/explore/untimed_fault.h"

#include <stdio.h>

#include "base/wording.h"
#include "fabric_sim/explore/untimed_op.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"

#define MAGNITUDES 9u /* the last victim is struck after 2^9 - 2 steps at most */

static bool may_strike(const struct sim_faults *x, uint32_t victim) {
  return x->victim == SIM_FAULT_ANY || x->victim == victim;
}

static void offer(struct sim_world *w, uint32_t victim) {
  sim_untimed_offer(w, w->faults->first_proc + victim, false);
}

static void withdraw_all(struct sim_world *w) {
  for (uint32_t i = 0; i < w->faults->n_victims; i++)
    sim_untimed_withdraw(w, w->faults->first_proc + i);
}

/* -- links, numbered: between each two nodes, which are known by the first of their units ------ */

static bool is_first(const struct sim_world *w, uint32_t unit) {
  for (uint32_t i = 0; i < unit; i++)
    if (sim_net_same_node(w->net, i, unit)) return false;
  return true;
}

/* Sets the ends of link `number`; returns the number of links if there is no such link. */
static uint32_t find_link(const struct sim_world *w, uint32_t number, uint32_t ends[2]) {
  const struct sim_fault *f = w->faults->choice;
  uint32_t n = 0;
  for (uint32_t b = 1; f->unit == SIM_FAULT_ANY && b < w->n; b++) {
    if (!is_first(w, b)) continue;
    for (uint32_t a = 0; a < b; a++) {
      if (!is_first(w, a)) continue;
      ends[0] = a;
      ends[1] = b;
      if (n++ == number) return n;
    }
  }
  if (f->unit == SIM_FAULT_ANY) return n;
  ends[0] = f->unit;
  ends[1] = f->other;
  return 1;
}

/* -- the choice -------------------------------------------------------------------------------- */

/* Draws the victim, and the step after which it is struck. */
static void fault_draw(struct sim_world *w) {
  struct sim_faults *x = w->faults;
  bool one = x->victim != SIM_FAULT_ANY;
  uint32_t whose = sim_untimed_draw(w, one ? 2 : x->n_victims + 1);
  x->used = whose == 0;
  if (x->used) return;
  if (!one) x->victim = whose - 1;
  uint32_t magnitude = sim_untimed_draw(w, MAGNITUDES);
  x->victim_steps = (1u << magnitude) - 1 + sim_untimed_draw(w, 1u << magnitude);
  if (x->victim_steps > 0) return;
  if (sim_untimed_fault_is_crash(x)) sim_untimed_withdraw(w, x->victim);
  offer(w, x->victim);
}

void sim_untimed_fault_begin(struct sim_world *w) {
  struct sim_faults *x = w->faults;
  uint32_t ends[2];
  for (uint32_t i = 0; i < w->n; i++) x->unit[i] = (struct sim_fault_unit){0};
  for (uint32_t i = 0; i < x->n; i++)
    if (x->list[i].chosen) x->choice = &x->list[i];
  if (x->choice == NULL) return;
  x->n_victims = sim_untimed_fault_is_crash(x) ? w->n : find_link(w, UINT32_MAX, ends);
  x->victim = sim_untimed_fault_is_crash(x) ? x->choice->unit
              : x->n_victims == 1           ? 0
                                            : SIM_FAULT_ANY;
  for (uint32_t i = 0; i < x->n_victims; i++) {
    uint32_t proc = sim_untimed_new_proc(w, false, i, 0);
    w->untimed->run->procs[proc].strike = true;
    if (i == 0) x->first_proc = proc;
  }
  if (!w->untimed->fine) {
    fault_draw(w);
    return;
  }
  for (uint32_t i = 0; i < x->n_victims; i++)
    if (may_strike(x, i)) offer(w, i);
}

static void unit_stepped(struct sim_unit *u) {
  struct sim_world *w = u->world;
  struct sim_faults *x = w->faults;
  if (!may_strike(x, u->fab.me)) return;
  if (u->state == SIM_ENDED || u->state == SIM_WAIT_BEGIN) { /* it has taken all its steps */
    sim_untimed_withdraw(w, x->first_proc + u->fab.me);
    x->used = x->victim == u->fab.me;
  } else if (sim_untimed_fault_doomed(u)) {
    sim_untimed_withdraw(w, u->fab.me);
    offer(w, u->fab.me);
  }
}

void sim_untimed_fault_stepped(struct sim_unit *u) {
  struct sim_world *w = u->world;
  struct sim_faults *x = w->faults;
  sim_untimed_touch_alive(w, u->fab.me, false);
  x->unit[u->fab.me].steps++;
  x->steps++;
  if (x->choice == NULL || x->used) return;
  if (sim_untimed_fault_is_crash(x))
    unit_stepped(u);
  else if (!w->untimed->fine && x->steps == x->victim_steps)
    offer(w, x->victim);
}

void sim_untimed_fault_strike(struct sim_world *w, uint32_t proc) {
  struct sim_faults *x = w->faults;
  uint32_t victim = w->untimed->run->procs[proc].index;
  x->used = true;
  withdraw_all(w);
  sim_untimed_touch_id(w, SIM_UNTIMED_ONE_STRIKE, true);
  if (sim_untimed_fault_is_crash(x)) {
    sim_fault_crash(&w->units[victim]);
    return;
  }
  (void)find_link(w, victim, x->ends);
  x->cut = true;
  sim_untimed_touch_id(w, SIM_UNTIMED_LINKS, true);
  sim_untimed_cut(w);
}

uint32_t sim_untimed_fault_text(const struct sim_world *w, uint32_t proc,
                                char what[SIM_FAULT_WHAT]) {
  uint32_t victim = w->untimed->run->procs[proc].index, ends[2];
  if (sim_untimed_fault_is_crash(w->faults)) {
    snprintf(what, SIM_FAULT_WHAT, "crashes");
    return victim;
  }
  (void)find_link(w, victim, ends);
  eyoti_snprintf(what, SIM_FAULT_WHAT, "the link between the nodes of units %u and %u goes down",
                 ends[0], ends[1]);
  return UINT32_MAX;
}

void sim_untimed_crash(struct sim_unit *u) {
  struct sim_world *w = u->world;
  struct sim_untimed_unit *cu = &w->untimed->run->units[u->fab.me];
  const struct sim_faults *x = w->faults;
  sim_untimed_touch_alive(w, u->fab.me, true);
  sim_untimed_drop(u);
  cu->go = SIM_GO_NEVER;
  cu->timed = cu->polls = false;
  sim_untimed_withdraw(w, u->fab.me);
  if (x->choice != NULL && sim_untimed_fault_is_crash(x))
    sim_untimed_withdraw(w, x->first_proc + u->fab.me);
}

void sim_untimed_fault_last(struct sim_world *w) {
  const struct sim_faults *x = w->faults;
  for (uint32_t i = 0; x->choice != NULL && !x->used && i < x->n_victims; i++) {
    if (!w->untimed->run->procs[x->first_proc + i].offered) continue;
    sim_untimed_withdraw(w, x->first_proc + i);
    offer(w, i);
  }
}

/* A doomed unit must crash; other faults may be left out. */
bool sim_untimed_fault_only(const struct sim_world *w) {
  const struct sim_untimed_run *r = w->untimed->run;
  const struct sim_faults *x = w->faults;
  if (x->choice == NULL || x->used || (sim_untimed_fault_is_crash(x) && !w->untimed->fine))
    return false;
  for (uint32_t i = 0; i < r->n_offers; i++)
    if (!r->procs[r->offers[i]].strike) return false;
  return true;
}
