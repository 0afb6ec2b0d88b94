/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_ops.h - the table of functions by which the engines apply the faults of a run. fault/
 * provides it; engine/ and explore/ call it.
 *
 * A run without faults has neither table nor state: each caller tests w->faults first, so that
 * other runs skip all of it. `posted` does not return if the unit crashes; no function blocks. */
#ifndef EYOT_FABRIC_SIM_ENGINE_FAULT_OPS_H
#define EYOT_FABRIC_SIM_ENGINE_FAULT_OPS_H

#include "fabric_sim/engine/world.h"

struct sim_fault_ops {
  /* Schedules the faults that have a time. */
  void (*begin)(struct sim_world *w);
  /* Handles the event of fault `index`. */
  void (*event)(struct sim_world *w, uint32_t index);
  /* The unit has posted an operation: crashes the unit if this is the operation to crash at. */
  void (*posted)(struct sim_unit *u);
  /* Whether a fault of the list crashes this unit sooner or later. */
  bool (*kills)(const struct sim_unit *u);
  /* Changes the times of an operation by the effects of links and of crashed targets. */
  void (*times)(struct sim_world *w, struct sim_op *op, struct sim_timing *t);
  /* The operation arrives. True: it is lost, and its error and times are set. */
  bool (*arrives)(struct sim_world *w, struct sim_op *op);
  /* Returns how long `ps` of the unit's own work take from its clock on. */
  uint64_t (*stretch)(struct sim_unit *u, uint64_t ps);
  /* At a standstill: wakes the units that wait in eyot_finalize, which then see the crash. False:
   * there are none. */
  bool (*release)(struct sim_world *w);
  /* Whether the wait of the unit must return EYOT_EPEERDOWN; true once. */
  bool (*take_gone)(struct sim_unit *u);
};

/* How long the unit's own work takes. */
static inline uint64_t sim_fault_own(struct sim_unit *u, uint64_t ps) {
  const struct sim_world *w = u->world;
  return __builtin_expect(w->faults == NULL, 1) ? ps : w->fault_ops->stretch(u, ps);
}

static inline bool sim_fault_is_crashed(const struct sim_unit *u) {
  return u->end == SIM_END_CRASHED;
}

/* Whether the operation has no effect when it arrives: the network gave it up, it was lost with its
 * origin, or its target has crashed. An operation whose completion the origin has seen is not
 * lost. */
static inline bool sim_fault_is_lost(const struct sim_world *w, const struct sim_op *op) {
  return (op->flags & (SIM_F_LOST | SIM_F_CUT)) != 0 ||
         (sim_fault_is_crashed(&w->units[op->target]) && (op->flags & SIM_F_RELEASED) == 0);
}
#endif
