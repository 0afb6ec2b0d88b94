/* SPDX-License-Identifier: BSD-3-Clause */
/* bound.c - bounds of the race detector: up to which event of a unit its orders, and its flushes,
 * cover its operations to a target, of all sets or of one. Most programs use one target or all, so
 * that a sorted array is small.
 *
 * An atomic whose completion its unit sees only by a flush has no event that releases it, because a
 * million of them would have a million. The bounds say whether the unit's own later accesses come
 * after it; whatever is uncertain counts as after. */
#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

static bool bound_less(const struct chk_bound *b, uint16_t set, uint32_t target) {
  return b->target != target ? b->target < target : b->set < set;
}

static uint32_t bound_at(const struct chk_bounds *b, uint16_t set, uint32_t target) {
  uint32_t lo = 0, hi = b->n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (bound_less(&b->at[mid], set, target)) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

static bool bound_is(const struct chk_bounds *b, uint32_t i, uint16_t set, uint32_t target) {
  return i < b->n && b->at[i].target == target && b->at[i].set == set;
}

static uint32_t bound_number(const struct chk_bounds *b, uint16_t set, uint32_t target) {
  uint32_t i = bound_at(b, set, target);
  return bound_is(b, i, set, target) ? b->at[i].number : 0;
}

uint32_t chk_bounds_get(const struct chk_bounds *b, uint16_t set, uint32_t target) {
  uint32_t last = bound_number(b, CHK_RACE_SETS, target);
  if (b->all > last) last = b->all;
  if (set == CHK_RACE_SETS) return last;
  uint32_t one = bound_number(b, set, target), all = bound_number(b, set, CHK_RACE_ALL);
  if (all > one) one = all;
  return one > last ? one : last;
}

static void bounds_set(struct chk_bounds *b, uint16_t set, uint32_t target, uint32_t number) {
  if (target == CHK_RACE_ALL && set == CHK_RACE_SETS) {
    b->all = number;
    return;
  }
  uint32_t i = bound_at(b, set, target);
  if (!bound_is(b, i, set, target)) {
    if (b->n == b->cap) {
      b->cap = b->cap == 0 ? 4 : b->cap * 2;
      b->at = chk_resize(b->at, sizeof *b->at * b->cap);
      if (b->at == NULL)
        eyoti_no_memory(sizeof *b->at * b->cap, "the orders and flushes of a unit to %u targets",
                        b->cap);
    }
    memmove(&b->at[i + 1], &b->at[i], sizeof *b->at * (b->n - i));
    b->n++;
  }
  b->at[i] = (struct chk_bound){.target = target, .set = set, .number = number};
}

void chk_bounds_free(struct chk_bounds *b) {
  chk_free(b->at);
  *b = (struct chk_bounds){0};
}

void chk_race_ordered_in(struct chk_race *r, uint32_t unit, uint16_t set, uint32_t target) {
  struct chk_unit *u = &r->units[unit];
  bounds_set(&u->orders, set, target, u->events);
  u->bounded = true;
}

void chk_race_flushed(struct chk_race *r, uint32_t unit, uint16_t set, uint32_t target,
                      enum chk_race_level level) {
  struct chk_unit *u = &r->units[unit];
  if (!u->unwaited) return;
  bounds_set(&u->flushes[CHK_RACE_LOCAL], set, target, u->events);
  if (level != CHK_RACE_LOCAL) bounds_set(&u->flushes[CHK_RACE_REMOTE], set, target, u->events);
  u->bounded = true;
  if (level == CHK_RACE_LOCAL || target != CHK_RACE_ALL || set != CHK_RACE_SETS) return;
  u->unwaited = false;
  for (uint32_t k = 0; k < 2; k++) u->flushes[k].n = 0;
}

bool chk_race_apart(struct chk_unit *u, bool nbi) {
  /* One that waits comes after those in flight, also where it takes effect first. */
  if (!nbi) return u->unwaited;
  bool apart = u->bounded;
  u->bounded = false;
  u->unwaited = true;
  return apart;
}

void chk_race_returned(struct chk_unit *u, uint32_t number) {
  if (number <= u->returned) return;
  u->returned = number;
  u->bounded = true;
}

bool chk_race_own_before(const struct chk_race *r, const struct chk_stamp *s,
                         const struct chk_rec *rec) {
  const struct chk_unit *u = &r->units[rec->unit];
  const struct chk_bounds *flushes = &u->flushes[rec->fetched ? CHK_RACE_LOCAL : CHK_RACE_REMOTE];
  if (rec->number <= u->returned || rec->number <= chk_bounds_get(flushes, rec->set, rec->target))
    return true;
  uint16_t set = s->set == rec->set ? rec->set : CHK_RACE_SETS;
  return s->target == rec->target && rec->number <= chk_bounds_get(&u->orders, set, rec->target);
}
