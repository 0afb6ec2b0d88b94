/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.h - MPI_Finalize, prepared. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_QUIET_H
#define EYOT_FABRIC_REAL_LAUNCH_QUIET_H

#include "fabric_real/endpoint/endpoint.h"

/* Collective over MPI_COMM_WORLD; no operation of eyot's may be in flight. */
int fmpi_finalize_mpi(const struct fmpi *f);
#endif
