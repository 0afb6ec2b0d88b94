/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.c - collectives of the MPI interface along the edges of a topology (MPI 4.1, section
 * 8.6). Blocks of neighbours that a border has not are left as they are. */
#include "interfaces/mpi/neighbor.h"

#include "interfaces/mpi/graph.h"

/* The blocks of one side, as the program has given them: of one length, or of several. */
struct neighbor_blocks {
  const void *buf;
  int count;
  struct eyot_mpi_type *type;
  const int *counts, *displs;
  const MPI_Datatype *types;
  const MPI_Aint *places;
};

static struct neighbor_blocks sent_side(const struct face_args *a) {
  return (struct neighbor_blocks){a->send,       a->sends,     a->sendtype,  a->sendcounts,
                                  a->senddispls, a->sendtypes, a->sendplaces};
}
static struct neighbor_blocks received_side(const struct face_args *a) {
  return (struct neighbor_blocks){a->recv,       a->recvs,     a->recvtype,  a->recvcounts,
                                  a->recvdispls, a->recvtypes, a->recvplaces};
}

/* The block of an edge: how many elements of what, and where. */
static int block_of(const struct face_call *c, const struct neighbor_blocks *s, int slot,
                    int *count, MPI_Datatype *type, MPI_Aint *place) {
  *count = s->counts != NULL ? s->counts[slot] : s->count;
  *type = s->types != NULL ? s->types[slot] : s->type;
  FACE_TRY(face_type(c->comm, *type));
  if (s->places != NULL)
    *place = s->places[slot];
  else if (s->displs != NULL)
    *place = (MPI_Aint)s->displs[slot] * (*type)->extent;
  else
    *place = (MPI_Aint)slot * *count * (*type)->extent;
  return MPI_SUCCESS;
}

/* The blocks of the edges, in their order. */
static int blocks_of(struct face_call *c, const struct neighbor_blocks *s,
                     const struct face_edges *e, unsigned ways, struct face_blocks *b, void **at) {
  size_t n = (size_t)e->n;
  void *types, *places, *counts;
  FACE_TRY(face_memory(c->comm, n * sizeof(MPI_Datatype), &c->stages, &types));
  FACE_TRY(face_memory(c->comm, n * sizeof(MPI_Aint), &c->stages, &places));
  FACE_TRY(face_memory(c->comm, n * sizeof(int), &c->stages, &counts));
  const struct face_table t = {s->buf, counts, NULL, s->type, types, places};
  for (int i = 0; i < e->n; i++)
    FACE_TRY(block_of(c, s, e->slot[i], &((int *)counts)[i], &((MPI_Datatype *)types)[i],
                      &((MPI_Aint *)places)[i]));
  return face_blocks_list(c, &t, e->n, ways, b, at);
}

static int check_arrays(const struct face_call *c, const struct face_graph *g,
                        const struct face_args *a, bool several, bool typed) {
  if (several && g->in.n > 0) {
    FACE_TRY(face_input(c->comm, "recvcounts", a->recvcounts));
    FACE_TRY(face_input(c->comm, "rdispls", typed ? (const void *)a->recvplaces : a->recvdispls));
    if (typed) FACE_TRY(face_input(c->comm, "recvtypes", a->recvtypes));
  }
  return MPI_SUCCESS;
}

static int allgather_edges(struct face_call *c, const struct face_args *a, bool several) {
  const struct face_graph *g;
  struct face_blocks in;
  uint64_t bytes;
  void *send, *recv;
  FACE_TRY(face_neighbors(c->comm, &g));
  FACE_TRY(check_arrays(c, g, a, several, false));
  const struct neighbor_blocks received = received_side(a);
  FACE_TRY(face_call_row(c, a->send, a->sends, 1, a->sendtype, FACE_IN, &send, &bytes));
  FACE_TRY(blocks_of(c, &received, &g->in, FACE_OUT, &in, &recv));
  return FACE_RUN(c, neighbor_allgatherv, g->graph, send, bytes, recv, in.sizes, in.at);
}

int face_neighbor_allgather(struct face_call *c, const struct face_args *a) {
  return allgather_edges(c, a, false);
}
int face_neighbor_allgatherv(struct face_call *c, const struct face_args *a) {
  return allgather_edges(c, a, true);
}

static int alltoall_edges(struct face_call *c, const struct face_args *a, bool several,
                          bool typed) {
  const struct face_graph *g;
  struct face_blocks out, in;
  void *send, *recv;
  FACE_TRY(face_neighbors(c->comm, &g));
  FACE_TRY(check_arrays(c, g, a, several, typed));
  if (several && g->out.n > 0) {
    FACE_TRY(face_input(c->comm, "sendcounts", a->sendcounts));
    FACE_TRY(face_input(c->comm, "sdispls", typed ? (const void *)a->sendplaces : a->senddispls));
    if (typed) FACE_TRY(face_input(c->comm, "sendtypes", a->sendtypes));
  }
  const struct neighbor_blocks sent = sent_side(a), received = received_side(a);
  FACE_TRY(blocks_of(c, &sent, &g->out, FACE_IN, &out, &send));
  FACE_TRY(blocks_of(c, &received, &g->in, FACE_OUT, &in, &recv));
  return FACE_RUN(c, neighbor_alltoallv, g->graph, send, out.sizes, out.at, recv, in.sizes, in.at);
}

int face_neighbor_alltoall(struct face_call *c, const struct face_args *a) {
  return alltoall_edges(c, a, false, false);
}
int face_neighbor_alltoallv(struct face_call *c, const struct face_args *a) {
  return alltoall_edges(c, a, true, false);
}
int face_neighbor_alltoallw(struct face_call *c, const struct face_args *a) {
  return alltoall_edges(c, a, true, true);
}

/* -- functions that block ---------------------------------------------------------------------- */

#define FACE_BLOCKING(name, fields, ...)                            \
  FACE_DEFINE(int, Neighbor_##name, (__VA_ARGS__, MPI_Comm comm)) { \
    FACE_ENTER("MPI_Neighbor_" #name);                              \
    const struct face_args a = fields;                              \
    return face_collective(face_neighbor_##name, &a, comm, NULL);   \
  }
FACE_NEIGHBOR_CALLS(FACE_BLOCKING)
