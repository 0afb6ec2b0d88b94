/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans of the MPI interface, and collectives that do not block. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/coll.h"

/* `first` holds the operands where sendbuf is MPI_IN_PLACE. */
static int reduction_of(struct eyot_mpi_comm *comm, const void *sendbuf, const void *first,
                        int count, struct eyot_mpi_type *type, struct eyot_mpi_op *op,
                        struct face_reduction *r) {
  FACE_TRY(face_comm(comm));
  *r = (struct face_reduction){.send = face_in_place(sendbuf) ? first : sendbuf};
  FACE_TRY(face_bytes(comm, r->send, count, type, &r->bytes));
  FACE_TRY(face_op(comm, op));
  r->n = (uint64_t)count;
  r->type = type->element == EYOT_BYTE ? EYOT_UINT8 : type->element;
  r->op = op->op;
  if (op->function == NULL && !face_takes(op, type))
    return face_fail(comm, MPI_ERR_OP, "%s does not take elements of %s", op->name, type->name);
  if (face_function(op, type) == NULL) return MPI_SUCCESS;
  FACE_TRY(face_pair(comm, op, type, &r->pair));
  r->type = EYOT_USER;
  r->op = r->pair->eyot;
  if (type->bytes == 0) { /* nothing to combine: any operator does */
    r->type = EYOT_UINT8;
    r->op = EYOT_BOR;
    r->n = 0;
  }
  r->folds = type->bytes > EYOT_OP_BYTES_MAX;
  r->moves = !op->commutative && !face_ordered(comm) && !r->folds;
  return MPI_SUCCESS;
}

/* Moves the caller's `bytes` bytes to the member `to`, and gets those of the member `from`. */
static int move_block(struct eyot_mpi_comm *comm, uint32_t to, const void *send, uint32_t from,
                      void *recv, uint64_t bytes) {
  struct face_blocks out, in;
  FACE_TRY(face_blocks_even(comm, 0, &out));
  int error = face_blocks_even(comm, 0, &in);
  if (error == MPI_SUCCESS) {
    out.sizes[to] = in.sizes[from] = bytes;
    error = face_check(comm,
                       eyot_alltoallv(comm->team, send, out.sizes, out.at, recv, in.sizes, in.at));
    face_blocks_free(&in);
  }
  face_blocks_free(&out);
  return error;
}

/* The member m gets the operands of rank m, which are `*moved` and to be freed: eyot combines in
 * the order of members. */
static int move_operands(struct eyot_mpi_comm *comm, struct face_reduction *r, void **moved) {
  uint32_t from = comm->unit[face_unit(comm, comm->me).id];
  FACE_TRY(face_copy(comm, r->send, r->bytes, moved));
  int error = move_block(comm, (uint32_t)comm->me, r->send, from, *moved, r->bytes);
  if (error == MPI_SUCCESS)
    r->send = *moved;
  else
    free(*moved);
  return error;
}

FACE_DEFINE(int, Reduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce");
  struct face_reduction r;
  FACE_TRY(face_root(comm, root));
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  if (comm->me == root) FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  if (r.folds) return face_fold_reduce(comm, root, &r, recvbuf);
  void *moved = NULL;
  if (r.moves) FACE_TRY(move_operands(comm, &r, &moved));
  int rc = eyot_reduce(comm->team, face_unit(comm, root), r.type, r.op, r.send, recvbuf, r.n);
  free(moved);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Allreduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Allreduce");
  struct face_reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  if (r.folds) return face_fold_scan(comm, comm->size, &r, recvbuf);
  void *moved = NULL;
  if (r.moves) FACE_TRY(move_operands(comm, &r, &moved));
  int rc = eyot_allreduce(comm->team, r.type, r.op, r.send, recvbuf, r.n);
  free(moved);
  return face_check(comm, rc);
}

/* -- scans ------------------------------------------------------------------------------------- */

typedef int (*scan_fn)(eyot_team_t, eyot_type_t, eyot_op_t, const void *, void *, uint64_t);

