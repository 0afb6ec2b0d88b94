/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.h - mapped memory: the table of all segments, and the small one of parts that inline
 * operations read (eyot/fast.h). gmem/mapped.c fills it; rma and the inline operations look
 * addresses up.
 *
 * Invariant: eyoti_fast_parts exists once a process and holds facts about one unit. So only a unit
 * that is alone in its process enters parts there, and each change of the facts makes the table
 * forget the entries: a segment that is freed (gmem), another endpoint that is first
 * (eyoti_rt_fast_renew), the end. An inline operation then makes the call, which looks up the
 * address here again. One thread of the unit uses it. */
#ifndef EYOT_RT_MAPPED_H
#define EYOT_RT_MAPPED_H

#include <eyot/fast.h>

/* seg[] has an entry for each id that a pointer can have; pages that were never used take no
 * memory */
#define EYOTI_MAPPED_SEGS 65536u

/* One segment. base: the start of the first mapped unit's part; last: the offset of the last
 * EYOTI_FAST_LEN_MIN bytes; name: seg and gen as a pointer has them (eyoti_mapped_name), or 0,
 * which no pointer to it has; gen_high: the upper 16 bits of the generation, which a pointer has in
 * its offset. */
struct eyoti_mapped_seg {
  char *base;
  uint64_t last;
  uint64_t stride; /* to the next unit's part */
  uint32_t name;
  uint32_t gen_high;
};

#define EYOTI_MAPPED_WORD_BITS 64u
_Static_assert(EYOTI_FAST_PARTS % EYOTI_MAPPED_WORD_BITS == 0 &&
                   EYOTI_FAST_PARTS / EYOTI_MAPPED_WORD_BITS <= EYOTI_MAPPED_WORD_BITS,
               "words of bits, and a bit for each");

/* The entries of eyoti_fast_parts that were made: one bit each; any: a bit for each word of bits
 * that may have some. */
struct eyoti_mapped_entered {
  uint64_t any;
  uint64_t bits[EYOTI_FAST_PARTS / EYOTI_MAPPED_WORD_BITS];
};

/* Marks an empty entry: a name that does not hash to `index`. 0 works for every entry but 0. */
#define EYOTI_MAPPED_EMPTY_AT_0 UINT64_C(1)
#define EYOTI_MAPPED_EMPTY_AT(index) ((index) == 0 ? EYOTI_MAPPED_EMPTY_AT_0 : 0)
_Static_assert(EYOTI_FAST_INDEX(EYOTI_MAPPED_EMPTY_AT_0) != 0 && EYOTI_FAST_INDEX(UINT64_C(0)) == 0,
               "an empty entry is never found");

/* The memory that is mapped for a unit: that of units first .. first+n-1, whose heaps follow each
 * other every `stride` bytes. All zero: nothing is mapped. */
struct eyoti_mapped {
  uint32_t first;
  uint32_t n;        /* 0 also while an observer must see all operations */
  uint32_t atomic_n; /* n if the CPU's atomics are the fabric's, else 0 */
  uint64_t stride;
  const struct eyoti_mapped_seg *seg;
  struct eyoti_mapped_entered *entered; /* NULL: this unit makes no entries */
};

/* Seg and gen of a pointer, as one word. */
static inline uint32_t eyoti_mapped_name(eyot_gptr_t g) {
  return (uint32_t)(eyoti_fast_name(g) >> 32);
}

/* From now on the unit, alone in its process, enters the parts that it finds into eyoti_fast_parts;
 * false: no memory. eyoti_mapped_close ends that and forgets all. */
bool eyoti_mapped_open(struct eyoti_mapped *mapped);
void eyoti_mapped_close(struct eyoti_mapped *mapped);
/* Forget all entries of eyoti_fast_parts, or those of the segment whose pointers have this name.
 * Local; cost: the number of entries, or a check for each mapped unit. */
void eyoti_mapped_forget(struct eyoti_mapped *mapped);
void eyoti_mapped_forget_seg(struct eyoti_mapped *mapped, uint32_t name);

/* Only generations below 2^16 have entries: there a pointer's offset is its bytes, and the offset
 * of a pointer of a later generation of the same name is beyond every part. Inline operations need
 * no further check for that; parts of later generations take the call. */
static inline void eyoti_mapped_enter(const struct eyoti_mapped *mapped, uint64_t name, bool atomic,
                                      char *base, const struct eyoti_mapped_seg *s) {
  uint64_t index = EYOTI_FAST_INDEX(name);
  if (mapped->entered == NULL || s->gen_high != 0) return;
  mapped->entered->bits[index / EYOTI_MAPPED_WORD_BITS] |= UINT64_C(1)
                                                           << index % EYOTI_MAPPED_WORD_BITS;
  mapped->entered->any |= UINT64_C(1) << index / EYOTI_MAPPED_WORD_BITS;
  eyoti_fast_parts[index] =
      (struct eyoti_fast_part){.name = name,
                               .atomic = atomic ? name : EYOTI_MAPPED_EMPTY_AT(index),
                               .base = base,
                               .last = s->last};
}

/* The address of [g, g+len) if its unit is among the first n mapped units, else NULL. Enters the
 * part. */
static inline char *eyoti_mapped_among(const struct eyoti_mapped *mapped, uint32_t n, eyot_gptr_t g,
                                       uint64_t len) {
  uint64_t name = eyoti_fast_name(g);
  uint32_t k = (uint32_t)name - mapped->first;
  if (k >= n) return NULL;
  const struct eyoti_mapped_seg *s = &mapped->seg[(uint16_t)(name >> 32)];
  uint64_t offset = g.offset - ((uint64_t)s->gen_high << 48);
  if (s->name != (uint32_t)(name >> 32) || !eyoti_fast_inside(s->last, offset, len)) return NULL;
  char *base = s->base + (uint64_t)k * s->stride;
  eyoti_mapped_enter(mapped, name, k < mapped->atomic_n, base, s);
  return base + offset;
}

/* The address of [g, g+len), and of the aligned word of `width` (4 or 8) bytes on which the CPU's
 * atomics may be used; NULL: not mapped. */
static inline char *eyoti_mapped_find(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                      uint64_t len) {
  return eyoti_mapped_among(mapped, mapped->n, g, len);
}
static inline void *eyoti_mapped_find_word(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                           uint64_t width) {
  return (g.offset & (width - 1)) == 0 ? eyoti_mapped_among(mapped, mapped->atomic_n, g, width)
                                       : NULL;
}

/* The same, for callers that have not looked into eyoti_fast_parts yet. */
static inline char *eyoti_mapped_addr(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                      uint64_t len) {
  char *p;
  return eyoti_fast_find(g, len, &p) ? p : eyoti_mapped_find(mapped, g, len);
}
static inline void *eyoti_mapped_word(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                      uint64_t width) {
  char *p;
  return eyoti_fast_find_word(g, width, &p) ? p : eyoti_mapped_find_word(mapped, g, width);
}
#endif
