/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - point-to-point semantics of the MPI interface: order, wildcards, statuses,
 * truncation, probes, requests, communicators that do not mix. For two ranks or more; all ranks
 * send to rank 0, or to the next one of the ring. */
#include "mpi_face/check.h"

enum { MANY = 6, LONG = 5000 };

static int next(void) {
  return (me + 1) % n_ranks;
}
static int previous(void) {
  return (me + n_ranks - 1) % n_ranks;
}

/* Messages of one sender with one tag come in order, to receives with and without wildcards. */
static void order(void) {
  int got[MANY], sent[MANY];
  MPI_Request requests[2 * MANY];
  MPI_Status statuses[2 * MANY];
  for (int i = 0; i < MANY; i++)
    MUST(MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : previous(),
                   i % 3 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD, &requests[i]));
  for (int i = 0; i < MANY; i++) {
    sent[i] = 100 * me + i;
    MUST(MPI_Isend(&sent[i], 1, MPI_INT, next(), 5, MPI_COMM_WORLD, &requests[MANY + i]));
  }
  MUST(MPI_Waitall(2 * MANY, requests, statuses));
  for (int i = 0; i < MANY; i++) {
    int count;
    MUST(MPI_Get_count(&statuses[i], MPI_INT, &count));
    CHECK(got[i] == 100 * previous() + i && statuses[i].MPI_SOURCE == previous());
    CHECK(statuses[i].MPI_TAG == 5 && count == 1 && requests[i] == MPI_REQUEST_NULL);
  }
  MUST(MPI_Barrier(MPI_COMM_WORLD)); /* the wildcards above see no later message */
}

