/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.h - noise of the operating system: detours that take the processor away from a unit's own
 * work. For fault.c.
 *
 * A detour's time is a function of seed, noise, number, and whom it strikes (a unit, a node, all),
 * not of what the program does: units of a node can see the same detours, and runs that differ in
 * something else see the same noise. (How such noise is best simulated: Hoefler, Schneider,
 * Lumsdaine: Characterizing the influence of system noise on large-scale applications by
 * simulation, SC 2010, section 3.) */
#ifndef EYOT_FABRIC_SIM_FAULT_NOISE_H
#define EYOT_FABRIC_SIM_FAULT_NOISE_H

#include "fabric_sim/fault/fault.h"

/* The next detour of one noise for one unit that may strike it. */
struct sim_noise_at {
  uint64_t begin_ps;
  uint64_t number; /* from 1; 0: none has been drawn */
};

/* Returns how long `ps` of the unit's own work take, from its clock on, with all noises. */
uint64_t sim_noise_stretch(struct sim_unit *u, uint64_t ps) SIM_FAULT_COLD;
#endif
