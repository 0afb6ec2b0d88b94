/* SPDX-License-Identifier: BSD-3-Clause */
/* fault_ops.h - what the engines ask the faults of a run (fault/). A run without faults has neither
 * table nor state: every place that asks tests w->faults first, and all calls are off the path of
 * other runs. Except for `posted`, which does not return if the unit crashes, none blocks. */
#ifndef EYOT_FABRIC_SIM_ENGINE_FAULT_OPS_H
#define EYOT_FABRIC_SIM_ENGINE_FAULT_OPS_H

#include "fabric_sim/engine/world.h"

struct sim_fault_ops {
  /* Schedules the faults that have a time. */
  void (*begin)(struct sim_world *w);
  /* The event of fault `index`. */
  void (*event)(struct sim_world *w, uint32_t index);
  /* The unit has posted an operation: is it the one that the unit crashes with? */
  void (*posted)(struct sim_unit *u);
  /* What links and crashed targets do to the times of an operation. */
  void (*times)(struct sim_world *w, struct sim_op *op, struct sim_timing *t);
  /* The operation arrives: true if it is lost, and has been dealt with. */
  bool (*arrives)(struct sim_world *w, struct sim_op *op);
  /* How long `ps` of the unit's own work take from its clock on. */
  uint64_t (*stretch)(struct sim_unit *u, uint64_t ps);
  /* At a standstill: units that wait in eyot_finalize go on, and are told. False: there are
   * none. */
  bool (*release)(struct sim_world *w);
  /* Whether the wait of the unit is to return EYOT_EPEERDOWN; true once. */
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

/* The operation does nothing when it arrives: given up by the network, lost with its origin, or its
 * target has crashed. What its origin has been told of is not lost. */
static inline bool sim_fault_is_lost(const struct sim_world *w, const struct sim_op *op) {
  return (op->flags & (SIM_F_LOST | SIM_F_CUT)) != 0 ||
         (sim_fault_is_crashed(&w->units[op->target]) && (op->flags & SIM_F_RELEASED) == 0);
}
#endif
