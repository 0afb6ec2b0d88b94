/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - implements common.h.
 *
 * Each member proposes the lowest free range at or above the hint, and the largest of them is what
 * all try to take. A second combination says whether all could: if not, each gives back what it has
 * taken, and the hint rises. Members need no common state but the hint, so that a unit may be in
 * any number of agreements at a time: a range is its own from the time it is taken. What the unit
 * has proposed in an agreement that takes later (teams/agree.h) it does not take.
 *
 * Two agreements at a time may hold one range, each on some members, again and again. So hints rise
 * by a distance that differs between agreements, and more from round to round. */
#include "gmem/common.h"

#include <inttypes.h>

#include "base/hash.h"
#include "gmem/state.h"

#define ERROR_BIT (UINT64_C(1) << 63)
#define ROUNDS_MAX 24u
#define LEAP_AT 6u  /* a round that proposes in the largest free range */
#define FAR_MAX 10u /* hints rise by less than 2^FAR_MAX ranges */

static uint64_t error_word(int error) {
  return ERROR_BIT | (uint64_t)(-error);
}

static bool find_from(const struct eyoti_extents *e, const struct eyoti_common *c, uint64_t hint,
                      uint64_t *off) {
  if (!eyoti_extents_lowest(e, c->len, EYOTI_GMEM_ALIGN, hint, off)) return false;
  if (!eyoti_extents_is_promised(e, *off, c->len)) return true;
  return eyoti_extents_lowest(e, c->len, EYOTI_GMEM_ALIGN, e->promised + e->promised_len, off);
}

/* Where the hint has passed all that is free, the search begins again. */
static bool find(const struct eyoti_extents *e, const struct eyoti_common *c, uint64_t *off) {
  uint64_t hint = c->hint, start;
  if (c->round == LEAP_AT && eyoti_extents_largest_free(e, &start) >= c->len && start > hint)
    hint = start;
  return find_from(e, c, hint, off) || find_from(e, c, 0, off);
}

/* How far the hint rises after a round in which not all could take the range. */
static uint64_t rise(const struct eyoti_common *c) {
  uint32_t far = c->round < FAR_MAX ? c->round : FAR_MAX;
  uint64_t ranges = eyoti_hash_mix(c->salt, c->round) & ((UINT64_C(1) << far) - 1);
  return EYOTI_GMEM_ALIGN + ranges * c->len;
}

static void propose(struct eyot_rt *rt, struct eyoti_common *c, uint64_t *word) {
  c->asks = false;
  if (!find(&rt->gmem->space, c, word)) *word = error_word(EYOT_ENOMEM);
}

void eyoti_common_begin(struct eyot_rt *rt, struct eyoti_common *c, uint64_t bytes, uint64_t salt,
                        int error, uint64_t *word) {
  *c = (struct eyoti_common){
      .len = eyoti_gmem_round_up(bytes, EYOTI_GMEM_ALIGN), .salt = salt, .own = error != EYOT_OK};
  if (error == EYOT_OK)
    propose(rt, c, word);
  else
    *word = error_word(error);
}

/* Tries to take what all have proposed; the word says whether it could. */
static void hold(struct eyot_rt *rt, struct eyoti_common *c, uint64_t *word) {
  struct eyoti_gmem *m = rt->gmem;
  uint64_t off = *word;
  c->asks = true;
  c->hint = off;
  *word = 1;
  if (eyoti_extents_is_promised(&m->space, off, c->len) ||
      !eyoti_extents_is_free(&m->space, off, c->len))
    return;
  int rc = eyoti_gmem_secure(rt, m, off, c->len);
  if (rc == EYOT_OK) rc = eyoti_gmem_take(m, off, c->len, EYOTI_GMEM_ZEROED);
  c->own = rc != EYOT_OK;
  *word = c->own ? error_word(rc) : 0;
  if (c->own) return;
  c->off = off;
  eyoti_observe_memory(rt, m->seg, off, c->len, true);
  eyoti_made_add(
      rt, &(struct eyoti_made){
              .kind = EYOTI_MADE_OWN, .id = off, .seg = m->seg, .off = off, .len_bytes = c->len});
}

void eyoti_common_free(struct eyot_rt *rt, uint64_t off) {
  uint64_t len;
  bool known = eyoti_gmem_give(rt, off, &len);
  EYOTI_ASSERT(known);
  eyoti_observe_memory(rt, rt->gmem->seg, off, len, false);
}

static int failed(struct eyot_rt *rt, const struct eyoti_team *t, const struct eyoti_common *c,
                  int rc) {
  if (rc == EYOT_ENOMEM && !c->own) eyoti_gmem_log_full(rt, t, c->len);
  return rc;
}

int eyoti_common_next(struct eyot_rt *rt, const struct eyoti_team *t, struct eyoti_common *c,
                      uint64_t *word) {
  uint64_t all = *word;
  bool error = (all & ERROR_BIT) != 0;
  if (!error && !c->asks) {
    hold(rt, c, word);
    return EYOT_ETIMEOUT;
  }
  if (all == 0) return EYOT_OK;
  if (c->off != 0) eyoti_common_free(rt, c->off);
  c->off = 0;
  if (error) return failed(rt, t, c, -(int)(all & ~ERROR_BIT));
  c->hint += rise(c);
  if (++c->round == ROUNDS_MAX) return failed(rt, t, c, EYOT_ENOMEM);
  propose(rt, c, word);
  return EYOT_ETIMEOUT;
}
