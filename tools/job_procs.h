/* SPDX-License-Identifier: BSD-3-Clause */
/* job_procs.h - the processes below this one, by /proc. For supervise.c and its parts.
 *
 * Why it exists: the launcher's helpers make sessions of their own, so that no process group holds
 * a job. A supervisor is a child subreaper: whatever the job starts stays below it. */
#ifndef EYOT_JOB_PROCS_H
#define EYOT_JOB_PROCS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The processes below this one, without `except`; at most `max`. Returns how many. */
size_t job_procs_below(pid_t except, pid_t *pids, size_t max);
/* The processes of the machine that this one can see; at most `max`. Returns how many. */
size_t job_procs_all(pid_t *pids, size_t max);
/* Kills and reaps all processes below this one, without `except`. False: some remain after
 * seconds (they sleep in the kernel). */
bool job_procs_kill(pid_t except);
/* How a process has ended that its parent has not reaped, as wait(2) gives it; -1: it has not
 * ended, or is gone. */
int job_procs_status(pid_t pid);
/* The state letter of a process ('R', 'S', 'T', ...), 0: it is gone. */
char job_procs_state(pid_t pid);
#endif
