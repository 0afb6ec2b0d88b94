/* SPDX-License-Identifier: BSD-3-Clause */
/* near.c - collectives between neighbours of the MPI interface, blocking and not: on grids, also
 * with dimensions of one and two ranks, on graphs, on ranks in another order, and of datatypes with
 * gaps. For any number of ranks. */
#include "mpi_face/check.h"

enum { EDGES_MAX = 16, SPACE = 64 * EDGES_MAX };

static MPI_Comm comm;
static int rank, size, nb;
static int sources[EDGES_MAX], destinations[EDGES_MAX], n_in, n_out;
/* For block i of the sender: which block it is of the receiver's, by the rule of the topology. */
static int sent[SPACE], got[SPACE], expected[SPACE];

#define BOTH(lower, ...)                                  \
  do {                                                    \
    MPI_Request request;                                  \
    if (nb) {                                             \
      MUST(MPI_Ineighbor_##lower(__VA_ARGS__, &request)); \
      MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));        \
    } else {                                              \
      MUST(MPI_Neighbor_##lower(__VA_ARGS__));            \
    }                                                     \
  } while (0)
#define SAME() CHECK(memcmp(got, expected, sizeof got) == 0)

static void clear(void) {
  for (int i = 0; i < SPACE; i++) {
    sent[i] = -2;
    got[i] = expected[i] = -1;
  }
}
static int value(int from, int block, int k) {
  return 10000 * from + 100 * block + k;
}

/* block_of[i]: the number that block i of the caller's has at its sender. */
static int block_of[EDGES_MAX];

static void allgathers(void) {
  int counts[EDGES_MAX], places[EDGES_MAX];
  clear();
  for (int k = 0; k < 2; k++) sent[k] = value(rank, 0, k);
  for (int i = 0; i < n_in; i++)
    for (int k = 0; sources[i] >= 0 && k < 2; k++) expected[2 * i + k] = value(sources[i], 0, k);
  BOTH(allgather, sent, 2, MPI_INT, got, 2, MPI_INT, comm);
  SAME();
  clear();
  for (int k = 0; k < 2; k++) sent[k] = value(rank, 0, k);
  for (int i = 0; i < n_in; i++) {
    counts[i] = 2;
    places[i] = 5 * (n_in - 1 - i);
    for (int k = 0; sources[i] >= 0 && k < 2; k++)
      expected[places[i] + k] = value(sources[i], 0, k);
  }
  BOTH(allgatherv, sent, 2, MPI_INT, got, counts, places, MPI_INT, comm);
  SAME();
}

static void fill(int width) {
  clear();
  for (int i = 0; i < n_out; i++)
    for (int k = 0; k < 2; k++) sent[width * i + k] = value(rank, i, k);
}

static void alltoalls(void) {
  int counts[EDGES_MAX], out_at[EDGES_MAX], in_at[EDGES_MAX];
  MPI_Aint out_bytes[EDGES_MAX], in_bytes[EDGES_MAX];
  MPI_Datatype out[EDGES_MAX], in[EDGES_MAX], apart;
  fill(2);
  for (int i = 0; i < n_in; i++)
    for (int k = 0; sources[i] >= 0 && k < 2; k++)
      expected[2 * i + k] = value(sources[i], block_of[i], k);
  BOTH(alltoall, sent, 2, MPI_INT, got, 2, MPI_INT, comm);
  SAME();
  MUST(MPI_Type_vector(2, 1, 3, MPI_INT, &apart));
  MUST(MPI_Type_commit(&apart));
  fill(3);
  for (int i = 0; i < EDGES_MAX; i++) {
    counts[i] = 2;
    out_at[i] = 3 * i;
    in_at[i] = 4 * (EDGES_MAX - 1 - i);
    out_bytes[i] = 3 * i * (MPI_Aint)sizeof(int);
    in_bytes[i] = 4 * (EDGES_MAX - 1 - i) * (MPI_Aint)sizeof(int);
    out[i] = MPI_INT;
    in[i] = apart;
  }
  for (int i = 0; i < n_in; i++)
    for (int k = 0; sources[i] >= 0 && k < 2; k++)
      expected[in_at[i] + k] = value(sources[i], block_of[i], k);
  BOTH(alltoallv, sent, counts, out_at, MPI_INT, got, counts, in_at, MPI_INT, comm);
  SAME();
  fill(3);
  int ones[EDGES_MAX];
  for (int i = 0; i < EDGES_MAX; i++) ones[i] = 1;
  for (int i = 0; i < n_in; i++)
    for (int k = 0; sources[i] >= 0 && k < 2; k++)
      expected[in_at[i] + 3 * k] = value(sources[i], block_of[i], k);
  BOTH(alltoallw, sent, counts, out_bytes, out, got, ones, in_bytes, in, comm);
  SAME();
  MUST(MPI_Type_free(&apart));
}

/* What goes to the neighbour before comes from the one after. */
static void on_grid(MPI_Comm from, int ndims, const int *dims, const int *periods) {
  MUST(MPI_Cart_create(from, ndims, dims, periods, 0, &comm));
  if (comm == MPI_COMM_NULL) return;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  n_in = n_out = 2 * ndims;
  for (int d = 0; d < ndims; d++) {
    MUST(MPI_Cart_shift(comm, d, 1, &sources[2 * d], &sources[2 * d + 1]));
    block_of[2 * d] = 2 * d + 1;
    block_of[2 * d + 1] = 2 * d;
  }
  for (int i = 0; i < n_in; i++)
    if (sources[i] == MPI_PROC_NULL) sources[i] = -1;
  for (nb = 0; nb < 2; nb++) {
    allgathers();
    alltoalls();
  }
  MPI_Comm copy;
  MUST(MPI_Comm_dup(comm, &copy));
  MUST(MPI_Comm_free(&comm));
  comm = copy;
  allgathers();
  MUST(MPI_Comm_free(&comm));
}

