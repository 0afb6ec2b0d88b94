/* SPDX-License-Identifier: BSD-3-Clause */
/* requests_mpi.c - while the unit makes a request of a transfer, its progress thread is outside
 * MPI: Open MPI 4.1 over UCX never reports a request as complete whose transfer another thread
 * completes before the call has returned.
 *
 *   eyotrun --fabric mpi --mpi openmpi -n 2 --node-size 1 --progress thread requests_openmpi */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include "programs/api_check.h"

#define TRANSFERS 100u
#define INSIDE_US 500 /* several naps of the thread */

static pthread_t unit;
static bool inside;            /* the unit is in a call that makes a request */
static uint64_t polls, beside; /* of the thread; those made meanwhile */

/* The fabric's calls come here first. */
static int leave(int rc) {
  usleep(INSIDE_US);
  __atomic_store_n(&inside, false, __ATOMIC_SEQ_CST);
  return rc;
}
int MPI_Rput(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint at, int to_n,
             MPI_Datatype to_type, MPI_Win win, MPI_Request *req) {
  __atomic_store_n(&inside, true, __ATOMIC_SEQ_CST);
  return leave(PMPI_Rput(from, n, type, rank, at, to_n, to_type, win, req));
}
int MPI_Rget(void *to, int n, MPI_Datatype type, int rank, MPI_Aint at, int from_n,
             MPI_Datatype from_type, MPI_Win win, MPI_Request *req) {
  __atomic_store_n(&inside, true, __ATOMIC_SEQ_CST);
  return leave(PMPI_Rget(to, n, type, rank, at, from_n, from_type, win, req));
}
static void count(void) {
  if (pthread_equal(pthread_self(), unit)) return;
  __atomic_fetch_add(&polls, 1, __ATOMIC_RELAXED);
  if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST)) __atomic_fetch_add(&beside, 1, __ATOMIC_RELAXED);
}
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status) {
  count();
  return PMPI_Improbe(source, tag, comm, flag, message, status);
}
int MPI_Test(MPI_Request *req, int *flag, MPI_Status *status) {
  count();
  return PMPI_Test(req, flag, status);
}

int main(int argc, char **argv) {
  unit = pthread_self();
  OK(eyot_init(&argc, &argv));
  const eyot_unit_t other = {1 - eyot_me().id};
  eyot_gptr_t mem;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof(uint64_t), &mem));
  for (uint64_t i = 1; i <= TRANSFERS; i++) {
    uint64_t got = 0;
    eyot_handle_t handle;
    OK(eyot_put_nb(eyot_gptr_at(mem, other), &i, sizeof i, &handle));
    OK(eyot_wait(&handle, EYOT_REMOTE));
    OK(eyot_get_nb(&got, eyot_gptr_at(mem, other), sizeof got, &handle));
    OK(eyot_wait(&handle, EYOT_LOCAL));
    CHECK(got == i);
  }
  CHECK(polls > 0);
  CHECK(beside == 0);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(mem));
  return finish();
}
