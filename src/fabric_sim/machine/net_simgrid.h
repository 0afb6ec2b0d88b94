/* SPDX-License-Identifier: BSD-3-Clause */
/* net_simgrid.h - the use of SimGrid for the machine: makes hosts and links, reads a platform file,
 * returns routes. For net_*.c (net_tables.h). The C interface of net_simgrid.cpp and net_file.cpp.
 *
 * Why it exists: SimGrid 3.32's C interface cannot make zones, hosts and links, and its C++
 * exceptions must not pass through C frames. */
#ifndef EYOT_FABRIC_SIM_MACHINE_NET_SIMGRID_H
#define EYOT_FABRIC_SIM_MACHINE_NET_SIMGRID_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric_sim/machine/platform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the cost of link i of a machine that is to be built. */
typedef struct sim_link_price (*sim_sg_price_fn)(const void *ctx, uint32_t i);

/* Starts SimGrid with its options, and says "out of memory" where SimGrid finds no memory later. */
void sim_sg_start(int *argc, char **argv);

/* Makes `hosts` hosts of `cores` cores and `links` links in the root zone, which has no routes:
 * those of presets are arithmetic; with `routes` it can be given some (net_flows.h). host_out[i]
 * receives the sg_host_t; link_out[i] SimGrid's properties of link i. May be called several times
 * before the simulation's first step (names continue to count). Errors: ESYS (SimGrid's reason). */
int sim_sg_build(uint32_t hosts, uint32_t cores, uint32_t links, sim_sg_price_fn price,
                 const void *ctx, bool routes, void **host_out, struct sim_link_price *link_out);

struct sim_sg_file; /* a loaded platform file */

#define SIM_SG_ZONES 3u           /* nesting levels that are distinguished */
#define SIM_SG_NO_ZONE UINT32_MAX /* not nested that deep */

struct sim_sg_host {
  void *host; /* sg_host_t */
  uint32_t cores;
  /* number of the outermost zone below the root that contains it, the next inner one, ...;
   * SIM_SG_NO_ZONE */
  uint32_t zone[SIM_SG_ZONES];
};

struct sim_sg_link {
  struct sim_link_price price;
  bool shared; /* false: SimGrid's FATPIPE, flows do not disturb each other */
};

/* Loads a platform file. Hosts are numbered zone by zone, within a zone in SimGrid's order. A child
 * process tries the file first, because SimGrid aborts on some malformed ones. May be called once
 * per process. Errors: ESYS (cannot be read), EINVAL (malformed, no hosts, wifi links, no route
 * between some hosts). */
int sim_sg_load(const char *path, struct sim_sg_file **out);
void sim_sg_unload(struct sim_sg_file *f);
uint32_t sim_sg_host_count(const struct sim_sg_file *f);
uint32_t sim_sg_link_count(const struct sim_sg_file *f);
uint32_t sim_sg_zone_count(const struct sim_sg_file *f);
void sim_sg_host_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_host *out);
void sim_sg_link_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_link *out);

/* Returns SimGrid's route from host a to host b: up to `cap` link numbers in links, their number,
 * and the whole latency. Errors: ERANGE (more than cap; *n is the number), ESYS (SimGrid's
 * reason). */
int sim_sg_route(struct sim_sg_file *f, uint32_t a, uint32_t b, uint32_t *links, uint32_t cap,
                 uint32_t *n, uint64_t *lat_ps);

#ifdef __cplusplus
}
#endif
#endif
