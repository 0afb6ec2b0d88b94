/* SPDX-License-Identifier: BSD-3-Clause */
/* amo.c - conformance: single atomics of every operation and both widths, old values, requests. */
#include <string.h>

#include "conformance/conformance.h"

#define BASE(k) (CONF_CTRL + 64ull * (k))
#define OPS 7u

static uint64_t low(uint32_t width, uint64_t v) {
  return width == 4 ? v & UINT32_MAX : v;
}

static uint64_t model(const struct fab_amo *a, uint64_t old) {
  switch (a->op) {
    case FAB_AMO_READ:
      return old;
    case FAB_AMO_ADD:
      return low(a->width, old + a->operand);
    case FAB_AMO_AND:
      return old & a->operand;
    case FAB_AMO_OR:
      return old | a->operand;
    case FAB_AMO_XOR:
      return old ^ a->operand;
    case FAB_AMO_SWAP:
      return a->operand;
    case FAB_AMO_CAS:
      return old == a->compare ? a->operand : old;
  }
  return old;
}

/* Executes one atomic on the word at off; *word is the model. */
static int step(struct conf_ctx *c, uint32_t unit, uint64_t off, uint32_t width, uint32_t op,
                uint64_t *word) {
  struct fab_amo a = {.op = (enum fab_amo_op)op,
                      .width = width,
                      .operand = low(width, conf_random(c)),
                      .compare = low(width, conf_random(c))};
  if (conf_random(c) % 2 == 0) a.compare = *word;
  uint64_t old = 0x1111111111111111u;
  fab_req_t req;
  if (conf_random(c) % 2 == 0) {
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, off), &a, &old));
  } else {
    CONF_TRY(c, fab_amo(c->f, conf_at(c, unit, off), &a, &old, &req));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL));
    CONF_CHECK(c, low(width, old) == *word, "the old value is not there after local completion");
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  }
  CONF_CHECK(c, old == *word, "atomic %u of width %u returned old value %#llx, expected %#llx", op,
             width, (unsigned long long)old, (unsigned long long)*word);
  *word = model(&a, *word);
  return 0;
}

static int amo_model(struct conf_ctx *c) {
  uint32_t rounds = c->o.rounds / 4 + 1;
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint32_t unit = conf_peer(c, k);
    uint64_t wide = 0, left = 0, right = 0, got[4];
    for (uint32_t r = 0; r < rounds; r++)
      for (uint32_t op = 0; op < OPS; op++) {
        CONF_PASS(step(c, unit, BASE(k) + 8, 8, op, &wide));
        CONF_PASS(step(c, unit, BASE(k) + 16, 4, op, &left));
        CONF_PASS(step(c, unit, BASE(k) + 20, 4, op, &right));
      }
    CONF_TRY(c, fab_get_wait(c->f, got, conf_at(c, unit, BASE(k)), sizeof got));
    CONF_CHECK(c, got[0] == 0 && got[3] == 0, "an atomic wrote beside its word");
    CONF_CHECK(c, got[1] == wide, "the word holds %#llx, expected %#llx",
               (unsigned long long)got[1], (unsigned long long)wide);
    CONF_CHECK(c, got[2] == (left | right << 32),
               "two neighboring 4-byte words hold %#llx, expected %#llx",
               (unsigned long long)got[2], (unsigned long long)(left | right << 32));
  }
  return 0;
}

/* A narrow atomic leaves the other half of the word unchanged, also when it overflows. */
static int amo_narrow(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint32_t unit = conf_peer(c, k);
    struct fab_amo a = {.op = FAB_AMO_SWAP, .width = 4, .operand = 0xabcd0123ffffffffu};
    uint64_t old = 0;
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, BASE(k)), &a, &old));
    a.op = FAB_AMO_ADD;
    a.operand = 3;
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, BASE(k)), &a, &old));
    CONF_CHECK(c, old == UINT32_MAX, "a 4-byte swap uses more than the low 32 bits: %#llx",
               (unsigned long long)old);
    a.op = FAB_AMO_CAS;
    a.compare = 0x7700000000000002u;
    a.operand = 9;
    CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, unit, BASE(k)), &a, &old));
    CONF_CHECK(c, old == 2, "a 4-byte add of 3 to the largest value gives %#llx",
               (unsigned long long)old);
    uint64_t both = 0;
    CONF_TRY(c, fab_get_wait(c->f, &both, conf_at(c, unit, BASE(k)), 8));
    CONF_CHECK(c, both == 9,
               "a 4-byte compare uses more than the low 32 bits, or a carry went into the next "
               "word: %#llx",
               (unsigned long long)both);
  }
  return 0;
}

