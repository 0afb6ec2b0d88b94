/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h - the race detector (src/check/race/race.h) as an observer of a world (engine/observer.h):
 * turns units, words and operations of the simulator into the detector's. Called by explore.c and
 * one_run.c for explored runs, which a race fails, and by race_time.c for timed runs, which
 * continue.
 *
 * Bytes of puts and gets, at the target and in the unit's own global memory, count from the post to
 * the completion that the unit sees: the order in which they take effect tells no unit anything, so
 * a race is found whatever the order of arrival. Signals and atomics count when they act, since a
 * unit that sees them learns from them.
 *
 * Memory is from snapshot/mem.h, and outlives runs that are restored. Thread rule: one thread. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_H

#include "fabric_sim/engine/world.h"

struct sim_race;
struct sim_suppress; /* suppress.h */
struct chk_race_report;

/* Makes a detector for the world's units, not yet attached to the world. suppress: NULL, or the
 * races that do not fail an explored run. Panics when out of memory. */
struct sim_race *sim_race_new(struct sim_world *w, struct sim_suppress *suppress);
void sim_race_delete(struct sim_race *x); /* x may be NULL */
/* A run begins, in a state without operations in flight. */
void sim_race_restart(struct sim_race *x);
/* Races on these bytes are meant (chk_race_racy); as an attached detector hears from touches. */
void sim_race_racy(struct sim_race *x, struct sim_unit *u, const void *p, uint64_t len);
/* Adds the detector to the observers of its world. */
void sim_race_attach(struct sim_race *x);

/* The unit's events so far, as races number them. */
uint32_t sim_race_events(const struct sim_race *x, uint32_t unit);
/* Writes where the accesses of the race meet; NULL: in private memory, which has no words. */
const char *sim_race_words(const struct sim_race *x, const struct chk_race_report *r,
                           char words[EYOTI_WORDS]);
/* Sets *reports to the races found so far (race/race.h); returns their number. */
uint32_t sim_race_reports(const struct sim_race *x, const struct chk_race_report **reports);
/* The first reports of timed runs have the words of their memory; NULL for others. */
#define SIM_RACE_WORDS 20u
const char *sim_race_where(const struct sim_race *x, uint32_t report);
#endif
