/* fastseg.c - the table of segments that inline operations read (eyot/fast.h). Kept only where the fabric maps memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "state.h"

/* Nothing matches this entry, not even an operation of no bytes on the null pointer: the call is taken, and it checks. */
static const struct eyot_fast_seg CLOSED = {.start = 0, .len = 0, .gen = EYOTI_GEN_NONE};

int eyoti_gmem_fast_reserve(struct eyot_rt *rt, uint32_t seg) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || seg < m->fast_capacity) return EYOT_OK;
  uint32_t capacity = m->fast_capacity == 0 ? 8 : m->fast_capacity * 2;
  if (capacity <= seg) capacity = seg + 1;
  struct eyot_fast_seg *fast = realloc(m->fast, capacity * sizeof *fast);
  if (fast == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u segments", capacity);
  for (uint32_t i = m->fast_capacity; i < capacity; i++) fast[i] = CLOSED;
  m->fast = fast;
  m->fast_capacity = capacity;
  rt->fast.seg = fast;
  rt->fast.nseg = capacity;
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
  if (m->map_base == NULL || s->has_table || !all_mapped_are_members(rt, s->team)) return;
  EYOTI_ASSERT(g.seg < m->fast_capacity);
  m->fast[g.seg] = (struct eyot_fast_seg){.start = s->off, .len = s->len, .gen = g.gen};
}

void eyoti_gmem_fast_leave(struct eyot_rt *rt, uint32_t seg) {
  if (seg < rt->gmem->fast_capacity) rt->gmem->fast[seg] = CLOSED;
}
