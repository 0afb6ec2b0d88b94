/* SPDX-License-Identifier: BSD-3-Clause */
/* starts.c - the start of a collective that does not block is local: each rank starts it after the
 * rank before has, and lets the next one go only then. So no start may wait for a later rank: each
 * function on a new communicator, with short blocks, then with long ones, which need more memory;
 * and on two communicators in different orders. Results are verified. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_face/check.h"

static int rank, size, n; /* n: elements of a block */
static int *in, *out, *counts, *places, *bytes, *byte_places;
static MPI_Datatype *types;

/* Element k of the block from one rank to another. */
static int element(int from, int to, int k) {
  return from * 1000 + to * 10 + k % 7;
}
static int sum_of(int to, int k, int first, int end) {
  int all = 0;
  for (int r = first; r < end; r++) all += element(r, to, k);
  return all;
}

static void fill(void) {
  for (int to = 0; to < size; to++)
    for (int k = 0; k < n; k++) in[to * n + k] = element(rank, to, k);
  memset(out, 0xff, sizeof(int) * (size_t)n * (size_t)size);
}

/* Blocks `first` to end - 1 of `out` are those of ranks first to end - 1 to rank `to`. */
static int holds(int first, int end, int to) {
  for (int r = first; r < end; r++)
    for (int k = 0; k < n; k++)
      if (out[(r - first) * n + k] != element(r, to, k)) return 0;
  return 1;
}
static int holds_sum(int to, int first, int end) {
  for (int k = 0; k < n; k++)
    if (out[k] != sum_of(to, k, first, end)) return 0;
  return 1;
}

#define FUNCTIONS(X)                                                                               \
  X(bcast, MPI_Ibcast(rank == 1 % size ? in : out, n, MPI_INT, 1 % size, c, q),                    \
    rank == 1 % size || holds(1 % size, 1 % size + 1, 0))                                          \
  X(reduce, MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, 0, c, q),                                    \
    rank != 0 || holds_sum(0, 0, size))                                                            \
  X(allreduce, MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, c, q), holds_sum(0, 0, size))          \
  X(gather, MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, 0, c, q), rank != 0 || holds(0, size, 0)) \
  X(gatherv, MPI_Igatherv(in, n, MPI_INT, out, counts, places, MPI_INT, 0, c, q),                  \
    rank != 0 || holds(0, size, 0))                                                                \
  X(scatter, MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, 0, c, q), holds(0, 1, rank))            \
  X(scatterv, MPI_Iscatterv(in, counts, places, MPI_INT, out, n, MPI_INT, 0, c, q),                \
    holds(0, 1, rank))                                                                             \
  X(allgather, MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, c, q), holds(0, size, 0))           \
  X(allgatherv, MPI_Iallgatherv(in, n, MPI_INT, out, counts, places, MPI_INT, c, q),               \
    holds(0, size, 0))                                                                             \
  X(alltoall, MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, c, q), holds(0, size, rank))          \
  X(alltoallv, MPI_Ialltoallv(in, counts, places, MPI_INT, out, counts, places, MPI_INT, c, q),    \
    holds(0, size, rank))                                                                          \
  X(alltoallw,                                                                                     \
    MPI_Ialltoallw(in, counts, byte_places, types, out, counts, byte_places, types, c, q),         \
    holds(0, size, rank))                                                                          \
  X(reduce_scatter, MPI_Ireduce_scatter(in, out, counts, MPI_INT, MPI_SUM, c, q),                  \
    holds_sum(rank, 0, size))                                                                      \
  X(reduce_scatter_block, MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, c, q),           \
    holds_sum(rank, 0, size))                                                                      \
  X(scan, MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, c, q), holds_sum(0, 0, rank + 1))                \
  X(exscan, MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, c, q), rank == 0 || holds_sum(0, 0, rank))

#define DEFINE(name, call, right)                        \
  static void start_##name(MPI_Comm c, MPI_Request *q) { \
    fill();                                              \
    MUST(call);                                          \
  }                                                      \
  static int right_##name(void) {                        \
    return right;                                        \
  }
FUNCTIONS(DEFINE)

static const struct {
  void (*start)(MPI_Comm c, MPI_Request *q);
  int (*right)(void);
} FUNCTION[] = {
#define ROW(name, call, right) {start_##name, right_##name},
    FUNCTIONS(ROW)};
enum { NFUNCTIONS = sizeof FUNCTION / sizeof FUNCTION[0] };

