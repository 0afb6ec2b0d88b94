/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_msg.c - exchanges by two-sided messages: receives are posted before anything is sent. Buffers
 * lie in the symmetric heap, from which a receiver copies a long message itself. */
#include <stdlib.h>

#include "lulesh_halo.h"

struct msg_state {
  eyot_gptr_t at;
  char *out, *in;
  eyot_msg_t send[LH_DIRECTIONS], recv[LH_DIRECTIONS];
};

static int msg_open(struct lh_mesh *m) {
  struct msg_state *s = calloc(1, sizeof *s);
  void *p = NULL;
  if (s == NULL) return lh_fail("private memory", EYOT_ENOMEM);
  m->state = s;
  LH_TRY(eyot_alloc(2 * m->slots_bytes, &s->at));
  LH_TRY(eyot_gptr_addr(s->at, &p));
  s->out = p;
  s->in = s->out + m->slots_bytes;
  return EYOT_OK;
}

/* The tag names the exchange and the direction in which the message travels. */
static int32_t tag_of(enum lh_kind kind, uint32_t direction) {
  return (int32_t)((uint32_t)kind * LH_DIRECTIONS + direction);
}

static int msg_begin(struct lh_mesh *m, enum lh_kind kind) {
  struct msg_state *s = m->state;
  for (uint32_t d = 0; d < LH_DIRECTIONS; d++)
    if (lh_receives(m, kind, d))
      LH_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){lh_neighbor(m, d)},
                          tag_of(kind, LH_DIRECTIONS - 1 - d), s->in + m->slot_at[kind][d],
                          lh_bytes(m, kind, d), &s->recv[d]));
  return EYOT_OK;
}

static int msg_out(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, double **out) {
  const struct msg_state *s = m->state;
  *out = (void *)(s->out + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static int msg_send(struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  struct msg_state *s = m->state;
  LH_TRY(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){lh_neighbor(m, direction)},
                      tag_of(kind, direction), s->out + m->slot_at[kind][direction],
                      lh_bytes(m, kind, direction), &s->send[direction]));
  return EYOT_OK;
}

static int msg_await(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, const double **in) {
  struct msg_state *s = m->state;
  LH_TRY(eyot_msg_wait(&s->recv[direction], NULL));
  *in = (void *)(s->in + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static int msg_end(struct lh_mesh *m, enum lh_kind kind) {
  struct msg_state *s = m->state;
  (void)kind;
  LH_TRY(eyot_msg_wait_all(s->send, LH_DIRECTIONS, NULL));
  return EYOT_OK;
}

static int msg_close(struct lh_mesh *m) {
  struct msg_state *s = m->state;
  LH_TRY(eyot_free(s->at));
  free(s);
  return EYOT_OK;
}

const struct lh_variant LH_MSG = {"msg",    msg_open,  msg_begin, msg_out,
                                  msg_send, msg_await, msg_end,   msg_close};
