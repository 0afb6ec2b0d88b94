/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - conformance: completion: local and remote, requests and flush. */
#include <string.h>

#include "conformance/conformance.h"

#define LONG 2048u
#define SLOT 8192u
#define MANY_MAX 3000u
#define BOGUS ((fab_req_t)0x7ffffff0f0f0f0f0u)

static uint64_t slot(uint32_t k) {
  return CONF_CTRL + (uint64_t)k * SLOT;
}

/* Checks that the remote memory holds `value` in every byte. */
static int all_bytes(struct conf_ctx *c, uint32_t unit, uint64_t off, uint32_t len,
                     unsigned char value, const char *when) {
  unsigned char got[LONG];
  CONF_TRY(c, fab_get_wait(c->f, got, conf_at(c, unit, off), len));
  for (uint32_t i = 0; i < len; i++)
    CONF_CHECK(c, got[i] == value, "%s: byte %u is %u, expected %u", when, i, got[i], value);
  return 0;
}

static int source_reuse(struct conf_ctx *c) {
  unsigned char src[LONG];
  for (uint32_t r = 1; r <= c->o.rounds / 4 + 1; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint32_t unit = conf_peer(c, k);
      unsigned char value = (unsigned char)(r % 100 + 1);
      fab_req_t req;
      memset(src, value, sizeof src);
      CONF_TRY(c, fab_put(c->f, conf_at(c, unit, slot(k)), src, sizeof src, &req));
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL));
      memset(src, 0xdd, sizeof src);
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
      CONF_PASS(
          all_bytes(c, unit, slot(k), LONG, value, "the source was reused after local completion"));
    }
  return 0;
}

static int source_reuse_flush(struct conf_ctx *c) {
  unsigned char src[LONG];
  for (uint32_t r = 1; r <= c->o.rounds / 4 + 1; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint32_t unit = conf_peer(c, k);
      unsigned char value = (unsigned char)(r % 100 + 1);
      memset(src, value, sizeof src);
      CONF_TRY(c, fab_put(c->f, conf_at(c, unit, slot(k)), src, sizeof src, NULL));
      CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? unit : FAB_ALL, FAB_LOCAL));
      memset(src, 0xdd, sizeof src);
      CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? FAB_ALL : unit, FAB_REMOTE));
      CONF_PASS(
          all_bytes(c, unit, slot(k), LONG, value, "the source was reused after a local flush"));
    }
  return 0;
}

static int request_life(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint64_t value = k + 1, got = 0;
    struct fab_addr at = conf_at(c, conf_peer(c, k), slot(k));
    fab_req_t req;
    bool done = false;
    CONF_TRY(c, fab_put(c->f, at, &value, sizeof value, &req));
    CONF_CHECK(c, req >> 63 == 0, "request %#llx has the highest bit set", (unsigned long long)req);
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL)); /* the local level keeps the request */
    CONF_TRY(c, fab_req_test(c->f, req, FAB_LOCAL, &done));
    CONF_CHECK(c, done, "a request that was waited for locally tests as not done");
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
    conf_hush(c, true);
    if (req != 0) CONF_REFUSED(c, fab_req_wait(c->f, req, FAB_REMOTE), EYOT_EINVAL);
    if (req != 0) CONF_REFUSED(c, fab_req_test(c->f, req, FAB_REMOTE, &done), EYOT_EINVAL);
    if (req != 0) CONF_REFUSED(c, fab_req_wait(c->f, req, FAB_LOCAL), EYOT_EINVAL);
    conf_hush(c, false);
    CONF_TRY(c, fab_get(c->f, &got, at, sizeof got, &req));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_LOCAL));
    CONF_CHECK(c, got == value, "a get holds %llu after local completion, expected %llu",
               (unsigned long long)got, (unsigned long long)value);
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  }
  return 0;
}

/* A retired request does not name the operation that follows it. */
static int request_retired(struct conf_ctx *c) {
  unsigned char src[LONG] = {1};
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    struct fab_addr at = conf_at(c, conf_peer(c, k), slot(k));
    fab_req_t old, req;
    CONF_TRY(c, fab_put(c->f, at, src, sizeof src, &old));
    CONF_TRY(c, fab_req_wait(c->f, old, FAB_REMOTE));
    CONF_TRY(c, fab_put(c->f, at, src, sizeof src, &req));
    conf_hush(c, true);
    if (old != 0) CONF_REFUSED(c, fab_req_wait(c->f, old, FAB_REMOTE), EYOT_EINVAL);
    conf_hush(c, false);
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  }
  return 0;
}

