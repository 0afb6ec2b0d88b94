/* SPDX-License-Identifier: BSD-3-Clause */
/* upcr/pointer.h - pointers to shared of translated programs, and their arithmetic (UPCR, Shared
 * pointers).
 *
 * A pointer is a word: a byte of the thread's part of the heaps, a thread, and a phase; null is 0.
 * Threads take as many bits as the run needs, and phases what is left: 20 with 1,024 threads.
 * Translators write the size of a pointer into their output: 8, or 16 with -DUPCR_SHARED_SIZE=16,
 * where a word of zeros follows. All functions are local and may be called at any time. */
#ifndef EYOT_UPCR_POINTER_H
#define EYOT_UPCR_POINTER_H

#include <eyot/upc/pointer.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef UPCR_SHARED_SIZE
#define UPCR_SHARED_SIZE 8
#endif
#if UPCR_SHARED_SIZE == 8
typedef uint64_t upcr_shared_ptr_t;
#elif UPCR_SHARED_SIZE == 16
typedef struct upcr_shared_ptr {
  uint64_t word, zero;
} upcr_shared_ptr_t;
#else
#error "UPCR_SHARED_SIZE is the size of a pointer to shared: expected 8 or 16"
#endif
/* Without a phase: to cyclic (1) and indefinite (I) layouts. */
typedef upcr_shared_ptr_t upcr_pshared_ptr_t;
#define UPCR_PSHARED_SIZE UPCR_SHARED_SIZE
typedef int upcr_thread_t;
typedef size_t upcr_phase_t;

/* The heaps' parts, and how words are divided. main writes it (program.h). */
struct upcri_space {
  eyot_gptr_t first; /* thread 0's part */
  uint32_t thread_bits;
};
extern __attribute__((visibility("hidden"))) struct upcri_space upcri_space;
#define UPCRI_BYTE_BITS 34
#define UPCRI_BYTE_MASK ((UINT64_C(1) << UPCRI_BYTE_BITS) - 1)

/* Ends the run: blocks of so many elements need more bits than phases have. */
__attribute__((noreturn, cold)) void upcri_block_too_long(uint64_t block);

EYOTI_INLINE uint64_t upcri_word(upcr_shared_ptr_t p) {
#if UPCR_SHARED_SIZE == 8
  return p;
#else
  return p.word;
#endif
}
EYOTI_INLINE upcr_shared_ptr_t upcri_of_word(uint64_t word) {
#if UPCR_SHARED_SIZE == 8
  return word;
#else
  upcr_shared_ptr_t p;
  p.word = word;
  p.zero = 0;
  return p;
#endif
}

EYOTI_INLINE uint64_t upcri_thread(upcr_shared_ptr_t p) {
  return upcri_word(p) >> UPCRI_BYTE_BITS & ((UINT64_C(1) << upcri_space.thread_bits) - 1);
}
EYOTI_INLINE uint64_t upcri_phase(upcr_shared_ptr_t p) {
  return upcri_word(p) >> (UPCRI_BYTE_BITS + upcri_space.thread_bits);
}

/* upcri_unpack and upcri_pack convert to the library's form and back; null stays null. */
EYOTI_INLINE eyot_gptr_t upcri_at(upcr_shared_ptr_t p) {
  eyot_gptr_t g = upcri_space.first;
  g.offset += upcri_word(p) & UPCRI_BYTE_MASK;
  g.unit = (uint32_t)upcri_thread(p);
  return g;
}
EYOTI_INLINE upc_shared_t upcri_unpack(upcr_shared_ptr_t p) {
  upc_shared_t s = UPC_NULL;
  if (upcri_word(p) == 0) return s;
  s.at = upcri_at(p);
  s.phase = upcri_phase(p);
  return s;
}
EYOTI_INLINE upcr_shared_ptr_t upcri_pack(upc_shared_t s) {
  if (upc_isnull(s)) return upcri_of_word(0);
  return upcri_of_word(((s.at.offset - upcri_space.first.offset) & UPCRI_BYTE_MASK) |
                       (uint64_t)s.at.unit << UPCRI_BYTE_BITS |
                       s.phase << (UPCRI_BYTE_BITS + upcri_space.thread_bits));
}

#if UPCR_SHARED_SIZE == 8
#define UPCR_NULL_SHARED 0
#define UPCR_NULL_PSHARED 0
#define UPCR_INITIALIZED_SHARED 0
#define UPCR_INITIALIZED_PSHARED 0
#else
#define UPCR_NULL_SHARED \
  { 0, 0 }
#define UPCR_NULL_PSHARED \
  { 0, 0 }
#define UPCR_INITIALIZED_SHARED \
  { 0, 0 }
#define UPCR_INITIALIZED_PSHARED \
  { 0, 0 }
#endif
static const upcr_shared_ptr_t upcr_null_shared __attribute__((unused)) = UPCR_NULL_SHARED;
static const upcr_pshared_ptr_t upcr_null_pshared __attribute__((unused)) = UPCR_NULL_PSHARED;

/* The pointer `inc` elements of elemsz bytes after p, in place, and the distance a - b in elements:
 * blocks of blockelems elements, of one (1), and one block (I). */
