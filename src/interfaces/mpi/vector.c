/* SPDX-License-Identifier: BSD-3-Clause */
/* vector.c - collectives of the MPI interface whose blocks have several lengths (MPI 4.1, sections
 * 6.5 to 6.8 and 6.12). */
#include "interfaces/mpi/coll.h"

/* -- to and from one rank ---------------------------------------------------------------------- */

static struct face_table sent_table(const struct face_args *a) {
  return (struct face_table){a->send,     a->sendcounts, a->senddispls,
                             a->sendtype, a->sendtypes,  NULL};
}
static struct face_table received_table(const struct face_args *a) {
  return (struct face_table){a->recv,     a->recvcounts, a->recvdispls,
                             a->recvtype, a->recvtypes,  NULL};
}

int face_run_gatherv(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  FACE_TRY(face_root(comm, a->root));
  bool is_root = comm->me == a->root, in_place = is_root && face_in_place(a->send);
  struct face_blocks b = {NULL, NULL};
  const struct face_table t = received_table(a);
  uint64_t bytes = 0;
  void *send, *recv = NULL;
  if (!in_place)
    FACE_TRY(face_call_row(c, a->send, a->sends, 1, a->sendtype, FACE_IN, &send, &bytes));
  if (is_root) FACE_TRY(face_blocks_of(c, &t, in_place ? FACE_IN | FACE_OUT : FACE_OUT, &b, &recv));
  if (is_root) {
    uint32_t me = face_unit(comm, comm->me).id;
    void *own = face_after(recv, (int64_t)b.at[me]);
    if (!in_place) FACE_TRY(face_apart(c, send, own, bytes, "sendbuf"));
    if (in_place) {
      send = own;
      bytes = b.sizes[me];
    }
  }
  return FACE_RUN(c, gatherv, comm->team, face_unit(comm, a->root), send, bytes, recv, b.sizes,
                  b.at);
}

int face_run_scatterv(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  FACE_TRY(face_root(comm, a->root));
  bool is_root = comm->me == a->root, in_place = is_root && face_in_place(a->recv);
  struct face_blocks b = {NULL, NULL};
  const struct face_table t = sent_table(a);
  uint64_t bytes = 0;
  void *recv, *send = NULL;
  if (!in_place)
    FACE_TRY(face_call_row(c, a->recv, a->recvs, 1, a->recvtype, FACE_OUT, &recv, &bytes));
  if (is_root) FACE_TRY(face_blocks_of(c, &t, FACE_IN, &b, &send));
  if (is_root) {
    uint32_t me = face_unit(comm, comm->me).id;
    void *own = face_after(send, (int64_t)b.at[me]);
    if (!in_place) FACE_TRY(face_apart(c, own, recv, bytes, "recvbuf"));
    if (in_place) {
      recv = own;
      bytes = b.sizes[me];
    }
  }
  return FACE_RUN(c, scatterv, comm->team, face_unit(comm, a->root), send, b.sizes, b.at, recv,
                  bytes);
}

/* The arguments of functions of this file, which have MPI's names. */
#define GATHERV_ARGS(root_)                                                               \
  {                                                                                       \
    .send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf,           \
    .recvtype = recvtype, .recvcounts = recvcounts, .recvdispls = displs, .root = (root_) \
  }
#define SCATTERV_ARGS                                                                      \
  {                                                                                        \
    .send = sendbuf, .sendtype = sendtype, .sendcounts = sendcounts, .senddispls = displs, \
    .recv = recvbuf, .recvs = recvcount, .recvtype = recvtype, .root = root                \
  }

FACE_DEFINE(int, Gatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Gatherv");
  const struct face_args a = GATHERV_ARGS(root);
  return face_collective(face_run_gatherv, &a, comm, NULL);
}

FACE_DEFINE(int, Igatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
             MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Igatherv");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = GATHERV_ARGS(root);
  return face_collective(face_run_gatherv, &a, comm, request);
}