static int request_none(struct conf_ctx *c) {
  bool done = false;
  CONF_TRY(c, c->f->ops->req_wait(c->f, 0, FAB_REMOTE));
  CONF_TRY(c, c->f->ops->req_wait(c->f, 0, FAB_LOCAL));
  CONF_TRY(c, c->f->ops->req_test(c->f, 0, FAB_REMOTE, &done));
  CONF_CHECK(c, done, "request 0 is not complete");
  conf_hush(c, true);
  done = true;
  CONF_REFUSED(c, c->f->ops->req_wait(c->f, BOGUS, FAB_REMOTE), EYOT_EINVAL);
  done = false;
  CONF_REFUSED(c, c->f->ops->req_test(c->f, BOGUS, FAB_REMOTE, &done), EYOT_EINVAL);
  CONF_CHECK(c, !done, "an error wrote its output");
  return 0;
}

/* Testing in a loop ends, and done means done. */
static int request_test(struct conf_ctx *c) {
  static const enum fab_level LEVELS[] = {FAB_LOCAL, FAB_REMOTE};
  for (uint32_t r = 1; r <= c->o.rounds / 4 + 1; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint64_t value = r * 8ull + k, got = 0;
      struct fab_addr at = conf_at(c, conf_peer(c, k), slot(k));
      fab_req_t req;
      CONF_TRY(c, fab_put(c->f, at, &value, sizeof value, &req));
      for (uint32_t l = 0; l < 2; l++) {
        bool done = false;
        for (uint64_t end = conf_deadline(c); !done;) {
          CONF_TRY(c, fab_req_test(c->f, req, LEVELS[l], &done));
          CONF_PASS(conf_poll(c, end));
        }
      }
      CONF_TRY(c, fab_get(c->f, &got, at, sizeof got, &req));
      bool done = false;
      for (uint64_t end = conf_deadline(c); !done;) {
        CONF_TRY(c, fab_req_test(c->f, req, FAB_REMOTE, &done));
        CONF_PASS(conf_poll(c, end));
      }
      CONF_CHECK(c, got == value, "a put and a get that tested as done gave %llu, expected %llu",
                 (unsigned long long)got, (unsigned long long)value);
    }
  return 0;
}

static int many_body(struct conf_ctx *c, uint32_t many, fab_req_t *req, uint64_t *value) {
  for (uint32_t i = 0; i < many; i++) {
    value[i] = (uint64_t)c->me << 32 | (i + 1u);
    CONF_TRY(
        c, fab_put(c->f, conf_at(c, conf_peer(c, i), CONF_CTRL + 8ull * i), &value[i], 8, &req[i]));
  }
  for (uint32_t i = many; i-- > 0;) CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_REMOTE));
  memset(value, 0, many * sizeof *value);
  for (uint32_t i = 0; i < many; i++)
    CONF_TRY(
        c, fab_get(c->f, &value[i], conf_at(c, conf_peer(c, i), CONF_CTRL + 8ull * i), 8, &req[i]));
  for (uint32_t i = many; i-- > 0;) CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_REMOTE));
  for (uint32_t i = 0; i < many; i++)
    CONF_CHECK(c, value[i] == ((uint64_t)c->me << 32 | (i + 1u)),
               "of %u operations in flight number %u was lost: %#llx", many, i,
               (unsigned long long)value[i]);
  return 0;
}

/* Buffers of operations that may still be in flight after a failure must outlive the case: they lie
 * in the caller's part of the segment. */
static void *far_inside(const struct conf_ctx *c, uint32_t which) {
  return c->mem + (2 + which) * CONF_FULL;
}

/* With the default rounds, a few more than any cap on operations in flight. */
static uint32_t many_of(const struct conf_ctx *c) {
  return c->o.rounds * 15 < MANY_MAX ? c->o.rounds * 15 : MANY_MAX;
}

static int many_requests(struct conf_ctx *c) {
  return many_body(c, many_of(c), far_inside(c, 0), far_inside(c, 1));
}

