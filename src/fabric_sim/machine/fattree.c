/* SPDX-License-Identifier: BSD-3-Clause */
/* fattree.c - D-mod-k routes on a fat tree. See fattree.h.
 *
 * A vertex of level i has the number u + above[i] * (x / below[i]): x is any node below it, and u
 * tells which of the above[i] switches that lead to x it is; the parent that was chosen first is
 * u's lowest digit. */
#include "fabric_sim/machine/fattree.h"

#include "base/check.h"

uint64_t sim_tree_nodes(uint32_t levels, const uint32_t children[SIM_TREE_LEVELS]) {
  uint64_t nodes = 1;
  for (uint32_t i = 0; i < levels && nodes <= SIM_TREE_NODES_MAX; i++) nodes *= children[i];
  return nodes;
}

uint64_t sim_tree_links(uint32_t levels, const uint32_t children[SIM_TREE_LEVELS],
                        const uint32_t parents[SIM_TREE_LEVELS],
                        const uint32_t cables[SIM_TREE_LEVELS]) {
  uint64_t links = 0, above = 1;
  for (uint32_t i = 0; i < levels && links <= UINT32_MAX; i++) {
    uint64_t vertices = above;
    for (uint32_t k = i; k < levels && vertices <= UINT32_MAX; k++) vertices *= children[k];
    if (vertices > UINT32_MAX) return UINT64_MAX;
    uint64_t ports = (uint64_t)parents[i] * cables[i];
    if (ports > UINT32_MAX / 2) return UINT64_MAX;
    links += 2 * vertices * ports;
    above *= parents[i];
    if (above > UINT32_MAX) return UINT64_MAX;
  }
  return links;
}

void sim_tree_init(struct sim_tree *t, uint32_t levels, const uint32_t children[SIM_TREE_LEVELS],
                   const uint32_t parents[SIM_TREE_LEVELS],
                   const uint32_t cables[SIM_TREE_LEVELS]) {
  EYOTI_ASSERT(levels >= 1 && levels <= SIM_TREE_LEVELS);
  EYOTI_ASSERT(sim_tree_nodes(levels, children) <= SIM_TREE_NODES_MAX &&
               sim_tree_links(levels, children, parents, cables) <= UINT32_MAX);
  *t = (struct sim_tree){.levels = levels, .below = {1}, .above = {1}};
  for (uint32_t i = 0; i < levels; i++) {
    EYOTI_ASSERT(children[i] >= 1 && parents[i] >= 1 && cables[i] >= 1);
    t->children[i] = children[i], t->parents[i] = parents[i], t->cables[i] = cables[i];
    t->below[i + 1] = t->below[i] * children[i];
    t->above[i + 1] = t->above[i] * parents[i];
  }
  t->nodes = t->below[levels];
  for (uint32_t i = 0; i < levels; i++)
    t->first[i + 1] =
        t->first[i] + 2 * t->above[i] * (t->nodes / t->below[i]) * t->parents[i] * t->cables[i];
  t->links = t->first[levels];
}

uint32_t sim_tree_top(const struct sim_tree *t, uint32_t src, uint32_t dst) {
  uint32_t level = 0;
  while (src != dst) {
    EYOTI_ASSERT(level < t->levels);
    src /= t->children[level];
    dst /= t->children[level];
    level++;
  }
  return level;
}

static uint32_t tree_number(const struct sim_tree *t, uint32_t level, uint32_t lower, uint32_t port,
                            uint32_t down) {
  return t->first[level] + 2 * (lower * t->parents[level] * t->cables[level] + port) + down;
}

uint32_t sim_tree_route(const struct sim_tree *t, uint32_t src, uint32_t dst,
                        uint32_t links[SIM_TREE_HOPS_MAX]) {
  uint32_t top = sim_tree_top(t, src, dst), n = 0, up = 0, digits = dst;
  for (uint32_t i = 0; i < top; i++) {
    uint32_t ports = t->parents[i] * t->cables[i], port = digits % ports;
    links[n++] = tree_number(t, i, up + t->above[i] * (src / t->below[i]), port, 0);
    digits /= t->parents[i];
    up += t->above[i] * (port % t->parents[i]);
  }
  for (uint32_t i = top; i-- > 0;) {
    uint32_t lower = up % t->above[i] + t->above[i] * (dst / t->below[i]),
             parent = up / t->above[i] % t->parents[i], cable = src % t->cables[i];
    links[n++] = tree_number(t, i, lower, parent + cable * t->parents[i], 1);
  }
  return n;
}

uint32_t sim_tree_link_level(const struct sim_tree *t, uint32_t link) {
  EYOTI_ASSERT(link < t->links);
  uint32_t level = 0;
  while (link >= t->first[level + 1]) level++;
  return level;
}

void sim_tree_link(const struct sim_tree *t, uint32_t link, struct sim_tree_link *out) {
  uint32_t level = sim_tree_link_level(t, link), i = link - t->first[level],
           ports = t->parents[level] * t->cables[level], lower = i / 2 / ports,
           port = i / 2 % ports, parent = port % t->parents[level];
  uint32_t u = lower % t->above[level] + t->above[level] * parent,
           group = lower / t->above[level] / t->children[level];
  *out = (struct sim_tree_link){.level = level,
                                .lower = lower,
                                .upper = u + t->above[level + 1] * group,
                                .parent = parent,
                                .cable = port / t->parents[level],
                                .down = i % 2};
}
