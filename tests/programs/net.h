/* SPDX-License-Identifier: BSD-3-Clause */
/* net.h - random graphs over all units for test programs: with no edges, with edges to oneself,
 * several between two members, a ring in one direction, a grid. */
#ifndef NET_H
#define NET_H

#include "programs/api_check.h"

#define EDGES 1024u /* of a member, most */

struct net {
  eyot_graph_t graph;
  uint32_t n_in, n_out;
  eyot_tunit_t in[EDGES], out[EDGES]; /* EYOT_TUNIT_NONE: no neighbour */
  uint32_t in_tag[EDGES], out_tag[EDGES];
};

static inline void net_draw_graph(struct net *g, uint64_t *random, uint32_t me, uint32_t n) {
  uint64_t kind = draw(random) % 4, dense = 1 + draw(random) % 4;
  g->n_in = g->n_out = 0;
  for (uint32_t a = 0; a < n; a++)
    for (uint32_t b = 0; b < n; b++) {
      uint64_t r = draw(random), times = 0;
      if (kind == 0) times = b == (a + 1) % n;                     /* a ring */
      if (kind == 1) times = r % 8 < dense ? 1 + r / 8 % 2 : 0;    /* any */
      if (kind == 2) times = a != b && (r % 8 < dense || b == 0);  /* to one */
      if (kind == 3) times = a == b || (a + 1 == b && r % 2 == 0); /* few, and to oneself */
      for (uint32_t i = 0; i < times; i++) {
        if (a == me) g->out[g->n_out] = (eyot_tunit_t){b}, g->out_tag[g->n_out++] = i;
        if (b == me) g->in[g->n_in] = (eyot_tunit_t){a}, g->in_tag[g->n_in++] = i;
      }
    }
  /* in any order: sources from the last on */
  for (uint32_t i = 0; i < g->n_in / 2; i++) {
    eyot_tunit_t other = g->in[i];
    g->in[i] = g->in[g->n_in - 1 - i];
    g->in[g->n_in - 1 - i] = other;
  }
  for (uint32_t i = 0; i < g->n_in; i++) {
    g->in_tag[i] = 0;
    for (uint32_t k = 0; k < i; k++) g->in_tag[i] += g->in[k].id == g->in[i].id;
  }
  OK(eyot_graph_create(EYOT_TEAM_ALL, g->n_in > 0 ? g->in : NULL, g->n_in,
                       g->n_out > 0 ? g->out : NULL, g->n_out, &g->graph));
}

static inline void net_draw_grid(struct net *g, uint64_t *random, uint32_t me, uint32_t n) {
  uint32_t ndims = 1 + (uint32_t)(draw(random) % 3), dims[3] = {0}, at[3], product = 1;
  bool periodic[3];
  OK(eyot_cart_dims(n, ndims, dims));
  for (uint32_t i = 0; i < ndims; i++) {
    periodic[i] = draw(random) % 2 == 0;
    CHECK(i == 0 || dims[i] <= dims[i - 1]);
    product *= dims[i];
  }
  CHECK(product == n);
  OK(eyot_cart_create(EYOT_TEAM_ALL, ndims, dims, periodic, &g->graph));
  OK(eyot_cart_coords(g->graph, (eyot_tunit_t){me}, at));
  g->n_in = g->n_out = 2 * ndims;
  for (uint32_t d = 0; d < ndims; d++) {
    eyot_tunit_t before, after, there;
    OK(eyot_cart_shift(g->graph, d, 1, &before, &after));
    int64_t coords[3];
    for (uint32_t i = 0; i < ndims; i++) coords[i] = at[i];
    coords[d]++;
    if (at[d] + 1 < dims[d] || periodic[d]) {
      OK(eyot_cart_rank(g->graph, coords, &there));
      CHECK(there.id == after.id);
    } else {
      CHECK(after.id == EYOT_TUNIT_NONE.id);
    }
    g->in[2 * d] = g->out[2 * d] = before;
    g->in[2 * d + 1] = g->out[2 * d + 1] = after;
    /* the tag of an edge is the direction in which it was sent */
    g->out_tag[2 * d] = g->in_tag[2 * d + 1] = 2 * d;
    g->out_tag[2 * d + 1] = g->in_tag[2 * d] = 2 * d + 1;
  }
}

/* Draws a graph that all units make alike. */
static inline void net_make(struct net *g, uint64_t *random, uint32_t me, uint32_t n) {
  static eyot_tunit_t in[EDGES], out[EDGES];
  uint32_t n_in, n_out;
  if (draw(random) % 3 == 0)
    net_draw_grid(g, random, me, n);
  else
    net_draw_graph(g, random, me, n);
  OK(eyot_graph_degrees(g->graph, &n_in, &n_out));
  CHECK(n_in == g->n_in && n_out == g->n_out);
  OK(eyot_graph_neighbors(g->graph, in, out));
  for (uint32_t i = 0; i < n_in; i++) CHECK(in[i].id == g->in[i].id);
  for (uint32_t i = 0; i < n_out; i++) CHECK(out[i].id == g->out[i].id);
}
#endif
