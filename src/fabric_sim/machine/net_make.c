/* SPDX-License-Identifier: BSD-3-Clause */
/* net_make.c - builds a machine, and fills the tables that the other net_*.c files read. See
 * net_tables.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/lines.h"
#include "fabric_sim/machine/net_tables.h"
#include "fabric_sim/machine/place.h"
#include "fabric_sim/machine/platform_hosts.h"
#include "fabric_sim/machine/traffic.h"

#define FLOW_NODES_MAX 1024u
#define BOOKED_LEAST 125000u /* bytes/s of a link of a platform file */

/* -- tables ------------------------------------------------------------------------------------ */

static int no_memory(const struct sim_net *net) {
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "no memory for the tables of platform %s: %u units, %u nodes, %u links",
                    net->plat.name, net->n_units, net->n_nodes, net->n_links);
}

/* n_units, n_nodes and n_numa are known. */
static int make_tables(struct sim_net *net) {
  net->unit_node = calloc(net->n_units, sizeof *net->unit_node);
  net->unit_numa = calloc(net->n_units, sizeof *net->unit_numa);
  net->line = sim_lines_new(net->n_units, sizeof *net->line);
  net->host = calloc(net->n_nodes, sizeof *net->host);
  net->nic = sim_lines_new(net->n_nodes, sizeof *net->nic);
  net->memory = sim_lines_new(net->n_numa, sizeof *net->memory);
  bool ok = net->unit_node != NULL && net->unit_numa != NULL && net->line != NULL &&
            net->host != NULL && net->nic != NULL && net->memory != NULL;
  for (uint32_t i = 0; i < SIM_NET_LEVELS; i++) {
    net->level[i] = calloc(net->n_nodes, sizeof *net->level[i]);
    ok = ok && net->level[i] != NULL;
  }
  if (net->plat.kind == SIM_PLAT_TREE) {
    net->tree_node = calloc(net->n_nodes, sizeof *net->tree_node);
    ok = ok && net->tree_node != NULL;
  }
  return ok ? 0 : no_memory(net);
}

/* Wires are numbered from 1: 0 marks a link that no message has used. */
static int make_links(struct sim_net *net, uint32_t n_wires) {
  net->links = sim_lines_new(net->n_links, sizeof *net->links);
  net->wires = calloc(n_wires + 1, sizeof *net->wires);
  return net->links != NULL && net->wires != NULL ? 0 : no_memory(net);
}

static void set_wire(struct sim_net *net, uint32_t wire, struct sim_link_price price, bool shared) {
  sim_per_byte_t per_byte = sim_plat_per_byte(price.bytes_per_s);
  EYOTI_ASSERT(wire > 0 && wire < SIM_RES_WIRES);
  net->wires[wire] =
      (struct sim_wire){price.lat_ps, per_byte, sim_cost_ps(net->plat.packet, per_byte), shared};
}

/* Those of a fat tree: the nodes below a leaf switch, and those below a switch of each level under
 * the top, which all nodes have in common. */
static void set_tree_levels(struct sim_net *net, const uint32_t *at) {
  uint32_t levels = net->tree.levels;
  for (uint32_t node = 0; node < net->n_nodes; node++)
    for (uint32_t i = 0; i < SIM_NET_LEVELS; i++) {
      uint32_t level = i + 1 < levels ? i + 1 : levels > 1 ? levels - 1 : 1;
      net->level[i][node] = at[node] / net->tree.below[level];
    }
  memcpy(net->tree_node, at, net->n_nodes * sizeof *at);
}

/* Blade, chassis and group of each node. A torus has no chassis and groups: routers are used for
 * them. */
static void set_levels(struct sim_net *net, const uint32_t *at) {
  const struct sim_plat *p = &net->plat;
  bool dragonfly = p->kind == SIM_PLAT_DRAGONFLY;
  if (p->kind == SIM_PLAT_TREE) {
    set_tree_levels(net, at);
    return;
  }
  for (uint32_t node = 0; node < net->n_nodes; node++) {
    uint32_t router = at[node] / p->nodes;
    net->level[0][node] = router;
    net->level[1][node] = dragonfly ? router / p->blades : router;
    net->level[2][node] = dragonfly ? router / (p->blades * p->chassis) : router;
  }
}

static int place_on_preset(struct sim_net *net, const struct sim_place *place) {
  uint32_t *at = calloc(net->n_nodes, sizeof *at), *cap = calloc(net->n_nodes, sizeof *cap);
  int rc = at != NULL && cap != NULL ? 0 : no_memory(net);
  for (uint32_t i = 0; rc == 0 && i < net->n_nodes; i++) cap[i] = net->units_per_node;
  if (rc == 0) rc = sim_place_in_machine(net, place, net->n_routers * net->plat.nodes, at);
  if (rc == 0) rc = sim_place_units(net, place, cap, NULL, at);
  if (rc == 0) set_levels(net, at);
  free(cap);
  free(at);
  return rc;
}

