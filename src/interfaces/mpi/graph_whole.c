/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_whole.c - graphs of the MPI interface of which each rank has all edges (MPI 4.1, section
 * 8.5.3). Ranks keep the order that they have in the communicator that the graph is made of. */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/graph.h"

/* -- edges ------------------------------------------------------------------------------------- */

static int first_of(const struct face_whole *w, int rank) {
  return rank == 0 ? 0 : w->index[rank - 1];
}

static int new_whole(const struct eyot_mpi_comm *comm, int nnodes, const int *index,
                     const int *edges, struct face_whole **made) {
  size_t n = (size_t)nnodes, m = nnodes > 0 ? (size_t)index[nnodes - 1] : 0;
  struct face_whole *w = malloc(sizeof *w + (n + m) * sizeof(int));
  if (w == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a graph");
  *w = (struct face_whole){.nnodes = nnodes, .nedges = (int)m};
  w->index = (int *)(w + 1);
  w->edges = w->index + n;
  if (n > 0) memcpy(w->index, index, n * sizeof(int));
  if (m > 0) memcpy(w->edges, edges, m * sizeof(int));
  *made = w;
  return MPI_SUCCESS;
}

int face_whole_copy(const struct eyot_mpi_comm *from, struct eyot_mpi_comm *to) {
  const struct face_whole *w = from->whole;
  return w == NULL ? MPI_SUCCESS : new_whole(from, w->nnodes, w->index, w->edges, &to->whole);
}

static int times(const struct face_whole *w, int from, int to) {
  int n = 0;
  for (int k = first_of(w, from); k < w->index[from]; k++) n += w->edges[k] == to;
  return n;
}

bool face_whole_serves(const struct eyot_mpi_comm *comm) {
  const struct face_whole *w = comm->whole;
  for (int r = 0; w != NULL && r < w->nnodes; r++)
    for (int k = first_of(w, r); k < w->index[r]; k++)
      if (times(w, r, w->edges[k]) != times(w, w->edges[k], r)) return false;
  return w != NULL;
}

void face_whole_edges(const struct eyot_mpi_comm *comm, struct face_edges *in,
                      struct face_edges *out) {
  const struct face_whole *w = comm->whole;
  for (int first = first_of(w, comm->me), k = first; k < w->index[comm->me]; k++) {
    face_edges_add(in, w->edges[k], k - first, 1);
    face_edges_add(out, w->edges[k], k - first, 1);
  }
}

int face_whole_degree(const struct eyot_mpi_comm *comm) {
  return comm->whole->index[comm->me] - first_of(comm->whole, comm->me);
}

static int check_edges(const struct eyot_mpi_comm *comm, int nnodes, const int *index,
                       const int *edges) {
  if (nnodes < 0 || nnodes > comm->size)
    return face_fail(comm, MPI_ERR_ARG, "nnodes is %d, expected 0 to %d, the ranks of comm", nnodes,
                     comm->size);
  if (nnodes > 0) FACE_TRY(face_input(comm, "index", index));
  for (int r = 0, before = 0; r < nnodes; before = index[r++])
    if (index[r] < before)
      return face_fail(comm, MPI_ERR_ARG, "index[%d] is %d, expected %d or more", r, index[r],
                       before);
  int n = nnodes > 0 ? index[nnodes - 1] : 0;
  if (n > 0) FACE_TRY(face_input(comm, "edges", edges));
  for (int k = 0; k < n; k++)
    if (edges[k] < 0 || edges[k] >= nnodes)
      return face_fail(comm, MPI_ERR_RANK, "edges[%d] is %d, expected 0 to %d", k, edges[k],
                       nnodes - 1);
  return MPI_SUCCESS;
}

/* -- creation ---------------------------------------------------------------------------------- */

FACE_DEFINE(int, Graph_create,
            (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder,
             MPI_Comm *comm_graph)) {
  FACE_ENTER("MPI_Graph_create");
  (void)reorder; /* allows another order of ranks, and does not ask for it */
  FACE_TRY(face_comm(comm_old));
  FACE_TRY(face_output(comm_old, "comm_graph", comm_graph));
  FACE_TRY(check_edges(comm_old, nnodes, index, edges));
  struct face_whole *w;
  FACE_TRY(new_whole(comm_old, nnodes, index, edges, &w));
  uint32_t color = comm_old->me < nnodes ? 0 : EYOT_COLOR_NONE;
  int error = face_split(comm_old, color, comm_old->me, comm_graph);
  if (error != MPI_SUCCESS || *comm_graph == MPI_COMM_NULL) {
    free(w);
    return error;
  }
  (*comm_graph)->whole = w;
  return face_graph_early != NULL ? face_graph_early(*comm_graph) : MPI_SUCCESS;
}

/* What MPI_Graph_create would make of the caller's rank. */
FACE_DEFINE(int, Graph_map,
            (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)) {
  FACE_ENTER("MPI_Graph_map");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "newrank", newrank));
  FACE_TRY(check_edges(comm, nnodes, index, edges));
  *newrank = comm->me < nnodes ? comm->me : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* -- queries ----------------------------------------------------------------------------------- */

static int check_whole(const struct eyot_mpi_comm *comm) {
  FACE_TRY(face_comm(comm));
  if (comm->whole != NULL) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_TOPOLOGY, "comm has no graph, expected one of MPI_Graph_create");
}

FACE_DEFINE(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges)) {
  FACE_ENTER("MPI_Graphdims_get");
  FACE_TRY(check_whole(comm));
  FACE_TRY(face_output(comm, "nnodes", nnodes));
  FACE_TRY(face_output(comm, "nedges", nedges));
  *nnodes = comm->whole->nnodes;
  *nedges = comm->whole->nedges;
  return MPI_SUCCESS;
}

/* Writes the first `most` of n values. */
static int write_values(const struct eyot_mpi_comm *comm, const char *name, int most, int n,
                        const int *from, int *to) {
  if (most < 0) return face_fail(comm, MPI_ERR_ARG, "the length of %s is %d", name, most);
  if (n > most) n = most;
  if (n > 0) FACE_TRY(face_output(comm, name, to));
  if (n > 0) memcpy(to, from, (size_t)n * sizeof *to);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])) {
  FACE_ENTER("MPI_Graph_get");
  FACE_TRY(check_whole(comm));
  const struct face_whole *w = comm->whole;
  FACE_TRY(write_values(comm, "index", maxindex, w->nnodes, w->index, index));
  return write_values(comm, "edges", maxedges, w->nedges, w->edges, edges);
}

static int check_rank(const struct eyot_mpi_comm *comm, int rank) {
  FACE_TRY(check_whole(comm));
  if (rank >= 0 && rank < comm->size) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_RANK, "rank is %d, expected 0 to %d", rank, comm->size - 1);
}

FACE_DEFINE(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *nneighbors)) {
  FACE_ENTER("MPI_Graph_neighbors_count");
  FACE_TRY(check_rank(comm, rank));
  FACE_TRY(face_output(comm, "nneighbors", nneighbors));
  *nneighbors = comm->whole->index[rank] - first_of(comm->whole, rank);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[])) {
  FACE_ENTER("MPI_Graph_neighbors");
  FACE_TRY(check_rank(comm, rank));
  const struct face_whole *w = comm->whole;
  int first = first_of(w, rank);
  return write_values(comm, "neighbors", maxneighbors, w->index[rank] - first, w->edges + first,
                      neighbors);
}
