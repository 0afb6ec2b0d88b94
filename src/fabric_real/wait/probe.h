/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h - waiting until an oversubscribed target has run, before MPI's own waiting, which spins
 * without giving way. */
#ifndef EYOT_FABRIC_REAL_WAIT_PROBE_H
#define EYOT_FABRIC_REAL_WAIT_PROBE_H

#include "fabric_real/endpoint/endpoint.h"

int fmpi_probe_open(struct fmpi *f); /* collective over comm.wide; opens it if oversubscribed */
int fmpi_probe_close(struct fmpi *f);
/* Waits until `rank` has run; see probe.c. */
int fmpi_let_run(struct fmpi *f, int rank);
#endif
