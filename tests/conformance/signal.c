/* SPDX-License-Identifier: BSD-3-Clause */
/* signal.c - conformance: put with signal: set and add, with and without bytes, and never before
 * its own bytes. */
#include <string.h>

#include "conformance/conformance.h"

#define SIG (CONF_CTRL)
#define ACK (CONF_CTRL + 8u * CONF_PEERS)
#define DATA (CONF_CTRL + 4096u)
#define LONG 3000u
#define STRIDE 4096u

static int signal_set_add(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint32_t to = conf_peer(c, k);
    uint64_t value = 77 + k, seen;
    struct fab_sig sig = {
        .at = conf_at(c, to, SIG + 8 * k), .op = FAB_SIG_SET, .value = UINT64_MAX - 2};
    CONF_TRY(c, fab_put_signal_wait(c->f, conf_at(c, to, DATA + STRIDE * k), &value, sizeof value,
                                    &sig));
    CONF_PASS(conf_read(c, to, SIG + 8 * k, &seen));
    CONF_CHECK(c, seen == UINT64_MAX - 2, "a setting signal left %#llx", (unsigned long long)seen);
    sig.op = FAB_SIG_ADD;
    sig.value = 10;
    CONF_TRY(c, fab_put_signal_wait(c->f, conf_at(c, to, DATA + STRIDE * k), &value, sizeof value,
                                    &sig));
    CONF_PASS(conf_read(c, to, SIG + 8 * k, &seen));
    CONF_CHECK(c, seen == 7, "an adding signal left %llu, expected 7", (unsigned long long)seen);
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    CONF_CHECK(c, conf_load(c, DATA + STRIDE * k) == 77 + k,
               "the bytes of a signaled put are not there");
  return 0;
}

static int signal_empty(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    struct fab_sig sig = {
        .at = conf_at(c, conf_peer(c, k), SIG + 8 * k), .op = FAB_SIG_ADD, .value = 3};
    fab_req_t req;
    CONF_TRY(c, fab_put_signal_wait(c->f, fab_at(sig.at.unit, c->seg, 0), NULL, 0, &sig));
    CONF_TRY(c, fab_put_signal(c->f, sig.at, NULL, 0, &sig, &req));
    CONF_TRY(c, fab_put_signal(c->f, sig.at, NULL, 0, &sig, NULL));
    CONF_TRY(c, fab_flush(c->f, sig.at.unit, FAB_REMOTE));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    CONF_CHECK(c, conf_load(c, SIG + 8 * k) == 9, "three signals of 3 without bytes left %llu",
               (unsigned long long)conf_load(c, SIG + 8 * k));
  return 0;
}

/* Bytes, then signal; the receiver checks at the moment it sees the signal. how: 0 blocking, 1
 * request, 2 implicit. `turn` counts the calls with k. */
static int after_bytes(struct conf_ctx *c, uint32_t k, uint32_t turn, uint32_t how,
                       enum fab_sig_op op, uint32_t len) {
  unsigned char src[2][LONG]; /* two rounds may be under way at once */
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k), rounds = c->o.rounds / 4 + 2;
  uint64_t sig_off = SIG + 8 * k, ack_off = ACK + 8 * k, base = (uint64_t)turn * rounds;
  fab_req_t req = 0;
  for (uint32_t r = 1; r <= rounds; r++) {
    unsigned char *from_here = src[r % 2], tag = (unsigned char)(base + r);
    struct fab_sig sig = {
        .at = conf_at(c, to, sig_off), .op = op, .value = op == FAB_SIG_SET ? base + r : 1};
    struct fab_addr dst = conf_at(c, to, DATA + STRIDE * k + 5);
    memset(from_here, tag, len);
    if (how == 0) CONF_TRY(c, fab_put_signal_wait(c->f, dst, from_here, len, &sig));
    if (how == 1) CONF_TRY(c, fab_put_signal(c->f, dst, from_here, len, &sig, &req));
    if (how == 2) CONF_TRY(c, fab_put_signal(c->f, dst, from_here, len, &sig, NULL));
    if (how == 2) CONF_TRY(c, c->f->ops->progress(c->f));
    /* The receiver's part: there may be no other step between seeing the signal and reading the
     * bytes. */
    if (how == 1) CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
    if (how == 2) CONF_TRY(c, fab_flush(c->f, to, FAB_LOCAL));
    CONF_PASS(conf_wait(c, sig_off, FAB_GE, base + r));
    for (uint32_t i = 0; i < len; i++) {
      unsigned char got = (unsigned char)c->mem[DATA + STRIDE * k + 5 + i];
      CONF_CHECK(c, got == tag, "round %u: the signal is here but byte %u of %u is %u, expected %u",
                 r, i, len, got, tag);
    }
    CONF_PASS(conf_add(c, from, ack_off, 1, NULL));
    CONF_PASS(conf_wait(c, ack_off, FAB_GE, base + r));
  }
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  return conf_barrier(c);
}

static int signal_after_bytes(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint32_t how = 0; how < 3; how++) {
      CONF_PASS(after_bytes(c, k, 2 * how, how, FAB_SIG_SET, LONG));
      CONF_PASS(after_bytes(c, k, 2 * how + 1, how, FAB_SIG_ADD, 100));
    }
  return 0;
}

/* All signal one unit, each with bytes of its own; the counter is complete and no bytes are
 * missing. */
static int signal_from_all(struct conf_ctx *c) {
  uint32_t rounds = c->o.rounds / 10 + 1;
  uint64_t mine[32];
  for (uint32_t r = 1; r <= rounds; r++) {
    for (uint32_t i = 0; i < 32; i++) mine[i] = (uint64_t)r << 32 | c->me;
    struct fab_sig sig = {.at = conf_at(c, 0, SIG), .op = FAB_SIG_ADD, .value = 1};
    CONF_TRY(c, fab_put_signal(c->f, conf_at(c, 0, DATA + 256ull * (c->me % 128)), mine,
                               c->me < 128 ? sizeof mine : 0, &sig, NULL));
    if (c->me == 0) {
      CONF_PASS(conf_wait(c, SIG, FAB_EQ, (uint64_t)r * c->n));
      for (uint32_t u = 0; u < c->n && u < 128; u++)
        for (uint32_t i = 0; i < 32; i++) {
          uint64_t got = conf_load(c, DATA + 256ull * u + 8ull * i);
          CONF_CHECK(c, got == ((uint64_t)r << 32 | u),
                     "all have signaled, but word %u of unit %u is %#llx", i, u,
                     (unsigned long long)got);
        }
    }
    CONF_TRY(c, fab_flush(c->f, 0, FAB_REMOTE));
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

const struct conf_case conf_cases_signal[] = {
    {"signal_sets_or_adds", 1, signal_set_add},
    {"signal_without_bytes_arrives", 1, signal_empty},
    {"signal_comes_after_its_bytes", 1, signal_after_bytes},
    {"signal_from_all_units_is_counted", 1, signal_from_all},
    {NULL, 0, NULL},
};
