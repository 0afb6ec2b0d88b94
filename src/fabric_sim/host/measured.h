/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.h - computation at its measured time (--compute measured): the processor time of a unit
 * between two calls of the fabric, less that of reading the clock, which takes longer than many a
 * call, times --compute-scale. For unit.c and ops_table.c.
 *
 * All units of a simulation run in one thread, so its clock is the running unit's. */
#ifndef EYOT_FABRIC_SIM_HOST_MEASURED_H
#define EYOT_FABRIC_SIM_HOST_MEASURED_H

#include "fabric_sim/host/clock.h"

struct sim_measured {
  uint64_t percent;  /* --compute-scale; 0: computation is not measured */
  uint64_t clock_ns; /* that two readings without anything between lie apart */
};

/* Measures the clock. */
static inline void sim_measured_init(struct sim_measured *m, uint64_t percent) {
  *m = (struct sim_measured){percent, UINT64_MAX};
  for (int i = 0; i < 100; i++) {
    uint64_t from_ns = sim_clock_thread_ns(), span_ns = sim_clock_thread_ns() - from_ns;
    if (span_ns < m->clock_ns) m->clock_ns = span_ns;
  }
}

/* Returns what the unit has computed since `since_ns` of the thread's clock, in ps. */
static inline uint64_t sim_measured_ps(const struct sim_measured *m, uint64_t since_ns) {
  uint64_t span_ns = sim_clock_thread_ns() - since_ns;
  return span_ns > m->clock_ns ? (span_ns - m->clock_ns) * m->percent * 10 : 0; /* 1000 / 100 */
}
#endif
