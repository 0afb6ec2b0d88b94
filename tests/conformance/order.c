/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - conformance: `order`: operations posted before it become visible before operations
 * posted after it. */
#include <string.h>

#include "conformance/conformance.h"

#define FLAG (CONF_CTRL)
#define ACK (CONF_CTRL + 8u)
#define LIMIT (CONF_CTRL + 16u)
#define DATA (CONF_CTRL + 4096u)
#define LONG 1200u

enum { FLAG_SIGNAL = 0, FLAG_ADD, FLAG_SWAP, FLAG_KINDS };

static int raise_flag(struct conf_ctx *c, uint32_t to, uint32_t kind, uint64_t value) {
  const struct fab_sig sig = {.at = conf_at(c, to, FLAG), .op = FAB_SIG_SET, .value = value};
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1},
                       swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = value};
  if (kind == FLAG_SIGNAL)
    CONF_TRY(c, fab_put_signal(c->f, sig.at, NULL, 0, &sig, NULL));
  else
    CONF_TRY(c, fab_amo(c->f, sig.at, kind == FLAG_ADD ? &add : &swap, NULL, NULL));
  return 0;
}

/* Bytes, order, flag; no unit waits for them until the partner has seen both. */
static int data_then_flag(struct conf_ctx *c, uint32_t k, bool all) {
  unsigned char src[LONG];
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k), rounds = c->o.rounds / 2 + FLAG_KINDS;
  uint64_t base = (uint64_t)k * rounds;
  for (uint32_t r = 1; r <= rounds; r++) {
    unsigned char tag = (unsigned char)(r % 250 + 1);
    memset(src, tag, sizeof src);
    CONF_TRY(c, fab_put(c->f, conf_at(c, to, DATA + 3), src, sizeof src, NULL));
    CONF_TRY(c, fab_order(c->f, all ? FAB_ALL : to));
    CONF_PASS(raise_flag(c, to, r % FLAG_KINDS, base + r));
    CONF_PASS(conf_wait(c, FLAG, FAB_EQ, base + r));
    for (uint32_t i = 0; i < LONG; i++)
      CONF_CHECK(c, (unsigned char)c->mem[DATA + 3 + i] == tag,
                 "round %u: the flag has passed byte %u of what was ordered before it", r, i);
    CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
    CONF_PASS(conf_add(c, from, ACK, 1, NULL));
    CONF_PASS(conf_wait(c, ACK, FAB_GE, base + r));
  }
  return conf_barrier(c);
}

static int order_unit(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) CONF_PASS(data_then_flag(c, k, false));
  return 0;
}

static int order_all(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) CONF_PASS(data_then_flag(c, k, true));
  return 0;
}

/* Words put one after the other with an order between each; the reader's snapshots, newest first,
 * never increase. */
static int order_chain(struct conf_ctx *c) {
  enum { WORDS = 8 };
  uint32_t partner = conf_partner(c, conf_far(c)), rounds = c->o.rounds;
  uint64_t values[2 * WORDS];
  if (partner == UINT32_MAX) return 0;
  if (c->me < partner) {
    for (uint64_t r = 1; r <= rounds; r++) {
      for (uint32_t i = 0; i < WORDS; i++) {
        uint64_t *value = &values[(r % 2) * WORDS + i];
        *value = r;
        CONF_TRY(c, fab_put(c->f, conf_at(c, partner, DATA + 64ull * i), value, 8, NULL));
        CONF_TRY(c, fab_order(c->f, partner));
      }
      if (r % 2 == 0) CONF_TRY(c, fab_flush(c->f, partner, FAB_LOCAL));
    }
    CONF_TRY(c, fab_flush(c->f, partner, FAB_REMOTE));
  } else {
    uint64_t seen[WORDS];
    uint64_t end = conf_deadline(c);
    do {
      for (uint32_t i = WORDS; i-- > 0;) seen[i] = conf_load(c, DATA + 64ull * i);
      for (uint32_t i = 1; i < WORDS; i++)
        CONF_CHECK(c, seen[i] <= seen[i - 1],
                   "word %u, put after word %u, is at round %llu, that one still at %llu", i, i - 1,
                   (unsigned long long)seen[i], (unsigned long long)seen[i - 1]);
      CONF_PASS(conf_poll(c, end));
    } while (seen[WORDS - 1] < rounds);
  }
  return 0;
}

