/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c - persistent collectives, each started several times with other data, against the
 * blocking form: of integers in a row and with gaps, in place, with an operator that does not
 * commute, on MPI_COMM_WORLD and with ranks turned round. Starts wait for nobody. */
#include "mpi_face/check.h"

enum { RANKS_MAX = 16, WIDTH = 3, SPACE = 2 * WIDTH * RANKS_MAX, ROUNDS = 3 };
static MPI_Comm comm;
static int rank, size, counts[RANKS_MAX], places[RANKS_MAX], bytes[RANKS_MAX];
static int in[SPACE], out[SPACE], want[SPACE];
static MPI_Datatype type, types[RANKS_MAX];
static MPI_Op op;

/* Associative, and does not commute: left OP right is right. */
static void keep_last(void *left, void *right, int *n, MPI_Datatype *of) {
  (void)left, (void)right, (void)n, (void)of;
}

static void fill(int round) {
  for (int i = 0; i < SPACE; i++) {
    in[i] = 1000 * rank + 10 * i + round;
    out[i] = want[i] = -1 - round;
  }
}

#define CALLS(X)                                                            \
  X(Bcast, (rank == 0 ? in : to, WIDTH, type, 0, comm))                     \
  X(Gather, (in, WIDTH, type, to, WIDTH, type, 1 % size, comm))             \
  X(Gatherv, (in, WIDTH, type, to, counts, places, type, 0, comm))          \
  X(Scatter, (in, WIDTH, type, to, WIDTH, type, 0, comm))                   \
  X(Scatterv, (in, counts, places, type, to, WIDTH, type, 1 % size, comm))  \
  X(Allgather, (in, WIDTH, type, to, WIDTH, type, comm))                    \
  X(Allgatherv, (in, WIDTH, type, to, counts, places, type, comm))          \
  X(Alltoall, (in, WIDTH, type, to, WIDTH, type, comm))                     \
  X(Alltoallv, (in, counts, places, type, to, counts, places, type, comm))  \
  X(Alltoallw, (in, counts, bytes, types, to, counts, bytes, types, comm))  \
  X(Reduce, (in, to, WIDTH, type, op, 0, comm))                             \
  X(Allreduce, (in, to, WIDTH, type, op, comm))                             \
  X(Scan, (in, to, WIDTH, type, op, comm))                                  \
  X(Exscan, (in, to, WIDTH, type, op, comm))                                \
  X(Reduce_scatter_block, (in, to, WIDTH, type, op, comm))                  \
  X(Reduce_scatter, (in, to, counts, type, op, comm))                       \
  X(Allgather, (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, WIDTH, type, comm)) \
  X(Alltoall, (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, WIDTH, type, comm))  \
  X(Allreduce, (MPI_IN_PLACE, to, WIDTH, type, op, comm))                   \
  X(Reduce_scatter_block, (MPI_IN_PLACE, to, WIDTH, type, op, comm))

static void compare(const char *name, int round) {
  if (memcmp(out, want, sizeof out) == 0) return;
  if (failures++ < 10)
    fprintf(stderr, "rank %d of %d: MPI_%s_init, round %d: differs\n", rank, size, name, round);
}

/* Ranks start one after the other, so that no start may wait for a later one. */
static void start_in_turn(MPI_Request *q) {
  int word;
  if (rank > 0) MUST(MPI_Recv(&word, 1, MPI_INT, rank - 1, 1, comm, MPI_STATUS_IGNORE));
  MUST(MPI_Start(q));
  if (rank + 1 < size) MUST(MPI_Send(&rank, 1, MPI_INT, rank + 1, 1, comm));
}

#define ARGS(...) __VA_ARGS__
#define INIT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &q)
#define INIT_OF(name, args) INIT(name, ARGS args)
/* One call: made once, then started and completed; q is kept from one start to the next. */
#define ONE(name, args)                                                      \
  do {                                                                       \
    MPI_Request q;                                                           \
    int *to = out, done = 0;                                                 \
    MUST(INIT_OF(name, args));                                               \
    MUST(MPI_Test(&q, &done, MPI_STATUS_IGNORE));                            \
    CHECK(done &&q != MPI_REQUEST_NULL);                                     \
    for (int round = 0; round < ROUNDS; round++) {                           \
      fill(round);                                                           \
      to = want;                                                             \
      MUST(MPI_##name args);                                                 \
      to = out;                                                              \
      start_in_turn(&q);                                                     \
      if (round % 2 == 0) {                                                  \
        MUST(MPI_Wait(&q, MPI_STATUS_IGNORE));                               \
      } else {                                                               \
        for (done = 0; !done;) MUST(MPI_Test(&q, &done, MPI_STATUS_IGNORE)); \
      }                                                                      \
      compare(#name, round);                                                 \
    }                                                                        \
    MUST(MPI_Request_free(&q));                                              \
    CHECK(q == MPI_REQUEST_NULL);                                            \
  } while (0);

static void all_calls(MPI_Comm of, MPI_Datatype element, MPI_Op operator) {
  MPI_Aint lb, extent;
  comm = of;
  type = element;
  op = operator;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  MUST(MPI_Type_get_extent(type, &lb, &extent));
  for (int r = 0; r < size; r++) {
    counts[r] = WIDTH;
    places[r] = r * WIDTH;
    bytes[r] = places[r] * (int)extent;
    types[r] = type;
  }
  CALLS(ONE)
}

/* Two at a time, with barriers and neighbours, started by one call. */
static void several(void) {
  MPI_Comm ring;
  MPI_Request q[3];
  int mine, sum, around[2];
  MUST(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){n_ranks}, (int[]){1}, 0, &ring));
  MUST(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]));
  MUST(MPI_Allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]));
  MUST(MPI_Neighbor_allgather_init(&mine, 1, MPI_INT, around, 1, MPI_INT, ring, MPI_INFO_NULL,
                                   &q[2]));
  for (int round = 0; round < ROUNDS; round++) {
    mine = me + round;
    MUST(MPI_Startall(3, q));
    MUST(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
    CHECK(sum == n_ranks * (n_ranks - 1) / 2 + n_ranks * round);
    CHECK(around[0] == (me + n_ranks - 1) % n_ranks + round);
    CHECK(around[1] == (me + 1) % n_ranks + round);
  }
  for (int i = 0; i < 3; i++) MUST(MPI_Request_free(&q[i]));
  MUST(MPI_Comm_free(&ring));
}

int main(void) {
  MPI_Comm turned;
  MPI_Datatype gaps;
  MPI_Op right;
  begin();
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned));
  MUST(MPI_Type_create_resized(MPI_INT, 0, 2 * (int)sizeof(int), &gaps));
  MUST(MPI_Type_commit(&gaps));
  MUST(MPI_Op_create(keep_last, 0, &right));
  all_calls(MPI_COMM_WORLD, MPI_INT, MPI_SUM);
  all_calls(MPI_COMM_WORLD, gaps, right);
  all_calls(turned, MPI_INT, MPI_MAX);
  all_calls(turned, gaps, right);
  several();
  MUST(MPI_Op_free(&right));
  MUST(MPI_Type_free(&gaps));
  MUST(MPI_Comm_free(&turned));
  return finish();
}
