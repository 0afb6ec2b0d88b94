/* SPDX-License-Identifier: BSD-3-Clause */
/* net_size.c - the size of a preset: how many nodes the units need, and the machine that they are a
 * part of. See net_tables.h.
 *
 * A machine has the size of its platform, so that a small job has the links of a large machine. A
 * job that needs more gets a larger machine, unless the user has given the size. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/place.h"

#define GROUPS_MAX 4096u /* of a Dragonfly that grows with the units */
#define LARGER_BYTES 512 /* of a platform's text in messages */

static uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

/* The text of --platform for a machine with more nodes. A machine file's has its own figures. */
static const char *larger(const struct sim_plat *p, char *text, size_t size) {
  static const char *const NAME[] = {
      [SIM_PLAT_DRAGONFLY] = "dragonfly", [SIM_PLAT_TORUS] = "xe6", [SIM_PLAT_TREE] = "fattree"};
  static const char *const KEYS[] = {[SIM_PLAT_DRAGONFLY] = "groups=...,chassis=...,blades=...",
                                     [SIM_PLAT_TORUS] = "x=...,y=...,z=..."};
  static const char *const LEVELS[SIM_PLAT_CLASSES] = {
      "children_1=...", "children_1=...,children_2=...",
      "children_1=...,children_2=...,children_3=..."}; /* others are refused */
  const char *keys = p->kind == SIM_PLAT_TREE ? LEVELS[p->levels - 1] : KEYS[p->kind];
  if (p->measured)
    snprintf(text, size, "%.*s:%s", (int)p->path_len, p->name, keys);
  else
    snprintf(text, size, "%s:%s", NAME[p->kind], keys);
  return text;
}

static int too_small(const struct sim_net *net, const struct sim_net_opts *opts,
                     const struct sim_place *place, uint64_t nodes) {
  const struct sim_plat *p = &net->plat;
  char text[LARGER_BYTES];
  larger(p, text, sizeof text);
  if (place->units == SIM_PLACE_FILE)
    return EYOTI_FAIL(EYOT_ERANGE,
                      "%s names a node that platform %s does not have: its nodes are 0 to %" PRIu64
                      "; a larger platform is, as an example, %s",
                      place->file.path, p->name, nodes - 1, text);
  bool few = net->units_per_node < p->cores;
  return EYOTI_FAIL(EYOT_ERANGE,
                    "%u units do not fit on platform %s: it holds %" PRIu64 " (%" PRIu64
                    " nodes of %u); run fewer, %sor %s: %s",
                    opts->n_units, p->name, nodes * net->units_per_node, nodes, net->units_per_node,
                    few ? "raise units-per-node, " : "",
                    p->measured ? "give the machine more nodes by keys after the file's name"
                                : "choose a larger platform",
                    text);
}

/* Sets units per node and the number of nodes. */
static int size_nodes(struct sim_net *net, const struct sim_net_opts *opts) {
  const struct sim_plat *p = &net->plat;
  if (opts->units_per_node > p->cores)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "units-per-node %u on platform %s, whose nodes have %u cores; expected at most that",
        opts->units_per_node, p->name, p->cores);
  net->units_per_node = opts->units_per_node != 0 ? opts->units_per_node : p->cores;
  net->n_nodes = (uint32_t)divide_up(opts->n_units, net->units_per_node);
  return 0;
}

/* -- Dragonfly --------------------------------------------------------------------------------- */

/* Whether so many groups can be wired, and are not too many. */
static bool groups_fit(const struct sim_plat *p, uint64_t groups) {
  uint64_t blue = sim_plat_blue(p, (uint32_t)groups);
  return blue > 0 &&
         groups * (p->chassis * p->blades * (p->chassis + p->blades - 2) + (groups - 1) * blue) <=
             SIM_NET_LINKS_MAX;
}

/* Returns the number of groups of the machine for a job that needs `needed`; 0: none fits. */
static uint32_t groups_of(const struct sim_plat *p, uint32_t needed) {
  bool grows = p->groups == 0 || !p->fixed;
  uint32_t groups = p->groups == 0 || (grows && needed > p->groups) ? needed : p->groups;
  return groups >= needed && groups <= GROUPS_MAX && groups_fit(p, groups) ? groups : 0;
}

static int size_dragonfly(struct sim_net *net, const struct sim_net_opts *opts,
                          const struct sim_place *place, uint64_t nodes) {
  const struct sim_plat *p = &net->plat;
  uint32_t of_group = p->chassis * p->blades * p->nodes,
           needed = (uint32_t)divide_up(nodes, of_group), groups = groups_of(p, needed);
  if (groups == 0) {
    uint32_t most = 0;
    while (most < GROUPS_MAX && groups_of(p, most + 1) != 0) most++;
    if (most == 0)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "platform %s has too many links; expected at most %u, thus fewer groups, "
                        "chassis, blades or links",
                        p->name, SIM_NET_LINKS_MAX);
    return too_small(net, opts, place, (uint64_t)most * of_group);
  }
  EYOTI_TRY(sim_df_init(&net->df, groups, p->chassis, p->blades, sim_plat_blue(p, groups)));
  net->n_routers = groups * net->df.routers;
  net->n_links = net->df.links;
  return 0;
}

