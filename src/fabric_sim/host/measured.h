/* SPDX-License-Identifier: BSD-3-Clause */
/* measured.h - computation at its measured time (--compute measured): the processor time of a unit
 * between two calls of the fabric, less that of reading clocks, times --compute-scale. For unit.c
 * and ops_table.c. All units of a simulation run in one thread.
 *
 * The thread's clock is a system call, which takes longer than many a call of the fabric, and what
 * follows one is slower. As long as the system does not take the processor from the thread, the
 * wall's clock says the same, and the system tells when it does: it clears the thread's pointer to
 * a restartable sequence (man 2 rseq; glibc 2.35 registers each thread). So that pointer is set, to
 * a sequence that is never entered, and the thread's clock is read only after it has been cleared.
 * Without rseq it is read each time. */
#ifndef EYOT_FABRIC_SIM_HOST_MEASURED_H
#define EYOT_FABRIC_SIM_HOST_MEASURED_H

#include <stdint.h>

#include "fabric_sim/host/clock.h"

struct sim_measured {
  uint64_t percent; /* --compute-scale; 0: computation is not measured */
  uint64_t *mark;   /* the thread's pointer to a sequence; NULL: the system does not clear it */
  /* both clocks, when the mark was set */
  uint64_t thread_ns, wall_ns;
  /* what no computation at all is measured as: by the wall's clock, by the thread's */
  uint64_t least_wall_ns, least_thread_ns;
};

/* Measures the clocks. Called by the thread of the simulation. */
void sim_measured_init(struct sim_measured *m, uint64_t percent);
/* Before the code of this module is unloaded. */
void sim_measured_fini(struct sim_measured *m);

/* A unit begins to compute: returns the time from which sim_measured_ps counts. */
uint64_t sim_measured_since(struct sim_measured *m);
/* Returns what it has computed, in ps. */
uint64_t sim_measured_ps(const struct sim_measured *m, uint64_t since_ns);

#endif
