/* SPDX-License-Identifier: BSD-3-Clause */
/* poll.h - loops of instrumented code that poll memory by plain loads or atomics of the CPU:
 * recognizes them by loads that repeat, so that an engine can let others run. For the loads that
 * explore/ receives.
 *
 * Why it exists: code between two calls of eyot is not interrupted, so nobody could end such a
 * loop. A loop that only computes may look the same; it continues, a little later. */
#ifndef EYOT_FABRIC_SIM_ENGINE_POLL_H
#define EYOT_FABRIC_SIM_ENGINE_POLL_H

#include "fabric_sim/engine/unit.h"

/* The unit is about to load (or change by an atomic) these bytes. True if the same code has found
 * the same value there `often` times since the unit's last call of eyot or since it was last told
 * so, or if the unit has loaded very often: others should run before the load. The caller calls
 * sim_poll_goes_on after they have. */
bool sim_poll_repeats(struct sim_unit *u, const void *p, uint64_t len, uint32_t often);
void sim_poll_goes_on(struct sim_unit *u);
void sim_poll_free(struct sim_unit *u);

/* Timed engine, for each load: lets virtual time pass until the next event, if the unit polls. If
 * nothing but polls of other units can happen, they alternate rarely, and the watchdog takes the
 * unit for one without calls. */
void sim_poll_timed(struct sim_unit *u, const void *p, uint64_t len);
#endif
