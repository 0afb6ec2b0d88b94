/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_own.c - transposition by passing the ownership of buffers (Friedley 2013, section 4.5 and
 * figure B.2): a block is packed into a buffer of its own, which the receiver unpacks and frees.
 * Within a node nothing is copied in between. */
#include <stdlib.h>
#include <string.h>

#include "fft2d.h"

enum { TAG = 2 };

struct own_state {
  void **in;
  eyot_msg_t *give, *take;
  fft2d_number *aside; /* private, of more units than the window has: a block of each unit */
};

static int own_open(const struct fft2d_unit *u, void **state) {
  struct own_state *s = calloc(1, sizeof *s);
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  s->in = calloc(u->units, sizeof *s->in);
  s->give = calloc(u->units, sizeof *s->give);
  s->take = calloc(u->units, sizeof *s->take);
  if (s->in == NULL || s->give == NULL || s->take == NULL)
    return fft2d_fail("private memory for handles of messages", EYOT_ENOMEM);
  if (u->units <= FFT2D_WINDOW) return EYOT_OK;
  s->aside = malloc(u->units * u->block * sizeof *s->aside);
  return s->aside != NULL ? EYOT_OK : fft2d_fail("private memory for blocks", EYOT_ENOMEM);
}

static uint32_t before(const struct fft2d_unit *u, uint32_t distance) {
  return (u->me + u->units - distance) % u->units;
}

static int block_expect(const struct fft2d_unit *u, struct own_state *s, uint32_t distance) {
  uint32_t from = before(u, distance);
  FFT2D_TRY(
      eyot_own_take_nb(EYOT_TEAM_ALL, (eyot_tunit_t){from}, TAG, &s->in[from], &s->take[from]));
  return EYOT_OK;
}

/* The window goes on: the block cannot be unpacked yet, and its buffer is not kept meanwhile. */
static int block_aside(const struct fft2d_unit *u, struct own_state *s, uint32_t distance) {
  uint32_t from = before(u, distance);
  FFT2D_TRY(eyot_msg_wait(&s->take[from], NULL));
  memcpy(s->aside + from * u->block, s->in[from], u->block * sizeof *s->aside);
  FFT2D_TRY(eyot_own_free(&s->in[from]));
  return EYOT_OK;
}

static int block_arrives(const struct fft2d_unit *u, struct own_state *s, uint32_t distance,
                         fft2d_number *matrix) {
  uint32_t from = before(u, distance);
  if (distance + FFT2D_WINDOW < u->units)
    return fft2d_unpack(u, s->aside + from * u->block, from, matrix);
  FFT2D_TRY(eyot_msg_wait(&s->take[from], NULL));
  FFT2D_TRY(fft2d_unpack(u, s->in[from], from, matrix));
  FFT2D_TRY(eyot_own_free(&s->in[from]));
  return EYOT_OK;
}

static int give_block(const struct fft2d_unit *u, struct own_state *s, uint32_t to,
                      const fft2d_number *matrix) {
  uint64_t bytes = u->block * sizeof(fft2d_number);
  void *out = NULL;
  FFT2D_TRY(eyot_own_alloc(bytes, &out));
  FFT2D_TRY(fft2d_pack(u, matrix, to, out));
  FFT2D_TRY(eyot_own_give_nb(EYOT_TEAM_ALL, (eyot_tunit_t){to}, TAG, &out, bytes, &s->give[to]));
  return EYOT_OK;
}

static int own_transpose(const struct fft2d_unit *u, void *state, fft2d_number *matrix) {
  struct own_state *s = state;
  for (uint32_t i = 1; i < u->units && i <= FFT2D_WINDOW; i++) FFT2D_TRY(block_expect(u, s, i));
  for (uint32_t i = 1; i < u->units; i++) {
    if (i > FFT2D_WINDOW) {
      FFT2D_TRY(block_aside(u, s, i - FFT2D_WINDOW));
      FFT2D_TRY(block_expect(u, s, i));
    }
    int code = give_block(u, s, (u->me + i) % u->units, matrix);
    if (code != EYOT_OK) return code;
  }
  FFT2D_TRY(fft2d_pack(u, matrix, u->me, u->own));
  FFT2D_TRY(fft2d_unpack(u, u->own, u->me, matrix));
  for (uint32_t i = 1; i < u->units; i++) FFT2D_TRY(block_arrives(u, s, i, matrix));
  FFT2D_TRY(eyot_msg_wait_all(s->give, u->units, NULL));
  return EYOT_OK;
}

static int own_close(const struct fft2d_unit *u, void *state) {
  struct own_state *s = state;
  (void)u;
  free(s->aside);
  free(s->take);
  free(s->give);
  free(s->in);
  free(s);
  return EYOT_OK;
}

const struct fft2d_variant FFT2D_OWN = {"own", false, own_open, own_transpose, own_close};