/* The tag chooses, whatever came first; lengths are those of the message. */
static void tags(void) {
  char first[3] = "ab", second[2] = "c", in[8] = "";
  MPI_Request requests[2];
  MPI_Status status;
  int count;
  MUST(MPI_Isend(first, 3, MPI_CHAR, next(), 1, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Isend(second, 2, MPI_CHAR, next(), 2, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Recv(in, 8, MPI_CHAR, previous(), 2, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, MPI_CHAR, &count));
  CHECK(strcmp(in, "c") == 0 && count == 2 && status.MPI_TAG == 2);
  MUST(MPI_Recv(in, 8, MPI_CHAR, previous(), 1, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, MPI_SHORT, &count));
  CHECK(strcmp(in, "ab") == 0 && count == MPI_UNDEFINED);
  MUST(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
}

/* Equal ranks and tags in two communicators: each receive gets its communicator's message. */
static void communicators(void) {
  MPI_Comm other, turned;
  int a = me, b = 1000 + me, c = 2000 + me, in = -1, rank, relation;
  MPI_Request requests[3];
  MPI_Status status;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned));
  MUST(MPI_Comm_rank(turned, &rank));
  CHECK(rank == n_ranks - 1 - me);
  MUST(MPI_Comm_compare(MPI_COMM_WORLD, other, &relation));
  CHECK(relation == MPI_CONGRUENT);
  MUST(MPI_Comm_compare(other, turned, &relation));
  CHECK(relation == (n_ranks > 1 ? MPI_SIMILAR : MPI_CONGRUENT));
  MUST(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &relation));
  CHECK(relation == (n_ranks > 1 ? MPI_UNEQUAL : MPI_CONGRUENT));
  MUST(MPI_Isend(&a, 1, MPI_INT, next(), 3, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Isend(&b, 1, MPI_INT, next(), 3, other, &requests[1]));
  MUST(MPI_Isend(&c, 1, MPI_INT, (rank + 1) % n_ranks, 3, turned, &requests[2]));
  MUST(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, turned, &status));
  CHECK(in == 2000 + next() && status.MPI_SOURCE == (rank + n_ranks - 1) % n_ranks);
  MUST(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &status));
  CHECK(in == 1000 + previous() && status.MPI_SOURCE == previous());
  MUST(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  CHECK(in == previous());
  MUST(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  MUST(MPI_Comm_free(&turned));
  MUST(MPI_Comm_free(&other));
  CHECK(other == MPI_COMM_NULL);
  MUST(MPI_Sendrecv(&a, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status));
  CHECK(in == me && status.MPI_SOURCE == 0);
}

/* A message that is too long is an error of the receive, and fills the buffer. */
static void truncation(void) {
  int out[3] = {me, me + 1, me + 2}, in[3] = {-1, -1, -1}, count;
  MPI_Request request;
  MPI_Status status;
  MPI_Errhandler handler;
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  MUST(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler));
  CHECK(handler == MPI_ERRORS_RETURN);
  MUST(MPI_Isend(out, 3, MPI_INT, next(), 4, MPI_COMM_WORLD, &request));
  CHECK(MPI_Recv(in, 2, MPI_INT, previous(), 4, MPI_COMM_WORLD, &status) == MPI_ERR_TRUNCATE);
  MUST(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(in[0] == previous() && in[1] == previous() + 1 && in[2] == -1 && count == 2);
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(MPI_Send(out, -1, MPI_INT, next(), 4, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send(out, 1, MPI_INT, n_ranks, 4, MPI_COMM_WORLD) == MPI_ERR_RANK);
  CHECK(MPI_Send(out, 1, MPI_INT, next(), -4, MPI_COMM_WORLD) == MPI_ERR_TAG);
  MUST(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* A probe describes the message that a receive gets; a matched one is out of the others' way. */
static void probes(void) {
  int out[2] = {10 * me, 10 * me + 1}, in[2] = {-1, -1}, count, flag = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request requests[3];
  MPI_Status status;
  MUST(MPI_Isend(out, 2, MPI_INT, next(), 6, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Isend(out + 1, 1, MPI_INT, next(), 6, MPI_COMM_WORLD, &requests[1]));
  MUST(MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, MPI_INT, &count));
  CHECK(status.MPI_SOURCE == previous() && status.MPI_TAG == 6 && count == 2);
  MUST(MPI_Mprobe(previous(), MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
  MUST(MPI_Recv(in, 1, MPI_INT, previous(), 6, MPI_COMM_WORLD, &status)); /* the second one */
  CHECK(in[0] == 10 * previous() + 1);
  MUST(MPI_Imrecv(in, 2, MPI_INT, &message, &requests[2]));
  CHECK(message == MPI_MESSAGE_NULL);
  MUST(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
  CHECK(in[0] == 10 * previous() && in[1] == 10 * previous() + 1);
  MUST(MPI_Barrier(MPI_COMM_WORLD));
  MUST(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status));
  CHECK(!flag);
  MUST(MPI_Barrier(MPI_COMM_WORLD)); /* no rank has sent the next messages yet */
}

/* Each of several requests is completed once, by any way. */
static void requests_of_any(void) {
  int in[4], out = me, n = 0, seen = 0, indices[4], index;
  MPI_Request requests[4], send[4];
  MPI_Status statuses[4];
  for (int i = 0; i < 4; i++) {
    MUST(MPI_Irecv(&in[i], 1, MPI_INT, previous(), i, MPI_COMM_WORLD, &requests[i]));
    MUST(MPI_Issend(&out, 1, MPI_INT, next(), 3 - i, MPI_COMM_WORLD, &send[i]));
  }
  MUST(MPI_Waitany(4, requests, &index, &statuses[0]));
  CHECK(index >= 0 && index < 4 && statuses[0].MPI_TAG == index);
  seen |= 1 << index;
  while (seen != 15) {
    MUST(MPI_Waitsome(4, requests, &n, indices, statuses));
    CHECK(n >= 1);
    for (int i = 0; i < n; i++) {
      CHECK((seen >> indices[i] & 1) == 0 && statuses[i].MPI_TAG == indices[i]);
      seen |= 1 << indices[i];
    }
    if (n < 1) break;
  }
  MUST(MPI_Waitsome(4, requests, &n, indices, statuses));
  CHECK(n == MPI_UNDEFINED);
  for (int done = 0; !done;) MUST(MPI_Testall(4, send, &done, MPI_STATUSES_IGNORE));
  CHECK(send[0] == MPI_REQUEST_NULL && in[0] == previous() && in[3] == previous());
  MUST(MPI_Waitany(4, requests, &index, statuses));
  CHECK(index == MPI_UNDEFINED);
}

/* Persistent requests, MPI_PROC_NULL, cancelled receives, requests that are let go. */
static void others(void) {
  int in = -1, out = 0, flag = 0;
  MPI_Request requests[2], request;
  MPI_Status status;
  MUST(MPI_Send_init(&out, 1, MPI_INT, next(), 8, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Recv_init(&in, 1, MPI_INT, previous(), 8, MPI_COMM_WORLD, &requests[1]));
  for (int i = 0; i < 3; i++) {
    out = 10 * me + i;
    MUST(MPI_Startall(2, requests));
    MUST(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(in == 10 * previous() + i && requests[1] != MPI_REQUEST_NULL);
  }
  MUST(MPI_Request_free(&requests[0]));
  MUST(MPI_Request_free(&requests[1]));
  MUST(MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MUST(MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
  MUST(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request));
  MUST(MPI_Cancel(&request));
  MUST(MPI_Wait(&request, &status));
  MUST(MPI_Test_cancelled(&status, &flag));
  CHECK(flag && request == MPI_REQUEST_NULL);
  out = me;
  MUST(MPI_Sendrecv_replace(&out, 1, MPI_INT, next(), 9, previous(), 9, MPI_COMM_WORLD, &status));
  CHECK(out == previous());
  MUST(MPI_Isend(&me, 1, MPI_INT, next(), 11, MPI_COMM_WORLD, &request));
  MUST(MPI_Request_free(&request));
  MUST(MPI_Recv(&in, 1, MPI_INT, previous(), 11, MPI_COMM_WORLD, &status));
  CHECK(in == previous());
}

/* Messages that are longer than what a send may leave behind. */
static void long_ones(void) {
  static double out[LONG], in[LONG];
  MPI_Datatype three;
  MPI_Status status;
  int count, elements, size;
  for (int i = 0; i < LONG; i++) out[i] = me + i * 0.5;
  MUST(MPI_Type_contiguous(4, MPI_DOUBLE, &three));
  MUST(MPI_Type_commit(&three));
  MUST(MPI_Type_size(three, &size));
  MUST(MPI_Sendrecv(out, LONG - 1, MPI_DOUBLE, next(), 2, in, LONG / 4, three, previous(), 2,
                    MPI_COMM_WORLD, &status));
  MUST(MPI_Get_count(&status, three, &count));
  MUST(MPI_Get_elements(&status, three, &elements));
  CHECK(size == 32 && count == MPI_UNDEFINED && elements == LONG - 1);
  CHECK(in[0] == previous() && in[LONG - 2] == previous() + (LONG - 2) * 0.5);
  MUST(MPI_Type_free(&three));
}

int main(int argc, char **argv) {
  begin();
  order();
  tags();
  communicators();
  if (argc < 2 || strcmp(argv[1], "strict") != 0) truncation(); /* a logged error */
  probes();
  requests_of_any();
  others();
  long_ones();
  return finish();
}
