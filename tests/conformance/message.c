/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - conformance: bytes and a word as one message: the word comes after the bytes, for
 * short and long ones, many at a time and in both directions; and what completion promises. A
 * fabric without messages puts with a signal. */
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"

#define WORD (CONF_CTRL)
#define ACK (CONF_CTRL + 8u * CONF_PEERS)
#define DATA (CONF_CTRL + CONF_CLEAN)
#define NEAR (CONF_CTRL + 2048u) /* few bytes, near WORD */
#define MOST (100u << 10)        /* bytes of a message here */
#define STRIDE (128u << 10)
#define MANY 40u

static const uint32_t LENGTHS[] = {0, 1, 8, 100, 3000, 8192, 8193, MOST};
#define N_LENGTHS (sizeof LENGTHS / sizeof *LENGTHS)

static unsigned char byte_of(uint32_t unit, uint64_t round, uint32_t i) {
  return (unsigned char)(unit * 31 + round * 7 + i);
}

/* The caller's bytes for a round, which it may change once the message is locally complete. */
static void fill(unsigned char *bytes, uint32_t len, uint32_t unit, uint64_t round) {
  for (uint32_t i = 0; i < len; i++) bytes[i] = byte_of(unit, round, i);
}

static int check_bytes(struct conf_ctx *c, uint64_t off, uint32_t len, uint32_t from,
                       uint64_t round) {
  for (uint32_t i = 0; i < len; i++) {
    unsigned char got = (unsigned char)c->mem[off + i], want = byte_of(from, round, i);
    CONF_CHECK(c, got == want,
               "round %u: the word is here, but byte %u of %u from unit %u is %u, expected %u",
               (unsigned)round, i, len, from, got, want);
  }
  return 0;
}

static int send(struct conf_ctx *c, uint32_t k, uint64_t round, unsigned char *bytes, uint32_t len,
                fab_req_t *req) {
  uint32_t to = conf_peer(c, k);
  struct fab_sig sig = {.at = conf_at(c, to, WORD + 8 * k), .op = FAB_SIG_SET, .value = round};
  fill(bytes, len, c->me, round);
  CONF_TRY(c, fab_message(c->f, conf_at(c, to, DATA + (uint64_t)STRIDE * k), bytes, len, &sig, NULL,
                          req));
  return 0;
}

/* Of each length, completed in each way before the source changes. */
static int by_length(struct conf_ctx *c, unsigned char *bytes, uint32_t k, uint64_t *round) {
  for (uint32_t l = 0; l < N_LENGTHS; l++)
    for (uint32_t how = 0; how < 4; how++) {
      fab_req_t req = 0;
      ++*round;
      CONF_PASS(send(c, k, *round, bytes, LENGTHS[l], how == 0 ? NULL : &req));
      if (how == 0) CONF_TRY(c, fab_flush(c->f, conf_peer(c, k), FAB_LOCAL));
      if (how == 1) CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL));
      if (how == 3) CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
      if (how != 2) memset(bytes, 0xee, LENGTHS[l]); /* they may be changed */
      CONF_PASS(conf_wait(c, WORD + 8 * k, FAB_GE, *round));
      CONF_PASS(
          check_bytes(c, DATA + (uint64_t)STRIDE * k, LENGTHS[l], conf_peer_of(c, k), *round));
      if (how == 1 || how == 2) CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
      CONF_PASS(conf_add(c, conf_peer_of(c, k), ACK + 8 * k, 1, NULL));
      CONF_PASS(conf_wait(c, ACK + 8 * k, FAB_GE, *round));
    }
  return 0;
}

static int message_after_bytes(struct conf_ctx *c) {
  unsigned char *bytes = malloc(MOST);
  int rc = bytes != NULL ? 0 : conf_fail(c, "no memory");
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++) {
    uint64_t round = 0;
    rc = by_length(c, bytes, k, &round);
  }
  if (rc == 0) CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  free(bytes);
  return rc != 0 ? rc : conf_barrier(c);
}

/* Many under way at once to each peer, each with a place and a word of its own, and no wait before
 * all have been sent: units must not wait for each other. */
