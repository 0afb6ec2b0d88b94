/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c - agreement on a free id and offset by rounds of an exchange (agree.h). */

/* In each round every member proposes an id and an offset that are free on it, and learns the
 * largest and the smallest proposal. If they are equal it is agreed, else the largest become the
 * hints. The first proposal is the id at the member's cursor (base/idtab.h) and the lowest offset,
 * the others are the lowest at or above the hints. Hints only rise, so proposals that some member
 * cannot accept never come back; a member without a free id above the hint starts a second lap, the
 * ids of which count as larger.
 *
 * Word 0 is part of the hash (7 bits), lap (1), index (16), generation (40). Word 2 is a mark for
 * errors and for "no common offset" (2 bits), the rest of the hash (18) and the offset (44, in
 * units of 16 bytes) or the error. Words 1 and 3 are complements of them for the minimum. A member
 * that takes no part has zero in all of them (except the hash), which does not affect a maximum. */
#include "teams/agree.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/check.h"
#include "rt/slack.h"

/* Lowest-fit rounds before a leap: to the first id that was never used, and to the largest free
 * range. The round after a leap agrees on it. */
#define LOWEST_ROUNDS 6u
#define ROUNDS_MAX 16u

/* Values above all offsets, in words that are sent: an error outweighs "no space above the hint",
 * which outweighs every offset. */
#define ERROR_BIT ((uint64_t)1 << 63)
#define NO_COMMON_BIT ((uint64_t)1 << 62)
#define NO_COMMON UINT64_MAX /* as an offset */

#define OFF_SHIFT 4u
#define OFF_BITS 44u
#define HASH_LOW_BITS 18u
#define HASH_HIGH_SHIFT 57u
#define LAP_BIT ((uint64_t)1 << (EYOTI_IDTAB_GEN_BITS + EYOTI_AGREE_INDEX_BITS))
_Static_assert(1u << OFF_SHIFT == EYOTI_AGREE_ALIGN_MIN &&
                   EYOTI_AGREE_OFFSET_MAX >> OFF_SHIFT == (uint64_t)1 << OFF_BITS &&
                   OFF_BITS + HASH_LOW_BITS == 62 && LAP_BIT << 1 == (uint64_t)1 << HASH_HIGH_SHIFT,
               "the fields of words 0 and 2 do not overlap");

/* id: lap, index and generation as in word 0. */
struct proposal {
  uint64_t id;
  uint64_t off; /* or NO_COMMON */
  int error;    /* 0, or an error code: then the rest is not meant */
};

static uint64_t make_id(uint64_t lap, uint32_t index, uint64_t gen) {
  return lap | (uint64_t)index << EYOTI_IDTAB_GEN_BITS | gen;
}
static uint32_t index_in(uint64_t id) {
  return (uint32_t)(id >> EYOTI_IDTAB_GEN_BITS) & ((1u << EYOTI_AGREE_INDEX_BITS) - 1);
}

static int propose_offset(const struct eyoti_agree *w, uint64_t hint, bool leap, uint64_t *off) {
  uint64_t start, any;
  *off = NO_COMMON;
  if (hint == NO_COMMON) return EYOT_OK;
  if (leap && eyoti_extents_largest_free(w->space, &start) >= w->len && start > hint) hint = start;
  bool common = w->align <= EYOTI_AGREE_ALIGN_COMMON;
  if (common && eyoti_extents_lowest(w->space, w->len, w->align, hint, off)) return EYOT_OK;
  *off = NO_COMMON;
  return eyoti_extents_lowest(w->space, w->len, w->align, 0, &any) ? EYOT_OK : EYOT_ENOMEM;
}

static int ids_used_up(const struct eyoti_agree *w) {
  return EYOTI_FAIL(EYOT_EBUSY,
                    "all %u ids are in use on this unit, or have had their 2^%u generations; free "
                    "what is no longer needed",
                    w->ids->limit - w->ids->first, EYOTI_IDTAB_GEN_BITS);
}

