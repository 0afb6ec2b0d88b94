/* SPDX-License-Identifier: BSD-3-Clause */
/* unit_start.h - what a launcher executes in place of the program of a supervised run: eyotrun
 * itself, which tells the supervisor of this process and then executes the program in it. For
 * eyotrun.c.
 *
 * Why it exists: a process joins the run in eyot_init (base/run.h). One that ends before leaves the
 * others waiting there for ever, and MPICH's launcher does not mind if it ends with a code. */
#ifndef EYOT_UNIT_START_H
#define EYOT_UNIT_START_H

#include <stdbool.h>
#include <stddef.h>

/* The words of a command that come before the program. */
#define UNIT_START_WORDS 2

/* Appends them to args, from *n on; self: memory for the first. Returns an exit code. */
int unit_start_args(char *self, size_t size, char **args, int *n);
/* This process is to execute the program that follows them. */
bool unit_start_wanted(int argc, char **argv);
/* Executes the program; returns an exit code if that is impossible. */
int unit_start(char **program);
#endif
