/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.h - the neighbourhood collectives of the MPI interface, for their forms, which are in a
 * file each: a program is linked with those that it calls. */
#ifndef INTERFACES_MPI_NEIGHBOR_H
#define INTERFACES_MPI_NEIGHBOR_H

#include "interfaces/mpi/coll.h"

face_collective_fn face_neighbor_allgather, face_neighbor_allgatherv, face_neighbor_alltoall,
    face_neighbor_alltoallv, face_neighbor_alltoallw;

/* X(name, fields of face_args, parameters with MPI's names but the communicator) */
#define FACE_FIELDS(...) \
  { __VA_ARGS__ }
#define FACE_NEIGHBOR_CALLS(X)                                                               \
  X(allgather,                                                                               \
    FACE_FIELDS(.send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf,  \
                .recvs = recvcount, .recvtype = recvtype),                                   \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, \
    MPI_Datatype recvtype)                                                                   \
  X(allgatherv,                                                                              \
    FACE_FIELDS(.send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf,  \
                .recvcounts = recvcounts, .recvdispls = displs, .recvtype = recvtype),       \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,                \
    const int recvcounts[], const int displs[], MPI_Datatype recvtype)                       \
  X(alltoall,                                                                                \
    FACE_FIELDS(.send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf,  \
                .recvs = recvcount, .recvtype = recvtype),                                   \
    const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, \
    MPI_Datatype recvtype)                                                                   \
  X(alltoallv,                                                                               \
    FACE_FIELDS(.send = sendbuf, .sendcounts = sendcounts, .senddispls = sdispls,            \
                .sendtype = sendtype, .recv = recvbuf, .recvcounts = recvcounts,             \
                .recvdispls = rdispls, .recvtype = recvtype),                                \
    const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, \
    void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype)       \
  X(alltoallw,                                                                               \
    FACE_FIELDS(.send = sendbuf, .sendcounts = sendcounts, .sendplaces = sdispls,            \
                .sendtypes = sendtypes, .recv = recvbuf, .recvcounts = recvcounts,           \
                .recvplaces = rdispls, .recvtypes = recvtypes),                              \
    const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],                   \
    const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],                   \
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[])

#endif
