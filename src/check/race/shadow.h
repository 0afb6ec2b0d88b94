/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.h - what is remembered of each word of global memory, by page, and once for a block
 * whose words are alike.
 *
 * Why it exists: a put of megabytes gives all its words the same history. A word's history is a
 * cell that counts its references; the words of a page share one as long as they are alike, and
 * have one reference each otherwise. Words are asked for by ranges, and a range is answered by runs
 * of words with the same cell. Beside it, words that synchronize (signals, atomics) have a clock of
 * their own.
 *
 * The module knows nothing of what cells and clocks mean: their owner gives what to do with those
 * that nobody refers to any more. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_SHADOW_H
#define EYOT_CHECK_RACE_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "check/race/pool.h"

#define CHK_BLOCK_BITS 6u /* of words: they are alike, or have a cell each */
#define CHK_BLOCK_WORDS (1u << CHK_BLOCK_BITS)
#define CHK_PAGE_BITS 9u /* of words that are looked up together */
#define CHK_PAGE_WORDS (1u << CHK_PAGE_BITS)

/* First member of every cell. */
struct chk_cell {
  uint32_t refs;
};

/* The clock of a word, in the owner's terms: NULL and NULL at first. */
struct chk_sync {
  uint32_t at; /* word of the page */
  void *clock, *early;
};

struct chk_shadow_ops {
  void (*drop_cell)(void *ctx, struct chk_cell *c); /* no reference is left */
  void (*drop_sync)(void *ctx, struct chk_sync *s);
  /* The history of `words` words from `first` on, all of one run, becomes another: the new cell,
   * which may be `old` changed in place if `alone` (nobody else refers to it), or NULL for "nothing
   * to remember". References are counted by the caller. old may be NULL. */
  struct chk_cell *(*step)(void *ctx, void *access, struct chk_cell *old, uint64_t first,
                           uint32_t words, bool alone);
};

struct chk_page;
struct chk_shadow {
  const struct chk_shadow_ops *ops;
  void *ctx;
  struct chk_page **buckets;
  uint32_t n_buckets, n_pages; /* a power of 2 */
  struct chk_page **recent;    /* pages found lately, by bucket modulo n_near */
  uint32_t n_recent;
  struct chk_pool pages, cells; /* cells: the arrays of blocks whose words differ */
};

void chk_shadow_init(struct chk_shadow *s, const struct chk_shadow_ops *ops, void *ctx);
void chk_shadow_fini(struct chk_shadow *s);
/* Calls ops->step for every run of words first .. first+words-1, in their order. Panics when out of
 * memory. */
void chk_shadow_range(struct chk_shadow *s, uint64_t first, uint64_t words, void *access);
/* The word's clock; NULL when it has none and make is false. Valid until the next call. */
struct chk_sync *chk_shadow_sync(struct chk_shadow *s, uint64_t word, bool make);
void chk_shadow_each_sync(struct chk_shadow *s, void (*visit)(void *ctx, struct chk_sync *sync));
/* Nothing is known any more of these words, of any word. */
void chk_shadow_forget(struct chk_shadow *s, uint64_t first, uint64_t words);
void chk_shadow_clear(struct chk_shadow *s);
#endif
