/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups.h - what bench_gups and its ways of updating share: the table, and the operations of a
 * way. */
#ifndef BENCH_GUPS_H
#define BENCH_GUPS_H

#include <eyot/eyot.h>
#include <stdint.h>

/* Word i of the table is word i % 2^log2_words of unit i >> log2_words. Behind a unit's words is
 * the count of updates of them. */
struct ra_table {
  uint32_t log2_words, log2_units;
  uint64_t *mine;
  eyot_gptr_t g; /* eyot's: unit 0's part */
  void *window;  /* MPI's */
};

static inline uint64_t ra_words(const struct ra_table *t) {
  return UINT64_C(1) << t->log2_words;
}
/* Of a number of the stream: the word's index in the whole table. */
static inline uint64_t ra_index(const struct ra_table *t, uint64_t random) {
  return random & ((UINT64_C(1) << (t->log2_words + t->log2_units)) - 1);
}

/* Where in HPCC's stream the updates begin. Its first thousands of numbers have few bits set (and
 * so have those behind each power of two), so that most of them are of word 0; a table of HPCC's
 * size passes over them soon, our updates would be nothing else. */
#define RA_STREAM UINT64_C(0x5851f42d4c957f2d)

/* All but update are called by all units together. Each aborts the job when something fails. */
struct ra_way {
  const char *name;
  void (*open)(struct ra_table *t); /* memory: mine, and what the way needs to reach others' */
  void (*close)(struct ra_table *t);
  /* n updates, from the number behind x on: read the word, write it changed, count it by a
   * fetch-and-add; each step is remotely complete before the next. */
  void (*update)(const struct ra_table *t, uint64_t x, uint64_t n);
  /* returns when all units are here; until then it serves others */
  void (*finish)(const struct ra_table *t);
  /* this unit's plain accesses before, and others' operations after; and the other way round */
  void (*sync)(const struct ra_table *t);
};

/* In turn; bench_gups_eyot.c has one, bench_gups_mpi.c those that are compared with it besides.
 * Ends with a name of NULL. */
extern const struct ra_way RA_WAYS[];

void ra_eyot_open(struct ra_table *t);
void ra_eyot_close(struct ra_table *t);
void ra_eyot_update(const struct ra_table *t, uint64_t x, uint64_t n);
void ra_eyot_finish(const struct ra_table *t);
void ra_eyot_sync(const struct ra_table *t);
#define RA_EYOT \
  { "eyot", ra_eyot_open, ra_eyot_close, ra_eyot_update, ra_eyot_finish, ra_eyot_sync }
#endif
