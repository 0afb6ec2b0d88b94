/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_mpi.c - the transposition of examples/fft2d by MPI's own messages, and the table of ways
 * with it. Linked instead of fft2d_variants.c, as bench_fft2d. See fft2d_msg.c for the protocol.
 * MPI's errors end the job. */
#include <mpi.h>
#include <stdlib.h>

#include "../examples/fft2d/fft2d.h"

enum { TAG = 1 };

struct mpi_state {
  fft2d_number *out, *in;
  MPI_Request *send, *recv;
  MPI_Status *status; /* not read: MPICH's MPI_STATUSES_IGNORE makes gcc 12 warn */
};

static int mpi_open(const struct fft2d_unit *u, void **state) {
  struct mpi_state *s = calloc(1, sizeof *s);
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  s->out = malloc(u->rows * u->n * sizeof *s->out);
  s->in = malloc(u->rows * u->n * sizeof *s->in);
  s->send = malloc(u->units * sizeof(MPI_Request));
  s->recv = malloc(u->units * sizeof(MPI_Request));
  s->status = malloc(u->units * sizeof *s->status);
  if (s->status == NULL || s->out == NULL || s->in == NULL || s->send == NULL || s->recv == NULL)
    return fft2d_fail("private memory for blocks", EYOT_ENOMEM);
  s->send[u->me] = s->recv[u->me] = MPI_REQUEST_NULL;
  return EYOT_OK;
}

static int mpi_transpose(const struct fft2d_unit *u, void *state, fft2d_number *matrix) {
  struct mpi_state *s = state;
  int numbers = (int)u->block;
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    MPI_Irecv(s->in + from * u->block, numbers, MPI_C_DOUBLE_COMPLEX, (int)from, TAG,
              MPI_COMM_WORLD, &s->recv[from]);
  }
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t to = (u->me + i) % u->units;
    FFT2D_TRY(fft2d_pack(u, matrix, to, s->out + to * u->block));
    MPI_Isend(s->out + to * u->block, numbers, MPI_C_DOUBLE_COMPLEX, (int)to, TAG, MPI_COMM_WORLD,
              &s->send[to]);
  }
  FFT2D_TRY(fft2d_pack(u, matrix, u->me, u->own));
  FFT2D_TRY(fft2d_unpack(u, u->own, u->me, matrix));
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    MPI_Wait(&s->recv[from], MPI_STATUS_IGNORE);
    FFT2D_TRY(fft2d_unpack(u, s->in + from * u->block, from, matrix));
  }
  MPI_Waitall((int)u->units, s->send, s->status);
  return EYOT_OK;
}

static int mpi_close(const struct fft2d_unit *u, void *state) {
  struct mpi_state *s = state;
  (void)u;
  free(s->status);
  free(s->recv);
  free(s->send);
  free(s->in);
  free(s->out);
  free(s);
  return EYOT_OK;
}

static const struct fft2d_variant FFT2D_MPI = {"mpi", false, mpi_open, mpi_transpose, mpi_close};
/* The second one shows how much two measurements of the same differ. */
static const struct fft2d_variant FFT2D_MPI_AGAIN = {"mpi_again", false, mpi_open, mpi_transpose,
                                                     mpi_close};
const struct fft2d_variant *const FFT2D_VARIANTS[] = {
    &FFT2D_MPI, &FFT2D_MSG, &FFT2D_OWN, &FFT2D_EXCHANGE, &FFT2D_RMA, &FFT2D_MPI_AGAIN, NULL};
