/* SPDX-License-Identifier: BSD-3-Clause */
/* milc_mpi.c - the exchanges of examples/milc by MPI's own messages, and the table of ways with it.
 * Linked instead of milc_variants.c, as bench_milc. See mc_msg.c for the protocol. Allreduces are
 * eyot's in all ways. MPI's errors end the job. */
#include <mpi.h>
#include <stdlib.h>

#include "../examples/milc/milc.h"

struct mpi_state {
  char *out, *in;
  MPI_Request send[MC_DIRECTIONS], recv[MC_DIRECTIONS];
  MPI_Status status[MC_DIRECTIONS]; /* not read */
};

static int mpi_open(struct mc_lattice *l) {
  struct mpi_state *s = calloc(1, sizeof *s);
  if (s == NULL) return mc_fail("private memory", EYOT_ENOMEM);
  l->state = s;
  s->out = malloc(l->slots_bytes);
  s->in = malloc(l->slots_bytes);
  if (s->out == NULL || s->in == NULL) return mc_fail("private memory for messages", EYOT_ENOMEM);
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) s->send[d] = s->recv[d] = MPI_REQUEST_NULL;
  return EYOT_OK;
}

static int mpi_begin(struct mc_lattice *l) {
  struct mpi_state *s = l->state;
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    if (!mc_has_neighbor(l, d)) continue;
    l->ghost[d] = (void *)(s->in + l->slot_at[d]);
    MPI_Irecv(s->in + l->slot_at[d], (int)mc_bytes(l, d), MPI_BYTE, (int)mc_neighbor(l, d),
              (int)(d ^ 1), MPI_COMM_WORLD, &s->recv[d]);
  }
  return EYOT_OK;
}

static int mpi_out(struct mc_lattice *l, uint32_t direction, mc_vector_t **out) {
  const struct mpi_state *s = l->state;
  *out = (void *)(s->out + l->slot_at[direction]);
  return EYOT_OK;
}

static int mpi_send(struct mc_lattice *l, uint32_t direction) {
  struct mpi_state *s = l->state;
  MPI_Isend(s->out + l->slot_at[direction], (int)mc_bytes(l, direction), MPI_BYTE,
            (int)mc_neighbor(l, direction), (int)direction, MPI_COMM_WORLD, &s->send[direction]);
  return EYOT_OK;
}

static int mpi_receive(struct mc_lattice *l) {
  struct mpi_state *s = l->state;
  MPI_Waitall(MC_DIRECTIONS, s->recv, s->status);
  return EYOT_OK;
}

static int mpi_end(struct mc_lattice *l) {
  struct mpi_state *s = l->state;
  MPI_Waitall(MC_DIRECTIONS, s->send, s->status);
  return EYOT_OK;
}

static int mpi_close(struct mc_lattice *l) {
  struct mpi_state *s = l->state;
  free(s->in);
  free(s->out);
  free(s);
  return EYOT_OK;
}

static const struct mc_variant MC_MPI = {"mpi",    mpi_open,    mpi_begin, mpi_out,
                                         mpi_send, mpi_receive, mpi_end,   mpi_close};
/* The second one shows how much two measurements of the same differ. */
static const struct mc_variant MC_MPI_AGAIN = {"mpi_again", mpi_open,    mpi_begin, mpi_out,
                                               mpi_send,    mpi_receive, mpi_end,   mpi_close};
const struct mc_variant *const MC_VARIANTS[] = {&MC_MPI, &MC_MSG,       &MC_GET,
                                                &MC_RMA, &MC_MPI_AGAIN, NULL};
