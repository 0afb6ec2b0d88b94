/* SPDX-License-Identifier: BSD-3-Clause */
/* gmem.c - start and stop of the global memory layer (gmem.h); init.c calls them. */
#include <inttypes.h>
#include <stdlib.h>

#include "gmem/label.h"
#include "gmem/owned.h"
#include "gmem/slab.h"

int eyoti_gmem_start(struct eyot_rt *rt) {
  EYOTI_ASSERT(rt->gmem == NULL && rt->teams != NULL);
  struct eyoti_gmem *m = eyoti_slack_new(sizeof *m);
  if (m == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of global memory");
  int rc = eyoti_gmem_heap_make(rt, m);
  if (rc != EYOT_OK) {
    eyoti_slack_free(m);
    return rc;
  }
  eyoti_extents_init(&m->space, m->first, m->size);
  m->space.origin = (uint64_t)(uintptr_t)m->base;
  m->space.cut = m->front;
  m->space.cut_origin = (uint64_t)(uintptr_t)m->others;
  eyoti_idtab_init(&m->segs, EYOTI_SEG_FIRST, EYOTI_SEG_REGISTERED);
  eyoti_idtab_init(&m->regs, 0, EYOTI_GMEM_REGISTERED_MAX);
  rt->gmem = m;
  eyoti_made_add(
      rt,
      &(struct eyoti_made){
          .kind = EYOTI_MADE_OWN, .id = m->seg, .seg = m->seg, .len_bytes = EYOTI_GMEM_HEAP_OFF});
  if (m->first > EYOTI_GMEM_HEAP_OFF) {
    eyoti_teams_place_all(rt, m->seg, m->base, EYOTI_GMEM_HEAP_OFF, m->size + EYOTI_GMEM_TAIL_BYTES,
                          eyoti_gmem_at(m, m->size + EYOTI_GMEM_TAIL_BYTES));
    eyoti_slack_give(rt->slack, m->base + m->first - EYOTI_GMEM_SLACK_BYTES,
                     EYOTI_GMEM_SLACK_BYTES);
  }
  rc = eyoti_gmem_grow_start(rt);
  if (rc == EYOT_OK) rc = eyoti_gmem_mapped_start(rt);
  if (rc != EYOT_OK) eyoti_gmem_stop(rt);
  return rc;
}

void eyoti_gmem_stop(struct eyot_rt *rt) {
  struct eyoti_gmem *m = rt->gmem;
  if (m == NULL) return;
  eyoti_gmem_look_stop(rt);
  eyoti_owned_stop(rt);
  uint64_t shared = eyoti_slab_left(rt);
  if (shared > 0 && !rt->kept.is_malloc) /* programs leave memory of malloc to their end */
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "%" PRIu64 " allocations of eyot_sheap_alloc were not freed", shared);
  eyoti_slab_stop(rt);
  uint32_t collective = eyoti_gmem_collective_drop(rt);
  uint32_t registered = eyoti_gmem_registered_drop(rt);
  if (collective > 0 && !rt->frees_at_end)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "%u collective allocations whose first member is this unit were not freed",
              collective);
  if (m->private_used > 0)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "%" PRIu64 " bytes from eyot_alloc were not freed", m->private_used);
  if (registered > 0)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "%u pieces of memory were not unregistered",
              registered);
  eyoti_gmem_mapped_stop(rt);
  eyoti_gmem_grow_stop(m);
  eyoti_slack_free(m->spare);
  eyoti_extents_fini(&m->space);
  eyoti_idtab_fini(&m->segs);
  eyoti_idtab_fini(&m->regs);
  eyoti_slack_free(m);
  rt->gmem = NULL;
}

int eyoti_gmem_team(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_team **team) {
  const struct eyoti_gseg *s = eyoti_gmem_collective_find(rt->gmem, g);
  if (s == NULL)
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ESEG,
        "segment %u generation %u is no live collective allocation of a team of this unit: %s",
        g.seg, eyoti_gptr_gen(g),
        eyoti_gmem_gone(rt, g, "it was freed, or its team does not have this unit",
                        (char[EYOTI_GONE]){0}));
  *team = s->team;
  return EYOT_OK;
}