/* The rank before has started what this one is about to start. */
static void after_the_rank_before(void) {
  int word;
  if (rank > 0) MUST(MPI_Recv(&word, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}
static void let_the_next_one(void) {
  if (rank + 1 < size) MUST(MPI_Send(&rank, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD));
}

static void one(MPI_Comm comm, int f, int elements, int tests) {
  MPI_Request q;
  int done = 0;
  n = elements;
  for (int r = 0; r < size; r++) {
    counts[r] = n;
    places[r] = r * n;
    bytes[r] = n * (int)sizeof(int);
    byte_places[r] = r * bytes[r];
  }
  after_the_rank_before();
  FUNCTION[f].start(comm, &q);
  let_the_next_one();
  while (tests && !done) MUST(MPI_Test(&q, &done, MPI_STATUS_IGNORE));
  if (!tests) MUST(MPI_Wait(&q, MPI_STATUS_IGNORE));
  CHECK(FUNCTION[f].right());
}

/* Short, long, and short again, of a new communicator; or long at once. */
static void each_function(int from, int to, int elements) {
  for (int f = from; f < to; f++) {
    MPI_Comm comm;
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (f % 2 == 0) one(comm, f, 1, f % 3 == 0);
    one(comm, f, elements, f % 3 == 1);
    one(comm, (f + 1) % NFUNCTIONS, 3, 0);
    MUST(MPI_Comm_free(&comm));
  }
}

/* The first collectives with neighbours of a grid, of its copy and of the copy of a graph; all in
 * one ring, with blocks of n elements to the rank before and the one after. */
static void neighbours(int elements) {
  MPI_Comm ring, comms[4];
  MPI_Request q[3];
  int before = (rank + size - 1) % size, after = (rank + 1) % size, two[2] = {before, after};
  int *got = malloc(2 * (size_t)elements * sizeof *got), *row = malloc(sizeof *row * 8);
  MUST(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size}, (int[]){1}, 0, &comms[0]));
  MUST(MPI_Comm_dup(comms[0], &comms[1]));
  MUST(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, two, MPI_UNWEIGHTED, 2, two,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring));
  MUST(MPI_Comm_dup(ring, &comms[2]));
  MUST(MPI_Cart_sub(comms[0], (int[]){1}, &comms[3]));
  n = elements;
  fill();
  for (int i = 0; i < 4; i++) {
    after_the_rank_before();
    MUST(MPI_Ineighbor_allgather(in, n, MPI_INT, got, n, MPI_INT, comms[i], &q[0]));
    MUST(MPI_Ineighbor_alltoall(two, 1, MPI_INT, row, 1, MPI_INT, comms[i], &q[1]));
    MUST(MPI_Ineighbor_alltoall(two, 1, MPI_INT, row + 2, 1, MPI_INT, comms[i], &q[2]));
    let_the_next_one();
    MUST(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
    for (int k = 0; k < n; k++)
      CHECK(got[k] == element(before, 0, k) && got[n + k] == element(after, 0, k));
    for (int k = 0; k < 4 && size > 2; k++) CHECK(row[k] == rank);
    MUST(MPI_Comm_free(&comms[i]));
  }
  MUST(MPI_Comm_free(&ring));
  free(got);
  free(row);
}

/* Barriers, all open at the same time, on a new communicator. None is complete before the last rank
 * has started it. */
