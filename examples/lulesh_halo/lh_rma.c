/* SPDX-License-Identifier: BSD-3-Clause */
/* lh_rma.c - exchanges by puts with signals: a block has a place and a word for each exchange and
 * direction, and a sender sets the word to the number of the exchange.
 *
 * Places have two halves, which take turns by the step. A unit puts into a half for step t + 2 when
 * it has the target's forces of step t + 1, which the target has sent after it had unpacked all of
 * step t. So the half is free, and its word has its value of step t before it is set again. */
#include <stdlib.h>

#include "lulesh_halo.h"

struct rma_state {
  eyot_gptr_t in_at, out_at; /* of unit 0; of this unit */
  char *in, *out;
  uint64_t turn[LH_KINDS]; /* exchanges so far */
};

static uint64_t half_bytes(const struct lh_mesh *m) {
  return m->slots_bytes + LH_KINDS * LH_DIRECTIONS * sizeof(uint64_t);
}

static int rma_open(struct lh_mesh *m) {
  struct rma_state *s = calloc(1, sizeof *s);
  void *in = NULL, *out = NULL;
  if (s == NULL) return lh_fail("private memory", EYOT_ENOMEM);
  m->state = s;
  LH_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * half_bytes(m), &s->in_at));
  LH_TRY(eyot_alloc(m->slots_bytes, &s->out_at));
  LH_TRY(eyot_gptr_addr(eyot_gptr_at(s->in_at, (eyot_unit_t){m->me}), &in));
  LH_TRY(eyot_gptr_addr(s->out_at, &out));
  s->in = in;
  s->out = out;
  return EYOT_OK;
}

static int rma_begin(struct lh_mesh *m, enum lh_kind kind) {
  struct rma_state *s = m->state;
  s->turn[kind]++;
  return EYOT_OK;
}

static int rma_out(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, double **out) {
  const struct rma_state *s = m->state;
  *out = (void *)(s->out + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static uint64_t half_at(const struct lh_mesh *m, enum lh_kind kind) {
  const struct rma_state *s = m->state;
  return (s->turn[kind] & 1) * half_bytes(m);
}
static uint64_t word_at(const struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  uint64_t word = (uint64_t)kind * LH_DIRECTIONS + direction;
  return half_at(m, kind) + m->slots_bytes + word * sizeof(uint64_t);
}
static eyot_gptr_t place_of(const struct lh_mesh *m, uint32_t unit, uint64_t offset) {
  const struct rma_state *s = m->state;
  return eyot_gptr_add(eyot_gptr_at(s->in_at, (eyot_unit_t){unit}), (int64_t)offset);
}

/* The receiver has the message in the slot of the direction from which it comes. */
static int rma_send(struct lh_mesh *m, enum lh_kind kind, uint32_t direction) {
  struct rma_state *s = m->state;
  uint32_t unit = lh_neighbor(m, direction), there = LH_DIRECTIONS - 1 - direction;
  LH_TRY(eyot_put_signal_nbi(place_of(m, unit, half_at(m, kind) + m->slot_at[kind][there]),
                             s->out + m->slot_at[kind][direction], lh_bytes(m, kind, direction),
                             place_of(m, unit, word_at(m, kind, there)), EYOT_SIGNAL_SET,
                             s->turn[kind]));
  return EYOT_OK;
}

static int rma_await(struct lh_mesh *m, enum lh_kind kind, uint32_t direction, const double **in) {
  const struct rma_state *s = m->state;
  LH_TRY(eyot_wait_until(place_of(m, m->me, word_at(m, kind, direction)), EYOT_CMP_GE,
                         s->turn[kind], NULL));
  *in = (void *)(s->in + half_at(m, kind) + m->slot_at[kind][direction]);
  return EYOT_OK;
}

static int rma_end(struct lh_mesh *m, enum lh_kind kind) {
  (void)m;
  (void)kind;
  LH_TRY(eyot_flush_all(EYOT_LOCAL)); /* the packed bytes may change */
  return EYOT_OK;
}

static int rma_close(struct lh_mesh *m) {
  struct rma_state *s = m->state;
  LH_TRY(eyot_flush_all(EYOT_REMOTE));
  LH_TRY(eyot_free(s->out_at));
  LH_TRY(eyot_team_free(s->in_at));
  free(s);
  return EYOT_OK;
}

const struct lh_variant LH_RMA = {"rma",    rma_open,  rma_begin, rma_out,
                                  rma_send, rma_await, rma_end,   rma_close};
