/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c - places units on nodes and nodes in the machine. See place.h. */
#include "fabric_sim/machine/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/machine/place_file.h"

static uint64_t place_draw(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* Whether the text is "random" or "random:SEED", of at most 64 bits. */
static bool is_random(const char *text, uint64_t *seed) {
  *seed = 1;
  if (strcmp(text, "random") == 0) return true;
  if (strncmp(text, "random:", 7) != 0 || strspn(text + 7, "0123456789") != strlen(text + 7))
    return false;
  errno = 0;
  *seed = strtoull(text + 7, NULL, 10);
  return text[7] != '\0' && errno == 0;
}

int sim_place_read(const struct sim_net_opts *opts, struct sim_place *out) {
  const char *units = opts->placement != NULL ? opts->placement : "packed",
             *nodes = opts->node_placement != NULL ? opts->node_placement : "packed";
  *out = (struct sim_place){0};
  if (is_random(nodes, &out->nodes_seed))
    out->nodes = SIM_NODES_RANDOM;
  else if (strcmp(nodes, "spread") == 0)
    out->nodes = SIM_NODES_SPREAD;
  else if (strcmp(nodes, "packed") != 0)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "EYOT_NODE_PLACEMENT=%s (--node-placement); expected packed, spread, random "
                      "or random:SEED",
                      nodes);
  if (is_random(units, &out->units_seed))
    out->units = SIM_PLACE_RANDOM;
  else if (strcmp(units, "cyclic") == 0)
    out->units = SIM_PLACE_CYCLIC;
  else if (strcmp(units, "packed") != 0)
    out->units = SIM_PLACE_FILE;
  if (out->units != SIM_PLACE_FILE) return 0;
  if (out->nodes != SIM_NODES_PACKED)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "--node-placement %s with --placement %s: the file names nodes of the "
                      "machine; give one of them",
                      nodes, units);
  return sim_place_file(units, opts->n_units, &out->file);
}

void sim_place_fini(struct sim_place *p) {
  sim_place_file_free(&p->file);
}

