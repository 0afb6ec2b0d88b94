/* SPDX-License-Identifier: BSD-3-Clause */
/* backtrace.h - the calls that lead to the caller: from the C library where it has backtrace, as
 * glibc has, otherwise from the compiler's unwinder. For handlers of signals. */
#ifndef EYOT_RT_BACKTRACE_H
#define EYOT_RT_BACKTRACE_H

/* Writes the addresses to which the calls return, the innermost first, and returns their number, at
 * most n. The first call of a process may load a library. */
int eyoti_backtrace(void **address, int n);
/* Writes a line for each of them to fd, without allocating. */
void eyoti_backtrace_write(void *const *address, int n, int fd);
#endif
