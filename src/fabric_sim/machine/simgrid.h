/* SPDX-License-Identifier: BSD-3-Clause */
/* simgrid.h - what the simulator takes from SimGrid: hosts, platform files with their routes, flows
 * under its solver, and actors as units. For net_*.c and the engine.
 *
 * Why it exists: SimGrid's library takes longer to load than a small run lasts, and only platform
 * files and --engine simgrid need it. So its callers are a module of their own, eyot-simgrid.so
 * (simgrid/), which is loaded when one of these is asked for. Its interface is C: SimGrid's C++
 * exceptions must not pass through C frames. */
#ifndef EYOT_FABRIC_SIM_MACHINE_SIMGRID_H
#define EYOT_FABRIC_SIM_MACHINE_SIMGRID_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric_sim/machine/platform.h"

#define SIM_SG_MODULE_SYMBOL "eyot_simgrid_module"
/* An option of SimGrid (sim_sg_ops.start): what it prints of its own. */
#define SIM_SG_LOG "--log=root.thresh:warning ker_engine.thresh:critical"

struct sim_exec_ops; /* fabric_sim/exec/exec.h */
struct sim_sg_file;  /* a loaded platform file */

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

/* Routes that flows of a preset take (flows_routes). */
struct sim_sg_routes {
  void **hosts;                /* [n] of a preset */
  void **get_hosts;            /* [n] out: where gets differ from puts, hosts for them; else kept */
  uint32_t n, links, most;     /* at most so many links in all, and of a route */
  uint64_t put_rate, get_rate; /* of NICs, bytes/s */
  bool self;                   /* also routes from each host to itself */
  /* Writes the links of the route from host a to host b, by number; returns how many. */
  uint32_t (*route)(void *ctx, uint32_t a, uint32_t b, uint32_t *links);
  uint64_t (*rate)(const void *ctx, uint32_t link); /* of a link, in bytes/s */
  void *ctx;
};

/* Only the scheduler may call these, between two steps of SimGrid. */
struct sim_sg_ops {
  uint32_t abi; /* FAB_ABI */
  const struct sim_exec_ops *actors;

  /* Starts SimGrid with its options, and says "out of memory" where SimGrid finds no memory later.
   * Once a process. */
  void (*start)(int *argc, char **argv);
  /* Makes `n` hosts of `cores` cores in the root zone, which has no routes: those of presets are
   * arithmetic; with `routes` it can be given some (flows_routes). hosts[i] receives the sg_host_t.
   * May be called several times before the simulation's first step (names continue to count).
   * Errors: ESYS (SimGrid's reason). */
  int (*hosts)(uint32_t n, uint32_t cores, bool routes, void **hosts);

  /* Loads a platform file. Hosts are numbered zone by zone, within a zone in SimGrid's order. A
   * child process tries the file first, because SimGrid aborts on some malformed ones. May be
   * called once per process. Errors: ESYS (cannot be read), EINVAL (malformed, no hosts, wifi
   * links, no route between some hosts). */
  int (*load)(const char *path, struct sim_sg_file **out);
  void (*unload)(struct sim_sg_file *f);
  uint32_t (*host_count)(const struct sim_sg_file *f);
  uint32_t (*link_count)(const struct sim_sg_file *f);
  uint32_t (*zone_count)(const struct sim_sg_file *f);
  void (*host_get)(const struct sim_sg_file *f, uint32_t i, struct sim_sg_host *out);
  void (*link_get)(const struct sim_sg_file *f, uint32_t i, struct sim_sg_link *out);
  /* SimGrid's route from host a to host b: up to `cap` link numbers in links, their number, and the
   * whole latency. Errors: ERANGE (more than cap; *n is the number), ESYS (SimGrid's reason). */
  int (*route)(struct sim_sg_file *f, uint32_t a, uint32_t b, uint32_t *links, uint32_t cap,
               uint32_t *n, uint64_t *lat_ps);

  /* Before any host is made: chooses the model CM02 with factors of 1 and no window. */
  void (*flows_begin)(void);
  /* Makes routes between all hosts of a preset, over links without latency: those of the routes, a
   * link out of each host and one into each, of the faster of the NICs' rates; and where they
   * differ, another of the slower rate, which only puts or only gets use. Errors: ESYS (SimGrid's
   * reason). */
  int (*flows_routes)(const struct sim_sg_routes *r);
  /* Starts a flow of so many bytes. SimGrid 3.32 ignores a rate of a flow between two hosts. */
  void *(*flow_start)(void *from, void *to, uint64_t bytes);
  /* Returns the bytes that are left; 0: it is over, and void. */
  double (*flow_left)(void *flow);
  void (*flow_free)(void *flow);
};

/* Loads eyot-simgrid.so where the process has not, and gives its table, which is good until the
 * process ends. Does not return without memory. Errors: EFABRIC (logs the path and the reason). */
int sim_sg_open(const struct sim_sg_ops **out);
#endif
