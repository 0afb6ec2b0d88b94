/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - the wait graph: which unit waits for which when no unit can run. For report.c, which
 * makes it; dot.c and places.c print parts of it.
 *
 * Why it exists: a thousand lines "unit 17 waits" hide the one unit that all others wait for. Each
 * unit waits for at most one other, which its cause (cause.h) names. Followed from unit to unit,
 * each path ends in a cycle, or at a unit that waits for no known unit: these explain the
 * standstill. */
#ifndef EYOT_FABRIC_SIM_REPORT_GRAPH_H
#define EYOT_FABRIC_SIM_REPORT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric_sim/program/site.h"
#include "fabric_sim/report/cause.h"

struct sim_world;

struct sim_node {
  struct sim_cause cause;
  uint32_t to;   /* the unit that it waits for, or SIM_NO_UNIT */
  uint32_t end;  /* where its path ends: itself, another unit, or the lowest unit of a cycle */
  uint32_t site; /* of the call that it is in (program/site.h) */
  bool on_cycle;
};

struct sim_graph {
  const struct sim_world *world;
  struct sim_sites *sites;
  struct sim_node *node; /* one per unit */
  uint32_t *order;       /* scratch memory for sorting: one number per unit */
};

/* Builds the graph of the world's present state. Errors: ENOMEM. */
int sim_graph_new(const struct sim_world *w, struct sim_graph **out);
void sim_graph_free(struct sim_graph *g);

/* Prints lines of a report: cycles, lost wake-ups, and the units that others wait for in the
 * end. */
void sim_graph_print(const struct sim_graph *g, FILE *out);
/* Prints the functions, with call sites, that the units are in. */
void sim_graph_print_places(const struct sim_graph *g, FILE *out);
/* dot.c. Writes the same as a drawing. With more than some tens of units, groups are drawn
 * together. Errors: ESYS (file). */
int sim_graph_write_dot(const struct sim_graph *g, const char *file);
#endif