/* fab_ops.per_node, of units that have been placed. */
static uint32_t find_per_node(const struct sim_net *net) {
  uint32_t per_node = 1, n = net->n_units;
  while (per_node < n && net->unit_node[per_node] == net->unit_node[0]) per_node++;
  bool *seen = calloc(net->n_nodes, sizeof *seen); /* nodes: their units must be one run */
  bool regular = seen != NULL;                     /* else the units do without */
  for (uint32_t unit = 0; unit < n && regular; unit++) {
    uint32_t node = net->unit_node[unit];
    bool begins = unit % per_node == 0;
    regular = begins ? !seen[node] : node == net->unit_node[unit - 1];
    seen[node] = true;
  }
  free(seen);
  return regular ? per_node : 0;
}

/* -- presets ----------------------------------------------------------------------------------- */

/* SimGrid has a host for each node of the job if actors or its flows use them. */
static int build_preset(struct sim_net *net, bool hosts) {
  EYOTI_TRY(make_links(net, SIM_PLAT_CLASSES));
  for (uint32_t i = 0; i < SIM_PLAT_CLASSES; i++) set_wire(net, i + 1, net->plat.link[i], true);
  return hosts ? net->sg->hosts(net->n_nodes, net->plat.cores, net->flows, net->host) : 0;
}

static uint32_t flow_route(void *ctx, uint32_t a, uint32_t b, uint32_t *links) {
  struct sim_path path;
  union sim_path_buffer buffer;
  sim_net_path(ctx, a, b, &buffer, &path);
  for (uint32_t i = 0; i < path.n; i++) links[i] = path.links[i];
  return path.n;
}

static uint64_t flow_rate(const void *ctx, uint32_t link) {
  const struct sim_net *net = ctx;
  uint32_t class = sim_net_class(net, link);
  uint64_t rate = net->plat.link[class].bytes_per_s;
  return net->traffic == NULL ? rate : sim_traffic_left(rate, net->traffic->shares.link[class]);
}

static uint64_t nic_rate(const struct sim_net *net, uint64_t rate) {
  return net->traffic == NULL ? rate : sim_traffic_left(rate, net->traffic->shares.nic);
}

/* SimGrid's flows need its routes, which grow with the square of the nodes. */
static int make_routes(struct sim_net *net) {
  if (!net->flows) return 0;
  if (net->detours)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "routing=valiant or adaptive with --network simgrid, whose flows have fixed "
                      "routes; expected routing=minimal, or --network shared");
  if (net->n_nodes > FLOW_NODES_MAX)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%u nodes with --network simgrid, which keeps a route between each two of "
                      "them; expected at most %u: place more units on a node, or use --network "
                      "shared",
                      net->n_nodes, FLOW_NODES_MAX);
  struct sim_sg_routes routes = {.hosts = net->host,
                                 .n = net->n_nodes,
                                 .links = net->n_links,
                                 .most = SIM_TORUS_HOPS_MAX,
                                 .put_rate = nic_rate(net, net->plat.price.nic_put_bytes_per_s),
                                 .get_rate = nic_rate(net, net->plat.price.nic_get_bytes_per_s),
                                 .self = net->on_nic,
                                 .route = flow_route,
                                 .rate = flow_rate,
                                 .ctx = net};
  if (routes.put_rate != routes.get_rate) {
    net->get_host = calloc(net->n_nodes, sizeof *net->get_host);
    if (net->get_host == NULL) return no_memory(net);
    routes.get_hosts = net->get_host;
  }
  return net->sg->flows_routes(&routes);
}

/* Returns how many blades, chassis or groups have nodes of the job; 0: no memory to count them. */
static uint32_t count_used(const struct sim_net *net, uint32_t level) {
  uint32_t n = 0;
  bool *seen = calloc(net->n_routers, sizeof *seen);
  for (uint32_t i = 0; seen != NULL && i < net->n_nodes; i++) {
    n += !seen[net->level[level][i]];
    seen[net->level[level][i]] = true;
  }
  free(seen);
  return n;
}

static void describe_tree(const struct sim_net *net, char *text, size_t space) {
  const struct sim_tree *t = &net->tree;
  size_t at = 0;
  char counts[3][32];
  for (uint32_t k = 0; k < 3; k++, at = 0)
    for (uint32_t i = 0; i < t->levels; i++)
      at += (size_t)snprintf(counts[k] + at, sizeof counts[k] - at, "%s%u", i > 0 ? "," : "",
                             k == 0   ? t->children[i]
                             : k == 1 ? t->parents[i]
                                      : t->cables[i]);
  snprintf(text, space,
           ", on %u leaf switches of a fat tree of %u nodes, PGFT(%u; %s; %s; %s) (model of %s)",
           count_used(net, 0), t->nodes, t->levels, counts[0], counts[1], counts[2],
           net->plat.model);
}

