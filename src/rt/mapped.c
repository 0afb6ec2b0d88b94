/* SPDX-License-Identifier: BSD-3-Clause */
/* near.c - see near.h. */
#include "rt/mapped.h"

#include <stdlib.h>

#include "base/check.h"

_Static_assert(offsetof(eyot_gptr_t, unit) == 8 && offsetof(eyot_gptr_t, seg) == 12 &&
                   offsetof(eyot_gptr_t, gen) == 14,
               "see eyoti_fast_name");
_Static_assert(sizeof(struct eyot_fast_part) == 32, "an entry does not straddle lines of a cache");

__attribute__((aligned(64))) struct eyot_fast_part eyoti_fast_parts[EYOT_FAST_PARTS] = {
    {.name = EYOTI_NEAR_NOTHING_AT_0, .atomic = EYOTI_NEAR_NOTHING_AT_0}};

static void empty(uint64_t index) {
  eyoti_fast_parts[index] = (struct eyot_fast_part){.name = EYOTI_NEAR_NOTHING_AT(index),
                                                    .atomic = EYOTI_NEAR_NOTHING_AT(index)};
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
  for (uint64_t i = 0; i < EYOT_FAST_PARTS / EYOTI_NEAR_WORD_BITS; i++)
    for (uint64_t *bits = &near->entered->bits[i]; *bits != 0; *bits &= *bits - 1)
      empty(i * EYOTI_NEAR_WORD_BITS + (uint64_t)__builtin_ctzll(*bits));
}

void eyoti_near_forget_seg(struct eyoti_near *near, uint32_t name) {
  if (near->entered == NULL) return;
  for (uint32_t k = 0; k < near->n; k++) {
    uint64_t full = (uint64_t)name << 32 | (near->first + k), index = EYOTI_FAST_INDEX(full);
    if (eyoti_fast_parts[index].name != full) continue;
    empty(index);
    near->entered->bits[index / EYOTI_NEAR_WORD_BITS] &=
        ~(UINT64_C(1) << index % EYOTI_NEAR_WORD_BITS);
  }
}
