/* fs_net_reserve.c - when the steps of one operation happen: LogGP terms, and busy-until contention on NICs, links, memory and atomics.
 *
 * A message is a head and a tail. The head waits for each link in turn and pays its latency; the tail leaves a link no earlier than it came and no earlier
 * than the link has carried all bytes, so bytes are paid once, at the slowest place (cut-through). Acknowledgements pay the latency of the way back and
 * reserve nothing. Nothing here allocates or asks SimGrid, a first use of a platform file's route apart.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../base/check.h"
#include "fs_net_int.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t room_left(uint64_t from, uint64_t to) { return to > from ? to - from : 0; }

/* Reserves r for span_ps from at_ps on at the earliest; returns when it starts. What is idle before now_ps is of no use to anyone. */
static uint64_t claim(struct fs_res *r, uint64_t at_ps, uint64_t span_ps, uint64_t now_ps) {
  uint64_t gap_ps = later(r->gap_ps, now_ps);
  if (at_ps >= r->busy_ps) {
    if (room_left(later(r->busy_ps, now_ps), at_ps) >= room_left(gap_ps, r->gap_end_ps)) {
      r->gap_ps = r->busy_ps;
      r->gap_end_ps = at_ps;
    }
    r->busy_ps = at_ps + span_ps;
    return at_ps;
  }
  uint64_t start_ps = later(at_ps, r->gap_ps);
  if (start_ps + span_ps <= r->gap_end_ps) {
    if (room_left(gap_ps, start_ps) > r->gap_end_ps - (start_ps + span_ps))
      r->gap_end_ps = start_ps;
    else
      r->gap_ps = start_ps + span_ps;
    return start_ps;
  }
  start_ps = r->busy_ps;
  r->busy_ps += span_ps;
  return start_ps;
}

/* One message from NIC to NIC. */
struct leg {
  uint32_t from, to; /* nodes */
  uint64_t bytes;
  fs_per_byte_t per_byte;   /* of the NICs */
  uint64_t tx_ps, rx_ps;    /* latencies at its ends */
  uint64_t at_ps;           /* ready to be sent */
  uint64_t sent_ps, lat_ps; /* out: the last byte has been read; latency of the way */
};

/* Returns when the last byte has arrived. */
static uint64_t carry(struct fs_net *net, struct leg *m, uint64_t now_ps) {
  union fs_path_room room;
  struct fs_path path;
  fs_net_path(net, m->from, m->to, &room, &path);
  const struct fs_prices *price = &net->plat.price;
  uint64_t span_ps = fs_cost_ps(m->bytes, m->per_byte), taken_ps = later(span_ps, price->gap_ps);
  uint64_t head_ps = claim(&net->nic[m->from].tx, m->at_ps, taken_ps, now_ps);
  m->sent_ps = head_ps + span_ps;
  m->lat_ps = price->router_ps + path.extra_ps;
  head_ps += m->tx_ps + m->lat_ps;
  uint64_t tail_ps = head_ps + span_ps;
  for (uint32_t i = 0; i < path.n; i++) {
    struct fs_link *link = &net->links[path.links[i]];
    uint64_t carry_ps = fs_cost_ps(m->bytes, link->per_byte);
    if (link->shared != 0) head_ps = claim(&link->res, head_ps, carry_ps, now_ps);
    tail_ps = later(tail_ps, head_ps + carry_ps) + link->lat_ps;
    head_ps += link->lat_ps;
    m->lat_ps += link->lat_ps;
  }
  head_ps = claim(&net->nic[m->to].rx, head_ps, taken_ps, now_ps);
  return later(tail_ps, head_ps + span_ps) + m->rx_ps;
}

