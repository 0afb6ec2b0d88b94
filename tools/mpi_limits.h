/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_limits.h - decides whether this machine can start a number of MPI processes, and warns where
 * they are many for its processors. For eyotrun.c. A launcher that is asked for too many fails
 * late, or hangs. */
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
/* Warns in one line, which names the command that simulates the units instead, if the processes are
 * more than MPI_LIMITS_FEW, and more than MPI_LIMITS_A_PROCESSOR for each processor that they may
 * use: they would start for minutes. */
#define MPI_LIMITS_FEW 64
#define MPI_LIMITS_A_PROCESSOR 8
void mpi_limits_warn(uint64_t processes, uint64_t units, const char *program);
#endif
