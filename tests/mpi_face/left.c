/* SPDX-License-Identifier: BSD-3-Clause */
/* left.c - communicators that are not freed, with and without neighbours, which MPI_Finalize does
 * not complain of: rank 0 prints ok, and nothing stands before it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, size, got[2], ring = 1;
  MPI_Comm twin, half, grid, graph;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(twin, rank % 2, 0, &half);
  MPI_Barrier(half);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ring, 0, &grid);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, grid);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1, &rank, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Finalize();
  if (rank == 0) printf("ok\n");
  return 0;
}
