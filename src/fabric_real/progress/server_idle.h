/* SPDX-License-Identifier: BSD-3-Clause */
/* server_idle.h - whether a progress process without work polls or sleeps: decided by what it
 * measures, not by the number of processes.
 *
 * Why it exists: a unit that sleeps occupies no processor, and a job of more processes than
 * processors may leave one to a progress process all the time; a job that leaves each its own may
 * share the machine with others. A process that polls sees whether its processor is wanted: a yield
 * returns late, or it finds that it has not run for a while. Then it sleeps until a wakeup
 * (wait/wakeup.h), and checks after a pause, longer each time, whether the processor is still
 * wanted. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_SERVER_IDLE_H
#define EYOT_FABRIC_REAL_PROGRESS_SERVER_IDLE_H

#include "fabric_real/wait/idle.h"

struct fmpi_server_idle {
  bool always;        /* sleeps without work, whatever it sees: for tests */
  bool sleeps;        /* the processor was wanted at the last check */
  uint64_t ran_ns;    /* when it was last known to run; 0: it has worked since */
  uint64_t window_ns; /* when the present window began */
  uint64_t lost_ns;   /* of the window: others ran */
  uint64_t again_ns;  /* sleeps: the next check whether the processor is wanted is not before */
  uint64_t pause_ns;  /* until again_ns, next time; 0: the least */
};

/* It has found work. */
static inline void fmpi_server_idle_over(struct fmpi *f, struct fmpi_server_idle *r) {
  r->ran_ns = 0;
  fmpi_awake(f);
}
/* It has found nothing, `polls` times in a row (1 is the first): yields the processor for a while,
 * or sleeps. The caller polls between two calls. */
void fmpi_server_idle(struct fmpi *f, struct fmpi_server_idle *r, uint64_t polls);
#endif
