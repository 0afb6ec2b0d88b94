/* SPDX-License-Identifier: BSD-3-Clause */
/* dragonfly.h - the graph of a Dragonfly and its minimal routes, as pure arithmetic: no SimGrid, no
 * costs, no time. For net_*.c (net_tables.h) and platform.c.
 *
 * Why it exists: SimGrid 3.32's own Dragonfly zone gives 4-19% of the routes a wrong hop count.
 * Here a route is computed from coordinates and proved against breadth-first search on the explicit
 * graph (tests/unit/sim/test_sim_routes.c). */

/* The graph (Cray XC): a group has chassis * blades routers; router r of a group is slot r % blades
 * of chassis r / blades. Within a chassis all routers are joined (green); each router is joined to
 * the routers of the same slot in the other chassis (black); between each two groups there are
 * `blue` channels, distributed round robin to the routers of each side. A channel is one link in
 * each direction.
 *
 * A minimal route uses at most one blue link, so at most 2 + 1 + 2 hops; `salt` chooses among the
 * blue links that give the fewest hops, and between the two corners of a two-hop route within a
 * group. */
#ifndef EYOT_FABRIC_SIM_MACHINE_DRAGONFLY_H
#define EYOT_FABRIC_SIM_MACHINE_DRAGONFLY_H

#include <stdint.h>

#define SIM_DF_HOPS_MAX 5u   /* 2 + 1 + 2 */
#define SIM_DF_DETOUR_MAX 8u /* 2 + 1 + 2 + 1 + 2 */
#define SIM_DF_BLUE_MAX 256u /* blue channels between two groups */
#define SIM_DF_BLUE_WORDS (SIM_DF_BLUE_MAX / 64u)

enum sim_df_color { SIM_DF_GREEN = 0, SIM_DF_BLACK, SIM_DF_BLUE };

/* Where a router is, looked up instead of divided. */
struct sim_df_at {
  uint32_t group, r; /* r: its number in the group */
  uint16_t chassis, slot;
};

struct sim_df {
  uint32_t groups, chassis, blades, blue;
  uint32_t routers;     /* of a group */
  uint32_t group_links; /* links that start in one group */
  uint32_t links;       /* in the whole machine */
  uint32_t words;       /* of a mask over the blue channels of a pair of groups */
  /* near[(q * routers + r) * 2 + d]: the blue channels to the q-th next group whose end in this
   * group is at most d hops from router r; `words` words each. Filled for a q when a route first
   * needs it */
  uint64_t *within;
  uint8_t *filled;      /* [groups - 1] */
  struct sim_df_at *at; /* [groups * routers] */
  uint32_t *first;      /* [groups - 1]: where in the group the q-th next group's channel 0 ends */
};

/* groups, chassis, blades >= 1; 1 <= blue <= min(SIM_DF_BLUE_MAX, routers of a group) (asserted:
 * the caller has checked the user's values). Errors: ENOMEM. */
int sim_df_init(struct sim_df *df, uint32_t groups, uint32_t chassis, uint32_t blades,
                uint32_t blue);
void sim_df_fini(struct sim_df *df);

/* Writes the links of the route from router src to router dst (global numbers: group * routers + r)
 * in order; returns their number, 0 if src is dst. */
uint32_t sim_df_route(const struct sim_df *df, uint32_t src, uint32_t dst, uint64_t salt,
                      uint32_t links[SIM_DF_HOPS_MAX]);

/* The same by a detour, Valiant's: between groups through a third one that `salt` chooses, by a
 * channel at most one hop away where there is one; within a group through a third router. Returns 0
 * if there is no third one. */
uint32_t sim_df_detour(const struct sim_df *df, uint32_t src, uint32_t dst, uint64_t salt,
                       uint32_t links[SIM_DF_DETOUR_MAX]);

/* Returns the two routers that a link joins, and its color. */
void sim_df_link(const struct sim_df *df, uint32_t link, uint32_t *from, uint32_t *to,
                 enum sim_df_color *color);
#endif