/* eyot scans in the order of members: the member m, which scans for rank m, gives it the result. */
static int scan_by_rank(struct eyot_mpi_comm *comm, scan_fn scan, struct face_reduction r,
                        void *recv) {
  uint32_t to = comm->unit[face_unit(comm, comm->me).id];
  bool writes = scan == eyot_scan || comm->me > 0;
  void *results, *operands;
  FACE_TRY(face_copy(comm, r.send, r.bytes, &results));
  int error = move_operands(comm, &r, &operands);
  if (error != MPI_SUCCESS) {
    free(results);
    return error;
  }
  error = face_check(comm, scan(comm->team, r.type, r.op, operands, results, r.n));
  if (error == MPI_SUCCESS)
    error = move_block(comm, to, results, (uint32_t)comm->me, operands, r.bytes);
  if (error == MPI_SUCCESS && writes && r.bytes > 0) memcpy(recv, operands, r.bytes);
  free(operands);
  free(results);
  return error;
}

static int scan_all(struct eyot_mpi_comm *comm, scan_fn scan, const struct face_reduction *r,
                    void *recv) {
  if (r->folds) return face_fold_scan(comm, comm->me + (scan == eyot_scan), r, recv);
  if (!face_ordered(comm)) return scan_by_rank(comm, scan, *r, recv);
  return face_check(comm, scan(comm->team, r->type, r->op, r->send, recv, r->n));
}

FACE_DEFINE(int, Scan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Scan");
  struct face_reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return scan_all(comm, eyot_scan, &r, recvbuf);
}

