/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - the summary of a timed run: virtual time by phase, operations and bytes by distance,
 * and separately the run's cost on the host. For module.c. It is an observer of the world
 * (engine/observer.h). */
#ifndef EYOT_FABRIC_SIM_REPORT_STATS_H
#define EYOT_FABRIC_SIM_REPORT_STATS_H

struct sim_world;
struct sim_stats;

/* Begins to count in an open world, before its units start. *out is NULL if the world's options
 * request no summary. Errors: ENOMEM. */
int sim_stats_open(struct sim_world *w, struct sim_stats **out);
void sim_stats_close(struct sim_stats *s); /* s may be NULL; the world must not run any more */
/* Prints the summary on stderr and writes the CSV file, each if requested. s NULL: does nothing.
 * Errors: ESYS (file). */
int sim_stats_print(const struct sim_stats *s, const struct sim_world *w);
#endif