/* A third unit, which neither wrote nor owns the words, sees the same order by get. */
static int order_third_unit(struct conf_ctx *c) {
  uint32_t rounds = c->o.rounds / 2 + 1;
  uint32_t owner = c->n - 1, writer = 0, reader = 1;
  uint64_t value[2];
  if (c->me == writer)
    for (uint64_t r = 1; r <= rounds; r++) {
      value[r % 2] = r;
      CONF_TRY(c, fab_put(c->f, conf_at(c, owner, DATA), &value[r % 2], 8, NULL));
      CONF_TRY(c, fab_order(c->f, owner));
      const struct fab_sig flag = {.at = conf_at(c, owner, FLAG), .op = FAB_SIG_SET, .value = r};
      CONF_TRY(c, fab_put_signal(c->f, flag.at, NULL, 0, &flag, NULL));
      CONF_TRY(c, fab_flush(c->f, owner, r % 4 == 0 ? FAB_REMOTE : FAB_LOCAL));
      CONF_TRY(c, fab_order(c->f, owner));
    }
  if (c->me == reader) {
    uint64_t flag = 0, end = conf_deadline(c);
    while (flag < rounds) {
      uint64_t data = 0;
      CONF_PASS(conf_read(c, owner, FLAG, &flag));
      CONF_TRY(c, fab_get_wait(c->f, &data, conf_at(c, owner, DATA), 8));
      CONF_CHECK(c, data >= flag, "a third unit read flag %llu and then data %llu",
                 (unsigned long long)flag, (unsigned long long)data);
      CONF_PASS(conf_poll(c, end));
    }
  }
  if (c->me == owner) CONF_PASS(conf_wait(c, FLAG, FAB_GE, rounds));
  return conf_barrier(c);
}

/* Atomics and signals are ordered as well, before and after. */
static int order_atomics(struct conf_ctx *c) {
  uint32_t to = conf_peer(c, 1), rounds = c->o.rounds;
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  for (uint64_t r = 1; r <= rounds; r++) {
    const struct fab_sig flag = {.at = conf_at(c, to, FLAG), .op = FAB_SIG_SET, .value = r};
    CONF_TRY(c, fab_amo(c->f, conf_at(c, to, LIMIT), &add, NULL, NULL));
    CONF_TRY(c, fab_order(c->f, to));
    CONF_TRY(c, fab_put_signal(c->f, flag.at, NULL, 0, &flag, NULL));
    CONF_TRY(c, fab_order(c->f, to));
    CONF_TRY(c, fab_amo(c->f, conf_at(c, to, LIMIT + 8), &add, NULL, NULL));
    uint64_t last = conf_load(c, LIMIT + 8), middle = conf_load(c, FLAG),
             first = conf_load(c, LIMIT);
    CONF_CHECK(c, last <= middle && middle <= first,
               "ordered atomic, signal, atomic are seen as %llu, %llu, %llu",
               (unsigned long long)first, (unsigned long long)middle, (unsigned long long)last);
    CONF_TRY(c, fab_order(c->f, FAB_ALL));
  }
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  return conf_wait(c, LIMIT + 8, FAB_EQ, rounds);
}

/* A signal that follows bytes, which a fabric may keep until these have arrived. */
static int order_signal(struct conf_ctx *c) {
  uint32_t to = conf_peer(c, 1);
  uint64_t bytes[16] = {0};
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    const struct fab_sig flag = {.at = conf_at(c, to, FLAG), .op = FAB_SIG_SET, .value = r};
    CONF_TRY(c, fab_put_signal(c->f, conf_at(c, to, LIMIT + 64), bytes, sizeof bytes, &flag, NULL));
    CONF_TRY(c, fab_order(c->f, r % 2 == 0 ? FAB_ALL : to));
    CONF_TRY(c, fab_amo(c->f, conf_at(c, to, LIMIT), &add, NULL, NULL));
    uint64_t second = conf_load(c, LIMIT), first = conf_load(c, FLAG);
    CONF_CHECK(c, second <= first, "a signal with bytes and a later atomic are seen as %llu, %llu",
               (unsigned long long)first, (unsigned long long)second);
  }
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  return conf_wait(c, LIMIT, FAB_EQ, c->o.rounds);
}

/* A flush of another unit does not keep signals from this one's, which a caller leaves out where
 * the fabric says that nothing is incomplete. */
static int order_flushes(struct conf_ctx *c) {
  uint32_t to = conf_peer(c, 1), other = conf_peer(c, 2);
  uint64_t bytes[16] = {0};
  for (uint64_t r = 1; r <= c->o.rounds / 4 + 1; r++) {
    const struct fab_sig flag = {.at = conf_at(c, to, FLAG), .op = FAB_SIG_SET, .value = r};
    uint64_t seen = 0;
    CONF_TRY(c, fab_put_signal(c->f, conf_at(c, to, LIMIT + 64), bytes, sizeof bytes, &flag, NULL));
    for (uint32_t i = 0; i < 8; i++)
      CONF_TRY(c, fab_put(c->f, conf_at(c, other, LIMIT + 256), bytes, sizeof bytes, NULL));
    CONF_TRY(c, fab_flush(c->f, other, FAB_REMOTE));
    if (!c->f->quiet) CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
    CONF_PASS(conf_read(c, to, FLAG, &seen));
    CONF_CHECK(c, seen == r, "after its flush a signal is %llu, not %llu", (unsigned long long)seen,
               (unsigned long long)r);
  }
  return 0;
}

const struct conf_case conf_cases_order[] = {
    {"order_to_a_unit_puts_data_before_flag", 1, order_unit},
    {"order_to_all_puts_data_before_flag", 1, order_all},
    {"order_between_words_shows_in_snapshots", 2, order_chain},
    {"order_is_seen_by_a_third_unit", 3, order_third_unit},
    {"order_covers_atomics_and_signals", 1, order_atomics},
    {"order_covers_signals_after_bytes", 1, order_signal},
    {"flush_of_another_unit_keeps_signals", 1, order_flushes},
    {NULL, 0, NULL},
};
