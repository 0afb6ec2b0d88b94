/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/fast.h - the data that inline operations read. Not for programs; the layout is checked at
 * init.
 *
 * A put to memory that is mapped here costs a bounds check and a copy; an atomic costs a bounds
 * check and the processor's own. A small table of recently used parts of segments, indexed by a
 * hash of the pointer's second half, says where each is mapped. A part that is not in it takes the
 * call, which finds it in the table of all segments and enters it, or reports the error. The table
 * stays empty where operations must be seen (sim, checkers, counting) and where units share a
 * process; entries vanish before what they say ceases to be true (src/rt/mapped.h). eyot_current is
 * never NULL: before init it points to a constant idle unit whose struct is empty. */
#ifndef EYOT_FAST_H
#define EYOT_FAST_H

/* As in eyot/types.h, before the first header of the system. */
#if !defined(__LP64__) && !defined(_LP64)
#error "eyot needs a 64-bit target (LP64): compile without -m32 and -mx32"
#endif

#include <string.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 4: team ids have 64 bits; non-blocking forms without a handle, and accumulates, are inline.
 * 5: the mark of an interface (caller.h). */
#define EYOTI_FAST_ABI 5u
/* Segments shorter than this always take the call, so that a word needs one comparison. */
#define EYOTI_FAST_LEN_MIN 8u

/* One unit's part of a segment. name, atomic: unit, seg and gen as a pointer has them
 * (eyoti_fast_name), or a value that no pointer that leads to this entry has: then all operations,
 * or atomics, take the call. base: the address of the part. last: the offset of its last
 * EYOTI_FAST_LEN_MIN bytes. */
struct eyoti_fast_part {
  uint64_t name;
  uint64_t atomic;
  char *base;
  uint64_t last;
};

/* A pointer's name leads to one entry: some middle bits of a product, which separate neighboring
 * units and segments, and in which gen does not count. */
#define EYOTI_FAST_PARTS 1024u /* a power of two; a cache line holds two entries */
#define EYOTI_FAST_FACTOR UINT64_C(0x40205e1d)
#define EYOTI_FAST_SHIFT 30u
#define EYOTI_FAST_INDEX(name) \
  (EYOTI_FAST_FACTOR * (name) >> EYOTI_FAST_SHIFT & (EYOTI_FAST_PARTS - 1))
extern EYOT_API struct eyoti_fast_part eyoti_fast_parts[EYOTI_FAST_PARTS];

/* The mark of an interface on top of eyot (caller.h): its call and the place to which that returns.
 * site NULL: none. Before init site is not NULL and call is: no mark can be set. */
struct eyoti_caller {
  const char *call;
  const void *site;
};

/* The state of a unit that inline operations read. */
struct eyoti_fast {
  uint32_t abi;
  /* older and older_words are 0: objects compiled with EYOTI_FAST_ABI 1 or 2 find there that no
   * unit is mapped, and take the call. */
  uint32_t older[2];
  uint32_t units; /* of the run, if quiet is set; else 0 */
  uint64_t older_words[3];
  /* NULL, or whether a flush has nothing to do but to order copies by the processor; read after
   * units. */
  const bool *quiet;
  /* Whether a non-blocking transfer of mapped memory is a copy, complete at once. False where
   * progress processes execute long ones. */
  bool copies;
  struct eyoti_caller caller; /* inline functions write it */
};

struct eyot_rt; /* begins with a struct eyoti_fast */
extern EYOT_API struct eyot_rt *eyot_current;

/* Inlined even into code that is not optimized, so that diagnostics name the program's line. */
#define EYOTI_INLINE static inline __attribute__((always_inline))
#define EYOTI_INLINE_RET EYOTI_INLINE EYOTI_RET_USED

/* The out-of-line half of an inline function. The code that calls it is placed apart from the
 * program's own, whose loops are then straight: without a jump, and fast with any alignment. The
 * library itself compiles these halves as other functions: cold ones are made small, not fast. */
#ifndef EYOTI_OTHER_HALF
#define EYOTI_OTHER_HALF EYOT_API __attribute__((cold))
#endif

/* Returns unit, seg and gen of a pointer in one number, so that a pointer in registers need not be
 * taken apart. */
EYOTI_INLINE uint64_t eyoti_fast_name(eyot_gptr_t g) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t name;
  memcpy(&name, (const char *)&g + sizeof g.offset, sizeof name);
  return name;
#else
  return (uint64_t)g.gen << 48 | (uint64_t)g.seg << 32 | g.unit;
#endif
}

/* Tells whether [offset, offset+len) lies in a part whose last EYOTI_FAST_LEN_MIN bytes are at
 * `last`. */
EYOTI_INLINE bool eyoti_fast_inside(uint64_t last, uint64_t offset, uint64_t len) {
  return (len <= EYOTI_FAST_LEN_MIN || len - EYOTI_FAST_LEN_MIN <= last) &&
         offset <= last + EYOTI_FAST_LEN_MIN - len;
}

/* Sets *p to the address at which [g, g+len) is mapped. false: take the call. */
EYOTI_INLINE bool eyoti_fast_find(eyot_gptr_t g, uint64_t len, char **p) {
  uint64_t name = eyoti_fast_name(g);
  const struct eyoti_fast_part *part = &eyoti_fast_parts[EYOTI_FAST_INDEX(name)];
  if (part->name != name || !eyoti_fast_inside(part->last, g.offset, len)) return false;
  *p = part->base + g.offset;
  return true;
}

/* Does the same for an aligned word of `width` (4 or 8) bytes on which the processor's atomics may
 * be used. */
EYOTI_INLINE bool eyoti_fast_find_word(eyot_gptr_t g, uint64_t width, char **p) {
  uint64_t name = eyoti_fast_name(g);
  const struct eyoti_fast_part *part = &eyoti_fast_parts[EYOTI_FAST_INDEX(name)];
  if (part->atomic != name || (g.offset & (width - 1)) != 0 ||
      !eyoti_fast_inside(part->last, g.offset, width))
    return false;
  *p = part->base + g.offset;
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
