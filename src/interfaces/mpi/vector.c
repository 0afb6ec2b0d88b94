/* SPDX-License-Identifier: BSD-3-Clause */
/* vector.c - collectives of the MPI interface whose blocks have several lengths, and the tables of
 * blocks that communicators with an order of their own need. */
#include <stdlib.h>

#include "interfaces/mpi/coll.h"

char eyot_mpi_in_place;

/* -- tables ------------------------------------------------------------------------------------ */

static int blocks_make(const struct eyot_mpi_comm *comm, struct face_blocks *b) {
  size_t n = (size_t)comm->size;
  b->sizes = malloc(n * sizeof *b->sizes);
  b->at = malloc(n * sizeof *b->at);
  if (b->sizes != NULL && b->at != NULL) return MPI_SUCCESS;
  face_blocks_free(b);
  return face_fail(comm, MPI_ERR_NO_MEM, "no memory for the places of %d blocks", comm->size);
}

void face_blocks_free(struct face_blocks *blocks) {
  free(blocks->sizes);
  free(blocks->at);
  *blocks = (struct face_blocks){NULL, NULL};
}

int face_blocks_even(const struct eyot_mpi_comm *comm, uint64_t bytes, struct face_blocks *b) {
  FACE_TRY(blocks_make(comm, b));
  for (int r = 0; r < comm->size; r++) {
    uint32_t unit = face_unit(comm, r).id;
    b->sizes[unit] = bytes;
    b->at[unit] = (uint64_t)r * bytes;
  }
  return MPI_SUCCESS;
}

int face_blocks_of(const struct eyot_mpi_comm *comm, const int *counts, const int *displs,
                   const struct eyot_mpi_type *type, struct face_blocks *b) {
  FACE_TRY(face_type(comm, type));
  FACE_TRY(face_output(comm, "the array of counts", counts));
  FACE_TRY(face_output(comm, "the array of displacements", displs));
  FACE_TRY(blocks_make(comm, b));
  for (int r = 0; r < comm->size; r++) {
    if (counts[r] < 0 || displs[r] < 0) {
      face_blocks_free(b);
      return face_fail(comm, MPI_ERR_COUNT,
                       "the block of rank %d has count %d and displacement %d, expected 0 or more",
                       r, counts[r], displs[r]);
    }
    uint32_t unit = face_unit(comm, r).id;
    b->sizes[unit] = (uint64_t)counts[r] * type->bytes;
    b->at[unit] = (uint64_t)displs[r] * type->bytes;
  }
  return MPI_SUCCESS;
}

/* -- functions --------------------------------------------------------------------------------- */

FACE_DEFINE(int, Gatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
             MPI_Comm comm)) {
  FACE_ENTER("MPI_Gatherv");
  FACE_TRY(face_root(comm, root));
  bool in_place = face_in_place(sendbuf);
  struct face_blocks b = {NULL, NULL};
  uint64_t bytes = 0;
  if (!in_place) FACE_TRY(face_bytes(comm, sendbuf, sendcount, sendtype, &bytes));
  if (comm->me == root) FACE_TRY(face_blocks_of(comm, recvcounts, displs, recvtype, &b));
  eyot_tunit_t me = face_unit(comm, comm->me);
  if (in_place && comm->me == root) {
    sendbuf = (const char *)recvbuf + b.at[me.id];
    bytes = b.sizes[me.id];
  }
  int rc = eyot_gatherv(comm->team, face_unit(comm, root), sendbuf, bytes, recvbuf, b.sizes, b.at);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Scatterv,
            (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  FACE_ENTER("MPI_Scatterv");
  FACE_TRY(face_root(comm, root));
  bool in_place = face_in_place(recvbuf);
  struct face_blocks b = {NULL, NULL};
  uint64_t bytes = 0;
  if (!in_place) FACE_TRY(face_bytes(comm, recvbuf, recvcount, recvtype, &bytes));
  if (comm->me == root) FACE_TRY(face_blocks_of(comm, sendcounts, displs, sendtype, &b));
  eyot_tunit_t me = face_unit(comm, comm->me);
  if (in_place && comm->me == root) {
    recvbuf = (char *)(uintptr_t)sendbuf + b.at[me.id];
    bytes = b.sizes[me.id];
  }
  int rc = eyot_scatterv(comm->team, face_unit(comm, root), sendbuf, b.sizes, b.at, recvbuf, bytes);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Allgatherv,
            (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Allgatherv");
  FACE_TRY(face_comm(comm));
  struct face_blocks b;
  uint64_t bytes = 0;
  if (!face_in_place(sendbuf)) FACE_TRY(face_bytes(comm, sendbuf, sendcount, sendtype, &bytes));
  FACE_TRY(face_blocks_of(comm, recvcounts, displs, recvtype, &b));
  uint32_t me = face_unit(comm, comm->me).id;
  if (face_in_place(sendbuf)) {
    sendbuf = (const char *)recvbuf + b.at[me];
  } else if (bytes != b.sizes[me]) {
    uint64_t expected = b.sizes[me];
    face_blocks_free(&b);
    return face_fail(comm, MPI_ERR_COUNT,
                     "the caller sends %llu bytes, and recvcounts says %llu for its rank",
                     (unsigned long long)bytes, (unsigned long long)expected);
  }
  int rc = eyot_allgatherv(comm->team, sendbuf, recvbuf, b.sizes, b.at);
  face_blocks_free(&b);
  return face_check(comm, rc);
}

FACE_DEFINE(int, Alltoallv,
            (const void *sendbuf, const int sendcounts[], const int sdispls[],
             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[],
             MPI_Datatype recvtype, MPI_Comm comm)) {
  FACE_ENTER("MPI_Alltoallv");
  FACE_TRY(face_comm(comm));
  if (face_in_place(sendbuf))
    return face_fail(comm, MPI_ERR_BUFFER,
                     "sendbuf is MPI_IN_PLACE, which this function does not take: copy the data");
  struct face_blocks out, in;
  FACE_TRY(face_blocks_of(comm, sendcounts, sdispls, sendtype, &out));
  int error = face_blocks_of(comm, recvcounts, rdispls, recvtype, &in);
  if (error == MPI_SUCCESS) {
    int rc = eyot_alltoallv(comm->team, sendbuf, out.sizes, out.at, recvbuf, in.sizes, in.at);
    error = face_check(comm, rc);
    face_blocks_free(&in);
  }
  face_blocks_free(&out);
  return error;
}
