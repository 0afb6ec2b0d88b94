/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d_msg.c - a transposition by two-sided messages, one for each pair of units, after all planes
 * are ready. Buffers lie in the symmetric heap, from which a receiver copies a long message itself.
 */
#include <stdlib.h>

#include "fft3d.h"

enum { TAG = 1 };
/* The most pieces that a unit expects at a time, so that what is under way does not grow with the
 * number of units. */
#define WINDOW 128u

struct msg_state {
  eyot_gptr_t at;
  eyot_msg_t *send, *recv;
  uint32_t expected; /* of the units before this one, from the nearest on */
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

static uint32_t before(const struct fft3d_unit *u, uint32_t distance) {
  return (u->me + u->units - distance) % u->units;
}

/* Those of the units up to a distance. */
static int pieces_expect(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t most) {
  struct msg_state *s = g->state;
  while (s->expected < most && s->expected + 1 < u->units) {
    uint32_t from = before(u, ++s->expected);
    FFT3D_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){from}, TAG, g->in + from * u->piece,
                           u->piece * sizeof *g->in, &s->recv[from]));
  }
  return EYOT_OK;
}

static int msg_begin(const struct fft3d_unit *u, struct fft3d_grid *g) {
  struct msg_state *s = g->state;
  s->expected = 0;
  return pieces_expect(u, g, WINDOW);
}

static int msg_send(const struct fft3d_unit *u, struct fft3d_grid *g, uint32_t to, uint64_t from,
                    uint64_t count) {
  struct msg_state *s = g->state;
  uint32_t distance = (to + u->units - u->me) % u->units;
  if (distance > WINDOW) {
    FFT3D_TRY(eyot_msg_wait(&s->recv[before(u, distance - WINDOW)], NULL));
    FFT3D_TRY(pieces_expect(u, g, distance));
  }
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
