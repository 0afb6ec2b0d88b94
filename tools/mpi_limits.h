/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_limits.h - decides whether this machine can start a number of MPI processes. For eyotrun.c. A
 * launcher that is asked for too many fails late, or hangs. */
#ifndef EYOT_MPI_LIMITS_H
#define EYOT_MPI_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* True if mpiexec, without arguments about hosts, starts all processes on this machine: no batch
 * system and no host file is configured. */
bool mpi_limits_one_machine(void);
/* False, with a message that names the limit, how many units fit and how to raise it, if `units`
 * processes cannot start on this machine. */
bool mpi_limits_check(uint64_t units);
#endif
