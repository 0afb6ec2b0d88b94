/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_persistent.h - the persistent collectives of mpi.h, as mpi_functions.h. */

/* Persistent collectives (sections 6.13 and 8.8). */
EYOT_MPI_FUNCTION(int, Neighbor_allgather_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Neighbor_allgatherv_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Neighbor_alltoall_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Neighbor_alltoallv_init,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Neighbor_alltoallw_init,
                  (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Bcast_init,
                  (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Gather_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Gatherv_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Scatter_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Scatterv_init,
                  (const void *sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Allgather_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Allgatherv_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Alltoall_init,
                  (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Alltoallv_init,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request))
EYOT_MPI_FUNCTION(int, Alltoallw_init,
                  (const void *sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Reduce_init,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   int root, MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Allreduce_init,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Scan_init,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Exscan_init,
                  (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Reduce_scatter_block_init,
                  (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request))
EYOT_MPI_FUNCTION(int, Reduce_scatter_init,
                  (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request))
