/* SPDX-License-Identifier: BSD-3-Clause */
/* graphs.c - graphs of which each rank has all edges: a wheel with rank 0 as the hub; collectives
 * between neighbours on it, also of a copy; edges in one direction; fewer nodes than ranks. For any
 * number of ranks. */
#include "mpi_face/check.h"

enum { RANKS_MAX = 64 };
static int at[RANKS_MAX], edges[4 * RANKS_MAX], n_edges;

static void add(int rank, int to) {
  if (to != rank) edges[n_edges++] = to;
}

/* The rim is a ring; where it has two ranks, two edges go between them. */
static void wheel(int n) {
  n_edges = 0;
  for (int r = 0; r < n; r++) {
    for (int to = 1; r == 0 && to < n; to++) add(0, to);
    if (r > 0) add(r, 0);
    if (r > 0) add(r, 1 + r % (n - 1));
    if (r > 0) add(r, 1 + (r + n - 3) % (n - 1));
    at[r] = n_edges;
  }
}

static int first_of(int rank) {
  return rank == 0 ? 0 : at[rank - 1];
}

static void check_queries(MPI_Comm graph, int n) {
  int nodes, total, index[RANKS_MAX], all[4 * RANKS_MAX], kind, some[4 * RANKS_MAX];
  MUST(MPI_Topo_test(graph, &kind));
  CHECK(kind == MPI_GRAPH);
  MUST(MPI_Graphdims_get(graph, &nodes, &total));
  CHECK(nodes == n && total == n_edges);
  MUST(MPI_Graph_get(graph, n, n_edges, index, all));
  CHECK(memcmp(index, at, (size_t)n * sizeof(int)) == 0);
  CHECK(memcmp(all, edges, (size_t)n_edges * sizeof(int)) == 0);
  for (int r = 0; r < n; r++) {
    int degree;
    MUST(MPI_Graph_neighbors_count(graph, r, &degree));
    CHECK(degree == at[r] - first_of(r));
    memset(some, 0xff, sizeof some);
    MUST(MPI_Graph_neighbors(graph, r, degree, some));
    CHECK(memcmp(some, edges + first_of(r), (size_t)degree * sizeof(int)) == 0);
    CHECK(some[degree] == -1);
  }
}

/* The number that `of` has among the neighbours of `rank`; the k-th if there are several. */
static int place_of(int rank, int of, int k) {
  int i = first_of(rank);
  while (edges[i] != of || k-- > 0) i++;
  return i - first_of(rank);
}

static void exchange(MPI_Comm graph, int blocks) {
  int mine = first_of(me), degree = at[me] - mine, out[4 * RANKS_MAX], in[4 * RANKS_MAX];
  MPI_Request q;
  for (int i = 0; i < degree; i++) out[i] = 1000 * me + i;
  memset(in, 0xff, sizeof in);
  if (blocks) {
    MUST(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph));
  } else {
    MUST(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph, &q));
    MUST(MPI_Wait(&q, MPI_STATUS_IGNORE));
  }
  for (int i = 0, k; i < degree; i++) {
    int from = edges[mine + i];
    k = 0;
    for (int j = 0; j < i; j++) k += edges[mine + j] == from;
    CHECK(in[i] == 1000 * from + place_of(from, me, k));
  }
  MUST(MPI_Neighbor_allgather(&me, 1, MPI_INT, in, 1, MPI_INT, graph));
  CHECK(memcmp(in, edges + mine, (size_t)degree * sizeof(int)) == 0);
}

static void part_of_all(void) {
  MPI_Comm graph;
  int rank, want = me < n_ranks - 1 ? me : MPI_UNDEFINED;
  wheel(n_ranks - 1 > 0 ? n_ranks - 1 : 1);
  if (n_ranks == 1) return;
  MUST(MPI_Graph_map(MPI_COMM_WORLD, n_ranks - 1, at, edges, &rank));
  CHECK(rank == want);
  MUST(MPI_Graph_create(MPI_COMM_WORLD, n_ranks - 1, at, edges, 1, &graph));
  CHECK((graph == MPI_COMM_NULL) == (want == MPI_UNDEFINED));
  if (graph == MPI_COMM_NULL) return;
  check_queries(graph, n_ranks - 1);
  exchange(graph, 1);
  MUST(MPI_Comm_free(&graph));
}

/* Each rank names the next one alone: a graph, on which there are no collectives. */
static void one_way(void) {
  MPI_Comm graph, copy;
  for (int r = 0; r < n_ranks; r++) {
    edges[r] = (r + 1) % n_ranks;
    at[r] = r + 1;
  }
  n_edges = n_ranks;
  MUST(MPI_Graph_create(MPI_COMM_WORLD, n_ranks, at, edges, 0, &graph));
  MUST(MPI_Comm_dup(graph, &copy));
  MUST(MPI_Comm_free(&graph));
  check_queries(copy, n_ranks);
  MUST(MPI_Comm_free(&copy));
}

int main(void) {
  MPI_Comm graph, copy, none;
  begin();
  for (int turn = 0; turn < 2; turn++) {
    wheel(n_ranks);
    MUST(MPI_Graph_create(MPI_COMM_WORLD, n_ranks, at, edges, 0, &graph));
    check_queries(graph, n_ranks);
    exchange(graph, turn);
    MUST(MPI_Comm_dup(graph, &copy));
    MUST(MPI_Comm_free(&graph));
    check_queries(copy, n_ranks);
    exchange(copy, !turn);
    MUST(MPI_Comm_free(&copy));
  }
  part_of_all();
  one_way();
  MUST(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &none));
  CHECK(none == MPI_COMM_NULL);
  return finish();
}
