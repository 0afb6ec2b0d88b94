/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - bounds of a run in virtual time and in events, and a count of each unit's calls near a
 * bound. Part of the world (world.h) of the timed engine; report/report.c prints the counts.
 *
 * Why it exists: units that poll for ever never deadlock, so only a bound ends such a run. Counting
 * begins when half of a bound is used up, so that the report can name the most frequent calls of
 * each unit and the words that it polls; before that the bound costs nothing per call. */
#ifndef EYOT_FABRIC_SIM_ENGINE_BOUND_H
#define EYOT_FABRIC_SIM_ENGINE_BOUND_H

#include "fabric/fabric.h"
#include "fabric_sim/engine/unit.h"

#define SIM_SPOTS 4u /* places that each unit distinguishes */

/* How often a place was used: the most frequent of many (Metwally, Agrawal, El Abbadi 2005, "space
 * saving"; counts are upper bounds). */
struct sim_spot {
  uint64_t off, count;
  uint32_t unit, seg;
};
struct sim_tally {
  uint64_t calls[SIM_CALLS]; /* by enum sim_call */
  struct sim_spot spot[SIM_SPOTS];
};

struct sim_bound {
  uint64_t next_ps, next_events; /* when sim_bound_reached is next called; UINT64_MAX: never */
  uint64_t max_ps, max_events;
  struct sim_tally *tally; /* of each unit, from half of a bound on; NULL before */
  uint64_t since_ps;
  bool over;
};

/* A bound of 0 is none, or of time the end of virtual time. */
void sim_bound_init(struct sim_bound *b, uint64_t max_ns, uint64_t max_events);
void sim_bound_fini(struct sim_bound *b);
/* Called when next_ps or next_events is reached: begins to count calls, or stops the run. */
void sim_bound_reached(struct sim_world *w);
/* Counts a call of the unit; only while b->tally is set. */
void sim_bound_call(struct sim_unit *u, enum sim_call call);
void sim_bound_place(struct sim_unit *u, struct fab_addr a);
/* Returns the number of all calls. */
uint64_t sim_bound_calls(const struct sim_tally *t);
/* Returns the unit's most frequent place; NULL: none. */
const struct sim_spot *sim_bound_spot(const struct sim_tally *t);
#endif
