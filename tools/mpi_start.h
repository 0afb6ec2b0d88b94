/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_start.h - the launcher of the MPI that a run is to use, and what it needs to be told.
 *
 * Why it exists: eyot is built for several MPIs, and a launcher starts processes of its own MPI
 * only: with another one they would be as many jobs of one unit. */
#ifndef EYOT_MPI_START_H
#define EYOT_MPI_START_H

#include "init/which_mpi.h"

/* Words that mpi_start_words may add. */
#define MPI_START_WORDS_MAX 256

struct mpi_start {
  enum eyoti_mpi mpi;
  const char *launcher; /* as it was given or is usually called, for a message */
};

/* Which MPI, and its launcher's path in `path`: EYOT_MPI and EYOT_MPIEXEC decide; then what eyot
 * was built for. Returns 0, 1 if there is no launcher (s is set all the same), or EINVAL (logged:
 * EYOT_MPI is malformed, or names another MPI than EYOT_MPIEXEC is of). */
int mpi_start_find(struct mpi_start *s, char *path, size_t size);
/* Sets in the environment what the launcher reads, and puts into args, from *n on, what it must be
 * told so that other machines get this environment. `placed`: the user or a batch system says how
 * many processes a machine gets. Errors: ENOMEM (logged). */
int mpi_start_prepare(const struct mpi_start *s, bool placed, char **args, int *n);
#endif
