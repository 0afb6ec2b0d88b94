/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.h - the shadow memory of the race detector: a history for each word of global memory,
 * stored by page, and once for a block whose words are alike. For race.c and word.c.
 *
 * Why it exists: a put of megabytes gives all its words the same history. A history is a cell with
 * a reference count; the words of a block share one cell while they are alike, and point to one
 * each otherwise. A look-up takes a range and yields runs of words with the same cell. Words that
 * synchronize (signals, atomics) have a clock in addition.
 *
 * The module does not interpret cells and clocks: struct chk_shadow_ops says what becomes of those
 * without references. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_SHADOW_H
#define EYOT_CHECK_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "check/race/pool.h"

#define CHK_BLOCK_BITS 6u /* words of a block, which share a cell or have one each */
#define CHK_BLOCK_WORDS (1u << CHK_BLOCK_BITS)
#define CHK_PAGE_BITS 9u /* words of a page, the unit of look-up */
#define CHK_PAGE_WORDS (1u << CHK_PAGE_BITS)

/* The first member of every cell. */
struct chk_cell {
  uint32_t refs;
};

/* The clock of a word, defined by the owner; the pointers are NULL at first. */
struct chk_sync {
  uint32_t at; /* index of the word in its page */
  void *clock, *early, *flags;
};

struct chk_shadow_ops {
  void (*drop_cell)(void *ctx, struct chk_cell *c); /* the last reference is gone */
  void (*drop_sync)(void *ctx, struct chk_sync *s);
  /* Replaces the history of `words` words from `first` on, which all share it. Returns the new
   * cell, which may be `old` changed in place if `alone` (there are no other references), or NULL
   * for "nothing to remember". The caller counts references. old may be NULL. */
  struct chk_cell *(*step)(void *ctx, void *access, struct chk_cell *old, uint64_t first,
                           uint32_t words, bool alone);
};

struct chk_page;
struct chk_shadow {
  const struct chk_shadow_ops *ops;
  void *ctx;
  struct chk_page **buckets;
  uint32_t n_buckets, n_pages; /* a power of 2 */
  struct chk_page **recent;    /* recently used pages, by bucket modulo n_recent */
  uint32_t n_recent;
  struct chk_pool pages, cells; /* cells: arrays for blocks whose words differ */
};

void chk_shadow_init(struct chk_shadow *s, const struct chk_shadow_ops *ops, void *ctx);
void chk_shadow_fini(struct chk_shadow *s);
/* Calls ops->step for every run of words in first .. first+words-1, in order. Panics when out of
 * memory. */
void chk_shadow_range(struct chk_shadow *s, uint64_t first, uint64_t words, void *access);
/* The word's clock; NULL when it has none and `make` is false. Valid until the next call. */
struct chk_sync *chk_shadow_sync(struct chk_shadow *s, uint64_t word, bool make);
void chk_shadow_each_sync(struct chk_shadow *s, void (*visit)(void *ctx, struct chk_sync *sync));
/* Forgets these words; forgets all words. */
void chk_shadow_forget(struct chk_shadow *s, uint64_t first, uint64_t words);
void chk_shadow_clear(struct chk_shadow *s);
#endif
