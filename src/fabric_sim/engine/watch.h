/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - faults and endless loops: who did it, where, and the end of the run.
 *
 * Why it exists: a simulated unit that crashes or never enters the fabric would take thousands of
 * others with it without a word. */
#ifndef EYOT_FABRIC_SIM_ENGINE_WATCH_H
#define EYOT_FABRIC_SIM_ENGINE_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct sim_world;
struct sim_unit;

struct sim_watch {
  void *alt_stack;
  timer_t timer;
  bool armed;
  uint32_t still;      /* periods since the last fabric call */
  uint64_t seen_calls; /* at the last period */
};

/* report/crash.c: fault handlers on a stack of their own. Errors: ESYS, ENOMEM. */
int sim_crash_open(struct sim_world *w);
void sim_crash_close(struct sim_world *w);
/* watch.c: the wall-clock watchdog; limit 0: none. Errors: ESYS. */
int sim_watch_open(struct sim_world *w, uint64_t limit_ns);
void sim_watch_close(struct sim_world *w);

/* From a signal handler: prints "eyot: unit N ...: text", its last operation and a backtrace, and
 * ends the process. */
void sim_crash_report(const struct sim_unit *u, const char *text, int exit_code)
    __attribute__((noreturn));
#define SIM_CRASH_EXIT 134 /* as a shell shows a process that was aborted */
#endif
