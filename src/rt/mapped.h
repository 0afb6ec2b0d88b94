/* SPDX-License-Identifier: BSD-3-Clause */
/* near.h - the memory that the processor reaches itself: the table of all segments, and the small
 * one of parts that inline operations read (eyot/fast.h).
 *
 * Why it exists: eyoti_fast_parts is one for the process and says what is true for one unit at one
 * time. So only a unit that is the only one of its process enters parts there, and whoever changes
 * what an entry was made from makes the table forget: a segment that goes away (gmem), another
 * endpoint that stands first (eyoti_rt_fast_renew), the end. Then an operation takes the call,
 * which looks here again. */
#ifndef EYOT_RT_MAPPED_H
#define EYOT_RT_MAPPED_H

#include <eyot/fast.h>

/* seg[] has an entry for each that a pointer can name; pages that nobody has used are no memory */
#define EYOTI_MAPPED_SEGS 65536u

/* One segment. base: where the part of the first mapped unit begins; last: the offset of the last
 * EYOTI_FAST_LEN_MIN bytes; name: seg and gen as a pointer has them (eyoti_mapped_name), or 0, as no
 * pointer to it has. */
struct eyoti_mapped_seg {
  char *base;
  uint64_t last;
  uint32_t name;
};

#define EYOTI_MAPPED_WORD_BITS 64u
_Static_assert(EYOTI_FAST_PARTS % EYOTI_MAPPED_WORD_BITS == 0, "words of bits");

/* Which entries of eyoti_fast_parts were made: one bit each. */
struct eyoti_mapped_entered {
  uint64_t bits[EYOTI_FAST_PARTS / EYOTI_MAPPED_WORD_BITS];
};

/* What no pointer has that leads to entry `index`. All but one can have zero for it. */
#define EYOTI_MAPPED_EMPTY_AT_0 UINT64_C(1)
#define EYOTI_MAPPED_EMPTY_AT(index) ((index) == 0 ? EYOTI_MAPPED_EMPTY_AT_0 : 0)
_Static_assert(EYOTI_FAST_INDEX(EYOTI_MAPPED_EMPTY_AT_0) != 0 && EYOTI_FAST_INDEX(UINT64_C(0)) == 0,
               "an empty entry is never found");

/* What a unit reaches: units first .. first+n-1, a part of each segment every `stride` bytes. All
 * zero: nothing. */
struct eyoti_mapped {
  uint32_t first;
  uint32_t n;        /* 0 also while all operations must be seen */
  uint32_t atomic_n; /* n where the processor's atomics are the fabric's, else 0 */
  uint64_t stride;
  const struct eyoti_mapped_seg *seg;
  struct eyoti_mapped_entered *entered; /* NULL: this unit makes no entries */
};

/* seg and gen of a pointer. */
static inline uint32_t eyoti_mapped_name(eyot_gptr_t g) {
  return (uint32_t)(eyoti_fast_name(g) >> 32);
}

/* From now on the unit, the only one in its process, enters what it finds into eyoti_fast_parts;
 * false: no memory. eyoti_mapped_close ends it and forgets all. */
bool eyoti_mapped_open(struct eyoti_mapped *mapped);
void eyoti_mapped_close(struct eyoti_mapped *mapped);
/* eyoti_fast_parts has nothing any more, or nothing of the segment whose pointers have this name.
 * Local; costs what has been entered, or a look for each unit. */
void eyoti_mapped_forget(struct eyoti_mapped *mapped);
void eyoti_mapped_forget_seg(struct eyoti_mapped *mapped, uint32_t name);

static inline void eyoti_mapped_enter(const struct eyoti_mapped *mapped, uint64_t name, bool atomic,
                                      char *base, uint64_t last) {
  uint64_t index = EYOTI_FAST_INDEX(name);
  if (mapped->entered == NULL) return;
  mapped->entered->bits[index / EYOTI_MAPPED_WORD_BITS] |= UINT64_C(1)
                                                           << index % EYOTI_MAPPED_WORD_BITS;
  eyoti_fast_parts[index] =
      (struct eyoti_fast_part){.name = name,
                               .atomic = atomic ? name : EYOTI_MAPPED_EMPTY_AT(index),
                               .base = base,
                               .last = last};
}

/* Where [g, g+len) is mapped if it is among the first n mapped units, else NULL. Enters the
 * part. */
static inline char *eyoti_mapped_among(const struct eyoti_mapped *mapped, uint32_t n, eyot_gptr_t g,
                                       uint64_t len) {
  uint64_t name = eyoti_fast_name(g);
  uint32_t k = (uint32_t)name - mapped->first;
  if (k >= n) return NULL;
  const struct eyoti_mapped_seg *s = &mapped->seg[(uint16_t)(name >> 32)];
  if (s->name != (uint32_t)(name >> 32) || !eyoti_fast_inside(s->last, g.offset, len)) return NULL;
  char *base = s->base + (uint64_t)k * mapped->stride;
  eyoti_mapped_enter(mapped, name, k < mapped->atomic_n, base, s->last);
  return base + g.offset;
}

/* Where [g, g+len) is mapped, and the aligned word of `width` (4 or 8) bytes on which the
 * processor's atomics may be used; NULL: not to be reached so. */
static inline char *eyoti_mapped_find(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                      uint64_t len) {
  return eyoti_mapped_among(mapped, mapped->n, g, len);
}
static inline void *eyoti_mapped_find_word(const struct eyoti_mapped *mapped, eyot_gptr_t g,
                                           uint64_t width) {
  return (g.offset & (width - 1)) == 0 ? eyoti_mapped_among(mapped, mapped->atomic_n, g, width)
                                       : NULL;
}

/* The same, for those that have not looked into eyoti_fast_parts yet. */
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
