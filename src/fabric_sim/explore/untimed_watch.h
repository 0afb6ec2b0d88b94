/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_watch.h - the watchdog of runs: it ends a run whose steps have stopped. For one_run.c
 * and explore.c. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_UNTIMED_WATCH_H
#define EYOT_FABRIC_SIM_EXPLORE_UNTIMED_WATCH_H

#include "fabric_sim/explore/untimed.h"

/* Called in each process that executes runs: a fork does not inherit timers.
 * Errors: ESYS. */
int sim_untimed_watch_open(struct sim_world *w);
void sim_untimed_watch_close(struct sim_world *w);
#endif
