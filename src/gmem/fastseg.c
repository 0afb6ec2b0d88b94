/* fastseg.c - the table of segments that inline operations read (eyot/fast.h). Kept only where the fabric maps memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "state.h"

#define FIRST_CAPACITY 8u

_Static_assert(offsetof(eyot_gptr_t, unit) == 8 && offsetof(eyot_gptr_t, seg) == 12 && offsetof(eyot_gptr_t, gen) == 14, "see eyoti_fast_name");

static uint32_t name_of(uint16_t seg, uint16_t gen) {
  uint32_t unit;
  return eyoti_fast_name((eyot_gptr_t){.seg = seg, .gen = gen}, &unit);
}

/* Nothing matches this entry: the name is of a segment that is looked for in another one. */
static struct eyot_fast_seg closed(uint32_t entry) {
  return (struct eyot_fast_seg){.name = name_of((uint16_t)~entry, EYOTI_GEN_NONE)};
}

/* Capacities are powers of two; segment ids end below 2^16, so do they. A segment keeps its entry when the table grows, since its id is below both capacities. */
int eyoti_gmem_fast_reserve(struct eyot_rt *rt, uint32_t seg) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || seg < m->fast_capacity) return EYOT_OK;
  uint32_t capacity = m->fast_capacity == 0 ? FIRST_CAPACITY : m->fast_capacity;
  while (capacity <= seg) capacity *= 2;
  EYOTI_ASSERT(capacity <= UINT16_MAX + 1u);
  struct eyot_fast_seg *fast = realloc(m->fast, capacity * sizeof *fast);
  if (fast == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u segments", capacity);
  for (uint32_t i = m->fast_capacity; i < capacity; i++) fast[i] = closed(i);
  m->fast = fast;
  m->fast_capacity = capacity;
  rt->fast.seg = fast;
  rt->fast.mask = capacity - 1;
  return EYOT_OK;
}

/* One entry serves all mapped units, so all of them must be members. */
static bool all_mapped_are_members(const struct eyot_rt *rt, const struct eyoti_team *t) {
  const struct fab_local *local = &rt->fab->local;
  for (uint32_t k = 0; k < local->n; k++) {
    uint32_t index;
    if (!eyoti_team_index(t, local->first + k, &index)) return false;
  }
  return true;
}

void eyoti_gmem_fast_enter(struct eyot_rt *rt, eyot_gptr_t g, const struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || s->has_table || s->len < EYOT_FAST_LEN_MIN || !all_mapped_are_members(rt, s->team)) return;
  EYOTI_ASSERT(g.seg < m->fast_capacity);
  m->fast[g.seg] = (struct eyot_fast_seg){.base = m->map_base + s->off, .last = s->len - EYOT_FAST_LEN_MIN, .name = name_of(g.seg, g.gen)};
}

void eyoti_gmem_fast_leave(struct eyot_rt *rt, uint32_t seg) {
  if (seg < rt->gmem->fast_capacity) rt->gmem->fast[seg] = closed(seg);
}
