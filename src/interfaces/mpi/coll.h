/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - what the collectives of the MPI interface share (coll.c, vector.c, reduce.c, fold.c):
 * blocks by rank as eyot's functions take them, which is by member of the team; reductions. */
#ifndef INTERFACES_MPI_COLL_H
#define INTERFACES_MPI_COLL_H

#include "interfaces/mpi/face.h"
#include "interfaces/mpi/op.h"

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
int face_gather(struct eyot_mpi_comm *comm, int root, const void *send, void *recv, uint64_t bytes);
int face_allgather(struct eyot_mpi_comm *comm, const void *send, void *recv, uint64_t bytes);

/* What eyot is to do with n elements, of `bytes` bytes in all. */
struct face_reduction {
  eyot_type_t type;
  eyot_op_t op;
  uint64_t n, bytes;
  const void *send;
  struct face_pair *pair; /* of an operator with a function */
  bool folds;             /* elements are too long for eyot: face_fold_* */
  bool moves;             /* operands must be put into the order of ranks first */
};

/* Reductions of gathered operands, which the caller combines in the order of ranks. */
int face_fold_reduce(struct eyot_mpi_comm *comm, int root, const struct face_reduction *r,
                     void *recv);
/* Over the ranks below `ranks`. */
int face_fold_scan(struct eyot_mpi_comm *comm, int ranks, const struct face_reduction *r,
                   void *recv);
/* Of blocks of n[rank] elements of `each` bytes. */
int face_fold_blocks(struct eyot_mpi_comm *comm, const struct face_reduction *r, const uint64_t *n,
                     uint64_t each, void *recv);
/* Starts an allreduce as a request, which face_fold_finish ends (face.h). */
int face_fold_start(struct eyot_mpi_request *q, const struct face_reduction *r, void *recv);

#endif
