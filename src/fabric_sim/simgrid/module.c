/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c - the table of eyot-simgrid.so, which alone calls SimGrid: actors.c (units as its
 * actors), machine.cpp (its start, hosts), file.cpp (platform files), flows.cpp (its flows). */
#include "fabric_sim/simgrid/module.h"

#include <eyot/types.h>

#include "fabric/module.h"

EYOT_API extern const struct sim_sg_ops eyot_simgrid_module;
const struct sim_sg_ops eyot_simgrid_module = {.abi = FAB_ABI,
                                               .actors = &sim_sg_actors,
                                               .start = sim_sg_start,
                                               .hosts = sim_sg_hosts,
                                               .load = sim_sg_load,
                                               .unload = sim_sg_unload,
                                               .host_count = sim_sg_host_count,
                                               .link_count = sim_sg_link_count,
                                               .zone_count = sim_sg_zone_count,
                                               .host_get = sim_sg_host_get,
                                               .link_get = sim_sg_link_get,
                                               .route = sim_sg_route,
                                               .flows_begin = sim_sg_flows_begin,
                                               .flows_routes = sim_sg_flows_routes,
                                               .flow_start = sim_sg_flow_start,
                                               .flow_left = sim_sg_flow_left,
                                               .flow_free = sim_sg_flow_free};
