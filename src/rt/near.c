/* near.c - see near.h. SPDX-License-Identifier: BSD-3-Clause */
#include "near.h"

#include <stdlib.h>

#include "../base/check.h"

_Static_assert(offsetof(eyot_gptr_t, unit) == 8 && offsetof(eyot_gptr_t, seg) == 12 && offsetof(eyot_gptr_t, gen) == 14, "see eyoti_fast_name");
_Static_assert(sizeof(struct eyot_fast_part) == 32, "an entry does not straddle lines of a cache");

/* What no pointer has that leads to entry `index`. All but one can have zero for it. */
#define NOTHING_AT_0 UINT64_C(1)
#define NOTHING_AT(index) ((index) == 0 ? NOTHING_AT_0 : 0)
_Static_assert(EYOTI_FAST_INDEX(NOTHING_AT_0) != 0 && EYOTI_FAST_INDEX(UINT64_C(0)) == 0, "an empty entry is never found");

__attribute__((aligned(64))) struct eyot_fast_part eyoti_fast_parts[EYOT_FAST_PARTS] = {{.name = NOTHING_AT_0, .atomic = NOTHING_AT_0}};

#define WORD_BITS 64u
_Static_assert(EYOT_FAST_PARTS % WORD_BITS == 0, "words of bits");

/* One bit an entry. Only its unit, the only one in its process, has one. */
struct eyoti_near_entered {
  uint64_t bits[EYOT_FAST_PARTS / WORD_BITS];
};

static void empty(uint64_t index) {
  eyoti_fast_parts[index] = (struct eyot_fast_part){.name = NOTHING_AT(index), .atomic = NOTHING_AT(index)};
}

bool eyoti_near_open(struct eyoti_near *near) {
  EYOTI_ASSERT(near->entered == NULL);
  near->entered = calloc(1, sizeof *near->entered);
  return near->entered != NULL;
}

void eyoti_near_close(struct eyoti_near *near) {
  eyoti_near_forget(near);
  free(near->entered);
  near->entered = NULL;
}

void eyoti_near_forget(struct eyoti_near *near) {
  if (near->entered == NULL) return;
  for (uint64_t i = 0; i < EYOT_FAST_PARTS / WORD_BITS; i++)
    for (uint64_t *bits = &near->entered->bits[i]; *bits != 0; *bits &= *bits - 1) empty(i * WORD_BITS + (uint64_t)__builtin_ctzll(*bits));
}

void eyoti_near_forget_seg(struct eyoti_near *near, uint32_t name) {
  if (near->entered == NULL) return;
  for (uint32_t k = 0; k < near->n; k++) {
    uint64_t full = (uint64_t)name << 32 | (near->first + k), index = EYOTI_FAST_INDEX(full);
    if (eyoti_fast_parts[index].name != full) continue;
    empty(index);
    near->entered->bits[index / WORD_BITS] &= ~(UINT64_C(1) << index % WORD_BITS);
  }
}

static inline void enter(const struct eyoti_near *near, uint64_t name, uint32_t k, const struct eyoti_near_seg *s, char *base) {
  uint64_t index = EYOTI_FAST_INDEX(name);
  if (near->entered == NULL) return;
  near->entered->bits[index / WORD_BITS] |= UINT64_C(1) << index % WORD_BITS;
  eyoti_fast_parts[index] = (struct eyot_fast_part){.name = name, .atomic = k < near->atomic_n ? name : NOTHING_AT(index), .base = base, .last = s->last};
}

/* Among the first n mapped units. */
static inline char *find(const struct eyoti_near *near, uint32_t n, eyot_gptr_t g, uint64_t len) {
  uint64_t name = eyoti_fast_name(g);
  uint32_t k = g.unit - near->first;
  if (k >= n) return NULL;
  const struct eyoti_near_seg *s = &near->seg[g.seg];
  if (s->name != (uint32_t)(name >> 32) || !eyoti_fast_inside(s->last, g.offset, len)) return NULL;
  char *base = s->base + (uint64_t)k * near->stride;
  enter(near, name, k, s, base);
  return base + g.offset;
}

char *eyoti_near_find(const struct eyoti_near *near, eyot_gptr_t g, uint64_t len) { return find(near, near->n, g, len); }

void *eyoti_near_find_word(const struct eyoti_near *near, eyot_gptr_t g, uint64_t width) {
  return (g.offset & (width - 1)) == 0 ? find(near, near->atomic_n, g, width) : NULL;
}
