/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h - the functions of the table that eyot-simgrid.so exports, which module.c fills.
 * machine/simgrid.h says what each does. */
#ifndef EYOT_FABRIC_SIM_SIMGRID_MODULE_H
#define EYOT_FABRIC_SIM_SIMGRID_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric_sim/machine/simgrid.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct sim_exec_ops sim_sg_actors;

void sim_sg_start(int *argc, char **argv);
int sim_sg_hosts(uint32_t n, uint32_t cores, bool routes, void **hosts);

int sim_sg_load(const char *path, struct sim_sg_file **out);
void sim_sg_unload(struct sim_sg_file *f);
uint32_t sim_sg_host_count(const struct sim_sg_file *f);
uint32_t sim_sg_link_count(const struct sim_sg_file *f);
uint32_t sim_sg_zone_count(const struct sim_sg_file *f);
void sim_sg_host_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_host *out);
void sim_sg_link_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_link *out);
int sim_sg_route(struct sim_sg_file *f, uint32_t a, uint32_t b, uint32_t *links, uint32_t cap,
                 uint32_t *n, uint64_t *lat_ps);

void sim_sg_flows_begin(void);
int sim_sg_flows_routes(const struct sim_sg_routes *r);
void *sim_sg_flow_start(void *from, void *to, uint64_t bytes);
double sim_sg_flow_left(void *flow);
void sim_sg_flow_free(void *flow);

#ifdef __cplusplus
}
#endif
#endif
