/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.c - builds plans (plan.h): each function appends one step. */
#include "coll/plan.h"

#include <stdlib.h>
#include <string.h>

#include "coll/plan_code.h"

#define KEPT_BLOCKS_TEAM 64u /* members at most, of plans of blocks of several lengths */

/* NULL: the step is only counted. */
static struct eyoti_step *step_new(struct eyoti_plan *p, enum eyoti_step_kind kind) {
  if (p->step == NULL) {
    p->steps++;
    return NULL;
  }
  struct eyoti_step *s = &p->step[p->steps++];
  *s = (struct eyoti_step){.kind = (uint8_t)kind};
  return s;
}

static void step_from(struct eyoti_step *s, struct eyoti_ref r) {
  s->from_in = (uint8_t)r.base;
  s->from = r.off;
}
static void step_to(struct eyoti_step *s, struct eyoti_ref r) {
  s->to_in = (uint8_t)r.base;
  s->to = r.off;
}

void eyoti_plan_put(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref slot,
                    struct eyoti_ref from, uint64_t len, uint32_t word, uint32_t chunk) {
  EYOTI_ASSERT(peer != p->me && peer < p->size && slot.base == EYOTI_BOARD && word < p->words);
  struct eyoti_step *s = step_new(p, EYOTI_STEP_PUT);
  if (s == NULL) return;
  step_from(s, from);
  step_to(s, slot);
  s->len = len;
  s->peer = peer;
  s->unit = eyoti_team_unit(p->t, peer);
  s->word = word;
  s->chunk = chunk;
}

static struct eyoti_step *apart(struct eyoti_plan *p, enum eyoti_step_kind kind, uint32_t peer,
                                uint64_t len, uint32_t word, uint32_t chunk) {
  EYOTI_ASSERT(peer != p->me && peer < p->size && word < p->words && len > 0);
  p->direct = true;
  struct eyoti_step *s = step_new(p, kind);
  if (s == NULL) return NULL;
  s->peer = peer;
  s->unit = eyoti_team_unit(p->t, peer);
  s->word = word;
  s->chunk = chunk;
  s->len = len;
  return s;
}
void eyoti_plan_send(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref from, uint64_t len,
                     uint32_t word, uint32_t chunk) {
  struct eyoti_step *s = apart(p, EYOTI_STEP_SEND, peer, len, word, chunk);
  if (s != NULL) step_from(s, from);
}
void eyoti_plan_expect(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref to, uint64_t len,
                       uint32_t word, uint32_t chunk) {
  EYOTI_ASSERT(to.base != EYOTI_BOARD);
  struct eyoti_step *s = apart(p, EYOTI_STEP_EXPECT, peer, len, word, chunk);
  if (s != NULL) step_to(s, to);
}

void eyoti_plan_note(struct eyoti_plan *p, struct eyoti_ref to, uint64_t sends, uint64_t expects) {
  struct eyoti_step *s = step_new(p, EYOTI_STEP_NOTE);
  if (s == NULL) return;
  step_to(s, to);
  s->from = sends;
  s->len = expects;
}
void eyoti_plan_agree(struct eyoti_plan *p, uint32_t peer, struct eyoti_ref from, uint64_t sends,
                      uint64_t expects) {
  struct eyoti_step *s = step_new(p, EYOTI_STEP_AGREE);
  if (s == NULL) return;
  step_from(s, from);
  s->peer = peer;
  s->to = sends;
  s->len = expects;
}

void eyoti_plan_signal(struct eyoti_plan *p, uint32_t peer, uint32_t word, uint32_t chunk) {
  struct eyoti_ref none = eyoti_ref(EYOTI_BOARD, 0);
  eyoti_plan_put(p, peer, none, none, 0, word, chunk);
}

void eyoti_plan_await(struct eyoti_plan *p, uint32_t peer, uint32_t word, uint32_t chunk) {
  EYOTI_ASSERT(word < p->words && peer < p->size);
  struct eyoti_step *s = step_new(p, EYOTI_STEP_AWAIT);
  if (s == NULL) return;
  s->peer = peer;
  s->word = word;
  s->chunk = chunk;
}

