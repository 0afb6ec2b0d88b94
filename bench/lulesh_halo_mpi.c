/* SPDX-License-Identifier: BSD-3-Clause */
/* lulesh_halo_mpi.c - the exchanges of examples/lulesh_halo by MPI's own messages, and the table of
 * ways with it. Linked instead of lulesh_halo_variants.c, as bench_lulesh_halo. See lh_msg.c for
 * the protocol. MPI's errors end the job. */
#include <mpi.h>
#include <stdlib.h>

#include "../examples/lulesh_halo/lulesh_halo.h"

struct mpi_state {
  char *out, *in;
  MPI_Request send[LH_DIRECTIONS], recv[LH_DIRECTIONS];
  MPI_Status status[LH_DIRECTIONS]; /* not read */
};

static int mpi_open(struct lh_mesh *m) {
  struct mpi_state *s = calloc(1, sizeof *s);
  if (s == NULL) return lh_fail("private memory", EYOT_ENOMEM);
  m->state = s;
  s->out = malloc(m->slots_bytes);
  s->in = malloc(m->slots_bytes);
  if (s->out == NULL || s->in == NULL) return lh_fail("private memory for messages", EYOT_ENOMEM);
  for (uint32_t d = 0; d < LH_DIRECTIONS; d++) s->send[d] = s->recv[d] = MPI_REQUEST_NULL;
  return EYOT_OK;
}

static int tag_of(enum lh_kind kind, uint32_t direction) {
  return (int)((uint32_t)kind * LH_DIRECTIONS + direction);
}

static int mpi_begin(struct lh_mesh *m, enum lh_kind kind) {
  struct mpi_state *s = m->state;
  for (uint32_t d = 0; d < LH_DIRECTIONS; d++)
    if (lh_receives(m, kind, d))
      MPI_Irecv(s->in + m->slot_at[kind][d], (int)lh_bytes(m, kind, d), MPI_BYTE,
                (int)lh_neighbor(m, d), tag_of(kind, LH_DIRECTIONS - 1 - d), MPI_COMM_WORLD,
                &s->recv[d]);
  return EYOT_OK;
}

static int mpi_out(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, double **out) {
  const struct mpi_state *s = m->state;
  *out = (void *)(s->out + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static int mpi_send(struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  struct mpi_state *s = m->state;
  MPI_Isend(s->out + m->slot_at[kind][direction], (int)lh_bytes(m, kind, direction), MPI_BYTE,
            (int)lh_neighbor(m, direction), tag_of(kind, direction), MPI_COMM_WORLD,
            &s->send[direction]);
  return EYOT_OK;
}

static int mpi_await(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, const double **in) {
  struct mpi_state *s = m->state;
  MPI_Wait(&s->recv[direction], MPI_STATUS_IGNORE);
  *in = (void *)(s->in + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static int mpi_end(struct lh_mesh *m, enum lh_kind kind) {
  struct mpi_state *s = m->state;
  (void)kind;
  MPI_Waitall(LH_DIRECTIONS, s->send, s->status);
  return EYOT_OK;
}

static int mpi_close(struct lh_mesh *m) {
  struct mpi_state *s = m->state;
  free(s->in);
  free(s->out);
  free(s);
  return EYOT_OK;
}

static const struct lh_variant LH_MPI = {"mpi",    mpi_open,  mpi_begin, mpi_out,
                                         mpi_send, mpi_await, mpi_end,   mpi_close};
/* The second one shows how much two measurements of the same differ. */
static const struct lh_variant LH_MPI_AGAIN = {"mpi_again", mpi_open,  mpi_begin, mpi_out,
                                               mpi_send,    mpi_await, mpi_end,   mpi_close};
const struct lh_variant *const LH_VARIANTS[] = {&LH_MPI, &LH_MSG, &LH_RMA, &LH_MPI_AGAIN, NULL};
