/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_exchange.c - transposition by a fused exchange between all units (Friedley 2013, section
 * 5.3), in one matrix. The source's figure 5.12 has one as well, and overwrites a block before its
 * peer has read it. Here two units of a node swap their blocks: each swaps half of the pairs, so
 * both work, no number is written before it is read, and each line that is written was read just
 * before. Between nodes blocks are packed, all of a unit before it unpacks the first. */
#include <stdlib.h>

#include "fft2d.h"

/* Of an edge: who the other unit is; and the matrix of the unit itself. */
struct end {
  fft2d_number *matrix;
  uint32_t me, other;
};

struct exchange_state {
  const struct fft2d_unit *u;
  eyot_exchange_t exchange;
  struct end *end; /* of both directions */
  int code;        /* of the first call that failed inside an exchange */
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

/* The edge from the lower unit has the first half of the rows of its block, and the edge to it the
 * others. */
static void edge_fused(void *context, const void *send, const void *recv) {
  struct exchange_state *s = context;
  const struct fft2d_unit *u = s->u;
  const struct end *from = send, *to = recv;
  const bool up = from->me < to->me;
  const struct end *low = up ? from : to, *high = up ? to : from;
  fft2d_number *block = low->matrix + high->me * u->rows;
  if (low->me == high->me)
    code_keep(s, fft2d_turn_in_place(u, block));
  else
    code_keep(s, fft2d_swap(u, block, high->matrix + low->me * u->rows, up ? 0 : u->rows / 2,
                            up ? u->rows / 2 : u->rows));
}

static int exchange_open(const struct fft2d_unit *u, void **state) {
  struct exchange_state *s = calloc(1, sizeof *s);
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  s->u = u;
  s->end = calloc(u->units, sizeof *s->end);
  if (s->end == NULL) return fft2d_fail("private memory for edges", EYOT_ENOMEM);
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

static int exchange_transpose(const struct fft2d_unit *u, void *state, fft2d_number *matrix) {
  struct exchange_state *s = state;
  for (uint32_t i = 0; i < u->units; i++)
    s->end[i] = (struct end){.matrix = matrix, .me = u->me, .other = i};
  FFT2D_TRY(eyot_exchange(s->exchange, s->end, s->end));
  if (s->code != EYOT_OK) return fft2d_fail("a loop of the exchange", s->code);
  return EYOT_OK;
}

static int exchange_close(const struct fft2d_unit *u, void *state) {
  struct exchange_state *s = state;
  (void)u;
  FFT2D_TRY(eyot_exchange_destroy(&s->exchange));
  free(s->end);
  free(s);
  return EYOT_OK;
}

const struct fft2d_variant FFT2D_EXCHANGE = {"exchange", true, exchange_open, exchange_transpose,
                                             exchange_close};
