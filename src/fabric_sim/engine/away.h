/* SPDX-License-Identifier: BSD-3-Clause */
/* away.h - units that compute, on a machine where an operation from another node needs its target
 * in a call of eyot (the figure `progress`): it takes effect when the unit is back, and completes
 * so much later. For the timed engine; a world of another machine has no such state. */
#ifndef EYOT_FABRIC_SIM_ENGINE_AWAY_H
#define EYOT_FABRIC_SIM_ENGINE_AWAY_H

#include "fabric_sim/engine/world.h"

/* Of a unit: until when it computes, and when the last operation that waited for it takes effect:
 * later ones come after that one, as they arrived. */
struct sim_away {
  uint64_t until_ps, last_ps;
};

/* Makes the state, if the machine needs it. Errors: ENOMEM. */
int sim_away_open(struct sim_world *w);

/* The unit computes for so long beyond its own clock. */
static inline void sim_away_note(const struct sim_unit *u, uint64_t ps) {
  const struct sim_world *w = u->world;
  if (__builtin_expect(w->away != NULL, 0)) w->away[u->fab.me].until_ps = u->local_ps + ps;
}

/* The operation arrives. Returns true if it has to wait: it will arrive again. */
bool sim_away_holds(struct sim_world *w, struct sim_op *op);
#endif
