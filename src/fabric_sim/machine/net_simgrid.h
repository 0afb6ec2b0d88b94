/* SPDX-License-Identifier: BSD-3-Clause */
/* net_simgrid.h - what is asked of SimGrid itself: to make hosts and links, to read a platform
 * file, to tell a route. C++ behind a C interface.
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

/* Price of link i of a machine that is to be built. */
typedef struct sim_link_price (*sim_sg_price_fn)(const void *ctx, uint32_t i);

/* Makes `hosts` hosts of `cores` cores and `links` links in the root zone, which has no routes of
 * its own: routes of presets are arithmetic. host_out[i] receives the sg_host_t; link_out[i] what
 * SimGrid says of link i. May be called several times before the simulation's first step (names go
 * on counting). Errors: ESYS (SimGrid's reason). */
int sim_sg_build(uint32_t hosts, uint32_t cores, uint32_t links, sim_sg_price_fn price,
                 const void *ctx, void **host_out, struct sim_link_price *link_out);

struct sim_sg_file; /* a loaded platform file */

#define SIM_SG_ZONES 3u           /* nesting levels that are told apart */
#define SIM_SG_NO_ZONE UINT32_MAX /* not nested as deep as that */

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
 * process tries the file first, because SimGrid aborts on some malformed ones. Once a process.
 * Errors: ESYS (cannot be read), EINVAL (malformed, no hosts, wifi links, no route between some
 * hosts). */
int sim_sg_load(const char *path, struct sim_sg_file **out);
void sim_sg_unload(struct sim_sg_file *f);
uint32_t sim_sg_host_count(const struct sim_sg_file *f);
uint32_t sim_sg_link_count(const struct sim_sg_file *f);
uint32_t sim_sg_zone_count(const struct sim_sg_file *f);
void sim_sg_host_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_host *out);
void sim_sg_link_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_link *out);

/* The route of SimGrid from host a to host b: up to `cap` link numbers into links, their number,
 * and the whole latency. Errors: ERANGE (more than cap; *n says how many), ESYS (SimGrid's
 * reason). */
int sim_sg_route(struct sim_sg_file *f, uint32_t a, uint32_t b, uint32_t *links, uint32_t cap,
                 uint32_t *n, uint64_t *lat_ps);

#ifdef __cplusplus
}
#endif
#endif
