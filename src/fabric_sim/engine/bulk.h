/* SPDX-License-Identifier: BSD-3-Clause */
/* bulk.h - long messages that are SimGrid's own flows (--network simgrid): starts them, and has
 * SimGrid's clock follow the engine's while some are on their way. For flow.c and the main loop.
 *
 * Why it exists: with SimGrid's solver as the network, the engine's model of shared links can be
 * compared with it, by every program. SimGrid does not say when the next flow ends, so its clock
 * advances in steps that no flow can outrun, at least SIM_BULK_STEP_PS long: that is how late the
 * end of a flow may be seen. */
#ifndef EYOT_FABRIC_SIM_ENGINE_BULK_H
#define EYOT_FABRIC_SIM_ENGINE_BULK_H

#include "fabric_sim/engine/world.h"

#define SIM_BULK_STEP_PS 50000u

struct sim_bulk_flow {
  void *flow;
  double byte_ps; /* that a byte takes at least */
  uint32_t op;
};

void sim_bulk_fini(struct sim_world *w);
/* Starts a flow at the world's time for the operation, whose event SIM_EV_PIECE comes when it is
 * over. */
void sim_bulk_start(struct sim_world *w, const struct sim_op *op, enum sim_msg kind,
                    uint64_t bytes);
/* Lets SimGrid's time pass up to that of the first event, or until the end of a flow becomes an
 * earlier one. */
void sim_bulk_advance(struct sim_world *w);
#endif
