/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_instrument.h - what instrumented code tells (init/instrument.h) when the simulator
 * explores a run, or looks for races in one with time. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H

#include "fabric/fabric.h"

/* See struct fab_check. */
bool sim_untimed_shared(struct fab *f, const void *p, uint64_t len);
void sim_untimed_access_step(struct fab *f, const void *p, uint64_t len, bool writes);
void sim_untimed_edge(struct fab *f, uintptr_t pc);
#endif
