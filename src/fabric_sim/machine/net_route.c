/* SPDX-License-Identifier: BSD-3-Clause */
/* net_route.c - chooses between the minimal route and a detour (the key `routing` of a Dragonfly).
 * See net_tables.h and adr/0064.
 *
 * `valiant` takes the detour always, `adaptive` where it is expected to be faster: UGAL-L with what
 * the routers of the source's group know, the queues of the route's first link and of the blue link
 * that leaves the group (J. Kim, W. Dally, S. Scott, D. Abts, Technology-driven, highly-scalable
 * dragonfly topology, ISCA 2008; N. Jiang, J. Kim, W. Dally, Indirect adaptive routing, ISCA 2009).
 * Queues are compared in time, times hops; a detour pays for its longer way in advance. */
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/net_tables.h"

static uint64_t route_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

void sim_route_begin(struct sim_net *net, uint64_t seed) {
  net->route_seed = seed;
  net->drawn = 0;
}

/* A route, as seen from its source. */
struct outlook {
  uint64_t queue_ps; /* the longest known wait */
  uint64_t lat_ps;   /* of all links */
};

static struct outlook look(const struct sim_net *net, const uint32_t *links, uint32_t n,
                           uint64_t head_ps) {
  struct outlook o = {0, 0};
  bool known = true;
  for (uint32_t i = 0; i < n; i++) {
    const struct sim_wire *wire = sim_net_wire(net, links[i]);
    bool blue = net->links[links[i]].wire == SIM_DF_BLUE + 1;
    uint64_t busy_ps = net->links[links[i]].busy_ps;
    if (known && (i == 0 || blue) && busy_ps > head_ps + o.lat_ps &&
        busy_ps - head_ps - o.lat_ps > o.queue_ps)
      o.queue_ps = busy_ps - head_ps - o.lat_ps;
    known &= !blue;
    o.lat_ps += wire->lat_ps;
  }
  return o;
}

void sim_net_detour(struct sim_net *net, uint32_t src_node, uint32_t dst_node, uint64_t head_ps,
                    union sim_path_buffer *buffer, struct sim_path *path) {
  uint32_t links[SIM_DF_DETOUR_MAX], src = net->level[0][src_node], dst = net->level[0][dst_node];
  if (path->n == 0) return; /* nodes of one router */
  uint64_t salt = route_mix(net->route_seed + ++net->drawn * 0x9e3779b97f4a7c15ull);
  uint32_t n = sim_df_detour(&net->df, src, dst, salt, links);
  if (n == 0) return;
  if (net->plat.routing == SIM_ROUTING_ADAPTIVE) {
    struct outlook minimal = look(net, path->links, path->n, head_ps),
                   detour = look(net, links, n, head_ps);
    uint64_t longer_ps = detour.lat_ps > minimal.lat_ps ? detour.lat_ps - minimal.lat_ps : 0;
    if (minimal.queue_ps * path->n <= (detour.queue_ps + longer_ps) * n) return;
  }
  memcpy(buffer->df, links, n * sizeof *links);
  path->links = buffer->df;
  path->n = n;
  path->lat_ps = SIM_PATH_UNKNOWN;
  path->detour = true;
}
