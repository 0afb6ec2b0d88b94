/* SPDX-License-Identifier: BSD-3-Clause */
/* leave.h - a process that cannot start ends its job; for init.c. */
#ifndef EYOT_INIT_LEAVE_H
#define EYOT_INIT_LEAVE_H

/* Called when eyot_init has failed (rc, logged) before the fabric was entered. If a launcher has
 * started other processes with this one, they wait for it in MPI_Init or soon will: says so, ends
 * the job, and does not return. Otherwise returns. */
void eyoti_leave_job(int rc);
/* Does the same when the process exits while a fabric module is loaded: libraries that MPI needs
 * may exit in their constructors. */
void eyoti_leave_watch(void);
#endif
