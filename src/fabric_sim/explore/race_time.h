/* SPDX-License-Identifier: BSD-3-Clause */
/* race_time.h - races in a run with time: the detector of race.h, loads and stores that
 * eyot/check.h tells of, and the reports at the end of the run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_TIME_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_TIME_H

#include <stdint.h>

struct sim_world;
struct sim_race_time;

/* Before the units start. Panics when there is no memory. */
struct sim_race_time *sim_race_time_open(struct sim_world *w);
void sim_race_time_close(
    struct sim_race_time *t); /* NULL is fine; the world must not run any more */
/* Prints what was found, with source lines. Returns how many. */
uint32_t sim_race_time_print(const struct sim_race_time *t);
#endif
