/* SPDX-License-Identifier: BSD-3-Clause */
/* put.c - conformance: put and get: every size and alignment, no byte outside the range, a unit
 * sees its own bytes. */
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"

#define SLOT 16384u /* each peer's area */
#define GUARD 16u

static const uint32_t SIZES[] = {0,  1,  2,  3,  4,  5,   7,    8,    9,   15,
                                 16, 17, 63, 64, 65, 511, 4095, 4096, 4097};
static const uint32_t ALIGNS[] = {0, 1, 3, 4, 7};
#define N_SIZES (sizeof SIZES / sizeof *SIZES)
#define N_ALIGNS (sizeof ALIGNS / sizeof *ALIGNS)

static unsigned char pattern(uint64_t salt, uint64_t i) {
  return (unsigned char)((salt * 131 + i * 7 + (i >> 8) * 3 + 1) & 0xff);
}

static void fill(unsigned char *p, uint64_t len, uint64_t salt) {
  for (uint64_t i = 0; i < len; i++) p[i] = pattern(salt, i);
}

static int compare(struct conf_ctx *c, const unsigned char *got, uint64_t len, uint64_t salt,
                   const char *what) {
  for (uint64_t i = 0; i < len; i++)
    CONF_CHECK(c, got[i] == pattern(salt, i), "%s: byte %llu of %llu is %u, expected %u", what,
               (unsigned long long)i, (unsigned long long)len, got[i], pattern(salt, i));
  return 0;
}

/* Puts, then gets the bytes back with those around them, which must be zero. */
static int put_one(struct conf_ctx *c, uint32_t unit, uint64_t slot, uint32_t size, uint32_t align,
                   uint64_t salt) {
  unsigned char src[4096 + 64], back[4096 + 2 * GUARD + 64];
  unsigned char *from = src + (salt % 8);
  fill(from, size, salt);
  uint64_t off = slot + GUARD + align;
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, unit, off), from, size));
  CONF_TRY(c, fab_get_wait(c->f, back, conf_at(c, unit, off - GUARD), size + 2ull * GUARD));
  CONF_PASS(compare(c, back + GUARD, size, salt, "what was put and read back"));
  for (uint32_t i = 0; i < GUARD; i++)
    CONF_CHECK(c, back[i] == 0 && back[GUARD + size + i] == 0,
               "a put of %u bytes at %llu wrote beside its range", size, (unsigned long long)off);
  memset(src, 0, sizeof src);
  CONF_TRY(c, fab_put_wait(c->f, conf_at(c, unit, off), src, size));
  return 0;
}

static int put_sizes(struct conf_ctx *c) {
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint32_t s = 0; s < N_SIZES; s++)
      for (uint32_t a = 0; a < N_ALIGNS; a++)
        CONF_PASS(put_one(c, conf_peer(c, k), CONF_CTRL + (uint64_t)k * SLOT, SIZES[s], ALIGNS[a],
                          s * 10 + a + c->me));
  return 0;
}

/* The target reads its own memory. */
static int put_seen_by_target(struct conf_ctx *c) {
  unsigned char src[4097];
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    fill(src, sizeof src, c->me + 10 * k);
    CONF_TRY(c, fab_put_wait(c->f, conf_at(c, conf_peer(c, k), CONF_CTRL + (uint64_t)k * SLOT + 3),
                             src, sizeof src));
  }
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    const unsigned char *at = (const unsigned char *)c->mem + CONF_CTRL + (uint64_t)k * SLOT;
    CONF_PASS(compare(c, at + 3, sizeof src, conf_peer_of(c, k) + 10 * k, "what the target sees"));
    CONF_CHECK(c, at[2] == 0 && at[3 + sizeof src] == 0, "a byte beside the range was written");
  }
  return 0;
}

