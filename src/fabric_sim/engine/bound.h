/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.h - bounds of a run in virtual time and in steps, and what units do while it nears them.
 *
 * Why it exists: units that poll for ever never come to a standstill, so that nothing looks wrong
 * until somebody sets a bound. When half of it is used up, calls begin to be counted, so that the
 * report can say who calls what how often, and which words are polled; before that a run costs
 * nothing more. */
#ifndef EYOT_FABRIC_SIM_ENGINE_BOUND_H
#define EYOT_FABRIC_SIM_ENGINE_BOUND_H

#include "fabric/fabric.h"
#include "fabric_sim/engine/unit.h"

#define SIM_SPOTS 4u /* places that are told apart, of each unit */

/* How often a place was asked for: the most frequent of many (Metwally, Agrawal, El Abbadi 2005,
 * "space saving"; counts are upper bounds). */
struct sim_spot {
  uint64_t off;
  uint32_t unit, seg, count;
};
struct sim_tally {
  uint32_t calls[SIM_CALLS]; /* by enum sim_call */
  struct sim_spot spot[SIM_SPOTS];
};

struct sim_bound {
  uint64_t next_ps, next_events; /* when sim_bound_reached has to look; UINT64_MAX: never */
  uint64_t max_ps, max_events;
  struct sim_tally *tally; /* of each unit, from half of a bound on; else NULL */
  uint64_t since_ps;
  bool over;
};

/* max_ns, max_events 0: none. */
void sim_bound_init(struct sim_bound *b, uint64_t max_ns, uint64_t max_events);
void sim_bound_fini(struct sim_bound *b);
/* next_ps or next_events has come: begins to count, or stops the run. */
void sim_bound_reached(struct sim_world *w);
/* Only if there is a tally. */
void sim_bound_call(struct sim_unit *u, enum sim_call call);
void sim_bound_place(struct sim_unit *u, struct fab_addr a);
/* All calls, and the place that was asked for most; NULL: none. */
uint64_t sim_bound_calls(const struct sim_tally *t);
const struct sim_spot *sim_bound_spot(const struct sim_tally *t);
#endif
