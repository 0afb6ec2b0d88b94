/* SPDX-License-Identifier: BSD-3-Clause */
/* net_make.c - sizes a machine for the units, has SimGrid build it, and fills the tables that the
 * other net_*.c files read. See net_tables.h. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/net_flows.h"
#include "fabric_sim/machine/net_tables.h"

#define FLOW_NODES_MAX 1024u
#define GROUPS_MAX 4096u /* of a Dragonfly that grows with the units */

static uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

/* -- required size ----------------------------------------------------------------------------- */

static uint64_t dragonfly_links(const struct sim_plat *p, uint64_t groups, uint64_t blue) {
  return groups * (p->chassis * p->blades * (p->chassis + p->blades - 2) + (groups - 1) * blue);
}

/* Whether a Dragonfly of `groups` groups, of which `used` are built, can be wired and is not too
 * large. */
static bool dragonfly_fits(const struct sim_plat *p, uint32_t groups, uint32_t used) {
  uint32_t blue = sim_plat_blue(p, groups);
  return blue > 0 && dragonfly_links(p, used, blue) <= SIM_NET_LINKS_MAX;
}

static uint64_t dragonfly_capacity(const struct sim_plat *p) {
  uint32_t used = 0, most = p->groups != 0 ? p->groups : GROUPS_MAX;
  while (used < most && dragonfly_fits(p, p->groups != 0 ? p->groups : used + 1, used + 1)) used++;
  return (uint64_t)used * p->chassis * p->blades * p->nodes;
}

static uint64_t torus_capacity(const struct sim_plat *p) {
  return (uint64_t)SIM_TORUS_SIZE_MAX * SIM_TORUS_SIZE_MAX * SIM_TORUS_SIZE_MAX * p->nodes;
}

/* Sets units per node and the number of nodes of a preset. */
static int size_preset(struct sim_net *net, const struct sim_net_opts *opts) {
  const struct sim_plat *p = &net->plat;
  if (opts->units_per_node > p->cores)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "units-per-node %u on platform %s, whose nodes have %u cores; expected at most that",
        opts->units_per_node, p->name, p->cores);
  net->units_per_node = opts->units_per_node != 0 ? opts->units_per_node : p->cores;
  uint64_t nodes = divide_up(opts->n_units, net->units_per_node);
  uint64_t capacity = p->kind == SIM_PLAT_DRAGONFLY ? dragonfly_capacity(p) : torus_capacity(p);
  if (nodes > capacity)
    return EYOTI_FAIL(
        EYOT_ERANGE,
        "%u units do not fit on platform %s: it holds %" PRIu64 " (%" PRIu64
        " nodes of %u); run fewer, or %s",
        opts->n_units, p->name, capacity * net->units_per_node, capacity, net->units_per_node,
        net->units_per_node < p->cores
            ? "raise units-per-node"
            : "choose a larger platform: dragonfly:groups=...,chassis=...,blades=...");
  net->n_nodes = (uint32_t)nodes;
  net->n_numa = net->n_nodes * p->numa;
  return 0;
}

/* -- tables ------------------------------------------------------------------------------------ */

static int no_memory(const struct sim_net *net) {
  return EYOTI_FAIL(EYOT_ENOMEM,
                    "no memory for the tables of platform %s: %u units, %u nodes, %u links",
                    net->plat.name, net->n_units, net->n_nodes, net->n_links);
}

/* Zeroed and aligned to cache lines; NULL when out of memory. */
static void *calloc_lines(size_t n, size_t bytes) {
  size_t total = (n > 0 ? n : 1) * bytes;
  EYOTI_ASSERT(bytes % SIM_NET_LINE_BYTES == 0);
  void *p = aligned_alloc(SIM_NET_LINE_BYTES, total);
  if (p != NULL) memset(p, 0, total);
  return p;
}

/* n_units, n_nodes and n_numa are known. */
static int make_tables(struct sim_net *net) {
  net->unit_node = calloc(net->n_units, sizeof *net->unit_node);
  net->unit_numa = calloc(net->n_units, sizeof *net->unit_numa);
  net->line = calloc_lines(net->n_units, sizeof *net->line);
  net->host = calloc(net->n_nodes, sizeof *net->host);
  net->nic = calloc_lines(net->n_nodes, sizeof *net->nic);
  net->memory = calloc_lines(net->n_numa, sizeof *net->memory);
  bool ok = net->unit_node != NULL && net->unit_numa != NULL && net->line != NULL &&
            net->host != NULL && net->nic != NULL && net->memory != NULL;
  for (uint32_t i = 0; i < SIM_NET_LEVELS; i++) {
    net->level[i] = calloc(net->n_nodes, sizeof *net->level[i]);
    ok = ok && net->level[i] != NULL;
  }
  return ok ? 0 : no_memory(net);
}

static int make_links(struct sim_net *net, uint32_t n, uint32_t n_wires) {
  net->n_links = n;
  net->links = calloc_lines(n, sizeof *net->links);
  net->wires = calloc(n_wires > 0 ? n_wires : 1, sizeof *net->wires);
  return net->links != NULL && net->wires != NULL ? 0 : no_memory(net);
}

