/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - finds how a team lies on nodes (layout.h), by the places of the caller's neighbors and
 * an exchange, and computes groups of nodes. */
#include "coll/layout.h"

static int node_of(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t member,
                   uint32_t *node) {
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, eyoti_team_unit(t, member), &place));
  *node = place.id[EYOT_DOMAIN_NODE];
  return EYOT_OK;
}

/* The members next to the caller that share its node: *first .. *end - 1. */
static int find_run(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t *first,
                    uint32_t *end) {
  uint32_t mine, node;
  EYOTI_TRY(node_of(rt, t, t->me, &mine));
  *first = t->me;
  *end = t->me + 1;
  for (; *first > 0 && *end - *first <= EYOTI_LAYOUT_CORES; --*first) {
    EYOTI_TRY(node_of(rt, t, *first - 1, &node));
    if (node != mine) break;
  }
  for (; *end < t->size && *end - *first <= EYOTI_LAYOUT_CORES; ++*end) {
    EYOTI_TRY(node_of(rt, t, *end, &node));
    if (node != mine) break;
  }
  return EYOT_OK;
}

/* The greatest length of a run, and the least of those that do not end the team: if they are equal,
 * all runs but the last are as long, and so begin at its multiples. A member that cannot find its
 * own says so by a length that none has: then the call fails on all. */
int eyoti_layout_find(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_layout *out) {
  static const enum eyoti_ctl_op OPS[] = {EYOTI_CTL_MAX, EYOTI_CTL_MIN};
  uint32_t first = 0, end = 0;
  int rc = find_run(rt, t, &first, &end);
  uint64_t length = rc == EYOT_OK ? end - first : UINT32_MAX;
  uint64_t words[] = {length, rc == EYOT_OK && end == t->size ? UINT32_MAX : length};
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &t->ctl, OPS, words, 2));
  if (rc != EYOT_OK) return rc;
  if (words[0] == UINT32_MAX)
    return EYOTI_FAIL(EYOT_EFABRIC, "another member of %s cannot find its node, see its message",
                      EYOTI_TEAM_WORDS(t));
  *out = (struct eyoti_layout){.size = t->size};
  /* One node: no run but the last. */
  bool regular = words[0] == words[1] || words[1] == UINT32_MAX;
  if (!regular || words[0] > EYOTI_LAYOUT_CORES) return EYOT_OK;
  out->per_node = (uint32_t)words[0];
  out->nodes = (t->size - 1) / out->per_node + 1;
  return EYOT_OK;
}

/* -- groups ------------------------------------------------------------------------------------ */

/* radix^levels, or UINT32_MAX if that is more. */
static uint32_t power(uint32_t radix, uint32_t levels) {
  uint64_t nodes = 1;
  for (uint32_t l = 0; l < levels && nodes < UINT32_MAX; l++) nodes *= radix;
  return nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
}

struct eyoti_groups eyoti_groups_by(uint32_t nodes, uint32_t radix) {
  struct eyoti_groups g = {.nodes = nodes, .radix = radix};
  EYOTI_ASSERT(nodes > 0 && radix >= 2);
  while (power(radix, g.levels) < nodes) g.levels++;
  while (g.radix > 2 && power(g.radix - 1, g.levels) >= nodes) g.radix--;
  return g;
}

uint32_t eyoti_groups_parts(const struct eyoti_groups *g, uint32_t level, struct eyoti_nodes of) {
  uint32_t most = power(g->radix, level); /* nodes of a part */
  return (of.end - of.first - 1) / most + 1;
}

uint32_t eyoti_groups_part_of(struct eyoti_nodes of, uint32_t node, uint32_t n) {
  uint64_t count = of.end - of.first, at = node - of.first;
  uint32_t i = (uint32_t)(at * n / count);
  while (i + 1 < n && eyoti_groups_part(of, i, n).end <= node) i++;
  return i;
}

struct eyoti_nodes eyoti_groups_at(const struct eyoti_groups *g, uint32_t level, uint32_t node) {
  struct eyoti_nodes at = {0, g->nodes};
  for (uint32_t l = g->levels; l > level; l--) {
    uint32_t n = eyoti_groups_parts(g, l - 1, at);
    at = eyoti_groups_part(at, eyoti_groups_part_of(at, node, n), n);
  }
  return at;
}

void eyoti_layout_tree(uint32_t n, uint32_t latency, uint8_t *parent) {
  uint16_t ready[EYOTI_LAYOUT_CORES]; /* when each can send its next message */
  EYOTI_ASSERT(n > 0 && n <= EYOTI_LAYOUT_CORES && latency <= EYOTI_LAYOUT_CORES);
  parent[0] = 0;
  ready[0] = 0;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t from = 0;
    for (uint32_t k = 1; k < i; k++)
      if (ready[k] < ready[from]) from = k;
    parent[i] = (uint8_t)from;
    ready[i] = (uint16_t)(ready[from]++ + latency);
  }
}