/* Each rank sends to the two after it and to itself. */
static void on_graph(MPI_Comm from) {
  int weights_in[3], weights_out[3], in, out, weighted, kind;
  MUST(MPI_Comm_rank(from, &rank));
  MUST(MPI_Comm_size(from, &size));
  n_in = n_out = 3;
  for (int i = 0; i < 3; i++) {
    int distance = i < 2 ? i + 1 : 0;
    destinations[i] = (rank + distance) % size;
    sources[i] = (rank + 2 * size - distance) % size;
    weights_out[i] = 10 * rank + i;
    weights_in[i] = 10 * sources[i] + i;
    block_of[i] = i;
  }
  MUST(MPI_Dist_graph_create_adjacent(from, 3, sources, weights_in, 3, destinations, weights_out,
                                      MPI_INFO_NULL, 0, &comm));
  MUST(MPI_Topo_test(comm, &kind));
  CHECK(kind == MPI_DIST_GRAPH);
  MUST(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  CHECK(in == 3 && out == 3 && weighted);
  int s[3], d[3], sw[3], dw[3];
  MUST(MPI_Dist_graph_neighbors(comm, 3, s, sw, 3, d, dw));
  for (int i = 0; i < 3; i++) {
    CHECK(s[i] == sources[i] && d[i] == destinations[i]);
    CHECK(sw[i] == weights_in[i] && dw[i] == weights_out[i]);
  }
  for (nb = 0; nb < 2 && size > 2; nb++) { /* fewer ranks have more edges between two */
    allgathers();
    alltoalls();
  }
  MUST(MPI_Comm_free(&comm));
  MUST(MPI_Dist_graph_create_adjacent(from, rank == 0, (int[]){size - 1}, MPI_UNWEIGHTED,
                                      rank == size - 1, (int[]){0}, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                      0, &comm));
  MUST(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  CHECK(in == (rank == 0) && out == (rank == size - 1) && !weighted);
  MUST(MPI_Comm_free(&comm));
}

/* The same, each rank's edges named by the one before it, and by rank 0 another one of each rank to
 * rank 0. */
static void on_named_graph(MPI_Comm from) {
  int in, out, weighted, s[64], d[64], sw[64], dw[64], seen = 0;
  int named[64], degrees[64], to[128], weights[128], n = 1, edges = 3;
  MUST(MPI_Comm_rank(from, &rank));
  MUST(MPI_Comm_size(from, &size));
  named[0] = (rank + 1) % size;
  degrees[0] = 3;
  for (int i = 0; i < 3; i++) {
    to[i] = (named[0] + (i < 2 ? i + 1 : 0)) % size;
    weights[i] = 10 * named[0] + i;
  }
  for (int r = 0; rank == 0 && r < size; r++) {
    named[n] = r;
    degrees[n++] = 1;
    to[edges] = 0;
    weights[edges++] = 10 * r + 3;
  }
  MUST(MPI_Dist_graph_create(from, n, named, degrees, to, weights, MPI_INFO_NULL, 1, &comm));
  MUST(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  CHECK(in == (rank == 0 ? 3 + size : 3) && out == 4 && weighted);
  MUST(MPI_Dist_graph_neighbors(comm, in, s, sw, out, d, dw));
  for (int i = 0; i < out; i++) {
    int block = dw[i] - 10 * rank;
    CHECK(block >= 0 && block < 4 && (seen & 1 << block) == 0);
    CHECK(d[i] == (block == 3 ? 0 : (rank + (block < 2 ? block + 1 : 0)) % size));
    seen |= 1 << block;
  }
  for (int i = 0; i < in; i++) {
    int block = sw[i] - 10 * s[i];
    CHECK(block >= 0 && block < 4);
    CHECK(rank == (block == 3 ? 0 : (s[i] + (block < 2 ? block + 1 : 0)) % size));
  }
  for (int i = 0; i < out; i++) weights[i] = dw[i]; /* edges between two ranks are in one order */
  MUST(MPI_Neighbor_alltoall(weights, 1, MPI_INT, named, 1, MPI_INT, comm));
  for (int i = 0; i < in; i++) CHECK(named[i] == sw[i]);
  MUST(MPI_Comm_free(&comm));
  MUST(
      MPI_Dist_graph_create(from, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &comm));
  MUST(MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  CHECK(in == 0 && out == 0 && weighted);
  MUST(MPI_Comm_free(&comm));
}

int main(void) {
  MPI_Comm reverse;
  int dims[3] = {0, 0, 0};
  begin();
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reverse));
  MUST(MPI_Dims_create(n_ranks, 2, dims));
  on_grid(MPI_COMM_WORLD, 1, (int[]){n_ranks}, (int[]){1});
  on_grid(MPI_COMM_WORLD, 1, (int[]){n_ranks}, (int[]){0});
  on_grid(MPI_COMM_WORLD, 2, dims, (int[]){1, 0});
  on_grid(reverse, 2, dims, (int[]){0, 1});
  on_grid(reverse, 3, (int[]){1, dims[0], dims[1]}, (int[]){1, 1, 1});
  on_graph(MPI_COMM_WORLD);
  on_graph(reverse);
  on_named_graph(MPI_COMM_WORLD);
  on_named_graph(reverse);
  MUST(MPI_Comm_free(&reverse));
  return finish();
}
