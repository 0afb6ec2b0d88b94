/* SPDX-License-Identifier: BSD-3-Clause */
/* server_idle.h - whether a progress process without work goes on looking, or sleeps: decided by
 * what it sees, not by how many processes there are.
 *
 * Why it exists: a unit that sleeps occupies no processor, and a job of more processes than
 * processors may leave one to a progress process all the time; a job that leaves each its own may
 * share the machine with others. A process that looks sees whether its processor is wanted: a yield
 * comes back late, or it finds that it has not run for a while. Then it sleeps until it is rung for
 * (wait/wakeup.h), and tries after a pause, longer each time, whether the processor is still
 * wanted. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_SERVER_IDLE_H
#define EYOT_FABRIC_REAL_PROGRESS_SERVER_IDLE_H

#include "fabric_real/wait/wakeup.h"

struct fmpi_server_idle {
  bool always;        /* sleeps without work, whatever it sees: for tests */
  bool sleeps;        /* the processor was wanted when it was last looked for */
  uint64_t looked_ns; /* when it was last known to run; 0: it has worked since */
  uint64_t window_ns; /* when the present window began */
  uint64_t lost_ns;   /* of the window: others ran */
  uint64_t again_ns;  /* sleeps: not before then it looks whether the processor is still wanted */
  uint64_t pause_ns;  /* until again_ns, next time; 0: the least */
};

/* It has found work. */
static inline void fmpi_server_idle_over(struct fmpi *f, struct fmpi_server_idle *r) {
  r->looked_ns = 0;
  fmpi_awake(f);
}
/* It has found nothing, `looks` times in a row (1 is the first): gives the processor away for a
 * while, or sleeps. The caller looks between two calls. */
void fmpi_server_idle(struct fmpi *f, struct fmpi_server_idle *r, uint64_t polls);
#endif
