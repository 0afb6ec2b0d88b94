/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_init.c - persistent neighbourhood collectives of the MPI interface (MPI 4.1, section
 * 8.8). The first of a communicator makes its graph, which is collective. */
#include "interfaces/mpi/neighbor.h"

#define FACE_INIT(name, fields, ...)                                                \
  FACE_DEFINE(int, Neighbor_##name##_init,                                          \
              (__VA_ARGS__, MPI_Comm comm, MPI_Info info, MPI_Request * request)) { \
    FACE_ENTER("MPI_Neighbor_" #name "_init");                                      \
    const struct face_args a = fields;                                              \
    return face_collective_init(face_neighbor_##name, &a, comm, info, request);     \
  }
FACE_NEIGHBOR_CALLS(FACE_INIT)
