/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - the summary: virtual time by phase, operations and bytes by distance, and, apart
 * from these, what the run cost on the host. */
#ifndef EYOT_FABRIC_SIM_REPORT_STATS_H
#define EYOT_FABRIC_SIM_REPORT_STATS_H

#include <stdint.h>

struct sim_world;
struct sim_unit;
struct sim_op;
struct sim_stats;

/* Errors: ENOMEM. */
int sim_stats_new(uint32_t n_units, struct sim_stats **out);
void sim_stats_free(struct sim_stats *s);
/* One operation of `bytes` is on its way. The world must have stats. */
void sim_stats_op(const struct sim_world *w, const struct sim_op *op, uint64_t bytes);
/* The unit enters the phase `name` (NULL: none) and leaves the one before. Does nothing without
 * stats. */
void sim_stats_phase(struct sim_unit *u, const char *name);
/* Prints the summary on stderr if it was asked for, and writes the CSV file if one was. Errors:
 * ESYS (file). */
int sim_stats_print(const struct sim_world *w);
#endif
