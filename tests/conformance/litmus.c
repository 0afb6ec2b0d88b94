/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus.c - conformance: release and acquire: a unit that observes a later operation of an origin
 * sees the effects that were remotely complete before it. */
#include <string.h>

#include "conformance/conformance.h"

#define FLAG (CONF_CTRL)
#define ACK (CONF_CTRL + 8u)
#define X (CONF_CTRL + 128u)
#define Y (CONF_CTRL + 256u)
#define DATA (CONF_CTRL + 4096u)
#define LONG 600u

enum { BY_AMO = 0, BY_SIGNAL, BY_PUT, FLAG_WAYS };

static int raise_flag(struct conf_ctx *c, uint32_t to, uint64_t off, uint32_t way, uint64_t value) {
  const struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = value};
  const struct fab_sig sig = {.at = conf_at(c, to, off), .op = FAB_SIG_SET, .value = value};
  if (way == BY_AMO) CONF_TRY(c, fab_amo(c->f, sig.at, &swap, NULL, NULL));
  if (way == BY_SIGNAL) CONF_TRY(c, fab_put_signal(c->f, sig.at, NULL, 0, &sig, NULL));
  return 0;
}

/* Message passing: put, remotely complete (by request, by flush, by a blocking put), flag; the
 * receiver reads its own memory. */
static int pass_message(struct conf_ctx *c, uint32_t k, uint32_t rounds) {
  unsigned char src[LONG];
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k);
  for (uint64_t i = 1; i <= rounds; i++) {
    uint64_t r = (uint64_t)k * rounds + i;
    unsigned char tag = (unsigned char)(r % 250 + 1);
    struct fab_addr dst = conf_at(c, to, DATA + 1);
    fab_req_t req;
    memset(src, tag, sizeof src);
    if (i % 3 == 0) {
      CONF_TRY(c, fab_put(c->f, dst, src, sizeof src, &req));
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
    } else if (i % 3 == 1) {
      CONF_TRY(c, fab_put(c->f, dst, src, sizeof src, NULL));
      CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
    } else {
      CONF_TRY(c, fab_put(c->f, dst, src, sizeof src, &req));
      bool done = false;
      for (uint64_t end = conf_deadline(c); !done;) {
        CONF_TRY(c, fab_req_test(c->f, req, FAB_REMOTE, &done));
        CONF_PASS(conf_poll(c, end));
      }
    }
    CONF_PASS(raise_flag(c, to, FLAG, (uint32_t)(i % 2), r));
    CONF_PASS(conf_wait(c, FLAG, FAB_EQ, r));
    for (uint32_t b = 0; b < LONG; b++)
      CONF_CHECK(c, (unsigned char)c->mem[DATA + 1 + b] == tag,
                 "round %llu: the flag is here, byte %u of a remotely complete put is not",
                 (unsigned long long)i, b);
    CONF_TRY(c, fab_flush(c->f, to, FAB_REMOTE));
    CONF_PASS(conf_add(c, from, ACK, 1, NULL));
    CONF_PASS(conf_wait(c, ACK, FAB_GE, r));
  }
  return conf_barrier(c);
}

static int message(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) CONF_PASS(pass_message(c, k, c->o.rounds / 2 + 3));
  return 0;
}

/* The bytes at one unit, the flag (an atomic, a signal, or a plain word) at another: a reader of
 * both sees the bytes. */
static int message_by_third(struct conf_ctx *c) {
  uint32_t rounds = c->o.rounds, writer = 0, reader = 1, keeper = c->n - 1;
  uint64_t got = 0;
  if (c->me == writer)
    for (uint64_t r = 1; r <= rounds; r++) {
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, keeper, X), &r, 8));
      if (r % FLAG_WAYS == BY_PUT) CONF_TRY(c, fab_put_wait(c->f, conf_at(c, reader, Y), &r, 8));
      CONF_PASS(raise_flag(c, reader, FLAG, (uint32_t)(r % FLAG_WAYS), r));
      /* swaps in flight must not pile up out of order */
      if (r % 8 == 0) CONF_TRY(c, fab_flush(c->f, reader, FAB_REMOTE));
      CONF_TRY(c, fab_order(c->f, reader));
    }
  if (c->me == reader) {
    uint64_t end = conf_deadline(c), flag = 0,
             last = rounds % FLAG_WAYS == BY_PUT ? rounds - 1 : rounds;
    while (flag < last) {
      uint64_t plain = conf_load(c, Y);
      flag = conf_load(c, FLAG);
      if (plain > flag) flag = plain;
      CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, keeper, X), 8));
      CONF_CHECK(c, got >= flag, "the flag says %llu, the data at a third unit says %llu",
                 (unsigned long long)flag, (unsigned long long)got);
      CONF_PASS(conf_poll(c, end));
    }
  }
  return conf_barrier(c);
}

