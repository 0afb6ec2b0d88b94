/* SPDX-License-Identifier: BSD-3-Clause */
/* race.h - what both engines of the simulator tell the race detector (src/check/race/race.h).
 *
 * Why it exists: the detector knows units, words and operations of its own; here the simulator's
 * are turned into those, whichever engine runs. Each call of an engine stands behind `if (w->race
 * != NULL)`. A report ends an explored run as failed; with time the run goes on, and reports are
 * printed at its end.
 *
 * The bytes of puts and gets, and their other side in the unit's own global memory, are told at the
 * post: from there to the completion that the unit sees they are all the same under way, and what
 * order they take effect in teaches nobody anything. So a race is found in whatever order things
 * arrive. Signals and atomics are told when they act: who sees them learns.
 *
 * Memory is from snapshot/mem.h, and outlives runs that are taken back. Thread rule: one thread. */
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
/* Of a run with time: the units' endpoints tell what eyot/check.h says of loads and stores. Before
 * the units start. */
void sim_race_attach(struct sim_world *w);
/* At the end of a run with time: prints what was found, with source lines. Returns how many. */
uint32_t sim_race_print(struct sim_world *w);

/* What was found so far (race/race.h); returns how many. */
uint32_t sim_race_reports(const struct sim_race *x, const struct chk_race_report **reports);

/* -- from the engines -------------------------------------------------------------------------- */

void sim_race_posted(struct sim_unit *u, const struct sim_op *op);
/* The signal, the atomic has acted. */
void sim_race_signaled(struct sim_world *w, const struct sim_op *op);
void sim_race_atomic(struct sim_world *w, const struct sim_op *op);
/* The unit has been told that its operation, or all to `unit`, are complete. */
void sim_race_known(struct sim_unit *u, const struct sim_op *op, enum fab_level level);
void sim_race_flushed(struct sim_unit *u, fab_unit_t unit, enum fab_level level);
void sim_race_ordered(struct sim_unit *u, fab_unit_t unit);
/* A wait or test has found the word of its own as wanted. */
void sim_race_saw(struct sim_unit *u, uint32_t seg, uint64_t off);
/* The same by the CPU, wherever the word is. */
void sim_race_saw_word(struct sim_unit *u, const void *word);
/* eyot/check.h: a word's atomic load, store or update by the CPU; plain loads and stores. */
void sim_race_cpu(struct sim_unit *u, enum fab_cpu_op op, const uint64_t *word, bool wrote);
void sim_race_touches(struct sim_unit *u, const void *p, uint64_t len, bool writes);
/* The unit's own memory was given out or freed. */
void sim_race_memory(struct sim_unit *u, fab_seg_t seg, uint64_t off, uint64_t len);
/* Steps of an exchange of the control plane (fab_check.exchange), which then counts as one: what it
 * posts and waits for is not looked at. That is for runs with time, in which thousands of units
 * meet again and again; in explored runs it is looked at like all else. */
void sim_race_exchange(struct sim_unit *u, const struct fab_exchange *e,
                       enum fab_exchange_step step);
/* All units have made a segment, or destroyed one. */
void sim_race_barrier(struct sim_world *w);
#endif
