/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - what the collectives of the MPI interface share (coll.c, vector.c, reduce.c): blocks by
 * rank as eyot's functions take them, which is by member of the team. */
#ifndef INTERFACES_MPI_COLL_H
#define INTERFACES_MPI_COLL_H

#include "interfaces/mpi/face.h"

/* Sizes and places of a block for each member, in bytes; to be freed. */
struct face_blocks {
  uint64_t *sizes, *at;
};

static inline bool face_in_place(const void *buf) {
  return buf == MPI_IN_PLACE;
}
static inline bool face_ordered(const struct eyot_mpi_comm *comm) {
  return comm->unit == NULL;
}
/* Blocks of counts[rank] elements of `type` that begin displs[rank] elements from the start. */
int face_blocks_of(const struct eyot_mpi_comm *comm, const int *counts, const int *displs,
                   const struct eyot_mpi_type *type, struct face_blocks *blocks);
/* Blocks of `bytes` bytes each in the order of ranks. */
int face_blocks_even(const struct eyot_mpi_comm *comm, uint64_t bytes, struct face_blocks *blocks);
void face_blocks_free(struct face_blocks *blocks);

#endif
