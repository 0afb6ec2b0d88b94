/* SPDX-License-Identifier: BSD-3-Clause */
/* mc_msg.c - exchanges by two-sided messages. Buffers lie in the symmetric heap, from which a
 * receiver copies a long message itself. */
#include <stdlib.h>

#include "milc.h"

struct msg_state {
  eyot_gptr_t at;
  char *out, *in;
  eyot_msg_t send[MC_DIRECTIONS], recv[MC_DIRECTIONS];
};

static int msg_open(struct mc_lattice *l) {
  struct msg_state *s = calloc(1, sizeof *s);
  void *p = NULL;
  if (s == NULL) return mc_fail("private memory", EYOT_ENOMEM);
  l->state = s;
  MC_TRY(eyot_alloc(2 * l->slots_bytes, &s->at));
  MC_TRY(eyot_gptr_addr(s->at, &p));
  s->out = p;
  s->in = s->out + l->slots_bytes;
  return EYOT_OK;
}

/* A tag is the direction in which a message travels. */
static int msg_begin(struct mc_lattice *l) {
  struct msg_state *s = l->state;
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    if (!mc_has_neighbor(l, d)) continue;
    l->ghost[d] = (void *)(s->in + l->slot_at[d]);
    MC_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){mc_neighbor(l, d)}, (int32_t)(d ^ 1),
                        s->in + l->slot_at[d], mc_bytes(l, d), &s->recv[d]));
  }
  return EYOT_OK;
}

static int msg_out(struct mc_lattice *l, uint32_t direction, mc_vector_t **out) {
  const struct msg_state *s = l->state;
  *out = (void *)(s->out + l->slot_at[direction]);
  return EYOT_OK;
}

static int msg_send(struct mc_lattice *l, uint32_t direction) {
  struct msg_state *s = l->state;
  MC_TRY(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){mc_neighbor(l, direction)}, (int32_t)direction,
                      s->out + l->slot_at[direction], mc_bytes(l, direction), &s->send[direction]));
  return EYOT_OK;
}

static int msg_receive(struct mc_lattice *l) {
  struct msg_state *s = l->state;
  MC_TRY(eyot_msg_wait_all(s->recv, MC_DIRECTIONS, NULL));
  return EYOT_OK;
}

static int msg_end(struct mc_lattice *l) {
  struct msg_state *s = l->state;
  MC_TRY(eyot_msg_wait_all(s->send, MC_DIRECTIONS, NULL));
  return EYOT_OK;
}

static int msg_close(struct mc_lattice *l) {
  struct msg_state *s = l->state;
  MC_TRY(eyot_free(s->at));
  free(s);
  return EYOT_OK;
}

const struct mc_variant MC_MSG = {"msg",    msg_open,    msg_begin, msg_out,
                                  msg_send, msg_receive, msg_end,   msg_close};
