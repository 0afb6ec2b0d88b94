/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - the matching list of the calling unit: finds the slot in which a neighbor has posted
 * (pscw.h). pscw.c calls it for the side that starts.
 *
 * A slot whose posts exceed the number started here holds a post that waits to be started, and its
 * origin record is valid and will not change before that (pscw.h). Of any other slot only the count
 * may be read: its origin record may be in the middle of being written. */
#include <string.h>

#include "rt/observe.h"
#include "sync/pscw/pscw.h"

/* Pairs with the release of the signals that add to the word. */
static inline uint64_t posts(const struct eyoti_pscw *p, uint32_t slot) {
  return eyoti_load_own(p->mem + eyoti_pscw_posts_off(p, slot));
}

static inline bool is_waiting(const struct eyoti_pscw *p, uint32_t slot) {
  return posts(p, slot) > p->slot[slot].started;
}

static inline struct eyoti_pscw_origin origin_at(const struct eyoti_pscw *p, uint32_t slot) {
  struct eyoti_pscw_origin origin;
  memcpy(&origin, p->mem + eyoti_pscw_origin_off(p, slot), sizeof origin);
  return origin;
}

/* Records the present owner of a slot. A former owner that has meanwhile been seen elsewhere stays
 * known there. */
static void list_learn(struct eyoti_pscw *p, uint32_t slot, uint32_t unit) {
  uint32_t former = p->slot[slot].owner, at;
  if (former == unit) return;
  if (former != EYOTI_PSCW_NONE && eyoti_pscw_map_find(&p->known, former, &at) && at == slot)
    eyoti_pscw_map_drop(&p->known, former);
  p->slot[slot].owner = unit;
  eyoti_pscw_map_set(&p->known, unit, slot);
}

/* Reads all slots. In p->cond are then, *n of them, posts to those in which `unit` may post yet:
 * one read decides for each slot whether its record is read or its word waited for, so no post can
 * come in between unnoticed. */
static bool scan(struct eyoti_pscw *p, uint32_t unit, uint32_t *slot, uint32_t *n) {
  bool found = false;
  *n = 0;
  for (uint32_t s = 0; s < p->n_slots; s++) {
    if (is_waiting(p, s)) {
      uint32_t owner = origin_at(p, s).unit;
      list_learn(p, s, owner);
      if (owner != unit) continue;
      *slot = s;
      found = true;
    } else if (p->attr.changing || p->slot[s].owner == EYOTI_PSCW_NONE) {
      p->cond[(*n)++] = (struct fab_cond){.seg = p->own.seg,
                                          .cmp = FAB_GT,
                                          .off = p->own.off + eyoti_pscw_posts_off(p, s),
                                          .value = p->slot[s].started};
    }
  }
  return found;
}

/* Searches for a post of `unit`, and sleeps until a post has arrived that may be it. */
static int list_search(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit, uint32_t *slot) {
  uint32_t n, ignored;
  while (!scan(p, unit, slot, &n)) {
    if (n == 0)
      return EYOTI_PSCW_FAIL(rt, EYOT_EBUSY,
                             "unit %u cannot have posted to this unit: all %u slots of its list "
                             "hold %s of other units; make the object with "
                             "more than %u neighbors",
                             unit, p->n_slots, p->attr.changing ? "posts" : "neighbors",
                             p->attr.neighbors);
    EYOTI_TRY(fab_wait_any(rt->fab, p->cond, n, FAB_FOREVER, &ignored));
  }
  return EYOT_OK;
}

int eyoti_pscw_list_await(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit,
                          struct eyoti_pscw_access *out) {
  uint32_t slot;
  bool known = eyoti_pscw_map_find(&p->known, unit, &slot);
  if (known && !p->attr.changing) {
    /* It posts in this slot only. */
    EYOTI_TRY(fab_wait_mem(rt->fab, p->own.seg, p->own.off + eyoti_pscw_posts_off(p, slot), FAB_GT,
                           p->slot[slot].started, FAB_FOREVER, NULL));
  } else if (!(known && is_waiting(p, slot) && origin_at(p, slot).unit == unit)) {
    EYOTI_TRY(list_search(rt, p, unit, &slot));
  }
  struct eyoti_pscw_origin origin = origin_at(p, slot);
  EYOTI_ASSERT(origin.unit == unit && origin.counter < p->n_slots);
  *out = (struct eyoti_pscw_access){.unit = unit, .slot = slot, .counter = origin.counter};
  return EYOT_OK;
}
