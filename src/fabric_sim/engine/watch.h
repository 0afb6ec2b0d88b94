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
  int printing[SIM_QUIET_PLACES]; /* of the timed engine: open until the lines have been printed */
  uint32_t n;
};

/* How long the running unit has given no sign of life, as a call of the fabric or a step is, in
 * whole periods. One call of eyot that copies for long gives none either. A loop of short calls is
 * a silence: at the end of some period it is in the program's own code. */
struct sim_still {
  uint64_t ns;
  uint64_t outside_ns; /* when it was there last */
  uint64_t ask_ns;     /* when to look again whether it is in a call */
};

struct sim_watch {
  timer_t timer;
  bool armed;
  uint64_t period_ns;
  struct sim_still still;
  uint64_t seen_calls; /* at the last period */
  struct sim_named named;
  timer_t limit; /* EYOT_TIME_LIMIT */
  bool limited;
  bool time_up; /* the run has reached it; set by a signal handler */
};

/* limit_ns: of a unit without a fabric call; time_limit_ns: of the run; 0: none. Errors: ESYS. */
int sim_watch_open(struct sim_world *w, uint64_t limit_ns, uint64_t time_limit_ns);
void sim_watch_close(struct sim_world *w);
/* For a report that ends the process: the watchdog says nothing any more, in any thread. For
 * handlers. */
void sim_watch_hush(void);
/* The period of a watchdog with that limit: it sees silence of SIM_QUIET_NS within a second. */
uint64_t sim_watch_period(uint64_t limit_ns);
/* In the handler of a watchdog's timer, after a period without a sign of life. True: the unit is
 * silent for as long as the limit. Else it is named on fd, if it has been silent for SIM_QUIET_NS
 * and was not named there before. A unit in a long call of eyot is not silent. Changes `named` and
 * `s`. */
bool sim_watch_silent(struct sim_world *w, struct sim_named *named, struct sim_still *s,
                      uint64_t period_ns, int fd, const void *context);
/* After a sign of life. */
static inline void sim_watch_alive(struct sim_still *s) {
  *s = (struct sim_still){.ns = 0};
}
#endif
