/* SPDX-License-Identifier: BSD-3-Clause */
/* left.c - communicators that are not freed, which MPI_Finalize does not complain of: rank 0 prints
 * ok, and nothing stands before it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Comm twin, half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(twin, rank % 2, 0, &half);
  MPI_Barrier(half);
  MPI_Finalize();
  if (rank == 0) printf("ok\n");
  return 0;
}
