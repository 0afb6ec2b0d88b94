/* SPDX-License-Identifier: BSD-3-Clause */
/* carry.h - one message, or a piece of a long one, on its way from NIC to NIC. For net_reserve.c
 * and net_piece.c. */
#ifndef EYOT_FABRIC_SIM_MACHINE_CARRY_H
#define EYOT_FABRIC_SIM_MACHINE_CARRY_H

#include "fabric_sim/machine/net_tables.h"

/* One message from NIC to NIC. */
struct leg {
  uint32_t from, to; /* nodes */
  uint64_t bytes;
  sim_per_byte_t per_byte; /* of the NICs */
  uint64_t tx_ps, rx_ps;   /* latencies at its ends */
  uint64_t gap_ps;         /* least time at a NIC */
  uint64_t at_ps;          /* ready to be sent */
  uint64_t sent_ps;        /* out: the last byte has been read */
  uint64_t every_ps;       /* out: the longest time that a place took, its queue included */
  struct sim_path path;
  union sim_path_buffer *buffer; /* for its links: sim_net.buffer */
};

static inline uint64_t sim_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Finds the route (at_ps may be an estimate) and prefetches what carry will touch: the cache misses
 * of one operation overlap. */
static inline void sim_leg_plan(struct sim_net *net, struct leg *m) {
  sim_net_path(net, m->from, m->to, m->buffer, &m->path);
  if (__builtin_expect(net->detours, 0) && m->bytes > SIM_NET_LINE_BYTES)
    sim_net_detour(net, m->from, m->to, m->at_ps + m->tx_ps + net->plat.price.router_ps, m->buffer,
                   &m->path);
  __builtin_prefetch(&net->nic[m->from].tx, 1);
  __builtin_prefetch(&net->nic[m->to].rx, 1);
  for (uint32_t i = 0; i < m->path.n; i++) __builtin_prefetch(&net->links[m->path.links[i]], 1);
}

/* Reserves the way of the message. Returns when its last byte has arrived. */
uint64_t sim_leg_carry(struct sim_net *net, struct leg *m, uint64_t now_ps);

/* Returns the latency of a route that an acknowledgement takes. */
static inline uint64_t sim_way_ps(const struct sim_net *net, const struct sim_path *path) {
  uint64_t lat_ps = net->plat.price.router_ps + path->extra_ps;
  if (path->lat_ps != SIM_PATH_UNKNOWN) return lat_ps + path->lat_ps;
  for (uint32_t i = 0; i < path->n; i++) lat_ps += sim_net_wire(net, path->links[i])->lat_ps;
  return lat_ps;
}
#endif
