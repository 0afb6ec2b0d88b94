/* SPDX-License-Identifier: BSD-3-Clause */
/* credits_mpi.c - messages between nodes whose sender uses its credit, and what of MPI they take:
 * a receiver that comes late finds all messages in their order, and credit is given without
 * accumulates and flushes of MPI's.
 *
 *   eyotrun --fabric mpi -n 2 --node-size 1 credits_mpi */
#include <mpi.h>
#include <unistd.h>

#include "programs/api_check.h"

#define MESSAGES 400u /* many times the slots of a ring */
#define LATE_US 20000

static uint64_t rma; /* calls of this process */

/* The fabric's calls come here first. */
int MPI_Accumulate(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint at, int to_n,
                   MPI_Datatype to_type, MPI_Op op, MPI_Win win) {
  rma++;
  return PMPI_Accumulate(from, n, type, rank, at, to_n, to_type, op, win);
}
int MPI_Raccumulate(const void *from, int n, MPI_Datatype type, int rank, MPI_Aint at, int to_n,
                    MPI_Datatype to_type, MPI_Op op, MPI_Win win, MPI_Request *req) {
  rma++;
  return PMPI_Raccumulate(from, n, type, rank, at, to_n, to_type, op, win, req);
}
int MPI_Win_flush(int rank, MPI_Win win) {
  rma++;
  return PMPI_Win_flush(rank, win);
}

static const eyot_tunit_t FIRST = {0}, SECOND = {1};

static void send_all(bool waits) {
  static eyot_msg_t handle[MESSAGES];
  for (uint64_t i = 0; i < MESSAGES; i++) {
    if (waits)
      OK(eyot_send(EYOT_TEAM_ALL, SECOND, 1, &i, sizeof i));
    else
      OK(eyot_send_nb(EYOT_TEAM_ALL, SECOND, 1, &i, sizeof i, &handle[i]));
  }
  if (!waits) OK(eyot_msg_wait_all(handle, MESSAGES, NULL));
}

static void recv_all(bool waits) {
  static eyot_msg_t handle[MESSAGES];
  static uint64_t got[MESSAGES];
  usleep(LATE_US);
  for (uint64_t i = 0; i < MESSAGES; i++) {
    if (waits)
      OK(eyot_recv(EYOT_TEAM_ALL, FIRST, 1, &got[i], sizeof got[i], NULL));
    else
      OK(eyot_recv_nb(EYOT_TEAM_ALL, FIRST, 1, &got[i], sizeof got[i], &handle[i]));
  }
  if (!waits) OK(eyot_msg_wait_all(handle, MESSAGES, NULL));
  for (uint64_t i = 0; i < MESSAGES; i++) CHECK(got[i] == i);
}

/* One way, and a message back. */
static void stream(bool waits) {
  char byte = 0;
  if (eyot_me().id == 0) {
    send_all(waits);
    OK(eyot_recv(EYOT_TEAM_ALL, SECOND, 2, &byte, 1, NULL));
  } else {
    recv_all(waits);
    OK(eyot_send(EYOT_TEAM_ALL, FIRST, 2, &byte, 1));
  }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  for (int i = 0; i < 2; i++) stream(true); /* knocks, which need MPI's atomics, are over */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  const uint64_t before = rma;
  stream(true);
  stream(false);
  CHECK(rma == before);
  return finish();
}