EYOTI_INLINE upcr_shared_ptr_t upcr_add_shared(upcr_shared_ptr_t p, size_t elemsz, ptrdiff_t inc,
                                               size_t blockelems) {
  if (__builtin_expect((blockelems - 1) >> (64 - UPCRI_BYTE_BITS - upcri_space.thread_bits) != 0,
                       0))
    upcri_block_too_long(blockelems);
  return upcri_pack(upc_add(upcri_unpack(p), inc, elemsz, blockelems));
}
EYOTI_INLINE upcr_pshared_ptr_t upcr_add_psharedI(upcr_pshared_ptr_t p, size_t elemsz,
                                                  ptrdiff_t inc) {
  return upcri_pack(upc_add(upcri_unpack(p), inc, elemsz, 0));
}
EYOTI_INLINE upcr_pshared_ptr_t upcr_add_pshared1(upcr_pshared_ptr_t p, size_t elemsz,
                                                  ptrdiff_t inc) {
  return upcri_pack(upc_add(upcri_unpack(p), inc, elemsz, 1));
}
EYOTI_INLINE void upcr_inc_shared(upcr_shared_ptr_t *p, size_t elemsz, ptrdiff_t inc,
                                  size_t blockelems) {
  *p = upcr_add_shared(*p, elemsz, inc, blockelems);
}
EYOTI_INLINE void upcr_inc_psharedI(upcr_pshared_ptr_t *p, size_t elemsz, ptrdiff_t inc) {
  *p = upcr_add_psharedI(*p, elemsz, inc);
}
EYOTI_INLINE void upcr_inc_pshared1(upcr_pshared_ptr_t *p, size_t elemsz, ptrdiff_t inc) {
  *p = upcr_add_pshared1(*p, elemsz, inc);
}
EYOTI_INLINE ptrdiff_t upcr_sub_shared(upcr_shared_ptr_t a, upcr_shared_ptr_t b, size_t elemsz,
                                       size_t blockelems) {
  return upc_diff(upcri_unpack(a), upcri_unpack(b), elemsz, blockelems);
}
EYOTI_INLINE ptrdiff_t upcr_sub_psharedI(upcr_pshared_ptr_t a, upcr_pshared_ptr_t b,
                                         size_t elemsz) {
  return upc_diff(upcri_unpack(a), upcri_unpack(b), elemsz, 0);
}
EYOTI_INLINE ptrdiff_t upcr_sub_pshared1(upcr_pshared_ptr_t a, upcr_pshared_ptr_t b,
                                         size_t elemsz) {
  return upc_diff(upcri_unpack(a), upcri_unpack(b), elemsz, 1);
}

/* Comparisons; phases do not matter. */
EYOTI_INLINE int upcr_isequal_shared_shared(upcr_shared_ptr_t a, upcr_shared_ptr_t b) {
  uint64_t place = (UINT64_C(1) << (UPCRI_BYTE_BITS + upcri_space.thread_bits)) - 1;
  return ((upcri_word(a) ^ upcri_word(b)) & place) == 0;
}
#define upcr_isequal_shared_pshared(a, b) upcr_isequal_shared_shared(a, b)
#define upcr_isequal_pshared_shared(a, b) upcr_isequal_shared_shared(a, b)
#define upcr_isequal_pshared_pshared(a, b) upcr_isequal_shared_shared(a, b)
EYOTI_INLINE int upcr_isnull_shared(upcr_shared_ptr_t p) {
  return upcri_word(p) == 0;
}
#define upcr_isnull_pshared(p) upcr_isnull_shared(p)
EYOTI_INLINE void upcr_setnull_shared(upcr_shared_ptr_t *p) {
  *p = upcri_of_word(0);
}
#define upcr_setnull_pshared(p) upcr_setnull_shared(p)

/* Conversions. A pointer without a phase has phase 0. */
EYOTI_INLINE upcr_shared_ptr_t upcr_shared_resetphase(upcr_shared_ptr_t p) {
  uint64_t place = (UINT64_C(1) << (UPCRI_BYTE_BITS + upcri_space.thread_bits)) - 1;
  return upcri_of_word(upcri_word(p) & place);
}
#define upcr_shared_to_pshared(p) upcr_shared_resetphase(p)
EYOTI_INLINE upcr_shared_ptr_t upcr_pshared_to_shared(upcr_pshared_ptr_t p) {
  return p;
}

/* Parts (UPC 7.2.3). */
EYOTI_INLINE size_t upcr_threadof_shared(upcr_shared_ptr_t p) {
  return upcri_thread(p);
}
EYOTI_INLINE size_t upcr_phaseof_shared(upcr_shared_ptr_t p) {
  return upcri_phase(p);
}
EYOTI_INLINE size_t upcr_addrfield_shared(upcr_shared_ptr_t p) {
  return upcri_word(p) & UPCRI_BYTE_MASK;
}
EYOTI_INLINE int upcr_hasMyAffinity_shared(upcr_shared_ptr_t p) {
  return upcri_thread(p) == upci_run.me;
}
#define upcr_threadof_pshared(p) upcr_threadof_shared(p)
#define upcr_phaseof_pshared(p) ((void)(p), (size_t)0)
#define upcr_addrfield_pshared(p) upcr_addrfield_shared(p)
#define upcr_hasMyAffinity_pshared(p) upcr_hasMyAffinity_shared(p)

#ifdef __cplusplus
}
#endif
#endif
