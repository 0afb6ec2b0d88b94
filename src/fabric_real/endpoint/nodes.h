/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h - which node a unit is on. */
#ifndef EYOT_FABRIC_REAL_ENDPOINT_NODES_H
#define EYOT_FABRIC_REAL_ENDPOINT_NODES_H

#include "fabric/fabric.h"

struct fmpi;

/* `count` consecutive nodes of `size` units each. The first of them is node `node`, and its first
 * unit is `unit`. */
struct fmpi_run {
  uint32_t unit, node, size, count;
};

struct fmpi_nodes {
  struct fmpi_run *runs; /* of all units, in their order */
  uint32_t n;
};

/* The node of a unit, and the first unit there. */
void fmpi_home(const struct fmpi *f, fab_unit_t unit, uint32_t *node, fab_unit_t *first);
/* The rank that MPI addresses for the unit's part of any segment: the unit's own, or that of the
 * progress process that serves it. */
int fmpi_rank_of(const struct fmpi *f, fab_unit_t unit);
int fmpi_locate(struct fab *fab, fab_unit_t unit, eyot_place_t *place); /* fab_ops */
uint32_t fmpi_per_node(const struct fab *fab);                          /* fab_ops */
#endif
