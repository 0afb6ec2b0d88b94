/* SPDX-License-Identifier: BSD-3-Clause */
/* stress.c - conformance: many units on one word: no update is lost, no value is torn, on any
 * path. */
#include <string.h>

#include "conformance/conformance.h"

#define WORD (CONF_CTRL)
#define WORD4 (CONF_CTRL + 64u)
#define TEXT (CONF_CTRL + 128u)

/* The units that own a contended word: the first and the last, so that others reach them by every
 * path. */
static uint32_t owner_of(const struct conf_ctx *c, uint32_t i) {
  return i == 0 ? 0 : c->n - 1;
}
#define OWNERS 2u

static uint32_t hits(const struct conf_ctx *c) {
  return c->o.rounds / 4 + 8;
}

static int add_sum(struct conf_ctx *c) {
  for (uint32_t o = 0; o < OWNERS; o++) {
    uint32_t owner = owner_of(c, o), n = hits(c);
    uint64_t off = WORD + 8ull * o, before = 0, old = 0;
    for (uint32_t r = 0; r < n; r++) {
      CONF_PASS(conf_add(c, owner, off, 1, &old));
      CONF_CHECK(c, r == 0 || old > before, "an add returned %llu after %llu",
                 (unsigned long long)old, (unsigned long long)before);
      before = old;
    }
    CONF_PASS(conf_barrier(c));
    uint64_t sum = 0, expect = (uint64_t)n * c->n;
    CONF_PASS(conf_read(c, owner, off, &sum));
    CONF_CHECK(c, sum == expect, "%llu adds of one made %llu", (unsigned long long)expect,
               (unsigned long long)sum);
  }
  return 0;
}

static int cas_counter(struct conf_ctx *c) {
  uint32_t n = hits(c) / 4 + 1;
  for (uint32_t width = 4; width <= 8; width += 4) {
    struct fab_addr at = conf_at(c, owner_of(c, width / 8), width == 4 ? WORD4 : WORD);
    uint64_t seen = 0;
    for (uint32_t r = 0; r < n; r++)
      for (bool done = false; !done;) {
        const struct fab_amo cas = {
            .op = FAB_AMO_CAS, .width = width, .operand = seen + 1, .compare = seen};
        uint64_t old = 0;
        CONF_TRY(c, fab_amo_wait(c->f, at, &cas, &old));
        done = old == seen;
        seen = done ? seen + 1 : old;
      }
    CONF_PASS(conf_barrier(c));
    const struct fab_amo read = {.op = FAB_AMO_READ, .width = width};
    CONF_TRY(c, fab_amo_wait(c->f, at, &read, &seen));
    CONF_CHECK(c, seen == (uint64_t)n * c->n, "%llu successful compare-and-swaps made %llu",
               (unsigned long long)n * c->n, (unsigned long long)seen);
  }
  return 0;
}

/* Each unit owns a bit: sets it by or, clears it by and, toggles it by xor; other units' operations
 * do not change it. */
static int bits(struct conf_ctx *c) {
  uint64_t mine = 1ull << (c->me % 64), old = 0;
  bool is_set = false;
  struct fab_addr at = conf_at(c, owner_of(c, 1), WORD);
  if (c->me < 64)
    for (uint32_t r = 0; r < hits(c); r++) {
      struct fab_amo a = {.op = FAB_AMO_XOR, .width = 8, .operand = mine};
      bool next = !is_set;
      if (r % 3 == 1) {
        a = (struct fab_amo){.op = FAB_AMO_OR, .width = 8, .operand = mine};
        next = true;
      } else if (r % 3 == 2) {
        a = (struct fab_amo){.op = FAB_AMO_AND, .width = 8, .operand = ~mine};
        next = false;
      }
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      CONF_CHECK(c, ((old & mine) != 0) == is_set,
                 "round %u: another unit's bit operation changed this unit's bit", r);
      is_set = next;
    }
  return conf_barrier(c);
}

/* Tokens: a swap takes the token that is there and leaves the unit's own; at the end each token is
 * in exactly one place. */
static int swap_tokens(struct conf_ctx *c) {
  uint64_t held = (uint64_t)c->me + 1, total = 0, left = 0;
  struct fab_addr at = conf_at(c, 0, WORD);
  for (uint32_t r = 0; r < hits(c); r++) {
    const struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = held};
    CONF_TRY(c, fab_amo_wait(c->f, at, &swap, &held));
  }
  CONF_PASS(conf_sum(c, held, &total));
  CONF_PASS(conf_read(c, 0, WORD, &left));
  uint64_t expect = (uint64_t)c->n * (c->n + 1) / 2;
  CONF_CHECK(c, total + left == expect, "tokens worth %llu were swapped and %llu are left",
             (unsigned long long)expect, (unsigned long long)(total + left));
  return 0;
}

