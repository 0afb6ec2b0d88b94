/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_wait.h - waits, tests, flushes and orders of the untimed engine. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_WAIT_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_WAIT_H

#include "fabric_sim/explore/untimed.h"

/* Functions of the engine's table. */
int sim_untimed_wait_req(struct sim_unit *u, struct sim_op *op, enum fab_level level);
int sim_untimed_test(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done);
int sim_untimed_flush(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
int sim_untimed_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
int sim_untimed_wait_words(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns);
/* A flush whose errors remain for the next flush. */
void sim_untimed_settle(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
/* Blocks until fewer operations are in flight than the limit. */
void sim_untimed_wait_cap(struct sim_unit *u);
/* All parts of an operation of the unit have arrived. */
void sim_untimed_completed(struct sim_unit *u, const struct sim_op *op);
#endif
