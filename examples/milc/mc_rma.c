/* SPDX-License-Identifier: BSD-3-Clause */
/* mc_rma.c - one-sided exchanges. `get` is the scheme of the source: a unit packs its sides into
 * its own memory and tells each neighbor by an atomic addition; the neighbor waits for that, and
 * gets the side. `rma` puts a side with a signal, which takes one operation less.
 *
 * Memory has two halves, which take turns. A unit packs or puts into a half for exchange t + 2 when
 * it has the neighbor's side of t + 1, which the neighbor has sent after it had received all of t
 * and computed with it. So the half is free. Words count exchanges, those of `get` all, those of
 * `rma`, one for each half, by their numbers. */
#include <stdlib.h>

#include "milc.h"

struct rma_state {
  eyot_gptr_t at, word_at; /* of unit 0: what others access */
  char *mine;              /* this unit's part of it */
  char *other;             /* private, or of this unit's heap: the other end */
  eyot_gptr_t other_at;
  uint64_t turn;
};

static int rma_open(struct mc_lattice *l) {
  struct rma_state *s = calloc(1, sizeof *s);
  void *mine = NULL, *other = NULL;
  if (s == NULL) return mc_fail("private memory", EYOT_ENOMEM);
  l->state = s;
  MC_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * l->slots_bytes, &s->at));
  MC_TRY(eyot_team_alloc(EYOT_TEAM_ALL, 2 * MC_DIRECTIONS * sizeof(uint64_t), &s->word_at));
  MC_TRY(eyot_alloc(l->slots_bytes, &s->other_at));
  MC_TRY(eyot_gptr_addr(eyot_gptr_at(s->at, (eyot_unit_t){l->me}), &mine));
  MC_TRY(eyot_gptr_addr(s->other_at, &other));
  s->mine = mine;
  s->other = other;
  return EYOT_OK;
}

static int rma_begin(struct mc_lattice *l) {
  struct rma_state *s = l->state;
  s->turn++;
  return EYOT_OK;
}

/* Of the half of this exchange, in bytes. */
static uint64_t slot_at(const struct mc_lattice *l, uint32_t direction) {
  const struct rma_state *s = l->state;
  return (s->turn & 1) * l->slots_bytes + l->slot_at[direction];
}
static eyot_gptr_t slot_of(const struct mc_lattice *l, uint32_t unit, uint32_t direction) {
  const struct rma_state *s = l->state;
  return eyot_gptr_add(eyot_gptr_at(s->at, (eyot_unit_t){unit}), (int64_t)slot_at(l, direction));
}
static eyot_gptr_t word_of(const struct mc_lattice *l, uint32_t unit, uint64_t half,
                           uint32_t direction) {
  const struct rma_state *s = l->state;
  return eyot_gptr_add(eyot_gptr_at(s->word_at, (eyot_unit_t){unit}),
                       (int64_t)((half * MC_DIRECTIONS + direction) * sizeof(uint64_t)));
}

static int get_out(struct mc_lattice *l, uint32_t direction, mc_vector_t **out) {
  const struct rma_state *s = l->state;
  *out = (void *)(s->mine + slot_at(l, direction));
  return EYOT_OK;
}

static int get_send(struct mc_lattice *l, uint32_t direction) {
  const uint64_t one = 1;
  MC_TRY(eyot_sync()); /* the packed side before the addition */
  MC_TRY(eyot_accumulate_nbi(word_of(l, mc_neighbor(l, direction), 0, direction ^ 1), EYOT_UINT64,
                             EYOT_SUM, &one));
  return EYOT_OK;
}

static int get_receive(struct mc_lattice *l) {
  const struct rma_state *s = l->state;
  eyot_handle_t get[MC_DIRECTIONS];
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    get[d] = EYOT_HANDLE_DONE;
    if (!mc_has_neighbor(l, d)) continue;
    l->ghost[d] = (void *)(s->other + l->slot_at[d]);
    MC_TRY(eyot_wait_until(word_of(l, l->me, 0, d), EYOT_CMP_GE, s->turn, NULL));
    MC_TRY(eyot_get_nb(s->other + l->slot_at[d], slot_of(l, mc_neighbor(l, d), d ^ 1),
                       mc_bytes(l, d), &get[d]));
  }
  MC_TRY(eyot_wait_all(get, MC_DIRECTIONS, EYOT_REMOTE));
  return EYOT_OK;
}

static int get_end(struct mc_lattice *l) {
  (void)l;
  return EYOT_OK;
}

static int rma_out(struct mc_lattice *l, uint32_t direction, mc_vector_t **out) {
  const struct rma_state *s = l->state;
  *out = (void *)(s->other + l->slot_at[direction]);
  return EYOT_OK;
}

static int rma_send(struct mc_lattice *l, uint32_t direction) {
  const struct rma_state *s = l->state;
  uint32_t unit = mc_neighbor(l, direction);
  MC_TRY(eyot_put_signal_nbi(slot_of(l, unit, direction ^ 1), s->other + l->slot_at[direction],
                             mc_bytes(l, direction), word_of(l, unit, s->turn & 1, direction ^ 1),
                             EYOT_SIGNAL_SET, s->turn));
  return EYOT_OK;
}

static int rma_receive(struct mc_lattice *l) {
  const struct rma_state *s = l->state;
  for (uint32_t d = 0; d < MC_DIRECTIONS; d++) {
    if (!mc_has_neighbor(l, d)) continue;
    l->ghost[d] = (void *)(s->mine + slot_at(l, d));
    MC_TRY(eyot_wait_until(word_of(l, l->me, s->turn & 1, d), EYOT_CMP_GE, s->turn, NULL));
  }
  return EYOT_OK;
}

static int rma_end(struct mc_lattice *l) {
  (void)l;
  MC_TRY(eyot_flush_all(EYOT_LOCAL)); /* the packed sides may change */
  return EYOT_OK;
}

static int rma_close(struct mc_lattice *l) {
  struct rma_state *s = l->state;
  MC_TRY(eyot_flush_all(EYOT_REMOTE));
  MC_TRY(eyot_barrier(EYOT_TEAM_ALL)); /* of `get`: neighbors have their sides */
  MC_TRY(eyot_free(s->other_at));
  MC_TRY(eyot_team_free(s->word_at));
  MC_TRY(eyot_team_free(s->at));
  free(s);
  return EYOT_OK;
}

const struct mc_variant MC_GET = {"get",    rma_open,    rma_begin, get_out,
                                  get_send, get_receive, get_end,   rma_close};
const struct mc_variant MC_RMA = {"rma",    rma_open,    rma_begin, rma_out,
                                  rma_send, rma_receive, rma_end,   rma_close};