static void describe(struct sim_net *net) {
  const struct sim_plat *p = &net->plat;
  int n = snprintf(net->text, sizeof net->text, "%s: %u nodes of %u cores in %u NUMA domains",
                   p->name, net->n_nodes, p->cores, p->numa);
  EYOTI_ASSERT(n > 0);
  size_t at = (size_t)n < sizeof net->text ? (size_t)n : sizeof net->text - 1;
  if (p->kind == SIM_PLAT_DRAGONFLY)
    snprintf(net->text + at, sizeof net->text - at,
             ", on %u blades, %u chassis and %u groups of a machine of %u groups with %u blue "
             "channels between each two (model of %s)",
             count_used(net, 0), count_used(net, 1), count_used(net, 2), net->df.groups,
             net->df.groups > 1 ? net->df.blue : 0, p->model);
  else if (p->kind == SIM_PLAT_TREE)
    describe_tree(net, net->text + at, sizeof net->text - at);
  else
    snprintf(net->text + at, sizeof net->text - at,
             ", on %u routers of a 3D torus of %u x %u x %u (model of %s)", count_used(net, 0),
             net->torus.size[0], net->torus.size[1], net->torus.size[2], p->model);
}

/* -- platform files ---------------------------------------------------------------------------- */

static void file_nodes(struct sim_net *net, uint32_t nodes) {
  net->n_nodes = nodes;
  net->n_numa = nodes * net->plat.numa;
}

/* Sets how many of the file's hosts the units need: the first ones. */
static int size_file(struct sim_net *net, const struct sim_net_opts *opts,
                     const struct sim_place *place) {
  uint32_t hosts = net->sg->host_count(net->file), node = 0;
  if (place->nodes != SIM_NODES_PACKED)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "--node-placement on platform %s, a file, whose hosts are used in order; "
                      "--placement FILE can name them",
                      net->plat.name);
  for (uint32_t u = 0; place->units == SIM_PLACE_FILE && u < opts->n_units; u++)
    if (place->file.node_of[u] >= node) node = place->file.node_of[u] + 1;
  if (node > hosts)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%s names node %u, which platform %s does not have: its hosts are 0 to %u",
                      place->file.path, node - 1, net->plat.name, hosts - 1);
  if (node > 0) {
    file_nodes(net, node);
    return 0;
  }
  EYOTI_TRY(
      sim_hosts_fit(net->sg, &net->plat, net->file, opts->n_units, opts->units_per_node, &node));
  file_nodes(net, node);
  return 0;
}

/* Blade, chassis and group are the zones that contain a host, the outermost being its group; where
 * there are fewer zones, the node is used for the level. */
static int place_on_file(struct sim_net *net, const struct sim_net_opts *opts,
                         const struct sim_place *place) {
  uint32_t past_zones = net->sg->zone_count(net->file);
  uint32_t *at = calloc(net->n_nodes, sizeof *at), *cap = calloc(net->n_nodes, sizeof *cap),
           *cores = calloc(net->n_nodes, sizeof *cores);
  int rc = at != NULL && cap != NULL && cores != NULL ? 0 : no_memory(net);
  for (uint32_t node = 0; rc == 0 && node < net->n_nodes; node++) {
    struct sim_sg_host host;
    net->sg->host_get(net->file, node, &host);
    net->host[node] = host.host;
    for (uint32_t i = 0; i < SIM_NET_LEVELS; i++)
      net->level[SIM_NET_LEVELS - 1 - i][node] =
          host.zone[i] != SIM_SG_NO_ZONE ? host.zone[i] : past_zones + node;
    at[node] = node;
    cap[node] = sim_hosts_units(&host, opts->units_per_node);
    cores[node] = host.cores;
    rc = sim_hosts_check(&net->plat, &host, node);
  }
  if (rc == 0) rc = sim_place_units(net, place, cap, cores, at);
  free(cores);
  free(cap);
  free(at);
  return rc;
}

/* A message of 1 TiB, the most, which a link carries as a whole, is over before the end of virtual
 * time. */
static int check_booked(const struct sim_net *net, uint64_t bytes_per_s) {
  if (bytes_per_s >= BOOKED_LEAST) return 0;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "platform %s has a link of %" PRIu64
                    " bytes/s; expected at least %u with --network booked, which takes links for "
                    "whole messages, or --network shared",
                    net->plat.name, bytes_per_s, BOOKED_LEAST);
}

