/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl_central.c - implements ctl_central.h: a counter and a generation; a word of its own tells
 * each member the generation, because a fabric waits for words of one's own memory only. */

/* The layout, and why one parity suffices.
 *
 * A block holds, in place of dissemination's rounds: at each member a flag, beside it the words of
 * all as the last one found them, and the member's own words; at member 0 the count. The count is
 * one word: the number of the exchange, the shape of the member that was first in it, and the
 * number of members that have come. A member that finds another exchange there is the first of its
 * own.
 *
 * Why one parity is enough: no member is told of exchange k before all have entered it, so none
 * enters k+1 before all have entered k. The last one of k reads all members' words before it
 * notifies any; flag and words beside it are written in k+1 by a unit that knows all to have
 * entered k+1, thus to have taken what was there in k. */
#include "fabric/ctl_central.h"

#include <string.h>

#include "base/check.h"

#define RESULT_OFF 8u /* in the cache line of the flag */
#define OWN_OFF 64u
#define COUNT_OFF 128u
#define BLOCK_LEAST 136u /* the bytes that are used of a block, however few the members */

#define COUNT_BITS 12u
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
/* a number comes again 2^40 exchanges later, long after all members have left it */
#define NUMBER_SHIFT (COUNT_BITS + EYOTI_CTL_SHAPE_BITS)

_Static_assert(EYOTI_CTL_CENTRAL_MOST <= COUNT_MASK, "members can be counted");
_Static_assert(RESULT_OFF + EYOTI_CTL_WORDS * 8 <= OWN_OFF &&
                   OWN_OFF + EYOTI_CTL_WORDS * 8 <= COUNT_OFF,
               "parts of a block do not overlap");

bool eyoti_ctl_central_applies(struct fab *f, const struct eyoti_ctl *c) {
  uint32_t size = c->members.size;
  if (!f->oversubscribed || size < EYOTI_CTL_CENTRAL_LEAST || size > EYOTI_CTL_CENTRAL_MOST ||
      size > f->local.n)
    return false;
  for (uint32_t i = 0; i < size; i++)
    if (c->members.unit_at(c->members.set, i) - f->local.first >= f->local.n) return false;
  return true;
}

/* The addresses of the members' blocks. */
struct blocks {
  const struct eyoti_ctl *c;
  char *first; /* of the first mapped unit */
  uint64_t stride;
  fab_unit_t first_unit;
};

static char *central_block_of(const struct blocks *b, uint32_t index) {
  return b->first +
         (uint64_t)(b->c->members.unit_at(b->c->members.set, index) - b->first_unit) * b->stride;
}

/* Counts the caller in. Returns the number of members that have come, and the shape that all of
 * them have, or MIXED. */
static uint32_t arrive(char *block, uint64_t seq, uint32_t *shape) {
  uint64_t *count = (uint64_t *)(void *)(block + COUNT_OFF);
  uint64_t number = seq << NUMBER_SHIFT, seen = __atomic_load_n(count, __ATOMIC_RELAXED), want;
  uint32_t common;
  do {
    /* The next exchange is under way: a member that has left this one counts in that. */
    if (seen >> NUMBER_SHIFT << NUMBER_SHIFT == number + (UINT64_C(1) << NUMBER_SHIFT)) return 0;
    bool first = (seen >> NUMBER_SHIFT) << NUMBER_SHIFT != number;
    uint32_t theirs = (uint32_t)(seen >> COUNT_BITS) & EYOTI_CTL_SHAPE_MIXED;
    common = first || theirs == *shape ? *shape : EYOTI_CTL_SHAPE_MIXED;
    want = number | (uint64_t)common << COUNT_BITS | ((first ? 0 : seen & COUNT_MASK) + 1);
    /* Release: the caller's words, and what it did before. Acquire: those of all that have
     * come. Pairs with itself. */
  } while (
      !__atomic_compare_exchange_n(count, &seen, want, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  *shape = common;
  return (uint32_t)(want & COUNT_MASK);
}

/* Called by the last one: combines the words of all, and notifies them. */
static void central_send_all(struct fab *f, const struct blocks *b, struct eyoti_ctl_step *s) {
  uint32_t size = b->c->members.size, me = b->c->members.my_index;
  for (uint32_t i = 0; i < size && s->n > 0 && s->shape != EYOTI_CTL_SHAPE_MIXED; i++) {
    const uint64_t *theirs = (const uint64_t *)(const void *)(central_block_of(b, i) + OWN_OFF);
    for (uint32_t k = 0; k < s->n && i != me; k++)
      s->words[k] = eyoti_ctl_combine(s->ops[k], s->words[k], theirs[k]);
  }
  for (uint32_t i = 0; i < size; i++) {
    char *block = central_block_of(b, i);
    if (i == me) continue;
    if (s->n > 0) memcpy(block + RESULT_OFF, s->words, s->n * sizeof s->words[0]);
    /* Pairs with the acquire loads of the fabric's waits. */
    __atomic_store_n((uint64_t *)(void *)(block + EYOTI_CTL_CENTRAL_FLAG_OFF),
                     b->c->seq << EYOTI_CTL_SHAPE_BITS | s->shape, __ATOMIC_RELEASE);
  }
  if (f->ops->wake == NULL) return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST); /* between the flags and the check for sleepers */
  for (uint32_t i = 0; i < size; i++)
    if (i != me) f->ops->wake(f, b->c->members.unit_at(b->c->members.set, i));
}

int eyoti_ctl_central_enter(struct fab *f, const struct eyoti_ctl *c, struct eyoti_ctl_step *s) {
  struct blocks b = {.c = c, .first_unit = f->local.first};
  EYOTI_ASSERT(eyoti_ctl_bytes(c->members.size) >= BLOCK_LEAST);
  EYOTI_TRY(f->ops->seg_map(f, c->seg, &b.first, &b.stride));
  b.first += c->off;
  if (s->n > 0) memcpy(s->block + OWN_OFF, s->words, s->n * sizeof s->words[0]);
  /* A member that never waits here still calls the fabric: other units may need it (a job of
   * several nodes), and so may open barriers. */
  if (!f->cpu_atomics) (void)f->ops->now_ns(f);
  if (arrive(central_block_of(&b, 0), c->seq, &s->shape) < c->members.size) return EYOT_OK;
  central_send_all(f, &b, s);
  s->round = 1;
  return EYOT_OK;
}

void eyoti_ctl_central_take(struct eyoti_ctl_step *s, uint64_t flag) {
  uint32_t shape = (uint32_t)flag & EYOTI_CTL_SHAPE_MIXED;
  s->shape = shape;
  if (s->n > 0 && shape != EYOTI_CTL_SHAPE_MIXED)
    memcpy(s->words, s->block + RESULT_OFF, s->n * sizeof s->words[0]);
}
