/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - conformance: attached memory is accessible to every operation, and no longer after
 * detach. */
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"

#define KEYS (CONF_CTRL)        /* where a unit publishes its keys */
#define DONE (CONF_CTRL + 512u) /* counts the accesses of others */
#define LEN 5000u
#define RANGES 5u
#define LONG 150001u

static struct fab_addr attached(uint32_t unit, uint64_t key, uint64_t off) {
  return fab_at(unit, FAB_SEG_ATTACHED, key + off);
}

static int key_of(struct conf_ctx *c, uint32_t unit, uint32_t i, uint64_t *key) {
  CONF_TRY(c, fab_get_wait(c->f, key, conf_at(c, unit, KEYS + 8ull * i), 8));
  return 0;
}

static int publish(struct conf_ctx *c, uint32_t i, uint64_t key) {
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, KEYS + 8ull * i), &key, 8));
  return 0;
}

/* Uses every operation on the memory of a peer; area k there belongs to this unit. */
static int use(struct conf_ctx *c, uint32_t unit, uint64_t key, uint32_t k) {
  uint64_t at = 64 + 1024ull * k, value = c->me * 10ull + k, got = 0, old = 0;
  unsigned char src[300], back[300];
  memset(src, (int)(k + c->me + 1), sizeof src);
  CONF_TRY(c, fab_put_wait(c->f, attached(unit, key, at + 101), src, sizeof src));
  CONF_TRY(c, fab_get_wait(c->f, back, attached(unit, key, at + 101), sizeof back));
  CONF_CHECK(c, memcmp(src, back, sizeof src) == 0,
             "attached memory of unit %u: what was put is not what is got", unit);
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = value};
  const struct fab_sig sig = {.at = attached(unit, key, at + 8), .op = FAB_SIG_SET, .value = value};
  CONF_TRY(c, fab_amo_wait(c->f, attached(unit, key, at), &add, &old));
  CONF_CHECK(c, old == 0, "an atomic on attached memory found %llu", (unsigned long long)old);
  CONF_TRY(c, fab_put_signal_wait(c->f, attached(unit, key, at + 16), &value, 8, &sig));
  for (uint32_t i = 0; i < 3; i++) {
    CONF_TRY(c, fab_get_wait(c->f, &got, attached(unit, key, at + 8ull * i), 8));
    CONF_CHECK(c, got == value, "word %u of attached memory is %llu, expected %llu", i,
               (unsigned long long)got, (unsigned long long)value);
  }
  return conf_add(c, unit, DONE, 1, NULL);
}

static int attach_access(struct conf_ctx *c) {
  _Alignas(64) unsigned char mem[LEN] = {0};
  uint64_t key;
  CONF_TRY(c, c->f->ops->attach(c->f, mem, LEN, &key));
  CONF_PASS(publish(c, 0, key));
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint64_t theirs;
    CONF_PASS(key_of(c, conf_peer(c, k), 0, &theirs));
    CONF_PASS(use(c, conf_peer(c, k), theirs, k));
  }
  CONF_PASS(conf_wait(c, DONE, FAB_EQ, CONF_PEERS));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint64_t seen;
    memcpy(&seen, mem + 64 + 1024 * k + 16, 8);
    CONF_CHECK(c, seen == conf_peer_of(c, k) * 10ull + k,
               "the owner sees %llu in its attached memory", (unsigned long long)seen);
  }
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->detach(c->f, key));
  return 0;
}

/* Several ranges, one after the other and all at once; a byte in each is accessible by its own key
 * only. */
static int attach_several(struct conf_ctx *c) {
  unsigned char mem[RANGES * 1000] = {0};
  uint64_t key[RANGES], theirs;
  uint32_t to = conf_peer(c, 2), from = conf_peer_of(c, 2);
  for (uint32_t i = 0; i < RANGES; i++) {
    CONF_TRY(c, c->f->ops->attach(c->f, mem + 1000 * i + i, 1000 - i, &key[i]));
    CONF_PASS(publish(c, i, key[i]));
    for (uint32_t j = 0; j < i; j++) CONF_CHECK(c, key[j] != key[i], "two ranges have one key");
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < RANGES; i++) {
    unsigned char byte = (unsigned char)(c->me * 7 + i + 1);
    CONF_PASS(key_of(c, to, i, &theirs));
    CONF_TRY(c, fab_put_wait(c->f, attached(to, theirs, 999 - i), &byte, 1));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < RANGES; i++)
    CONF_CHECK(c, mem[1000 * i + 999] == (unsigned char)(from * 7 + i + 1),
               "the last byte of range %u is %u", i, mem[1000 * i + 999]);
  for (uint32_t i = 0; i < RANGES; i++)
    CONF_TRY(c, c->f->ops->detach(c->f, key[(i * 3 + 1) % RANGES]));
  return conf_barrier(c);
}

/* Longer than any buffer that a fabric might use for it, from an odd address on, by all units at
 * once. */
