/* SPDX-License-Identifier: BSD-3-Clause */
/* net_piece.c - long messages on a shared network, and long copies within a node, piece by piece.
 * See net.h and carry.h.
 *
 * A flow has one piece on its way to the place that is its bottleneck: the next piece is ready when
 * this one leaves the place where it queued longest. So flows that share a place take turns there,
 * whatever their lengths, and a place is idle only if no flow has a piece for it: served in turns,
 * with such a window, shares are max-min fair (E. Hahne, Round-robin scheduling for max-min
 * fairness in data networks, IEEE JSAC 9(7), 1991). */
#include "base/check.h"
#include "fabric_sim/machine/carry.h"

bool sim_net_is_long(const struct sim_net *net, enum sim_msg kind, bool by_memory, uint64_t bytes) {
  return net->shared && bytes > (by_memory ? SIM_NET_PIECE_BYTES : SIM_NET_LINE_BYTES) &&
         kind != SIM_MSG_AMO;
}

uint64_t sim_net_request(struct sim_net *net, uint32_t src, uint32_t dst, uint64_t t_ps,
                         uint64_t *sent_ps) {
  const struct sim_prices *price = &net->plat.price;
  struct leg m = {.from = net->unit_node[src],
                  .to = net->unit_node[dst],
                  .bytes = SIM_NET_REQUEST_BYTES,
                  .per_byte = net->put_per_byte,
                  .tx_ps = price->tx_ps,
                  .rx_ps = price->rx_ps,
                  .gap_ps = price->gap_ps,
                  .at_ps = t_ps,
                  .buffer = &net->buffer[0]};
  sim_leg_plan(net, &m);
  uint64_t at_ps = sim_leg_carry(net, &m, t_ps) + price->read_ps;
  *sent_ps = m.sent_ps;
  return at_ps;
}

void sim_net_piece(struct sim_net *net, const struct sim_piece *p, struct sim_piece_times *out) {
  const struct sim_prices *price = &net->plat.price;
  bool put = p->kind == SIM_MSG_PUT;
  struct leg m = {.from = net->unit_node[put ? p->src : p->dst],
                  .to = net->unit_node[put ? p->dst : p->src],
                  .bytes = p->bytes,
                  .per_byte = put ? net->put_per_byte : net->get_per_byte,
                  .tx_ps = put ? price->tx_ps : price->respond_ps,
                  .rx_ps = put ? price->rx_ps : price->rx_get_ps,
                  .gap_ps = p->first ? price->gap_ps : 0,
                  .at_ps = p->at_ps,
                  .buffer = &net->buffer[0]};
  EYOTI_ASSERT((net->on_nic || m.from != m.to) && p->bytes <= SIM_NET_PIECE_BYTES);
  sim_leg_plan(net, &m);
  out->arrive_ps = sim_leg_carry(net, &m, p->now_ps);
  out->sent_ps = m.sent_ps;
  out->next_ps = p->at_ps + m.every_ps;
}

/* Takes the memory of a domain for an end of the piece, or for both. The last pieces of a copy are
 * smaller, and delay its next one by their share of the queue, as at a NIC (carry.h). */
static void copy_claim(struct sim_res *memory, const struct sim_piece *p, uint64_t span_ps,
                       struct sim_piece_times *out) {
  uint64_t end_ps;
  sim_res_claim(memory, p->at_ps, span_ps, p->now_ps, &end_ps);
  sim_res_long(memory, end_ps);
  uint64_t queue_ps = (end_ps - p->at_ps - span_ps) * p->bytes / SIM_NET_PIECE_BYTES;
  out->next_ps = sim_later(out->next_ps, p->at_ps + span_ps + queue_ps);
  out->arrive_ps = sim_later(out->arrive_ps, end_ps);
}

/* The processor waits for memory only if that takes longer than its own work. */
void sim_net_copy(struct sim_net *net, const struct sim_piece *p, uint64_t copy_ps,
                  struct sim_piece_times *out) {
  struct sim_res *from = &net->memory[net->unit_numa[p->src]],
                 *to = &net->memory[net->unit_numa[p->dst]];
  uint64_t span_ps = sim_cost_ps(p->bytes, net->memory_per_byte);
  EYOTI_ASSERT(sim_net_by_memory(net, p->src, p->dst) && p->bytes <= SIM_NET_PIECE_BYTES);
  out->next_ps = out->arrive_ps = p->at_ps + copy_ps;
  copy_claim(to, p, from == to ? 2 * span_ps : span_ps, out);
  if (from != to) copy_claim(from, p, span_ps, out);
  out->sent_ps = out->arrive_ps;
}

uint64_t sim_net_ack_ps(struct sim_net *net, uint32_t src, uint32_t dst) {
  struct sim_path path;
  sim_net_path(net, net->unit_node[dst], net->unit_node[src], &net->buffer[0], &path);
  return sim_way_ps(net, &path) + net->plat.price.ack_ps;
}

/* -- SimGrid's flows --------------------------------------------------------------------------- */

/* A platform file's own routes need not lead from a host to itself, nor through its NIC. */
bool sim_net_has_flow(const struct sim_net *net, uint32_t src, uint32_t dst) {
  return net->flows && (net->file == NULL || !sim_net_same_node(net, src, dst));
}

void *sim_net_flow_start(const struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                         uint64_t bytes) {
  bool put = kind == SIM_MSG_PUT;
  void **host = put || net->get_host == NULL ? net->host : net->get_host;
  return net->sg->flow_start(host[net->unit_node[put ? src : dst]],
                             host[net->unit_node[put ? dst : src]], bytes);
}

double sim_net_flow_left(const struct sim_net *net, void *flow) {
  return net->sg->flow_left(flow);
}

void sim_net_flow_free(const struct sim_net *net, void *flow) {
  net->sg->flow_free(flow);
}

double sim_net_flow_byte_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst) {
  bool put = kind == SIM_MSG_PUT;
  sim_per_byte_t most = put ? net->put_per_byte : net->get_per_byte;
  struct sim_path path;
  sim_net_path(net, net->unit_node[put ? src : dst], net->unit_node[put ? dst : src],
               &net->buffer[0], &path);
  for (uint32_t i = 0; i < path.n; i++) {
    const struct sim_wire *wire = sim_net_wire(net, path.links[i]);
    if (wire->per_byte > most) most = wire->per_byte;
  }
  return (double)most / (double)SIM_PER_BYTE_ONE;
}

/* SimGrid pays the latencies of a platform file's links; those of a preset are paid here. */
uint64_t sim_net_flow_way_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst) {
  const struct sim_prices *price = &net->plat.price;
  bool put = kind == SIM_MSG_PUT;
  uint64_t ends_ps = put ? price->tx_ps + price->rx_ps : price->respond_ps + price->rx_get_ps;
  struct sim_path path;
  if (net->file != NULL) return ends_ps + price->router_ps;
  sim_net_path(net, net->unit_node[put ? src : dst], net->unit_node[put ? dst : src],
               &net->buffer[0], &path);
  return ends_ps + sim_way_ps(net, &path);
}
