/* SPDX-License-Identifier: BSD-3-Clause */
/* net_reserve.c - computes the times of one operation's stages: LogGP terms, and busy-until
 * contention on NICs, links, memory and atomics. See net.h and carry.h. Acknowledgements take the
 * latency of the way back and reserve nothing. */
#include "base/check.h"
#include "fabric_sim/machine/carry.h"

static enum sim_intra intra_class(const struct sim_net *net, uint32_t src, uint32_t dst) {
  if (src == dst) return SIM_INTRA_SELF;
  return net->unit_numa[src] == net->unit_numa[dst] ? SIM_INTRA_NUMA : SIM_INTRA_NODE;
}

/* The processor's time to copy within a node: the rate falls where a copy exceeds a cache. */
static uint64_t net_copy_ps(const struct sim_net *net, enum sim_msg kind, uint64_t bytes) {
  const sim_per_byte_t *per_byte = net->copies_per_byte[kind == SIM_MSG_GET];
  uint64_t ps = 0, done = 0;
  for (uint32_t i = 0; i < 2 && done < bytes; i++) {
    uint64_t end = net->plat.cache[i] < bytes ? net->plat.cache[i] : bytes;
    if (end <= done) continue;
    ps += sim_cost_ps(end - done, per_byte[i]);
    done = end;
  }
  return ps + sim_cost_ps(bytes - done, per_byte[2]);
}

/* What a copy within a node waits for memory, which both of its ends need, after the processor has
 * copied at its own rate (overhead): for other copies, of long ones (net_piece.c) for a piece, and
 * for memory that is slower than it. */
static uint64_t wait_for_memory(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                                uint64_t bytes, uint64_t t_ps) {
  struct sim_res *from = &net->memory[net->unit_numa[src]], *to = &net->memory[net->unit_numa[dst]];
  uint64_t span_ps = sim_cost_ps(bytes, net->memory_per_byte), piece_ps = net->memory_piece_ps,
           wait_ps = 0, end_ps;
  if (from == to) {
    span_ps *= 2; /* both ends in one turn: a copy does not wait for itself */
    piece_ps *= 2;
  } else {
    sim_res_pass(from, t_ps, span_ps, piece_ps, t_ps, &end_ps);
    wait_ps = end_ps - t_ps - span_ps;
  }
  sim_res_pass(to, t_ps, span_ps, piece_ps, t_ps, &end_ps);
  wait_ps = sim_later(wait_ps, end_ps - t_ps - span_ps);
  if (!net->memory_slows) return wait_ps;
  uint64_t copied_ps = net_copy_ps(net, kind, bytes);
  return wait_ps + (span_ps > copied_ps ? span_ps - copied_ps : 0);
}

void sim_net_copied(const struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                    uint64_t t_ps, uint64_t ready_ps, struct sim_timing *out) {
  enum sim_intra class = intra_class(net, src, dst);
  out->sent_ps = kind == SIM_MSG_PUT ? ready_ps : t_ps;
  out->target_at = ready_ps + (kind == SIM_MSG_PUT ? net->plat.price.intra_ps[class]
                                                   : net->plat.price.load_ps[class]);
  out->done_at = out->target_at;
}

static __attribute__((noinline)) void reserve_intra(struct sim_net *net, enum sim_msg kind,
                                                    uint32_t src, uint32_t dst, uint64_t bytes,
                                                    uint64_t t_ps, struct sim_timing *out) {
  enum sim_intra class = intra_class(net, src, dst);
  uint64_t lat_ps =
      kind == SIM_MSG_PUT ? net->plat.price.intra_ps[class] : net->plat.price.load_ps[class];
  uint64_t ready_ps = t_ps, end_ps;
  if (kind == SIM_MSG_AMO)
    ready_ps = sim_res_claim(&net->line[dst], t_ps, lat_ps, t_ps, &end_ps); /* the cache line */
  else if (bytes > SIM_NET_LINE_BYTES)
    ready_ps = t_ps + wait_for_memory(net, kind, src, dst, bytes, t_ps);
  out->sent_ps = kind == SIM_MSG_PUT ? ready_ps : t_ps;
  out->target_at = ready_ps + lat_ps;
  out->done_at = out->target_at;
}

/* The NIC changes a word: returns when that is done, if it begins at ready_ps or when the NIC has
 * its turn. */
