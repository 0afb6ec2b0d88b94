/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_start.c - bench_start eyot|mpi: starts eyot, or MPI alone, and ends it. The suite `start`
 * measures the whole job. */
#include <eyot/eyot.h>
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "mpi") == 0)
    return MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Finalize() != MPI_SUCCESS;
  return eyot_init(&argc, &argv) != EYOT_OK || eyot_finalize() != EYOT_OK;
}
