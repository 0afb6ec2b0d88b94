/* SPDX-License-Identifier: BSD-3-Clause */
/* sparse.c - exchanges in which no rank knows who will send to it: MPI_Issend, MPI_Iprobe, and
 * MPI_Ibarrier once the sends are received (T. Hoefler, C. Siebert, A. Lumsdaine, "Scalable
 * Communication Protocols for Dynamic Sparse Data Exchange", 2010, algorithm 2). The start of a
 * barrier must not wait for the others, from a communicator's first call on. */
#include "mpi_face/check.h"

enum { ROUNDS = 5, MOST = 3 };

/* Rank r sends to `links` ranks, which the round decides. */
static int links(int rank, int round) {
  return (rank * 7 + round * 3) % (MOST + 1);
}
static int peer(int rank, int round, int link, int size) {
  return (rank * 5 + round + link * link + 1) % size;
}
static int expected(int rank, int round, int size) {
  int n = 0;
  for (int from = 0; from < size; from++)
    for (int i = 0; i < links(from, round); i++) n += peer(from, round, i, size) == rank;
  return n;
}

static void receive_one(MPI_Comm comm, int round, int *received) {
  MPI_Status status;
  int there = 0, word = -1;
  MUST(MPI_Iprobe(MPI_ANY_SOURCE, round, comm, &there, &status));
  if (!there) return;
  MUST(MPI_Recv(&word, 1, MPI_INT, status.MPI_SOURCE, round, comm, MPI_STATUS_IGNORE));
  CHECK(word == status.MPI_SOURCE * 100 + round);
  ++*received;
}

static void exchange(MPI_Comm comm, int round) {
  int rank, size, received = 0, done = 0, sent = 0, n;
  MPI_Request sends[MOST], barrier = MPI_REQUEST_NULL;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  const int word = rank * 100 + round;
  n = links(rank, round);
  for (int i = 0; i < n; i++)
    MUST(MPI_Issend(&word, 1, MPI_INT, peer(rank, round, i, size), round, comm, &sends[i]));
  while (!done) {
    receive_one(comm, round, &received);
    if (sent) {
      MUST(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
    } else {
      MUST(MPI_Testall(n, sends, &sent, MPI_STATUSES_IGNORE));
      if (sent) MUST(MPI_Ibarrier(comm, &barrier));
    }
  }
  CHECK(received == expected(rank, round, size));
}

/* Several of one communicator under way, beside another collective, waited for in reverse; one that
 * is freed and one that is only looked at. */
static void several(MPI_Comm comm) {
  MPI_Request r[3];
  int word = 7, done = 0;
  for (int i = 0; i < 3; i++) MUST(MPI_Ibarrier(comm, &r[i]));
  MUST(MPI_Bcast(&word, 1, MPI_INT, 0, comm));
  for (int i = 3; i-- > 0;) MUST(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
  MUST(MPI_Ibarrier(comm, &r[0]));
  while (!done) MUST(MPI_Request_get_status(r[0], &done, MPI_STATUS_IGNORE));
  MUST(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
  MUST(MPI_Ibarrier(comm, &r[0]));
  MUST(MPI_Request_free(&r[0]));
  MUST(MPI_Barrier(comm));
}

int main(void) {
  begin();
  MPI_Comm copy, half;
  for (int round = 0; round < ROUNDS; round++) exchange(MPI_COMM_WORLD, round);
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  MUST(MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half));
  exchange(copy, 1);
  exchange(half, 2);
  exchange(half, 3);
  several(copy);
  several(MPI_COMM_SELF);
  MUST(MPI_Comm_free(&half));
  return finish();
}
