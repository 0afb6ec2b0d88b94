/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_past.h - the values that words had in this run before they were written, so that an
 * exhaustive search knows since which write a condition holds. For untimed_*.c.
 *
 * Why it exists: a unit that waits may have come to its wait before or after the write that ends
 * it. Both lead to the same state, and the search runs one of them where the word is one that only
 * operations change (fab_cond.signaled) and the condition stays once it holds. It need not try
 * either whether the wait could have ended before that write. That the condition stays is checked
 * in each run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_PAST_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_PAST_H

#include "fabric_sim/explore/untimed.h"

/* A word of eight bytes before it was written. */
struct sim_past {
  uintptr_t at; /* its address */
  uint64_t value;
};

/* Whether the search may leave out what untimed_past.c decides: not with faults or store buffers,
 * by which more than the arrival of operations ends a wait. */
bool sim_past_counts(const struct sim_world *w);
/* Called before a step writes [p, p+len). */
void sim_past_keep(struct sim_world *w, const void *p, uint64_t len);
/* Reports that the unit comes to its wait for words, and that it goes on from there. */
void sim_past_arrives(struct sim_unit *u, enum sim_state state);
void sim_past_leaves(struct sim_unit *u, enum sim_state state);
/* No process can take a step. */
void sim_past_stuck(struct sim_unit *u);
/* Whether the unit's wait for words looks only when one of them ends it. */
bool sim_past_is_plain(const struct sim_unit *u, enum sim_state state);
#endif