static int make_file(struct sim_net *net, const struct sim_net_opts *opts,
                     const struct sim_place *place) {
  if (net->flows && (net->put_per_byte != 0 || net->get_per_byte != 0))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "bw_nic, bw_nic_put or bw_nic_get of a platform file with --network simgrid, "
                      "whose flows have the file's links alone; expected links of these rates in "
                      "the file, or --network shared");
  EYOTI_TRY(sim_hosts_load(net->sg, &net->plat, &net->file));
  EYOTI_TRY(size_file(net, opts, place));
  EYOTI_TRY(make_tables(net));
  net->n_links = net->sg->link_count(net->file);
  EYOTI_TRY(make_links(net, net->n_links));
  net->cache = calloc(SIM_NET_CACHE_SLOTS, sizeof *net->cache);
  if (net->cache == NULL) return no_memory(net);
  for (uint32_t i = 0; i < net->n_links; i++) {
    struct sim_sg_link link;
    net->sg->link_get(net->file, i, &link);
    if (opts->booked) EYOTI_TRY(check_booked(net, link.price.bytes_per_s));
    set_wire(net, i + 1, link.price, link.shared);
    net->links[i].wire = (i + 1) & (SIM_RES_WIRES - 1);
  }
  EYOTI_TRY(place_on_file(net, opts, place));
  snprintf(net->text, sizeof net->text, "%.160s: %u of %u hosts, %u links (%s)", net->plat.name,
           net->n_nodes, net->sg->host_count(net->file), net->n_links, net->plat.model);
  return sim_traffic_open(net, opts->traffic);
}

static int make_preset(struct sim_net *net, const struct sim_net_opts *opts,
                       const struct sim_place *place) {
  EYOTI_TRY(sim_net_size(net, opts, place));
  EYOTI_TRY(make_tables(net));
  EYOTI_TRY(place_on_preset(net, place));
  EYOTI_TRY(build_preset(net, opts->hosts || net->flows));
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) {
    net->known = sim_lines_new(SIM_NET_KNOWN_SLOTS, sizeof *net->known);
    if (net->known == NULL) return no_memory(net);
  }
  describe(net);
  EYOTI_TRY(sim_traffic_open(net, opts->traffic));
  return make_routes(net);
}

/* A copy reads and writes. Two sums of prices that are rounded may differ by some ps: hence nearly,
 * by a sixteenth. */
static void make_memory(struct sim_net *net) {
  sim_per_byte_t fastest = net->copies_per_byte[0][0];
  for (uint32_t i = 1; i < 6; i++)
    if (net->copies_per_byte[i / 3][i % 3] < fastest) fastest = net->copies_per_byte[i / 3][i % 3];
  net->memory_slows = 2 * net->memory_per_byte + net->memory_per_byte / 8 > fastest;
  net->memory_piece_ps = sim_cost_ps(SIM_NET_PIECE_BYTES, net->memory_per_byte);
}

int sim_net_make(struct sim_net *net, const struct sim_net_opts *opts) {
  const struct sim_prices *price = &net->plat.price;
  sim_plat_model(&net->plat, &net->model);
  net->n_units = opts->n_units;
  net->shared = opts->shared;
  net->flows = opts->flows;
  net->on_nic = opts->on_nic;
  net->detours = net->plat.routing != SIM_ROUTING_MINIMAL;
  if (net->plat.kind == SIM_PLAT_XML || net->flows || opts->hosts) EYOTI_TRY(sim_sg_open(&net->sg));
  if (net->flows) net->sg->flows_begin();
  net->signals_apart = price->after_ps != 0 || price->message_ps != price->rx_ps ||
                       price->signal_rx_ps != price->rx_ps;
  net->put_per_byte = sim_plat_per_byte(price->nic_put_bytes_per_s);
  net->get_per_byte = sim_plat_per_byte(price->nic_get_bytes_per_s);
  net->nic_packet_ps = sim_cost_ps(net->plat.packet, net->put_per_byte);
  net->copy_per_byte = sim_plat_per_byte(price->copy_bytes_per_s);
  net->memory_per_byte = sim_plat_per_byte(price->memory_bytes_per_s);
  const uint64_t rates[2][3] = {
      {price->cache_bytes_per_s[0], price->cache_bytes_per_s[1], price->copy_bytes_per_s},
      {price->get_cache_bytes_per_s[0], price->get_cache_bytes_per_s[1],
       price->get_copy_bytes_per_s}};
  for (uint32_t i = 0; i < 6; i++)
    net->copies_per_byte[i / 3][i % 3] = sim_plat_per_byte(rates[i / 3][i % 3]);
  make_memory(net);
  if (!sim_net_make_lines(net)) return no_memory(net);
  struct sim_place place;
  int rc = sim_place_read(opts, &place);
  if (rc == 0)
    rc = net->plat.kind == SIM_PLAT_XML ? make_file(net, opts, &place)
                                        : make_preset(net, opts, &place);
  sim_place_fini(&place);
  net->per_node = rc == 0 ? find_per_node(net) : 0;
  return rc;
}
