/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h - the race detector (src/check/race/race.h) as an observer of the simulator
 * (engine/observer.h): turns its units, words and operations into the detector's. A race ends an
 * explored run as failed; with time the run goes on, and race_time.h prints reports at its end.
 *
 * The bytes of puts and gets, and their other side in the unit's own global memory, count from the
 * post: from there to the completion that the unit sees they are under way, and the order in which
 * they take effect tells no unit anything. So a race is found in whatever order they arrive.
 * Signals and atomics count when they act, since a unit that sees them learns from them.
 *
 * Memory is from snapshot/mem.h, and outlives runs that are restored. Thread rule: one thread. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_H

#include "fabric_sim/engine/world.h"

struct sim_race;
struct chk_race_report;

/* For the world's units; it is not attached to the world. Panics when there is no memory. */
struct sim_race *sim_race_new(struct sim_world *w);
void sim_race_delete(struct sim_race *x); /* NULL is fine */
/* A run begins, from a state in which nothing is in flight. */
void sim_race_restart(struct sim_race *x);
/* Adds it to the observers of its world. */
void sim_race_attach(struct sim_race *x);

/* What was found so far (race/race.h); returns how many. */
uint32_t sim_race_reports(const struct sim_race *x, const struct chk_race_report **reports);
#endif
