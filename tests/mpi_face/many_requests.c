/* SPDX-License-Identifier: BSD-3-Clause */
/* many_requests.c - many requests, completed by as many calls of MPI_Waitany, MPI_Waitsome and the
 * tests: each one once, with the right bytes, and by a number of calls of eyot and of requests that
 * are read that grows with their number, not with its square.
 *
 * Two ranks; rank 1 sends, one message after another, in an order that both draw. The calls are
 * counted by wrappers that the linker puts in their places. */
#include "interfaces/mpi/face.h"
#include "mpi_face/check.h"

enum { N = 600, EACH = 8, GO = N, SHORT = N + 1 };
enum order { FORWARD, BACKWARD, SHUFFLED, ORDERS };
enum way { WAITANY, WAITSOME, TESTANY, TESTSOME, TESTALL, WAYS };

static uint64_t calls; /* of eyot, for messages */

/* In place of eyot's `name`. */
#define COUNTED(name, parameters, arguments) \
  int __real_##name parameters;              \
  int __wrap_##name parameters {             \
    calls++;                                 \
    return __real_##name arguments;          \
  }                                          \
  int __wrap_##name parameters
COUNTED(eyot_msg_test, (eyot_msg_t * h, bool *d, eyot_msg_status_t *s), (h, d, s));
COUNTED(eyot_msg_wait, (eyot_msg_t * h, eyot_msg_status_t *s), (h, s));
COUNTED(eyot_msg_wait_any, (eyot_msg_t * h, size_t n, size_t *i, eyot_msg_status_t *s),
        (h, n, i, s));
COUNTED(eyot_msg_wait_any_in,
        (void *const *at, size_t n, size_t o, size_t *i, eyot_msg_status_t *s), (at, n, o, i, s));
COUNTED(eyot_msg_test_any_in,
        (void *const *at, size_t n, size_t o, size_t *i, bool *d, eyot_msg_status_t *s),
        (at, n, o, i, d, s));

static int in[2 * N], out[N], left, seen[2 * N];
static MPI_Request requests[2 * N];

static void order_make(enum order order, int tags[N]) {
  uint32_t s = 11;
  for (int i = 0; i < N; i++) tags[i] = order == BACKWARD ? N - 1 - i : i;
  for (int i = N - 1; order == SHUFFLED && i > 0; i--) {
    s = s * 1103515245u + 12345u;
    const int k = (int)(s >> 8) % (i + 1), tag = tags[i];
    tags[i] = tags[k];
    tags[k] = tag;
  }
}

/* Request i is complete. */
static void note(int i, const MPI_Status *status, bool receives) {
  CHECK(i >= 0 && i < 2 * N && seen[i]++ == 0 && requests[i] == MPI_REQUEST_NULL);
  left--;
  if (receives) CHECK(status->MPI_TAG == i && status->MPI_SOURCE == 1 && in[i] == 7 * i);
}

static void complete_some(enum way way, int count) {
  static int indices[2 * N];
  static MPI_Status statuses[2 * N];
  int n = 0;
  MUST(way == WAITSOME ? MPI_Waitsome(count, requests, &n, indices, statuses)
                       : MPI_Testsome(count, requests, &n, indices, statuses));
  CHECK(n > 0 || (n == 0 && way == TESTSOME));
  for (int k = 0; k < n; k++) note(indices[k], &statuses[k], indices[k] < N);
}

/* One call, after a message was sent, or several are there. */
static void complete(enum way way, int count) {
  MPI_Status status;
  int index = -1, done = 1;
  if (way == WAITSOME || way == TESTSOME) {
    complete_some(way, count);
    return;
  }
  if (way == WAITANY)
    MUST(MPI_Waitany(count, requests, &index, &status));
  else if (way == TESTANY)
    MUST(MPI_Testany(count, requests, &index, &done, &status));
  else
    MUST(MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE));
  if (done && way != TESTALL) note(index, &status, index < N);
  if (done && way == TESTALL) left = 0;
}

static void none_is_left(int count) {
  int n = 0, index = 0, done = 0;
  MUST(MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE));
  MUST(MPI_Testsome(count, requests, &n, &index, MPI_STATUSES_IGNORE));
  CHECK(n == MPI_UNDEFINED);
  MUST(MPI_Testany(count, requests, &index, &done, MPI_STATUS_IGNORE));
  CHECK(index == MPI_UNDEFINED && done);
}

