/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_instrument.h - what instrumented code tells (init/instrument.h) when the simulator
 * explores a run, or looks for races in one with time. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_INSTRUMENT_H

#include "fabric/fabric.h"

/* See struct fab_check. */
bool fs_check_shared(struct fab *f, const void *p, uint64_t len);
void fs_check_access_step(struct fab *f, const void *p, uint64_t len, bool writes);
void fs_check_edge(struct fab *f, uintptr_t pc);
#endif