FACE_DEFINE(int, Exscan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Exscan");
  struct face_reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  if (comm->me > 0) FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return scan_all(comm, eyot_exscan, &r, recvbuf);
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* Combines blocks of n[rank] elements, which are put into the order of members. */
static int reduce_blocks(struct eyot_mpi_comm *comm, struct face_reduction r, const uint64_t *n,
                         uint64_t each, void *recv) {
  uint64_t *of = malloc((size_t)comm->size * sizeof *of), at = 0;
  if (of == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d counts", comm->size);
  void *blocks, *moved = NULL;
  int error = face_copy(comm, r.send, r.bytes, &blocks);
  if (error != MPI_SUCCESS) {
    free(of);
    return error;
  }
  for (int rank = 0; rank < comm->size; rank++) of[face_unit(comm, rank).id] = n[rank];
  const char *from = r.send;
  for (int rank = 0; !face_ordered(comm) && rank < comm->size; from += n[rank++] * each) {
    at = 0;
    for (uint32_t m = 0; m < comm->unit[rank]; m++) at += of[m];
    if (n[rank] * each > 0) memcpy((char *)blocks + at * each, from, n[rank] * each);
  }
  r.send = blocks;
  if (r.moves) error = move_operands(comm, &r, &moved);
  if (error == MPI_SUCCESS)
    error = face_check(comm, eyot_reduce_scatter(comm->team, r.type, r.op, r.send, recv, of));
  if (r.moves && error == MPI_SUCCESS) free(moved);
  free(blocks);
  free(of);
  return error;
}

FACE_DEFINE(int, Reduce_scatter_block,
            (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce_scatter_block");
  struct face_reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, recvcount, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, recvcount, type, &r.bytes));
  uint64_t n = r.n;
  r.n *= (uint64_t)comm->size;
  r.bytes *= (uint64_t)comm->size;
  if (!face_in_place(sendbuf) && face_ordered(comm) && !r.folds)
    return face_check(comm,
                      eyot_reduce_scatter_block(comm->team, r.type, r.op, r.send, recvbuf, n));
  uint64_t *all = malloc((size_t)comm->size * sizeof *all);
  if (all == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d counts", comm->size);
  for (int rank = 0; rank < comm->size; rank++) all[rank] = n;
  int error = r.folds ? face_fold_blocks(comm, &r, all, type->bytes, recvbuf)
                      : reduce_blocks(comm, r, all, type->bytes, recvbuf);
  free(all);
  return error;
}

/* The counts of all ranks, and their sum in *sum; to be freed. */
static int block_counts(const struct eyot_mpi_comm *comm, const int *counts, int *sum,
                        uint64_t **all) {
  FACE_TRY(face_output(comm, "the array of counts", counts));
  int64_t total = 0;
  for (int rank = 0; rank < comm->size; rank++) {
    total += counts[rank];
    if (counts[rank] < 0 || total > INT_MAX)
      return face_fail(comm, MPI_ERR_COUNT,
                       counts[rank] < 0 ? "the block of rank %d has count %d, expected 0 or more"
                                        : "with the block of rank %d of count %d blocks have more "
                                          "than 2147483647 elements",
                       rank, counts[rank]);
  }
  *sum = (int)total;
  *all = malloc((size_t)comm->size * sizeof **all);
  if (*all == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d counts", comm->size);
  for (int rank = 0; rank < comm->size; rank++) (*all)[rank] = (uint64_t)counts[rank];
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Reduce_scatter,
            (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
             MPI_Op op, MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce_scatter");
  struct face_reduction r;
  int sum = 0;
  uint64_t *all = NULL, mine;
  FACE_TRY(face_comm(comm));
  FACE_TRY(block_counts(comm, recvcounts, &sum, &all));
  int error = reduction_of(comm, sendbuf, recvbuf, sum, type, op, &r);
  if (error == MPI_SUCCESS) error = face_bytes(comm, recvbuf, recvcounts[comm->me], type, &mine);
  if (error != MPI_SUCCESS) {
    free(all);
    return error;
  }
  if (type->bytes == 0) memset(all, 0, (size_t)comm->size * sizeof *all);
  if (r.folds)
    error = face_fold_blocks(comm, &r, all, type->bytes, recvbuf);
  else if (face_in_place(sendbuf) || !face_ordered(comm))
    error = reduce_blocks(comm, r, all, type->bytes, recvbuf);
  else
    error = face_check(comm, eyot_reduce_scatter(comm->team, r.type, r.op, r.send, recvbuf, all));
  free(all);
  return error;
}

FACE_DEFINE(int, Reduce_local,
            (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op)) {
  FACE_ENTER("MPI_Reduce_local");
  uint64_t bytes;
  FACE_TRY(face_bytes(NULL, inbuf, count, type, &bytes));
  FACE_TRY(face_bytes(NULL, inoutbuf, count, type, &bytes));
  FACE_TRY(face_op(NULL, op));
  if (op->function == NULL && !face_takes(op, type))
    return face_fail(NULL, MPI_ERR_OP, "%s does not take elements of %s", op->name, type->name);
  struct face_pair one = {.function = op->function, .op = op, .type = type};
  if (op->function != NULL)
    face_apply(&one, inbuf, inoutbuf, (uint64_t)count);
  else
    face_apply_predefined(op, type, inbuf, inoutbuf, (uint64_t)count);
  return MPI_SUCCESS;
}

/* -- not blocking ------------------------------------------------------------------------------ */

static int coll_request(struct eyot_mpi_comm *comm, MPI_Request *request,
                        struct eyot_mpi_request **made) {
  FACE_TRY(face_output(comm, "request", request));
  struct face_message none = {NULL, 0, 0, 0, comm};
  return face_request(FACE_COLL, &none, made);
}

static int coll_started(struct eyot_mpi_request *r, int rc, MPI_Request *request) {
  if (rc == EYOT_OK) {
    face_activate(r);
    *request = r;
    return MPI_SUCCESS;
  }
  const struct eyot_mpi_comm *comm = r->with.comm;
  face_request_end(r);
  return face_check(comm, rc);
}

/* eyot has no barrier that does not block: an allreduce is one too. */
FACE_DEFINE(int, Ibarrier, (MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ibarrier");
  FACE_TRY(face_comm(comm));
  struct eyot_mpi_request *q;
  FACE_TRY(coll_request(comm, request, &q));
  int rc = eyot_allreduce_nb(comm->team, EYOT_INT32, EYOT_SUM, &q->one[0], &q->one[1], 1, &q->coll);
  return coll_started(q, rc, request);
}

FACE_DEFINE(int, Ibcast,
            (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Ibcast");
  uint64_t bytes;
  struct eyot_mpi_request *q;
  FACE_TRY(face_root(comm, root));
  FACE_TRY(face_bytes(comm, buf, count, type, &bytes));
  FACE_TRY(coll_request(comm, request, &q));
  return coll_started(q, eyot_broadcast_nb(comm->team, face_unit(comm, root), buf, bytes, &q->coll),
                      request);
}

FACE_DEFINE(int, Iallreduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iallreduce");
  struct face_reduction r;
  struct eyot_mpi_request *q;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  FACE_TRY(coll_request(comm, request, &q));
  if (r.pair != NULL) {
    q->pair = r.pair;
    q->pair->pending++;
  }
  if (r.folds || r.moves) {
    int error = face_fold_start(q, &r, recvbuf);
    if (error != MPI_SUCCESS) {
      face_request_end(q);
      return error;
    }
    face_activate(q);
    *request = q;
    return MPI_SUCCESS;
  }
  return coll_started(
      q, eyot_allreduce_nb(comm->team, r.type, r.op, r.send, recvbuf, r.n, &q->coll), request);
}
