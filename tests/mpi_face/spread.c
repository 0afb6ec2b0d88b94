/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c - collectives of the MPI interface, blocking and not, on datatypes with and without
 * gaps, on the world and on its ranks in the reverse order. Elements are three ints, in a row or
 * spread over seven; each receives what it should, and its gaps stay. For any number of ranks. */
#include "mpi_face/check.h"

enum { VALUES = 3, WIDE = 7, RANKS_MAX = 128, SPACE = 3 * RANKS_MAX * WIDE };

static MPI_Datatype types[2]; /* dense, sparse */
static const int widths[2] = {VALUES, WIDE}, steps[2] = {1, 2};
static MPI_Comm comm;
static int rank, size, nb; /* nb: the forms that do not block */
static int sent[SPACE], got[SPACE], expected[SPACE];
static int send_way, recv_way; /* of the elements: 0 dense, 1 sparse */

/* Calls MPI_NAME or MPI_INAME and waits. */
#define BOTH(name, lower, ...)                     \
  do {                                             \
    MPI_Request request;                           \
    if (nb) {                                      \
      MUST(MPI_I##lower(__VA_ARGS__, &request));   \
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE)); \
    } else {                                       \
      MUST(MPI_##name(__VA_ARGS__));               \
    }                                              \
  } while (0)
#define SAME() CHECK(memcmp(got, expected, sizeof got) == 0)

static int value(int from, int to, int k) {
  return 10000 * from + 10 * to + k + 1;
}
/* Writes element `e` of a buffer, of rank `from` for rank `to`. */
static void put(int *buffer, int way, int e, int from, int to) {
  for (int k = 0; k < VALUES; k++) buffer[e * widths[way] + k * steps[way]] = value(from, to, k);
}
static void clear(void) {
  for (int i = 0; i < SPACE; i++) sent[i] = -2;
  for (int i = 0; i < SPACE; i++) got[i] = expected[i] = -1;
}

/* -- blocks of one length ---------------------------------------------------------------------- */

static void broadcast(int root) {
  clear();
  int way = rank == root ? send_way : recv_way;
  for (int e = 0; e < 2; e++) put(expected, way, e, root, e);
  if (rank == root) memcpy(got, expected, sizeof got);
  BOTH(Bcast, bcast, got, 2, types[way], root, comm);
  SAME();
}

static void gather(int root) {
  clear();
  put(sent, send_way, 0, rank, root);
  put(sent, send_way, 1, rank, root + 1);
  for (int r = 0; rank == root && r < size; r++) {
    put(expected, recv_way, 2 * r, r, root);
    put(expected, recv_way, 2 * r + 1, r, root + 1);
  }
  BOTH(Gather, gather, sent, 2, types[send_way], got, 2, types[recv_way], root, comm);
  SAME();
  for (int i = 0; rank == root && i < 2; i++)
    for (int r = 0; r < size; r++)
      if (r != root) put(got, recv_way, 2 * r + i, 0, 0);
  BOTH(Gather, gather, rank == root ? MPI_IN_PLACE : sent, 2, types[send_way], got, 2,
       types[recv_way], root, comm);
  SAME();
}

static void scatter(int root) {
  clear();
  for (int r = 0; rank == root && r < size; r++) put(sent, send_way, r, root, r);
  put(expected, recv_way, 0, root, rank);
  BOTH(Scatter, scatter, sent, 1, types[send_way], got, 1, types[recv_way], root, comm);
  SAME();
  got[0] = expected[0] = -1;
  if (rank != root) put(expected, recv_way, 0, root, rank);
  BOTH(Scatter, scatter, sent, 1, types[send_way], rank == root ? MPI_IN_PLACE : got, 1,
       types[recv_way], root, comm);
  SAME();
}

static void allgather(void) {
  clear();
  put(sent, send_way, 0, rank, 0);
  for (int r = 0; r < size; r++) put(expected, recv_way, r, r, 0);
  BOTH(Allgather, allgather, sent, 1, types[send_way], got, 1, types[recv_way], comm);
  SAME();
  for (int r = 0; r < size; r++)
    if (r != rank) put(got, recv_way, r, 0, 0);
  BOTH(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, types[recv_way], comm);
  SAME();
}

