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

/* Whether the unit, which runs at `context`, is in a call of eyot, or in a function of a library
 * that eyot has called, as memcpy; not in one of the program that eyot has called. */
bool sim_quiet_inside(const struct sim_unit *u, const void *context);
/* Writes to fd that the unit, which runs at `context` (the third argument of the handler), has made
 * no call for quiet_ns of wall time, and will be ended after limit_ns; then the calls that it is
 * in. A process of its own finds their lines, so that the heap may be in any state. Returns the
 * descriptor of a pipe that this process has open until it has printed them, if `await`; or -1. */
int sim_quiet_report(const struct sim_unit *u, uint64_t quiet_ns, uint64_t limit_ns, int fd,
                     const void *context, bool await);
/* Before another report: waits for those processes, some seconds at most. */
void sim_quiet_await(const int *printing, uint32_t n);
#endif
