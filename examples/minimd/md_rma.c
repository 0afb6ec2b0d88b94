/* SPDX-License-Identifier: BSD-3-Clause */
/* md_rma.c - swaps by puts with signals: each slot has a place and a word in its receiver's memory,
 * and a sender sets the word to the number of the slot's exchanges. That the place is free, and
 * that the word has its value before it is set again, follows from the order of swaps (see struct
 * md_variant). */
#include <stdlib.h>

#include "minimd.h"

struct rma_state {
  eyot_gptr_t in_at, out_at; /* of unit 0; of this unit */
  char *in, *out;
  uint64_t words;          /* where the words begin, in bytes */
  uint64_t turn[MD_SLOTS]; /* exchanges so far */
};

static int rma_open(struct md_system *s) {
  struct rma_state *state = calloc(1, sizeof *state);
  void *in = NULL, *out = NULL;
  if (state == NULL) return md_fail("private memory", EYOT_ENOMEM);
  s->state = state;
  state->words = md_slot_end(s);
  MD_TRY(eyot_team_alloc(EYOT_TEAM_ALL, state->words + MD_SLOTS * sizeof(uint64_t), &state->in_at));
  MD_TRY(eyot_alloc(md_slot_end(s), &state->out_at));
  MD_TRY(eyot_gptr_addr(eyot_gptr_at(state->in_at, (eyot_unit_t){s->me}), &in));
  MD_TRY(eyot_gptr_addr(state->out_at, &out));
  state->in = in;
  state->out = out;
  return EYOT_OK;
}

static int rma_begin(struct md_system *s, const struct md_message *m, void **out) {
  const struct rma_state *state = s->state;
  *out = state->out + md_slot_at(s, m->slot);
  return EYOT_OK;
}

static eyot_gptr_t place_of(const struct rma_state *state, uint32_t unit, uint64_t offset) {
  return eyot_gptr_add(eyot_gptr_at(state->in_at, (eyot_unit_t){unit}), (int64_t)offset);
}

static int rma_exchange(struct md_system *s, const struct md_message *m, const void **in) {
  struct rma_state *state = s->state;
  uint64_t at = md_slot_at(s, m->slot), word = state->words + m->slot * sizeof(uint64_t);
  uint64_t turn = ++state->turn[m->slot];
  MD_TRY(eyot_put_signal_nbi(place_of(state, m->to, at), state->out + at, m->out_bytes,
                             place_of(state, m->to, word), EYOT_SIGNAL_SET, turn));
  MD_TRY(eyot_wait_until(place_of(state, s->me, word), EYOT_CMP_GE, turn, NULL));
  MD_TRY(eyot_flush((eyot_unit_t){m->to}, EYOT_LOCAL)); /* the packed bytes may change */
  *in = state->in + at;
  return EYOT_OK;
}

static int rma_end(struct md_system *s, const struct md_message *m, const void *in) {
  (void)s;
  (void)m;
  (void)in;
  return EYOT_OK;
}

static int rma_close(struct md_system *s) {
  struct rma_state *state = s->state;
  MD_TRY(eyot_flush_all(EYOT_REMOTE));
  MD_TRY(eyot_free(state->out_at));
  MD_TRY(eyot_team_free(state->in_at));
  free(state);
  return EYOT_OK;
}

const struct md_variant MD_RMA = {.name = "rma",
                                  .open = rma_open,
                                  .begin = rma_begin,
                                  .exchange = rma_exchange,
                                  .end = rma_end,
                                  .close = rma_close};