static void alltoall(void) {
  clear();
  for (int r = 0; r < size; r++) put(sent, send_way, r, rank, r);
  for (int r = 0; r < size; r++) put(expected, recv_way, r, r, rank);
  BOTH(Alltoall, alltoall, sent, 1, types[send_way], got, 1, types[recv_way], comm);
  SAME();
  for (int r = 0; r < size; r++) put(got, recv_way, r, rank, r);
  BOTH(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 1, types[recv_way], comm);
  SAME();
}

/* -- blocks of several lengths ----------------------------------------------------------------- */

/* Rank r has r % 3 elements for each, which lie from the last rank's to the first's. */
static int counts[RANKS_MAX], places[RANKS_MAX], zeros[RANKS_MAX];
static void make_counts(int same) {
  int at = 0;
  for (int r = size - 1; r >= 0; r--) {
    counts[r] = same >= 0 ? same : r % 3;
    places[r] = at;
    at += counts[r] + (same < 0 && r % 2);
  }
}

static void gatherv(int root) {
  clear();
  make_counts(-1);
  for (int e = 0; e < rank % 3; e++) put(sent, send_way, e, rank, e);
  for (int r = 0; rank == root && r < size; r++)
    for (int e = 0; e < r % 3; e++) put(expected, recv_way, places[r] + e, r, e);
  BOTH(Gatherv, gatherv, sent, rank % 3, types[send_way], got, counts, places, types[recv_way],
       root, comm);
  SAME();
  for (int r = 0; rank == root && r < size; r++)
    for (int e = 0; r != root && e < r % 3; e++) put(got, recv_way, places[r] + e, 0, 0);
  BOTH(Gatherv, gatherv, rank == root ? MPI_IN_PLACE : sent, rank % 3, types[send_way], got, counts,
       places, types[recv_way], root, comm);
  SAME();
}

static void scatterv(int root) {
  clear();
  make_counts(-1);
  for (int r = 0; rank == root && r < size; r++)
    for (int e = 0; e < r % 3; e++) put(sent, send_way, places[r] + e, root, 7 * r + e);
  for (int e = 0; e < rank % 3; e++) put(expected, recv_way, e, root, 7 * rank + e);
  BOTH(Scatterv, scatterv, sent, counts, places, types[send_way], got, rank % 3, types[recv_way],
       root, comm);
  SAME();
}

static void allgatherv(void) {
  clear();
  make_counts(-1);
  for (int e = 0; e < rank % 3; e++) put(sent, send_way, e, rank, e);
  for (int r = 0; r < size; r++)
    for (int e = 0; e < r % 3; e++) put(expected, recv_way, places[r] + e, r, e);
  BOTH(Allgatherv, allgatherv, sent, rank % 3, types[send_way], got, counts, places,
       types[recv_way], comm);
  SAME();
  for (int r = 0; r < size; r++)
    for (int e = 0; r != rank && e < r % 3; e++) put(got, recv_way, places[r] + e, 0, 0);
  BOTH(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, counts, places,
       types[recv_way], comm);
  SAME();
}

/* Each sends one element to each, which lie in the order of the ranks; it receives them in the
 * reverse order. Then in place: what is received is sent back. */
static void alltoallv(void) {
  int ones[RANKS_MAX], ups[RANKS_MAX];
  clear();
  make_counts(1);
  for (int r = 0; r < size; r++) {
    ones[r] = 1;
    ups[r] = r;
    put(sent, send_way, r, rank, r);
    put(expected, recv_way, places[r], r, rank);
  }
  BOTH(Alltoallv, alltoallv, sent, ones, ups, types[send_way], got, counts, places, types[recv_way],
       comm);
  SAME();
  for (int r = 0; r < size; r++) put(expected, recv_way, places[r], rank, r);
  BOTH(Alltoallv, alltoallv, MPI_IN_PLACE, zeros, zeros, MPI_DATATYPE_NULL, got, counts, places,
       types[recv_way], comm);
  SAME();
}

/* Datatypes that differ from rank to rank: dense to even ranks, sparse to others. */
static void alltoallw(void) {
  MPI_Datatype out[RANKS_MAX], in[RANKS_MAX];
  int ones[RANKS_MAX], out_at[RANKS_MAX], in_at[RANKS_MAX];
  clear();
  for (int r = 0; r < size; r++) {
    int out_way = (r + send_way) % 2, in_way = (r + recv_way) % 2;
    ones[r] = 1;
    out[r] = types[out_way];
    in[r] = types[in_way];
    out_at[r] = r * WIDE * (int)sizeof(int);
    in_at[r] = (size - 1 - r) * WIDE * (int)sizeof(int);
    for (int k = 0; k < VALUES; k++) {
      sent[r * WIDE + k * steps[out_way]] = value(rank, r, k);
      expected[(size - 1 - r) * WIDE + k * steps[in_way]] = value(r, rank, k);
    }
  }
  BOTH(Alltoallw, alltoallw, sent, ones, out_at, out, got, ones, in_at, in, comm);
  SAME();
}

