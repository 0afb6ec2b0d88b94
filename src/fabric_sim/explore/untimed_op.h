/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_op.h - posts operations in the untimed engine and executes the arrival of their parts. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_OP_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_OP_H

#include "fabric_sim/explore/untimed.h"

/* Posts the operation; executes the arrival of a part. */
void sim_untimed_post(struct sim_unit *u, struct sim_op *op);
void sim_untimed_arrive(struct sim_world *w, uint32_t proc);
/* The unit has crashed: some of its operations that have not arrived are lost. An operation that
 * must not be seen before a lost one is lost with it. */
void sim_untimed_drop(struct sim_unit *u);
/* A link has gone down: operations in flight on it are lost, unless their origin knows them
 * complete. */
void sim_untimed_cut(struct sim_world *w);
#endif
