/* SPDX-License-Identifier: BSD-3-Clause */
/* net_reserve.c - computes the times of one operation's stages: LogGP terms, and busy-until
 * contention on NICs, links, memory and atomics. See net.h.
 *
 * A message is a head and a tail. The head waits for each link in turn and takes its latency; the
 * tail leaves a link no earlier than it came and no earlier than the link has carried all bytes, so
 * the cost of bytes is charged once, at the slowest place (cut-through). Acknowledgements take the
 * latency of the way back and reserve nothing. This code neither allocates nor calls SimGrid,
 * except at the first use of a platform file's route. */
#include "base/check.h"
#include "fabric_sim/machine/net_tables.h"

static uint64_t net_later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* One message from NIC to NIC. */
struct leg {
  uint32_t from, to; /* nodes */
  uint64_t bytes;
  sim_per_byte_t per_byte; /* of the NICs */
  uint64_t tx_ps, rx_ps;   /* latencies at its ends */
  uint64_t at_ps;          /* ready to be sent */
  uint64_t sent_ps;        /* out: the last byte has been read */
  struct sim_path path;
  union sim_path_buffer buffer;
};

/* Finds the route and prefetches what carry will touch: the cache misses of one operation
 * overlap. */
static void net_plan(struct sim_net *net, struct leg *m) {
  sim_net_path(net, m->from, m->to, &m->buffer, &m->path);
  __builtin_prefetch(&net->nic[m->from].tx, 1);
  __builtin_prefetch(&net->nic[m->to].rx, 1);
  for (uint32_t i = 0; i < m->path.n; i++) __builtin_prefetch(&net->links[m->path.links[i]], 1);
}

/* Returns when the last byte has arrived. */
static uint64_t carry(struct sim_net *net, struct leg *m, uint64_t now_ps) {
  const struct sim_prices *price = &net->plat.price;
  uint64_t span_ps = sim_cost_ps(m->bytes, m->per_byte),
           taken_ps = net_later(span_ps, price->gap_ps), end_ps;
  uint64_t head_ps = sim_res_claim(&net->nic[m->from].tx, m->at_ps, taken_ps, now_ps, &end_ps);
  m->sent_ps = end_ps - (taken_ps - span_ps);
  uint64_t first_ps = m->tx_ps + price->router_ps + m->path.extra_ps,
           tail_ps = m->sent_ps + first_ps;
  head_ps += first_ps;
  for (uint32_t i = 0; i < m->path.n; i++) {
    struct sim_res *link = &net->links[m->path.links[i]];
    const struct sim_wire *wire = &net->wires[link->wire];
    uint64_t carry_ps = sim_cost_ps(m->bytes, wire->per_byte);
    end_ps = head_ps + carry_ps;
    if (wire->shared) head_ps = sim_res_claim(link, head_ps, carry_ps, now_ps, &end_ps);
    tail_ps = net_later(tail_ps, end_ps) + wire->lat_ps;
    head_ps += wire->lat_ps;
  }
  sim_res_claim(&net->nic[m->to].rx, head_ps, taken_ps, now_ps, &end_ps);
  return net_later(tail_ps, end_ps - (taken_ps - span_ps)) + m->rx_ps;
}

/* Returns the latency of a route that an acknowledgement takes. */
static uint64_t way_ps(const struct sim_net *net, const struct sim_path *path) {
  uint64_t lat_ps = net->plat.price.router_ps + path->extra_ps;
  for (uint32_t i = 0; i < path->n; i++)
    lat_ps += net->wires[net->links[path->links[i]].wire].lat_ps;
  return lat_ps;
}

static enum sim_intra intra_class(const struct sim_net *net, uint32_t src, uint32_t dst) {
  if (src == dst) return SIM_INTRA_SELF;
  return net->unit_numa[src] == net->unit_numa[dst] ? SIM_INTRA_NUMA : SIM_INTRA_NODE;
}

/* Within a node the CPU has copied already (overhead): what remains is the wait for memory
 * bandwidth, taken at both ends, or for the cache line. */
