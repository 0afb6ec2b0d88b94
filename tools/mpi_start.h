/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_start.h - finds the launcher of the MPI that a run will use, and prepares its arguments and
 * environment. For eyotrun.c.
 *
 * Why it exists: eyot is built for several MPIs, and a launcher starts processes of its own MPI
 * only: with the launcher of another one they would be separate jobs of one unit each. */
#ifndef EYOT_MPI_START_H
#define EYOT_MPI_START_H

#include "init/which_mpi.h"

/* The largest number of words that mpi_start_prepare adds. */
#define MPI_START_WORDS_MAX 256

struct mpi_start {
  enum eyoti_mpi mpi;
  const char *launcher; /* its name as given or usual, for messages */
};

/* Selects the MPI and its launcher, whose path goes into `path`: by EYOT_MPI and EYOT_MPIEXEC, else
 * the MPI that eyot was built for. Returns 0, 1 if there is no launcher (s is set nevertheless), or
 * EINVAL (logged: EYOT_MPI is malformed, or EYOT_MPIEXEC belongs to another MPI). */
int mpi_start_find(struct mpi_start *s, char *path, size_t size);
/* Sets the environment variables that the launcher reads, and adds to args, from *n on, the
 * arguments that pass this environment to other machines. `placed`: the user or a batch system sets
 * how many processes a machine gets. Errors: ENOMEM (logged). */
int mpi_start_prepare(const struct mpi_start *s, bool placed, char **args, int *n);
#endif
