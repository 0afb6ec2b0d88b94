/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - the check of a run's size against the host's limits. module.c calls it before it opens
 * a world; world.c asks it for guard pages. */
#ifndef EYOT_FABRIC_SIM_ENGINE_LIMITS_H
#define EYOT_FABRIC_SIM_ENGINE_LIMITS_H

#include "fabric_sim/engine/world.h"

/* Refuses a number of units that memory, address space or the map limit cannot hold: names the
 * limit, how many units would fit, and how to raise it. EINVAL, ERANGE. */
int sim_limits_check(const struct sim_options *opt);
/* The size of stacks that so many units may have without using memory that they do not touch: 8 MiB
 * while units are few; 0: no more than the option's default. */
uint64_t sim_limits_stack(uint32_t n_units);
/* True if this many units run with guard pages (at most SIM_GUARDED_UNITS_MAX, if each unit needs a
 * mapping of its own). */
bool sim_limits_guards(uint32_t n_units);
#endif
