/* SPDX-License-Identifier: BSD-3-Clause */
/* pmi.h - a barrier of all processes of the job through their launcher, during which MPI is not
 * entered. */
#ifndef EYOT_FABRIC_REAL_LAUNCH_PMI_H
#define EYOT_FABRIC_REAL_LAUNCH_PMI_H

#include "fabric_real/endpoint/endpoint.h"

/* Whether there is one: MPICH's process management interface, version 1 of its text protocol, on
 * the descriptor that the launcher has left. The same answer on all processes of a usual job; to be
 * agreed on before use. */
bool fmpi_pmi_usable(void);
/* Called by all processes of MPI_COMM_WORLD, by one thread, while no call of MPI is under way.
 * `progress`: lets MPI work while it waits; else nothing enters MPI. Errors: ESYS (the launcher has
 * gone, or answers something else). */
int fmpi_pmi_barrier(bool progress);
#endif
