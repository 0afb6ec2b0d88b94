/* eyot/fast.h - the part of a unit's state that inline operations read. Not for programs; the layout is checked at init.
 *
 * Why it exists: a put to memory that is mapped here must cost a bounds check and a copy. Everything the check needs sits in one small
 * versioned struct, which a fabric that maps nothing (sim), a tracer or a checker leaves empty so that every operation takes the call.
 * eyot_current is never NULL: before init it points to a constant idle unit whose struct is empty.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_FAST_H
#define EYOT_FAST_H

#include <string.h>

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EYOT_FAST_ABI 1u

/* One segment as the inline path sees it: the part [start, start+len) of every unit's heap. len 0: always take the call. */
struct eyot_fast_seg {
  uint64_t start;
  uint64_t len;
  uint16_t gen;
  uint16_t pad[3];
};

/* Units local_first .. local_first+local_n-1 are mapped at base + k*stride. nseg bounds seg[]. */
struct eyot_fast {
  uint32_t abi;
  uint32_t local_first;
  uint32_t local_n;
  uint32_t nseg;
  char *base;
  uint64_t stride;
  const struct eyot_fast_seg *seg;
};

struct eyot_rt; /* begins with a struct eyot_fast */
extern EYOT_API struct eyot_rt *eyot_current;

/* The mapped address of [g, g+len), or NULL when the call must be taken. */
static inline char *eyoti_fast_addr(eyot_gptr_t g, uint64_t len) {
  const struct eyot_fast *f = (const struct eyot_fast *)eyot_current;
  uint32_t k = g.unit - f->local_first;
  if (k < f->local_n && g.seg < f->nseg) {
    const struct eyot_fast_seg *s = &f->seg[g.seg];
    if (s->gen == g.gen && len <= s->len && g.offset <= s->len - len)
      return f->base + (uint64_t)k * f->stride + s->start + g.offset;
  }
  return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
