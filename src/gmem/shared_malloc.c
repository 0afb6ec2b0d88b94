/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_malloc.c - see shared_malloc.h.
 *
 * Only the thread that may call eyot now touches a unit's lists. Another thread of the process that
 * releases shared memory leaves it in a list of the unit, linked through the memory by a
 * compare-and-swap, which that thread empties when it allocates. Which memory is shared is decided
 * by addresses alone, which do not change while the unit runs. */
#include "gmem/shared_malloc.h"

#include <eyot/init.h>
#include <string.h>

#include "fabric/forward.h"
#include "gmem/sheap.h"
#include "gmem/slab.h"

/* The unit, if it runs and the caller may change its lists now. At the levels at which other
 * threads call eyot nobody can: a program orders its calls of eyot, not those of malloc. */
static struct eyot_rt *unit_of_caller(void) {
  struct eyot_rt *rt = eyot_current;
  bool may = rt->state == EYOTI_RUNNING && rt->gmem != NULL && eyoti_rt_owns(rt) &&
             rt->thread_level < EYOT_THREAD_SERIALIZED && !eyoti_rt_in_operator(rt);
  return may ? rt : NULL;
}

static void object_give(struct eyot_rt *rt, void *p) {
  fab_unit_t unit;
  bool twice, ended;
  struct eyoti_chunk *c = eyoti_slab_find(rt, p, &unit);
  if (c != NULL) (void)eyoti_slab_give(rt, c, unit, p, &twice, &ended);
}

static void left_drain(struct eyot_rt *rt) {
  char *p = __atomic_exchange_n(&rt->kept.left, NULL, __ATOMIC_ACQUIRE);
  while (p != NULL) {
    char *next;
    memcpy(&next, p, sizeof next);
    object_give(rt, p);
    p = next;
  }
}

void *eyoti_shared_malloc(uint64_t bytes, uint64_t align) {
  struct eyot_rt *rt = unit_of_caller();
  void *p;
  if (rt == NULL || !eyoti_sheap_reaches(rt, rt->fab->me)) return NULL;
  if (__atomic_load_n(&rt->kept.left, __ATOMIC_RELAXED) != NULL) left_drain(rt);
  rt->kept.is_malloc = true;
  return eyoti_slab_take(rt, bytes, align, &p) == EYOT_OK ? p : NULL;
}

/* The unit whose heap may have p, if the process has one. */
static struct eyot_rt *unit_running(void) {
  struct eyot_rt *rt = eyot_current;
  return rt->state == EYOTI_RUNNING && rt->gmem != NULL ? rt : NULL;
}

/* From eyot_finalize on the memory is there, and nothing is released any more. Other threads may be
 * here while it runs: the range is set before the state changes. */
static bool is_kept(const void *p) {
  const struct eyot_rt *rt = eyot_current;
  enum eyoti_state state = __atomic_load_n(&rt->state, __ATOMIC_ACQUIRE);
  return (state == EYOTI_STOPPING || state == EYOTI_FINALIZED) &&
         (uintptr_t)p - rt->kept.low < rt->kept.high - rt->kept.low;
}

uint64_t eyoti_shared_size(const void *p) {
  struct eyot_rt *rt = unit_running();
  fab_unit_t unit;
  if (is_kept(p)) return eyoti_slab_chunk_of(p)->size;
  const struct eyoti_chunk *c = rt != NULL && p != NULL ? eyoti_slab_find(rt, p, &unit) : NULL;
  return c != NULL ? c->size : 0;
}

/* The heaps of the units of this node lie one after the other: their fronts, then what follows. */
static bool next_heap(struct eyot_rt *rt, fab_unit_t unit, uint64_t off, uintptr_t *at_off) {
  void *at;
  if (unit >= rt->fab->n || !eyoti_sheap_reaches(rt, unit) ||
      rt->fab->ops->seg_common(rt->fab, rt->gmem->seg, unit, off, &at) != EYOT_OK)
    return false;
  *at_off = (uintptr_t)at;
  return true;
}

void eyoti_shared_ending(struct eyot_rt *rt) {
  if (!rt->kept.is_malloc) return;
  if (rt->kept.left != NULL) left_drain(rt);
  const struct eyoti_gmem *m = rt->gmem;
  uintptr_t at = (uintptr_t)m->base;
  rt->kept.low = rt->kept.high = at;
  for (fab_unit_t u = rt->fab->me; next_heap(rt, u, 0, &at); u--) rt->kept.low = at;
  for (fab_unit_t u = rt->fab->me; next_heap(rt, u, m->front, &at); u++)
    rt->kept.high = at + (m->size - m->front);
  (*eyoti_forward_last(&rt->fab))->keeps = true;
}

bool eyoti_shared_free(void *p) {
  struct eyot_rt *rt = unit_running();
  fab_unit_t unit;
  if (is_kept(p)) return true;
  if (rt == NULL || eyoti_slab_find(rt, p, &unit) == NULL) return false;
  if (unit_of_caller() != NULL) {
    object_give(rt, p);
    return true;
  }
  char *head = __atomic_load_n(&rt->kept.left, __ATOMIC_RELAXED);
  do memcpy(p, &head, sizeof head);
  while (!__atomic_compare_exchange_n(&rt->kept.left, &head, (char *)p, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED));
  return true;
}