static void set_link(struct sim_net *net, uint32_t i, uint32_t wire, struct sim_link_price price,
                     bool shared) {
  net->links[i].wire = wire & (SIM_RES_WIRES - 1);
  sim_per_byte_t per_byte = sim_plat_per_byte(price.bytes_per_s);
  net->wires[wire] =
      (struct sim_wire){price.lat_ps, per_byte, sim_cost_ps(net->plat.packet, per_byte), shared};
}

/* Cores are filled in order, so a NUMA domain fills before the next. */
static void place_on_preset(struct sim_net *net) {
  const struct sim_plat *p = &net->plat;
  uint32_t domain = p->cores / p->numa;
  for (uint32_t u = 0; u < net->n_units; u++) {
    uint32_t node = u / net->units_per_node;
    net->unit_node[u] = node;
    net->unit_numa[u] = node * p->numa + u % net->units_per_node / domain;
  }
  for (uint32_t node = 0; node < net->n_nodes; node++) {
    uint32_t router = node / p->nodes;
    /* a torus has no chassis and groups: routers are used for them */
    bool dragonfly = p->kind == SIM_PLAT_DRAGONFLY;
    net->level[0][node] = router;
    net->level[1][node] = dragonfly ? router / p->blades : router;
    net->level[2][node] = dragonfly ? router / (p->blades * p->chassis) : router;
  }
}

/* -- presets ----------------------------------------------------------------------------------- */

static uint32_t preset_class(const struct sim_net *net, uint32_t i) {
  uint32_t from, to, dim;
  enum sim_df_color color;
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) {
    sim_df_link(&net->df, i, &from, &to, &color);
    return color;
  }
  sim_torus_link(&net->torus, i, &from, &to, &dim);
  return dim;
}

static struct sim_link_price preset_price(const void *ctx, uint32_t i) {
  const struct sim_net *net = ctx;
  return net->plat.link[preset_class(net, i)];
}

static int build_preset(struct sim_net *net, uint32_t links) {
  EYOTI_TRY(make_links(net, links, SIM_PLAT_CLASSES));
  struct sim_link_price *prices = calloc(links > 0 ? links : 1, sizeof *prices);
  if (prices == NULL) return no_memory(net);
  int rc = sim_sg_build(net->n_nodes, net->plat.cores, links, preset_price, net, net->flows,
                        net->host, prices);
  for (uint32_t i = 0; rc == 0 && i < links; i++)
    set_link(net, i, preset_class(net, i), prices[i], true);
  free(prices);
  return rc;
}

static uint32_t flow_route(void *ctx, uint32_t a, uint32_t b, uint32_t *links) {
  struct sim_path path;
  union sim_path_buffer buffer;
  sim_net_path(ctx, a, b, &buffer, &path);
  for (uint32_t i = 0; i < path.n; i++) links[i] = path.links[i];
  return path.n;
}

/* SimGrid's flows need its routes, which grow with the square of the nodes. */
static int make_routes(struct sim_net *net) {
  if (!net->flows) return 0;
  if (net->n_nodes > FLOW_NODES_MAX)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%u nodes with --network simgrid, which keeps a route between each two of "
                      "them; expected at most %u: place more units on a node, or use --network "
                      "shared",
                      net->n_nodes, FLOW_NODES_MAX);
  uint64_t *rates = calloc(net->n_links > 0 ? net->n_links : 1, sizeof *rates);
  if (rates == NULL) return no_memory(net);
  for (uint32_t i = 0; i < net->n_links; i++)
    rates[i] = net->plat.link[net->links[i].wire].bytes_per_s;
  int rc =
      sim_sg_flows_routes(net->host, net->n_nodes, rates, net->n_links,
                          net->plat.price.nic_put_bytes_per_s, SIM_TORUS_HOPS_MAX, flow_route, net);
  free(rates);
  return rc;
}

static int make_dragonfly(struct sim_net *net) {
  const struct sim_plat *p = &net->plat;
  uint32_t used = (uint32_t)divide_up(net->n_nodes, (uint64_t)p->chassis * p->blades * p->nodes);
  uint32_t blue = sim_plat_blue(p, p->groups != 0 ? p->groups : used);
  EYOTI_TRY(sim_df_init(&net->df, used, p->chassis, p->blades, blue));
  EYOTI_TRY(build_preset(net, net->df.links));
  uint64_t blades = divide_up(net->n_nodes, p->nodes);
  snprintf(net->text, sizeof net->text,
           "%s: %u nodes of %u cores in %u NUMA domains, %" PRIu64 " blades, %" PRIu64
           " chassis, %u groups with %u blue channels between each two, %u links (model of %s)",
           p->name, net->n_nodes, p->cores, p->numa, blades, divide_up(blades, p->blades), used,
           used > 1 ? blue : 0, net->n_links, p->model);
  return 0;
}

