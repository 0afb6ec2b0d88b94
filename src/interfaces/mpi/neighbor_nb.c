/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_nb.c - neighbourhood collectives of the MPI interface that do not block. Their starts
 * wait for nobody: with them a program gets the graphs of its topologies when it makes these. */
#include "interfaces/mpi/graph.h"
#include "interfaces/mpi/neighbor.h"

int face_graph_early(struct eyot_mpi_comm *comm) {
  const struct face_graph *graph;
  if (comm->graph == NULL && comm->cart == NULL && !face_whole_serves(comm)) return MPI_SUCCESS;
  return face_neighbors(comm, &graph);
}

#define FACE_NONBLOCKING(name, fields, ...)                                                 \
  FACE_DEFINE(int, Ineighbor_##name, (__VA_ARGS__, MPI_Comm comm, MPI_Request * request)) { \
    FACE_ENTER("MPI_Ineighbor_" #name);                                                     \
    FACE_CHECK_REQUEST(request);                                                            \
    const struct face_args a = fields;                                                      \
    return face_collective(face_neighbor_##name, &a, comm, request);                        \
  }
FACE_NEIGHBOR_CALLS(FACE_NONBLOCKING)