/* Atomics on one word, of which each has another value before. */
static int many_atomics(struct conf_ctx *c) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  const struct fab_addr word = conf_at(c, conf_peer(c, 1), CONF_CTRL);
  const uint64_t many = many_of(c);
  fab_req_t *req = far_inside(c, 0);
  uint64_t *old = far_inside(c, 1), sum = 0;
  for (uint64_t i = 0; i < many; i++) CONF_TRY(c, fab_amo(c->f, word, &add, &old[i], &req[i]));
  for (uint64_t i = many; i-- > 0;) CONF_TRY(c, fab_req_wait(c->f, req[i], FAB_REMOTE));
  for (uint64_t i = 0; i < many; i++) sum += old[i];
  CONF_CHECK(c, sum == many * (many - 1) / 2, "the values before %llu atomics add up to %llu",
             (unsigned long long)many, (unsigned long long)sum);
  return 0;
}

/* Implicit operations beyond the cap to all, then one flush. */
static int many_implicit(struct conf_ctx *c) {
  uint32_t many = many_of(c);
  uint64_t *value = far_inside(c, 0);
  for (uint32_t i = 0; i < many; i++) {
    value[i] = (uint64_t)c->me << 32 | (i + 1u);
    CONF_TRY(c,
             fab_put(c->f, conf_at(c, conf_peer(c, i), CONF_CTRL + 8ull * i), &value[i], 8, NULL));
  }
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  memset(value, 0, many * sizeof *value);
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < many; i++) {
    uint64_t expect = (uint64_t)conf_peer_of(c, i) << 32 | (i + 1u),
             seen = conf_load(c, CONF_CTRL + 8ull * i);
    CONF_CHECK(c, seen == expect, "after everybody's flush word %u holds %#llx, expected %#llx", i,
               (unsigned long long)seen, (unsigned long long)expect);
    CONF_TRY(c,
             fab_get(c->f, &value[i], conf_at(c, conf_peer(c, i), CONF_CTRL + 8ull * i), 8, NULL));
  }
  CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_LOCAL));
  for (uint32_t i = 0; i < many; i++)
    CONF_CHECK(c, value[i] == ((uint64_t)c->me << 32 | (i + 1u)),
               "after a local flush get number %u has not landed: %#llx", i,
               (unsigned long long)value[i]);
  return 0;
}

/* flush(unit) completes the operations to that unit: the target sees all of them as soon as it sees
 * a later flag. */
static int flush_one_unit(struct conf_ctx *c) {
  unsigned char src[LONG];
  for (uint32_t r = 1; r <= c->o.rounds / 2 + 1; r++) {
    uint32_t to = conf_peer(c, 1), from = conf_peer_of(c, 1);
    memset(src, (int)(r % 200 + 1), sizeof src);
    CONF_TRY(c, fab_put(c->f, conf_at(c, to, slot(1)), src, sizeof src, NULL));
    CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? to : FAB_ALL, FAB_REMOTE));
    const struct fab_sig flag = {.at = conf_at(c, to, slot(0)), .op = FAB_SIG_SET, .value = r};
    CONF_TRY(c, fab_put_signal_wait(c->f, flag.at, NULL, 0, &flag));
    CONF_PASS(conf_wait(c, slot(0), FAB_GE, r));
    for (uint32_t i = 0; i < LONG; i++)
      CONF_CHECK(c, (unsigned char)c->mem[slot(1) + i] == (unsigned char)(r % 200 + 1),
                 "round %u: the flush did not wait for byte %u", r, i);
    CONF_PASS(conf_add(c, from, slot(0) + 8, 1, NULL)); /* may write the next round */
    CONF_PASS(conf_wait(c, slot(0) + 8, FAB_GE, r));
  }
  return 0;
}

static int flush_keeps_requests(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint64_t value = 5, got = 0;
    struct fab_addr at = conf_at(c, conf_peer(c, k), slot(k));
    fab_req_t put, get;
    bool done = false;
    CONF_TRY(c, fab_put(c->f, at, &value, 8, &put));
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_TRY(c, fab_get(c->f, &got, at, 8, &get));
    CONF_TRY(c, fab_flush(c->f, at.unit, FAB_REMOTE));
    CONF_CHECK(c, got == value, "after a flush the get has not landed");
    CONF_TRY(c, fab_req_test(c->f, put, FAB_REMOTE, &done));
    CONF_CHECK(c, done, "after a remote flush a request tests as not done");
    CONF_TRY(c, fab_req_wait(c->f, get, FAB_REMOTE));
    conf_hush(c, true);
    if (put != 0) CONF_REFUSED(c, fab_req_wait(c->f, put, FAB_REMOTE), EYOT_EINVAL);
    conf_hush(c, false);
  }
  return 0;
}

