/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_rma.c - transposition by puts with signals: each unit has an inbox with a block and a word
 * for each other unit, and a sender puts its block there and sets the word to the number of the
 * transposition.
 *
 * Inboxes have two halves, which take turns. A unit puts into half h for transposition t + 2 when
 * it has the target's block of t + 1, which the target has sent after it has unpacked all of t. So
 * the half is free, and the word of half h has its value of t before it is set again. */
#include <stdlib.h>

#include "fft2d.h"

struct rma_state {
  eyot_gptr_t in_at, word_at, out_at; /* of unit 0; out_at: of this unit */
  fft2d_number *in, *out;
  uint64_t turn;
};

static int allocate(uint64_t bytes, eyot_gptr_t *at) {
  FFT2D_TRY(eyot_team_alloc(EYOT_TEAM_ALL, bytes, at));
  return EYOT_OK;
}

static int rma_open(const struct fft2d_unit *u, void **state) {
  uint64_t bytes = u->rows * u->n * sizeof(fft2d_number);
  struct rma_state *s = calloc(1, sizeof *s);
  void *in = NULL, *out = NULL;
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  int code = allocate(2 * bytes, &s->in_at);
  if (code == EYOT_OK) code = allocate(2 * u->units * sizeof(uint64_t), &s->word_at);
  if (code != EYOT_OK) return code;
  FFT2D_TRY(eyot_alloc(bytes, &s->out_at));
  FFT2D_TRY(eyot_gptr_addr(eyot_gptr_at(s->in_at, (eyot_unit_t){u->me}), &in));
  FFT2D_TRY(eyot_gptr_addr(s->out_at, &out));
  s->in = in;
  s->out = out;
  return EYOT_OK;
}

/* Of the inbox of `unit`: the place that belongs to unit `from`. */
static uint64_t slot_of(const struct fft2d_unit *u, const struct rma_state *s, uint32_t from) {
  return (s->turn & 1) * u->units + from;
}
static eyot_gptr_t word_of(const struct fft2d_unit *u, const struct rma_state *s, uint32_t unit,
                           uint32_t from) {
  return eyot_gptr_add(eyot_gptr_at(s->word_at, (eyot_unit_t){unit}),
                       (int64_t)(slot_of(u, s, from) * sizeof(uint64_t)));
}

static int send_block(const struct fft2d_unit *u, struct rma_state *s, uint32_t to,
                      const fft2d_number *matrix) {
  uint64_t bytes = u->block * sizeof(fft2d_number);
  fft2d_number *block = s->out + to * u->block;
  eyot_gptr_t there = eyot_gptr_add(eyot_gptr_at(s->in_at, (eyot_unit_t){to}),
                                    (int64_t)(slot_of(u, s, u->me) * bytes));
  FFT2D_TRY(fft2d_pack(u, matrix, to, block));
  FFT2D_TRY(
      eyot_put_signal_nbi(there, block, bytes, word_of(u, s, to, u->me), EYOT_SIGNAL_SET, s->turn));
  return EYOT_OK;
}

static int rma_transpose(const struct fft2d_unit *u, void *state, fft2d_number *matrix) {
  struct rma_state *s = state;
  s->turn++;
  for (uint32_t i = 1; i < u->units; i++) {
    int code = send_block(u, s, (u->me + i) % u->units, matrix);
    if (code != EYOT_OK) return code;
  }
  FFT2D_TRY(fft2d_pack(u, matrix, u->me, u->own));
  FFT2D_TRY(fft2d_unpack(u, u->own, u->me, matrix));
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    FFT2D_TRY(eyot_wait_until(word_of(u, s, u->me, from), EYOT_CMP_GE, s->turn, NULL));
    FFT2D_TRY(fft2d_unpack(u, s->in + slot_of(u, s, from) * u->block, from, matrix));
  }
  FFT2D_TRY(eyot_flush_all(EYOT_LOCAL)); /* the packed blocks may change */
  return EYOT_OK;
}

static int rma_close(const struct fft2d_unit *u, void *state) {
  struct rma_state *s = state;
  (void)u;
  FFT2D_TRY(eyot_flush_all(EYOT_REMOTE));
  FFT2D_TRY(eyot_free(s->out_at));
  FFT2D_TRY(eyot_team_free(s->word_at));
  FFT2D_TRY(eyot_team_free(s->in_at));
  free(s);
  return EYOT_OK;
}

const struct fft2d_variant FFT2D_RMA = {"rma", false, rma_open, rma_transpose, rma_close};
