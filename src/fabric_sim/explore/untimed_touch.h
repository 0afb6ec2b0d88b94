/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_touch.h - records what the current step reads and writes, so that a strategy knows which
 * steps depend on each other. For the untimed engine. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_TOUCH_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_TOUCH_H

#include "fabric_sim/explore/untimed.h"

/* The current step reads or writes [p, p+len). */
void sim_untimed_touch(struct sim_world *w, const void *p, uint64_t len, bool write);
/* The same for any of the unit's own memory: each of its steps may write to it, by plain stores; a
 * result that lands, or a source that is read, comes before or after those. */
void sim_untimed_touch_own(struct sim_world *w, uint32_t unit, bool write);
/* The same for state that is not memory. In order: a number `id`; whether the unit's store buffer
 * is empty, and the same in order tso only; whether the unit lives, which steps read and its crash
 * writes; whether an operation's target lives and its link is up; when an operation completes. */
void sim_untimed_touch_id(struct sim_world *w, uint64_t id, bool write);
void sim_untimed_touch_stores(struct sim_unit *u, bool write);
void sim_untimed_tso_touch(struct sim_unit *u);
void sim_untimed_touch_alive(struct sim_world *w, uint32_t unit, bool write);
void sim_untimed_touch_way(struct sim_world *w, const struct sim_op *op);
void sim_untimed_touch_completion(struct sim_world *w, uint32_t first_proc, bool write);
#endif
