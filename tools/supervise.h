/* SPDX-License-Identifier: BSD-3-Clause */
/* supervise.h - runs a launcher of MPI and watches over the job that it starts. For eyotrun.c.
 *
 * Why it exists: a launcher's exit code is 0 if its processes end with 0, also where units left
 * before eyot_finalize; it may leave processes and files behind; and it does not know what units
 * wait for (docs/adr/0031-a-run-is-supervised.md). */
#ifndef EYOT_SUPERVISE_H
#define EYOT_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

struct supervise {
  char **args;    /* of the launcher, whose path is the first; NULL-terminated */
  bool elsewhere; /* processes may start on other hosts */
  uint64_t processes;
  const char *iface; /* by which other hosts reach this one; NULL: any */
  uint64_t time_limit_ns, heartbeat_ns, watchdog_ns; /* 0: none */
  uint64_t start_limit_ns;                           /* of eyot_init; 0: none */
};

/* Returns the exit code of the run. */
int supervise(const struct supervise *o);
#endif
