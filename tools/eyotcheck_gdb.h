/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_gdb.h - a failing run under gdb.
 *
 * Why it exists: a run that can be repeated at will is one that a debugger can be held to; what gdb
 * must be told for that is not to be learned by everybody anew. */
#ifndef EYOT_EYOTCHECK_GDB_H
#define EYOT_EYOTCHECK_GDB_H

/* Becomes gdb on this command line without --gdb, stopping before the step that fails and when it
 * fails. Returns only if it cannot: an exit code, after a message. */
int eyotcheck_gdb(int argc, char **argv);
#endif
