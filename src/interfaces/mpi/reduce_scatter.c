/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter.c - reductions of the MPI interface whose result is spread over the ranks (MPI
 * 4.1, sections 6.10 and 6.12). */
#include <limits.h>
#include <string.h>

#include "interfaces/mpi/reduction.h"

/* The elements of the block of each rank; memory of the call. */
static int counts_of(struct face_call *c, const struct face_args *a, uint64_t **n, int *sum) {
  struct eyot_mpi_comm *comm = c->comm;
  if (a->recvcounts == NULL && a->recvs < 0)
    return face_fail(comm, MPI_ERR_COUNT, "count is %d, expected 0 or more", a->recvs);
  void *memory;
  FACE_TRY(face_memory(comm, (uint64_t)comm->size * sizeof **n, &c->stages, &memory));
  *n = memory;
  int64_t total = 0;
  for (int rank = 0; rank < comm->size; rank++) {
    int count = a->recvcounts != NULL ? a->recvcounts[rank] : a->recvs;
    total += count;
    if (count < 0 || total > INT_MAX)
      return face_fail(comm, MPI_ERR_COUNT,
                       count < 0 ? "the block of rank %d has count %d, expected 0 or more"
                                 : "with the block of rank %d of count %d blocks have more than "
                                   "2147483647 elements",
                       rank, count);
    (*n)[rank] = (uint64_t)count;
  }
  *sum = (int)total;
  return MPI_SUCCESS;
}

/* Combines blocks of n[rank] elements, which are put into the order of members. */
static int by_member(struct face_call *c, struct face_reduction *r, const uint64_t *n) {
  struct eyot_mpi_comm *comm = c->comm;
  void *blocks, *memory;
  FACE_TRY(face_call_copy(c, r->send, r->bytes, &blocks));
  FACE_TRY(face_memory(comm, (uint64_t)comm->size * sizeof(uint64_t), &c->stages, &memory));
  uint64_t *of = memory;
  for (int rank = 0; rank < comm->size; rank++) of[face_unit(comm, rank).id] = n[rank];
  const char *from = r->send;
  for (int rank = 0; !face_ordered(comm) && rank < comm->size; from += n[rank++] * r->each) {
    uint64_t at = 0;
    for (uint32_t m = 0; m < comm->unit[rank]; m++) at += of[m];
    FACE_TRY(face_call_copy_to(c, from, n[rank] * r->each, (char *)blocks + at * r->each));
  }
  r->send = blocks;
  if (r->moves) FACE_TRY(face_move_operands(c, r));
  return FACE_RUN(c, reduce_scatter, comm->team, r->type, r->op, r->send, r->recv, of);
}

/* The result of elements with gaps has as many as the caller's block, not as the operands. */
static int lay_result(struct face_call *c, const struct face_args *a, uint64_t n,
                      struct face_reduction *r) {
  r->recv = a->recv;
  if (r->n == 0 || face_type_dense(a->recvtype)) return MPI_SUCCESS;
  return face_laid(c->comm, a->recv, n, a->recvtype, FACE_OUT, &c->stages, &r->recv);
}

int face_run_reduce_scatter_block(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_reduction r;
  uint64_t *n = NULL, bytes, first = 0;
  int sum = 0;
  FACE_TRY(counts_of(c, a, &n, &sum));
  uint64_t mine = n[comm->me];
  FACE_TRY(face_reduction(c, a, sum, 0, 0, &r));
  FACE_TRY(face_bytes(comm, a->recv, (int)mine, a->recvtype, &bytes));
  FACE_TRY(lay_result(c, a, mine, &r));
  if (r.n == 0) memset(n, 0, (size_t)comm->size * sizeof *n);
  for (int rank = 0; rank < comm->me; rank++) first += n[rank];
  if (!face_in_place(a->send))
    FACE_TRY(face_apart(c, (const char *)r.send + first * r.each, r.recv, n[comm->me] * r.each,
                        "sendbuf"));
  if (c->q != NULL && (r.folds || r.moves))
    return face_fold_start(c, comm->size, first, n[comm->me], &r);
  if (r.folds) return face_fold_blocks(c, &r, n);
  if (face_in_place(a->send) || !face_ordered(comm)) return by_member(c, &r, n);
  if (a->recvcounts == NULL)
    return FACE_RUN(c, reduce_scatter_block, comm->team, r.type, r.op, r.send, r.recv, n[0]);
  return FACE_RUN(c, reduce_scatter, comm->team, r.type, r.op, r.send, r.recv, n);
}

int face_run_reduce_scatter(struct face_call *c, const struct face_args *a) {
  FACE_TRY(face_input(c->comm, "the array of counts", a->recvcounts));
  return face_run_reduce_scatter_block(c, a);
}

#define BLOCK_ARGS \
  { .send = sendbuf, .recv = recvbuf, .recvs = recvcount, .recvtype = type, .op = op }
#define BLOCKS_ARGS \
  { .send = sendbuf, .recv = recvbuf, .recvcounts = recvcounts, .recvtype = type, .op = op }

FACE_DEFINE(int, Reduce_scatter_block,
            (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce_scatter_block");
  const struct face_args a = BLOCK_ARGS;
  return face_collective(face_run_reduce_scatter_block, &a, comm, NULL);
}

FACE_DEFINE(int, Ireduce_scatter_block,
            (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ireduce_scatter_block");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = BLOCK_ARGS;
  return face_collective(face_run_reduce_scatter_block, &a, comm, request);
}

FACE_DEFINE(int, Reduce_scatter,
            (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
             MPI_Op op, MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce_scatter");
  const struct face_args a = BLOCKS_ARGS;
  return face_collective(face_run_reduce_scatter, &a, comm, NULL);
}

FACE_DEFINE(int, Ireduce_scatter,
            (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
             MPI_Op op, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ireduce_scatter");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = BLOCKS_ARGS;
  return face_collective(face_run_reduce_scatter, &a, comm, request);
}
