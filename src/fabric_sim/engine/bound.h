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

#define FS_SPOTS 4u /* places that are told apart, of each unit */

/* How often a place was asked for: the most frequent of many (Metwally, Agrawal, El Abbadi 2005,
 * "space saving"; counts are upper bounds). */
struct fs_spot {
  uint64_t off;
  uint32_t unit, seg, count;
};
struct fs_tally {
  uint32_t calls[FS_CALLS]; /* by enum fs_call */
  struct fs_spot spot[FS_SPOTS];
};

struct fs_bound {
  uint64_t next_ps, next_events; /* when fs_bound_reached has to look; UINT64_MAX: never */
  uint64_t max_ps, max_events;
  struct fs_tally *tally; /* of each unit, from half of a bound on; else NULL */
  uint64_t since_ps;
  bool over;
};

/* max_ns, max_events 0: none. */
void fs_bound_init(struct fs_bound *b, uint64_t max_ns, uint64_t max_events);
void fs_bound_fini(struct fs_bound *b);
/* next_ps or next_events has come: begins to count, or stops the run. */
void fs_bound_reached(struct fs_world *w);
/* Only if there is a tally. */
void fs_bound_call(struct fs_unit *u, enum fs_call call);
void fs_bound_place(struct fs_unit *u, struct fab_addr a);
/* All calls, and the place that was asked for most; NULL: none. */
uint64_t fs_bound_calls(const struct fs_tally *t);
const struct fs_spot *fs_bound_spot(const struct fs_tally *t);
#endif
