/* SPDX-License-Identifier: BSD-3-Clause */
/* net_flows.h - long messages as SimGrid's own flows (--network simgrid), under its solver. The C
 * interface of net_flows.cpp, for net_*.c; net.h has what the engine calls. Only the scheduler may
 * call these, between two steps of SimGrid. */
#ifndef EYOT_FABRIC_SIM_MACHINE_NET_FLOWS_H
#define EYOT_FABRIC_SIM_MACHINE_NET_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before any host is made: chooses the model CM02 with factors of 1 and no window. */
void sim_sg_flows_begin(void);

/* Writes the links of the route from host a to host b, by number; returns how many. */
typedef uint32_t (*sim_sg_route_fn)(void *ctx, uint32_t a, uint32_t b, uint32_t *links);
/* Returns the rate of a link in bytes/s. */
typedef uint64_t (*sim_sg_rate_fn)(const void *ctx, uint32_t link);
struct sim_sg_routes {
  void **hosts;                /* [n] of a preset */
  void **get_hosts;            /* [n] out: where gets differ from puts, hosts for them; else kept */
  uint32_t n, links, most;     /* at most so many links in all, and of a route */
  uint64_t put_rate, get_rate; /* of NICs, bytes/s */
  bool self;                   /* also routes from each host to itself */
  sim_sg_route_fn route;
  sim_sg_rate_fn rate;
  void *ctx;
};
/* Makes routes between all hosts of a preset, over links without latency: those of the routes, a
 * link out of each host and one into each, of the faster of the NICs' rates; and where they differ,
 * another of the slower rate, which only puts or only gets use. Errors: ESYS (SimGrid's reason). */
int sim_sg_flows_routes(const struct sim_sg_routes *r);

/* Starts a flow of so many bytes. SimGrid 3.32 ignores a rate of a flow between two hosts. */
void *sim_sg_flow_start(void *from, void *to, uint64_t bytes);
/* Returns the bytes that are left; 0: it is over, and void. */
double sim_sg_flow_left(void *flow);
void sim_sg_flow_free(void *flow);

#ifdef __cplusplus
}
#endif
#endif