static const uint32_t MANY_LEN[] = {16, 1000, 9000};
#define MANY_STRIDE 9008u

static int send_many(struct conf_ctx *c, unsigned char *bytes) {
  for (uint32_t i = 0; i < MANY; i++) {
    unsigned char *from = bytes + i * MANY_STRIDE;
    fill(from, MANY_LEN[i % 3], c->me, i);
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint32_t to = conf_peer(c, k), slot = k * MANY + i;
      struct fab_sig sig = {
          .at = conf_at(c, to, WORD + 8ull * slot), .op = FAB_SIG_SET, .value = i + 1};
      CONF_TRY(c, fab_message(c->f, conf_at(c, to, DATA + (uint64_t)MANY_STRIDE * slot), from,
                              MANY_LEN[i % 3], &sig, NULL, NULL));
    }
  }
  return 0;
}

static int receive_many(struct conf_ctx *c) {
  for (uint32_t i = 0; i < MANY; i++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint32_t slot = k * MANY + i;
      CONF_PASS(conf_wait(c, WORD + 8ull * slot, FAB_EQ, i + 1));
      CONF_PASS(check_bytes(c, DATA + (uint64_t)MANY_STRIDE * slot, MANY_LEN[i % 3],
                            conf_peer_of(c, k), i));
    }
  return 0;
}

static int message_many(struct conf_ctx *c) {
  unsigned char *bytes = malloc(MANY * MANY_STRIDE);
  CONF_CHECK(c, bytes != NULL, "no memory");
  int rc = send_many(c, bytes);
  if (rc == 0) rc = receive_many(c);
  if (rc == 0) CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  free(bytes);
  return rc != 0 ? rc : conf_barrier(c);
}

/* Few bytes at such distances from their word, with and without a bound at such distances: places
 * that are near each other travel in another form. */
static const int64_t DISTANCES[] = {8, -8, 21, -44, 16376, 16384, -16384, -16392};
#define N_DISTANCES (sizeof DISTANCES / sizeof *DISTANCES)
#define MIDDLE (CONF_CTRL + (32u << 10)) /* of the memory around */

static int place_round(struct conf_ctx *c, uint32_t k, uint64_t round, uint32_t len) {
  unsigned char bytes[64];
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k), how = 5 * (uint32_t)round;
  uint64_t word = MIDDLE + 128 * k;
  uint64_t at = word + (uint64_t)DISTANCES[how % N_DISTANCES];
  uint64_t bound = word + (uint64_t)DISTANCES[how / N_DISTANCES % N_DISTANCES] / 8 * 8;
  struct fab_sig sig = {.at = conf_at(c, to, word), .op = FAB_SIG_SET, .value = round};
  struct fab_addr least = conf_at(c, to, bound), dst = conf_at(c, to, at);
  if (at < word && at + len > word) len = (uint32_t)(word - at);
  bool bounded = how % 3 != 0 && (at + len <= bound || bound + 8 <= at);
  fill(bytes, len, c->me, round);
  CONF_TRY(c, fab_message(c->f, dst, bytes, len, &sig, bounded ? &least : NULL, NULL));
  CONF_PASS(conf_wait(c, word, FAB_GE, round));
  CONF_PASS(check_bytes(c, at, len, from, round));
  memset(c->mem + at, 0, len);
  CONF_PASS(conf_add(c, from, ACK + 8 * k, 1, NULL));
  return conf_wait(c, ACK + 8 * k, FAB_GE, round);
}

static int message_near_its_word(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint64_t round = 1; round <= 2 * N_DISTANCES; round++)
      CONF_PASS(place_round(c, k, round, (uint32_t)(round * 5 % 41)));
  return conf_barrier(c);
}

/* Messages to it come at once, by the CPU. */
static bool is_near(const struct conf_ctx *c, uint32_t unit) {
  return unit - c->f->local.first < c->f->local.n;
}

/* A word keeps the greatest value, whichever comes last, and the bytes are those that came with it,
 * so that who has seen the word does not take another message's bytes for its own. */
