/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans of the MPI interface (MPI 4.1, sections 6.9, 6.11 and 6.12). */
#include <string.h>

#include "interfaces/mpi/reduction.h"

/* Elements with gaps keep them for the function of the program: eyot combines as many bytes as
 * their extent has. */
static int lay(struct face_call *c, const void *operands, void *recvbuf, uint64_t count,
               struct eyot_mpi_type *type, unsigned ways, struct face_reduction *r) {
  if (face_type_dense(type)) {
    r->send = operands;
    r->recv = recvbuf;
    return MPI_SUCCESS;
  }
  if (type->true_lb < 0 || type->true_end > type->extent)
    return face_fail(c->comm, MPI_ERR_TYPE,
                     "an element has data from byte %lld to %lld, and an extent of %lld: eyot "
                     "reduces elements that lie within their extent",
                     (long long)type->true_lb, (long long)type->true_end, (long long)type->extent);
  void *laid;
  FACE_TRY(face_laid(c->comm, operands, count, type, FACE_IN, &c->stages, &laid));
  r->send = laid;
  if (ways & FACE_OUT)
    FACE_TRY(face_laid(c->comm, recvbuf, count, type, FACE_OUT, &c->stages, &r->recv));
  return MPI_SUCCESS;
}

/* recvcount: the elements of the result, which ways says whether the caller gets (FACE_OUT). */
int face_reduction(struct face_call *c, const struct face_args *a, int count, int recvcount,
                   unsigned ways, struct face_reduction *r) {
  struct eyot_mpi_comm *comm = c->comm;
  struct eyot_mpi_type *type = a->recvtype;
  struct eyot_mpi_op *op = a->op;
  const void *operands = face_in_place(a->send) ? a->recv : a->send;
  *r = (struct face_reduction){.op = EYOT_BOR, .type = EYOT_UINT8};
  FACE_TRY(face_bytes(comm, operands, count, type, &r->bytes));
  if (ways & FACE_OUT) FACE_TRY(face_bytes(comm, a->recv, recvcount, type, &r->bytes));
  FACE_TRY(face_op(comm, op));
  FACE_TRY(face_takes(comm, op, type));
  r->combine = (struct face_pair){.function = op->function, .op = op, .type = type};
  r->each = (uint64_t)type->extent;
  r->bytes = (uint64_t)count * r->each;
  if (type->bytes == 0) { /* nothing to combine: any operator does */
    r->each = r->bytes = 0;
    return MPI_SUCCESS;
  }
  r->n = (uint64_t)count;
  FACE_TRY(lay(c, operands, a->recv, (uint64_t)count, type, ways, r));
  if ((ways & FACE_OUT) && !face_in_place(a->send))
    FACE_TRY(face_apart(c, r->send, r->recv, r->bytes, "sendbuf"));
  r->type = type->element == EYOT_BYTE ? EYOT_UINT8 : type->element;
  r->op = op->op;
  if (face_function(op, type) == NULL) return MPI_SUCCESS;
  FACE_TRY(face_pair(comm, op, type, &r->pair));
  r->combine.function = r->pair->function;
  r->type = EYOT_USER;
  r->op = r->pair->eyot;
  r->folds = r->each > EYOT_OP_BYTES_MAX;
  r->moves = !op->commutative && !face_ordered(comm) && !r->folds;
  if (c->q == NULL) return MPI_SUCCESS;
  c->q->pair = r->pair;
  c->q->pair->pending++;
  return MPI_SUCCESS;
}

int face_move_block(struct face_call *c, uint32_t to, const void *send, uint32_t from, void *recv,
                    uint64_t bytes) {
  struct face_blocks out, in;
  FACE_TRY(face_blocks_even(c, 0, &out));
  FACE_TRY(face_blocks_even(c, 0, &in));
  out.sizes[to] = in.sizes[from] = bytes;
  return face_check(c->comm,
                    eyot_alltoallv(c->comm->team, send, out.sizes, out.at, recv, in.sizes, in.at));
}

int face_move_operands(struct face_call *c, struct face_reduction *r) {
  struct eyot_mpi_comm *comm = c->comm;
  uint32_t from = comm->unit[face_unit(comm, comm->me).id];
  void *moved;
  FACE_TRY(face_memory(comm, r->bytes, &c->stages, &moved));
  FACE_TRY(face_move_block(c, (uint32_t)comm->me, r->send, from, moved, r->bytes));
  r->send = moved;
  return MPI_SUCCESS;
}

/* -- to one rank, to all ----------------------------------------------------------------------- */

int face_run_reduce(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_reduction r;
  FACE_TRY(face_root(comm, a->root));
  bool is_root = comm->me == a->root;
  if (!is_root && face_in_place(a->send))
    return face_fail(comm, MPI_ERR_BUFFER,
                     "sendbuf is MPI_IN_PLACE, which the root alone passes (rank %d): pass the "
                     "operands",
                     a->root);
  FACE_TRY(face_reduction(c, a, a->recvs, a->recvs, is_root ? FACE_OUT : 0, &r));
  if (c->q != NULL && (r.folds || r.moves))
    return face_fold_start(c, is_root ? comm->size : 0, 0, r.n, &r);
  if (r.folds) return face_fold_reduce(c, a->root, &r);
  if (r.moves) FACE_TRY(face_move_operands(c, &r));
  return FACE_RUN(c, reduce, comm->team, face_unit(comm, a->root), r.type, r.op, r.send, r.recv,
                  r.n);
}

