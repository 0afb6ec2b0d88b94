/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_mpi.c - the transposition of examples/fft3d by MPI's own messages, and the table of ways
 * with it. Linked instead of fft3d_variants.c, as bench_fft3d. See fft3d_msg.c for the protocol.
 * MPI's errors end the job. */
#include <mpi.h>
#include <stdlib.h>

#include "../examples/fft3d/fft3d.h"

enum { TAG = 1 };

struct mpi_state {
  MPI_Request *send, *recv;
  MPI_Status *status; /* not read */
};

static int mpi_open(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct mpi_state *s = calloc(1, sizeof *s);
  if (s == NULL) return fft3d_fail("private memory", EYOT_ENOMEM);
  g->state = s;
  g->out = malloc(u->numbers * sizeof *g->out);
  g->in = malloc(u->numbers * sizeof *g->in);
  s->send = malloc(u->units * sizeof(MPI_Request));
  s->recv = malloc(u->units * sizeof(MPI_Request));
  s->status = malloc(u->units * sizeof *s->status);
  if (g->out == NULL || g->in == NULL || s->send == NULL || s->recv == NULL || s->status == NULL)
    return fft3d_fail("private memory for messages", EYOT_ENOMEM);
  s->send[u->me] = s->recv[u->me] = MPI_REQUEST_NULL;
  return EYOT_OK;
}

static int mpi_begin(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct mpi_state *s = g->state;
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    MPI_Irecv(g->in + from * u->piece, (int)u->piece, MPI_C_DOUBLE_COMPLEX, (int)from, TAG,
              MPI_COMM_WORLD, &s->recv[from]);
  }
  return EYOT_OK;
}

static int mpi_send(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t to, uint64_t from,
                    uint64_t count) {
  struct mpi_state *s = g->state;
  MPI_Isend(g->out + to * u->piece + from, (int)count, MPI_C_DOUBLE_COMPLEX, (int)to, TAG,
            MPI_COMM_WORLD, &s->send[to]);
  return EYOT_OK;
}

static int mpi_await(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t from) {
  struct mpi_state *s = g->state;
  (void)u;
  MPI_Wait(&s->recv[from], MPI_STATUS_IGNORE);
  return EYOT_OK;
}

static int mpi_end(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct mpi_state *s = g->state;
  MPI_Waitall((int)u->units, s->send, s->status);
  return EYOT_OK;
}

static int mpi_close(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct mpi_state *s = g->state;
  (void)u;
  free(s->status);
  free(s->recv);
  free(s->send);
  free(g->in);
  free(g->out);
  free(s);
  return EYOT_OK;
}

static const struct fft3d_variant FFT3D_MPI = {"mpi",    false,     mpi_open, mpi_begin,
                                               mpi_send, mpi_await, mpi_end,  mpi_close};
/* The second one shows how much two measurements of the same differ. */
static const struct fft3d_variant FFT3D_MPI_AGAIN = {"mpi_again", false,     mpi_open, mpi_begin,
                                                     mpi_send,    mpi_await, mpi_end,  mpi_close};
const struct fft3d_variant *const FFT3D_VARIANTS[] = {&FFT3D_MPI, &FFT3D_MSG,       &FFT3D_LATE,
                                                      &FFT3D_RMA, &FFT3D_MPI_AGAIN, NULL};