void eyoti_plan_copy_runs(struct eyoti_plan *p, struct eyoti_ref to, uint64_t to_stride,
                          struct eyoti_ref from, uint64_t from_stride, uint64_t len,
                          uint64_t count) {
  if (len == 0 || count == 0) return;
  struct eyoti_step *s = step_new(p, EYOTI_STEP_COPY);
  if (s == NULL) return;
  step_to(s, to);
  step_from(s, from);
  s->to_stride = to_stride;
  s->from_stride = from_stride;
  s->len = len;
  s->count = (uint32_t)count; /* of blocks of members */
}

void eyoti_plan_copy(struct eyoti_plan *p, struct eyoti_ref to, struct eyoti_ref from,
                     uint64_t len) {
  eyoti_plan_copy_runs(p, to, 0, from, 0, len, 1);
}

static void shaped(struct eyoti_plan *p, enum eyoti_step_kind kind, struct eyoti_ref to,
                   struct eyoti_ref from, const struct eyoti_runs *shape, uint64_t piece,
                   uint64_t len) {
  if (len == 0) return;
  struct eyoti_step *s = step_new(p, kind);
  if (s == NULL) return;
  step_to(s, to);
  step_from(s, from);
  s->shape = shape;
  s->piece = piece;
  s->len = len;
}

void eyoti_plan_pack(struct eyoti_plan *p, struct eyoti_ref packed, const struct eyoti_runs *shape,
                     struct eyoti_ref block, uint64_t piece, uint64_t len) {
  shaped(p, EYOTI_STEP_PACK, packed, block, shape, piece, len);
}
void eyoti_plan_unpack(struct eyoti_plan *p, const struct eyoti_runs *shape, struct eyoti_ref block,
                       struct eyoti_ref packed, uint64_t piece, uint64_t len) {
  shaped(p, EYOTI_STEP_UNPACK, block, packed, shape, piece, len);
}

struct eyoti_ref eyoti_plan_stage(struct eyoti_plan *p, struct eyoti_ref from, uint64_t len) {
  struct eyoti_ref staged = eyoti_plan_board(p, len);
  eyoti_plan_copy(p, staged, from, len);
  return staged;
}

static void combine(struct eyoti_plan *p, struct eyoti_ref acc, struct eyoti_ref operand,
                    uint64_t n, bool before) {
  if (n == 0) return;
  struct eyoti_step *s = step_new(p, EYOTI_STEP_COMBINE);
  if (s == NULL) return;
  step_to(s, acc);
  step_from(s, operand);
  s->len = n;
  s->before = before;
}

void eyoti_plan_combine(struct eyoti_plan *p, struct eyoti_ref acc, struct eyoti_ref operand,
                        uint64_t n) {
  combine(p, acc, operand, n, false);
}
void eyoti_plan_combine_before(struct eyoti_plan *p, struct eyoti_ref acc, struct eyoti_ref operand,
                               uint64_t n) {
  combine(p, acc, operand, n, true);
}

void eyoti_plan_drain(struct eyoti_plan *p) {
  (void)step_new(p, EYOTI_STEP_DRAIN);
}

void eyoti_plan_put_each(struct eyoti_plan *p, struct eyoti_ref slot, struct eyoti_ref from,
                         uint64_t stride, uint64_t len, uint32_t word) {
  EYOTI_ASSERT(slot.base == EYOTI_BOARD && word + p->size <= p->words);
  struct eyoti_step *s = step_new(p, EYOTI_STEP_PUT_EACH);
  if (s == NULL) return;
  step_from(s, from);
  step_to(s, slot);
  s->from_stride = stride;
  s->len = len;
  s->word = word;
}

void eyoti_plan_await_each(struct eyoti_plan *p, uint32_t word) {
  struct eyoti_step *s = step_new(p, EYOTI_STEP_AWAIT_EACH);
  if (s != NULL) s->word = word;
}

