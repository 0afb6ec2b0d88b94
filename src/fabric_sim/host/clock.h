/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - the host's clock, for every part of the simulator. Only wall-time figures and measured
 * computation use it: nothing else of a simulation may depend on it. */
#ifndef EYOT_FABRIC_SIM_HOST_CLOCK_H
#define EYOT_FABRIC_SIM_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t sim_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif
