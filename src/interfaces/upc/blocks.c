/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - the memory of a heap, in blocks that a head before each describes, so that a heap has
 * as many allocations as there is space for. A thread takes and gives blocks of any thread's heap:
 * it holds the heap's lock, reads what it needs, changes its copy, and writes that when it is done.
 *
 * Free blocks are in lists by size, four for each power of two, and never next to each other.
 * Source: M. Masmano et al., "TLSF: a New Dynamic Memory Allocator for Real-Time Systems", 2004,
 * section 3, with four lists for each power of two, and a search of one list where no larger one
 * has a block. */
#include "interfaces/upc/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define USED UINT64_C(0x7570635f75736564)
#define STEP 64u /* blocks are multiples of it, and what they hold begins at one */
#define LIST_BITS 2u
#define LEAST_SHIFT 6u /* log2 of STEP */

/* The words of a block's head. A block in use has its mark in `prev`. */
enum { SIZE, BEFORE, NEXT, PREV, WORDS }; /* BEFORE: the size of the block before it, or 0 */
_Static_assert(WORDS * sizeof(uint64_t) == UPCI_HEAD, "a head is what is copied");

/* Heads that the caller has read or written; places are bytes of the thread's part. */
#define COPIES 12u
static struct {
  struct upci_lists lists;
  uint32_t n;
  struct copy {
    uint64_t at, word[WORDS];
    bool known, written[WORDS];
  } copy[COPIES];
} work;

const char *upci_heap_words(const struct upci_heap *h, char text[UPCI_HEAP_WORDS]) {
  snprintf(text, UPCI_HEAP_WORDS, "the global heap");
  if (h->local) snprintf(text, UPCI_HEAP_WORDS, "thread %" PRIu32 "'s local heap", h->thread);
  return text;
}

static _Noreturn void overwritten(const struct upci_heap *h, uint64_t at) {
  char of[UPCI_HEAP_WORDS];
  upci_fail(EYOT_ESEG,
            "what %s keeps at byte %" PRIu64
            " of itself was overwritten: an access after the end of an allocation, or before its "
            "start",
            upci_heap_words(h, of), at - h->first);
}

/* -- heads ------------------------------------------------------------------------------------- */

static struct copy *copy_of(uint64_t at) {
  for (uint32_t i = 0; i < work.n; i++)
    if (work.copy[i].at == at) return &work.copy[i];
  work.copy[work.n] = (struct copy){.at = at};
  return &work.copy[work.n++];
}

static eyot_gptr_t head_at(const struct upci_heap *h, uint64_t at) {
  return eyot_gptr_add(h->part, (int64_t)at);
}

/* The head at a place, whatever is there. */
static const uint64_t *head_read(const struct upci_heap *h, uint64_t at) {
  struct copy *c = copy_of(at);
  uint64_t word[WORDS];
  if (c->known) return c->word;
  upci_must(eyot_get(word, head_at(h, at), sizeof word));
  for (uint32_t i = 0; i < WORDS; i++)
    if (!c->written[i]) c->word[i] = word[i];
  c->known = true;
  return c->word;
}

static void head_write(uint64_t at, uint32_t i, uint64_t value) {
  struct copy *c = copy_of(at);
  c->word[i] = value;
  c->written[i] = true;
}

static uint64_t mark(uint64_t of) {
  return of ^ USED;
}
static bool is_in(const struct upci_heap *h, uint64_t at) {
  return at >= h->first && at < h->end && (at - h->first) % STEP == 0;
}

/* The head of a block that must be there. Free ones have no mark, so that places are checked. */
static const uint64_t *head_of(const struct upci_heap *h, uint64_t at, bool *used) {
  if (!is_in(h, at)) overwritten(h, at);
  const uint64_t *w = head_read(h, at);
  *used = (w[SIZE] & 1) != 0;
  uint64_t size = w[SIZE] & ~UINT64_C(1);
  bool links = *used ? w[PREV] == mark(at) && w[NEXT] == mark(w[SIZE])
                     : (w[NEXT] == 0 || is_in(h, w[NEXT])) && (w[PREV] == 0 || is_in(h, w[PREV]));
  if (!links || size == 0 || size % STEP != 0 || size > h->end - at) overwritten(h, at);
  return w;
}

static void head_use(uint64_t at, uint64_t size) {
  head_write(at, SIZE, size | 1);
  head_write(at, NEXT, mark(size | 1));
  head_write(at, PREV, mark(at));
}

/* -- lists ------------------------------------------------------------------------------------- */

/* The list that blocks of so many bytes are in. */
static uint32_t list_of(uint64_t size) {
  uint64_t steps = size >> LEAST_SHIFT;
  uint32_t log = 63u - (uint32_t)__builtin_clzll(steps);
  uint64_t below = log >= LIST_BITS ? steps >> (log - LIST_BITS) : steps << (LIST_BITS - log);
  return (log << LIST_BITS) + ((uint32_t)below & ((1u << LIST_BITS) - 1));
}

/* The first list from `from` on that has blocks, or UPCI_LISTS. */
static uint32_t list_filled(uint32_t from) {
  for (uint32_t i = from; i < UPCI_LISTS; i = (i / 64 + 1) * 64) {
    uint64_t set = work.lists.filled[i / 64] >> (i % 64);
    if (set != 0) return i + (uint32_t)__builtin_ctzll(set);
  }
  return UPCI_LISTS;
}

