/* SPDX-License-Identifier: BSD-3-Clause */
/* net_path.c - the links between two nodes: computed for presets; for platform files queried once
 * from SimGrid and kept. See net_tables.h. */
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/machine/net_tables.h"

uint32_t sim_net_class(const struct sim_net *net, uint32_t link) {
  uint32_t from, to, class;
  enum sim_df_color color;
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) {
    sim_df_link(&net->df, link, &from, &to, &color);
    return color;
  }
  sim_torus_link(&net->torus, link, &from, &to, &class);
  return class;
}

/* The same for both directions, so that a response can use the request's route. */
static uint64_t pair_hash(uint32_t a, uint32_t b) {
  uint64_t x = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Fills a slot with SimGrid's route. The file was checked for missing routes when it was loaded; an
 * operation over one that is found only now has no cost, so this panics. */
static void ask_simgrid(struct sim_net *net, struct sim_route_slot *slot, uint32_t src,
                        uint32_t dst) {
  uint64_t lat_ps = 0;
  uint32_t n = 0;
  int rc = sim_sg_route(net->file, src, dst, slot->links, slot->cap, &n, &lat_ps);
  if (rc == EYOT_ERANGE) {
    uint32_t *links = realloc(slot->links, n * sizeof *links);
    if (links == NULL) eyoti_no_memory(n * sizeof *links, "a route of %u links", n);
    slot->links = links;
    slot->cap = n;
    rc = sim_sg_route(net->file, src, dst, slot->links, slot->cap, &n, &lat_ps);
  }
  if (rc != 0)
    EYOTI_PANIC("platform %s has no route from host %u to host %u", net->plat.name, src, dst);
  uint64_t links_ps = 0;
  for (uint32_t i = 0; i < n; i++) links_ps += sim_net_wire(net, slot->links[i])->lat_ps;
  slot->src = src;
  slot->dst = dst;
  slot->n = n;
  slot->extra_ps = lat_ps > links_ps ? lat_ps - links_ps : 0;
}

void sim_net_path(struct sim_net *net, uint32_t src_node, uint32_t dst_node,
                  union sim_path_buffer *buffer, struct sim_path *path) {
  path->extra_ps = 0;
  path->detour = false;
  if (src_node == dst_node) {
    *path = (struct sim_path){.links = buffer->df};
    return;
  }
  if (net->file != NULL) {
    uint64_t hash = pair_hash(src_node, dst_node) * 2 + (uint64_t)(src_node > dst_node);
    struct sim_route_slot *slot = &net->cache[hash % SIM_NET_CACHE_SLOTS];
    if (slot->src != src_node || slot->dst != dst_node) ask_simgrid(net, slot, src_node, dst_node);
    path->links = slot->links;
    path->n = slot->n;
    path->extra_ps = slot->extra_ps;
    return;
  }
  /* a preset's blade is its router */
  uint32_t src = net->level[0][src_node], dst = net->level[0][dst_node];
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) {
    path->n = sim_df_route(&net->df, src, dst, pair_hash(src_node, dst_node), buffer->df);
    path->links = buffer->df;
  } else {
    path->n = sim_torus_route(&net->torus, src, dst, buffer->torus);
    path->links = buffer->torus;
  }
}