/* `first`: there is no hint yet. */
static int propose_id(const struct eyoti_agree *w, uint64_t hint, bool first, bool leap,
                      uint64_t *id) {
  uint32_t from = index_in(hint), top = eyoti_idtab_top(w->ids);
  uint64_t lap = hint & LAP_BIT;
  uint32_t index = first ? eyoti_idtab_next(w->ids)
                         : eyoti_idtab_lowest(w->ids, leap && top > from ? top : from);
  if (index == EYOTI_IDTAB_NONE && lap == 0) {
    lap = LAP_BIT;
    index = eyoti_idtab_lowest(w->ids, 0);
  }
  if (index == EYOTI_IDTAB_NONE) return ids_used_up(w);
  EYOTI_TRY(eyoti_idtab_reserve(w->ids, index));
  *id = make_id(lap, index, eyoti_idtab_next_gen(w->ids, index));
  if (!first && hint > *id && index == from && (hint & LAP_BIT) == lap) *id = hint;
  return EYOT_OK;
}

/* `error`: of this member before. */
static struct proposal propose(const struct eyoti_agree *w, const struct proposal *hint,
                               uint32_t round, int error) {
  struct proposal p = {.error = error};
  if (error != EYOT_OK || !w->takes_part) return p;
  bool leap = round == LOWEST_ROUNDS;
  if (w->ids != NULL) p.error = propose_id(w, hint->id, round == 0, leap, &p.id);
  if (p.error == EYOT_OK) p.error = propose_offset(w, hint->off, leap, &p.off);
  if (p.error == EYOT_OK && w->secure != NULL && p.off != NO_COMMON)
    p.error = w->secure(w->context, p.off, w->len);
  return p;
}

/* Not inlined: its text would lie on the stack of every unit that agrees. */
static __attribute__((cold, noinline)) void log_mismatch(const struct fab *f,
                                                         const struct eyoti_ctl *ctl,
                                                         const struct eyoti_agree *w) {
  char own[64] = "", other[EYOTI_CTL_OTHER_BYTES];
  eyoti_ctl_other(ctl, NULL, other);
  if (other[0] != '\0') {
    eyoti_log(EYOTI_LOG_ERROR, f->note.what, EYOT_EMISMATCH,
              "%s in its place; all members call the same collective functions in the same order",
              other);
    return;
  }
  if (w->size_name != NULL)
    snprintf(own, sizeof own, "; this one passed %" PRIu64 " %s", w->size, w->size_name);
  eyoti_log(EYOTI_LOG_ERROR, f->note.what, EYOT_EMISMATCH,
            "the members of the team called it with different arguments, expected the same%s", own);
}

static uint64_t offset_word(uint64_t off) {
  return off == NO_COMMON ? NO_COMMON_BIT : off >> OFF_SHIFT;
}
static uint64_t word_offset(uint64_t word) {
  return (word & NO_COMMON_BIT) != 0 ? NO_COMMON
                                     : (word & (((uint64_t)1 << OFF_BITS) - 1)) << OFF_SHIFT;
}

#define ID_MASK (((uint64_t)1 << HASH_HIGH_SHIFT) - 1)
#define OFF_MASK (((uint64_t)1 << OFF_BITS) - 1 + NO_COMMON_BIT)

/* The words of this member's proposal, whose range is promised. */
static EYOTI_APART void agree_words(const struct eyoti_agree *w, const struct proposal *hint,
                                    uint32_t round, int error, uint64_t words[EYOTI_CTL_WORDS]) {
  struct proposal mine = propose(w, hint, round, error);
  uint64_t hash = w->arguments ^ w->arguments >> 32;
  uint64_t high = (hash & 0x7f) << HASH_HIGH_SHIFT;
  uint64_t low = (hash >> 7 & ((1u << HASH_LOW_BITS) - 1)) << OFF_BITS;
  words[0] = high;
  words[1] = ~(high | ID_MASK);
  words[2] = low;
  words[3] = ~(low | OFF_MASK | ERROR_BIT);
  if (mine.error != EYOT_OK) {
    words[2] = ERROR_BIT | low | (uint64_t)(-mine.error);
  } else if (w->takes_part) {
    uint64_t off = offset_word(mine.off);
    w->space->promised = mine.off;
    w->space->promised_len = mine.off != NO_COMMON ? w->len : 0;
    words[0] |= mine.id;
    words[1] |= ~mine.id & ID_MASK;
    words[2] |= off;
    words[3] |= ~off & OFF_MASK;
  }
}

/* What an exchange has made of the words. *lowest and *highest are the extreme proposals; all
 * members agree when they are equal. highest->error: an error of some member. */
