/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.c - implements mapped.h: the process's table of parts that inline operations read, and
 * forgetting its entries. */
#include "rt/mapped.h"

#include <stdlib.h>

#include "base/check.h"

_Static_assert(offsetof(eyot_gptr_t, unit) == 8 && offsetof(eyot_gptr_t, seg) == 12 &&
                   offsetof(eyot_gptr_t, gen) == 14,
               "see eyoti_fast_name");
_Static_assert(sizeof(struct eyoti_fast_part) == 32, "an entry does not straddle lines of a cache");

__attribute__((aligned(64))) struct eyoti_fast_part eyoti_fast_parts[EYOTI_FAST_PARTS] = {
    {.name = EYOTI_MAPPED_EMPTY_AT_0, .atomic = EYOTI_MAPPED_EMPTY_AT_0}};

static void empty(uint64_t index) {
  eyoti_fast_parts[index] = (struct eyoti_fast_part){.name = EYOTI_MAPPED_EMPTY_AT(index),
                                                     .atomic = EYOTI_MAPPED_EMPTY_AT(index)};
}

bool eyoti_mapped_open(struct eyoti_mapped *mapped) {
  EYOTI_ASSERT(mapped->entered == NULL);
  mapped->entered = calloc(1, sizeof *mapped->entered);
  return mapped->entered != NULL;
}

void eyoti_mapped_close(struct eyoti_mapped *mapped) {
  eyoti_mapped_forget(mapped);
  free(mapped->entered);
  mapped->entered = NULL;
}

void eyoti_mapped_forget(struct eyoti_mapped *mapped) {
  struct eyoti_mapped_entered *e = mapped->entered;
  if (e == NULL) return;
  for (; e->any != 0; e->any &= e->any - 1) {
    uint64_t i = (uint64_t)__builtin_ctzll(e->any);
    for (uint64_t *bits = &e->bits[i]; *bits != 0; *bits &= *bits - 1)
      empty(i * EYOTI_MAPPED_WORD_BITS + (uint64_t)__builtin_ctzll(*bits));
  }
}

void eyoti_mapped_forget_seg(struct eyoti_mapped *mapped, uint32_t name) {
  if (mapped->entered == NULL) return;
  for (uint32_t k = 0; k < mapped->n; k++) {
    uint64_t full = (uint64_t)name << 32 | (mapped->first + k), index = EYOTI_FAST_INDEX(full);
    if (eyoti_fast_parts[index].name != full) continue;
    empty(index);
    mapped->entered->bits[index / EYOTI_MAPPED_WORD_BITS] &=
        ~(UINT64_C(1) << index % EYOTI_MAPPED_WORD_BITS);
  }
}
