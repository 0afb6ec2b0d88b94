/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the clocks of the host, for every part of the simulator: the wall's, for figures and
 * limits, and that of the thread, for measured computation, which other programs must not lengthen.
 * Nothing else of a simulation may depend on them. */
#ifndef EYOT_FABRIC_SIM_HOST_CLOCK_H
#define EYOT_FABRIC_SIM_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sim_clock_of(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t sim_clock_ns(void) {
  return sim_clock_of(CLOCK_MONOTONIC);
}
static inline uint64_t sim_clock_thread_ns(void) {
  return sim_clock_of(CLOCK_THREAD_CPUTIME_ID);
}
#endif
