/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups.h - the interface between bench_gups and its ways of updating: the table, and the
 * operations of a way. */
#ifndef BENCH_GUPS_H
#define BENCH_GUPS_H

#include <eyot/eyot.h>
#include <stdint.h>

/* Word i of the table is word i % 2^log2_words of unit i >> log2_words. The count of
 * updates of a unit's words follows them. */
struct ra_table {
  uint32_t log2_words, log2_units;
  uint64_t *mine;
  eyot_gptr_t g; /* eyot's: unit 0's part */
  void *window;  /* MPI's */
};

static inline uint64_t ra_words(const struct ra_table *t) {
  return UINT64_C(1) << t->log2_words;
}
/* The index in the whole table of the word that number x of the stream updates. */
static inline uint64_t ra_index(const struct ra_table *t, uint64_t random) {
  return random & ((UINT64_C(1) << (t->log2_words + t->log2_units)) - 1);
}

/* The position in HPCC's stream at which the updates begin. Its first thousands of numbers, and
 * those after each power of two, have few bits set, so that most of them are of word 0. A table of
 * HPCC's size soon passes them; a block of this benchmark would have no others. */
#define RA_STREAM UINT64_C(0x5851f42d4c957f2d)

/* All units call each function but update together. Each aborts the job on failure. */
struct ra_way {
  const char *name;
  void (*open)(struct ra_table *t); /* makes mine, and the means to reach the others' */
  void (*close)(struct ra_table *t);
  /* n updates, from the number after x on: read the word, write it changed, count it by a
   * fetch-and-add; each step is remotely complete before the next. */
  void (*update)(const struct ra_table *t, uint64_t x, uint64_t n);
  /* returns when all units have called it; until then it serves their operations */
  void (*finish)(const struct ra_table *t);
  /* orders this unit's plain accesses before it and other units' operations after it, and vice
   * versa */
  void (*sync)(const struct ra_table *t);
};

/* The ways, in turn: bench_gups_sim.c has eyot's only, bench_gups_mpi.c MPI's too. A name of NULL
 * ends the list. */
extern const struct ra_way RA_WAYS[];

void ra_eyot_open(struct ra_table *t);
void ra_eyot_close(struct ra_table *t);
void ra_eyot_update(const struct ra_table *t, uint64_t x, uint64_t n);
void ra_eyot_finish(const struct ra_table *t);
void ra_eyot_sync(const struct ra_table *t);
#define RA_EYOT \
  { "eyot", ra_eyot_open, ra_eyot_close, ra_eyot_update, ra_eyot_finish, ra_eyot_sync }
#endif