/* Without old value, with and without request; many in flight on one word. */
static int amo_flight(struct conf_ctx *c) {
  enum { FLIGHT = 24 };
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  for (uint32_t r = 1; r <= c->o.rounds / 10 + 1; r++) {
    uint64_t old[FLIGHT];
    fab_req_t req[FLIGHT];
    uint64_t seen = 0;
    /* only this unit uses it */
    struct fab_addr at = conf_at(c, conf_peer(c, r), BASE(r % CONF_PEERS));
    for (uint32_t i = 0; i < FLIGHT; i++)
      CONF_TRY(c,
               fab_amo(c->f, at, &add, i % 3 == 0 ? NULL : &old[i], i % 2 == 0 ? NULL : &req[i]));
    for (uint32_t i = 1; i < FLIGHT; i += 2) CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_REMOTE));
    CONF_TRY(c, fab_flush(c->f, at.unit, FAB_REMOTE));
    for (uint32_t i = 0; i < FLIGHT; i++)
      for (uint32_t j = 0; j < i; j++)
        CONF_CHECK(c, i % 3 == 0 || j % 3 == 0 || old[i] != old[j],
                   "two adds in flight returned the same old value %llu",
                   (unsigned long long)old[i]);
    CONF_PASS(conf_read(c, at.unit, at.off, &seen));
    CONF_CHECK(c, seen % FLIGHT == 0 && seen > 0,
               "of %d adds in flight some were lost: the sum is %llu", (int)FLIGHT,
               (unsigned long long)seen);
  }
  return 0;
}

/* A narrow result is 4 bytes: those beside it belong to the caller. */
static int amo_result(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    struct fab_addr at = conf_at(c, conf_peer(c, k), BASE(k) + 4);
    uint32_t word = 0;
    for (uint32_t r = 0; r < 6; r++) {
      uint32_t there[4] = {0x11111111u, 0x22222222u, 0x33333333u, 0x44444444u};
      /* each place, aligned to 8 or not */
      uint64_t *old = (uint64_t *)(void *)&there[1 + r % 2];
      struct fab_amo a = {
          .op = FAB_AMO_ADD, .width = 4, .narrow = true, .operand = low(4, conf_random(c))};
      fab_req_t req;
      if (r < 2) {
        CONF_TRY(c, fab_amo_wait(c->f, at, &a, old));
      } else if (r < 4) {
        CONF_TRY(c, fab_amo(c->f, at, &a, old, &req));
        CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
      } else {
        CONF_TRY(c, fab_amo(c->f, at, &a, old, NULL));
        CONF_TRY(c, fab_flush(c->f, at.unit, FAB_LOCAL));
      }
      CONF_CHECK(c, there[1 + r % 2] == word, "the old value is %#x, expected %#x",
                 there[1 + r % 2], word);
      CONF_CHECK(c,
                 there[0] == 0x11111111u && there[3] == 0x44444444u &&
                     there[2 - r % 2] == (r % 2 == 0 ? 0x33333333u : 0x22222222u),
                 "the result of 4 bytes has changed bytes beside it");
      word += (uint32_t)a.operand;
    }
  }
  return 0;
}

const struct conf_case conf_cases_amo[] = {
    {"amo_matches_a_model", 1, amo_model},
    {"amo_narrow_leaves_the_other_half", 1, amo_narrow},
    {"amo_result_of_4_bytes", 1, amo_result},
    {"amo_many_in_flight_all_count", 1, amo_flight},
    {NULL, 0, NULL},
};
