/* SPDX-License-Identifier: BSD-3-Clause */
/* amo_server.h - a progress process's part in remote AMOs: it executes them in the order in which
 * they arrive, and answers. */
#ifndef EYOT_FABRIC_REAL_PROGRESS_AMO_SERVER_H
#define EYOT_FABRIC_REAL_PROGRESS_AMO_SERVER_H

#include "fabric_real/endpoint/endpoint.h"

struct fmpi_amo_server;
int fmpi_amo_server_open(MPI_Comm comm, struct fmpi_amo_server **out);
int fmpi_amo_server_close(struct fmpi_amo_server *d);
/* Executes some, if there are any; lets MPI work. *found is increased by their number. */
int fmpi_remote_amos_serve(struct fmpi *f, uint32_t *found);
#endif