FACE_DEFINE(int, Scatterv,
            (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Scatterv");
  const struct face_args a = SCATTERV_ARGS;
  return face_collective(face_run_scatterv, &a, comm, NULL);
}

FACE_DEFINE(int, Iscatterv,
            (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Iscatterv");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = SCATTERV_ARGS;
  return face_collective(face_run_scatterv, &a, comm, request);
}

/* -- between all ------------------------------------------------------------------------------- */

int face_run_allgatherv(struct face_call *c, const struct face_args *a) {
  struct eyot_mpi_comm *comm = c->comm;
  struct face_blocks b;
  const struct face_table t = received_table(a);
  uint64_t bytes = 0;
  void *send = NULL, *recv;
  bool in_place = face_in_place(a->send);
  if (!in_place)
    FACE_TRY(face_call_row(c, a->send, a->sends, 1, a->sendtype, FACE_IN, &send, &bytes));
  FACE_TRY(face_blocks_of(c, &t, in_place ? FACE_IN | FACE_OUT : FACE_OUT, &b, &recv));
  uint32_t me = face_unit(comm, comm->me).id;
  void *own = face_after(recv, (int64_t)b.at[me]);
  if (!in_place && bytes != b.sizes[me])
    return face_fail(comm, MPI_ERR_COUNT,
                     "the caller sends %llu bytes, and recvcounts says %llu for its rank",
                     (unsigned long long)bytes, (unsigned long long)b.sizes[me]);
  if (in_place)
    send = own;
  else
    FACE_TRY(face_apart(c, send, own, bytes, "sendbuf"));
  return FACE_RUN(c, allgatherv, comm->team, send, recv, b.sizes, b.at);
}

FACE_DEFINE(int, Allgatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Allgatherv");
  const struct face_args a = GATHERV_ARGS(0);
  return face_collective(face_run_allgatherv, &a, comm, NULL);
}

FACE_DEFINE(int, Iallgatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Iallgatherv");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = GATHERV_ARGS(0);
  return face_collective(face_run_allgatherv, &a, comm, request);
}

/* What is sent from the place where it is received is copied first. */
int face_run_alltoallv(struct face_call *c, const struct face_args *a) {
  struct face_blocks out, in;
  const struct face_table received = received_table(a);
  const struct face_table sent = face_in_place(a->send) ? received : sent_table(a);
  void *send, *recv;
  FACE_TRY(face_blocks_of(c, &sent, face_in_place(a->send) ? FACE_IN | FACE_COPY : FACE_IN, &out,
                          &send));
  FACE_TRY(face_blocks_of(c, &received, FACE_OUT, &in, &recv));
  uint64_t bytes = 0; /* of blocks that go where they come from, if all do */
  bool same = !face_in_place(a->send);
  for (int r = 0; r < c->comm->size; bytes |= in.sizes[r++])
    same = same && out.sizes[r] == in.sizes[r] && (in.sizes[r] == 0 || out.at[r] == in.at[r]);
  if (same) FACE_TRY(face_apart(c, send, recv, bytes, "sendbuf"));
  return FACE_RUN(c, alltoallv, c->comm->team, send, out.sizes, out.at, recv, in.sizes, in.at);
}

#define ALLTOALLV_ARGS                                                                      \
  {                                                                                         \
    .send = sendbuf, .sendtype = sendtype, .sendcounts = sendcounts, .senddispls = sdispls, \
    .recv = recvbuf, .recvtype = recvtype, .recvcounts = recvcounts, .recvdispls = rdispls  \
  }

FACE_DEFINE(int, Alltoallv,
            (const void *sendbuf, const int sendcounts[], const int sdispls[],
             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
             MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Alltoallv");
  const struct face_args a = ALLTOALLV_ARGS;
  return face_collective(face_run_alltoallv, &a, comm, NULL);
}

FACE_DEFINE(int, Ialltoallv,
            (const void *sendbuf, const int sendcounts[], const int sdispls[],
             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)) {
  FACE_ENTER("MPI_Ialltoallv");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = ALLTOALLV_ARGS;
  return face_collective(face_run_alltoallv, &a, comm, request);
}

int face_run_alltoallw(struct face_call *c, const struct face_args *a) {
  FACE_TRY(face_input(c->comm, "recvtypes", a->recvtypes));
  if (!face_in_place(a->send)) FACE_TRY(face_input(c->comm, "sendtypes", a->sendtypes));
  return face_run_alltoallv(c, a);
}

#define ALLTOALLW_ARGS                                                                        \
  {                                                                                           \
    .send = sendbuf, .sendtypes = sendtypes, .sendcounts = sendcounts, .senddispls = sdispls, \
    .recv = recvbuf, .recvtypes = recvtypes, .recvcounts = recvcounts, .recvdispls = rdispls  \
  }

FACE_DEFINE(int, Alltoallw,
            (const void *sendbuf, const int sendcounts[], const int sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
             const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)) {
  FACE_ENTER("MPI_Alltoallw");
  const struct face_args a = ALLTOALLW_ARGS;
  return face_collective(face_run_alltoallw, &a, comm, NULL);
}

FACE_DEFINE(int, Ialltoallw,
            (const void *sendbuf, const int sendcounts[], const int sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
             const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
             MPI_Request *request)) {
  FACE_ENTER("MPI_Ialltoallw");
  FACE_CHECK_REQUEST(request);
  const struct face_args a = ALLTOALLW_ARGS;
  return face_collective(face_run_alltoallw, &a, comm, request);
}