static int greatest_of(struct conf_ctx *c, uint32_t k, uint64_t round, uint32_t len) {
  static const uint64_t VALUES[] = {7, 9, 8, 9, 1};
  unsigned char bytes[64];
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k);
  uint64_t at = NEAR + 64 * k, first = 10 * round;
  struct fab_sig sig = {.at = conf_at(c, to, WORD + 8 * k), .op = FAB_SIG_SET, .value = 0};
  for (uint32_t i = 0; i < 5; i++) {
    sig.value = first + VALUES[i];
    fill(bytes, len, c->me, sig.value);
    CONF_TRY(c, fab_message(c->f, conf_at(c, to, at), bytes, len, &sig, NULL, NULL));
    CONF_TRY(c, fab_flush(c->f, to, FAB_LOCAL));
  }
  sig = (struct fab_sig){.at = conf_at(c, to, ACK + 8 * k), .op = FAB_SIG_SET, .value = first + 1};
  CONF_TRY(c, fab_message(c->f, sig.at, NULL, 0, &sig, NULL, NULL));
  CONF_PASS(conf_wait(c, ACK + 8 * k, FAB_GE, first + 1));
  if (is_near(c, from)) return 0;
  CONF_CHECK(c, conf_load(c, WORD + 8 * k) == first + 9, "the word has %u after messages up to %u",
             (unsigned)conf_load(c, WORD + 8 * k), (unsigned)first + 9);
  return check_bytes(c, at, len, from, first + 9);
}

static int message_keeps_greatest(struct conf_ctx *c) {
  static const uint32_t LEN[] = {0, 8, 64};
  if (c->f->ops->message == NULL) return 0;
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint32_t i = 0; i < 3; i++) {
      CONF_PASS(greatest_of(c, k, i, LEN[i]));
      CONF_PASS(conf_barrier(c));
    }
  return 0;
}

/* A message with a value below the target's bound is dropped; one with the bound's is not. */
static int late_to(struct conf_ctx *c, uint32_t k, unsigned char *bytes, uint32_t i) {
  uint64_t value = 98 + i;
  uint32_t len = i % 2 == 0 ? 16 : 9000;
  uint32_t to = conf_peer(c, k), from = conf_peer_of(c, k);
  uint64_t at = i % 2 == 0 ? NEAR + 64 * k : DATA + (uint64_t)STRIDE * k;
  bool over = value >= 100;
  struct fab_addr least = conf_at(c, to, ACK + 8 * CONF_PEERS);
  struct fab_sig sig = {.at = conf_at(c, to, WORD + 8 * k), .op = FAB_SIG_SET, .value = value};
  memset(c->mem + at, 0xee, len);
  CONF_PASS(conf_barrier(c));
  fill(bytes, len, c->me, value);
  CONF_TRY(c, fab_message(c->f, conf_at(c, to, at), bytes, len, &sig, &least, NULL));
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_LOCAL));
  sig = (struct fab_sig){.at = conf_at(c, to, ACK + 8 * k), .op = FAB_SIG_SET, .value = i + 1};
  CONF_TRY(c, fab_message(c->f, sig.at, NULL, 0, &sig, NULL, NULL));
  if (over) CONF_PASS(conf_wait(c, WORD + 8 * k, FAB_EQ, value));
  CONF_PASS(conf_wait(c, ACK + 8 * k, FAB_GE, i + 1));
  if (over) return check_bytes(c, at, len, from, value);
  if (is_near(c, from)) return 0;
  CONF_CHECK(c, conf_load(c, WORD + 8 * k) < value, "a late message has set its word");
  CONF_CHECK(c, (unsigned char)c->mem[at + len - 1] == 0xee, "a late message has changed bytes");
  return 0;
}

static int message_late_is_dropped(struct conf_ctx *c) {
  if (c->f->ops->message == NULL) return 0;
  unsigned char *bytes = malloc(MOST);
  int rc = bytes != NULL ? 0 : conf_fail(c, "no memory");
  if (rc == 0)
    CONF_TRY(c, c->f->ops->message_least(c->f, conf_at(c, c->me, ACK + 8 * CONF_PEERS), 100));
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++)
    for (uint32_t i = 0; i < 4 && rc == 0; i++) rc = late_to(c, k, bytes, i);
  free(bytes);
  return rc != 0 ? rc : conf_barrier(c);
}