/* Rank 0: receives of all tags, and sends to itself if `sends`; one message in each turn. */
static void receive(enum way way, bool sends) {
  const int count = sends ? 2 * N : N;
  int go = 0, tests = 0;
  memset(seen, 0, sizeof seen);
  left = count;
  for (int i = 0; i < N; i++)
    MUST(MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]));
  for (int i = 0; sends && i < N; i++)
    MUST(MPI_Isend(&out[i], 1, MPI_INT, 0, SHORT, MPI_COMM_WORLD, &requests[N + i]));
  const uint64_t calls_before = calls, read_before = face.read;
  for (int k = 0; k < N; k++) {
    MUST(MPI_Send(&go, 1, MPI_INT, 1, GO, MPI_COMM_WORLD));
    MUST(MPI_Recv(&go, 1, MPI_INT, 1, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE)); /* it has come */
    tests++;
    if (left > 0) complete(way, count);
  }
  for (; left > 0 && tests < 4 * N; tests++) complete(way, count);
  CHECK(left == 0);
  CHECK(calls - calls_before < (uint64_t)(tests + count) * 3);
  CHECK(face.read - read_before < (uint64_t)(tests + count) * EACH);
  none_is_left(count);
  for (int i = 0; i < N; i++) CHECK(in[i] == 7 * i);
  for (int i = 0; sends && i < N; i++)
    MUST(MPI_Recv(&in[N + i], 1, MPI_INT, 0, SHORT, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void send(enum order order) {
  int tags[N], go;
  order_make(order, tags);
  for (int i = 0; i < N; i++) {
    const int value = 7 * tags[i];
    MUST(MPI_Recv(&go, 1, MPI_INT, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Send(&value, 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD));
    MUST(MPI_Send(&go, 1, MPI_INT, 0, GO, MPI_COMM_WORLD));
  }
}

/* Collectives among receives: each kind is found. */
static void with_collectives(void) {
  enum { K = 40 };
  int sum[2], one = 1, flag, n = 0;
  for (int i = 0; i < K; i++)
    MUST(MPI_Irecv(&in[i], 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, &requests[i]));
  MUST(MPI_Iallreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[K]));
  MUST(MPI_Ibarrier(MPI_COMM_WORLD, &requests[K + 1]));
  for (int i = 0; i < K; i++) MUST(MPI_Send(&i, 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD));
  memset(seen, 0, sizeof seen);
  for (int index = 0; index != MPI_UNDEFINED && n <= K + 2; n += index != MPI_UNDEFINED) {
    MUST(MPI_Waitany(K + 2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == MPI_UNDEFINED || (index >= 0 && index < K + 2 && seen[index]++ == 0));
  }
  CHECK(n == K + 2 && sum[0] == 2);
  for (int i = 0; i < K; i++) CHECK(in[i] == i);
  MUST(MPI_Iallreduce(&one, &sum[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]));
  MUST(MPI_Irecv(&in[0], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]));
  do MUST(MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE));
  while (!flag);
  CHECK(sum[1] == 2 && requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

/* A barrier ends while a receive beside it waits for what the barrier's end leads to. */
static void collective_first(void) {
  int index = -1, word = me;
  if (me == 0) MUST(MPI_Irecv(&in[0], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[0]));
  if (me == 0) MUST(MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
  if (me == 1) MUST(MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  MUST(MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]));
  if (me == 0) {
    MUST(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == 1);
    MUST(MPI_Send(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD));
    MUST(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE));
    CHECK(index == 0);
  } else {
    MUST(MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MUST(MPI_Send(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
    MUST(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  }
}

/* With an argument, a few ways alone: each turn is a round trip. */
int main(int argc, char **argv) {
  const bool few = argc > 1;
  (void)argv;
  begin();
  for (int order = few ? SHUFFLED : FORWARD; order < ORDERS; order++)
    for (int way = 0; way < WAYS; way += few ? TESTALL : 1)
      for (int sends = 0; sends < (few ? 1 : 2); sends++) {
        if (me == 0)
          receive((enum way)way, sends != 0);
        else
          send((enum order)order);
      }
  with_collectives();
  collective_first();
  return finish();
}
