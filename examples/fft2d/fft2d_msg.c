/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d_msg.c - transposition by two-sided messages: each block is sent as soon as it is packed,
 * and unpacked when it is there. Buffers lie in the symmetric heap, from which a receiver copies a
 * long message itself. */
#include <stdlib.h>

#include "fft2d.h"

enum { TAG = 1 };

struct msg_state {
  eyot_gptr_t out_at, in_at;
  fft2d_number *out, *in; /* a block for each unit */
  eyot_msg_t *send, *recv;
};

static int allocate(uint64_t bytes, eyot_gptr_t *at, fft2d_number **address) {
  void *p = NULL;
  FFT2D_TRY(eyot_alloc(bytes, at));
  FFT2D_TRY(eyot_gptr_addr(*at, &p));
  *address = p;
  return EYOT_OK;
}

static int msg_open(const struct fft2d_unit *u, void **state) {
  uint64_t bytes = u->rows * u->n * sizeof(fft2d_number);
  struct msg_state *s = calloc(1, sizeof *s);
  if (s == NULL) return fft2d_fail("private memory", EYOT_ENOMEM);
  *state = s;
  s->send = calloc(u->units, sizeof *s->send);
  s->recv = calloc(u->units, sizeof *s->recv);
  if (s->send == NULL || s->recv == NULL)
    return fft2d_fail("private memory for handles of messages", EYOT_ENOMEM);
  int code = allocate(bytes, &s->out_at, &s->out);
  return code != EYOT_OK ? code : allocate(bytes, &s->in_at, &s->in);
}

static uint32_t before(const struct fft2d_unit *u, uint32_t distance) {
  return (u->me + u->units - distance) % u->units;
}

static int block_expect(const struct fft2d_unit *u, struct msg_state *s, uint32_t distance) {
  uint32_t from = before(u, distance);
  FFT2D_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){from}, TAG, s->in + from * u->block,
                         u->block * sizeof(fft2d_number), &s->recv[from]));
  return EYOT_OK;
}

static int msg_transpose(const struct fft2d_unit *u, void *state, fft2d_number *matrix) {
  struct msg_state *s = state;
  uint64_t bytes = u->block * sizeof(fft2d_number);
  /* Each unit begins with the unit after it: no unit is the first target of all others. */
  for (uint32_t i = 1; i < u->units && i <= FFT2D_WINDOW; i++) FFT2D_TRY(block_expect(u, s, i));
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t to = (u->me + i) % u->units;
    if (i > FFT2D_WINDOW) {
      FFT2D_TRY(eyot_msg_wait(&s->recv[before(u, i - FFT2D_WINDOW)], NULL));
      FFT2D_TRY(block_expect(u, s, i));
    }
    FFT2D_TRY(fft2d_pack(u, matrix, to, s->out + to * u->block));
    FFT2D_TRY(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){to}, TAG, s->out + to * u->block, bytes,
                           &s->send[to]));
  }
  FFT2D_TRY(fft2d_pack(u, matrix, u->me, u->own));
  FFT2D_TRY(fft2d_unpack(u, u->own, u->me, matrix));
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = before(u, i);
    FFT2D_TRY(eyot_msg_wait(&s->recv[from], NULL));
    FFT2D_TRY(fft2d_unpack(u, s->in + from * u->block, from, matrix));
  }
  FFT2D_TRY(eyot_msg_wait_all(s->send, u->units, NULL));
  return EYOT_OK;
}

static int msg_close(const struct fft2d_unit *u, void *state) {
  struct msg_state *s = state;
  (void)u;
  FFT2D_TRY(eyot_free(s->in_at));
  FFT2D_TRY(eyot_free(s->out_at));
  free(s->recv);
  free(s->send);
  free(s);
  return EYOT_OK;
}

const struct fft2d_variant FFT2D_MSG = {"msg", false, msg_open, msg_transpose, msg_close};