static int message_refused(struct conf_ctx *c) {
  struct fab_sig sig = {.at = conf_at(c, conf_peer(c, 1), WORD), .op = FAB_SIG_ADD, .value = 1};
  struct fab_addr dst = conf_at(c, conf_peer(c, 1), DATA);
  conf_hush(c, true);
  if (c->f->ops->message != NULL)
    CONF_REFUSED(c, fab_message(c->f, dst, &sig, 8, &sig, NULL, NULL), EYOT_EINVAL);
  sig.op = FAB_SIG_SET;
  sig.at.off += 4;
  CONF_REFUSED(c, fab_message(c->f, dst, &sig, 8, &sig, NULL, NULL), EYOT_EALIGN);
  sig.at = conf_at(c, c->n, WORD);
  CONF_REFUSED(c, fab_message(c->f, sig.at, NULL, 0, &sig, NULL, NULL), EYOT_EUNIT);
  sig.at = conf_at(c, conf_peer(c, 1), CONF_SEG_BYTES);
  CONF_REFUSED(c, fab_message(c->f, sig.at, NULL, 0, &sig, NULL, NULL), EYOT_ERANGE);
  conf_hush(c, false);
  CONF_PASS(conf_barrier(c));
  CONF_CHECK(c, conf_load(c, WORD) == 0, "a refused message has arrived");
  return conf_barrier(c);
}

/* -- messages to private memory ---------------------------------------------------------------- */

static int send_to(struct conf_ctx *c, uint32_t k, uint64_t value, const void *bytes, uint32_t len,
                   fab_req_t *req) {
  struct fab_sig sig = {
      .at = conf_at(c, conf_peer(c, k), WORD + 8 * k), .op = FAB_SIG_SET, .value = value};
  CONF_TRY(c, c->f->ops->send(c->f, &sig, bytes, len, req));
  return 0;
}
static int expect_of(struct conf_ctx *c, uint32_t k, uint64_t value, void *dst, uint32_t len) {
  struct fab_sig sig = {.at = conf_at(c, c->me, WORD + 8 * k), .op = FAB_SIG_SET, .value = value};
  CONF_TRY(c, c->f->ops->expect(c->f, conf_peer_of(c, k), &sig, dst, len, NULL));
  return 0;
}

/* Sent before and after it is expected. */
static int expected_round(struct conf_ctx *c, uint32_t k, uint64_t round, unsigned char *bytes,
                          unsigned char *dst) {
  uint32_t len = LENGTHS[1 + round % (N_LENGTHS - 1)], from = conf_peer_of(c, k);
  fab_req_t req;
  fill(bytes, len, c->me, round);
  memset(dst, 0xee, MOST);
  if (round % 2 == 0) CONF_PASS(expect_of(c, k, round, dst, len));
  CONF_PASS(send_to(c, k, round, bytes, len, &req));
  if (round % 3 == 0) CONF_TRY(c, c->f->ops->progress(c->f));
  if (round % 2 != 0) CONF_PASS(expect_of(c, k, round, dst, len));
  if (round % 3 != 2) CONF_PASS(conf_wait(c, WORD + 8 * k, FAB_EQ, round));
  CONF_TRY(c, fab_req_wait(c->f, req, round % 5 == 0 ? FAB_REMOTE : FAB_RELEASE));
  memset(bytes, 0xdd, len);
  CONF_PASS(conf_wait(c, WORD + 8 * k, FAB_EQ, round));
  for (uint32_t i = 0; i < MOST; i++)
    CONF_CHECK(c, dst[i] == (i < len ? byte_of(from, round, i) : 0xee),
               "round %u: byte %u of %u that were expected of unit %u is %u", (unsigned)round, i,
               len, from, dst[i]);
  return 0;
}

