/* SPDX-License-Identifier: BSD-3-Clause */
/* lease.c - slots in the neighbors' matching lists: takes them, posts, gives them back (pscw.h).
 * pscw.c calls it for the side that posts.
 *
 * Taking sets a bit with a fetching or: a unit that finds it clear has the slot, a unit that finds
 * it set has changed nothing. Giving back clears the bit, after all posts in the slot have been
 * started and completed, so the next holder's origin record and posts cannot meet the former's. The
 * bit may be cleared late; until then the slot only seems taken. */
#include "base/hash.h"
#include "sync/locks/locks.h"
#include "sync/pscw/pscw.h"

#define BITS 64u
/* The number of times that a list is read before it counts as full. Without `changing` slots do not
 * come back, and once is enough; with it, pauses grow to 50 us, so that this is some 10 ms. */
#define ROUNDS_CHANGING 256u

static int lease_word_at(struct eyot_rt *rt, const struct eyoti_pscw *p, uint32_t unit,
                         uint32_t slot, struct fab_addr *out) {
  return eyoti_pscw_at(rt, p, unit, eyoti_pscw_taken_off(slot / BITS), out);
}

/* The bits of a word of the map that stand for slots. */
static uint64_t slots_of(const struct eyoti_pscw *p, uint32_t word) {
  uint32_t n = p->n_slots - word * BITS;
  return n >= BITS ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

/* One of the bits that are set in `bits`, which is not 0. */
static uint32_t lease_choose(uint64_t bits, uint64_t random) {
  for (uint32_t skip = (uint32_t)(random % (uint32_t)__builtin_popcountll(bits)); skip > 0; skip--)
    bits &= bits - 1;
  return (uint32_t)__builtin_ctzll(bits);
}

/* Begins to take l->slot; take_finish returns whether the caller has it. */
static int take_begin(struct eyot_rt *rt, const struct eyoti_pscw *p, struct eyoti_pscw_lease *l) {
  struct fab_addr at;
  EYOTI_TRY(lease_word_at(rt, p, l->unit, l->slot, &at));
  const struct fab_amo set = {
      .op = FAB_AMO_OR, .width = 8, .operand = (uint64_t)1 << l->slot % BITS};
  EYOTI_TRY(fab_amo(rt->fab, at, &set, &l->bits, &l->req));
  l->asked = true;
  return EYOT_OK;
}

static int take_finish(struct eyot_rt *rt, struct eyoti_pscw_lease *l, bool *got) {
  EYOTI_ASSERT(l->asked);
  l->asked = false;
  EYOTI_TRY(fab_req_end(rt->fab, l->unit, l->req));
  *got = (l->bits >> l->slot % BITS & 1) == 0;
  return EYOT_OK;
}

/* Tries for the bits of one word of the map that were clear when last seen, in *clear, until it has
 * one or none is left. Each try that fails has met another unit that took the slot, so the loop
 * ends. */
static int take_in_word(struct eyot_rt *rt, const struct eyoti_pscw *p, struct eyoti_pscw_lease *l,
                        uint32_t word, uint64_t clear, bool *got) {
  uint64_t random = eyoti_hash_mix(l->bits, rt->fab->me);
  *got = false;
  for (uint32_t tries = 0; clear != 0 && !*got && tries < BITS; tries++) {
    random = eyoti_hash_mix(random, tries);
    l->slot = word * BITS + lease_choose(clear, random);
    EYOTI_TRY(take_begin(rt, p, l));
    EYOTI_TRY(take_finish(rt, l, got));
    clear = ~l->bits & slots_of(p, word);
  }
  return EYOT_OK;
}

/* After the first guess has failed: tries the rest of its word, the other words, and with
 * `changing` all again after pauses. */
static int take_elsewhere(struct eyot_rt *rt, const struct eyoti_pscw *p,
                          struct eyoti_pscw_lease *l) {
  EYOTI_BACKOFF(pause);
  uint32_t first = l->slot / BITS, rounds = p->attr.changing ? ROUNDS_CHANGING : 1;
  bool got = false;
  uint64_t clear = ~l->bits & slots_of(p, first);
  for (uint32_t round = 0; round < rounds; round++) {
    if (round == 1) {
      struct eyoti_locks *unused;
      EYOTI_TRY(eyoti_locks_get(rt, &unused));
      eyoti_backoff_init(&pause, rt, NULL);
    }
    if (round > 0) EYOTI_TRY(eyoti_backoff_pause(rt, &pause, EYOTI_DEADLINE_NEVER));
    for (uint32_t i = 0; i < p->words && !got; i++) {
      uint32_t word = (first + i) % p->words;
      EYOTI_TRY(
          take_in_word(rt, p, l, word, i == 0 && round == 0 ? clear : slots_of(p, word), &got));
    }
    if (got) return EYOT_OK;
  }
  return EYOTI_PSCW_FAIL(
      rt, EYOT_EBUSY,
      "all %u slots in the list of unit %u are leased by other units%s; make the "
      "object with more than %u neighbors",
      p->n_slots, l->unit, p->attr.changing ? ", and none became free while this unit waited" : "",
      p->attr.neighbors);
}

/* Makes a lease with a guess of a slot, from a hash, so that units that post at the same time
 * seldom meet. */
static void lease_new(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t unit, uint32_t *index) {
  EYOTI_ASSERT(p->n_free > 0);
  *index = p->free_lease[--p->n_free];
  struct eyoti_pscw_lease *l = &p->lease[*index];
  EYOTI_ASSERT(l->state == EYOTI_PSCW_FREE && l->open == 0 && !l->asked);
  l->state = EYOTI_PSCW_NEW;
  l->unit = unit;
  l->slot = (uint32_t)(eyoti_hash_mix(unit, rt->fab->me) % p->n_slots);
  l->origin = (struct eyoti_pscw_origin){rt->fab->me, *index};
  eyoti_pscw_map_set(&p->leased, unit, *index);
}

static void lease_free(struct eyoti_pscw *p, uint32_t index) {
  struct eyoti_pscw_lease *l = &p->lease[index];
  eyoti_pscw_map_drop(&p->leased, l->unit);
  l->state = EYOTI_PSCW_FREE;
  p->free_lease[p->n_free++] = index;
}

int eyoti_pscw_lease_end(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease) {
  const struct eyoti_pscw_lease *l = &p->lease[lease];
  struct fab_addr at;
  EYOTI_ASSERT(l->state != EYOTI_PSCW_FREE && l->open == 0);
  int rc = lease_word_at(rt, p, l->unit, l->slot, &at);
  const struct fab_amo clear = {
      .op = FAB_AMO_AND, .width = 8, .operand = ~((uint64_t)1 << l->slot % BITS)};
  if (rc == EYOT_OK) rc = fab_amo(rt->fab, at, &clear, NULL, NULL);
  lease_free(p, lease);
  return rc;
}

static uint32_t missing(const struct eyoti_pscw *p, const struct eyoti_ranges *group) {
  uint32_t n = 0, index;
  for (uint32_t i = 0; i < group->size; i++)
    if (!eyoti_pscw_map_find(&p->leased, eyoti_ranges_at(group, i), &index)) n++;
  return n;
}

/* Waits for the guesses, and finds other slots for those that failed. Every guess is waited for,
 * for its result is stored in the lease. */
static int finish_all(struct eyot_rt *rt, struct eyoti_pscw *p, struct eyoti_pscw_epoch *e,
                      int rc) {
  for (uint32_t i = 0; i < e->n; i++) {
    struct eyoti_pscw_lease *l = &p->lease[e->entry[i].lease];
    if (l->state != EYOTI_PSCW_NEW) continue;
    bool got = false;
    int one = l->asked ? take_finish(rt, l, &got) : EYOT_OK;
    if (rc == EYOT_OK) rc = one;
    if (rc == EYOT_OK && !got) rc = take_elsewhere(rt, p, l);
    if (rc != EYOT_OK && !got) lease_free(p, e->entry[i].lease); /* it has no slot */
  }
  if (rc == EYOT_OK) return rc;
  for (uint32_t i = 0; i < e->n; i++)
    if (p->lease[e->entry[i].lease].state == EYOTI_PSCW_NEW)
      (void)eyoti_pscw_lease_end(rt, p, e->entry[i].lease);
  return rc;
}

int eyoti_pscw_lease_all(struct eyot_rt *rt, struct eyoti_pscw *p, const struct eyoti_ranges *group,
                         struct eyoti_pscw_epoch *e) {
  EYOTI_ASSERT(e->capacity >= group->size);
  uint32_t n = missing(p, group);
  if (n > p->n_free)
    return EYOTI_PSCW_FAIL(
        rt, EYOT_EBUSY,
        "the group has %u new neighbors, besides the %u that this unit has posted to; make the "
        "object with "
        "more than %u neighbors%s",
        n, p->leased.n, p->attr.neighbors,
        p->attr.changing ? ", or wait for open epochs first" : ", or changing ones");
  int rc = EYOT_OK;
  for (e->n = 0; e->n < group->size; e->n++) {
    uint32_t unit = eyoti_ranges_at(group, e->n), index;
    if (!eyoti_pscw_map_find(&p->leased, unit, &index)) {
      lease_new(rt, p, unit, &index);
      if (rc == EYOT_OK) rc = take_begin(rt, p, &p->lease[index]);
    }
    e->entry[e->n].lease = index;
  }
  return finish_all(rt, p, e, rc);
}

int eyoti_pscw_lease_post(struct eyot_rt *rt, struct eyoti_pscw *p, uint32_t lease) {
  struct eyoti_pscw_lease *l = &p->lease[lease];
  bool first = l->state == EYOTI_PSCW_NEW;
  struct fab_addr origin;
  EYOTI_ASSERT(l->state != EYOTI_PSCW_FREE);
  EYOTI_TRY(eyoti_pscw_at(rt, p, l->unit, eyoti_pscw_origin_off(p, l->slot), &origin));
  struct fab_sig sig = {.at = origin, .op = FAB_SIG_ADD, .value = 1};
  sig.at.off -= 8;
  if (!p->attr.changing) {
    sig.op = FAB_SIG_SET;
    sig.value = l->posted + 1;
  }
  /* With no epoch open, the last post has been seen, and nothing is in flight to overtake. */
  if (l->state == EYOTI_PSCW_FIRST || (l->open > 0 && sig.op == FAB_SIG_SET)) {
    EYOTI_TRY(fab_order(rt->fab, l->unit));
    l->state = EYOTI_PSCW_KNOWN;
  }
  EYOTI_TRY(fab_put_signal(rt->fab, origin, first ? &l->origin : NULL, first ? sizeof l->origin : 0,
                           &sig, NULL));
  if (first) l->state = EYOTI_PSCW_FIRST;
  l->posted++;
  l->open++;
  return EYOT_OK;
}
