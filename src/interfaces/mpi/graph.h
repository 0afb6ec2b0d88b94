/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - the neighbours of a rank, of a communicator with a topology. */
#ifndef INTERFACES_MPI_GRAPH_H
#define INTERFACES_MPI_GRAPH_H

#include "interfaces/mpi/face.h"

/* Edges from n_in ranks and to n_out, in the order of eyot's graph; slot: the block of each in the
 * program's buffers. `weighted`: weights as the program has given them. */
struct face_edges {
  int n;
  int *rank, *slot, *weight;
};
struct face_graph {
  bool distributed; /* of MPI_Dist_graph_create_adjacent or MPI_Dist_graph_create */
  bool weighted, made;
  struct face_edges in, out;
  eyot_graph_t graph; /* if made */
};

/* All edges of a graph of MPI_Graph_create: those of a rank begin where the index of the one before
 * says. */
struct face_whole {
  int nnodes, nedges, *index, *edges;
};
/* Whether there is one, in which each rank is a neighbour of its neighbours, as collectives between
 * them need; alike on all ranks. */
bool face_whole_serves(const struct eyot_mpi_comm *comm);
/* The caller's neighbours there: how many, and as edges in both directions. */
int face_whole_degree(const struct eyot_mpi_comm *comm);
void face_whole_edges(const struct eyot_mpi_comm *comm, struct face_edges *in,
                      struct face_edges *out);

/* Space for so many edges; e->rank is to be freed. */
int face_edges_new(const struct eyot_mpi_comm *comm, int most, struct face_edges *e);
void face_edges_add(struct face_edges *e, int rank, int slot, int weight);
/* Checks ranks, and that there are weights. */
int face_edges_check(const struct eyot_mpi_comm *comm, const char *name, int n, const int *ranks,
                     const int *weights);
/* A communicator with that graph, which takes the edges, also if it fails. Collective. */
int face_graph_make(struct eyot_mpi_comm *comm, const struct face_edges *in,
                    const struct face_edges *out, bool weighted, MPI_Comm *made);

/* The graph of a communicator, made when it is first asked for: collective then. */
int face_neighbors(struct eyot_mpi_comm *comm, const struct face_graph **graph);

#endif