static int message_lands_where_expected(struct conf_ctx *c) {
  if (c->f->ops->send == NULL) return 0;
  unsigned char *bytes = malloc(MOST), *dst = malloc(MOST);
  int rc = bytes != NULL && dst != NULL ? 0 : conf_fail(c, "no memory");
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++)
    for (uint64_t round = 1; round <= 3 * N_LENGTHS && rc == 0; round++)
      rc = expected_round(c, k, round, bytes, dst);
  if (rc == 0) rc = conf_barrier(c);
  if (rc == 0) CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  free(bytes);
  free(dst);
  return rc;
}

/* What is expected no more is dropped, whenever that is said; its sender does not wait forever, and
 * the next message to the word lands. Values keep them apart. */
static int next_round(struct conf_ctx *c, uint32_t k, uint64_t value, unsigned char *bytes,
                      unsigned char *dst) {
  fab_req_t req;
  CONF_PASS(send_to(c, k, value, bytes, 100, &req));
  CONF_PASS(expect_of(c, k, value, dst, 100));
  CONF_PASS(conf_wait(c, WORD + 8 * k, FAB_EQ, value));
  CONF_CHECK(c, dst[99] == byte_of(conf_peer_of(c, k), value - 1, 99), "the next one is not here");
  CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  return conf_barrier(c);
}

static int dropped_round(struct conf_ctx *c, uint32_t k, uint32_t how, unsigned char *bytes,
                         unsigned char *dst) {
  uint64_t value = 10 * how + 10;
  fab_req_t req;
  fill(bytes, MOST, c->me, value);
  memset(dst, 0xee, MOST);
  if (how != 1) CONF_PASS(expect_of(c, k, value, dst, MOST));
  if (how == 0 || how == 3) CONF_PASS(expect_of(c, k, value, NULL, MOST));
  CONF_PASS(conf_barrier(c));
  if (how == 3) return next_round(c, k, value + 1, bytes, dst); /* it never comes */
  CONF_PASS(send_to(c, k, value, bytes, MOST, &req));
  if (how == 1) CONF_TRY(c, c->f->ops->progress(c->f));
  if (how == 1 || how == 2) CONF_PASS(expect_of(c, k, value, NULL, MOST));
  unsigned char was = dst[MOST - 1]; /* of how 2, it may have landed */
  CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  CONF_CHECK(c, dst[MOST - 1] == was && (how == 2 || was == 0xee), "what is dropped has landed");
  CONF_CHECK(c, how == 2 || conf_load(c, WORD + 8 * k) < value, "what is dropped has set its word");
  return next_round(c, k, value + 1, bytes, dst);
}

/* Many under way, which the target expects from the last to the first. */
#define BACKWARD 8u
static int expected_backward(struct conf_ctx *c, uint32_t k, uint32_t len, unsigned char *bytes,
                             unsigned char *dst) {
  uint32_t from = conf_peer_of(c, k);
  fab_req_t req[BACKWARD];
  for (uint32_t i = 0; i < BACKWARD; i++) {
    struct fab_sig sig = {
        .at = conf_at(c, conf_peer(c, k), WORD + 8 * i), .op = FAB_SIG_SET, .value = len + k};
    fill(bytes + i * len, len, c->me, i);
    CONF_TRY(c, c->f->ops->send(c->f, &sig, bytes + i * len, len, &req[i]));
    if (len < 1000) CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_RELEASE)); /* MPI keeps the bytes */
  }
  struct fab_sig all = {
      .at = conf_at(c, conf_peer(c, k), ACK), .op = FAB_SIG_SET, .value = len + k};
  CONF_TRY(c, fab_message(c->f, all.at, NULL, 0, &all, NULL, NULL));
  CONF_PASS(conf_wait(c, ACK, FAB_EQ, len + k)); /* the peer's have come */
  for (uint32_t i = BACKWARD; i-- > 0;) {
    struct fab_sig sig = {
        .at = conf_at(c, c->me, WORD + 8 * i), .op = FAB_SIG_SET, .value = len + k};
    CONF_TRY(c, c->f->ops->expect(c->f, from, &sig, dst + i * len, len, NULL));
  }
  for (uint32_t i = 0; i < BACKWARD; i++) CONF_PASS(conf_wait(c, WORD + 8 * i, FAB_EQ, len + k));
  for (uint32_t i = 0; i < BACKWARD * len; i++)
    CONF_CHECK(c, dst[i] == byte_of(from, i / len, i % len),
               "byte %u of message %u of %u bytes is %u", i % len, i / len, len, dst[i]);
  for (uint32_t i = 0; len >= 1000 && i < BACKWARD; i++)
    CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_REMOTE));
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  return conf_barrier(c);
}

