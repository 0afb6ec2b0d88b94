/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c - memory of a unit's heap that the runtime itself takes while it runs (gmem.h): for
 * messages, whose records, rings and copies other units reach. It comes from the top of the heap,
 * beside that of eyot_alloc, and is no leak of the program's. */
#include "gmem/state.h"
#include "rt/observe.h"

int eyoti_gmem_own_take(struct eyot_rt *rt, uint64_t bytes, bool raw, uint64_t *off) {
  struct eyoti_gmem *m = rt->gmem;
  if (bytes == 0 || bytes > m->size) return EYOT_ENOMEM;
  uint64_t at, len = eyoti_gmem_round_up(bytes, EYOTI_GMEM_ALIGN);
  if (!eyoti_extents_highest(&m->space, len, EYOTI_GMEM_ALIGN, &at) ||
      eyoti_extents_is_promised(&m->space, at, len))
    return EYOT_ENOMEM;
  EYOTI_TRY(eyoti_gmem_secure(rt, m, at, len));
  EYOTI_TRY(eyoti_gmem_take(m, at, len,
                            EYOTI_GMEM_FROM_TOP | (raw ? EYOTI_GMEM_RAW : EYOTI_GMEM_ZEROED)));
  eyoti_observe_memory(rt, m->seg, at, len, true);
  /* what is raw has no words that a report could name */
  if (!raw)
    eyoti_made_add(
        rt, &(struct eyoti_made){
                .kind = EYOTI_MADE_OWN, .id = at, .seg = m->seg, .off = at, .len_bytes = len});
  *off = at;
  return EYOT_OK;
}

void eyoti_gmem_own_give(struct eyot_rt *rt, uint64_t off) {
  struct eyoti_gmem *m = rt->gmem;
  uint64_t len;
  bool taken = eyoti_gmem_give(rt, off, &len);
  EYOTI_ASSERT(taken);
  eyoti_observe_memory(rt, m->seg, off, len, false);
}

struct fab_addr eyoti_gmem_heap_at(const struct eyot_rt *rt, fab_unit_t unit, uint64_t off) {
  return fab_at(unit, rt->gmem->seg, off);
}

bool eyoti_gmem_heap_has(const struct eyot_rt *rt, const void *p, uint64_t len, uint64_t *off) {
  uint64_t at;
  bool has = eyoti_gmem_has(rt->gmem, p, len, &at);
  if (has) *off = at;
  return has;
}
