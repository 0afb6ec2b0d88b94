/* SPDX-License-Identifier: BSD-3-Clause */
/* report_ops.h - what the engine lets report/ print. The engine knows that a run has come to an end
 * that must be explained; how it is explained is not its concern. */
#ifndef EYOT_FABRIC_SIM_ENGINE_REPORT_OPS_H
#define EYOT_FABRIC_SIM_ENGINE_REPORT_OPS_H

#include <stdint.h>

struct sim_world;
struct sim_unit;

struct sim_report_ops {
  /* Nothing can happen any more. */
  void (*deadlock)(const struct sim_world *w);
  /* The run has reached the bound of that name after so many steps. */
  void (*livelock)(const struct sim_world *w, const char *bound, uint64_t steps);
  /* Unit u has done what no unit may. Prints and ends the process; also from a signal handler. */
  __attribute__((noreturn)) void (*crash)(const struct sim_unit *u, const char *text,
                                          int exit_code);
};

#define SIM_CRASH_EXIT 134 /* as a shell shows a process that was aborted */
#endif
