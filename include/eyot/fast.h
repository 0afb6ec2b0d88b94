/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/fast.h - what inline operations read. Not for programs; the layout is checked at init.
 *
 * Why it exists: a put to memory that is mapped here must cost a bounds check and a copy, an atomic a bounds check and the processor's own. Where a part of a
 * segment is mapped stands in a small table of the parts used last, found by a hash of the pointer's second half; what is not there takes the call, which finds
 * it in the table of all segments and enters it, or says what is wrong. The table stays empty where operations must be seen (sim, checkers, counting) and where
 * units share a process; entries vanish before what they say ceases to be true (src/rt/near.h).
 * eyot_current is never NULL: before init it points to a constant idle unit whose struct is empty. */
#ifndef EYOT_FAST_H
#define EYOT_FAST_H

#include <string.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EYOT_FAST_ABI 3u
#define EYOT_FAST_LEN_MIN \
  8u /* shorter segments always take the call, so that an operation of a word needs one comparison */

/* One unit's part of a segment. name, atomic: unit, seg and gen as a pointer has them (eyoti_fast_name), or what no pointer that leads to this entry has: then
 * the call is taken, by all operations or by atomics. base: of the part; last: the offset of its last EYOT_FAST_LEN_MIN bytes. */
struct eyot_fast_part {
  uint64_t name;
  uint64_t atomic;
  char *base;
  uint64_t last;
};

/* A pointer's name leads to one entry: some middle bits of a product, in which neighbouring units and segments come apart, and in which gen does not count. */
#define EYOT_FAST_PARTS 1024u /* a power of two; a line of a cache holds two entries */
#define EYOTI_FAST_FACTOR UINT64_C(0x40205e1d)
#define EYOTI_FAST_SHIFT 30u
#define EYOTI_FAST_INDEX(name) \
  ((name)*EYOTI_FAST_FACTOR >> EYOTI_FAST_SHIFT & (EYOT_FAST_PARTS - 1))
extern EYOT_API struct eyot_fast_part eyoti_fast_parts[EYOT_FAST_PARTS];

/* Of a unit. */
struct eyot_fast {
  uint32_t abi;
  uint32_t older
      [2]; /* 0, as the words below: objects compiled with EYOT_FAST_ABI 1 or 2 find here that no unit is mapped, and take the call */
  uint32_t units; /* of the run, if quiet is set; else 0 */
  uint64_t older_words[3];
  const bool *
      quiet; /* NULL, or whether a flush has nothing to do but to order copies by the processor; read after units */
};

struct eyot_rt; /* begins with a struct eyot_fast */
extern EYOT_API struct eyot_rt *eyot_current;

/* Inlined even into code that is not optimized, so that diagnostics name the program's line. */
#define EYOTI_INLINE static inline __attribute__((always_inline))

/* The out-of-line half of an inline function. Code that calls it stands apart from the program's own, whose loops are then straight: without a jump, and quick
 * however they are aligned. */
#ifndef EYOTI_OTHER_HALF /* the library itself compiles them as other functions: cold ones are made small, not fast */
#define EYOTI_OTHER_HALF EYOT_API __attribute__((cold))
#endif

/* unit, seg and gen of a pointer in one number, so that a pointer in registers need not be taken apart. */
EYOTI_INLINE uint64_t eyoti_fast_name(eyot_gptr_t g) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t name;
  memcpy(&name, (const char *)&g + sizeof g.offset, sizeof name);
  return name;
#else
  return (uint64_t)g.gen << 48 | (uint64_t)g.seg << 32 | g.unit;
#endif
}

/* Whether [offset, offset+len) lies in a part whose last EYOT_FAST_LEN_MIN bytes are at `last`. */
EYOTI_INLINE bool eyoti_fast_inside(uint64_t last, uint64_t offset, uint64_t len) {
  return (len <= EYOT_FAST_LEN_MIN || len - EYOT_FAST_LEN_MIN <= last) &&
         offset <= last + EYOT_FAST_LEN_MIN - len;
}

/* Where [g, g+len) is mapped. false: take the call. */
EYOTI_INLINE bool eyoti_fast_find(eyot_gptr_t g, uint64_t len, char **p) {
  uint64_t name = eyoti_fast_name(g);
  const struct eyot_fast_part *part = &eyoti_fast_parts[EYOTI_FAST_INDEX(name)];
  if (part->name != name || !eyoti_fast_inside(part->last, g.offset, len)) return false;
  *p = part->base + g.offset;
  return true;
}

/* The same for an aligned word of `width` (4 or 8) bytes on which the processor's atomics may be used. */
EYOTI_INLINE bool eyoti_fast_find_word(eyot_gptr_t g, uint64_t width, char **p) {
  uint64_t name = eyoti_fast_name(g);
  const struct eyot_fast_part *part = &eyoti_fast_parts[EYOTI_FAST_INDEX(name)];
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
