/* SPDX-License-Identifier: BSD-3-Clause */
/* torus.h - the graph of a 3D torus and its dimension-order routes, as pure arithmetic: no SimGrid,
 * no costs, no time. For net_*.c (net_tables.h).
 *
 * Why it exists: the xe6 preset (Gemini) routes x, then y, then z, each the shorter way round (the
 * positive one on a tie). Proved against breadth-first search in
 * tests/unit/sim/test_sim_routes.c. */
#ifndef EYOT_FABRIC_SIM_MACHINE_TORUS_H
#define EYOT_FABRIC_SIM_MACHINE_TORUS_H

#include <stdint.h>

#define SIM_TORUS_DIMS 3u
#define SIM_TORUS_SIZE_MAX 40u /* of one dimension */
#define SIM_TORUS_HOPS_MAX (SIM_TORUS_DIMS * SIM_TORUS_SIZE_MAX / 2u)

struct sim_torus {
  uint32_t size[SIM_TORUS_DIMS];
  /* links: router * 6 + dimension * 2 + (1 if in the negative direction) */
  uint32_t routers, links;
};

/* Writes the sizes of the smallest near-cubic box of at least `routers` routers, each size between
 * `least` and `most` (which can hold them: asserted). */
void sim_torus_box(uint32_t routers, const uint32_t least[SIM_TORUS_DIMS],
                   const uint32_t most[SIM_TORUS_DIMS], uint32_t size[SIM_TORUS_DIMS]);
/* A torus of these sizes (1 .. SIM_TORUS_SIZE_MAX each, asserted). */
void sim_torus_init(struct sim_torus *t, const uint32_t size[SIM_TORUS_DIMS]);
/* Returns router i of a box at the torus's origin, counted along x, then y, then z. */
uint32_t sim_torus_in_box(const struct sim_torus *t, const uint32_t box[SIM_TORUS_DIMS],
                          uint32_t i);

/* Writes the links of the route in order; returns their number. */
uint32_t sim_torus_route(const struct sim_torus *t, uint32_t src, uint32_t dst,
                         uint32_t links[SIM_TORUS_HOPS_MAX]);

/* Returns the two routers that a link joins, and its dimension. In a dimension of size 1 a link
 * leads back to its own router and no route uses it. */
void sim_torus_link(const struct sim_torus *t, uint32_t link, uint32_t *from, uint32_t *to,
                    uint32_t *dim);
#endif
