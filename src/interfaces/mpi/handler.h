/* SPDX-License-Identifier: BSD-3-Clause */
/* handler.h - what an error handler is. */
#ifndef INTERFACES_MPI_HANDLER_H
#define INTERFACES_MPI_HANDLER_H

#include "interfaces/mpi/face.h"

enum face_handling { FACE_FATAL, FACE_RETURNS, FACE_FUNCTION };

struct eyot_mpi_errhandler {
  uint32_t live;
  enum face_handling kind;
  uint32_t handles; /* of the program */
  MPI_Comm_errhandler_function *function;
  struct eyot_mpi_errhandler *next; /* of all that the program has made */
};

#endif