static uint64_t by_nic(struct sim_net *net, uint32_t node, uint64_t ready_ps, uint64_t takes_ps,
                       uint64_t now_ps) {
  uint64_t gap_ps = net->plat.price.amo_gap_ps, end_ps;
  sim_res_claim(&net->nic[node].amo, ready_ps, gap_ps, now_ps, &end_ps);
  return end_ps - gap_ps + takes_ps;
}

/* Put or atomic: one message, and an acknowledgement. */
static inline __attribute__((always_inline)) void reserve_there(struct sim_net *net,
                                                                enum sim_msg kind, uint32_t from,
                                                                uint32_t to, uint64_t bytes,
                                                                uint64_t t_ps, bool usual,
                                                                struct sim_timing *out) {
  const struct sim_prices *price = &net->plat.price;
  struct leg there;
  there.from = from, there.to = to, there.at_ps = t_ps, there.gap_ps = price->gap_ps;
  there.bytes = kind == SIM_MSG_PUT ? bytes : SIM_NET_REQUEST_BYTES;
  there.per_byte = net->put_per_byte, there.tx_ps = price->tx_ps, there.rx_ps = price->rx_ps;
  there.buffer = &net->buffer[0];
  sim_leg_plan_as(net, &there, usual);
  out->target_at = sim_leg_carry_if(net, &there, usual, t_ps);
  out->sent_ps = there.sent_ps;
  if (kind == SIM_MSG_AMO) out->target_at = by_nic(net, to, out->target_at, price->amo_ps, t_ps);
  /* In a preset the way back is the other direction of the same links at the same cost; in a
   * platform file it may differ. */
  bool differs = !usual && (net->file != NULL || there.path.detour);
  if (differs) sim_net_path(net, to, from, there.buffer, &there.path);
  out->done_at = out->target_at + sim_way_ps(net, &there.path) + price->ack_ps;
}

/* Get: a request, and a response with the bytes. */
static inline __attribute__((always_inline)) void reserve_get(struct sim_net *net, uint32_t from,
                                                              uint32_t to, uint64_t bytes,
                                                              uint64_t t_ps, bool usual,
                                                              struct sim_timing *out) {
  const struct sim_prices *price = &net->plat.price;
  struct leg there, back;
  there.from = from, there.to = to, there.at_ps = t_ps, there.gap_ps = price->gap_ps;
  there.bytes = SIM_NET_REQUEST_BYTES;
  there.per_byte = net->put_per_byte, there.tx_ps = price->tx_ps, there.rx_ps = price->rx_ps;
  back.at_ps = t_ps, back.from = to, back.to = from, back.bytes = bytes,
  back.gap_ps = price->gap_ps;
  back.per_byte = net->get_per_byte, back.tx_ps = price->respond_ps, back.rx_ps = price->rx_get_ps;
  there.buffer = &net->buffer[0], back.buffer = &net->buffer[1];
  sim_leg_plan_as(net, &there, usual);
  sim_leg_plan_as(net, &back, usual);
  out->target_at = sim_leg_carry_if(net, &there, usual, t_ps) + price->read_ps;
  out->sent_ps = there.sent_ps;
  back.at_ps = out->target_at;
  out->done_at = sim_leg_carry_if(net, &back, usual, t_ps);
}

static __attribute__((noinline)) void reserve_usual_get(struct sim_net *net, uint32_t from,
                                                        uint32_t to, uint64_t bytes, uint64_t t_ps,
                                                        struct sim_timing *out) {
  reserve_get(net, from, to, bytes, t_ps, true, out);
}

static __attribute__((noinline)) void reserve_unusual(struct sim_net *net, enum sim_msg kind,
                                                      uint32_t from, uint32_t to, uint64_t bytes,
                                                      uint64_t t_ps, struct sim_timing *out) {
  if (kind == SIM_MSG_GET)
    reserve_get(net, from, to, bytes, t_ps, false, out);
  else
    reserve_there(net, kind, from, to, bytes, t_ps, false, out);
}

void sim_net_reserve(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                     uint64_t bytes, uint64_t t_ps, struct sim_timing *out) {
  EYOTI_ASSERT(src < net->n_units && dst < net->n_units);
  uint32_t from = net->unit_node[src], to = net->unit_node[dst];
  if (from == to && (!net->on_nic || src == dst))
    reserve_intra(net, kind, src, dst, bytes, t_ps, out);
  else if (!sim_leg_usual(net, from, to, bytes))
    reserve_unusual(net, kind, from, to, bytes, t_ps, out);
  else if (kind == SIM_MSG_GET)
    reserve_usual_get(net, from, to, bytes, t_ps, out);
  else
    reserve_there(net, kind, from, to, bytes, t_ps, true, out);
}