static int attach_long(struct conf_ctx *c) {
  unsigned char *mem = calloc(1, LONG + 1), *mine = malloc(LONG), *back = malloc(LONG);
  uint64_t key, theirs;
  CONF_CHECK(c, mem != NULL && mine != NULL && back != NULL, "no memory for the test");
  for (uint32_t i = 0; i < LONG; i++) mine[i] = (unsigned char)(i * 7 + (i >> 8) + c->me);
  CONF_TRY(c, c->f->ops->attach(c->f, mem + 1, LONG, &key));
  CONF_PASS(publish(c, 0, key));
  CONF_PASS(conf_barrier(c));
  CONF_PASS(key_of(c, conf_peer(c, 1), 0, &theirs));
  CONF_TRY(c, fab_put_wait(c->f, attached(conf_peer(c, 1), theirs, 0), mine, LONG));
  CONF_TRY(c, fab_get_wait(c->f, back, attached(conf_peer(c, 1), theirs, 0), LONG));
  CONF_CHECK(c, memcmp(mine, back, LONG) == 0,
             "%u bytes of attached memory: what was put is not what is got", LONG);
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < LONG; i++)
    CONF_CHECK(c, mem[1 + i] == (unsigned char)(i * 7 + (i >> 8) + conf_peer_of(c, 1)),
               "byte %u of attached memory is %u", i, mem[1 + i]);
  CONF_TRY(c, c->f->ops->detach(c->f, key));
  free(mem);
  free(mine);
  free(back);
  return 0;
}

static int attach_misuse(struct conf_ctx *c) {
  char byte = 0;
  uint64_t key = 12345, real;
  CONF_TRY(c, c->f->ops->attach(c->f, &byte, 1, &real));
  conf_hush(c, true);
  CONF_REFUSED(c, c->f->ops->attach(c->f, NULL, 8, &key), EYOT_EINVAL);
  CONF_REFUSED(c, c->f->ops->attach(c->f, &byte, 0, &key), EYOT_EINVAL);
  CONF_CHECK(c, key == 12345, "an error wrote its output");
  CONF_REFUSED(c, c->f->ops->detach(c->f, real + 1), EYOT_EINVAL);
  conf_hush(c, false);
  CONF_TRY(c, c->f->ops->detach(c->f, real));
  conf_hush(c, true);
  CONF_REFUSED(c, c->f->ops->detach(c->f, real), EYOT_EINVAL);
  return 0;
}

/* Access after detach and beyond the range: the posting call returns the error, or the wait or
 * flush that completes it; nothing is written. */
static int refused_somewhere(struct conf_ctx *c, struct fab_addr at, const char *what) {
  uint64_t word = 0x4141414141414141u, got = 7;
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  fab_req_t req;
  CONF_CHECK(c, fab_put_wait(c->f, at, &word, 8) < 0, "a put with request to %s succeeded", what);
  CONF_CHECK(c, fab_get_wait(c->f, &got, at, 8) < 0, "a get from %s succeeded", what);
  CONF_CHECK(c, fab_amo_wait(c->f, at, &add, &got) < 0, "an atomic on %s succeeded", what);
  CONF_CHECK(c, got == 7, "an operation on %s wrote its result", what);
  int rc = fab_put(c->f, at, &word, 8, NULL);
  int flushed = fab_flush(c->f, at.unit, FAB_REMOTE);
  CONF_CHECK(c, rc < 0 || flushed < 0, "an implicit put to %s was not reported by the flush", what);
  CONF_TRY(c, fab_flush(c->f, at.unit, FAB_REMOTE)); /* the error comes once */
  CONF_TRY(c, fab_put(c->f, conf_at(c, at.unit, KEYS + 256), &word, 8, &req));
  CONF_TRY(c, fab_req_wait(c->f, req, FAB_REMOTE));
  return 0;
}

/* Every fabric checks a unit's accesses to its own memory. */
static bool is_checked(const struct conf_ctx *c, uint32_t unit) {
  return unit == c->me || (c->f->caps & FAB_CAP_ATTACH_UNCHECKED) == 0;
}

static int attach_gone(struct conf_ctx *c) {
  uint64_t mem[64] = {0}, key, theirs;
  CONF_TRY(c, c->f->ops->attach(c->f, mem, 512, &key));
  CONF_PASS(publish(c, 0, key));
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    if (!is_checked(c, conf_peer(c, k))) continue;
    conf_hush(c, true);
    CONF_PASS(key_of(c, conf_peer(c, k), 0, &theirs));
    CONF_PASS(refused_somewhere(c, attached(conf_peer(c, k), theirs, 512),
                                "memory beyond an attached range"));
    CONF_PASS(refused_somewhere(c, attached(conf_peer(c, k), theirs, 508),
                                "the end of an attached range and beyond"));
    conf_hush(c, false);
  }
  CONF_PASS(conf_barrier(c));
  CONF_TRY(c, c->f->ops->detach(c->f, key));
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    if (!is_checked(c, conf_peer(c, k))) continue;
    conf_hush(c, true);
    CONF_PASS(key_of(c, conf_peer(c, k), 0, &theirs));
    CONF_PASS(refused_somewhere(c, attached(conf_peer(c, k), theirs, 8), "detached memory"));
    conf_hush(c, false);
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t i = 0; i < 64; i++)
    CONF_CHECK(c, mem[i] == 0, "word %u was written although it was not accessible", i);
  return 0;
}

const struct conf_case conf_cases_attach[] = {
    {"attach_makes_memory_accessible", 1, attach_access},
    {"attach_keys_reach_their_own_range", 1, attach_several},
    {"attach_moves_long_transfers", 1, attach_long},
    {"attach_misuse_is_refused", 1, attach_misuse},
    {"attach_range_and_detach_are_enforced", 1, attach_gone},
    {NULL, 0, NULL},
};
