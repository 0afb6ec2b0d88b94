/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.h - reports faults (SIGSEGV and its kind) in a unit: the unit, its operation, the place.
 * For module.c and explore/one_run.c, which install the handlers; the engine reports through
 * engine/report_ops.h.
 *
 * The handlers are of the whole process and run on a stack of their own, because the unit's stack
 * may have overflowed. */
#ifndef EYOT_FABRIC_SIM_REPORT_CRASH_H
#define EYOT_FABRIC_SIM_REPORT_CRASH_H

#include <signal.h>
#include <stddef.h>

struct sim_unit;

struct sim_crash {
  void *alt_stack; /* NULL: not open */
};

/* Installs the handlers, for the whole process: of signals, and of an exit of the process while a
 * unit runs, which its world's `ended` reports. Errors: ESYS, ENOMEM. */
int sim_crash_open(struct sim_crash *c);
void sim_crash_close(struct sim_crash *c);

/* Describes a fatal signal in a unit (NULL: none was running), from its handler's arguments. */
#define SIM_CRASH_TEXT 320u
void sim_crash_text(const struct sim_unit *u, int sig, const siginfo_t *info, const void *context,
                    char *text, size_t size);
/* The same as the next for a crash at `pc`. */
void sim_crash_report_at(const struct sim_unit *u, const char *text, const char *pc, int exit_code)
    __attribute__((noreturn));
/* Prints "eyot: unit N: text", its last operation and a backtrace, and ends the process. May be
 * called from a signal handler. u NULL: no unit was running. */
void sim_crash_report(const struct sim_unit *u, const char *text, int exit_code)
    __attribute__((noreturn));
/* The engine's `ended` (engine/report_ops.h) for runs that are not explored. */
void sim_crash_ended(const struct sim_unit *u, const char *text, int code);
#endif
