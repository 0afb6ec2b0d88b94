/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_instrument.h - receives the accesses and edges of instrumented code (init/instrument.h),
 * for the struct fab_check of explored runs (untimed_check.c) and of timed runs with race detection
 * (race_time.c). */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H

#include "fabric/fabric.h"

/* See struct fab_check. */
bool sim_untimed_shared(struct fab *f, const void *p, uint64_t len);
bool sim_untimed_lent(struct fab *f, const void *p, uint64_t len, bool writes);
void sim_untimed_access_step(struct fab *f, const void *p, uint64_t len, bool writes);
void sim_untimed_edge(struct fab *f, uintptr_t pc);
#endif
