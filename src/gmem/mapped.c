/* SPDX-License-Identifier: BSD-3-Clause */
/* nearseg.c - keeps the table of segments that the processor reaches itself (rt/mapped.h), where
 * the fabric maps memory. */
#include <stdlib.h>

#include "gmem/state.h"

static uint32_t name_of(uint16_t seg, uint16_t gen) {
  return eyoti_near_name((eyot_gptr_t){.seg = seg, .gen = gen});
}

int eyoti_gmem_near_start(struct eyot_rt *rt) {
  struct eyoti_gmem *m = rt->gmem;
  rt->near = (struct eyoti_near){0};
  if (m->map_base == NULL) return EYOT_OK;
  m->near = calloc(EYOTI_NEAR_SEGS, sizeof *m->near);
  if (m->near == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u segments", EYOTI_NEAR_SEGS);
  /* the null pointer has the name 0; this one belongs into another entry */
  m->near[EYOTI_SEG_NULL].name = name_of(EYOTI_SEG_PRIVATE, 0);
  rt->near = (struct eyoti_near){.first = rt->fab->local.first,
                                 .n = rt->fab->local.n,
                                 .stride = m->map_stride,
                                 .seg = m->near};
  /* in its process: a hosting fabric, which may have more units there, is not loaded by them */
  bool alone = rt->fabric_handle != NULL;
  if (alone && !eyoti_near_open(&rt->near))
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a set of %u entries", EYOT_FAST_PARTS);
  eyoti_rt_fast_renew(rt);
  return EYOT_OK;
}

void eyoti_gmem_near_stop(struct eyot_rt *rt) {
  eyoti_near_close(&rt->near);
  rt->near = (struct eyoti_near){0};
  rt->fast = (struct eyot_fast){.abi = EYOT_FAST_ABI};
  free(rt->gmem->near);
  rt->gmem->near = NULL;
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

void eyoti_gmem_near_enter(struct eyot_rt *rt, eyot_gptr_t g, const struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || s->has_table || s->len < EYOT_FAST_LEN_MIN ||
      !all_mapped_are_members(rt, s->team))
    return;
  EYOTI_ASSERT(g.seg != EYOTI_SEG_NULL);
  m->near[g.seg] = (struct eyoti_near_seg){.base = m->map_base + s->off,
                                           .last = s->len - EYOT_FAST_LEN_MIN,
                                           .name = name_of(g.seg, g.gen)};
}

void eyoti_gmem_near_leave(struct eyot_rt *rt, uint32_t seg) {
  struct eyoti_near_seg *all = rt->gmem->near;
  if (all == NULL) return;
  eyoti_near_forget_seg(&rt->near, all[seg].name);
  all[seg] = (struct eyoti_near_seg){0};
}
