/* SPDX-License-Identifier: BSD-3-Clause */
/* mapped.c - keeps the table of mapped segments that inline accesses use (rt/mapped.h), where the
 * fabric maps memory. */
#include <stdlib.h>

#include "gmem/state.h"

static uint32_t mapped_name_of(uint16_t seg, uint16_t gen) {
  return eyoti_mapped_name((eyot_gptr_t){.seg = seg, .gen = gen});
}

int eyoti_gmem_mapped_start(struct eyot_rt *rt) {
  struct eyoti_gmem *m = rt->gmem;
  rt->mapped = (struct eyoti_mapped){0};
  if (m->map_base == NULL) return EYOT_OK;
  m->mapped = calloc(EYOTI_MAPPED_SEGS, sizeof *m->mapped);
  if (m->mapped == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u segments", EYOTI_MAPPED_SEGS);
  /* the null pointer has the name 0, so entry 0 gets a name that belongs in another entry */
  m->mapped[EYOTI_SEG_NULL].name = mapped_name_of(EYOTI_SEG_FIRST, 0);
  rt->mapped = (struct eyoti_mapped){.first = rt->fab->local.first,
                                     .n = rt->fab->local.n,
                                     .stride = m->map_stride,
                                     .seg = m->mapped};
  /* true if the unit has loaded its fabric and so is alone in its process: a fabric that hosts
   * several units is not loaded by them; and no other thread reads entries */
  bool alone = rt->fabric_handle != NULL && rt->threads == NULL;
  if (alone && !eyoti_mapped_open(&rt->mapped))
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a set of %u entries", EYOTI_FAST_PARTS);
  eyoti_rt_fast_renew(rt);
  return EYOT_OK;
}

void eyoti_gmem_mapped_stop(struct eyot_rt *rt) {
  eyoti_mapped_close(&rt->mapped);
  rt->mapped = (struct eyoti_mapped){0};
  eyoti_rt_fast_clear(rt);
  free(rt->gmem->mapped);
  rt->gmem->mapped = NULL;
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

void eyoti_gmem_mapped_enter(struct eyot_rt *rt, eyot_gptr_t g, const struct eyoti_gseg *s) {
  struct eyoti_gmem *m = rt->gmem;
  if (m->map_base == NULL || s->has_table || s->len < EYOTI_FAST_LEN_MIN ||
      !all_mapped_are_members(rt, s->team))
    return;
  EYOTI_ASSERT(g.seg != EYOTI_SEG_NULL);
  m->mapped[g.seg] =
      (struct eyoti_mapped_seg){.base = m->map_base + s->off,
                                .gen_high = (uint32_t)(s->gen_high >> EYOTI_OFFSET_BITS),
                                .last = s->len - EYOTI_FAST_LEN_MIN,
                                .stride = m->map_stride,
                                .name = mapped_name_of(g.seg, g.gen)};
}

void eyoti_gmem_mapped_enter_data(struct eyot_rt *rt, const struct eyoti_gdata *d) {
  struct eyoti_gmem *m = rt->gmem;
  char *base;
  uint64_t stride;
  if (m->mapped == NULL || d->len < EYOTI_FAST_LEN_MIN ||
      rt->fab->ops->seg_map(rt->fab, d->seg, &base, &stride) != EYOT_OK)
    return;
  m->mapped[EYOTI_SEG_DATA] = (struct eyoti_mapped_seg){.base = base + d->first,
                                                        .last = d->len - EYOTI_FAST_LEN_MIN,
                                                        .stride = stride,
                                                        .name = mapped_name_of(EYOTI_SEG_DATA, 0)};
}

void eyoti_gmem_mapped_leave(struct eyot_rt *rt, uint32_t seg) {
  struct eyoti_mapped_seg *all = rt->gmem->mapped;
  if (all == NULL) return;
  eyoti_mapped_forget_seg(&rt->mapped, all[seg].name);
  all[seg] = (struct eyoti_mapped_seg){0};
}
