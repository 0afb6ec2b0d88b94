/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_start.h - what a launcher executes in place of the program of a supervised run: eyotrun
 * itself, which tells the supervisor of this process and then executes the program in it, or, on
 * another host, watches over it (unit_agent.h). For eyotrun.c.
 *
 * Why it exists: a process joins the run in eyot_init (base/run.h). One that ends before leaves the
 * others waiting there for ever, and MPICH's launcher does not mind if it ends with a code. */
#ifndef EYOT_UNIT_START_H
#define EYOT_UNIT_START_H

#include <stdbool.h>
#include <stddef.h>

/* The words of a command that come before the program, at most. */
#define UNIT_START_WORDS 5

/* Appends them to args, from *n on; elsewhere: for hosts that may not have eyotrun; self: memory
 * for its path. Returns an exit code. */
int unit_start_args(bool elsewhere, char *self, size_t size, char **args, int *n);
/* This process is to execute the program, argv[2]. */
bool unit_start_wanted(int argc, char **argv);
/* Executes the program, in this process or in a child; returns an exit code. */
int unit_start(char **program);
#endif