/* -- nodes ------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

int sim_place_nodes(struct sim_net *net, const struct sim_place *p, uint64_t *needed) {
  if (p->units != SIM_PLACE_FILE) {
    *needed = net->n_nodes;
    return 0;
  }
  uint32_t *sorted = malloc(net->n_units * sizeof *sorted), n = 0;
  if (sorted == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to place %u units", net->n_units);
  memcpy(sorted, p->file.node_of, net->n_units * sizeof *sorted);
  qsort(sorted, net->n_units, sizeof *sorted, by_number);
  for (uint32_t i = 0; i < net->n_units; i++) n += i == 0 || sorted[i] != sorted[i - 1];
  net->n_nodes = n;
  *needed = (uint64_t)sorted[net->n_units - 1] + 1;
  free(sorted);
  return 0;
}

/* Marks the nodes that the file names, and writes them in order. */
static int nodes_of_file(const struct sim_net *net, const struct sim_place *p, uint32_t machine,
                         uint32_t *at) {
  bool *used = calloc(machine, sizeof *used);
  if (used == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to place %u units", net->n_units);
  for (uint32_t u = 0; u < net->n_units; u++) used[p->file.node_of[u]] = true;
  for (uint32_t m = 0, n = 0; m < machine; m++)
    if (used[m]) at[n++] = m;
  free(used);
  return 0;
}

/* The node of index i in a box at the torus's origin. */
static uint32_t node_in_box(const struct sim_net *net, const uint32_t box[SIM_TORUS_DIMS],
                            uint32_t i) {
  uint32_t nodes = net->plat.nodes;
  return sim_torus_in_box(&net->torus, box, i / nodes) * nodes + i % nodes;
}

int sim_place_in_machine(const struct sim_net *net, const struct sim_place *p, uint32_t machine,
                         uint32_t *at) {
  static const uint32_t ONE[SIM_TORUS_DIMS] = {1, 1, 1};
  uint32_t n = net->n_nodes, taken = 0, box[SIM_TORUS_DIMS];
  uint64_t state = p->nodes_seed;
  EYOTI_ASSERT(n <= machine);
  if (p->units == SIM_PLACE_FILE) return nodes_of_file(net, p, machine, at);
  if (p->nodes == SIM_NODES_PACKED && net->plat.kind == SIM_PLAT_TORUS) {
    sim_torus_box((n + net->plat.nodes - 1) / net->plat.nodes, ONE, net->torus.size, box);
    for (uint32_t i = 0; i < n; i++) at[i] = node_in_box(net, box, i);
  } else if (p->nodes == SIM_NODES_PACKED) {
    for (uint32_t i = 0; i < n; i++) at[i] = i;
  } else if (p->nodes == SIM_NODES_SPREAD) {
    for (uint32_t i = 0; i < n; i++) at[i] = (uint32_t)((uint64_t)i * machine / n);
  } else {
    /* in order of their numbers, each with the same probability */
    for (uint32_t m = 0; taken < n; m++)
      if (place_draw(&state) % (machine - m) < n - taken) at[taken++] = m;
  }
  return 0;
}

/* -- units ------------------------------------------------------------------------------------- */

/* The node's cores are filled in order, so a NUMA domain fills before the next. */
static void put_unit(struct sim_net *net, uint32_t *fill, uint32_t unit, uint32_t node,
                     uint32_t cores) {
  uint32_t core = fill[node]++;
  uint32_t numa = net->plat.numa;
  net->unit_node[unit] = node;
  net->unit_numa[unit] = node * numa + core % cores / (cores / numa);
}

/* Writes a node for each unit, nodes in order, each as often as units fit. */
static void pack(const struct sim_net *net, const uint32_t *cap, uint32_t *slot) {
  for (uint32_t u = 0, node = 0; node < net->n_nodes && u < net->n_units; node++)
    for (uint32_t k = 0; k < cap[node] && u < net->n_units; k++) slot[u++] = node;
}

static void shuffle(uint32_t *slot, uint32_t n, uint64_t seed) {
  for (uint32_t i = n - 1; i > 0; i--) {
    uint32_t k = (uint32_t)(place_draw(&seed) % (i + 1ull)), was = slot[i];
    slot[i] = slot[k];
    slot[k] = was;
  }
}

/* Round robin over the nodes that have room. */
static void deal(const struct sim_net *net, const uint32_t *cap, uint32_t *slot) {
  for (uint32_t u = 0, round = 0; u < net->n_units; round++)
    for (uint32_t node = 0; node < net->n_nodes && u < net->n_units; node++)
      if (cap[node] > round) slot[u++] = node;
}

/* The index of the file's node among those of the job. */
static int by_file(const struct sim_net *net, const struct sim_place *p, const uint32_t *cap,
                   const uint32_t *at, uint32_t *fill, uint32_t *slot) {
  for (uint32_t u = 0; u < net->n_units; u++) {
    const uint32_t *found = bsearch(&p->file.node_of[u], at, net->n_nodes, sizeof *at, by_number);
    EYOTI_ASSERT(found != NULL);
    slot[u] = (uint32_t)(found - at);
    if (fill[slot[u]]++ == cap[slot[u]])
      return EYOTI_FAIL(EYOT_EINVAL,
                        "%s, line %u: unit %u is one too many on node %u of platform %s; expected "
                        "at most %u units",
                        p->file.path, p->file.line_of[u], u, p->file.node_of[u], net->plat.name,
                        cap[slot[u]]);
  }
  memset(fill, 0, net->n_nodes * sizeof *fill);
  return 0;
}

int sim_place_units(struct sim_net *net, const struct sim_place *p, const uint32_t *cap,
                    const uint32_t *cores, const uint32_t *at) {
  uint32_t *slot = malloc(net->n_units * sizeof *slot), *fill = calloc(net->n_nodes, sizeof *fill);
  int rc = 0;
  if (slot == NULL || fill == NULL)
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory to place %u units", net->n_units);
  else if (p->units == SIM_PLACE_FILE)
    rc = by_file(net, p, cap, at, fill, slot);
  else if (p->units == SIM_PLACE_CYCLIC)
    deal(net, cap, slot);
  else
    pack(net, cap, slot);
  if (rc == 0 && p->units == SIM_PLACE_RANDOM) shuffle(slot, net->n_units, p->units_seed);
  for (uint32_t u = 0; rc == 0 && u < net->n_units; u++) {
    put_unit(net, fill, u, slot[u], cores != NULL ? cores[slot[u]] : net->plat.cores);
    net->spans |= slot[u] != slot[0];
  }
  free(fill);
  free(slot);
  return rc;
}
