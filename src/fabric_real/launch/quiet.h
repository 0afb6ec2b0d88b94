/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.h - MPI_Finalize, prepared. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_QUIET_H
#define EYOT_FABRIC_REAL_LAUNCH_QUIET_H

#include "fabric_real/endpoint/endpoint.h"

/* Whether this process has a connection of TCP, which may be MPI's: MPI does not say what it uses
 * within a machine, and UCX takes TCP where its settings, or the system, leave it no shared memory.
 * At start, MPI_Init has made connections. */
bool fmpi_quiet_connected(void);
/* Collective over MPI_COMM_WORLD; no operation of eyot's may be in flight. */
int fmpi_finalize_mpi(const struct fmpi *f);
#endif
