/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - what the collectives of the MPI interface share beside stage.h: blocks by rank as eyot's
 * functions take them, which is by member of the team; reductions. */
#ifndef INTERFACES_MPI_COLL_H
#define INTERFACES_MPI_COLL_H

#include "interfaces/mpi/op.h"
#include "interfaces/mpi/stage.h"

/* Sizes and places of a block for each member, in bytes; memory of the call. */
struct face_blocks {
  uint64_t *sizes, *at;
};

/* Blocks of the program, by rank: counts[rank] elements that begin displs[rank] elements from buf,
 * or of types[rank], bytes. */
struct face_table {
  const void *buf;
  const int *counts, *displs;
  struct eyot_mpi_type *type;
  MPI_Datatype const *types;
  const MPI_Aint *places; /* instead of displs, in bytes */
};

static inline bool face_in_place(const void *buf) {
  return buf == MPI_IN_PLACE;
}
/* Refuses a block of `bytes` bytes that is sent from where it is received, for which the program is
 * to pass MPI_IN_PLACE as the buffer `name`. */
int face_apart(const struct face_call *c, const void *send, const void *recv, uint64_t bytes,
               const char *name);
static inline bool face_ordered(const struct eyot_mpi_comm *comm) {
  return comm->unit == NULL;
}
/* The blocks of a table, from *at on: in the program's buffer, or one after the other in a stage
 * where a block has gaps or begins before buf, or with FACE_COPY. */
enum { FACE_COPY = 4 };
int face_blocks_of(struct face_call *c, const struct face_table *t, unsigned ways,
                   struct face_blocks *blocks, void **at);
/* The same of n blocks that are not of all ranks. */
int face_blocks_list(struct face_call *c, const struct face_table *t, int n, unsigned ways,
                     struct face_blocks *blocks, void **at);
/* Blocks of `bytes` bytes each in the order of ranks. */
int face_blocks_even(struct face_call *c, uint64_t bytes, struct face_blocks *blocks);
int face_gather(struct face_call *c, int root, const void *send, void *recv, uint64_t bytes);
int face_allgather(struct face_call *c, const void *send, void *recv, uint64_t bytes);

/* What eyot is to do with n elements, `each` bytes apart, of `bytes` bytes in all. */
struct face_reduction {
  eyot_type_t type;
  eyot_op_t op;
  uint64_t n, each, bytes;
  const void *send;
  void *recv;
  struct face_pair *pair;   /* of an operator with a function */
  struct face_pair combine; /* for this library's own combination */
  bool folds;               /* elements are too long for eyot: face_fold_* */
  bool moves;               /* operands must be put into the order of ranks first */
};

/* Reductions of gathered operands, which the caller combines in the order of ranks. */
int face_fold_reduce(struct face_call *c, int root, const struct face_reduction *r);
/* Over the ranks below `ranks`. */
int face_fold_scan(struct face_call *c, int ranks, const struct face_reduction *r);
/* Of blocks of n[rank] elements. */
int face_fold_blocks(struct face_call *c, const struct face_reduction *r, const uint64_t *n);
/* Starts one as a request, which face_fold_finish ends (face.h): over the ranks below `ranks`, of n
 * elements of the operands from the element `first` on. */
int face_fold_start(struct face_call *c, int ranks, uint64_t first, uint64_t n,
                    const struct face_reduction *r);

/* The collectives, in all forms. */
face_collective_fn face_run_barrier, face_run_broadcast, face_run_gather, face_run_gatherv,
    face_run_scatter, face_run_scatterv, face_run_allgather, face_run_allgatherv, face_run_alltoall,
    face_run_alltoallv, face_run_alltoallw, face_run_reduce, face_run_allreduce, face_run_scan,
    face_run_exscan, face_run_reduce_scatter, face_run_reduce_scatter_block;

#endif