/* A request that is given back at local completion: the source may be reused, the request is no
 * more, and a flush completes the rest. */
static int source_reuse_release(struct conf_ctx *c) {
  unsigned char src[LONG];
  for (uint32_t r = 1; r <= c->o.rounds / 4 + 1; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint32_t unit = conf_peer(c, k);
      unsigned char value = (unsigned char)(r % 100 + 1);
      fab_req_t req;
      memset(src, value, sizeof src);
      CONF_TRY(c, fab_put(c->f, conf_at(c, unit, slot(k)), src, sizeof src, &req));
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
      memset(src, 0xdd, sizeof src);
      conf_hush(c, true);
      if (req != 0) CONF_REFUSED(c, fab_req_wait(c->f, req, FAB_REMOTE), EYOT_EINVAL);
      conf_hush(c, false);
      CONF_TRY(c, fab_flush(c->f, r % 2 == 0 ? unit : FAB_ALL, FAB_REMOTE));
      CONF_PASS(all_bytes(c, unit, slot(k), LONG, value, "the source was reused after a release"));
    }
  return 0;
}

/* Results are there, a signal follows, and many more than may be in flight are counted. */
static int release_each_kind(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint64_t value = 40 + k, got = 0, old = 0;
    struct fab_addr at = conf_at(c, conf_peer(c, k), slot(k)), count = at, flag = at;
    count.off += 8;
    flag.off += 16;
    const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 3};
    const struct fab_sig sig = {.at = flag, .op = FAB_SIG_SET, .value = 7 + k};
    fab_req_t req;
    CONF_TRY(c, fab_put_wait(c->f, count, &old, sizeof old)); /* the words may have been used */
    CONF_TRY(c, fab_put_signal(c->f, at, &value, sizeof value, &sig, &req));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
    value = 0;
    CONF_TRY(c, fab_amo(c->f, count, &add, &old, &req));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
    CONF_CHECK(c, old == 0, "an atomic that was released has the result %llu, expected 0",
               (unsigned long long)old);
    for (uint32_t i = 0; i < MANY_MAX / 10; i++) {
      uint64_t word = i;
      CONF_TRY(c, fab_put(c->f, fab_at(at.unit, at.seg, at.off + 24), &word, sizeof word, &req));
      CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
    }
    CONF_TRY(c, fab_flush(c->f, at.unit, FAB_REMOTE));
    CONF_TRY(c, fab_get(c->f, &got, at, sizeof got, &req));
    CONF_TRY(c, fab_req_wait(c->f, req, FAB_RELEASE));
    CONF_CHECK(c, got == 40 + k, "a get that was released has the result %llu, expected %u",
               (unsigned long long)got, 40 + k);
    CONF_TRY(c, fab_get_wait(c->f, &got, flag, sizeof got));
    CONF_CHECK(c, got == 7 + k, "the signal of a released put is %llu after a flush",
               (unsigned long long)got);
  }
  return 0;
}

const struct conf_case conf_cases_request[] = {
    {"source_reuse_after_local_wait", 1, source_reuse},
    {"source_reuse_after_local_flush", 1, source_reuse_flush},
    {"source_reuse_after_release", 1, source_reuse_release},
    {"release_of_each_kind_of_operation", 1, release_each_kind},
    {"request_is_retired_once", 1, request_life},
    {"request_retired_names_no_other", 1, request_retired},
    {"request_zero_is_complete_and_bogus_refused", 1, request_none},
    {"request_test_in_a_loop_ends", 1, request_test},
    {"many_requests_beyond_the_cap_complete", 1, many_requests},
    {"many_atomics_beyond_the_cap_complete", 1, many_atomics},
    {"many_implicit_operations_end_with_a_flush", 1, many_implicit},
    {"flush_of_a_unit_completes_its_operations", 1, flush_one_unit},
    {"flush_leaves_requests_alive", 1, flush_keeps_requests},
    {NULL, 0, NULL},
};
