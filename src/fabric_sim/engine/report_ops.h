/* SPDX-License-Identifier: BSD-3-Clause */
/* report_ops.h - the table of functions by which the engine prints a report at the end of a run.
 * report/ provides it; module.c sets it; engine/ calls it.
 *
 * Why it exists: the engine detects that a run must be explained, and does not depend on how
 * report/ explains it. */
#ifndef EYOT_FABRIC_SIM_ENGINE_REPORT_OPS_H
#define EYOT_FABRIC_SIM_ENGINE_REPORT_OPS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_world;
struct sim_unit;

struct sim_report_ops {
  /* No unit can run and no event is left. */
  void (*deadlock)(const struct sim_world *w);
  /* The run has reached the bound of that name after `steps` steps. */
  void (*livelock)(const struct sim_world *w, const char *bound, uint64_t steps);
  /* Unit u ends the run, because members of a team have called different collective functions. */
  void (*calls)(const struct sim_unit *u);
  /* Unit u runs, and has made no call for so long (report/quiet.h); in a signal handler. */
  int (*quiet)(const struct sim_unit *u, uint64_t quiet_ns, uint64_t limit_ns, int fd,
               const void *context, bool await);
  /* Whether unit u, which runs, is in a call of eyot; in a signal handler. */
  bool (*inside)(const struct sim_unit *u, const void *context);
  /* Unit u has crashed. Prints and ends the process; may run in a signal handler. */
  __attribute__((noreturn)) void (*crash)(const struct sim_unit *u, const char *text,
                                          int exit_code);
  /* The process ends with this code while unit u runs: a library, which ends it with all units, has
   * called exit, or the unit pthread_exit. Fails the run. If it returns, the process ends. */
  void (*ended)(const struct sim_unit *u, const char *text, int code);
};

#define SIM_CRASH_EXIT 134 /* the code by which a shell shows an aborted process */
#endif