static int get_sizes(struct conf_ctx *c) {
  unsigned char got[4097 + 2 * GUARD + 8];
  fill((unsigned char *)c->mem + CONF_CTRL, SLOT, c->me);
  CONF_PASS(conf_barrier(c));
  for (uint32_t k = 0; k < CONF_PEERS; k++)
    for (uint32_t s = 0; s < N_SIZES; s++)
      for (uint32_t a = 0; a < N_ALIGNS; a++) {
        uint32_t unit = conf_peer(c, k), size = SIZES[s], at = ALIGNS[a];
        unsigned char *to = got + GUARD + (s % 8);
        memset(got, 0xee, sizeof got);
        CONF_TRY(c, fab_get_wait(c->f, to, conf_at(c, unit, CONF_CTRL + at), size));
        for (uint32_t i = 0; i < size; i++)
          CONF_CHECK(c, to[i] == pattern(unit, i + at),
                     "a get of %u bytes at +%u from unit %u: byte %u is wrong", size, at, unit, i);
        CONF_CHECK(c, to[-1] == 0xee && to[size] == 0xee,
                   "a get of %u bytes wrote beside its destination", size);
      }
  return 0;
}

/* A megabyte and a little, in both directions, by the first four units, and some thousand bytes of
 * which the fabric knows that the caller waits for them at once. */
static int long_transfers(struct conf_ctx *c) {
  if (c->me < 4) {
    const uint64_t lens[] = {CONF_FULL - 5, 5003}, off = CONF_FULL + 3;
    unsigned char *src = malloc(lens[0]), *got = malloc(lens[0]);
    int rc = src != NULL && got != NULL ? 0 : conf_fail(c, "no memory");
    for (uint32_t k = 0; rc == 0 && k < 4; k++) {
      const struct fab_addr at = conf_at(c, conf_peer(c, k / 2), off + (k / 2) * CONF_FULL);
      const uint64_t len = lens[k % 2];
      memset(got, 0, len);
      fill(src, len, c->me + k);
      c->f->waits = k % 2 != 0;
      if (fab_put_wait(c->f, at, src, len) != 0 || fab_get_wait(c->f, got, at, len) != 0)
        rc = conf_fail(c, "put or get of %llu bytes failed", (unsigned long long)len);
      else
        rc = compare(c, got, len, c->me + k, "a long put, read back");
      c->f->waits = false;
    }
    free(src);
    free(got);
    CONF_PASS(rc);
  }
  return 0;
}

static int own_bytes(struct conf_ctx *c) {
  for (uint32_t r = 1; r <= c->o.rounds; r++)
    for (uint32_t k = 0; k < CONF_PEERS; k++) {
      uint64_t value = (uint64_t)r << 8 | k, got = 0;
      struct fab_addr at = conf_at(c, conf_peer(c, k), CONF_CTRL + (uint64_t)k * SLOT);
      CONF_TRY(c, fab_put_wait(c->f, at, &value, sizeof value));
      CONF_TRY(c, fab_get_wait(c->f, &got, at, sizeof got));
      CONF_CHECK(c, got == value, "after a blocking put of %llu to unit %u its origin reads %llu",
                 (unsigned long long)value, at.unit, (unsigned long long)got);
    }
  return 0;
}

/* Bytes of one word, put by different units at the same time, do not harm each other. */
static int neighbors(struct conf_ctx *c) {
  for (uint32_t r = 1; r <= c->o.rounds / 4 + 1; r++) {
    unsigned char mine = (unsigned char)(r + c->me);
    if (c->me < 8) CONF_TRY(c, fab_put_wait(c->f, conf_at(c, 0, CONF_CTRL + 8 + c->me), &mine, 1));
    CONF_PASS(conf_barrier(c));
    if (c->me == 0)
      for (uint32_t i = 0; i < c->n && i < 8; i++) {
        unsigned char got = (unsigned char)c->mem[CONF_CTRL + 8 + i];
        CONF_CHECK(c, got == (unsigned char)(r + i), "byte %u of a shared word is %u, expected %u",
                   i, got, (unsigned char)(r + i));
      }
    CONF_PASS(conf_barrier(c));
  }
  return 0;
}

const struct conf_case conf_cases_put[] = {
    {"put_moves_all_sizes_and_alignments", 1, put_sizes},
    {"put_is_seen_by_its_target", 1, put_seen_by_target},
    {"get_moves_all_sizes_and_alignments", 1, get_sizes},
    {"long_transfers_arrive_whole", 1, long_transfers},
    {"own_put_is_seen_by_its_origin", 1, own_bytes},
    {"neighbor_bytes_are_left_alone", 2, neighbors},
    {NULL, 0, NULL},
};
