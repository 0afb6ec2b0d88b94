/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h - groups of the MPI interface, for the functions that make communicators of them. */
#ifndef INTERFACES_MPI_GROUP_H
#define INTERFACES_MPI_GROUP_H

#include "interfaces/mpi/face.h"

struct eyot_mpi_group {
  uint32_t live;
  int size;
  uint32_t *unit;                      /* of each rank, in all units */
  struct eyot_mpi_group *next, **back; /* of all that the program has made and not freed */
};

int face_group(const struct eyot_mpi_group *group);
/* The rank of each unit, or MPI_UNDEFINED; to be freed. */
int face_group_ranks(const struct eyot_mpi_group *group, int **rank_of);
/* The caller's rank, or MPI_UNDEFINED. */
int face_group_me(const struct eyot_mpi_group *group);

#endif
