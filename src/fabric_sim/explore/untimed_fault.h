/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_fault.h - faults in the untimed engine: where a fault strikes is a choice of the
 * strategy. For the untimed_*.c files. State: struct sim_faults (fault/fault.h). Each function
 * needs w->faults. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_FAULT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_FAULT_H

#include "fabric_sim/explore/untimed.h"
#include "fabric_sim/fault/fault.h"

#define SIM_FAULT_WHAT 240u

/* State that is not memory, for the search: that a unit lives, that nothing has been struck, that
 * all links are up. */
#define SIM_UNTIMED_ALIVE (UINT64_C(1) << 63)
#define SIM_UNTIMED_ONE_STRIKE (SIM_UNTIMED_ALIVE - 1)
#define SIM_UNTIMED_LINKS (SIM_UNTIMED_ALIVE - 2)

/* A run begins: determines the faults that it may have. */
void sim_untimed_fault_begin(struct sim_world *w);
/* Called after a step of the unit: offers the fault that was drawn for this step, or withdraws one
 * that is too late. */
void sim_untimed_fault_stepped(struct sim_unit *u);
/* Executes the process of a strike. */
void sim_untimed_fault_strike(struct sim_world *w, uint32_t proc);
/* Returns the unit that the process strikes, or UINT32_MAX for a link, and the effect in words. */
uint32_t sim_untimed_fault_text(const struct sim_world *w, uint32_t proc,
                                char what[SIM_FAULT_WHAT]);
/* Called before each step: moves strikes to the end of the offers, so that the quiet choice is no
 * strike. */
void sim_untimed_fault_last(struct sim_world *w);
/* Whether the only process left is a fault that may be left out. */
bool sim_untimed_fault_only(const struct sim_world *w);
/* The unit has crashed: it never runs again, and some of its operations that have not arrived are
 * lost. */
void sim_untimed_crash(struct sim_unit *u);

/* Whether x->choice is a crash, not a link. */
static inline bool sim_untimed_fault_is_crash(const struct sim_faults *x) {
  return x->choice->kind == SIM_FAULT_CRASH;
}

/* Whether the unit must not be offered: its crash is due. */
static inline bool sim_untimed_fault_doomed(const struct sim_unit *u) {
  const struct sim_faults *x = u->world->faults;
  return x->choice != NULL && sim_untimed_fault_is_crash(x) && !x->used &&
         !u->world->untimed->fine && x->victim == u->fab.me &&
         x->unit[u->fab.me].steps >= x->victim_steps;
}
#endif
