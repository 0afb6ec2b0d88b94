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

/* The places at which a unit was named because it made no call for SIM_QUIET_NS: once each. A place
 * is that of its last call. */
#define SIM_QUIET_NS UINT64_C(900000000) /* with the last period: within a second */
#define SIM_QUIET_PLACES 8u
struct sim_named {
  uint64_t off[SIM_QUIET_PLACES];
  uint32_t n;
};

struct sim_watch {
  timer_t timer;
  bool armed;
  uint64_t period_ns;
  uint64_t still_ns;   /* since the last fabric call, in whole periods */
  uint64_t seen_calls; /* at the last period */
  struct sim_named named;
  timer_t limit; /* EYOT_TIME_LIMIT */
  bool limited;
  bool time_up; /* the run has reached it; set by a signal handler */
};

/* limit_ns: of a unit without a fabric call; time_limit_ns: of the run; 0: none. Errors: ESYS. */
int sim_watch_open(struct sim_world *w, uint64_t limit_ns, uint64_t time_limit_ns);
void sim_watch_close(struct sim_world *w);
/* The period of a watchdog with that limit: it sees silence of SIM_QUIET_NS within a second. */
uint64_t sim_watch_period(uint64_t limit_ns);
/* In the handler of a watchdog's timer: names the running unit on fd, if it has been silent for
 * still_ns, and was not named there before. */
void sim_watch_name(struct sim_world *w, struct sim_named *named, uint64_t still_ns, int fd,
                    const void *context);
#endif