int face_run_allreduce(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_reduction r;
  FACE_TRY(face_reduction(c, a, a->recvs, a->recvs, FACE_OUT, &r));
  if (c->q != NULL && (r.folds || r.moves)) return face_fold_start(c, comm->size, 0, r.n, &r);
  if (r.folds) return face_fold_scan(c, comm->size, &r);
  if (r.moves) FACE_TRY(face_move_operands(c, &r));
  return FACE_RUN(c, allreduce, comm->team, r.type, r.op, r.send, r.recv, r.n);
}

/* The arguments of functions of this file, which have MPI's names. */
#define REDUCE_ARGS(root_) \
  { .send = sendbuf, .recv = recvbuf, .recvs = count, .recvtype = type, .root = (root_), .op = op }

FACE_DEFINE(int, Reduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce");
  const struct face_args a = REDUCE_ARGS(root);
  return face_collective(face_run_reduce, &a, comm, NULL);
}

FACE_DEFINE(int, Ireduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ireduce");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = REDUCE_ARGS(root);
  return face_collective(face_run_reduce, &a, comm, request);
}

FACE_DEFINE(int, Allreduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Allreduce");
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_allreduce, &a, comm, NULL);
}

FACE_DEFINE(int, Iallreduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iallreduce");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_allreduce, &a, comm, request);
}

/* -- scans ------------------------------------------------------------------------------------- */

typedef int (*scan_fn)(eyot_team_t, eyot_type_t, eyot_op_t, const void *, void *, uint64_t);

/* eyot scans in the order of members: the member m, which scans for rank m, gives it the result. */
static int scan_by_rank(struct face_call *c, scan_fn scan, struct face_reduction r, bool writes) {
  struct eyot_mpi_comm *comm = c->comm;
  uint32_t to = comm->unit[face_unit(comm, comm->me).id];
  void *results, *mine;
  FACE_TRY(face_call_copy(c, r.send, r.bytes, &results));
  FACE_TRY(face_move_operands(c, &r));
  FACE_TRY(face_check(comm, scan(comm->team, r.type, r.op, r.send, results, r.n)));
  FACE_TRY(face_memory(comm, r.bytes, &c->stages, &mine));
  FACE_TRY(face_move_block(c, to, results, (uint32_t)comm->me, mine, r.bytes));
  if (writes && r.bytes > 0) memcpy(r.recv, mine, r.bytes);
  return MPI_SUCCESS;
}

int face_run_scan(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_reduction r;
  FACE_TRY(face_reduction(c, a, a->recvs, a->recvs, FACE_OUT, &r));
  if (c->q != NULL && (r.folds || !face_ordered(comm)))
    return face_fold_start(c, comm->me + 1, 0, r.n, &r);
  if (r.folds) return face_fold_scan(c, comm->me + 1, &r);
  if (!face_ordered(comm)) return scan_by_rank(c, eyot_scan, r, true);
  return FACE_RUN(c, scan, comm->team, r.type, r.op, r.send, r.recv, r.n);
}

int face_run_exscan(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_reduction r;
  FACE_TRY(face_reduction(c, a, a->recvs, a->recvs, comm->me > 0 ? FACE_OUT : 0, &r));
  if (c->q != NULL && (r.folds || !face_ordered(comm)))
    return face_fold_start(c, comm->me, 0, r.n, &r);
  if (r.folds) return face_fold_scan(c, comm->me, &r);
  if (!face_ordered(comm)) return scan_by_rank(c, eyot_exscan, r, comm->me > 0);
  return FACE_RUN(c, exscan, comm->team, r.type, r.op, r.send, r.recv, r.n);
}

FACE_DEFINE(int, Scan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Scan");
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_scan, &a, comm, NULL);
}

FACE_DEFINE(int, Iscan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iscan");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_scan, &a, comm, request);
}

FACE_DEFINE(int, Exscan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Exscan");
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_exscan, &a, comm, NULL);
}

FACE_DEFINE(int, Iexscan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iexscan");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = REDUCE_ARGS(0);
  return face_collective(face_run_exscan, &a, comm, request);
}

/* -- without a collective ---------------------------------------------------------------------- */

FACE_DEFINE(int, Reduce_local,
            (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op)) {
  FACE_ENTER("MPI_Reduce_local");
  uint64_t bytes;
  FACE_TRY(face_bytes(NULL, inbuf, count, type, &bytes));
  FACE_TRY(face_bytes(NULL, inoutbuf, count, type, &bytes));
  if (inbuf == inoutbuf && bytes > 0)
    return face_fail(NULL, MPI_ERR_BUFFER, "inbuf and inoutbuf are the same: pass a copy of one");
  FACE_TRY(face_op(NULL, op));
  FACE_TRY(face_takes(NULL, op, type));
  const struct face_pair one = {.function = op->function, .op = op, .type = type};
  face_apply(&one, inbuf, inoutbuf, (uint64_t)count);
  return MPI_SUCCESS;
}
