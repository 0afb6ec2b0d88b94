/* SPDX-License-Identifier: BSD-3-Clause */
/* ops_table.h - the simulator's table of operations. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OPS_TABLE_H
#define EYOT_FABRIC_SIM_ENGINE_OPS_TABLE_H

#include "fabric/fabric.h"

extern const struct fab_ops sim_fab_ops;
#endif
