/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_fault.h - faults without time: where a fault strikes is a choice of the strategy like
 * others. State: struct sim_faults (fault/fault.h). Each function but untimed_fault_touch.c's needs
 * w->faults. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_FAULT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_FAULT_H

#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"

#define SIM_FAULT_WHO 24u /* bytes of "unit 3", "network" */
#define SIM_FAULT_WHAT 240u

/* What is not memory, for the search: that a unit lives, that no strike has been, that all links
 * are up. */
#define SIM_UNTIMED_ALIVE (UINT64_C(1) << 63)
#define SIM_UNTIMED_ONE_STRIKE (SIM_UNTIMED_ALIVE - 1)
#define SIM_UNTIMED_LINKS (SIM_UNTIMED_ALIVE - 2)

/* A run begins: which faults it may have. */
void sim_untimed_fault_begin(struct sim_world *w);
/* After a step of the unit: the fault that was drawn for here is offered, or one that has come too
 * late is not any more. */
void sim_untimed_fault_stepped(struct sim_unit *u);
/* The process of a strike is picked. */
void sim_untimed_fault_strike(struct sim_world *w, uint32_t proc);
/* Which unit or link it strikes and what it does, in words. */
void sim_untimed_fault_text(const struct sim_world *w, uint32_t proc, char who[SIM_FAULT_WHO],
                            char what[SIM_FAULT_WHAT]);
/* Before each step: what strikes is offered after all others, so that the quiet choice is none of
 * it. */
void sim_untimed_fault_last(struct sim_world *w);
/* Nothing else can go on: is all that is left a fault that need not be? */
bool sim_untimed_fault_only(const struct sim_world *w);
/* The unit has crashed: it never runs again, and of what it had posted and has not arrived, some
 * never will. */
void sim_untimed_crash(struct sim_unit *u);

/* x->choice is a crash, not a link. */
static inline bool sim_untimed_fault_is_crash(const struct sim_faults *x) {
  return x->choice->kind == SIM_FAULT_CRASH;
}

/* The unit is not to be offered: a crash is due. */
static inline bool sim_untimed_fault_doomed(const struct sim_unit *u) {
  const struct sim_faults *x = u->world->faults;
  return x->choice != NULL && sim_untimed_fault_is_crash(x) && !x->used &&
         !u->world->untimed->fine && x->victim == u->fab.me &&
         x->unit[u->fab.me].steps >= x->victim_steps;
}
#endif
