/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.c - communicators of the MPI interface: each is a team of eyot, and a map of ranks where
 * MPI_Comm_split has ordered them otherwise than by unit. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

FACE_DEFINE(int, Comm_rank, (MPI_Comm comm, int *rank)) {
  FACE_ENTER("MPI_Comm_rank");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "rank", rank));
  *rank = comm->me;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_size, (MPI_Comm comm, int *size)) {
  FACE_ENTER("MPI_Comm_size");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "size", size));
  *size = comm->size;
  return MPI_SUCCESS;
}
