/* SPDX-License-Identifier: BSD-3-Clause */
/* stats.h - the summary: virtual time by phase, operations and bytes by distance, and, apart
 * from these, what the run cost on the host. */
#ifndef EYOT_FABRIC_SIM_REPORT_STATS_H
#define EYOT_FABRIC_SIM_REPORT_STATS_H

#include <stdint.h>

struct fs_world;
struct fs_unit;
struct fs_op;
struct fs_stats;

/* Errors: ENOMEM. */
int fs_stats_new(uint32_t n_units, struct fs_stats **out);
void fs_stats_free(struct fs_stats *s);
/* One operation of `bytes` is on its way. The world must have stats. */
void fs_stats_op(const struct fs_world *w, const struct fs_op *op, uint64_t bytes);
/* The unit enters the phase `name` (NULL: none) and leaves the one before. Does nothing without
 * stats. */
void fs_stats_phase(struct fs_unit *u, const char *name);
/* Prints the summary on stderr if it was asked for, and writes the CSV file if one was. Errors:
 * ESYS (file). */
int fs_stats_print(const struct fs_world *w);
#endif
