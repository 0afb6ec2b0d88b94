/* fastseg.c - the table of segments that inline operations read (eyot/fast.h). Kept only where the fabric maps memory.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "state.h"

_Static_assert(offsetof(eyot_gptr_t, unit) == 8 && offsetof(eyot_gptr_t, seg) == 12 && offsetof(eyot_gptr_t, gen) == 14,
               "see eyoti_fast_name");

static uint32_t name_of(uint16_t seg, uint16_t gen) {
  uint32_t unit;
  return eyoti_fast_name((eyot_gptr_t){.seg = seg, .gen = gen}, &unit);
}

int eyoti_gmem_fast_start(struct eyot_rt *rt) {
  struct eyoti_gmem *m = rt->gmem;
  rt->fast = (struct eyot_fast){.abi = EYOT_FAST_ABI};
  if (m->map_base == NULL) return EYOT_OK;
  m->fast = calloc(EYOT_FAST_SEGS, sizeof *m->fast);
  if (m->fast == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u segments", EYOT_FAST_SEGS);
  m->fast[EYOTI_SEG_NULL].name = name_of(EYOTI_SEG_PRIVATE, 0); /* the null pointer has the name 0; this one belongs into another entry */
  rt->fast.local_first = rt->fab->local.first;
  rt->fast.local_n = rt->fab->local.n;
  rt->fast.seg = m->fast;
  rt->fast.stride = m->map_stride;
  eyoti_rt_fast_renew(rt);
  return EYOT_OK;
}

void eyoti_gmem_fast_stop(struct eyot_rt *rt) {
  rt->fast = (struct eyot_fast){.abi = EYOT_FAST_ABI};
  free(rt->gmem->fast);
  rt->gmem->fast = NULL;
}

/* One entry serves all mapped units, so all of them must be members. */
static bool all_mapped_are_members(const struct eyot_rt *rt, const struct eyoti_team *t) {
  const struct fab_local *local = &rt->fab->local;
  if (t->size == rt->fab->n) return true;
  for (uint32_t k = 0; k < local->n; k++) {
    uint32_t index;
    if (!eyoti_team_index(t, local->first + k, &index)) return false;
  }
  return true;
}

void eyoti_gmem_fast_enter(struct eyot_rt *rt, eyot_gptr_t g, const struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || s->has_table || s->len < EYOT_FAST_LEN_MIN || !all_mapped_are_members(rt, s->team)) return;
  EYOTI_ASSERT(g.seg != EYOTI_SEG_NULL);
  m->fast[g.seg] = (struct eyot_fast_seg){.base = m->map_base + s->off, .last = s->len - EYOT_FAST_LEN_MIN, .name = name_of(g.seg, g.gen)};
}

void eyoti_gmem_fast_leave(struct eyot_rt *rt, uint32_t seg) {
  if (rt->gmem->fast != NULL) rt->gmem->fast[seg] = (struct eyot_fast_seg){0};
}
