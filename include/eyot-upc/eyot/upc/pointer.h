/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/upc/pointer.h - pointers to shared objects and their arithmetic (UPC 6.4.2 and 6.4.3).
 *
 * C has no type for a layout, so functions take the bytes of an element and the elements of a
 * block: 1 is cyclic, 0 indefinite. Both are constants in most programs, and then cost nothing. All
 * functions are local and may be called at any time after upc_init. */
#ifndef EYOT_UPC_POINTER_H
#define EYOT_UPC_POINTER_H

#include <eyot/eyot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pointer to shared: the thread and the byte are those of `at`, the element's place in its block
 * is `phase`. A value of 24 bytes, which may be stored in shared memory. All zero: null (UPC 6.4.3,
 * paragraph 1). */
typedef struct upc_shared {
  eyot_gptr_t at;
  uint64_t phase;
} upc_shared_t;
#define UPC_NULL ((upc_shared_t){{0, 0, 0, 0}, 0})

/* The thread's place in the run, for the macros. upc_init writes it. */
struct upci_run {
  uint32_t threads, me;
};
extern __attribute__((visibility("hidden"))) struct upci_run upci_run;
/* The number of threads, and the caller's (UPC 6.3.1 and 6.3.2). */
#define THREADS ((int)upci_run.threads)
#define MYTHREAD ((int)upci_run.me)

/* upc_isnull tells whether p is the null pointer (UPC 6.4.3, paragraph 1). */
EYOTI_INLINE bool upc_isnull(upc_shared_t p) {
  return eyot_gptr_is_null(p.at);
}

/* The quotient of a and b, b > 0, rounded down; the divisions of a pointer that moves by less than
 * a round of all threads are a comparison. */
EYOTI_INLINE int64_t upci_floor(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - (a - q * b < 0);
}
EYOTI_INLINE int64_t upci_round_of(int64_t thread) {
  int64_t n = upci_run.threads;
  if (__builtin_expect(thread >= 0 && thread < n, 1)) return 0;
  return upci_floor(thread, n);
}

/* Sets the pointer's thread by writing the whole word in which it is a half. An access loads that
 * word, and a load that meets a store of a half waits until the store is in memory, and so for all
 * loads before it: cache misses would no longer overlap. */
EYOTI_INLINE void upci_set_thread(upc_shared_t *p, uint32_t thread) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  __builtin_memcpy(&word, &p->at.unit, sizeof word);
  word = (word & ~(uint64_t)UINT32_MAX) | thread;
  __builtin_memcpy(&p->at.unit, &word, sizeof word);
#else
  p->at.unit = thread;
#endif
}

/* upc_add returns the pointer `n` elements of `elem` bytes after p in an array with blocks of
 * `block` elements; n may be negative. In an indefinite block the result has phase 0 (UPC 6.4.2,
 * paragraphs 3 and 4). */
EYOTI_INLINE upc_shared_t upc_add(upc_shared_t p, int64_t n, uint64_t elem, uint64_t block) {
  if (block == 0) {
    p.at.offset += (uint64_t)n * elem;
    p.phase = 0;
    return p;
  }
  if (__builtin_constant_p(n) && n == 1) {
    if (block > 1 && ++p.phase < block) {
      p.at.offset += elem;
      return p;
    }
    if (block > 1) p.phase = 0, p.at.offset -= (block - 1) * elem;
    if (++p.at.unit == upci_run.threads) p.at.unit = 0, p.at.offset += block * elem;
    return p;
  }
  int64_t place = (int64_t)p.phase + n, blocks = upci_floor(place, (int64_t)block);
  int64_t phase = place - blocks * (int64_t)block, thread = (int64_t)p.at.unit + blocks;
  int64_t round = upci_round_of(thread);
  upci_set_thread(&p, (uint32_t)(thread - round * (int64_t)upci_run.threads));
  p.at.offset += (uint64_t)(phase - (int64_t)p.phase + round * (int64_t)block) * elem;
  p.phase = (uint64_t)phase;
  return p;
}

/* upc_diff returns a - b in elements; both point into one array (UPC 6.4.2, paragraph 8). */
EYOTI_INLINE int64_t upc_diff(upc_shared_t a, upc_shared_t b, uint64_t elem, uint64_t block) {
  if (block == 0) return (int64_t)(a.at.offset - b.at.offset) / (int64_t)elem;
  int64_t bytes = (int64_t)((a.at.offset - a.phase * elem) - (b.at.offset - b.phase * elem));
  int64_t blocks = bytes / (int64_t)(elem * block) * (int64_t)upci_run.threads +
                   (int64_t)a.at.unit - (int64_t)b.at.unit;
  return blocks * (int64_t)block + (int64_t)a.phase - (int64_t)b.phase;
}

/* upc_equal tells whether a and b point to the same byte; phases do not matter (UPC 6.4.2,
 * paragraph 7). upc_before tells whether a precedes b in the array of both (UPC 6.4.2, paragraph
 * 9). */
EYOTI_INLINE bool upc_equal(upc_shared_t a, upc_shared_t b) {
  return eyot_gptr_equal(a.at, b.at);
}
EYOTI_INLINE bool upc_before(upc_shared_t a, upc_shared_t b, uint64_t elem, uint64_t block) {
  return upc_diff(a, b, elem, block) < 0;
}

/* For upc_affinitysize. */
EYOTI_INLINE size_t upci_affinitysize(size_t total, size_t block, size_t thread) {
  if (block == 0 || block >= total) return thread == 0 ? total : 0;
  size_t blocks = total / block, n = upci_run.threads, whole = blocks / n, left = blocks % n;
  return whole * block + (thread < left ? block : thread == left ? total % block : 0);
}

/* Loops over the elements whose affinity is the caller's, in ascending order (UPC 6.6.2, paragraph
 * 7): i has a signed integer type, is declared by the caller, and runs from 0 to n - 1. Elements
 * are those of an array that begins at thread 0 with phase 0. The body is that of a plain `for`; in
 * blocked loops `break` leaves the block alone. After the loop i need not be n, which it is after
 * upc_forall. */
#define upc_forall_cyclic(i, n) for ((i) = MYTHREAD; (i) < (n); (i) += THREADS)
#define upc_forall_blocked(i, n, block)                                                     \
  for (int64_t i##_first = (int64_t)MYTHREAD * (block), i##_end; i##_first < (int64_t)(n);  \
       i##_first += (int64_t)THREADS * (block))                                             \
    for (i##_end = i##_first + (block) < (int64_t)(n) ? i##_first + (block) : (int64_t)(n), \
        (i) = i##_first;                                                                    \
         (i) < i##_end; (i)++)

#ifdef __cplusplus
}
#endif
#endif
