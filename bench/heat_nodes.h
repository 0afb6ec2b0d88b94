/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_nodes.h - what the MPI twins of heat3d ask eyot: which units are on which node, because MPI
 * knows no virtual nodes (--node-size). On real nodes MPI_Comm_split_type answers it. */
#ifndef BENCH_HEAT_NODES_H
#define BENCH_HEAT_NODES_H

#include <eyot/eyot.h>

static inline uint32_t heat_node(uint32_t unit) {
  eyot_place_t place;
  if (eyot_locate((eyot_unit_t){unit}, &place) != EYOT_OK) eyot_abort(1, "eyot_locate");
  return place.id[EYOT_DOMAIN_NODE];
}

static inline bool heat_one_node(void) {
  for (uint32_t unit = 1; unit < eyot_size(); unit++)
    if (heat_node(unit) != heat_node(0)) return false;
  return true;
}
#endif
