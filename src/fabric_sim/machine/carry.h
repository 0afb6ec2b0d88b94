/* SPDX-License-Identifier: BSD-3-Clause */
/* carry.h - one message, or a piece of a long one, on its way from NIC to NIC. For net_reserve.c
 * and net_piece.c.
 *
 * A message is a head and a tail. The head waits for each link in turn and takes its latency; the
 * tail leaves a link no earlier than it came and no earlier than the link has carried all bytes, so
 * the cost of bytes is charged once, at the slowest place (cut-through). This code neither
 * allocates nor calls SimGrid, except at the first use of a platform file's route. */
#ifndef EYOT_FABRIC_SIM_MACHINE_CARRY_H
#define EYOT_FABRIC_SIM_MACHINE_CARRY_H

#include "fabric_sim/machine/net_tables.h"
#include "fabric_sim/machine/traffic.h"

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

/* Whether the message is usual: a short one over a route that is kept, on a shared network without
 * traffic of other jobs. All of its leg is then in registers; callers have the code twice, and pass
 * `usual` as a constant. */
static inline bool sim_leg_usual(const struct sim_net *net, uint32_t from, uint32_t to,
                                 uint64_t bytes) {
  return __builtin_expect(net->shared && net->known != NULL && net->traffic == NULL &&
                              bytes <= SIM_NET_LINE_BYTES && from != to,
                          1);
}

/* Finds the route (at_ps may be an estimate) and prefetches what carry will touch: the cache misses
 * of one operation overlap. */
static inline __attribute__((always_inline)) void sim_leg_plan_as(struct sim_net *net,
                                                                  struct leg *m, bool usual) {
  if (usual)
    m->path = sim_net_known(net, m->from, m->to);
  else
    sim_net_path(net, m->from, m->to, m->buffer, &m->path);
  if (!usual && net->detours && m->bytes > SIM_NET_LINE_BYTES)
    sim_net_detour(net, m->from, m->to, m->at_ps + m->tx_ps + net->plat.price.router_ps, m->buffer,
                   &m->path);
  __builtin_prefetch(&net->nic[m->from].tx, 1);
  __builtin_prefetch(&net->nic[m->to].rx, 1);
  for (uint32_t i = 0; i < m->path.n; i++) __builtin_prefetch(&net->links[m->path.links[i]], 1);
}
static inline void sim_leg_plan(struct sim_net *net, struct leg *m) {
  sim_leg_plan_as(net, m, false);
}

/* Reserves a place of the way. On a shared network a message of up to a cache line passes longer
 * ones; these queue. A piece delays the flow's next one by its share of the queue: so a flow has as
 * many small messages in a queue as make a whole piece. */
static inline __attribute__((always_inline)) uint64_t sim_leg_claim(
    struct sim_net *net, struct leg *m, bool shared, struct sim_res *r, uint64_t at_ps,
    uint64_t span_ps, uint64_t packet_ps, uint64_t now_ps, uint64_t *end_ps) {
  if (!shared) return sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  if (m->bytes <= SIM_NET_LINE_BYTES)
    return sim_res_pass(r, at_ps, span_ps, packet_ps, now_ps, end_ps);
  uint64_t start_ps = sim_res_claim_long(r, &net->gaps, at_ps, span_ps, now_ps, end_ps);
  uint64_t queue_ps = (*end_ps - at_ps - span_ps) * m->bytes / SIM_NET_PIECE_BYTES;
  m->every_ps = sim_later(m->every_ps, span_ps + queue_ps);
  sim_res_long(r, *end_ps);
  return start_ps;
}

/* Returns when the last byte has arrived. */
static inline __attribute__((always_inline)) uint64_t sim_leg_carry_as(struct sim_net *net,
                                                                       struct leg *m, bool shared,
                                                                       struct sim_traffic *x,
                                                                       uint64_t now_ps) {
  uint64_t span_ps = sim_cost_ps(m->bytes, m->per_byte), taken_ps = sim_later(span_ps, m->gap_ps),
           end_ps;
  m->every_ps = 0;
  if (x != NULL)
    sim_traffic_reach(x, &net->nic[m->from].tx, (uint64_t)net->n_links + m->from, &x->nic, m->at_ps,
                      now_ps);
  uint64_t head_ps = sim_leg_claim(net, m, shared, &net->nic[m->from].tx, m->at_ps, taken_ps,
                                   net->nic_packet_ps, now_ps, &end_ps);
  m->sent_ps = end_ps - (taken_ps - span_ps);
  uint64_t first_ps = m->tx_ps + net->plat.price.router_ps + m->path.extra_ps,
           tail_ps = m->sent_ps + first_ps;
  head_ps += first_ps;
  for (uint32_t i = 0; i < m->path.n; i++) {
    struct sim_res *link = &net->links[m->path.links[i]];
    const struct sim_wire *wire = sim_net_wire(net, m->path.links[i]);
    uint64_t carry_ps = sim_cost_ps(m->bytes, wire->per_byte);
    end_ps = head_ps + carry_ps;
    if (x != NULL)
      sim_traffic_reach(x, link, m->path.links[i], &x->wire[link->wire], head_ps, now_ps);
    if (wire->shared)
      head_ps =
          sim_leg_claim(net, m, shared, link, head_ps, carry_ps, wire->packet_ps, now_ps, &end_ps);
    else if (shared)
      m->every_ps = sim_later(m->every_ps, carry_ps);
    tail_ps = sim_later(tail_ps, end_ps) + wire->lat_ps;
    head_ps += wire->lat_ps;
  }
  if (x != NULL)
    sim_traffic_reach(x, &net->nic[m->to].rx, (uint64_t)net->n_links + net->n_nodes + m->to,
                      &x->nic, head_ps, now_ps);
  (void)sim_leg_claim(net, m, shared, &net->nic[m->to].rx, head_ps, taken_ps, net->nic_packet_ps,
                      now_ps, &end_ps);
  return sim_later(tail_ps, end_ps - (taken_ps - span_ps)) + m->rx_ps;
}

/* Reserves the way of the message. Returns when its last byte has arrived. */
uint64_t sim_leg_carry(struct sim_net *net, struct leg *m, uint64_t now_ps);

static inline __attribute__((always_inline)) uint64_t sim_leg_carry_if(struct sim_net *net,
                                                                       struct leg *m, bool usual,
                                                                       uint64_t now_ps) {
  return usual ? sim_leg_carry_as(net, m, true, NULL, now_ps) : sim_leg_carry(net, m, now_ps);
}

/* Returns the latency of a route that an acknowledgement takes. */
static inline uint64_t sim_way_ps(const struct sim_net *net, const struct sim_path *path) {
  uint64_t lat_ps = net->plat.price.router_ps + path->extra_ps;
  if (path->lat_ps != SIM_PATH_UNKNOWN) return lat_ps + path->lat_ps;
  for (uint32_t i = 0; i < path->n; i++) lat_ps += sim_net_wire(net, path->links[i])->lat_ps;
  return lat_ps;
}
#endif
