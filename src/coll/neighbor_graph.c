/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_graph.c - graphs whose edges the program names (eyot/neighbor.h), and who a member's
 * neighbours are. */
#include <stdlib.h>
#include <string.h>

#include "coll/neighbor.h"

static int member_order(const void *a, const void *b) {
  const struct eyoti_edge_name *x = a, *y = b;
  if (x->member != y->member) return x->member < y->member ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

/* The names of one side; the i-th edge to or from a member has the tag i. Errors (logged). */
static int names_of(const struct eyoti_team *t, const eyot_tunit_t *members, uint32_t n,
                    const char *what, struct eyoti_edge_name **out) {
  *out = NULL;
  if (members == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected %u members", what, n);
  for (uint32_t i = 0; i < n; i++)
    if (members[i].id >= t->size)
      return EYOTI_FAIL(EYOT_EUNIT, "%s[%u] is %u, which is not in %s, expected 0..%u", what, i,
                        members[i].id, EYOTI_TEAM_WORDS(t), t->size - 1);
  struct eyoti_edge_name *names = calloc((size_t)n + 1, sizeof *names);
  if (names == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for %u edges", n);
  for (uint32_t i = 0; i < n; i++)
    names[i] = (struct eyoti_edge_name){.member = members[i].id, .index = i, .block = i};
  qsort(names, n, sizeof *names, member_order);
  for (uint32_t i = 1; i < n; i++)
    if (names[i].member == names[i - 1].member) names[i].tag = names[i - 1].tag + 1;
  *out = names;
  return EYOT_OK;
}

int eyot_graph_create(eyot_team_t team, const eyot_tunit_t *sources, uint32_t n_sources,
                      const eyot_tunit_t *destinations, uint32_t n_destinations,
                      eyot_graph_t *graph) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  struct eyoti_graph_edges e = {.n_in = n_sources,
                                .n_out = n_destinations,
                                .sources = n_sources,
                                .destinations = n_destinations};
  int refused = names_of(t, sources, n_sources, "sources", &e.in);
  if (refused == EYOT_OK)
    refused = names_of(t, destinations, n_destinations, "destinations", &e.out);
  int rc = eyoti_graph_make(rt, t, &e, NULL, 0, refused, graph);
  free(e.in);
  free(e.out);
  return rc;
}

int eyot_graph_degrees(eyot_graph_t graph, uint32_t *n_sources, uint32_t *n_destinations) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(eyoti_graph_find(rt, graph, &g));
  if (n_sources == NULL || n_destinations == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "a place for the result is NULL");
  *n_sources = g->sources;
  *n_destinations = g->destinations;
  return EYOT_OK;
}

int eyot_graph_neighbors(eyot_graph_t graph, eyot_tunit_t *sources, eyot_tunit_t *destinations) {
  EYOTI_ENTER(rt);
  struct eyoti_graph *g;
  EYOTI_TRY(eyoti_graph_find(rt, graph, &g));
  if ((sources == NULL && g->sources > 0) || (destinations == NULL && g->destinations > 0))
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL, expected a place for %u members",
                      sources == NULL && g->sources > 0 ? "sources" : "destinations",
                      sources == NULL && g->sources > 0 ? g->sources : g->destinations);
  for (uint32_t i = 0; i < g->sources; i++) sources[i] = EYOT_TUNIT_NONE;
  for (uint32_t i = 0; i < g->destinations; i++) destinations[i] = EYOT_TUNIT_NONE;
  for (uint32_t i = 0; i < g->n_in; i++) sources[g->in[i].block].id = g->in[i].member;
  for (uint32_t i = 0; i < g->n_out; i++) destinations[g->out[i].block].id = g->out[i].member;
  return EYOT_OK;
}
