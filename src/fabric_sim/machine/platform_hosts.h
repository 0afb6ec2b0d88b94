/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_hosts.h - the hosts of a SimGrid platform file, and which of them a job needs. For
 * net_make.c, and for tools, which refuse the files that a run refuses. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_HOSTS_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_HOSTS_H

#include "fabric_sim/machine/simgrid.h"

/* Loads the file of a platform (kind SIM_PLAT_XML), once a process. Errors: EINVAL (also: the path
 * is too long), those of sim_sg_ops.load. */
int sim_hosts_load(const struct sim_sg_ops *sg, const struct sim_plat *p, struct sim_sg_file **out);
/* Returns how many units a host holds. per_node: what the user asks for; 0: as many as cores. */
static inline uint32_t sim_hosts_units(const struct sim_sg_host *host, uint32_t per_node) {
  return per_node != 0 ? per_node : host->cores;
}
/* Sets how many hosts of the file the units need: the first ones. Errors: ERANGE. */
int sim_hosts_fit(const struct sim_sg_ops *sg, const struct sim_plat *p,
                  const struct sim_sg_file *f, uint32_t n_units, uint32_t per_node, uint32_t *out);
/* Whether the platform's NUMA domains divide the cores of host i. Errors: EINVAL. */
int sim_hosts_check(const struct sim_plat *p, const struct sim_sg_host *host, uint32_t i);
#endif
