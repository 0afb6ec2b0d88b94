/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - collectives of the MPI interface that move blocks of one length. On communicators with
 * an order of their own they are those of several lengths, which say where each block lies. */
#include "interfaces/mpi/coll.h"

#include <stdlib.h>

FACE_DEFINE(int, Barrier, (MPI_Comm comm)) {
  FACE_ENTER("MPI_Barrier");
  FACE_TRY(face_comm(comm));
  return face_check(comm, eyot_barrier(comm->team));
}

FACE_DEFINE(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Bcast");
  uint64_t bytes;
  FACE_TRY(face_root(comm, root));
  FACE_TRY(face_bytes(comm, buf, count, type, &bytes));
  return face_check(comm, eyot_broadcast(comm->team, face_unit(comm, root), buf, bytes));
}

int face_gather(struct eyot_mpi_comm *comm, int root, const void *send, void *recv,
                uint64_t bytes) {
  if (face_ordered(comm))
    return face_check(comm, eyot_gather(comm->team, face_unit(comm, root), send, recv, bytes));
  struct face_blocks b = {NULL, NULL};
  if (comm->me == root) FACE_TRY(face_blocks_even(comm, bytes, &b));
  int rc = eyot_gatherv(comm->team, face_unit(comm, root), send, bytes, recv, b.sizes, b.at);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Gather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Gather");
  FACE_TRY(face_root(comm, root));
  bool in_place = comm->me == root && face_in_place(sendbuf);
  uint64_t bytes, received;
  void *copy = NULL;
  if (comm->me == root) FACE_TRY(face_bytes(comm, recvbuf, recvcount, recvtype, &received));
  if (in_place) {
    bytes = received;
    FACE_TRY(face_copy(comm, (char *)recvbuf + (uint64_t)root * bytes, bytes, &copy));
    sendbuf = copy;
  } else {
    FACE_TRY(face_bytes(comm, sendbuf, sendcount, sendtype, &bytes));
  }
  if (comm->me == root && bytes != received)
    return face_fail(comm, MPI_ERR_COUNT, "the root sends %llu bytes and receives %llu of a rank",
                     (unsigned long long)bytes, (unsigned long long)received);
  int error = face_gather(comm, root, sendbuf, recvbuf, bytes);
  free(copy);
  return error;
}

FACE_DEFINE(int, Scatter,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Scatter");
  FACE_TRY(face_root(comm, root));
  uint64_t bytes, sent;
  if (comm->me == root) FACE_TRY(face_bytes(comm, sendbuf, sendcount, sendtype, &sent));
  if (comm->me == root && face_in_place(recvbuf)) {
    bytes = sent;
    recvbuf = (char *)(uintptr_t)sendbuf + (uint64_t)root * bytes;
  } else {
    FACE_TRY(face_bytes(comm, recvbuf, recvcount, recvtype, &bytes));
  }
  if (comm->me == root && bytes != sent)
    return face_fail(comm, MPI_ERR_COUNT, "the root receives %llu bytes and sends %llu to a rank",
                     (unsigned long long)bytes, (unsigned long long)sent);
  if (face_ordered(comm))
    return face_check(comm,
                      eyot_scatter(comm->team, face_unit(comm, root), sendbuf, recvbuf, bytes));
  struct face_blocks b = {NULL, NULL};
  if (comm->me == root) FACE_TRY(face_blocks_even(comm, bytes, &b));
  int rc = eyot_scatterv(comm->team, face_unit(comm, root), sendbuf, b.sizes, b.at, recvbuf, bytes);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

int face_allgather(struct eyot_mpi_comm *comm, const void *send, void *recv, uint64_t bytes) {
  if (face_ordered(comm)) return face_check(comm, eyot_allgather(comm->team, send, recv, bytes));
  struct face_blocks b;
  FACE_TRY(face_blocks_even(comm, bytes, &b));
  int rc = eyot_allgatherv(comm->team, send, recv, b.sizes, b.at);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

/* The bytes of a block of functions in which all send and receive equal ones. */
static int even_bytes(struct eyot_mpi_comm *comm, const void *sendbuf, int sendcount,
                      struct eyot_mpi_type *sendtype, const void *recvbuf, int recvcount,
                      struct eyot_mpi_type *recvtype, uint64_t *bytes) {
  uint64_t sent;
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_bytes(comm, recvbuf, recvcount, recvtype, bytes));
  if (face_in_place(sendbuf)) return MPI_SUCCESS;
  FACE_TRY(face_bytes(comm, sendbuf, sendcount, sendtype, &sent));
  if (sent == *bytes) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_COUNT, "the caller sends blocks of %llu bytes and receives %llu",
                   (unsigned long long)sent, (unsigned long long)*bytes);
}

FACE_DEFINE(int, Allgather,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Allgather");
  uint64_t bytes;
  FACE_TRY(even_bytes(comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &bytes));
  if (!face_in_place(sendbuf)) return face_allgather(comm, sendbuf, recvbuf, bytes);
  void *copy;
  FACE_TRY(face_copy(comm, (char *)recvbuf + (uint64_t)comm->me * bytes, bytes, &copy));
  int error = face_allgather(comm, copy, recvbuf, bytes);
  free(copy);
  return error;
}

static int alltoall_blocks(struct eyot_mpi_comm *comm, const void *send, void *recv,
                           uint64_t bytes) {
  if (face_ordered(comm)) return face_check(comm, eyot_alltoall(comm->team, send, recv, bytes));
  struct face_blocks b;
  FACE_TRY(face_blocks_even(comm, bytes, &b));
  int rc = eyot_alltoallv(comm->team, send, b.sizes, b.at, recv, b.sizes, b.at);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Alltoall,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Alltoall");
  uint64_t bytes;
  FACE_TRY(even_bytes(comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &bytes));
  if (!face_in_place(sendbuf)) return alltoall_blocks(comm, sendbuf, recvbuf, bytes);
  void *copy;
  FACE_TRY(face_copy(comm, recvbuf, (uint64_t)comm->size * bytes, &copy));
  int error = alltoall_blocks(comm, copy, recvbuf, bytes);
  free(copy);
  return error;
}
