/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_run.h - makes, executes and deletes one run of the untimed engine, for explore.c and
 * one_run.c. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_RUN_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_RUN_H

#include "fabric_sim/explore/untimed.h"

/* Makes `c` the world's engine and offers all units. ENOMEM. */
int sim_untimed_run_new(struct sim_world *w, struct sim_untimed *c);
void sim_untimed_run_delete(struct sim_untimed_run *r);
/* Executes one run, from the current state to its end. */
enum chk_end sim_untimed_go(struct sim_world *w);
#endif
