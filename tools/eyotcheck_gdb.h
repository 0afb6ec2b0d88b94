/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_gdb.h - runs a failing run under gdb: `eyotcheck --gdb`. For eyotcheck.c.
 *
 * Why it exists: a run that can be repeated exactly can be examined in a debugger; the commands
 * that gdb needs for that are written here once. */
#ifndef EYOT_EYOTCHECK_GDB_H
#define EYOT_EYOTCHECK_GDB_H

/* Replaces this process by gdb on this command line without --gdb; gdb stops before the step that
 * fails, and at the failure. Returns only on an error: an exit code, after a message. */
int eyotcheck_gdb(int argc, char **argv);
#endif