/* -- torus ------------------------------------------------------------------------------------- */

static int size_torus(struct sim_net *net, const struct sim_net_opts *opts,
                      const struct sim_place *place, uint64_t nodes) {
  const struct sim_plat *p = &net->plat;
  uint32_t needed = (uint32_t)divide_up(nodes, p->nodes), size[SIM_TORUS_DIMS],
           least[SIM_TORUS_DIMS], most[SIM_TORUS_DIMS];
  uint64_t holds = 1, grown = 1;
  for (uint32_t d = 0; d < SIM_TORUS_DIMS; d++) {
    least[d] = p->size[d] != 0 ? p->size[d] : 1;
    most[d] = p->size[d] != 0 ? p->size[d] : SIM_TORUS_SIZE_MAX;
    holds *= most[d];
    grown *= SIM_TORUS_SIZE_MAX;
  }
  if (needed > holds && (p->fixed || needed > grown))
    return too_small(net, opts, place, (p->fixed ? holds : grown) * p->nodes);
  for (uint32_t d = 0; d < SIM_TORUS_DIMS && needed > holds; d++) most[d] = SIM_TORUS_SIZE_MAX;
  sim_torus_box(needed, least, most, size);
  sim_torus_init(&net->torus, size);
  net->n_routers = net->torus.routers;
  net->n_links = net->torus.links;
  return 0;
}

/* -- fat tree ---------------------------------------------------------------------------------- */

static bool tree_fits(const struct sim_plat *p, const uint32_t children[SIM_TREE_LEVELS]) {
  return sim_tree_nodes(p->levels, children) <= SIM_TREE_NODES_MAX &&
         sim_tree_links(p->levels, children, p->parents, p->cables) <= SIM_NET_LINKS_MAX;
}

/* A larger job gets switches of the top level with more children. */
static int size_tree(struct sim_net *net, const struct sim_net_opts *opts,
                     const struct sim_place *place, uint64_t nodes) {
  struct sim_plat *p = &net->plat;
  uint32_t children[SIM_TREE_LEVELS], top = p->levels - 1;
  memcpy(children, p->children, sizeof children);
  if (!tree_fits(p, children))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "platform %s has too many nodes or cables; expected at most %u nodes and %u "
                      "cables",
                      p->name, SIM_TREE_NODES_MAX, SIM_NET_LINKS_MAX / 2);
  uint64_t of_top = sim_tree_nodes(top, children), holds = of_top * children[top];
  if (nodes > holds) {
    children[top] = (uint32_t)divide_up(nodes, of_top);
    if (nodes > SIM_TREE_NODES_MAX || !tree_fits(p, children)) {
      children[top] = p->children[top];
      while (children[top]++, tree_fits(p, children)) continue;
      return too_small(net, opts, place, of_top * (children[top] - 1));
    }
  }
  sim_tree_init(&net->tree, p->levels, children, p->parents, p->cables);
  p->nodes = children[0];
  net->n_routers = net->tree.nodes / children[0];
  net->n_links = net->tree.links;
  return 0;
}

/* Whether the platform says how large it is, or has as many nodes as the job needs. */
static bool has_size(const struct sim_plat *p) {
  if (p->kind == SIM_PLAT_DRAGONFLY) return p->groups != 0;
  bool has = true;
  for (uint32_t d = 0; d < SIM_TORUS_DIMS && p->kind == SIM_PLAT_TORUS; d++)
    has = has && p->size[d] != 0;
  return has;
}

static int size_for(struct sim_net *net, const struct sim_net_opts *opts,
                    const struct sim_place *place, uint64_t nodes) {
  if (net->plat.kind == SIM_PLAT_DRAGONFLY) return size_dragonfly(net, opts, place, nodes);
  return net->plat.kind == SIM_PLAT_TREE ? size_tree(net, opts, place, nodes)
                                         : size_torus(net, opts, place, nodes);
}

/* A machine with a size grows for more units, not for a node that a file names. */
int sim_net_size(struct sim_net *net, const struct sim_net_opts *opts,
                 const struct sim_place *place) {
  uint64_t nodes;
  EYOTI_TRY(size_nodes(net, opts));
  EYOTI_TRY(sim_place_nodes(net, place, &nodes));
  net->n_numa = net->n_nodes * net->plat.numa;
  uint64_t wanted = has_size(&net->plat) ? net->n_nodes : nodes,
           most = sim_plat_fixed_nodes(&net->plat);
  if (most != 0 && wanted > most) return too_small(net, opts, place, most);
  EYOTI_TRY(size_for(net, opts, place, wanted));
  uint64_t holds = (uint64_t)net->n_routers * net->plat.nodes;
  return nodes > holds ? too_small(net, opts, place, holds) : 0;
}