/* -- reductions -------------------------------------------------------------------------------- */

/* Maps x -> a x + b, of which the first is applied first: does not commute. */
struct map {
  unsigned a, gap, b, tail;
};
static void compose(void *in, void *inout, int *len, MPI_Datatype *type) {
  struct map *f = in, *g = inout;
  (void)type;
  for (int i = 0; i < *len; i++)
    g[i] = (struct map){f[i].a * g[i].a, g[i].gap, f[i].b * g[i].a + g[i].b, g[i].tail};
}
static struct map of_rank(int r, int i) {
  return (struct map){(unsigned)(2 * r + 3), 0, (unsigned)(r + i), 0};
}
/* Over the ranks from..to-1. */
static struct map composed(int from, int to, int i) {
  struct map all = {1, 0, 0, 0};
  int one = 1;
  MPI_Datatype none = MPI_DATATYPE_NULL;
  for (int r = from; r < to; r++) {
    struct map next = of_rank(r, i);
    compose(&all, &next, &one, &none);
    all = next;
  }
  return all;
}
static int is_map(struct map m, int from, int to, int i) {
  struct map c = composed(from, to, i);
  return m.a == c.a && m.b == c.b && m.gap == 77 && m.tail == 88;
}

static void reductions(MPI_Datatype map_type, MPI_Op op) {
  static struct map mine[2 * RANKS_MAX], result[2 * RANKS_MAX];
  int n = size > 2 ? 2 : 1, all_counts[RANKS_MAX];
  for (int way = 0; way < 6; way++) {
    for (int i = 0; i < 2 * RANKS_MAX; i++) {
      mine[i] = of_rank(rank, i);
      result[i] = (struct map){5, 77, 6, 88};
    }
    for (int r = 0; r < size; r++) all_counts[r] = r % 2;
    int root = size - 1, from = 0, to = size, first = 0, got_n = n;
    if (way == 0) BOTH(Reduce, reduce, mine, result, n, map_type, op, root, comm);
    if (way == 0 && rank != root) continue;
    if (way == 1) BOTH(Allreduce, allreduce, mine, result, n, map_type, op, comm);
    if (way == 2) BOTH(Scan, scan, mine, result, n, map_type, op, comm);
    if (way == 3) BOTH(Exscan, exscan, mine, result, n, map_type, op, comm);
    if (way == 2) to = rank + 1;
    if (way == 3) to = rank;
    if (way == 3 && rank == 0) continue;
    if (way == 4)
      BOTH(Reduce_scatter_block, reduce_scatter_block, mine, result, n, map_type, op, comm);
    if (way == 4) first = n * rank;
    if (way == 5)
      BOTH(Reduce_scatter, reduce_scatter, mine, result, all_counts, map_type, op, comm);
    if (way == 5) {
      got_n = rank % 2;
      first = rank / 2;
    }
    for (int i = 0; i < got_n; i++) CHECK(is_map(result[i], from, to, first + i));
    CHECK(result[got_n].a == 5 && result[got_n].gap == 77);
  }
}