static void barriers(void) {
  enum { BARRIERS = 5 };
  MPI_Comm comm;
  MPI_Request q[BARRIERS];
  int done, word = 0;
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  after_the_rank_before();
  for (int i = 0; i + 1 < BARRIERS; i++) MUST(MPI_Ibarrier(comm, &q[i]));
  let_the_next_one();
  if (rank == size - 1 && size > 1) /* rank 0 tests the last one before this rank starts it */
    MUST(MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  MUST(MPI_Ibarrier(comm, &q[BARRIERS - 1]));
  for (int i = 0; i < 100 && rank == 0 && size > 1; i++) {
    MUST(MPI_Test(&q[BARRIERS - 1], &done, MPI_STATUS_IGNORE));
    CHECK(!done);
  }
  if (rank == 0 && size > 1) MUST(MPI_Send(&word, 1, MPI_INT, size - 1, 2, MPI_COMM_WORLD));
  for (int i = BARRIERS; i-- > 0;) MUST(MPI_Wait(&q[i], MPI_STATUS_IGNORE));
  MUST(MPI_Comm_free(&comm));
}

/* Many at a time on a new communicator, more than it has channels; one of them long. */
static void many(void) {
  enum { MANY = 9, LONG = 40000 };
  MPI_Comm comm;
  MPI_Request q[MANY];
  int mine[MANY], all[MANY];
  int *a = malloc(LONG * sizeof *a), *b = malloc(LONG * sizeof *b);
  CHECK(a != NULL && b != NULL);
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  for (int k = 0; k < LONG; k++) a[k] = rank + k;
  after_the_rank_before();
  for (int i = 0; i < MANY; i++) {
    mine[i] = rank * i;
    if (i == 5)
      MUST(MPI_Iallreduce(a, b, LONG, MPI_INT, MPI_SUM, comm, &q[i]));
    else
      MUST(MPI_Iallreduce(&mine[i], &all[i], 1, MPI_INT, MPI_SUM, comm, &q[i]));
  }
  let_the_next_one();
  for (int i = MANY; i-- > 0;) MUST(MPI_Wait(&q[i], MPI_STATUS_IGNORE));
  int ranks = size * (size - 1) / 2;
  for (int i = 0; i < MANY; i++) CHECK(i == 5 || all[i] == ranks * i);
  for (int k = 0; k < LONG; k++) CHECK(b[k] == ranks + k * size);
  /* and calls that block right after a start, on a new communicator */
  MPI_Comm other;
  int word = 5, total = 0;
  MUST(MPI_Comm_dup(comm, &other));
  MUST(MPI_Iallreduce(&word, &total, 1, MPI_INT, MPI_SUM, other, &q[0]));
  MUST(MPI_Barrier(other));
  MUST(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
  CHECK(total == 5 * size);
  MUST(MPI_Comm_free(&other));
  MUST(MPI_Comm_dup(comm, &other));
  MUST(MPI_Iallreduce(&word, &total, 1, MPI_INT, MPI_SUM, other, &q[0]));
  MUST(MPI_Bcast(&word, 1, MPI_INT, 0, other));
  MUST(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
  CHECK(total == 5 * size);
  MUST(MPI_Comm_free(&other));
  MUST(MPI_Comm_free(&comm));
  free(a);
  free(b);
}

/* Even ranks start on the first one first, odd ranks on the second. */
static void two_orders(int elements) {
  MPI_Comm comm[2];
  MPI_Request q[2];
  int *row[2], *sum[2], first = rank % 2;
  for (int i = 0; i < 2; i++) {
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]));
    row[i] = malloc((size_t)elements * sizeof(int));
    sum[i] = malloc((size_t)elements * sizeof(int));
    CHECK(row[i] != NULL && sum[i] != NULL);
    for (int k = 0; k < elements; k++) row[i][k] = rank + k + i;
  }
  for (int j = 0; j < 2; j++) {
    int i = j == 0 ? first : !first;
    MUST(MPI_Iallreduce(row[i], sum[i], elements, MPI_INT, MPI_SUM, comm[i], &q[i]));
    if (j == 0 && rank == 0) MUST(MPI_Wait(&q[i], MPI_STATUS_IGNORE));
  }
  for (int i = 0; i < 2; i++) {
    MUST(MPI_Wait(&q[i], MPI_STATUS_IGNORE));
    for (int k = 0; k < elements; k++) CHECK(sum[i][k] == size * (size - 1) / 2 + size * (k + i));
    MUST(MPI_Comm_free(&comm[i]));
    free(row[i]);
    free(sum[i]);
  }
}

int main(int argc, char **argv) {
  begin();
  rank = me;
  MUST(MPI_Comm_size(MPI_COMM_WORLD, &size));
  int elements = argc > 1 ? atoi(argv[1]) : 20000;
  int from = argc > 2 ? atoi(argv[2]) : 0, to = argc > 3 ? atoi(argv[3]) : NFUNCTIONS;
  size_t all = (size_t)elements * (size_t)size;
  in = malloc(all * sizeof(int));
  out = malloc(all * sizeof(int));
  counts = malloc(4 * (size_t)size * sizeof(int));
  types = malloc((size_t)size * sizeof *types);
  CHECK(in != NULL && out != NULL && counts != NULL && types != NULL);
  places = counts + size;
  bytes = places + size;
  byte_places = bytes + size;
  for (int r = 0; r < size; r++) types[r] = MPI_INT;
  each_function(from, to, elements);
  many();
  barriers();
  neighbours(1);
  neighbours(elements);
  two_orders(1);
  two_orders(elements);
  free(in);
  free(out);
  free(counts);
  free(types);
  return finish();
}
