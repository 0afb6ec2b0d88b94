/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c - reductions and scans of the MPI interface, and collectives that do not block. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/coll.h"

struct eyot_mpi_op {
  eyot_op_t op;
  const char *name;
};
#define FACE_OP(name_) struct eyot_mpi_op eyot_mpi_op_##name_ = {EYOT_##name_, "MPI_" #name_};
EYOT_MPI_OPS(FACE_OP)

/* What eyot is to do. */
struct reduction {
  eyot_type_t type;
  eyot_op_t op;
  uint64_t n, bytes;
  const void *send;
};

static bool has_pair(eyot_type_t type, eyot_op_t op) {
  bool locates = op == EYOT_MINLOC || op == EYOT_MAXLOC;
  switch (type) {
    case EYOT_USER:
      return false;
    case EYOT_INT32_INDEX:
    case EYOT_FLOAT_INDEX:
      return locates;
    case EYOT_FLOAT_COMPLEX:
    case EYOT_DOUBLE_COMPLEX:
      return op == EYOT_SUM || op == EYOT_PROD;
    case EYOT_FLOAT:
    case EYOT_DOUBLE:
    case EYOT_LONG_DOUBLE:
      return op == EYOT_SUM || op == EYOT_PROD || op == EYOT_MIN || op == EYOT_MAX;
    case EYOT_BYTE:
      return op == EYOT_BAND || op == EYOT_BOR || op == EYOT_BXOR;
    default:
      return !locates;
  }
}

/* `first` holds the operands where sendbuf is MPI_IN_PLACE. */
static int reduction_of(struct eyot_mpi_comm *comm, const void *sendbuf, const void *first,
                        int count, struct eyot_mpi_type *type, const struct eyot_mpi_op *op,
                        struct reduction *r) {
  FACE_TRY(face_comm(comm));
  r->send = face_in_place(sendbuf) ? first : sendbuf;
  FACE_TRY(face_bytes(comm, r->send, count, type, &r->bytes));
  if (op == MPI_OP_NULL)
    return face_fail(comm, MPI_ERR_OP, "op is MPI_OP_NULL, expected an operator");
  if (!has_pair(type->element, op->op))
    return face_fail(comm, MPI_ERR_OP, "%s does not take elements of %s", op->name, type->name);
  r->type = type->element == EYOT_BYTE ? EYOT_UINT8 : type->element;
  r->op = op->op;
  r->n = (uint64_t)count;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Reduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce");
  struct reduction r;
  FACE_TRY(face_root(comm, root));
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  if (comm->me == root) FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return face_check(
      comm, eyot_reduce(comm->team, face_unit(comm, root), r.type, r.op, r.send, recvbuf, r.n));
}

FACE_DEFINE(int, Allreduce,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Allreduce");
  struct reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return face_check(comm, eyot_allreduce(comm->team, r.type, r.op, r.send, recvbuf, r.n));
}

/* -- scans ------------------------------------------------------------------------------------- */

typedef int (*scan_fn)(eyot_team_t, eyot_type_t, eyot_op_t, const void *, void *, uint64_t);

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

/* eyot scans in the order of members: the member m gets the operands of rank m, and gives it the
 * result. */
static int scan_by_rank(struct eyot_mpi_comm *comm, scan_fn scan, const struct reduction *r,
                        void *recv) {
  uint32_t member = face_unit(comm, comm->me).id;
  uint32_t to = (uint32_t)comm->me, from = comm->unit[member];
  bool writes = scan == eyot_scan || comm->me > 0;
  char *operands, *results;
  FACE_TRY(face_copy(comm, r->send, r->bytes, (void **)&operands));
  FACE_TRY(face_copy(comm, r->send, r->bytes, (void **)&results));
  int error = move_block(comm, to, r->send, from, operands, r->bytes);
  if (error == MPI_SUCCESS)
    error = face_check(comm, scan(comm->team, r->type, r->op, operands, results, r->n));
  if (error == MPI_SUCCESS) error = move_block(comm, from, results, to, operands, r->bytes);
  if (error == MPI_SUCCESS && writes && r->bytes > 0) memcpy(recv, operands, r->bytes);
  free(operands);
  free(results);
  return error;
}

static int scan_all(struct eyot_mpi_comm *comm, scan_fn scan, const struct reduction *r,
                    void *recv) {
  if (!face_ordered(comm)) return scan_by_rank(comm, scan, r, recv);
  return face_check(comm, scan(comm->team, r->type, r->op, r->send, recv, r->n));
}

FACE_DEFINE(int, Scan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Scan");
  struct reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return scan_all(comm, eyot_scan, &r, recvbuf);
}

FACE_DEFINE(int, Exscan,
            (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Exscan");
  struct reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  if (comm->me > 0) FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  return scan_all(comm, eyot_exscan, &r, recvbuf);
}

/* eyot's block m goes to member m: the blocks are put into that order. */
static int reduce_blocks(struct eyot_mpi_comm *comm, const struct reduction *r, uint64_t block,
                         void *recv) {
  char *blocks;
  FACE_TRY(face_copy(comm, r->send, r->bytes, (void **)&blocks));
  for (int rank = 0; !face_ordered(comm) && rank < comm->size; rank++)
    memcpy(blocks + comm->unit[rank] * block, (const char *)r->send + (uint64_t)rank * block,
           block);
  int rc = eyot_reduce_scatter_block(comm->team, r->type, r->op, blocks, recv,
                                     r->n / (uint64_t)comm->size);
  free(blocks);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Reduce_scatter_block,
            (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Reduce_scatter_block");
  struct reduction r;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, recvcount, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, recvcount, type, &r.bytes));
  uint64_t block = r.bytes;
  r.n *= (uint64_t)comm->size;
  r.bytes *= (uint64_t)comm->size;
  if (face_in_place(sendbuf) || !face_ordered(comm)) return reduce_blocks(comm, &r, block, recvbuf);
  return face_check(comm, eyot_reduce_scatter_block(comm->team, r.type, r.op, r.send, recvbuf,
                                                    (uint64_t)recvcount));
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
  struct reduction r;
  struct eyot_mpi_request *q;
  FACE_TRY(reduction_of(comm, sendbuf, recvbuf, count, type, op, &r));
  FACE_TRY(face_bytes(comm, recvbuf, count, type, &r.bytes));
  FACE_TRY(coll_request(comm, request, &q));
  return coll_started(
      q, eyot_allreduce_nb(comm->team, r.type, r.op, r.send, recvbuf, r.n, &q->coll), request);
}
