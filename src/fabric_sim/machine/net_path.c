/* SPDX-License-Identifier: BSD-3-Clause */
/* net_path.c - the links between two nodes: computed for presets; for platform files queried once
 * from SimGrid and kept. See net_tables.h. */
#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/host/prefetch.h"
#include "fabric_sim/machine/net_tables.h"

uint32_t sim_net_class(const struct sim_net *net, uint32_t link) {
  uint32_t from, to, class;
  enum sim_df_color color;
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) {
    sim_df_link(&net->df, link, &from, &to, &color);
    return color;
  }
  if (net->plat.kind == SIM_PLAT_TREE) return sim_tree_link_level(&net->tree, link);
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
  int rc = net->sg->route(net->file, src, dst, slot->links, slot->cap, &n, &lat_ps);
  if (rc == EYOT_ERANGE) {
    uint32_t *links = realloc(slot->links, n * sizeof *links);
    if (links == NULL) eyoti_no_memory(n * sizeof *links, "a route of %u links", n);
    slot->links = links;
    slot->cap = n;
    rc = net->sg->route(net->file, src, dst, slot->links, slot->cap, &n, &lat_ps);
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

void sim_net_expect(const struct sim_net *net, uint32_t src, uint32_t dst) {
  uint32_t from = net->unit_node[src], to = net->unit_node[dst];
  SIM_PREFETCHES();
  if (net->known != NULL) __builtin_prefetch(&net->known[sim_known_slot(from, to)]);
}

void sim_net_learn(const struct sim_net *net, struct sim_route_known *k, uint32_t src_node,
                   uint32_t dst_node) {
  k->pair = (uint64_t)src_node << 32 | dst_node;
  /* a preset's blade is its router */
  k->n = sim_df_route(&net->df, net->level[0][src_node], net->level[0][dst_node],
                      pair_hash(src_node, dst_node), k->links);
  k->lat_ps = 0;
  for (uint32_t i = 0; i < k->n; i++) k->lat_ps += sim_net_wire(net, k->links[i])->lat_ps;
}

static void tree_path(struct sim_net *net, uint32_t src_node, uint32_t dst_node,
                      union sim_path_buffer *buffer, struct sim_path *path) {
  path->n =
      sim_tree_route(&net->tree, net->tree_node[src_node], net->tree_node[dst_node], buffer->tree);
  path->links = buffer->tree;
  path->lat_ps = 0;
  for (uint32_t i = 0; i < path->n / 2; i++) path->lat_ps += 2 * net->wires[i + 1].lat_ps;
}

void sim_net_path(struct sim_net *net, uint32_t src_node, uint32_t dst_node,
                  union sim_path_buffer *buffer, struct sim_path *path) {
  path->extra_ps = 0;
  path->lat_ps = SIM_PATH_UNKNOWN;
  path->detour = false;
  if (src_node == dst_node) {
    *path = (struct sim_path){.links = buffer->df};
    return;
  }
  if (net->known != NULL) {
    *path = sim_net_known(net, src_node, dst_node);
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
  if (net->tree_node != NULL) {
    tree_path(net, src_node, dst_node, buffer, path);
    return;
  }
  uint32_t src = net->level[0][src_node], dst = net->level[0][dst_node];
  path->n = sim_torus_route(&net->torus, src, dst, buffer->torus);
  path->links = buffer->torus;
}