static EYOTI_APART int agree_extremes(const struct fab *f, const struct eyoti_ctl *ctl,
                                      const struct eyoti_agree *w,
                                      const uint64_t words[EYOTI_CTL_WORDS],
                                      struct proposal *lowest, struct proposal *highest) {
  uint64_t low_mask = ~(OFF_MASK | ERROR_BIT);
  bool has_error = (words[2] & ERROR_BIT) != 0;
  if (((words[0] ^ ~words[1]) & ~ID_MASK) != 0 || ((words[2] ^ ~words[3]) & low_mask) != 0) {
    log_mismatch(f, ctl, w);
    return EYOT_EMISMATCH;
  }
  *highest =
      (struct proposal){.id = words[0] & ID_MASK,
                        .off = word_offset(words[2]),
                        .error = has_error ? -(int)(words[2] & ~low_mask & ~ERROR_BIT) : EYOT_OK};
  *lowest = (struct proposal){.id = ~words[1] & ID_MASK, .off = word_offset(~words[3])};
  return EYOT_OK;
}

/* -- several threads of a unit ----------------------------------------------------------------- */
/* While a member waits in an exchange, other threads of its unit may agree with other teams on the
 * same id or range, in another order than on other units; so no thread may keep the others out
 * while it waits. Instead each member holds what was agreed on, and a further exchange tells
 * whether all of them could. If not, all let go and agree again, from a hint beyond that differs
 * between teams, so that two teams do not meet again and again. What is free changes with every
 * exchange, too, so that there is no common range may be so for the moment only. */

#define CONFLICTS_MAX 1000u
#define NO_COMMON_MAX 8u /* times in a row after which there is none */

static bool is_under_way(const struct eyoti_agree *w, uint32_t index) {
  for (const struct eyoti_agree *o = *w->under_way; o != NULL; o = o->next)
    if (o->ids == w->ids && o->index == index) return true;
  return false;
}

static bool hold(struct eyoti_agree *w, const struct eyoti_agreed *a) {
  uint64_t off = 0;
  if (w->ids != NULL && (eyoti_idtab_at(w->ids, a->index) != NULL || is_under_way(w, a->index) ||
                         eyoti_idtab_next_gen(w->ids, a->index) > a->gen))
    return false;
  if (a->same_offset) {
    if (!eyoti_extents_lowest(w->space, w->len, w->align, a->off, &off) || off != a->off ||
        eyoti_extents_take(w->space, off, w->len) != EYOT_OK)
      return false;
    /* what was free may have been returned to the system */
    if (w->secure != NULL && w->secure(w->context, off, w->len) != EYOT_OK) {
      (void)eyoti_extents_release(w->space, off, NULL);
      return false;
    }
  }
  w->index = w->ids != NULL ? a->index : 0;
  w->next = *w->under_way;
  *w->under_way = w;
  return true;
}

void eyoti_agree_end(struct eyoti_agree *want) {
  if (want->under_way == NULL) return;
  struct eyoti_agree **at = want->under_way;
  while (*at != NULL && *at != want) at = &(*at)->next;
  if (*at != NULL) *at = want->next;
}

/* ETIMEOUT: some member could not hold it. */
static int confirm(struct fab *f, struct eyoti_ctl *ctl, struct eyoti_agree *want,
                   const struct eyoti_agreed *a) {
  bool held = want->takes_part && hold(want, a);
  int rc = eyoti_agree_done(f, ctl, held || !want->takes_part ? EYOT_OK : EYOT_ETIMEOUT);
  /* the caller takes the range before it waits again */
  if (held && a->same_offset) (void)eyoti_extents_release(want->space, a->off, NULL);
  if (rc != EYOT_OK) eyoti_agree_end(want);
  return rc;
}

/* The hint after a conflict about `a`. */
static struct proposal beyond(const struct eyoti_ctl *ctl, const struct eyoti_agree *want,
                              struct proposal a) {
  uint64_t far = 1 + ctl->off / EYOTI_AGREE_ALIGN_MIN % 13;
  uint64_t step = want->align > EYOTI_AGREE_ALIGN_MIN ? want->align : EYOTI_AGREE_ALIGN_MIN;
  uint32_t index = index_in(a.id);
  if (want->ids != NULL && index + far < want->ids->limit)
    a.id = make_id(a.id & LAP_BIT, index + (uint32_t)far, 0);
  if (a.off != NO_COMMON && a.off + far * step < want->space->end) a.off += far * step;
  return a;
}

static int agree(struct fab *f, struct eyoti_ctl *ctl, const struct eyoti_agree *want, bool first,
                 struct proposal *hint, struct eyoti_agreed *out);