/* One writer, blocking puts: no reader sees the word go back. */
static int coherence(struct conf_ctx *c) {
  uint64_t last = 0, got = 0, rounds = c->o.rounds;
  uint32_t home = c->n / 2;
  if (c->me == 0)
    for (uint64_t r = 1; r <= rounds; r++)
      CONF_TRY(c, fab_put_wait(c->f, conf_at(c, home, X), &r, 8));
  for (uint64_t end = conf_deadline(c); c->me != 0 && last < rounds;) {
    CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, home, X), 8));
    CONF_CHECK(c, got >= last, "a word that only grows was read as %llu after %llu",
               (unsigned long long)got, (unsigned long long)last);
    last = got;
    CONF_PASS(conf_poll(c, end));
  }
  return 0;
}

/* Load buffering: get x, put y against get y, put x; both reading the other's later put would be
 * out of thin air. */
static int load_buffering(struct conf_ctx *c) {
  uint32_t partner = conf_partner(c, conf_far(c));
  if (partner == UINT32_MAX) return 0;
  uint32_t low = c->me < partner ? c->me : partner;
  /* x is in the lower unit's own memory, y in the higher one's: each reads its own and writes the
   * other's, and the other way round in odd rounds. */
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    uint32_t mine = r % 2 == 0 ? c->me : partner, theirs = r % 2 == 0 ? partner : c->me;
    uint64_t seen = 0, before = 0;
    CONF_TRY(c, fab_get_wait(c->f, &seen, conf_at(c, mine, mine == low ? X : Y), 8));
    CONF_TRY(c, fab_put_wait(c->f, conf_at(c, theirs, theirs == low ? X : Y), &r, 8));
    CONF_CHECK(c, seen <= r, "a value from the future: %llu in round %llu",
               (unsigned long long)seen, (unsigned long long)r);
    /* Each signals to the other the value that it read. */
    const struct fab_sig tell = {
        .at = conf_at(c, partner, FLAG), .op = FAB_SIG_SET, .value = r * 2 + (seen == r)};
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_TRY(c, fab_put_signal_wait(c->f, tell.at, NULL, 0, &tell));
    CONF_PASS(conf_wait(c, FLAG, FAB_GE, r * 2));
    before = conf_load(c, FLAG);
    CONF_CHECK(c, !(seen == r && before == r * 2 + 1),
               "round %llu: both gets read the put that comes after the other's get",
               (unsigned long long)r);
    CONF_PASS(conf_meet(c, partner, ACK, r));
  }
  return 0;
}

/* Independent reads of independent writes, all by atomics: two readers never disagree on which
 * write came first. */
static int iriw(struct conf_ctx *c) {
  uint32_t home_x = 0, home_y = c->n - 1;
  for (uint64_t r = 1; r <= c->o.rounds; r++) {
    uint64_t first = 0, second = 0;
    const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = 8, .operand = r};
    if (c->me == 0) CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, home_x, X), &set, NULL));
    if (c->me == 1) CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, home_y, Y), &set, NULL));
    if (c->me == 2) {
      CONF_PASS(conf_read(c, home_x, X, &first));
      CONF_PASS(conf_read(c, home_y, Y, &second));
    }
    if (c->me == 3) {
      CONF_PASS(conf_read(c, home_y, Y, &first));
      CONF_PASS(conf_read(c, home_x, X, &second));
    }
    uint64_t one_then_none = (c->me == 2 || c->me == 3) && first == r && second < r, both = 0;
    if (c->me == 2 || c->me == 3) CONF_PASS(conf_add(c, 2, FLAG, one_then_none, NULL));
    CONF_PASS(conf_barrier(c));
    if (c->me == 2) {
      both = conf_load(c, FLAG);
      CONF_CHECK(c, both < 2, "round %llu: the two readers saw the writes in opposite order",
                 (unsigned long long)r);
      const struct fab_amo clear = {.op = FAB_AMO_SWAP, .width = 8, .operand = 0};
      CONF_TRY(c, fab_amo_wait(c->f, conf_at(c, 2, FLAG), &clear, NULL));
    }
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

const struct conf_case conf_cases_litmus[] = {
    {"message_passing_shows_the_data", 1, message},
    {"message_by_third_unit_shows_the_data", 3, message_by_third},
    {"coherence_no_word_goes_back", 2, coherence},
    {"load_buffering_never_out_of_thin_air", 2, load_buffering},
    {"iriw_readers_agree_on_the_order", 4, iriw},
    {NULL, 0, NULL},
};
