/* SPDX-License-Identifier: BSD-3-Clause */
/* mutate.c - the mutations of a stream (mutate.h), one function each, and the draw among them.
 *
 * Bounds are copied with values, but are only a hint: a run that asks another question takes the
 * value modulo its own bound. */
#include "check/strategy/mutate.h"

#include <string.h>

#define STACKED 5u     /* up to 1 << (STACKED - 1) mutations one after the other */
#define BLOCK_MAX 32u  /* choices; mostly far fewer */
#define PLAIN_BOUND 4u /* the bound of a choice that is not copied */

struct stream_block {
  uint32_t from, n;
};

/* A block of s, more often a small one: the limit is drawn first, by halving. s is not empty. */
static struct stream_block some_block(const struct chk_stream *s, struct chk_rng *rng) {
  uint32_t most = BLOCK_MAX >> chk_rng_below(rng, 6);
  if (most > s->n) most = s->n;
  uint32_t n = 1 + chk_rng_below(rng, most);
  return (struct stream_block){chk_rng_below(rng, s->n - n + 1), n};
}

/* Inserts n choices at `at`; the choices there move up, and their old content stays in the gap.
 * False: the stream would be too long. */
static bool open_gap(struct chk_stream *s, uint32_t at, uint32_t n) {
  if (s->n + n > CHK_MUTATED_MAX) return false;
  uint32_t moved = s->n - at;
  for (uint32_t i = 0; i < n; i++) chk_stream_add(s, 0, 2);
  memmove(s->at + at + n, s->at + at, moved * sizeof *s->at);
  return true;
}

static void redraw(struct chk_choice *c, struct chk_rng *rng) {
  c->value = chk_rng_draw(rng, c->bound);
}

/* Replaces the answer to one question. */
static void flip(struct chk_stream *s, struct chk_rng *rng) {
  struct chk_choice *c = &s->at[chk_rng_below(rng, s->n)];
  c->value = (c->value + 1 + chk_rng_below(rng, c->bound - 1)) % c->bound;
}

static void calm(struct chk_stream *s, struct chk_rng *rng) {
  struct stream_block b = some_block(s, rng);
  for (uint32_t i = 0; i < b.n; i++) s->at[b.from + i].value = 0;
}

static void havoc(struct chk_stream *s, struct chk_rng *rng) {
  struct stream_block b = some_block(s, rng);
  for (uint32_t i = 0; i < b.n; i++) redraw(&s->at[b.from + i], rng);
}

static void insert(struct chk_stream *s, struct chk_rng *rng) {
  struct stream_block b = some_block(s, rng);
  uint32_t bound = s->at[b.from].bound;
  if (!open_gap(s, b.from, b.n)) return;
  for (uint32_t i = 0; i < b.n; i++) {
    s->at[b.from + i].bound = bound;
    redraw(&s->at[b.from + i], rng);
  }
}

static void delete_block(struct chk_stream *s, struct chk_rng *rng) {
  struct stream_block b = some_block(s, rng);
  memmove(s->at + b.from, s->at + b.from + b.n, (s->n - b.from - b.n) * sizeof *s->at);
  s->n -= b.n;
}

static void duplicate(struct chk_stream *s, struct chk_rng *rng) {
  struct stream_block b = some_block(s, rng);
  if (open_gap(s, b.from + b.n, b.n))
    memcpy(s->at + b.from + b.n, s->at + b.from, b.n * sizeof *s->at);
}

static void mutate_exchange(struct chk_stream *s, struct chk_rng *rng) {
  uint32_t i = chk_rng_below(rng, s->n), j = chk_rng_below(rng, s->n);
  struct chk_choice c = s->at[i];
  s->at[i] = s->at[j];
  s->at[j] = c;
}

static void cut(struct chk_stream *s, struct chk_rng *rng) {
  s->n = chk_rng_below(rng, s->n);
}

static void borrow(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng) {
  struct stream_block b = some_block(other, rng);
  uint32_t at = chk_rng_below(rng, s->n + 1);
  if (open_gap(s, at, b.n)) memcpy(s->at + at, other->at + b.from, b.n * sizeof *s->at);
}

/* Keeps this run up to a position, and continues like the other. */
static void splice(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng) {
  uint32_t least = s->n < other->n ? s->n : other->n, at = chk_rng_below(rng, least + 1);
  s->n = at;
  while (s->n < other->n) chk_stream_add(s, other->at[s->n].value, other->at[s->n].bound);
}

static void mutate_once(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng) {
  if (s->n == 0) { /* nothing to change: add a first choice */
    chk_stream_add(s, chk_rng_draw(rng, PLAIN_BOUND), PLAIN_BOUND);
    return;
  }
  switch (chk_rng_below(rng, other->n > 0 ? 12 : 10)) {
    case 0:
    case 1:
    case 2:
      flip(s, rng);
      break; /* the smallest change, which leaves the rest of the run in place */
    case 3:
      calm(s, rng);
      break;
    case 4:
      havoc(s, rng);
      break;
    case 5:
      insert(s, rng);
      break;
    case 6:
      delete_block(s, rng);
      break;
    case 7:
      duplicate(s, rng);
      break;
    case 8:
      mutate_exchange(s, rng);
      break;
    case 9:
      cut(s, rng);
      break;
    case 10:
      borrow(s, other, rng);
      break;
    default:
      splice(s, other, rng);
      break;
  }
}

void chk_mutate(struct chk_stream *s, const struct chk_stream *other, struct chk_rng *rng) {
  uint32_t times = 1 + chk_rng_below(rng, 1u << chk_rng_below(rng, STACKED));
  while (times-- > 0) mutate_once(s, other, rng);
}
