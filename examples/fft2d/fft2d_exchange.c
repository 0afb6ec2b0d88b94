/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_exchange.c - transposition by a fused exchange between all units (Friedley 2013, section
 * 5.3): within a node the receiver reads a block where the sender has it, and writes it transposed
 * where it belongs. What is read and what is written are two matrices, which take turns: in one
 * matrix, as in the source's figure 5.12, a block would be overwritten before it is read. */
#include <stdlib.h>

#include "fft2d.h"

/* Of an edge: the matrix of the sender, and who the receiver is; the matrix of the receiver, and
 * who the sender is. */
struct end {
  fft2d_number *matrix;
  uint32_t other;
};

struct exchange_state {
  const struct fft2d_unit *u;
  eyot_exchange_t exchange;
  fft2d_number *other; /* the matrix that is written next */
  struct end *out, *in;
  int code; /* of the first call that failed inside an exchange */
};

static void code_keep(struct exchange_state *s, int code) {
  if (s->code == EYOT_OK) s->code = code;
}

static uint64_t edge_pack(void *context, const void *send, void *buf, uint64_t space) {
  struct exchange_state *s = context;
  const struct end *e = send;
  uint64_t bytes = s->u->block * sizeof(fft2d_number);
  if (bytes <= space) code_keep(s, fft2d_pack(s->u, e->matrix, e->other, buf));
  return bytes;
}

static void edge_unpack(void *context, const void *recv, const void *buf, uint64_t bytes) {
  struct exchange_state *s = context;
  const struct end *e = recv;
  (void)bytes;
  code_keep(s, fft2d_unpack(s->u, buf, e->other, e->matrix));
}

static void edge_fused(void *context, const void *send, const void *recv) {
  struct exchange_state *s = context;
  const struct fft2d_unit *u = s->u;
  const struct end *from = send, *to = recv;
  const fft2d_number *block = from->matrix + (uint64_t)from->other * u->rows;
  code_keep(s, fft2d_turn(u, block, u->n, to->matrix + (uint64_t)to->other * u->rows, u->n));
}

/* Edges to all units, this one included. */
static int exchange_connect(const struct fft2d_unit *u, struct exchange_state *s) {
  s->out = calloc(u->units, sizeof *s->out);
  s->in = calloc(u->units, sizeof *s->in);
  if (s->out == NULL || s->in == NULL) return fft2d_fail("private memory for edges", EYOT_ENOMEM);
  for (uint32_t i = 0; i < u->units; i++) s->out[i].other = s->in[i].other = i;
  const eyot_exchange_ops_t ops = {.pack = edge_pack,
                                   .unpack = edge_unpack,
                                   .fused = edge_fused,
                                   .context = s,
                                   .where = EYOT_EXCHANGE_AT_RECEIVER,
                                   .send_bytes = sizeof(struct end),
                                   .recv_bytes = sizeof(struct end),
                                   .space_bytes = u->block * sizeof(fft2d_number)};
  FFT2D_TRY(eyot_exchange_create_all(EYOT_TEAM_ALL, &ops, &s->exchange));
  return EYOT_OK;
}

static int exchange_open(const struct fft2d_unit *u, void **state) {
  struct exchange_state *s = calloc(1, sizeof *s);
  void *other = NULL;
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  s->u = u;
  FFT2D_TRY(eyot_sheap_alloc(u->rows * u->n * sizeof(fft2d_number), &other));
  s->other = other;
  return exchange_connect(u, s);
}

static int exchange_transpose(const struct fft2d_unit *u, void *state, fft2d_number **at) {
  struct exchange_state *s = state;
  fft2d_number *to = s->other;
  for (uint32_t i = 0; i < u->units; i++) {
    s->out[i].matrix = *at;
    s->in[i].matrix = to;
  }
  FFT2D_TRY(eyot_exchange(s->exchange, s->out, s->in));
  if (s->code != EYOT_OK) return fft2d_fail("a loop of the exchange", s->code);
  s->other = *at;
  *at = to;
  return EYOT_OK;
}

static int exchange_close(const struct fft2d_unit *u, void *state) {
  struct exchange_state *s = state;
  (void)u;
  FFT2D_TRY(eyot_exchange_destroy(&s->exchange));
  FFT2D_TRY(eyot_sheap_free(s->other));
  free(s->in);
  free(s->out);
  free(s);
  return EYOT_OK;
}

const struct fft2d_variant FFT2D_EXCHANGE = {"exchange", true, exchange_open, exchange_transpose,
                                             exchange_close};