uint64_t sim_net_overhead_nic_ps(const struct sim_net *net, enum sim_msg kind) {
  return net->plat.price.overhead_ps[kind];
}

uint64_t sim_net_overhead_ps(const struct sim_net *net, enum sim_msg kind, bool by_memory,
                             uint64_t bytes) {
  const struct sim_prices *price = &net->plat.price;
  if (!by_memory) return price->overhead_ps[kind];
  if (kind == SIM_MSG_AMO) return price->intra_amo_overhead_ps + (net->spans ? price->own_ps : 0);
  return (kind == SIM_MSG_PUT ? price->intra_overhead_ps : price->intra_get_overhead_ps) +
         net_copy_ps(net, kind, bytes);
}

uint64_t sim_net_signal_ps(const struct sim_net *net, uint32_t src, uint32_t dst, bool message) {
  const struct sim_prices *price = &net->plat.price;
  if (sim_net_by_memory(net, src, dst)) return message ? price->node_message_ps : price->signal_ps;
  return message ? 0 : price->far_signal_ps;
}

uint64_t sim_net_post_ps(const struct sim_net *net) {
  if (net->spans || (net->on_nic && net->n_units > 1))
    return net->plat.price.overhead_ps[SIM_MSG_PUT];
  return net->plat.price.intra_overhead_ps + net_copy_ps(net, SIM_MSG_PUT, 8);
}

uint64_t sim_net_local_ps(const struct sim_net *net, uint64_t bytes) {
  return net->plat.price.local_ps + sim_cost_ps(bytes, net->copy_per_byte);
}

uint64_t sim_net_poll_ps(const struct sim_net *net, uint64_t bytes) {
  return net->plat.price.poll_ps + sim_cost_ps(bytes, net->copy_per_byte);
}

uint64_t sim_net_complete_ps(const struct sim_net *net) {
  return net->plat.price.complete_ps;
}

uint64_t sim_net_late_ns(const struct sim_net *net, bool by_memory) {
  const struct sim_prices *price = &net->plat.price;
  return (by_memory ? price->late_node_ps : price->late_ps) / 1000;
}

bool sim_net_adds_by_nic(const struct sim_net *net, uint32_t src, uint32_t dst) {
  return net->plat.price.add_ps != 0 && !sim_net_by_memory(net, src, dst);
}

void sim_net_add(struct sim_net *net, uint32_t src, uint32_t dst, uint64_t now_ps,
                 struct sim_timing *times) {
  uint64_t takes_ps = net->plat.price.add_ps, arrived_ps = times->target_at;
  if (!sim_net_adds_by_nic(net, src, dst)) return;
  times->target_at = by_nic(net, net->unit_node[dst], arrived_ps, takes_ps, now_ps);
  times->done_at += times->target_at - arrived_ps;
}

void sim_net_signal(const struct sim_net *net, uint32_t src, uint32_t dst, uint64_t bytes,
                    bool message, struct sim_timing *times) {
  const struct sim_prices *price = &net->plat.price;
  if (sim_net_by_memory(net, src, dst)) return;
  if (bytes > 0 && !message) {
    times->target_at += price->after_ps;
    times->done_at += price->after_ps;
    return;
  }
  uint64_t rx_ps = message ? price->message_ps : price->signal_rx_ps;
  times->target_at = times->target_at - price->rx_ps + rx_ps;
  times->done_at = times->done_at - price->rx_ps + rx_ps;
  if (times->target_at < times->sent_ps) times->target_at = times->sent_ps;
}

bool sim_net_needs_targets(const struct sim_net *net, struct sim_net_targets *out) {
  const struct sim_prices *price = &net->plat.price;
  *out = (struct sim_net_targets){.in_call = net->plat.progress != 0,
                                  .serve_ps = price->serve_ps,
                                  .serve_amo_ps = price->serve_amo_ps,
                                  .first_ps = price->first_ps};
  bool any = out->in_call || (out->serve_ps | out->serve_amo_ps | out->first_ps) != 0;
  return any && (net->spans || net->on_nic);
}

bool sim_net_signals_apart(const struct sim_net *net) {
  return net->signals_apart;
}

uint64_t sim_net_flush_ps(const struct sim_net *net) {
  return net->plat.price.local_ps + net->plat.price.flush_ps;
}

uint64_t sim_net_word_ps(const struct sim_net *net) {
  return net->plat.price.overhead_word_ps;
}

const struct fab_model *sim_net_model(const struct sim_net *net) {
  return &net->model;
}
