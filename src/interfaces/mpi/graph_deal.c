/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_deal.c - distributed graphs of which any rank has named any edge (MPI 4.1, section 8.5.4):
 * each edge goes to its two ends. Both get the edges between them by the rank that has named them,
 * then as that one has, so that the ends agree on their order. */
#include <stdlib.h>

#include "interfaces/mpi/graph.h"

/* An edge for one of its ends. */
struct deal_end {
  int other, weight;
};

/* The edges that a rank has named. */
struct deal_edges {
  int n;
  int *source;
  const int *destination, *weight; /* weight: or MPI_UNWEIGHTED */
};

/* Sizes and places of blocks, by member. */
struct deal_blocks {
  uint64_t *sizes, *at;
};

static uint64_t place(struct deal_blocks *b, int n) {
  uint64_t all = 0;
  for (int i = 0; i < n; i++) {
    b->at[i] = all;
    all += b->sizes[i];
  }
  return all;
}

/* Sends each edge to the rank to[i]; the other end is other[i]. *got is to be freed. */
static int exchange(const struct eyot_mpi_comm *comm, const struct deal_edges *e, const int *to,
                    const int *other, struct deal_blocks *out, struct deal_blocks *in,
                    struct deal_end *send, struct deal_end **got, uint64_t *n_got) {
  for (int i = 0; i < comm->size; i++) out->sizes[i] = 0;
  for (int i = 0; i < e->n; i++) out->sizes[face_unit(comm, to[i]).id] += sizeof *send;
  FACE_TRY(face_check(comm, eyot_alltoall(comm->team, out->sizes, in->sizes, sizeof(uint64_t))));
  (void)place(out, comm->size);
  for (int i = 0; i < e->n; i++) {
    uint64_t *at = &out->at[face_unit(comm, to[i]).id];
    send[*at / sizeof *send] =
        (struct deal_end){other[i], e->weight == MPI_UNWEIGHTED ? 1 : e->weight[i]};
    *at += sizeof *send;
  }
  (void)place(out, comm->size);
  uint64_t bytes = place(in, comm->size);
  *n_got = bytes / sizeof **got;
  *got = malloc(bytes + 1);
  if (*got == NULL || *n_got > INT32_MAX)
    return face_fail(comm, MPI_ERR_NO_MEM, "no memory for %llu edges", (unsigned long long)*n_got);
  return face_check(comm,
                    eyot_alltoallv(comm->team, send, out->sizes, out->at, *got, in->sizes, in->at));
}

/* The edges whose `to` is the caller. */
static int deal(const struct eyot_mpi_comm *comm, const struct deal_edges *e, const int *to,
                const int *other, struct face_edges *made) {
  size_t size = (size_t)comm->size;
  uint64_t *words = malloc(4 * size * sizeof *words), n = 0;
  struct deal_end *send = malloc(((size_t)e->n + 1) * sizeof *send), *got = NULL;
  struct deal_blocks out = {words, words + size}, in = {words + 2 * size, words + 3 * size};
  int error = words != NULL && send != NULL
                  ? exchange(comm, e, to, other, &out, &in, send, &got, &n)
                  : face_fail(comm, MPI_ERR_NO_MEM, "no memory for %d edges", e->n);
  if (error == MPI_SUCCESS) error = face_edges_new(comm, (int)n, made);
  for (uint64_t i = 0; error == MPI_SUCCESS && i < n; i++)
    face_edges_add(made, got[i].other, (int)i, got[i].weight);
  free(got);
  free(send);
  free(words);
  return error;
}

static int check_named(const struct eyot_mpi_comm *comm, int n, const int *sources,
                       const int *degrees, const int *destinations, const int *weights,
                       int *edges) {
  if (n < 0) return face_fail(comm, MPI_ERR_ARG, "the number of sources is %d", n);
  if (n > 0) FACE_TRY(face_input(comm, "degrees", degrees));
  int64_t all = 0;
  for (int i = 0; i < n; i++) {
    if (degrees[i] < 0)
      return face_fail(comm, MPI_ERR_ARG, "degrees[%d] is %d, expected 0 or more", i, degrees[i]);
    all += degrees[i];
  }
  if (all > INT32_MAX)
    return face_fail(comm, MPI_ERR_ARG, "the degrees add up to %lld", (long long)all);
  *edges = (int)all;
  FACE_TRY(face_edges_check(comm, "sources", n, sources, MPI_UNWEIGHTED));
  return face_edges_check(comm, "destinations", *edges, destinations, weights);
}

FACE_DEFINE(int, Dist_graph_create,
            (MPI_Comm comm_old, int n, const int sources[], const int degrees[],
             const int destinations[], const int weights[], MPI_Info info, int reorder,
             MPI_Comm *comm_dist_graph)) {
  FACE_ENTER("MPI_Dist_graph_create");
  (void)reorder; /* allows another order of ranks, and does not ask for it */
  FACE_TRY(face_comm(comm_old));
  FACE_TRY(face_info(info));
  FACE_TRY(face_output(comm_old, "comm_dist_graph", comm_dist_graph));
  struct deal_edges e = {.destination = destinations, .weight = weights};
  FACE_TRY(check_named(comm_old, n, sources, degrees, destinations, weights, &e.n));
  e.source = malloc(((size_t)e.n + 1) * sizeof *e.source);
  if (e.source == NULL) return face_fail(comm_old, MPI_ERR_NO_MEM, "no memory for %d edges", e.n);
  for (int i = 0, k = 0; i < n; i++)
    for (int d = 0; d < degrees[i]; d++) e.source[k++] = sources[i];
  struct face_edges in = {0}, out = {0};
  int error = deal(comm_old, &e, destinations, e.source, &in);
  if (error == MPI_SUCCESS) error = deal(comm_old, &e, e.source, destinations, &out);
  free(e.source);
  if (error != MPI_SUCCESS) {
    free(in.rank);
    free(out.rank);
    return error;
  }
  return face_graph_make(comm_old, &in, &out, weights != MPI_UNWEIGHTED, comm_dist_graph);
}
