/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - reductions of the MPI interface that eyot's do not fit: elements longer than those of an
 * operator of eyot, and operands in the order of ranks without waiting. Each rank that wants a
 * result gets all operands, and combines them. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/coll.h"

struct face_fold {
  const struct face_pair *pair;
  struct face_blocks blocks;
  uint64_t n, bytes;
  int ranks;
  void *recv;
  char operands[];
};

/* Space for `ranks` operands of `bytes` bytes. */
static int space(const struct eyot_mpi_comm *comm, int ranks, uint64_t bytes, void **operands) {
  *operands = malloc((size_t)ranks * bytes + 1);
  if (*operands != NULL) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_NO_MEM, "no memory for the operands of %d ranks", ranks);
}

/* Combines n elements of each of the first ranks, of `bytes` bytes together, into recv. */
static void fold(const struct face_pair *pair, void *operands, int ranks, uint64_t n,
                 uint64_t bytes, void *recv) {
  if (ranks == 0 || bytes == 0) return;
  char *last = (char *)operands + (uint64_t)(ranks - 1) * bytes;
  for (char *at = last; at != operands;) {
    at -= bytes;
    face_apply(pair, at, last, n);
  }
  memcpy(recv, last, bytes);
}

int face_fold_reduce(struct eyot_mpi_comm *comm, int root, const struct face_reduction *r,
                     void *recv) {
  void *all;
  FACE_TRY(space(comm, comm->me == root ? comm->size : 0, r->bytes, &all));
  int error = face_gather(comm, root, r->send, all, r->bytes);
  if (error == MPI_SUCCESS && comm->me == root)
    fold(r->pair, all, comm->size, r->n, r->bytes, recv);
  free(all);
  return error;
}

int face_fold_scan(struct eyot_mpi_comm *comm, int ranks, const struct face_reduction *r,
                   void *recv) {
  void *all;
  FACE_TRY(space(comm, comm->size, r->bytes, &all));
  int error = face_allgather(comm, r->send, all, r->bytes);
  if (error == MPI_SUCCESS) fold(r->pair, all, ranks, r->n, r->bytes, recv);
  free(all);
  return error;
}

int face_fold_blocks(struct eyot_mpi_comm *comm, const struct face_reduction *r, const uint64_t *n,
                     uint64_t each, void *recv) {
  struct face_blocks out, in;
  uint64_t mine = n[comm->me] * each, at = 0;
  void *all;
  FACE_TRY(space(comm, comm->size, mine, &all));
  int error = face_blocks_even(comm, mine, &in);
  if (error == MPI_SUCCESS) {
    error = face_blocks_even(comm, 0, &out);
    if (error != MPI_SUCCESS) face_blocks_free(&in);
  }
  if (error != MPI_SUCCESS) {
    free(all);
    return error;
  }
  for (int rank = 0; rank < comm->size; at += n[rank++] * each) {
    uint32_t member = face_unit(comm, rank).id;
    out.sizes[member] = n[rank] * each;
    out.at[member] = at;
  }
  error = face_check(comm,
                     eyot_alltoallv(comm->team, r->send, out.sizes, out.at, all, in.sizes, in.at));
  if (error == MPI_SUCCESS) fold(r->pair, all, comm->size, n[comm->me], mine, recv);
  face_blocks_free(&in);
  face_blocks_free(&out);
  free(all);
  return error;
}

int face_fold_start(struct eyot_mpi_request *q, const struct face_reduction *r, void *recv) {
  struct eyot_mpi_comm *comm = q->with.comm;
  struct face_fold *f = malloc(sizeof *f + (size_t)comm->size * r->bytes);
  if (f == NULL)
    return face_fail(comm, MPI_ERR_NO_MEM, "no memory for the operands of %d ranks", comm->size);
  *f = (struct face_fold){
      .pair = r->pair, .n = r->n, .bytes = r->bytes, .ranks = comm->size, .recv = recv};
  int error = face_blocks_even(comm, r->bytes, &f->blocks);
  if (error == MPI_SUCCESS)
    error = face_check(comm, eyot_allgatherv_nb(comm->team, r->send, f->operands, f->blocks.sizes,
                                                f->blocks.at, &q->coll));
  if (error == MPI_SUCCESS) {
    q->fold = f;
    return MPI_SUCCESS;
  }
  face_blocks_free(&f->blocks);
  free(f);
  return error;
}

void face_fold_finish(struct face_fold *f, bool combines) {
  if (combines) fold(f->pair, f->operands, f->ranks, f->n, f->bytes, f->recv);
  face_blocks_free(&f->blocks);
  free(f);
}
