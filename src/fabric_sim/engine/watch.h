/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - the watchdog of a run of the timed engine, part of the world (world.h).
 *
 * Why it exists: a unit that computes for ever without a fabric call keeps thousands of others from
 * running, without any sign. The watchdog, a timer of wall time, names it and ends the
 * process. Its signal handler runs on the program's thread. */
#ifndef EYOT_FABRIC_SIM_ENGINE_WATCH_H
#define EYOT_FABRIC_SIM_ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct sim_world;

struct sim_watch {
  timer_t timer;
  bool armed;
  uint32_t still;      /* periods since the last fabric call */
  uint64_t seen_calls; /* at the last period */
  timer_t limit;       /* EYOT_TIME_LIMIT */
  bool limited;
  bool time_up; /* the run has reached it; set by a signal handler */
};

/* limit_ns: of a unit without a fabric call; time_limit_ns: of the run; 0: none. Errors: ESYS. */
int sim_watch_open(struct sim_world *w, uint64_t limit_ns, uint64_t time_limit_ns);
void sim_watch_close(struct sim_world *w);
#endif
