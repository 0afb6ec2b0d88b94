/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_msg.c - a transposition by two-sided messages, one for each pair of units, after all planes
 * are ready. Buffers lie in the symmetric heap, from which a receiver copies a long message itself.
 */
#include <stdlib.h>

#include "fft3d.h"

enum { TAG = 1 };

struct msg_state {
  eyot_gptr_t at;
  eyot_msg_t *send, *recv;
};

static int msg_open(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct msg_state *s = calloc(1, sizeof *s);
  void *p = NULL;
  if (s == NULL) return fft3d_fail("private memory", EYOT_ENOMEM);
  g->state = s;
  s->send = calloc(u->units, sizeof *s->send);
  s->recv = calloc(u->units, sizeof *s->recv);
  if (s->send == NULL || s->recv == NULL)
    return fft3d_fail("private memory for handles of messages", EYOT_ENOMEM);
  FFT3D_TRY(eyot_alloc(2 * u->numbers * sizeof(fft3d_number), &s->at));
  FFT3D_TRY(eyot_gptr_addr(s->at, &p));
  g->out = p;
  g->in = g->out + u->numbers;
  return EYOT_OK;
}

static int msg_begin(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct msg_state *s = g->state;
  for (uint32_t i = 1; i < u->units; i++) {
    uint32_t from = (u->me + u->units - i) % u->units;
    FFT3D_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){from}, TAG, g->in + from * u->piece,
                           u->piece * sizeof *g->in, &s->recv[from]));
  }
  return EYOT_OK;
}

static int msg_send(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t to, uint64_t from,
                    uint64_t count) {
  struct msg_state *s = g->state;
  FFT3D_TRY(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){to}, TAG, g->out + to * u->piece + from,
                         count * sizeof *g->out, &s->send[to]));
  return EYOT_OK;
}

static int msg_await(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t from) {
  struct msg_state *s = g->state;
  (void)u;
  FFT3D_TRY(eyot_msg_wait(&s->recv[from], NULL));
  return EYOT_OK;
}

static int msg_end(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct msg_state *s = g->state;
  FFT3D_TRY(eyot_msg_wait_all(s->send, u->units, NULL));
  return EYOT_OK;
}

static int msg_close(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct msg_state *s = g->state;
  (void)u;
  FFT3D_TRY(eyot_free(s->at));
  free(s->recv);
  free(s->send);
  free(s);
  return EYOT_OK;
}

const struct fft3d_variant FFT3D_MSG = {"msg",    false,     msg_open, msg_begin,
                                        msg_send, msg_await, msg_end,  msg_close};
