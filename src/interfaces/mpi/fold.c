/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.c - reductions of the MPI interface that eyot's do not fit: elements longer than those of an
 * operator of eyot, and operands in the order of ranks without waiting. Each rank that wants a
 * result gets all operands, and combines them. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/coll.h"

struct face_fold {
  struct face_pair combine;
  char *operands;
  uint64_t bytes, first, n, each;
  int ranks;
  void *recv;
};

/* Space for `ranks` operands of `bytes` bytes. */
static int space(struct face_call *c, int ranks, uint64_t bytes, void **operands) {
  return face_memory(c->comm, (uint64_t)ranks * bytes, &c->stages, operands);
}

/* Combines n elements from each of the first ranks, whose operands are `apart` bytes apart, into
 * recv. */
static void fold(const struct face_pair *pair, void *operands, int ranks, uint64_t apart,
                 uint64_t n, uint64_t each, void *recv) {
  if (ranks == 0 || n * each == 0) return;
  char *last = (char *)operands + (uint64_t)(ranks - 1) * apart;
  for (char *at = last; at != operands;) {
    at -= apart;
    face_apply(pair, at, last, n);
  }
  memcpy(recv, last, n * each);
}

int face_fold_reduce(struct face_call *c, int root, const struct face_reduction *r) {
  struct eyot_mpi_comm *comm = c->comm;
  bool is_root = comm->me == root;
  void *all;
  FACE_TRY(space(c, is_root ? comm->size : 0, r->bytes, &all));
  FACE_TRY(face_gather(c, root, r->send, all, r->bytes));
  if (is_root) fold(&r->combine, all, comm->size, r->bytes, r->n, r->each, r->recv);
  return MPI_SUCCESS;
}

int face_fold_scan(struct face_call *c, int ranks, const struct face_reduction *r) {
  void *all;
  FACE_TRY(space(c, c->comm->size, r->bytes, &all));
  FACE_TRY(face_allgather(c, r->send, all, r->bytes));
  fold(&r->combine, all, ranks, r->bytes, r->n, r->each, r->recv);
  return MPI_SUCCESS;
}

int face_fold_blocks(struct face_call *c, const struct face_reduction *r, const uint64_t *n) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_blocks out, in;
  uint64_t mine = n[comm->me] * r->each, at = 0;
  void *all;
  FACE_TRY(space(c, comm->size, mine, &all));
  FACE_TRY(face_blocks_even(c, mine, &in));
  FACE_TRY(face_blocks_even(c, 0, &out));
  for (int rank = 0; rank < comm->size; at += n[rank++] * r->each) {
    uint32_t member = face_unit(comm, rank).id;
    out.sizes[member] = n[rank] * r->each;
    out.at[member] = at;
  }
  FACE_TRY(face_check(
      comm, eyot_alltoallv(comm->team, r->send, out.sizes, out.at, all, in.sizes, in.at)));
  fold(&r->combine, all, comm->size, mine, n[comm->me], r->each, r->recv);
  return MPI_SUCCESS;
}

int face_fold_start(struct face_call *c, int ranks, uint64_t first, uint64_t n,
                    const struct face_reduction *r) {
  struct eyot_mpi_comm *comm = c->comm;
  void *all;
  struct face_blocks b;
  FACE_TRY(space(c, comm->size, r->bytes, &all));
  FACE_TRY(face_blocks_even(c, r->bytes, &b));
  struct face_fold *f = malloc(sizeof *f);
  if (f == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a reduction");
  *f = (struct face_fold){r->combine, all, r->bytes, first, n, r->each, ranks, r->recv};
  int error = FACE_RUN(c, allgatherv, comm->team, r->send, all, b.sizes, b.at);
  if (error == MPI_SUCCESS)
    c->q->fold = f;
  else
    free(f);
  return error;
}

void face_fold_combine(const struct face_fold *f) {
  fold(&f->combine, f->operands + f->first * f->each, f->ranks, f->bytes, f->n, f->each, f->recv);
}

void face_fold_end(struct face_fold *f) {
  free(f);
}