void eyoti_plan_get_each(struct eyoti_plan *p, struct eyoti_ref to, uint64_t stride,
                         struct eyoti_ref slot, uint64_t len) {
  EYOTI_ASSERT(slot.base == EYOTI_BOARD && to.base != EYOTI_BOARD);
  if (len == 0) return;
  struct eyoti_step *s = step_new(p, EYOTI_STEP_GET_EACH);
  if (s == NULL) return;
  step_to(s, to);
  step_from(s, slot);
  s->to_stride = stride;
  s->len = len;
}

struct eyoti_plan *eyoti_plan_make(const struct eyoti_team *t, const struct eyoti_coll_args *a,
                                   eyoti_plan_gen gen) {
  struct eyoti_plan *p = eyoti_slack_new(sizeof *p);
  if (p == NULL) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for the plan of a collective");
    return NULL;
  }
  p->t = t;
  p->size = t->size;
  p->me = t->me;
  p->hot_bytes = eyoti_plan_hot(t->size);
  p->args = *a;
  gen(p, &p->args);
  uint32_t steps = p->steps;
  p->step = malloc((steps > 0 ? steps : 1) * sizeof *p->step);
  if (p->step == NULL) {
    (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for the %u steps of a collective", steps);
    eyoti_slack_free(p);
    return NULL;
  }
  p->steps = p->words = 0;
  p->board_bytes = p->temp_bytes = 0;
  gen(p, &p->args);
  EYOTI_ASSERT(p->steps == steps);
  if (p->hot_bytes != UINT64_MAX) eyoti_plan_encode(p);
  return p;
}

void eyoti_plan_free(struct eyoti_plan *p) {
  if (p == NULL) return;
  free(p->step);
  free(p->own);
  free(p->quick);
  eyoti_slack_free(p->code);
  eyoti_slack_free(p);
}

/* -- kept plans -------------------------------------------------------------------------------- */

/* Two calls' blocks: NULL, or lengths and places of as many members. */
static bool same_blocks(const struct eyoti_coll_blocks *a, const struct eyoti_coll_blocks *b,
                        uint32_t size) {
  if (a == NULL || b == NULL) return a == b;
  return b->shape == NULL && memcmp(a->bytes, b->bytes, size * sizeof *a->bytes) == 0 &&
         memcmp(a->at, b->at, size * sizeof *a->at) == 0;
}

static bool has_blocks(const struct eyoti_coll_args *a) {
  return a->in != NULL || a->out != NULL;
}

/* A kept plan of such blocks is that of a first round. */
bool eyoti_plan_has_blocks(const struct eyoti_plan *p, const struct eyoti_coll_args *b,
                           uint64_t from) {
  const struct eyoti_coll_args *a = &p->args;
  if (!has_blocks(a) && !has_blocks(b)) return true;
  return from == 0 && same_blocks(a->in, b->in, p->size) && same_blocks(a->out, b->out, p->size);
}

static uint64_t *blocks_copy(struct eyoti_coll_blocks *to, const struct eyoti_coll_blocks *b,
                             uint64_t *memory, uint32_t size) {
  if (b == NULL) return memory;
  memcpy(memory, b->bytes, size * sizeof *memory);
  memcpy(memory + size, b->at, size * sizeof *memory);
  *to = (struct eyoti_coll_blocks){memory, memory + size, NULL};
  return memory + 2 * (uint64_t)size;
}

bool eyoti_plan_own(struct eyoti_plan *p) {
  struct eyoti_coll_args *a = &p->args;
  bool runs = (a->in != NULL && a->in->shape != NULL) || (a->out != NULL && a->out->shape != NULL);
  if (!has_blocks(a)) return true;
  if (runs || a->from > 0 || p->size > KEPT_BLOCKS_TEAM) return false;
  p->own = malloc(4 * (uint64_t)p->size * sizeof *p->own);
  if (p->own == NULL) return false;
  (void)blocks_copy(&p->out, a->out, blocks_copy(&p->in, a->in, p->own, p->size), p->size);
  if (a->in != NULL) a->in = &p->in;
  if (a->out != NULL) a->out = &p->out;
  return true;
}
