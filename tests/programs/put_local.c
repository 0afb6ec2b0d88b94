/* SPDX-License-Identifier: BSD-3-Clause */
/* put_local.c - puts that return at local completion: the source is changed at once, and after a
 * flush the target has the bytes that were put: short and long ones, with a signal, strided,
 * indexed, and more than may be in flight. put_local [ROUNDS]. */
#include <string.h>

#include "programs/api_check.h"

#define LONG 3000u  /* more than the simulator takes with the call */
#define BLOCKS 40u  /* more than are released at a time */
#define BLOCK 1100u /* not packed */
#define PART (BLOCKS * BLOCK)

static unsigned char source[2 * PART];

static void fill(unsigned char seed, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) source[i] = (unsigned char)(seed + i % 251);
}
static void spoil(uint64_t bytes) {
  memset(source, 0xdd, bytes);
}

static void holds(const unsigned char *p, unsigned char seed, uint64_t from, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) CHECK(p[i] == (unsigned char)(seed + (from + i) % 251));
}

/* Each unit writes the part of the next one; all have flushed and met when the parts are read. */
static void ended(void) {
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void plain(eyot_gptr_t next, const unsigned char *own, unsigned char seed) {
  fill(seed, LONG + 8);
  OK(eyot_put_local(next, source, LONG));
  OK(eyot_put_local(eyot_gptr_add(next, LONG), source + LONG, 8));
  OK(eyot_put_local(eyot_gptr_add(next, LONG), NULL, 0));
  spoil(LONG + 8);
  ended();
  holds(own, seed, 0, LONG + 8);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void many(eyot_gptr_t next, const unsigned char *own) {
  enum { WORDS = 2000 };
  uint64_t word;
  for (uint64_t i = 0; i < WORDS; i++) {
    word = i * i;
    OK(eyot_put_local(eyot_gptr_add(next, (int64_t)(i * 8)), &word, sizeof word));
  }
  ended();
  for (uint64_t i = 0; i < WORDS; i++) {
    memcpy(&word, own + i * 8, sizeof word);
    CHECK(word == i * i);
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

/* The signal comes after its own bytes. */
static void with_signal(eyot_gptr_t next, eyot_gptr_t mine, eyot_gptr_t flag,
                        const unsigned char *own, unsigned char seed) {
  fill(seed, LONG);
  OK(eyot_put_signal_local(next, source, LONG, eyot_gptr_at(flag, eyot_gptr_unit(next)),
                           EYOT_SIGNAL_ADD, 1));
  spoil(LONG);
  OK(eyot_wait_until(eyot_gptr_at(flag, eyot_gptr_unit(mine)), EYOT_CMP_EQ, seed, NULL));
  holds(own, seed, 0, LONG);
  ended();
}

static void shapes(eyot_gptr_t next, const unsigned char *own, unsigned char seed) {
  const eyot_strided_t every_other = {BLOCK, BLOCKS, 2 * BLOCK, BLOCK};
  uint64_t len[BLOCKS], local[BLOCKS], remote[BLOCKS];
  fill(seed, sizeof source);
  OK(eyot_put_strided_local(next, source, &every_other));
  spoil(sizeof source);
  ended();
  for (uint64_t i = 0; i < BLOCKS; i++) holds(own + i * BLOCK, seed, i * 2 * BLOCK, BLOCK);
  OK(eyot_barrier(EYOT_TEAM_ALL));
  fill(seed, sizeof source);
  for (uint64_t i = 0; i < BLOCKS; i++) { /* small ones, which are packed, and large ones */
    len[i] = i % 2 == 0 ? BLOCK : 40;
    local[i] = (BLOCKS - 1 - i) * BLOCK;
    remote[i] = i * BLOCK;
  }
  const eyot_indexed_t backwards = {BLOCKS, len, local, remote};
  OK(eyot_put_indexed_local(next, source, &backwards));
  spoil(sizeof source);
  ended();
  for (uint64_t i = 0; i < BLOCKS; i++) holds(own + remote[i], seed, local[i], len[i]);
  OK(eyot_barrier(EYOT_TEAM_ALL));
}

static void wrong(eyot_gptr_t next) {
  CHECK(eyot_put_local(next, NULL, 8) == EYOT_EINVAL);
  CHECK(eyot_put_local(EYOT_GPTR_NULL, source, 8) == EYOT_ESEG);
  CHECK(eyot_put_local(eyot_gptr_add(next, 2 * (int64_t)PART), source, 8) == EYOT_ERANGE);
  CHECK(eyot_put_strided_local(next, source, NULL) == EYOT_EINVAL);
  CHECK(eyot_put_indexed_local(next, source, NULL) == EYOT_EINVAL);
}

int main(int argc, char **argv) {
  uint32_t rounds = argc > 1 ? (uint32_t)atoi(argv[1]) : 2;
  eyot_gptr_t g, flag;
  void *own;
  OK(eyot_init(&argc, &argv));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, PART, &g));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, 8, &flag));
  eyot_gptr_t next = eyot_gptr_at(g, (eyot_unit_t){(eyot_me().id + 1) % eyot_size()}),
              mine = eyot_gptr_at(g, eyot_me());
  OK(eyot_gptr_addr(mine, &own));
  for (uint32_t r = 1; r <= rounds; r++) {
    plain(next, own, (unsigned char)r);
    many(next, own);
    with_signal(next, mine, flag, own, (unsigned char)r);
    shapes(next, own, (unsigned char)r);
  }
  wrong(next);
  OK(eyot_team_free(flag));
  OK(eyot_team_free(g));
  return finish();
}
