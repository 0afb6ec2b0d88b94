/* SPDX-License-Identifier: BSD-3-Clause */
/* carry.c - reserves the places of a message's way: NICs and links. See carry.h.
 *
 * A message is a head and a tail. The head waits for each link in turn and takes its latency; the
 * tail leaves a link no earlier than it came and no earlier than the link has carried all bytes, so
 * the cost of bytes is charged once, at the slowest place (cut-through). This code neither
 * allocates nor calls SimGrid, except at the first use of a platform file's route. */
#include "fabric_sim/machine/carry.h"

#include "fabric_sim/machine/traffic.h"

/* Reserves a place of the way. On a shared network a message of up to a cache line passes longer
 * ones; these queue. A piece delays the flow's next one by its share of the queue: so a flow has as
 * many small messages in a queue as make a whole piece. */
static inline __attribute__((always_inline)) uint64_t leg_claim(struct leg *m, bool shared,
                                                                struct sim_res *r, uint64_t at_ps,
                                                                uint64_t span_ps,
                                                                uint64_t packet_ps, uint64_t now_ps,
                                                                uint64_t *end_ps) {
  if (!shared) return sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  if (m->bytes <= SIM_NET_LINE_BYTES)
    return sim_res_pass(r, at_ps, span_ps, packet_ps, now_ps, end_ps);
  uint64_t start_ps = sim_res_claim(r, at_ps, span_ps, now_ps, end_ps);
  uint64_t queue_ps = (*end_ps - at_ps - span_ps) * m->bytes / SIM_NET_PIECE_BYTES;
  m->every_ps = sim_later(m->every_ps, span_ps + queue_ps);
  sim_res_long(r, *end_ps);
  return start_ps;
}

/* Returns when the last byte has arrived. */
static inline __attribute__((always_inline)) uint64_t carry(struct sim_net *net, struct leg *m,
                                                            bool shared, struct sim_traffic *x,
                                                            uint64_t now_ps) {
  uint64_t span_ps = sim_cost_ps(m->bytes, m->per_byte), taken_ps = sim_later(span_ps, m->gap_ps),
           end_ps;
  m->every_ps = 0;
  if (x != NULL)
    sim_traffic_reach(x, &net->nic[m->from].tx, (uint64_t)net->n_links + m->from, &x->nic, m->at_ps,
                      now_ps);
  uint64_t head_ps = leg_claim(m, shared, &net->nic[m->from].tx, m->at_ps, taken_ps,
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
      head_ps = leg_claim(m, shared, link, head_ps, carry_ps, wire->packet_ps, now_ps, &end_ps);
    else if (shared)
      m->every_ps = sim_later(m->every_ps, carry_ps);
    tail_ps = sim_later(tail_ps, end_ps) + wire->lat_ps;
    head_ps += wire->lat_ps;
  }
  if (x != NULL)
    sim_traffic_reach(x, &net->nic[m->to].rx, (uint64_t)net->n_links + net->n_nodes + m->to,
                      &x->nic, head_ps, now_ps);
  (void)leg_claim(m, shared, &net->nic[m->to].rx, head_ps, taken_ps, net->nic_packet_ps, now_ps,
                  &end_ps);
  return sim_later(tail_ps, end_ps - (taken_ps - span_ps)) + m->rx_ps;
}

uint64_t sim_leg_carry(struct sim_net *net, struct leg *m, uint64_t now_ps) {
  if (__builtin_expect(net->traffic != NULL, 0))
    return carry(net, m, net->shared, net->traffic, now_ps);
  return net->shared ? carry(net, m, true, NULL, now_ps) : carry(net, m, false, NULL, now_ps);
}
