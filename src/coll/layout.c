/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c - finds how a team lies on nodes (layout.h), by the places of the caller's neighbors and
 * an exchange. */
#include "coll/layout.h"

#include "coll/costs.h"

struct eyoti_layout eyoti_layout_regular(uint32_t size, uint32_t per_node) {
  uint32_t nodes = (size - 1) / per_node + 1;
  return (struct eyoti_layout){.size = size,
                               .per_node = per_node,
                               .nodes = nodes,
                               .most = per_node,
                               .least = size - (nodes - 1) * per_node};
}

static int node_of(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t member,
                   uint32_t *node) {
  eyot_place_t place;
  EYOTI_TRY(rt->fab->ops->locate(rt->fab, eyoti_team_unit(t, member), &place));
  *node = place.id[EYOT_DOMAIN_NODE];
  return EYOT_OK;
}

/* The members next to the caller that share its node: *first .. *end - 1. Not inlined, as the error
 * below: the exchange would have its memory under it on the stack, which is one page of each of
 * thousands of simulated units. */
static __attribute__((noinline)) int find_run(struct eyot_rt *rt, const struct eyoti_team *t,
                                              uint32_t *first, uint32_t *end) {
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

static __attribute__((noinline)) int not_found(const struct eyoti_team *t) {
  return EYOTI_FAIL(EYOT_EFABRIC, "another member of %s cannot find its node, see its message",
                    EYOTI_TEAM_WORDS(t));
}

/* The greatest length of a run, and the least of those that do not end the team: if they are equal,
 * all runs but the last are as long, and so begin at its multiples. A member that cannot find its
 * own says so by a length that none has: then the call fails on all. */
int eyoti_layout_words(struct eyot_rt *rt, const struct eyoti_team *t, uint64_t words[2]) {
  uint32_t first = 0, end = 0;
  int rc = find_run(rt, t, &first, &end);
  words[0] = rc == EYOT_OK ? end - first : UINT32_MAX;
  words[1] = rc == EYOT_OK && end == t->size ? UINT32_MAX : words[0];
  return rc;
}

/* Of so many members of each node but the last. */
static void set_layout(const struct eyoti_team *t, uint32_t per_node, struct eyoti_layout *out) {
  *out = (struct eyoti_layout){.size = t->size};
  if (per_node <= EYOTI_LAYOUT_CORES) *out = eyoti_layout_regular(t->size, per_node);
}

/* The layout of all units, where the fabric knows it: the same on all. false: it does not. */
static bool layout_known(const struct fab *f, const struct eyoti_team *t,
                         struct eyoti_layout *out) {
  uint32_t cores = t->size == f->n && f->ops->per_node != NULL ? f->ops->per_node(f) : 0;
  if (cores == 0) return false;
  set_layout(t, cores < t->size ? cores : t->size, out);
  return true;
}

int eyoti_layout_find(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_layout *out) {
  static const enum eyoti_ctl_op OPS[] = {EYOTI_CTL_MAX, EYOTI_CTL_MIN};
  uint64_t words[2];
  if (layout_known(rt->fab, t, out)) return EYOT_OK;
  int rc = eyoti_layout_words(rt, t, words);
  EYOTI_TRY(eyoti_ctl_exchange(rt->fab, &t->ctl, OPS, words, 2));
  return rc != EYOT_OK ? rc : eyoti_layout_of(rt, t, words, out);
}

/* Not inlined, as above. */
static __attribute__((noinline)) int find_routers(struct eyot_rt *rt, const struct eyoti_team *t,
                                                  const struct eyoti_layout *l, uint64_t *routers) {
  uint32_t before = 0;
  *routers = 0;
  for (uint32_t node = 0; node < l->nodes; node++) {
    eyot_place_t place;
    fab_unit_t unit = eyoti_team_unit(t, eyoti_layout_first(l, node));
    EYOTI_TRY(rt->fab->ops->locate(rt->fab, unit, &place));
    uint32_t router = place.id[EYOT_DOMAIN_BLADE];
    if (node == 0 || router != before) *routers |= (uint64_t)1 << node;
    before = router;
  }
  return EYOT_OK;
}

int eyoti_layout_find_routers(struct eyot_rt *rt, const struct eyoti_team *t,
                              struct eyoti_layout *l) {
  uint64_t routers;
  if (l->per_node == 0 || l->nodes > EYOTI_LAYOUT_ROUTED || l->nodes < 3) return EYOT_OK;
  if (eyoti_costs_of(rt->fab)->router_nodes < 2) return EYOT_OK;
  EYOTI_TRY(find_routers(rt, t, l, &routers));
  if (routers != 1 && routers != eyoti_layout_apart(l->nodes)) l->routers = routers;
  return EYOT_OK;
}

/* Of a team that lies unevenly, and whether one does whose runs have the same length: the runs of a
 * node may be several. Nodes of which each has one member are of no use. */
static int set_placed(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t run,
                      struct eyoti_layout *out) {
  const struct eyoti_placement *p;
  *out = (struct eyoti_layout){.size = t->size};
  EYOTI_TRY(eyoti_team_placement(rt, t, &p));
  if (run > 0 && !p->scattered) {
    set_layout(t, run, out);
  } else if (p->most <= EYOTI_LAYOUT_CORES && p->nodes < t->size) {
    out->nodes = p->nodes;
    out->most = p->most;
    out->least = p->least;
    out->placed = p;
  }
  return EYOT_OK;
}

int eyoti_layout_of(struct eyot_rt *rt, const struct eyoti_team *t, const uint64_t words[2],
                    struct eyoti_layout *out) {
  if (words[0] == UINT32_MAX) return not_found(t);
  if (words[1] == UINT32_MAX && words[0] == t->size) { /* one node */
    set_layout(t, t->size, out);
    return EYOT_OK;
  }
  /* No run but the last is shorter. One that is longer is no other node's. */
  bool regular = words[0] == words[1];
  return set_placed(rt, t, regular ? (uint32_t)words[0] : 0, out);
}
