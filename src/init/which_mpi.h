/* SPDX-License-Identifier: BSD-3-Clause */
/* which_mpi.h - chooses the MPI that a process runs on, for init.c and the launcher.
 *
 * Why it exists: the mpi fabric is one module for each MPI that eyot was built for, and an image
 * must never hold two: a program that is linked with one of them, or was started by its launcher,
 * decides. */
#ifndef EYOT_INIT_WHICH_MPI_H
#define EYOT_INIT_WHICH_MPI_H

#include <eyot/types.h>

#include "base/conf_enums.h"

/* The names of its fabric module, "mpi" or "openmpi", and of the MPI itself. Not for
 * EYOTI_MPI_AUTO. */
EYOT_API const char *eyoti_mpi_module(enum eyoti_mpi mpi);
EYOT_API const char *eyoti_mpi_name(enum eyoti_mpi mpi);
/* EYOT_MPI, if it names one: *given is true. Errors: EINVAL (malformed). */
EYOT_API int eyoti_mpi_given(enum eyoti_mpi *mpi, bool *given);
/* The default where nothing else decides: the first that a module was built for; MPICH if there is
 * none, so that loading it logs the reason. */
EYOT_API enum eyoti_mpi eyoti_mpi_first(void);
/* Chooses the MPI for this process: EYOT_MPI, else that of the program's image, else that of the
 * launcher, else the first. Any process, before the fabric is loaded. Errors: EINVAL (EYOT_MPI is
 * malformed), EFABRIC (the image holds another MPI already). */
EYOT_API int eyoti_mpi_choose(enum eyoti_mpi *mpi);
/* Ends the job through the MPI of the program's image, if the program has initialized it and not
 * finalized it; otherwise returns. */
void eyoti_mpi_abort(int code);
#endif
