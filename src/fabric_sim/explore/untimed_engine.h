/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_engine.h - the table of operations of the untimed engine. explore/ sets it in the
 * world. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_ENGINE_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_ENGINE_H

#include "fabric_sim/explore/untimed.h"

extern const struct sim_engine_ops sim_untimed_engine;
#endif
