/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.h - the blocks of a heap: for heap.c. */
#ifndef INTERFACES_UPC_BLOCKS_H
#define INTERFACES_UPC_BLOCKS_H

#include "interfaces/upc/upc.h"

/* Of heaps of up to 1 TiB: four for each power of two from 64 bytes on. */
#define UPCI_LISTS 144u
#define UPCI_HEAP_WORDS 32u

/* In shared memory. */
struct upci_lists {
  uint64_t filled[(UPCI_LISTS + 63) / 64]; /* a bit for each list: it has blocks */
  uint64_t first[UPCI_LISTS];              /* the first block, or 0 */
};

/* One of the heaps. Blocks lie from byte `first` to before byte `end` of a thread's part. */
struct upci_heap {
  eyot_lock_t lock;
  eyot_gptr_t lists, part;
  uint64_t first, end;
  uint32_t thread; /* of a local heap */
  bool local;
};

/* The first byte of memory for `bytes` bytes, a multiple of 64; 0: there is none. */
uint64_t upci_blocks_take(const struct upci_heap *h, uint64_t bytes);
/* False: no memory that was taken begins there. */
bool upci_blocks_give(const struct upci_heap *h, uint64_t byte);
/* Makes the heap, whose memory is zeroed and which nobody uses yet, one free block. */
void upci_blocks_begin(const struct upci_heap *h);
/* "the global heap", "thread 3's local heap". */
const char *upci_heap_words(const struct upci_heap *h, char text[UPCI_HEAP_WORDS]);
#endif