static void list_set(uint32_t list, uint64_t first) {
  uint64_t bit = UINT64_C(1) << (list % 64);
  work.lists.first[list] = first;
  if (first != 0)
    work.lists.filled[list / 64] |= bit;
  else
    work.lists.filled[list / 64] &= ~bit;
}

static void list_add(uint64_t at, uint64_t size) {
  uint32_t list = list_of(size);
  uint64_t next = work.lists.first[list];
  head_write(at, SIZE, size);
  head_write(at, NEXT, next);
  head_write(at, PREV, 0);
  if (next != 0) head_write(next, PREV, at);
  list_set(list, at);
}

static void list_drop(const struct upci_heap *h, uint64_t at) {
  bool used;
  const uint64_t *w = head_of(h, at, &used);
  uint64_t next = w[NEXT], prev = w[PREV], size = w[SIZE];
  if (used) overwritten(h, at);
  if (next != 0) head_write(next, PREV, prev);
  if (prev != 0)
    head_write(prev, NEXT, next);
  else
    list_set(list_of(size), next);
}

/* -- the lock ---------------------------------------------------------------------------------- */

static void heap_open(const struct upci_heap *h) {
  upci_must(eyot_lock_acquire(h->lock, EYOT_LOCK_EXCLUSIVE));
  upci_must(eyot_get(&work.lists, h->lists, sizeof work.lists));
  work.n = 0;
}

static void copy_put(const struct upci_heap *h, const struct copy *c) {
  for (uint32_t i = 0, n; i < WORDS; i += n) {
    for (n = 0; i + n < WORDS && c->written[i + n]; n++)
      ;
    if (n > 0)
      upci_must(
          eyot_put(head_at(h, c->at + i * sizeof *c->word), &c->word[i], n * sizeof *c->word));
    n += n == 0;
  }
}

static void heap_close(const struct upci_heap *h) {
  for (uint32_t i = 0; i < work.n; i++) copy_put(h, &work.copy[i]);
  upci_must(eyot_put(h->lists, &work.lists, sizeof work.lists));
  upci_must(eyot_lock_release(h->lock));
}

/* -- taking and giving ------------------------------------------------------------------------- */

/* A free block of at least `size` bytes, or 0. */
static uint64_t find(const struct upci_heap *h, uint64_t size) {
  uint32_t own = list_of(size), list = list_filled(own + 1);
  if (list < UPCI_LISTS) return work.lists.first[list];
  uint64_t at = work.lists.first[own];
  uint64_t left = (h->end - h->first) / STEP; /* a list of more blocks is a circle */
  while (at != 0) {
    bool used;
    work.n = 0; /* each is read once */
    const uint64_t *w = head_of(h, at, &used);
    if (used || left-- == 0) overwritten(h, at);
    if (w[SIZE] >= size) return at;
    at = w[NEXT];
  }
  return 0;
}

uint64_t upci_blocks_take(const struct upci_heap *h, uint64_t bytes) {
  if (bytes > h->end - h->first) return 0;
  uint64_t size = (bytes + UPCI_HEAD + STEP - 1) / STEP * STEP;
  bool used;
  heap_open(h);
  uint64_t at = find(h, size);
  if (at == 0) {
    heap_close(h);
    return 0;
  }
  list_drop(h, at);
  uint64_t left = head_of(h, at, &used)[SIZE] - size;
  if (left > 0) {
    uint64_t rest = at + size;
    head_write(rest, BEFORE, size);
    list_add(rest, left);
    if (rest + left < h->end) head_write(rest + left, BEFORE, left);
  }
  head_use(at, size);
  heap_close(h);
  return at + UPCI_HEAD;
}

/* Joins a free block with the free one after it. */
static uint64_t join_next(const struct upci_heap *h, uint64_t at, uint64_t size) {
  bool used;
  uint64_t next = at + size;
  if (next >= h->end) return size;
  uint64_t more = head_of(h, next, &used)[SIZE];
  if (used) return size;
  list_drop(h, next);
  return size + more;
}

bool upci_blocks_give(const struct upci_heap *h, uint64_t byte) {
  uint64_t at = byte - UPCI_HEAD;
  if (byte < UPCI_HEAD || !is_in(h, at)) return false;
  heap_open(h);
  const uint64_t *w = head_read(h, at);
  uint64_t size = w[SIZE] & ~UINT64_C(1), before = w[BEFORE];
  if (!(w[SIZE] & 1) || w[PREV] != mark(at) || w[NEXT] != mark(w[SIZE])) {
    heap_close(h);
    return false;
  }
  size = join_next(h, at, size);
  if (before > 0) {
    bool used;
    if (before > at - h->first) overwritten(h, at);
    uint64_t previous = at - before, bytes = head_of(h, previous, &used)[SIZE];
    if (!used) {
      list_drop(h, previous);
      head_write(at, SIZE, 0); /* what another takes in is no block in use */
      at = previous;
      size += bytes;
    }
  }
  list_add(at, size);
  if (at + size < h->end) head_write(at + size, BEFORE, size);
  heap_close(h);
  return true;
}

void upci_blocks_begin(const struct upci_heap *h) {
  memset(&work, 0, sizeof work);
  head_write(h->first, BEFORE, 0);
  list_add(h->first, h->end - h->first);
  copy_put(h, &work.copy[0]);
  upci_must(eyot_put(h->lists, &work.lists, sizeof work.lists));
}
