/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_rma.c - transpositions by puts with signals: a unit counts, for each other unit, the
 * numbers that have come from there. `rma` puts a plane as soon as it is ready, and waits when all
 * are; `late` puts whole pieces when all are ready, to show what the overlap is worth.
 *
 * Inboxes have two halves, which take turns. A unit puts into a half for transposition t + 2 when
 * it has all of the target's t + 1, which the target has sent after it had unpacked all of t. So
 * the half is free, and its words have all that was added in t. */
#include <stdlib.h>

#include "fft3d.h"

struct rma_state {
  eyot_gptr_t in_at, word_at, out_at; /* of unit 0; out_at: of this unit */
  fft3d_number *in;
  uint64_t turn;
};

static int rma_open(const struct fft3d_unit *u, struct fft3d_grid *g) {
  uint64_t bytes = u->numbers * sizeof(fft3d_number);
  struct rma_state *s = calloc(1, sizeof *s);
  void *in = NULL, *out = NULL;
  if (s == NULL) return fft3d_fail("private memory", EYOT_ENOMEM);
  g->state = s;
  FFT3D_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * bytes, &s->in_at));
  FFT3D_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * u->units * sizeof(uint64_t), &s->word_at));
  FFT3D_TRY(eyot_alloc(bytes, &s->out_at));
  FFT3D_TRY(eyot_gptr_addr(eyot_gptr_at(s->in_at, (eyot_unit_t){u->me}), &in));
  FFT3D_TRY(eyot_gptr_addr(s->out_at, &out));
  s->in = in;
  g->out = out;
  return EYOT_OK;
}

static uint64_t half_of(const struct rma_state *s) {
  return s->turn & 1;
}

static int rma_begin(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct rma_state *s = g->state;
  s->turn++;
  g->in = s->in + half_of(s) * u->numbers;
  return EYOT_OK;
}

static eyot_gptr_t word_of(const struct fft3d_unit *u, const struct rma_state *s, uint32_t unit,
                           uint32_t from) {
  return eyot_gptr_add(eyot_gptr_at(s->word_at, (eyot_unit_t){unit}),
                       (int64_t)((half_of(s) * u->units + from) * sizeof(uint64_t)));
}

static int rma_send(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t to, uint64_t from,
                    uint64_t count) {
  const struct rma_state *s = g->state;
  uint64_t at = half_of(s) * u->numbers + u->me * u->piece + from;
  eyot_gptr_t there = eyot_gptr_add(eyot_gptr_at(s->in_at, (eyot_unit_t){to}),
                                    (int64_t)(at * sizeof(fft3d_number)));
  FFT3D_TRY(eyot_put_signal_nbi(there, g->out + to * u->piece + from, count * sizeof *g->out,
                                word_of(u, s, to, u->me), EYOT_SIGNAL_ADD, count));
  return EYOT_OK;
}

/* Half of the transpositions so far, the first one rounded up, have used this half. */
static int rma_await(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t from) {
  const struct rma_state *s = g->state;
  uint64_t uses = (s->turn + 1) / 2;
  FFT3D_TRY(eyot_wait_until(word_of(u, s, u->me, from), EYOT_CMP_GE, uses * u->piece, NULL));
  return EYOT_OK;
}

static int rma_end(const struct fft3d_unit *u, struct fft3d_grid *g) {
  (void)u;
  (void)g;
  FFT3D_TRY(eyot_flush_all(EYOT_LOCAL)); /* the packed numbers may change */
  return EYOT_OK;
}

static int rma_close(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct rma_state *s = g->state;
  (void)u;
  FFT3D_TRY(eyot_flush_all(EYOT_REMOTE));
  FFT3D_TRY(eyot_free(s->out_at));
  FFT3D_TRY(eyot_team_free(s->word_at));
  FFT3D_TRY(eyot_team_free(s->in_at));
  free(s);
  return EYOT_OK;
}

const struct fft3d_variant FFT3D_RMA = {"rma",    true,      rma_open, rma_begin,
                                        rma_send, rma_await, rma_end,  rma_close};
const struct fft3d_variant FFT3D_LATE = {"late",   false,     rma_open, rma_begin,
                                         rma_send, rma_await, rma_end,  rma_close};
