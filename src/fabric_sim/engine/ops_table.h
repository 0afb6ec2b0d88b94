/* SPDX-License-Identifier: BSD-3-Clause */
/* ops_table.h - sim_fab_ops, the table of operations that sim gives to the layers above the fabric
 * (fabric.h). world.c copies it into the world; ops_table.c implements it. */
#ifndef EYOT_FABRIC_SIM_ENGINE_OPS_TABLE_H
#define EYOT_FABRIC_SIM_ENGINE_OPS_TABLE_H

#include "fabric/fabric.h"

extern const struct fab_ops sim_fab_ops;
#endif
