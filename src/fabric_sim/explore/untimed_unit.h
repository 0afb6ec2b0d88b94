/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_unit.h - suspends units of the untimed engine and offers them again. For the untimed
 * engine. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_UNIT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_UNIT_H

#include "fabric_sim/explore/untimed.h"

/* Suspends the unit until the condition `go`; returns when the unit is picked. */
void sim_untimed_block(struct sim_unit *u, enum sim_state state, enum sim_untimed_wait go);
/* Offers the unit or withdraws the offer, by whether its condition holds. */
void sim_untimed_unit_look(struct sim_unit *u);
/* The unit reads something once, in a step of its own. */
void sim_untimed_look_step(struct sim_unit *u);
/* A unit whose load has found the same value so often (engine/poll.h) polls. */
#define SIM_UNTIMED_OFTEN 16u
/* Before a load of instrumented code that polls: others may run. */
void sim_untimed_poll_step(struct sim_unit *u);
/* The step before an access that is one of its own; it polls if it repeats. */
void sim_untimed_atomic_step(struct sim_unit *u, const void *p, uint64_t len,
                             enum sim_untimed_wait go);
/* Advances the clock of all units: later reads return later times. */
void sim_untimed_advance(struct sim_unit *u, uint64_t ps);
/* Ends a call that takes time and does nothing else. */
void sim_untimed_spend(struct sim_unit *u, uint64_t ps);
/* [p, p+len) of the unit's memory was written: offers the unit if its condition holds now. */
void sim_untimed_written(struct sim_unit *u, const void *p, uint64_t len);
/* Whether the operation is complete at the level; whether the unit's flush is; whether u->wait or
 * u->wait_any, by the state, holds. */
bool sim_untimed_is_done(const struct sim_op *op, enum fab_level level);
/* The operation is locally complete, if it was not before. */
void sim_untimed_locally_complete(struct sim_world *w, struct sim_op *op);
bool sim_untimed_is_flushed(struct sim_unit *u);
/* So many more operations of the record (or less, if negative) are not locally complete. */
void sim_untimed_pending(struct sim_unit *u, struct sim_target *t, int32_t more);
bool sim_untimed_holds(const struct sim_unit *u, enum sim_state state);
#endif
