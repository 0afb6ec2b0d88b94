/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - turns return addresses into "heat3d.c:212 (main)". For report/ (graph.h) and explore/.
 *
 * Why it exists: a report names the line of the program that waits. Units run copies of one file,
 * loaded under names that no longer exist, so an address is first turned into an offset in that
 * file. Thousands of units then share a few distinct places, for which addr2line (binutils) is run
 * once. Without it, or without debug information, a place is a symbol and an offset. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_SITE_H
#define EYOT_FABRIC_SIM_PROGRAM_SITE_H

#include <stdint.h>
#include <stdio.h>

#include "fabric_sim/program/program.h"

#define SIM_SITES_MAX 1024u /* distinct places; later ones are unknown */

struct sim_sites;

/* Errors: ENOMEM. */
int sim_sites_new(const struct sim_prog *prog, struct sim_sites **out);
void sim_sites_free(struct sim_sites *s); /* s may be NULL */
/* Returns the number of the place to which the unit's call returns; 0: unknown (`address` NULL, or
 * the table is full). Must precede sim_sites_resolve. */
uint32_t sim_sites_add(struct sim_sites *s, uint32_t unit, const void *address);
/* Finds the source lines of all places at once. Starts a process per file concerned, and waits some
 * seconds at most for each; never fails. May be called once. */
void sim_sites_resolve(struct sim_sites *s);
/* Returns "heat3d.c:212 (main)", or the best description; for 0 "an unknown place". Valid as long
 * as *s. */
const char *sim_sites_text(const struct sim_sites *s, uint32_t site);
/* Prints why source lines are missing, if some are. */
void sim_sites_explain(const struct sim_sites *s, FILE *out);
#endif