static int message_expected_in_any_order(struct conf_ctx *c) {
  if (c->f->ops->send == NULL) return 0;
  unsigned char *bytes = malloc(MOST), *dst = malloc(MOST);
  int rc = bytes != NULL && dst != NULL ? 0 : conf_fail(c, "no memory");
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++) rc = expected_backward(c, k, 8, bytes, dst);
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++)
    rc = expected_backward(c, k, 10000, bytes, dst);
  free(bytes);
  free(dst);
  return rc;
}

/* A word of the target's own is set instead of the one that names the message; a flush does not
 * wait for a send with a request. */
static int message_lands_at_another_word(struct conf_ctx *c) {
  if (c->f->ops->send == NULL) return 0;
  unsigned char *bytes = malloc(MOST), *dst = malloc(MOST);
  CONF_CHECK(c, bytes != NULL && dst != NULL, "no memory");
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint64_t round = 1; round <= 4; round++) {
      uint32_t from = conf_peer_of(c, k);
      struct fab_sig sig = {.at = conf_at(c, c->me, WORD + 8 * k),
                            .op = FAB_SIG_SET,
                            .value = round},
                     landed = {.at = conf_at(c, c->me, ACK + 8 * k),
                               .op = FAB_SIG_SET,
                               .value = 10 + round};
      fab_req_t req;
      fill(bytes, MOST, c->me, round);
      CONF_PASS(send_to(c, k, round, bytes, MOST, &req));
      CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
      if (round % 2 == 0) CONF_PASS(conf_barrier(c)); /* it has come, and nobody expects it */
      CONF_TRY(c, c->f->ops->expect(c->f, from, &sig, dst, MOST, &landed));
      CONF_PASS(conf_wait(c, ACK + 8 * k, FAB_EQ, 10 + round));
      CONF_CHECK(c, conf_load(c, WORD + 8 * k) == 0, "the word that names the message was set");
      CONF_CHECK(c, dst[MOST - 1] == byte_of(from, round, MOST - 1), "its last byte is not here");
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
    }
  free(bytes);
  free(dst);
  return conf_barrier(c);
}

static int message_is_dropped(struct conf_ctx *c) {
  if (c->f->ops->send == NULL) return 0;
  unsigned char *bytes = malloc(MOST), *dst = malloc(MOST);
  int rc = bytes != NULL && dst != NULL ? 0 : conf_fail(c, "no memory");
  for (uint32_t k = 0; k < CONF_PEERS && rc == 0; k++)
    for (uint32_t how = 0; how < 4 && rc == 0; how++) rc = dropped_round(c, k, how, bytes, dst);
  free(bytes);
  free(dst);
  return rc;
}

const struct conf_case conf_cases_message[] = {
    {"message_comes_after_its_bytes", 1, message_after_bytes},
    {"message_many_at_once", 1, message_many},
    {"message_word_keeps_greatest", 1, message_keeps_greatest},
    {"message_near_its_word", 1, message_near_its_word},
    {"message_late_is_dropped", 1, message_late_is_dropped},
    {"message_refused_without_effect", 1, message_refused},
    {"message_lands_where_expected", 1, message_lands_where_expected},
    {"message_expected_in_any_order", 1, message_expected_in_any_order},
    {"message_lands_at_another_word", 1, message_lands_at_another_word},
    {"message_is_dropped_if_unwanted", 1, message_is_dropped},
    {NULL, 0, NULL},
};
