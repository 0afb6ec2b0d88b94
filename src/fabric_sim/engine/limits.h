/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - the limits of a run, checked before anything is made. */
#ifndef EYOT_FABRIC_SIM_ENGINE_LIMITS_H
#define EYOT_FABRIC_SIM_ENGINE_LIMITS_H

#include "fabric_sim/engine/world.h"

/* limits.c. Refuses a number of units that memory, address space or the map limit cannot hold:
 * says which, how many would fit, how to raise it. EINVAL, ERANGE. */
int sim_limits_check(const struct sim_options *opt);
/* True if that many units run with guard pages (at most SIM_GUARDED_UNITS_MAX, if memory is to be
 * mapped for each). */
bool sim_limits_guards(uint32_t n_units);
#endif
