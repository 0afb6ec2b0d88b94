/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.h - names a unit that makes no call of eyot for long. The watchdogs of both engines call
 * it, in a signal handler.
 *
 * Why it exists: a loop that polls memory by plain loads stops a simulation, in which one unit runs
 * at a time, and looks like a run that is slow. The unit may as well compute: it is named, once a
 * place, and not stopped. */
#ifndef EYOT_FABRIC_SIM_REPORT_QUIET_H
#define EYOT_FABRIC_SIM_REPORT_QUIET_H

#include "fabric_sim/engine/unit.h"

/* Writes to fd that the unit, which runs at `context` (the third argument of the handler), has made
 * no call for quiet_ns of wall time, and will be ended after limit_ns; then the calls that it is
 * in. A process of its own finds their lines, so that the heap may be in any state. */
void sim_quiet_report(const struct sim_unit *u, uint64_t quiet_ns, uint64_t limit_ns, int fd,
                      const void *context);
#endif
