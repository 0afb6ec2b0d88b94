/* SPDX-License-Identifier: BSD-3-Clause */
/* md_msg.c - swaps by two-sided messages. Buffers lie in the symmetric heap, from which a receiver
 * copies a long message itself. */
#include <stdlib.h>

#include "minimd.h"

struct msg_state {
  eyot_gptr_t at;
  char *out, *in;
};

static int msg_open(struct md_system *s) {
  struct msg_state *state = calloc(1, sizeof *state);
  void *p = NULL;
  if (state == NULL) return md_fail("private memory", EYOT_ENOMEM);
  s->state = state;
  MD_TRY(eyot_alloc(2 * md_slot_end(s), &state->at));
  MD_TRY(eyot_gptr_addr(state->at, &p));
  state->out = p;
  state->in = state->out + md_slot_end(s);
  return EYOT_OK;
}

int md_msg_begin(struct md_system *s, const struct md_message *m, void **out) {
  const struct msg_state *state = s->state;
  *out = state->out + md_slot_at(s, m->slot);
  return EYOT_OK;
}

int md_msg_exchange(struct md_system *s, const struct md_message *m, const void **in) {
  const struct msg_state *state = s->state;
  uint64_t at = md_slot_at(s, m->slot);
  int32_t tag = (int32_t)m->slot;
  eyot_msg_t message[2];
  MD_TRY(eyot_recv_nb(EYOT_TEAM_ALL, (eyot_tunit_t){m->from}, tag, state->in + at, m->in_bytes,
                      &message[0]));
  MD_TRY(eyot_send_nb(EYOT_TEAM_ALL, (eyot_tunit_t){m->to}, tag, state->out + at, m->out_bytes,
                      &message[1]));
  MD_TRY(eyot_msg_wait_all(message, 2, NULL));
  *in = state->in + at;
  return EYOT_OK;
}

int md_msg_end(struct md_system *s, const struct md_message *m, const void *in) {
  (void)s;
  (void)m;
  (void)in;
  return EYOT_OK;
}

static int msg_close(struct md_system *s) {
  struct msg_state *state = s->state;
  MD_TRY(eyot_free(state->at));
  free(state);
  return EYOT_OK;
}

const struct md_variant MD_MSG = {.name = "msg",
                                  .open = msg_open,
                                  .begin = md_msg_begin,
                                  .exchange = md_msg_exchange,
                                  .end = md_msg_end,
                                  .close = msg_close};
