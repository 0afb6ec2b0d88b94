/* SPDX-License-Identifier: BSD-3-Clause */
/* suppress.h - the file of suppressions (EYOT_RACE_SUPPRESSIONS): races that are not reported.
 * docs/checking.md has its format. For race.c, race_time.c and explore.c.
 *
 * Memory: shared with the workers of eyotcheck, so that the end knows which lines were used. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_SUPPRESS_H
#define EYOT_FABRIC_SIM_EXPLORE_SUPPRESS_H

#include <stdbool.h>
#include <stdio.h>

struct sim_suppress;

/* Reads the file; path NULL: *out is NULL. False: it cannot be read, or a line is wrong; this was
 * printed. */
bool sim_suppress_open(const char *path, struct sim_suppress **out);
void sim_suppress_close(struct sim_suppress *s); /* s may be NULL */

/* One access of a race: the call, or "a load", "a store", "an atomic"; "file.c:12 (function)". */
struct sim_suppress_access {
  const char *call, *place;
};
/* Whether a line hides races of these two. s may be NULL. */
bool sim_suppress_hides(struct sim_suppress *s, struct sim_suppress_access first,
                        struct sim_suppress_access second);
/* Names the lines that have hidden no race. s may be NULL. */
void sim_suppress_print_unused(const struct sim_suppress *s, FILE *out);
#endif