static int make_torus(struct sim_net *net) {
  const struct sim_plat *p = &net->plat;
  sim_torus_init(&net->torus, (uint32_t)divide_up(net->n_nodes, p->nodes));
  EYOTI_TRY(build_preset(net, net->torus.links));
  snprintf(net->text, sizeof net->text,
           "%s: %u nodes of %u cores in %u NUMA domains, 3D torus of %u x %u x %u routers, %u "
           "links (model of %s)",
           p->name, net->n_nodes, p->cores, p->numa, net->torus.size[0], net->torus.size[1],
           net->torus.size[2], net->n_links, p->model);
  return 0;
}

/* -- platform files ---------------------------------------------------------------------------- */

static uint32_t units_of_host(const struct sim_sg_host *host, const struct sim_net_opts *opts) {
  return opts->units_per_node != 0 ? opts->units_per_node : host->cores;
}

/* Sets how many of the file's hosts the units need. */
static int size_file(struct sim_net *net, const struct sim_net_opts *opts) {
  uint32_t hosts = sim_sg_host_count(net->file), node = 0;
  uint64_t fit = 0;
  struct sim_sg_host host;
  for (; node < hosts && fit < opts->n_units; node++) {
    sim_sg_host_get(net->file, node, &host);
    fit += units_of_host(&host, opts);
  }
  if (fit < opts->n_units)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%u units do not fit on platform %s: it holds %" PRIu64
                      " on %u hosts; run fewer, set units-per-node, or add hosts or cores",
                      opts->n_units, net->plat.name, fit, hosts);
  net->n_nodes = net->n_numa = node;
  return 0;
}

/* Blade, chassis and group are the zones that contain a host, the outermost being its group; where
 * there are fewer zones, the node is used for the level. */
static void place_on_file(struct sim_net *net, const struct sim_net_opts *opts) {
  uint32_t unit = 0, past_zones = sim_sg_zone_count(net->file);
  for (uint32_t node = 0; node < net->n_nodes; node++) {
    struct sim_sg_host host;
    sim_sg_host_get(net->file, node, &host);
    net->host[node] = host.host;
    for (uint32_t i = 0; i < SIM_NET_LEVELS; i++)
      net->level[SIM_NET_LEVELS - 1 - i][node] =
          host.zone[i] != SIM_SG_NO_ZONE ? host.zone[i] : past_zones + node;
    for (uint32_t i = units_of_host(&host, opts); i > 0 && unit < net->n_units; i--, unit++)
      net->unit_node[unit] = net->unit_numa[unit] = node;
  }
  EYOTI_ASSERT(unit == net->n_units);
}

static int make_file(struct sim_net *net, const struct sim_net_opts *opts) {
  char path[PATH_MAX];
  if (net->plat.path_len >= sizeof path)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "the path of the platform has %u characters; expected at most %zu",
                      net->plat.path_len, sizeof path - 1);
  snprintf(path, sizeof path, "%.*s", (int)net->plat.path_len, net->plat.name);
  EYOTI_TRY(sim_sg_load(path, &net->file));
  EYOTI_TRY(size_file(net, opts));
  EYOTI_TRY(make_tables(net));
  EYOTI_TRY(make_links(net, sim_sg_link_count(net->file), sim_sg_link_count(net->file)));
  net->cache = calloc(SIM_NET_CACHE_SLOTS, sizeof *net->cache);
  if (net->cache == NULL) return no_memory(net);
  for (uint32_t i = 0; i < net->n_links; i++) {
    struct sim_sg_link link;
    sim_sg_link_get(net->file, i, &link);
    set_link(net, i, i, link.price, link.shared);
  }
  place_on_file(net, opts);
  snprintf(net->text, sizeof net->text, "%.160s: %u of %u hosts, %u links (%s)", net->plat.name,
           net->n_nodes, sim_sg_host_count(net->file), net->n_links, net->plat.model);
  return 0;
}

int sim_net_make(struct sim_net *net, const struct sim_net_opts *opts) {
  const struct sim_prices *price = &net->plat.price;
  net->n_units = opts->n_units;
  net->shared = opts->shared;
  net->flows = opts->flows;
  if (net->flows) sim_sg_flows_begin();
  net->put_per_byte = sim_plat_per_byte(price->nic_put_bytes_per_s);
  net->get_per_byte = sim_plat_per_byte(price->nic_get_bytes_per_s);
  net->nic_packet_ps = sim_cost_ps(net->plat.packet, net->put_per_byte);
  net->copy_per_byte = sim_plat_per_byte(price->copy_bytes_per_s);
  net->memory_per_byte = sim_plat_per_byte(price->memory_bytes_per_s);
  if (net->plat.kind == SIM_PLAT_XML) return make_file(net, opts);
  EYOTI_TRY(size_preset(net, opts));
  EYOTI_TRY(make_tables(net));
  place_on_preset(net);
  EYOTI_TRY(net->plat.kind == SIM_PLAT_DRAGONFLY ? make_dragonfly(net) : make_torus(net));
  return make_routes(net);
}