/* One move of a mix of updates on a word of `width`: *in is the sum that this unit has added, less
 * the sum that it has taken. */
static int mixed_move(struct conf_ctx *c, struct fab_addr at, uint32_t width, uint64_t *in) {
  uint64_t old = 0, k = conf_random(c) % 100 + 1;
  struct fab_amo a = {.op = FAB_AMO_ADD, .width = width, .operand = k};
  const struct fab_sig sig = {.at = at, .op = FAB_SIG_ADD, .value = k};
  switch (conf_random(c) % (width == 8 ? 6 : 5)) {
    case 0: /* add */
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      *in += k;
      return 0;
    case 1: /* add in flight, completed by the flush at the end */
      CONF_TRY(c, fab_amo(c->f, at, &a, NULL, NULL));
      *in += k;
      return 0;
    case 2: /* take everything */
      a = (struct fab_amo){.op = FAB_AMO_SWAP, .width = width, .operand = 0};
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      *in -= old;
      return 0;
    case 3: /* read, then add if no update came between */
      a.op = FAB_AMO_READ;
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      a = (struct fab_amo){.op = FAB_AMO_CAS, .width = width, .operand = old + k, .compare = old};
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      if (old == a.compare) *in += k;
      return 0;
    case 4: /* swap the unit's own value in */
      a.op = FAB_AMO_SWAP;
      CONF_TRY(c, fab_amo_wait(c->f, at, &a, &old));
      *in += k - old;
      return 0;
    default: /* signals are updates like others */
      CONF_TRY(c, fab_put_signal(c->f, at, NULL, 0, &sig, NULL));
      *in += k;
      return 0;
  }
}

static int mixed(struct conf_ctx *c) {
  for (uint32_t o = 0; o < OWNERS; o++)
    for (uint32_t width = 4; width <= 8; width += 4) {
      struct fab_addr at = conf_at(c, owner_of(c, o), (width == 4 ? WORD4 : WORD) + 8ull * o);
      uint64_t in = 0, total = 0, left = 0;
      for (uint32_t r = 0; r < hits(c) * 2; r++) CONF_PASS(mixed_move(c, at, width, &in));
      CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
      CONF_PASS(conf_sum(c, in, &total));
      const struct fab_amo read = {.op = FAB_AMO_READ, .width = width};
      CONF_TRY(c, fab_amo_wait(c->f, at, &read, &left));
      CONF_CHECK(
          c, left == total,
          "mixed add, swap, compare-and-swap, read and signal (width %u) left %llu, expected %llu",
          width, (unsigned long long)left, (unsigned long long)total);
      CONF_PASS(conf_barrier(c));
    }
  return 0;
}

/* Words whose two halves are equal, put by all units over each other, are read whole by get and by
 * the owner's own loads. */
static int not_torn(struct conf_ctx *c) {
  uint64_t value[2], got = 0;
  uint32_t half[2];
  struct fab_addr at8 = conf_at(c, 0, TEXT), at4 = conf_at(c, 0, TEXT + 12);
  for (uint32_t r = 0; r < hits(c) * 4; r++) {
    uint64_t tag = (r * 251ull + c->me * 17ull + 1) & UINT16_MAX;
    half[r % 2] = (uint32_t)(tag | tag << 16);
    value[r % 2] = half[r % 2] | (uint64_t)half[r % 2] << 32;
    CONF_TRY(c, fab_put(c->f, at8, &value[r % 2], 8, NULL));
    CONF_TRY(c, fab_put(c->f, at4, &half[r % 2], 4, NULL));
    if (r % 4 == 0) CONF_TRY(c, fab_get_wait(c->f, &got, at8, 8));
    if (c->me == 0) {
      uint64_t own = conf_load(c, TEXT);
      CONF_CHECK(c, (uint32_t)own == (uint32_t)(own >> 32), "an 8-byte put is seen torn: %#llx",
                 (unsigned long long)own);
      uint32_t own4 = *(volatile uint32_t *)(void *)(c->mem + TEXT + 12);
      CONF_CHECK(c, (own4 & UINT16_MAX) == own4 >> 16, "a 4-byte put is seen torn: %#x", own4);
    }
    CONF_CHECK(c, (uint32_t)got == (uint32_t)(got >> 32), "an 8-byte get is torn: %#llx",
               (unsigned long long)got);
    CONF_TRY(c, fab_flush(c->f, 0, FAB_LOCAL));
  }
  return 0;
}

const struct conf_case conf_cases_stress[] = {
    {"amo_adds_lose_nothing", 1, add_sum},
    {"amo_cas_loses_nothing", 1, cas_counter},
    {"amo_bits_stay_their_owners", 1, bits},
    {"amo_swaps_keep_each_token_once", 1, swap_tokens},
    {"amo_mixed_updates_keep_the_sum", 1, mixed},
    {"words_are_not_torn", 1, not_torn},
    {NULL, 0, NULL},
};