/* Latency of the way back, which may be another one in a platform file. */
static uint64_t back_ps(struct fs_net *net, const struct leg *m) {
  if (net->file == NULL) return m->lat_ps; /* presets: the same links in the other direction, at the same prices */
  union fs_path_room room;
  struct fs_path path;
  fs_net_path(net, m->to, m->from, &room, &path);
  uint64_t lat_ps = net->plat.price.router_ps + path.extra_ps;
  for (uint32_t i = 0; i < path.n; i++) lat_ps += net->links[path.links[i]].lat_ps;
  return lat_ps;
}

static enum fs_near near_class(const struct fs_net *net, uint32_t src, uint32_t dst) {
  if (src == dst) return FS_NEAR_SELF;
  return net->unit_numa[src] == net->unit_numa[dst] ? FS_NEAR_NUMA : FS_NEAR_NODE;
}

/* Within a node the CPU has copied already (overhead): what is left is waiting for memory bandwidth, taken at both ends, or for the cache line. */
static void reserve_near(struct fs_net *net, enum fs_msg kind, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t t_ps, struct fs_timing *out) {
  uint64_t lat_ps = net->plat.price.near_ps[near_class(net, src, dst)], start_ps = t_ps;
  if (kind == FS_MSG_AMO) {
    start_ps = claim(&net->line[dst], t_ps, lat_ps, t_ps);
  } else if (bytes > FS_NET_LINE_BYTES) {
    uint64_t span_ps = fs_cost_ps(bytes, net->memory_per_byte);
    start_ps = claim(&net->memory[net->unit_numa[src]], t_ps, span_ps, t_ps);
    start_ps = later(start_ps, claim(&net->memory[net->unit_numa[dst]], t_ps, span_ps, t_ps));
  }
  out->sent_ps = kind == FS_MSG_PUT ? start_ps : t_ps;
  out->target_ps = start_ps + lat_ps;
  out->done_ps = out->target_ps;
}

void fs_net_reserve(struct fs_net *net, enum fs_msg kind, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t t_ps, struct fs_timing *out) {
  EYOTI_ASSERT(src < net->n_units && dst < net->n_units);
  uint32_t from = net->unit_node[src], to = net->unit_node[dst];
  if (from == to) {
    reserve_near(net, kind, src, dst, bytes, t_ps, out);
    return;
  }
  const struct fs_prices *price = &net->plat.price;
  struct leg there = {.from = from,
                      .to = to,
                      .bytes = kind == FS_MSG_PUT ? bytes : FS_NET_REQUEST_BYTES,
                      .per_byte = net->put_per_byte,
                      .tx_ps = price->tx_ps,
                      .rx_ps = price->rx_ps,
                      .at_ps = t_ps};
  uint64_t arrived_ps = carry(net, &there, t_ps);
  out->sent_ps = there.sent_ps;
  if (kind == FS_MSG_GET) {
    out->target_ps = arrived_ps + price->read_ps;
    struct leg back = {.from = to,
                       .to = from,
                       .bytes = bytes,
                       .per_byte = net->get_per_byte,
                       .tx_ps = price->respond_ps,
                       .rx_ps = price->rx_get_ps,
                       .at_ps = out->target_ps};
    out->done_ps = carry(net, &back, t_ps);
    return;
  }
  out->target_ps = arrived_ps;
  if (kind == FS_MSG_AMO) out->target_ps = claim(&net->nic[to].amo, arrived_ps, price->amo_gap_ps, t_ps) + price->amo_ps;
  out->done_ps = out->target_ps + back_ps(net, &there) + price->ack_ps;
}

uint64_t fs_net_overhead_ps(const struct fs_net *net, enum fs_msg kind, uint32_t src, uint32_t dst, uint64_t bytes) {
  if (!fs_net_same_node(net, src, dst)) return net->plat.price.overhead_ps[kind];
  return net->plat.price.near_overhead_ps + (kind == FS_MSG_AMO ? 0 : fs_cost_ps(bytes, net->copy_per_byte));
}

uint64_t fs_net_local_ps(const struct fs_net *net, uint64_t bytes) { return net->plat.price.local_ps + fs_cost_ps(bytes, net->copy_per_byte); }
