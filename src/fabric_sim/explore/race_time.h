/* SPDX-License-Identifier: BSD-3-Clause */
/* race_time.h - race detection in a run of the timed engine, for module.c: the detector of race.h,
 * the loads and stores that the program reports through eyot/check.h, and the findings at the end
 * of the run. */
#ifndef EYOT_FABRIC_SIM_EXPLORE_RACE_TIME_H
#define EYOT_FABRIC_SIM_EXPLORE_RACE_TIME_H

#include <stdint.h>

struct sim_world;
struct sim_race_time;

/* Makes the units report their loads and stores, for an instrumented program whose races nobody
 * wants: its polls must be seen (engine/poll.h). Called before the units start. */
void sim_race_time_watch(struct sim_world *w);
/* Called before the units start. Panics when out of memory. */
struct sim_race_time *sim_race_time_open(struct sim_world *w);
void sim_race_time_close(
    struct sim_race_time *t); /* t may be NULL; the world must not run any more */
/* Prints the races, with source lines. Returns their number. */
uint32_t sim_race_time_print(const struct sim_race_time *t);
#endif
