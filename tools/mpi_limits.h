/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_limits.h - whether this machine can start that many MPI processes. A launcher asked for too
 * many fails late, or hangs. */
#ifndef EYOT_MPI_LIMITS_H
#define EYOT_MPI_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether mpiexec, without arguments about hosts, starts all processes here: no batch system and no
 * host file is in sight. */
bool mpi_limits_one_machine(void);
/* False, with a message that says which limit, how many would fit and how to raise it, if `units`
 * processes cannot start on this machine. */
bool mpi_limits_check(uint64_t units);
#endif
