/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c - distributed graphs of the MPI interface (MPI 4.1, section 8.5), and eyot's graphs for
 * the neighbours of all topologies. */
#include "interfaces/mpi/graph.h"

#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/cart.h"

int eyot_mpi_unweighted[1], eyot_mpi_weights_empty[1];

/* -- edges ------------------------------------------------------------------------------------- */

int face_edges_new(const struct eyot_mpi_comm *comm, int most, struct face_edges *e) {
  int *memory = malloc(((size_t)most * 3 + 1) * sizeof *memory);
  if (memory == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d edges", most);
  *e = (struct face_edges){0, memory, memory + most, memory + 2 * (size_t)most};
  return MPI_SUCCESS;
}

void face_edges_add(struct face_edges *e, int rank, int slot, int weight) {
  e->rank[e->n] = rank;
  e->slot[e->n] = slot;
  e->weight[e->n++] = weight;
}

static void free_graph(struct face_graph *g) {
  if (g == NULL) return;
  free(g->in.rank);
  free(g->out.rank);
  free(g);
}

static int new_graph(const struct eyot_mpi_comm *comm, int n_in, int n_out,
                     struct face_graph **made) {
  struct face_graph *g = calloc(1, sizeof *g);
  if (g == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a graph");
  int error = face_edges_new(comm, n_in, &g->in);
  if (error == MPI_SUCCESS) error = face_edges_new(comm, n_out, &g->out);
  if (error != MPI_SUCCESS) {
    free_graph(g);
    return error;
  }
  *made = g;
  return MPI_SUCCESS;
}

int face_graph_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to) {
  const struct face_graph *g = from->graph;
  if (g == NULL || !g->distributed) return MPI_SUCCESS;
  FACE_TRY(new_graph(from, g->in.n, g->out.n, &to->graph));
  to->graph->distributed = true;
  to->graph->weighted = g->weighted;
  for (int i = 0; i < g->in.n; i++)
    face_edges_add(&to->graph->in, g->in.rank[i], g->in.slot[i], g->in.weight[i]);
  for (int i = 0; i < g->out.n; i++)
    face_edges_add(&to->graph->out, g->out.rank[i], g->out.slot[i], g->out.weight[i]);
  return MPI_SUCCESS;
}

int face_graph_remove(struct eyot_mpi_comm *comm) {
  struct face_graph *g = comm->graph;
  if (g != NULL && g->made) FACE_TRY(face_check(comm, eyot_graph_destroy(&g->graph)));
  face_graph_end(comm);
  return MPI_SUCCESS;
}

void face_graph_end(struct eyot_mpi_comm *comm) {
  free_graph(comm->graph);
  comm->graph = NULL;
}

/* -- eyot's ------------------------------------------------------------------------------------ */

/* What goes to the neighbour before is received as from the one after, also where both are one
 * rank: edges between two ranks are matched in their order, so that sources begin with the one
 * after. */
static int edges_of_cart(struct eyot_mpi_comm *comm) {
  int n = 2 * comm->cart->ndims;
  struct face_graph *g;
  FACE_TRY(new_graph(comm, n, n, &g));
  for (int i = 0, before, after; i < comm->cart->ndims; i++) {
    face_cart_shift(comm, i, 1, &before, &after);
    if (before != MPI_PROC_NULL) face_edges_add(&g->out, before, 2 * i, 0);
    if (after != MPI_PROC_NULL) face_edges_add(&g->out, after, 2 * i + 1, 0);
    if (after != MPI_PROC_NULL) face_edges_add(&g->in, after, 2 * i + 1, 0);
    if (before != MPI_PROC_NULL) face_edges_add(&g->in, before, 2 * i, 0);
  }
  comm->graph = g;
  return MPI_SUCCESS;
}

static int edges_of_whole(struct eyot_mpi_comm *comm) {
  int n = face_whole_degree(comm);
  struct face_graph *g;
  FACE_TRY(new_graph(comm, n, n, &g));
  face_whole_edges(comm, &g->in, &g->out);
  comm->graph = g;
  return MPI_SUCCESS;
}

static int make_graph(struct eyot_mpi_comm *comm, struct face_graph *g) {
  int n = g->in.n + g->out.n;
  eyot_tunit_t *units = malloc(((size_t)n + 1) * sizeof *units);
  if (units == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d edges", n);
  for (int i = 0; i < g->in.n; i++) units[i] = face_unit(comm, g->in.rank[i]);
  for (int i = 0; i < g->out.n; i++) units[g->in.n + i] = face_unit(comm, g->out.rank[i]);
  int rc = eyot_graph_create(comm->team, g->in.n > 0 ? units : NULL, (uint32_t)g->in.n,
                             g->out.n > 0 ? units + g->in.n : NULL, (uint32_t)g->out.n, &g->graph);
  free(units);
  g->made = rc == EYOT_OK;
  return face_check(comm, rc);
}

int face_neighbors(struct eyot_mpi_comm *comm, const struct face_graph **graph) {
  if (comm->graph == NULL && comm->cart == NULL && comm->whole == NULL)
    return face_fail(comm, MPI_ERR_TOPOLOGY,
                     "comm has no topology, expected one of MPI_Cart_create, MPI_Graph_create or "
                     "MPI_Dist_graph_create_adjacent");
  if (comm->graph == NULL && comm->cart != NULL) FACE_TRY(edges_of_cart(comm));
  if (comm->graph == NULL) FACE_TRY(edges_of_whole(comm));
  struct face_graph *g = comm->graph;
  if (!g->made) FACE_TRY(make_graph(comm, g));
  *graph = g;
  return MPI_SUCCESS;
}

/* -- distributed graphs ------------------------------------------------------------------------ */

int face_edges_check(const struct eyot_mpi_comm *comm, const char *name, int n, const int *ranks,
                     const int *weights) {
  if (n < 0) return face_fail(comm, MPI_ERR_ARG, "the number of %s is %d", name, n);
  if (n > 0) FACE_TRY(face_output(comm, name, ranks));
  if (n > 0) FACE_TRY(face_output(comm, "an array of weights", weights));
  for (int i = 0; i < n; i++)
    if (ranks[i] < 0 || ranks[i] >= comm->size)
      return face_fail(comm, MPI_ERR_RANK, "%s[%d] is %d, expected 0 to %d", name, i, ranks[i],
                       comm->size - 1);
  return MPI_SUCCESS;
}

static void add_edges(struct face_edges *e, int n, const int *ranks, const int *weights) {
  for (int i = 0; i < n; i++)
    face_edges_add(e, ranks[i], i, weights == MPI_UNWEIGHTED ? 1 : weights[i]);
}

int face_graph_make(struct eyot_mpi_comm *comm, const struct face_edges *in,
                    const struct face_edges *out, bool weighted, MPI_Comm *made) {
  struct face_graph *g = calloc(1, sizeof *g);
  int error = g != NULL ? face_split(comm, 0, comm->me, made)
                        : face_fail(comm, MPI_ERR_NO_MEM, "no memory for a graph");
  if (error != MPI_SUCCESS) {
    free(g);
    free(in->rank);
    free(out->rank);
    return error;
  }
  *g = (struct face_graph){.distributed = true, .weighted = weighted, .in = *in, .out = *out};
  (*made)->graph = g;
  return make_graph(*made, g); /* tells of edges that one end alone names */
}

FACE_DEFINE(int, Dist_graph_create_adjacent,
            (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
             int outdegree, const int destinations[], const int destweights[], MPI_Info info,
             int reorder, MPI_Comm *comm_dist_graph)) {
  FACE_ENTER("MPI_Dist_graph_create_adjacent");
  (void)reorder; /* allows another order of ranks, and does not ask for it */
  FACE_TRY(face_comm(comm_old));
  FACE_TRY(face_info(info));
  FACE_TRY(face_output(comm_old, "comm_dist_graph", comm_dist_graph));
  FACE_TRY(face_edges_check(comm_old, "sources", indegree, sources, sourceweights));
  FACE_TRY(face_edges_check(comm_old, "destinations", outdegree, destinations, destweights));
  struct face_edges in, out;
  FACE_TRY(face_edges_new(comm_old, indegree, &in));
  int error = face_edges_new(comm_old, outdegree, &out);
  if (error != MPI_SUCCESS) {
    free(in.rank);
    return error;
  }
  add_edges(&in, indegree, sources, sourceweights);
  add_edges(&out, outdegree, destinations, destweights);
  return face_graph_make(comm_old, &in, &out,
                         sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED,
                         comm_dist_graph);
}

static int check_graph(const struct eyot_mpi_comm *comm) {
  FACE_TRY(face_comm(comm));
  if (comm->graph != NULL && comm->graph->distributed) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_TOPOLOGY,
                   "comm has no graph, expected one of MPI_Dist_graph_create_adjacent or "
                   "MPI_Dist_graph_create");
}

FACE_DEFINE(int, Dist_graph_neighbors_count,
            (MPI_Comm comm, int *indegree, int *outdegree, int *weighted)) {
  FACE_ENTER("MPI_Dist_graph_neighbors_count");
  FACE_TRY(check_graph(comm));
  FACE_TRY(face_output(comm, "indegree", indegree));
  FACE_TRY(face_output(comm, "outdegree", outdegree));
  FACE_TRY(face_output(comm, "weighted", weighted));
  *indegree = comm->graph->in.n;
  *outdegree = comm->graph->out.n;
  *weighted = comm->graph->weighted;
  return MPI_SUCCESS;
}

static int write_edges(const struct eyot_mpi_comm *comm, const struct face_edges *e, int most,
                       int *ranks, int *weights) {
  int n = e->n < most ? e->n : most;
  if (most < 0) return face_fail(comm, MPI_ERR_ARG, "a number of neighbours is %d", most);
  if (n > 0) FACE_TRY(face_output(comm, "an array of ranks", ranks));
  for (int i = 0; i < n; i++) ranks[i] = e->rank[i];
  bool wanted = weights != NULL && weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
  for (int i = 0; wanted && comm->graph->weighted && i < n; i++) weights[i] = e->weight[i];
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Dist_graph_neighbors,
            (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
             int destinations[], int destweights[])) {
  FACE_ENTER("MPI_Dist_graph_neighbors");
  FACE_TRY(check_graph(comm));
  FACE_TRY(write_edges(comm, &comm->graph->in, maxindegree, sources, sourceweights));
  return write_edges(comm, &comm->graph->out, maxoutdegree, destinations, destweights);
}
