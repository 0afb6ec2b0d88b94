/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - from return addresses to "heat3d.c:212 (main)".
 *
 * Why it exists: a report names the line of the program that waits. Units run copies of one file,
 * loaded under names that are gone, so an address is first turned into an offset in that file;
 * thousands of units then share a few distinct places, which addr2line (binutils) is asked about
 * once. Without it, or without debug information, a place is a symbol and an offset. */
#ifndef EYOT_FABRIC_SIM_PROGRAM_SITE_H
#define EYOT_FABRIC_SIM_PROGRAM_SITE_H

#include <stdint.h>
#include <stdio.h>

#include "fabric_sim/program/program.h"

#define SIM_SITES_MAX 1024u /* distinct places; what comes later is unknown */

struct sim_sites;

/* Errors: ENOMEM. */
int sim_sites_new(const struct sim_prog *prog, struct sim_sites **out);
void sim_sites_free(struct sim_sites *s); /* NULL is fine */
/* The number of the place where the unit's call returns to; 0: none is known (`address` NULL, or no
 * room). Before sim_sites_resolve. */
uint32_t sim_sites_add(struct sim_sites *s, uint32_t unit, const void *address);
/* Asks for all places at once. Starts a process, and takes at most some seconds for each file
 * concerned; never fails. Once. */
void sim_sites_resolve(struct sim_sites *s);
/* "heat3d.c:212 (main)", or what is known; "an unknown place" of 0. Valid as long as *s. */
const char *sim_sites_text(const struct sim_sites *s, uint32_t site);
/* A line that says why source lines are missing, if some are. */
void sim_sites_explain(const struct sim_sites *s, FILE *out);
#endif
