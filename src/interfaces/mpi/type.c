/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - datatypes of the MPI interface: the predefined ones, and sequences of them. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

#define FACE_PREDEFINED(name_, c, type)                                     \
  struct eyot_mpi_type eyot_mpi_type_##name_ = {FACE_LIVE, true,      type, \
                                                sizeof(c), sizeof(c), "MPI_" #name_};
EYOT_MPI_TYPES(FACE_PREDEFINED)
