/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - collectives of the MPI interface that move blocks of one length (MPI 4.1, sections 6.3
 * to 6.8 and 6.12). On communicators with an order of their own they are those of several lengths,
 * which say where each block lies. */
#include "interfaces/mpi/coll.h"

/* The arguments of most functions of this file, which have MPI's names. */
#define EVEN_ARGS(root_)                                                        \
  {                                                                             \
    .send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf, \
    .recvs = recvcount, .recvtype = recvtype, .root = (root_)                   \
  }

/* -- barrier and broadcast --------------------------------------------------------------------- */

FACE_DEFINE(int, Barrier, (MPI_Comm comm)) {
  FACE_ENTER("MPI_Barrier");
  FACE_TRY(face_comm(comm));
  return face_check(comm, eyot_barrier(comm->team));
}

/* Not the split-phase barrier: a team has one at a time, so the start of a second one would wait,
 * and a rank cannot know whether the first one is complete on all others. */
int face_run_barrier(struct face_call *c, const struct face_args *a) {
  (void)a;
  return FACE_RUN(c, barrier, c->comm->team);
}

FACE_DEFINE(int, Ibarrier, (MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ibarrier");
  FACE_CHECK_REQUEST(request);
  return face_collective(face_run_barrier, NULL, comm, request);
}

int face_run_broadcast(struct face_call *c, const struct face_args *a) {
  uint64_t bytes;
  void *row;
  FACE_TRY(face_root(c->comm, a->root));
  FACE_TRY(face_call_row(c, a->recv, a->recvs, 1, a->recvtype,
                         c->comm->me == a->root ? FACE_IN : FACE_OUT, &row, &bytes));
  return FACE_RUN(c, broadcast, c->comm->team, face_unit(c->comm, a->root), row, bytes);
}

static int broadcast_call(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          MPI_Request *request) {
  const struct face_args a = {.recv = buf, .recvs = count, .recvtype = type, .root = root};
  return face_collective(face_run_broadcast, &a, comm, request);
}

FACE_DEFINE(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Bcast");
  return broadcast_call(buf, count, type, root, comm, NULL);
}

FACE_DEFINE(int, Ibcast,
            (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Ibcast");
  FACE_CHECK_REQUEST(request);
  return broadcast_call(buf, count, type, root, comm, request);
}

/* -- gather and scatter ------------------------------------------------------------------------ */

int face_gather(struct face_call *c, int root, const void *send, void *recv, uint64_t bytes) {
  struct eyot_mpi_comm *comm = c->comm;
  eyot_tunit_t to = face_unit(comm, root);
  if (face_ordered(comm)) return FACE_RUN(c, gather, comm->team, to, send, recv, bytes);
  struct face_blocks b = {NULL, NULL};
  if (comm->me == root) FACE_TRY(face_blocks_even(c, bytes, &b));
  return FACE_RUN(c, gatherv, comm->team, to, send, bytes, recv, b.sizes, b.at);
}

int face_run_gather(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  FACE_TRY(face_root(comm, a->root));
  bool is_root = comm->me == a->root, in_place = is_root && face_in_place(a->send);
  uint64_t bytes, received = 0;
  void *send, *recv = NULL;
  if (is_root)
    FACE_TRY(face_call_row(c, a->recv, a->recvs, (uint64_t)comm->size, a->recvtype,
                           in_place ? FACE_IN | FACE_OUT : FACE_OUT, &recv, &received));
  if (in_place) {
    bytes = received;
    FACE_TRY(face_call_copy(c, (char *)recv + (uint64_t)a->root * bytes, bytes, &send));
  } else {
    FACE_TRY(face_call_row(c, a->send, a->sends, 1, a->sendtype, FACE_IN, &send, &bytes));
  }
  if (is_root && bytes != received)
    return face_fail(comm, MPI_ERR_COUNT, "the root sends %llu bytes and receives %llu of a rank",
                     (unsigned long long)bytes, (unsigned long long)received);
  if (is_root && !in_place)
    FACE_TRY(face_apart(c, send, (char *)recv + (uint64_t)a->root * bytes, bytes, "sendbuf"));
  return face_gather(c, a->root, send, recv, bytes);
}

FACE_DEFINE(int, Gather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Gather");
  const struct face_args a = EVEN_ARGS(root);
  return face_collective(face_run_gather, &a, comm, NULL);
}

FACE_DEFINE(int, Igather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Igather");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = EVEN_ARGS(root);
  return face_collective(face_run_gather, &a, comm, request);
}

int face_run_scatter(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  FACE_TRY(face_root(comm, a->root));
  bool is_root = comm->me == a->root, in_place = is_root && face_in_place(a->recv);
  uint64_t bytes, sent = 0;
  void *send = NULL, *recv;
  if (is_root)
    FACE_TRY(face_call_row(c, a->send, a->sends, (uint64_t)comm->size, a->sendtype, FACE_IN, &send,
                           &sent));
  if (in_place) {
    bytes = sent;
    recv = (char *)send + (uint64_t)a->root * bytes;
  } else {
    FACE_TRY(face_call_row(c, a->recv, a->recvs, 1, a->recvtype, FACE_OUT, &recv, &bytes));
  }
  if (is_root && bytes != sent)
    return face_fail(comm, MPI_ERR_COUNT, "the root receives %llu bytes and sends %llu to a rank",
                     (unsigned long long)bytes, (unsigned long long)sent);
  if (is_root && !in_place)
    FACE_TRY(face_apart(c, (char *)send + (uint64_t)a->root * bytes, recv, bytes, "recvbuf"));
  eyot_tunit_t from = face_unit(comm, a->root);
  if (face_ordered(comm)) return FACE_RUN(c, scatter, comm->team, from, send, recv, bytes);
  struct face_blocks b = {NULL, NULL};
  if (is_root) FACE_TRY(face_blocks_even(c, bytes, &b));
  return FACE_RUN(c, scatterv, comm->team, from, send, b.sizes, b.at, recv, bytes);
}

FACE_DEFINE(int, Scatter,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Scatter");
  const struct face_args a = EVEN_ARGS(root);
  return face_collective(face_run_scatter, &a, comm, NULL);
}

FACE_DEFINE(int, Iscatter,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iscatter");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = EVEN_ARGS(root);
  return face_collective(face_run_scatter, &a, comm, request);
}

/* -- allgather and alltoall -------------------------------------------------------------------- */

int face_allgather(struct face_call *c, const void *send, void *recv, uint64_t bytes) {
  struct eyot_mpi_comm *comm = c->comm;
  if (face_ordered(comm)) return FACE_RUN(c, allgather, comm->team, send, recv, bytes);
  struct face_blocks b;
  FACE_TRY(face_blocks_even(c, bytes, &b));
  return FACE_RUN(c, allgatherv, comm->team, send, recv, b.sizes, b.at);
}

/* The rows of functions in which all send `sent` blocks and receive one of each, of equal bytes;
 * what is sent from the place where it is received is copied, from the block `first` on. */
static int even_rows(struct face_call *c, const struct face_args *a, uint64_t sent, uint64_t first,
                     void **send, void **recv, uint64_t *bytes) {
  uint64_t size = (uint64_t)c->comm->size, mine;
  bool in_place = face_in_place(a->send);
  FACE_TRY(face_call_row(c, a->recv, a->recvs, size, a->recvtype,
                         in_place ? FACE_IN | FACE_OUT : FACE_OUT, recv, bytes));
  if (in_place) return face_call_copy(c, (char *)*recv + first * *bytes, sent * *bytes, send);
  FACE_TRY(face_call_row(c, a->send, a->sends, sent, a->sendtype, FACE_IN, send, &mine));
  if (mine == *bytes)
    return face_apart(c, *send, (char *)*recv + first * *bytes, *bytes, "sendbuf");
  return face_fail(c->comm, MPI_ERR_COUNT,
                   "the caller sends blocks of %llu bytes and receives %llu",
                   (unsigned long long)mine, (unsigned long long)*bytes);
}

int face_run_allgather(struct face_call *c, const struct face_args *a) {
  void *send, *recv;
  uint64_t bytes;
  FACE_TRY(even_rows(c, a, 1, (uint64_t)c->comm->me, &send, &recv, &bytes));
  return face_allgather(c, send, recv, bytes);
}

FACE_DEFINE(int, Allgather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Allgather");
  const struct face_args a = EVEN_ARGS(0);
  return face_collective(face_run_allgather, &a, comm, NULL);
}

FACE_DEFINE(int, Iallgather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Iallgather");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = EVEN_ARGS(0);
  return face_collective(face_run_allgather, &a, comm, request);
}

int face_run_alltoall(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  void *send, *recv;
  uint64_t bytes;
  FACE_TRY(even_rows(c, a, (uint64_t)comm->size, 0, &send, &recv, &bytes));
  if (face_ordered(comm)) return FACE_RUN(c, alltoall, comm->team, send, recv, bytes);
  struct face_blocks b;
  FACE_TRY(face_blocks_even(c, bytes, &b));
  return FACE_RUN(c, alltoallv, comm->team, send, b.sizes, b.at, recv, b.sizes, b.at);
}

FACE_DEFINE(int, Alltoall,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Alltoall");
  const struct face_args a = EVEN_ARGS(0);
  return face_collective(face_run_alltoall, &a, comm, NULL);
}

FACE_DEFINE(int, Ialltoall,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ialltoall");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = EVEN_ARGS(0);
  return face_collective(face_run_alltoall, &a, comm, request);
}
