/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_model.c - what messages cost on a machine, from its figures, for the choice of
 * algorithms (fabric/model.h): of put signals between idle nodes some hops apart. */
#include "fabric_sim/machine/platform.h"

/* Of 1,024 bytes; 0 for no limit. */
static uint64_t kib_ps(uint64_t bytes_per_s) {
  return bytes_per_s > 0 ? SIM_PS_PER_S * 1024 / bytes_per_s : 0;
}

void sim_plat_model(const struct sim_plat *p, struct fab_model *out) {
  const struct sim_prices *price = &p->price;
  uint64_t hops_ps = p->link[0].lat_ps + p->link[1].lat_ps;
  if (p->kind == SIM_PLAT_TREE)
    hops_ps = 2 * (p->link[0].lat_ps + (p->levels > 1 ? p->link[1].lat_ps : 0));
  *out = (struct fab_model){
      .post_ps = price->overhead_ps[0],
      .net_ps = price->tx_ps + price->router_ps + hops_ps + price->message_ps,
      .gap_ps = price->gap_ps,
      .node_post_ps = price->intra_overhead_ps + price->node_message_ps,
      /* some are in one NUMA domain, some are not */
      .node_ps = (price->intra_ps[SIM_INTRA_NUMA] +
                  price->intra_ps[p->numa > 1 ? SIM_INTRA_NODE : SIM_INTRA_NUMA]) /
                 2,
      .look_ps = price->poll_ps,
      .call_ps = price->call_ps,
      .net_kib_ps = kib_ps(price->nic_put_bytes_per_s),
      .node_kib_ps = kib_ps(price->copy_bytes_per_s),
      /* a copy reads and writes */
      .memory_kib_ps = 2 * kib_ps(price->memory_bytes_per_s),
      .memory_units = p->cores > p->numa ? p->cores / p->numa : 1};
  out->memory_ps = price->intra_ps[SIM_INTRA_NUMA];
  if (p->kind == SIM_PLAT_TREE && p->levels > 1) { /* the nodes of a leaf switch; links are wide */
    out->router_ps = out->net_ps - 2 * p->link[1].lat_ps;
    out->router_nodes = p->nodes;
    out->row_routers = 1;
  }
  if (p->kind != SIM_PLAT_DRAGONFLY) return;
  out->router_ps = out->net_ps - hops_ps;
  out->router_nodes = p->nodes;
  out->row_routers = p->blades;
  out->link_kib_ps = kib_ps(p->link[0].bytes_per_s);
}
