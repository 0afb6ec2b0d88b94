/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c - persistent collectives of the MPI interface (MPI 4.1, sections 6.13 and 8.8): each
 * is a plan of eyot, whose data is packed by each start and unpacked by each completion. */
#include "interfaces/mpi/neighbor.h"

#define FACE_INIT(name, run, fields, ...)                                           \
  FACE_DEFINE(int, name##_init,                                                     \
              (__VA_ARGS__, MPI_Comm comm, MPI_Info info, MPI_Request * request)) { \
    FACE_ENTER("MPI_" #name "_init");                                               \
    const struct face_args a = fields;                                              \
    return face_collective_init(run, &a, comm, info, request);                      \
  }

FACE_DEFINE(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request)) {
  FACE_ENTER("MPI_Barrier_init");
  return face_collective_init(face_run_barrier, NULL, comm, info, request);
}

FACE_INIT(Bcast, face_run_broadcast,
          FACE_FIELDS(.recv = buf, .recvs = count, .recvtype = type, .root = root), void *buf,
          int count, MPI_Datatype type, int root)

/* -- blocks ------------------------------------------------------------------------------------ */

#define EVEN(...)                                                                         \
  FACE_FIELDS(.send = sendbuf, .sends = sendcount, .sendtype = sendtype, .recv = recvbuf, \
              .recvs = recvcount, .recvtype = recvtype __VA_ARGS__)
#define SEND_EVEN const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define RECV_EVEN void *recvbuf, int recvcount, MPI_Datatype recvtype
FACE_INIT(Gather, face_run_gather, EVEN(, .root = root), SEND_EVEN, RECV_EVEN, int root)
FACE_INIT(Scatter, face_run_scatter, EVEN(, .root = root), SEND_EVEN, RECV_EVEN, int root)
FACE_INIT(Allgather, face_run_allgather, EVEN(), SEND_EVEN, RECV_EVEN)
FACE_INIT(Alltoall, face_run_alltoall, EVEN(), SEND_EVEN, RECV_EVEN)

#define SEND_SEVERAL \
  const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype
#define RECV_SEVERAL \
  void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype
#define TO_SEVERAL \
  .send = sendbuf, .sendcounts = sendcounts, .senddispls = sdispls, .sendtype = sendtype
#define FROM_SEVERAL \
  .recv = recvbuf, .recvcounts = recvcounts, .recvdispls = rdispls, .recvtype = recvtype
#define TO_ONE .send = sendbuf, .sends = sendcount, .sendtype = sendtype
#define FROM_ONE .recv = recvbuf, .recvs = recvcount, .recvtype = recvtype
FACE_INIT(Gatherv, face_run_gatherv, FACE_FIELDS(TO_ONE, FROM_SEVERAL, .root = root), SEND_EVEN,
          RECV_SEVERAL, int root)
FACE_INIT(Scatterv, face_run_scatterv, FACE_FIELDS(TO_SEVERAL, FROM_ONE, .root = root),
          SEND_SEVERAL, RECV_EVEN, int root)
FACE_INIT(Allgatherv, face_run_allgatherv, FACE_FIELDS(TO_ONE, FROM_SEVERAL), SEND_EVEN,
          RECV_SEVERAL)
FACE_INIT(Alltoallv, face_run_alltoallv, FACE_FIELDS(TO_SEVERAL, FROM_SEVERAL), SEND_SEVERAL,
          RECV_SEVERAL)
FACE_INIT(Alltoallw, face_run_alltoallw,
          FACE_FIELDS(.send = sendbuf, .sendcounts = sendcounts, .senddispls = sdispls,
                      .sendtypes = sendtypes, .recv = recvbuf, .recvcounts = recvcounts,
                      .recvdispls = rdispls, .recvtypes = recvtypes),
          const void *sendbuf, const int sendcounts[], const int sdispls[],
          const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
          const int rdispls[], const MPI_Datatype recvtypes[])

/* -- reductions -------------------------------------------------------------------------------- */

#define OPERANDS .send = sendbuf, .recv = recvbuf, .recvtype = type, .op = op
#define REDUCED const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op
FACE_INIT(Reduce, face_run_reduce, FACE_FIELDS(OPERANDS, .recvs = count, .root = root), REDUCED,
          int root)
FACE_INIT(Allreduce, face_run_allreduce, FACE_FIELDS(OPERANDS, .recvs = count), REDUCED)
FACE_INIT(Scan, face_run_scan, FACE_FIELDS(OPERANDS, .recvs = count), REDUCED)
FACE_INIT(Exscan, face_run_exscan, FACE_FIELDS(OPERANDS, .recvs = count), REDUCED)
FACE_INIT(Reduce_scatter_block, face_run_reduce_scatter_block,
          FACE_FIELDS(OPERANDS, .recvs = recvcount), const void *sendbuf, void *recvbuf,
          int recvcount, MPI_Datatype type, MPI_Op op)
FACE_INIT(Reduce_scatter, face_run_reduce_scatter, FACE_FIELDS(OPERANDS, .recvcounts = recvcounts),
          const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op)
