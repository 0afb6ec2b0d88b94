/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - who waits for whom when a run has come to a standstill.
 *
 * Why it exists: a thousand lines "unit 17 waits" hide the one unit that all others wait for. Each
 * unit waits for at most one other here, the one that its cause (cause.h) names; followed from
 * unit to unit these ways end in a cycle, or at a unit that waits for nobody who is known: these
 * are to be looked at. */
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
  uint32_t end;  /* where its way ends: itself, another unit, or the lowest unit of a cycle */
  uint32_t site; /* of the call that it is in (program/site.h) */
  bool on_cycle;
};

struct sim_graph {
  const struct sim_world *world;
  struct sim_sites *sites;
  struct sim_node *node; /* one a unit */
  uint32_t *order;       /* room for one number a unit, for whoever sorts */
};

/* Of the world as it stands. Errors: ENOMEM. */
int sim_graph_new(const struct sim_world *w, struct sim_graph **out);
void sim_graph_free(struct sim_graph *g);

/* Cycles, lost wake-ups, and the units for which others wait in the end: lines of a report. */
void sim_graph_print(const struct sim_graph *g, FILE *out);
/* In what functions, called where, the units are. */
void sim_graph_print_places(const struct sim_graph *g, FILE *out);
/* dot.c: the same as a drawing. Units beyond some tens are drawn together. Errors: ESYS
 * (file). */
int sim_graph_write_dot(const struct sim_graph *g, const char *file);
#endif