/* A sum, also where the result lies on the operands. */
static void sums(void) {
  int counts_of[RANKS_MAX], total = size * (size + 1) / 2;
  for (int in_place = 0; in_place < 2; in_place++) {
    int mine[2 * RANKS_MAX], result[2 * RANKS_MAX];
    for (int i = 0; i < 2 * RANKS_MAX; i++) mine[i] = result[i] = rank + 1;
    const void *from = in_place ? MPI_IN_PLACE : mine;
    BOTH(Allreduce, allreduce, from, result, 3, MPI_INT, MPI_SUM, comm);
    CHECK(result[0] == total && result[2] == total && result[3] == rank + 1);
    result[0] = rank + 1;
    BOTH(Scan, scan, from, result, 1, MPI_INT, MPI_SUM, comm);
    CHECK(result[0] == (rank + 1) * (rank + 2) / 2);
    result[0] = rank + 1;
    BOTH(Exscan, exscan, from, result, 1, MPI_INT, MPI_SUM, comm);
    CHECK(rank == 0 || result[0] == rank * (rank + 1) / 2);
    result[0] = rank + 1;
    BOTH(Reduce, reduce, in_place && rank == 0 ? MPI_IN_PLACE : mine, result, 1, MPI_INT, MPI_SUM,
         0, comm);
    CHECK(rank != 0 || result[0] == total);
    for (int i = 0; i < size; i++) {
      mine[i] = result[i] = 100 * i + rank;
      counts_of[i] = 1;
    }
    BOTH(Reduce_scatter_block, reduce_scatter_block, from, result, 1, MPI_INT, MPI_SUM, comm);
    CHECK(result[0] == 100 * rank * size + size * (size - 1) / 2);
    for (int i = 0; i < size; i++) result[i] = 100 * i + rank;
    BOTH(Reduce_scatter, reduce_scatter, from, result, counts_of, MPI_INT, MPI_SUM, comm);
    CHECK(result[0] == 100 * rank * size + size * (size - 1) / 2);
  }
}

/* Two ints and one, apart: a list. */
static MPI_Datatype apart(int first, int second) {
  int lengths[2] = {2, 1}, at[2] = {first, second};
  MPI_Datatype list, type;
  MUST(MPI_Type_indexed(2, lengths, at, MPI_INT, &list));
  MUST(MPI_Type_create_resized(list, 0, WIDE * sizeof(int), &type));
  MUST(MPI_Type_commit(&type));
  MUST(MPI_Type_free(&list));
  return type;
}

/* Several at a time, completed in another order; the datatype is freed before, and another one is
 * made that could take its memory. */
static void together(void) {
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Datatype type = apart(1, 4), other;
  int sum = 0, one = 1;
  clear();
  put(sent, 0, 0, rank, 0);
  for (int r = 0; r < size; r++) {
    expected[r * WIDE + 1] = value(r, 0, 0);
    expected[r * WIDE + 2] = value(r, 0, 1);
    expected[r * WIDE + 4] = value(r, 0, 2);
  }
  MUST(MPI_Iallgather(sent, 1, types[0], got, 1, type, comm, &requests[0]));
  MUST(MPI_Ibarrier(comm, &requests[1]));
  MUST(MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]));
  MUST(MPI_Ibcast(&one, 1, MPI_INT, 0, comm, &requests[3]));
  MUST(MPI_Type_free(&type));
  other = apart(0, 6);
  MUST(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
  CHECK(sum == size);
  MUST(MPI_Waitall(4, requests, statuses));
  SAME();
  MUST(MPI_Type_free(&other));
}

static void run(MPI_Datatype map_type, MPI_Op op) {
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  for (int way = 0; way < 4; way++) {
    send_way = way % 2;
    recv_way = way / 2;
    broadcast(size - 1);
    gather(size / 2);
    scatter(size / 2);
    allgather();
    alltoall();
    gatherv(0);
    scatterv(size - 1);
    allgatherv();
    alltoallv();
    alltoallw();
  }
  reductions(map_type, op);
  sums();
}

int main(void) {
  MPI_Comm reverse;
  MPI_Datatype vector, map_type, map_ints;
  MPI_Op op;
  begin();
  MUST(MPI_Type_contiguous(VALUES, MPI_INT, &types[0]));
  MUST(MPI_Type_vector(VALUES, 1, 2, MPI_INT, &vector));
  MUST(MPI_Type_create_resized(vector, 0, WIDE * sizeof(int), &types[1]));
  MUST(MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &map_ints));
  MUST(MPI_Type_create_resized(map_ints, 0, sizeof(struct map), &map_type));
  MUST(MPI_Type_free(&map_ints));
  MUST(MPI_Type_free(&vector));
  MUST(MPI_Type_commit(&types[0]));
  MUST(MPI_Type_commit(&types[1]));
  MUST(MPI_Type_commit(&map_type));
  MUST(MPI_Op_create(compose, 0, &op));
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reverse));
  for (nb = 0; nb < 2; nb++) {
    comm = MPI_COMM_WORLD;
    run(map_type, op);
    comm = reverse;
    run(map_type, op);
    together();
  }
  MUST(MPI_Comm_free(&reverse));
  MUST(MPI_Op_free(&op));
  MUST(MPI_Type_free(&map_type));
  MUST(MPI_Type_free(&types[0]));
  MUST(MPI_Type_free(&types[1]));
  return finish();
}
