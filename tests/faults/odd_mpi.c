/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_mpi.c - an MPI whose reductions give rank 1 another result than the others, as MPICH's do
 * when it fails to allocate the name of an algorithm there: linked into the mpi fabric of
 * tests/odd, in front of the real one. */
#include <mpi.h>
#include <stdint.h>

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *req);
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *req) {
  int me;
  int rc = PMPI_Allreduce(from, to, count, type, op, comm);
  *req = MPI_REQUEST_NULL;
  if (rc == MPI_SUCCESS && type == MPI_UINT64_T && PMPI_Comm_rank(comm, &me) == MPI_SUCCESS &&
      me == 1)
    ((uint64_t *)to)[0]++;
  return rc;
}