static EYOTI_APART int agree_held(struct fab *f, struct eyoti_ctl *ctl, struct eyoti_agree *want,
                                  struct proposal *hint, struct eyoti_agreed *out);

int eyoti_agree(struct fab *f, struct eyoti_ctl *ctl, struct eyoti_agree *want,
                struct eyoti_agreed *out) {
  struct proposal hint = {0};
  EYOTI_TRY(agree(f, ctl, want, true, &hint, out));
  return __builtin_expect(want->under_way == NULL, 1) ? EYOT_OK
                                                      : agree_held(f, ctl, want, &hint, out);
}

/* The same, until all members hold what they have agreed on. */
static int agree_held(struct fab *f, struct eyoti_ctl *ctl, struct eyoti_agree *want,
                      struct proposal *hint, struct eyoti_agreed *out) {
  for (uint32_t n = 0, without = 0; n < CONFLICTS_MAX; n++) {
    without = out->same_offset ? 0 : without + 1;
    if (without == 0 || without > NO_COMMON_MAX) {
      int rc = confirm(f, ctl, want, out);
      if (rc != EYOT_ETIMEOUT) return rc;
    }
    *hint = without == 0 ? beyond(ctl, want, *hint) : (struct proposal){0};
    EYOTI_TRY(agree(f, ctl, want, false, hint, out));
  }
  return EYOTI_FAIL(EYOT_EBUSY, "%u ids were agreed on and taken by other threads meanwhile",
                    CONFLICTS_MAX);
}

/* Proposes from *hint on, or, if `first`, without one. On success *hint is what was agreed on. */
static int agree(struct fab *f, struct eyoti_ctl *ctl, const struct eyoti_agree *want, bool first,
                 struct proposal *hint, struct eyoti_agreed *out) {
  EYOTI_ASSERT(want->space->end <= EYOTI_AGREE_OFFSET_MAX && want->align >= EYOTI_AGREE_ALIGN_MIN);
  int error = want->error;
  if (error == 0 && want->takes_part) error = eyoti_extents_reserve(want->space);
  static const enum eyoti_ctl_op OPS[EYOTI_CTL_WORDS] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX,
                                                         EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  for (uint32_t round = first ? 0 : 1; round < ROUNDS_MAX; round++) {
    uint64_t words[EYOTI_CTL_WORDS];
    agree_words(want, hint, round, error, words);
    int rc = eyoti_ctl_exchange(f, ctl, OPS, words, EYOTI_CTL_WORDS);
    want->space->promised_len = 0;
    struct proposal low, high;
    if (rc == EYOT_OK) rc = agree_extremes(f, ctl, want, words, &low, &high);
    if (rc != EYOT_OK) return rc;
    if (high.error != EYOT_OK) return high.error;
    if (high.id <= low.id && (high.off == low.off || high.id < low.id)) {
      *out = (struct eyoti_agreed){.index = index_in(high.id),
                                   .gen = high.id & EYOTI_IDTAB_GEN_MAX,
                                   .same_offset = high.off != NO_COMMON,
                                   .off = high.off};
      *hint = high;
      return EYOT_OK;
    }
    /* No common range after that many rounds: only the id is still wanted. */
    if (round >= LOWEST_ROUNDS + 4 && high.off != low.off) high.off = NO_COMMON;
    *hint = high;
  }
  return EYOTI_FAIL(EYOT_EBUSY, "the members did not agree on an id in %u rounds", ROUNDS_MAX);
}

int eyoti_agree_done(struct fab *f, struct eyoti_ctl *ctl, int error) {
  const enum eyoti_ctl_op max = EYOTI_CTL_MAX;
  uint64_t worst = (uint64_t)(-error);
  EYOTI_TRY(eyoti_ctl_exchange(f, ctl, &max, &worst, 1));
  return -(int)worst;
}

/* Where all succeed, the team's words are void at once: a message that is still on its way then has
 * the zero that it was posted with. */
int eyoti_agree_end_team(struct fab *f, struct eyoti_ctl *ctl, int error) {
  const enum eyoti_ctl_op any = EYOTI_CTL_OR;
  _Static_assert(EYOT_ELAST > -64, "each error has a bit");
  uint64_t errors = error == EYOT_OK ? 0 : UINT64_C(1) << -error;
  EYOTI_TRY(eyoti_ctl_exchange(f, ctl, &any, &errors, 1));
  return errors == 0 ? EYOT_OK : -(63 - __builtin_clzll(errors));
}
