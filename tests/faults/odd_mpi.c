/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_mpi.c - an MPI whose reductions give rank 1 another result than the others, as MPICH's do
 * when it fails to allocate the name of an algorithm there; with ODD_MPI=stuck it does not come
 * back from its start on rank 1 instead. Linked into the mpi fabric of tests/odd, in front of the
 * real one. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided);
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided) {
  const char *how = getenv("ODD_MPI");
  int me, rc = PMPI_Init_thread(argc, argv, wanted, provided);
  if (rc == MPI_SUCCESS && how != NULL && strcmp(how, "stuck") == 0 &&
      PMPI_Comm_rank(MPI_COMM_WORLD, &me) == MPI_SUCCESS && me == 1)
    for (;;) pause();
  return rc;
}

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
