/* eyot/fast.h - the part of a unit's state that inline operations read. Not for programs; the layout is checked at init.
 *
 * Why it exists: a put to memory that is mapped here must cost a bounds check and a copy, an atomic a bounds check and the processor's own. Everything the check
 * needs sits in one small versioned struct, which a fabric that maps nothing (sim), a tracer or a checker leaves empty so that every operation takes the call.
 * eyot_current is never NULL: before init it points to a constant idle unit whose struct is empty.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FAST_H
#define EYOT_FAST_H

#include <string.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EYOT_FAST_ABI 2u
#define EYOT_FAST_LEN_MIN 8u /* shorter segments always take the call, so that an operation of a word needs one comparison */

/* One segment as the inline path sees it. base: where the part of unit local_first begins; last: the offset of the last EYOT_FAST_LEN_MIN bytes; name: seg and gen
 * as a pointer has them (eyoti_fast_name), or 0, as no pointer to it has: then the call is taken. */
struct eyot_fast_seg {
  char *base;
  uint64_t last;
  uint32_t name;
  uint32_t pad[3];
};
#define EYOT_FAST_SEGS 65536u /* seg[] has an entry for each that a pointer can name; pages that nobody has used are no memory */

/* Units local_first .. local_first+local_n-1 are mapped, a part every `stride` bytes. */
struct eyot_fast {
  uint32_t abi;
  uint32_t local_first;
  uint32_t local_n;
  uint32_t units; /* of the run, if quiet is set; else 0 */
  const struct eyot_fast_seg *seg;
  uint64_t stride;
  uint32_t atomic_n; /* local_n where the processor's atomics are the fabric's, else 0 */
  const bool *quiet; /* NULL, or whether a flush has nothing to do but to order copies by the processor; read after units */
};

struct eyot_rt; /* begins with a struct eyot_fast */
extern EYOT_API struct eyot_rt *eyot_current;

/* Inlined even into code that is not optimized, so that diagnostics name the program's line. */
#define EYOTI_INLINE static inline __attribute__((always_inline))

/* seg and gen of a pointer in one number, seg in the lower half; and the unit: two halves of one word, so that a pointer in registers need not be taken apart. */
EYOTI_INLINE uint32_t eyoti_fast_name(eyot_gptr_t g, uint32_t *unit) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  memcpy(&word, (const char *)&g + sizeof g.offset, sizeof word);
  *unit = (uint32_t)word;
  return (uint32_t)(word >> 32);
#else
  *unit = g.unit;
  return (uint32_t)g.gen << 16 | g.seg;
#endif
}

/* Where [g, g+len) is mapped, if it belongs to one of the first n mapped units. false: take the call. */
EYOTI_INLINE bool eyoti_fast_find(const struct eyot_fast *f, uint32_t n, eyot_gptr_t g, uint64_t len, char **p) {
  uint32_t unit, name = eyoti_fast_name(g, &unit), k = unit - f->local_first;
  const struct eyot_fast_seg *s;
  if (k >= n) return false;
  s = &f->seg[(uint16_t)name];
  if (s->name != name) return false;
  if (len > EYOT_FAST_LEN_MIN && len - EYOT_FAST_LEN_MIN > s->last) return false;
  if (g.offset > s->last + EYOT_FAST_LEN_MIN - len) return false;
  *p = s->base + (uint64_t)k * f->stride + g.offset;
  return true;
}

/* The mapped address of [g, g+len), or NULL when the call must be taken. */
EYOTI_INLINE char *eyoti_fast_addr(eyot_gptr_t g, uint64_t len) {
  const struct eyot_fast *f = (const struct eyot_fast *)eyot_current;
  char *p;
  return eyoti_fast_find(f, f->local_n, g, len, &p) ? p : NULL;
}

/* The mapped and aligned word of `width` (4 or 8) bytes on which the processor's atomics may be used, or NULL. */
EYOTI_INLINE void *eyoti_fast_word(eyot_gptr_t g, uint64_t width) {
  const struct eyot_fast *f = (const struct eyot_fast *)eyot_current;
  char *p;
  return (g.offset & (width - 1)) == 0 && eyoti_fast_find(f, f->atomic_n, g, width, &p) ? p : NULL;
}

#ifdef __cplusplus
}
#endif
#endif
