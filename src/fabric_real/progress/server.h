/* SPDX-License-Identifier: BSD-3-Clause */
/* server.h - the loop of a progress process. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_SERVER_H
#define EYOT_FABRIC_REAL_PROGRESS_SERVER_H

#include "fabric_real/endpoint/endpoint.h"

/* Serves until FMPI_DO_END; leaves MPI's objects to the caller. */
int fmpi_serve(struct fmpi *f);
#endif
