/* SPDX-License-Identifier: BSD-3-Clause */
/* pscw_list.c - the matching list of the calling unit: who has posted.
 *
 * A place whose posts exceed what was started here holds a post that waits to be started, and its
 * card is valid and will not change before that (pscw.h). Of any other place nothing but the count
 * may be looked at: its card may be in the middle of being written. */
#include <string.h>

#include "rt/observe.h"
#include "sync/pscw/pscw.h"

/* Pairs with the release of the signals that add to the word. */
static inline uint64_t posts(const struct eyoti_pscw *p, uint32_t place) {
  return eyoti_load_own(p->mem + eyoti_pscw_posts_off(p, place));
}

static inline bool is_waiting(const struct eyoti_pscw *p, uint32_t place) {
  return posts(p, place) > p->place[place].started;
}

static inline struct eyoti_pscw_card card_at(const struct eyoti_pscw *p, uint32_t place) {
  struct eyoti_pscw_card card;
  memcpy(&card, p->mem + eyoti_pscw_card_off(p, place), sizeof card);
  return card;
}

/* Notes whose the place is now. A former owner that has meanwhile been seen elsewhere stays known
 * there. */
static void learn(struct eyoti_pscw *p, uint32_t place, uint32_t unit) {
  uint32_t former = p->place[place].owner, at;
  if (former == unit) return;
  if (former != EYOTI_PSCW_NONE && eyoti_pscw_map_find(&p->known, former, &at) && at == place)
    eyoti_pscw_map_drop(&p->known, former);
  p->place[place].owner = unit;
  eyoti_pscw_map_set(&p->known, unit, place);
}

/* Looks at all places. In p->cond are then, *n of them, posts to those in which `unit` may post
 * yet: one look decides for each place whether it is read or waited for, so no post can come in
 * between unnoticed. */
static bool scan(struct eyoti_pscw *p, uint32_t unit, uint32_t *place, uint32_t *n) {
  bool found = false;
  *n = 0;
  for (uint32_t s = 0; s < p->places; s++) {
    if (is_waiting(p, s)) {
      uint32_t owner = card_at(p, s).unit;
      learn(p, s, owner);
      if (owner != unit) continue;
      *place = s;
      found = true;
    } else if (p->attr.changing || p->place[s].owner == EYOTI_PSCW_NONE) {
      p->cond[(*n)++] = (struct fab_cond){
          p->own.seg, FAB_GT, p->own.off + eyoti_pscw_posts_off(p, s), p->place[s].started};
    }
  }
  return found;
}

/* Searches, and sleeps until something has arrived that may be it. */
static int search(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit, uint32_t *place) {
  uint32_t n, ignored;
  while (!scan(p, unit, place, &n)) {
    if (n == 0)
      return EYOTI_PSCW_FAIL(rt, EYOT_EBUSY,
                             "unit %u cannot have posted to this unit: all %u places of its list "
                             "hold %s of others; make the object with "
                             "more than %u neighbours",
                             unit, p->places, p->attr.changing ? "posts" : "neighbours",
                             p->attr.neighbours);
    EYOTI_TRY(rt->fab->ops->wait_any(rt->fab, p->cond, n, FAB_FOREVER, &ignored));
  }
  return EYOT_OK;
}

int eyoti_pscw_list_await(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit,
                          struct eyoti_pscw_access *out) {
  uint32_t place;
  bool known = eyoti_pscw_map_find(&p->known, unit, &place);
  if (known && !p->attr.changing) {
    /* It posts there and nowhere else. */
    EYOTI_TRY(fab_wait_mem(rt->fab, p->own.seg, p->own.off + eyoti_pscw_posts_off(p, place), FAB_GT,
                           p->place[place].started, FAB_FOREVER, NULL));
  } else if (!(known && is_waiting(p, place) && card_at(p, place).unit == unit)) {
    EYOTI_TRY(search(rt, p, unit, &place));
  }
  struct eyoti_pscw_card card = card_at(p, place);
  EYOTI_ASSERT(card.unit == unit && card.counter < p->places);
  *out = (struct eyoti_pscw_access){.unit = unit, .place = place, .counter = card.counter};
  return EYOT_OK;
}