static void reserve_intra(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                          uint64_t bytes, uint64_t t_ps, struct sim_timing *out) {
  uint64_t lat_ps = net->plat.price.intra_ps[intra_class(net, src, dst)], ready_ps = t_ps, end_ps;
  if (kind == SIM_MSG_AMO) {
    ready_ps = sim_res_claim(&net->line[dst], t_ps, lat_ps, t_ps, &end_ps);
  } else if (bytes > SIM_NET_LINE_BYTES) {
    uint64_t span_ps = sim_cost_ps(bytes, net->memory_per_byte), wait_ps;
    sim_res_claim(&net->memory[net->unit_numa[src]], t_ps, span_ps, t_ps, &end_ps);
    wait_ps = end_ps - t_ps - span_ps;
    sim_res_claim(&net->memory[net->unit_numa[dst]], t_ps, span_ps, t_ps, &end_ps);
    ready_ps = t_ps + net_later(wait_ps, end_ps - t_ps - span_ps);
  }
  out->sent_ps = kind == SIM_MSG_PUT ? ready_ps : t_ps;
  out->target_at = ready_ps + lat_ps;
  out->done_at = out->target_at;
}

/* Put or atomic: one message, and an acknowledgement. */
static void reserve_there(struct sim_net *net, enum sim_msg kind, uint32_t from, uint32_t to,
                          uint64_t bytes, uint64_t t_ps, struct sim_timing *out) {
  const struct sim_prices *price = &net->plat.price;
  struct leg there;
  there.from = from, there.to = to, there.at_ps = t_ps;
  there.bytes = kind == SIM_MSG_PUT ? bytes : SIM_NET_REQUEST_BYTES;
  there.per_byte = net->put_per_byte, there.tx_ps = price->tx_ps, there.rx_ps = price->rx_ps;
  net_plan(net, &there);
  out->target_at = carry(net, &there, t_ps);
  out->sent_ps = there.sent_ps;
  if (kind == SIM_MSG_AMO) {
    uint64_t end_ps;
    sim_res_claim(&net->nic[to].amo, out->target_at, price->amo_gap_ps, t_ps, &end_ps);
    out->target_at = end_ps - price->amo_gap_ps + price->amo_ps;
  }
  /* In a preset the way back is the other direction of the same links at the same cost; in a
   * platform file it may differ. */
  if (net->file != NULL) sim_net_path(net, to, from, &there.buffer, &there.path);
  out->done_at = out->target_at + way_ps(net, &there.path) + price->ack_ps;
}

/* Get: a request, and a response with the bytes. */
static void reserve_get(struct sim_net *net, uint32_t from, uint32_t to, uint64_t bytes,
                        uint64_t t_ps, struct sim_timing *out) {
  const struct sim_prices *price = &net->plat.price;
  struct leg there, back;
  there.from = from, there.to = to, there.at_ps = t_ps, there.bytes = SIM_NET_REQUEST_BYTES;
  there.per_byte = net->put_per_byte, there.tx_ps = price->tx_ps, there.rx_ps = price->rx_ps;
  back.from = to, back.to = from, back.bytes = bytes;
  back.per_byte = net->get_per_byte, back.tx_ps = price->respond_ps, back.rx_ps = price->rx_get_ps;
  net_plan(net, &there);
  net_plan(net, &back);
  out->target_at = carry(net, &there, t_ps) + price->read_ps;
  out->sent_ps = there.sent_ps;
  back.at_ps = out->target_at;
  out->done_at = carry(net, &back, t_ps);
}

void sim_net_reserve(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                     uint64_t bytes, uint64_t t_ps, struct sim_timing *out) {
  EYOTI_ASSERT(src < net->n_units && dst < net->n_units);
  uint32_t from = net->unit_node[src], to = net->unit_node[dst];
  if (from == to) {
    reserve_intra(net, kind, src, dst, bytes, t_ps, out);
    return;
  }
  if (kind == SIM_MSG_GET)
    reserve_get(net, from, to, bytes, t_ps, out);
  else
    reserve_there(net, kind, from, to, bytes, t_ps, out);
}

uint64_t sim_net_overhead_ps(const struct sim_net *net, enum sim_msg kind, uint32_t src,
                             uint32_t dst, uint64_t bytes) {
  if (!sim_net_same_node(net, src, dst)) return net->plat.price.overhead_ps[kind];
  return net->plat.price.intra_overhead_ps +
         (kind == SIM_MSG_AMO ? 0 : sim_cost_ps(bytes, net->copy_per_byte));
}

uint64_t sim_net_local_ps(const struct sim_net *net, uint64_t bytes) {
  return net->plat.price.local_ps + sim_cost_ps(bytes, net->copy_per_byte);
}
