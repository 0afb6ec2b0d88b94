/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - the wall-clock watchdog of a run with time. A simulated unit that never enters the
 * fabric keeps thousands of others from running; the watchdog names it and ends the process. */
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
};

/* limit 0: none. Errors: ESYS. */
int sim_watch_open(struct sim_world *w, uint64_t limit_ns);
void sim_watch_close(struct sim_world *w);
#endif
