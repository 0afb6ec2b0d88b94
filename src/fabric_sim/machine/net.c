/* SPDX-License-Identifier: BSD-3-Clause */
/* net.c - opens and closes the simulated machine, and returns the places of units. See net.h. */
#include "fabric_sim/machine/net.h"

#include <stdlib.h>

#include "base/check.h"
#include "fabric_sim/machine/lines.h"
#include "fabric_sim/machine/net_tables.h"
#include "fabric_sim/machine/platform_keys.h"
#include "fabric_sim/machine/traffic.h"

void sim_net_begin(struct sim_net *net, uint64_t seed) {
  sim_traffic_begin(net, seed);
  sim_route_begin(net, seed);
}

int sim_net_open(const struct sim_net_opts *opts, struct sim_net **out) {
  if (opts->n_units == 0) return EYOTI_FAIL(EYOT_EINVAL, "0 units; expected at least 1");
  struct sim_net *net = calloc(1, sizeof *net);
  if (net == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a simulated machine");
  int rc = sim_plat_parse(opts->platform, &net->plat);
  if (rc == 0 && opts->booked && sim_plat_has_given(&net->plat, "packet"))
    eyoti_log(EYOTI_LOG_WARN, __func__, 0,
              "packet of --platform has no effect with --network booked, where messages reserve "
              "their way whole");
  if (rc == 0) rc = sim_net_make(net, opts);
  if (rc != 0) {
    sim_net_close(net);
    return rc;
  }
  *out = net;
  return 0;
}

void sim_net_close(struct sim_net *net) {
  if (net->cache != NULL)
    for (uint32_t i = 0; i < SIM_NET_CACHE_SLOTS; i++) free(net->cache[i].links);
  free(net->cache);
  sim_lines_free(net->known);
  sim_traffic_close(net);
  if (net->file != NULL) net->sg->unload(net->file);
  sim_df_fini(&net->df);
  free(net->wires);
  sim_res_pool_free(&net->gaps);
  sim_lines_free(net->links);
  sim_lines_free(net->line);
  sim_lines_free(net->memory);
  sim_lines_free(net->nic);
  sim_net_free_lines(net);
  free(net->get_host);
  free(net->host);
  for (uint32_t i = 0; i < SIM_NET_LEVELS; i++) free(net->level[i]);
  free(net->tree_node);
  free(net->unit_numa);
  free(net->unit_node);
  free(net);
}

uint32_t sim_net_node(const struct sim_net *net, uint32_t unit) {
  EYOTI_ASSERT(unit < net->n_units);
  return net->unit_node[unit];
}

bool sim_net_same_node(const struct sim_net *net, uint32_t src, uint32_t dst) {
  EYOTI_ASSERT(src < net->n_units && dst < net->n_units);
  return net->unit_node[src] == net->unit_node[dst];
}

bool sim_net_by_memory(const struct sim_net *net, uint32_t src, uint32_t dst) {
  return sim_net_same_node(net, src, dst) && (!net->on_nic || src == dst);
}

void sim_net_place(const struct sim_net *net, uint32_t unit, eyot_place_t *place) {
  EYOTI_ASSERT(unit < net->n_units);
  uint32_t node = net->unit_node[unit];
  place->id[EYOT_DOMAIN_UNIT] = unit;
  place->id[EYOT_DOMAIN_NUMA] = net->unit_numa[unit];
  place->id[EYOT_DOMAIN_NODE] = node;
  for (uint32_t i = 0; i < SIM_NET_LEVELS; i++)
    place->id[EYOT_DOMAIN_BLADE + i] = net->level[i][node];
  place->id[EYOT_DOMAIN_MACHINE] = 0;
}

uint32_t sim_net_per_node(const struct sim_net *net) {
  return net->per_node;
}

eyot_domain_t sim_net_distance(const struct sim_net *net, uint32_t a, uint32_t b) {
  EYOTI_ASSERT(a < net->n_units && b < net->n_units);
  if (a == b) return EYOT_DOMAIN_UNIT;
  if (net->unit_numa[a] == net->unit_numa[b]) return EYOT_DOMAIN_NUMA;
  uint32_t node_a = net->unit_node[a], node_b = net->unit_node[b];
  if (node_a == node_b) return EYOT_DOMAIN_NODE;
  for (uint32_t i = 0; i < SIM_NET_LEVELS; i++)
    if (net->level[i][node_a] == net->level[i][node_b])
      return (eyot_domain_t)(EYOT_DOMAIN_BLADE + i);
  return EYOT_DOMAIN_MACHINE;
}

uint32_t sim_net_nodes(const struct sim_net *net) {
  return net->n_nodes;
}

bool sim_net_spans(const struct sim_net *net) {
  return net->spans;
}

void *sim_net_host(const struct sim_net *net, uint32_t unit) {
  EYOTI_ASSERT(unit < net->n_units);
  return net->host[net->unit_node[unit]];
}

const char *sim_net_describe(const struct sim_net *net) {
  return net->text;
}
