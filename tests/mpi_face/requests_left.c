/* SPDX-License-Identifier: BSD-3-Clause */
/* requests_left.c - requests that are never completed: MPI_Finalize names each once, with its call,
 * line, peer and tag, also those that were complete when their call returned, and the run's code is
 * 0. A reduction that is left calls its function, and reads its datatype and its packed operands,
 * until the library has ended. Rank 0 prints ok. */
#include <mpi.h>
#include <stdio.h>

static char many[200000];

/* Of pairs of integers with a gap between them. */
static void add(void *in, void *inout, int *len, MPI_Datatype *type) {
  const int *from = in;
  int *to = inout;
  (void)type;
  for (int i = 0; i < 3 * *len; i++)
    if (i % 3 != 1) to[i] += from[i];
}

static void leave_reduction(void) {
  static int from[6] = {1, 2, 3, 4, 5, 6}, to[6];
  MPI_Datatype pair;
  MPI_Op op;
  MPI_Request r;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(from, to, 2, pair, op, MPI_COMM_WORLD, &r);
}

static void leave(int rank) {
  static int value, got[4];
  MPI_Request r;
  if (rank == 0) {
    MPI_Isend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r);
    MPI_Isend(many, (int)sizeof many, MPI_CHAR, 1, 9, MPI_COMM_WORLD, &r);
    return;
  }
  MPI_Recv(&got[0], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(&got[1], 1, MPI_INT, 0, 77, MPI_COMM_WORLD, &r);
  MPI_Irecv(&got[2], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &r);
  MPI_Irecv(&got[3], 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &r);
  MPI_Recv_init(&got[3], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &r);
  MPI_Ibarrier(MPI_COMM_SELF, &r);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Request done[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++)
    MPI_Isend(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &done[i]);
  MPI_Waitall(3, done, MPI_STATUSES_IGNORE); /* their places are used again */
  leave(rank);
  leave_reduction();
  MPI_Finalize();
  if (rank == 0) printf("ok\n");
  return 0;
}
