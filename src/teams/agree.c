/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c - agreement on a free id and offset by rounds of an exchange (agree.h). */

/* In each round every member proposes the lowest id and offset that are free on it, at or above the
 * hints, and learns the largest and the smallest proposal. If they are equal it is agreed, else the
 * largest become the hints. Hints only rise, so proposals that some member cannot accept never come
 * back. Word 0 is hash (32 bits), index (16), generation (16); word 2 the offset; words 1 and 3 are
 * complements of them for the minimum: a member that takes no part has zero in all of them (except
 * the hash), which does not affect a maximum. */
#include "teams/agree.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/check.h"

/* Lowest-fit rounds before a leap: to the first id that was never used, and to the largest free
 * range. The round after a leap agrees on it. */
#define LOWEST_ROUNDS 6u
#define ROUNDS_MAX 16u

/* Values above all offsets. An error outweighs "no space above the hint", which outweighs every
 * offset. */
#define NO_COMMON (EYOTI_AGREE_OFFSET_MAX + 1)
#define ERROR_BASE ((uint64_t)1 << 62)

_Static_assert(ERROR_BASE > NO_COMMON, "an error outweighs a missing offset");

struct proposal {
  uint32_t index;
  uint16_t gen;
  uint64_t off; /* or NO_COMMON, or ERROR_BASE - code */
};

static uint64_t error_word(int code) {
  return ERROR_BASE + (uint64_t)(-code);
}

static uint64_t propose_offset(const struct eyoti_agree *w, uint64_t hint, bool leap) {
  uint64_t off, start;
  if (leap && eyoti_extents_largest_free(w->space, &start) >= w->len && start > hint) hint = start;
  if (eyoti_extents_lowest(w->space, w->len, w->align, hint, &off)) return off;
  return eyoti_extents_lowest(w->space, w->len, w->align, 0, &off) ? NO_COMMON
                                                                   : error_word(EYOT_ENOMEM);
}

static struct proposal propose(const struct eyoti_agree *w, const struct proposal *hint,
                               bool leap) {
  struct proposal p = {.off = 0};
  if (w->ids != NULL) {
    uint32_t from = hint->index;
    if (leap && eyoti_idtab_top(w->ids) > from) from = eyoti_idtab_top(w->ids);
    uint32_t index = eyoti_idtab_lowest(w->ids, from);
    if (index == EYOTI_IDTAB_NONE) {
      p.off = error_word(EYOTI_FAIL(EYOT_EBUSY, "no id is left at or above %u", from));
      return p;
    }
    if (eyoti_idtab_reserve(w->ids, index) != EYOT_OK) {
      p.off = error_word(EYOT_ENOMEM);
      return p;
    }
    p.index = index;
    p.gen = eyoti_idtab_next_gen(w->ids, index);
    if (index == hint->index && hint->gen > p.gen) p.gen = hint->gen;
  }
  p.off = hint->off == NO_COMMON ? NO_COMMON : propose_offset(w, hint->off, leap);
  int rc = w->secure != NULL && p.off < NO_COMMON ? w->secure(w->context, p.off, w->len) : EYOT_OK;
  if (rc != EYOT_OK) p.off = error_word(rc);
  return p;
}

static int agree_mismatch(const struct fab *f, const struct eyoti_agree *w) {
  char own[64] = "";
  if (w->size_name != NULL)
    snprintf(own, sizeof own, "; this one passed %" PRIu64 " %s", w->size, w->size_name);
  eyoti_log(EYOTI_LOG_ERROR, f->note.what, EYOT_EMISMATCH,
            "the members of the team called it with different arguments, expected the same%s", own);
  return EYOT_EMISMATCH;
}

/* One exchange. *lowest and *highest are the extreme proposals; all members agree when they are
 * equal. */
static int agree_compare(struct fab *f, struct eyoti_ctl *ctl, const struct eyoti_agree *w,
                         const struct proposal *mine, struct proposal *lowest,
                         struct proposal *highest) {
  static const enum eyoti_ctl_op OPS[EYOTI_CTL_WORDS] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX,
                                                         EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  uint32_t hash = (uint32_t)(w->arguments ^ w->arguments >> 32);
  uint64_t words[EYOTI_CTL_WORDS] = {(uint64_t)hash << 32, (uint64_t)~hash << 32, 0, 0};
  bool has_error = mine->off >= ERROR_BASE;
  if (w->takes_part && !has_error) {
    uint32_t id = mine->index << 16 | mine->gen;
    words[0] |= id;
    words[1] |= (uint32_t)~id;
    words[3] = ~mine->off;
  }
  if (w->takes_part || has_error) words[2] = mine->off;
  EYOTI_TRY(eyoti_ctl_exchange(f, ctl, OPS, words, EYOTI_CTL_WORDS));
  if ((uint32_t)(words[0] >> 32) != (uint32_t) ~(words[1] >> 32)) {
    return agree_mismatch(f, w);
  }
  *highest = (struct proposal){(uint32_t)words[0] >> 16, (uint16_t)words[0], words[2]};
  *lowest = (struct proposal){(uint32_t)~words[1] >> 16, (uint16_t)~words[1], ~words[3]};
  return EYOT_OK;
}

int eyoti_agree(struct fab *f, struct eyoti_ctl *ctl, const struct eyoti_agree *want,
                struct eyoti_agreed *out) {
  EYOTI_ASSERT(want->space->end <= EYOTI_AGREE_OFFSET_MAX);
  int error = want->error;
  if (error == 0 && want->takes_part) error = eyoti_extents_reserve(want->space);
  struct proposal hint = {0}, low, high;
  for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
    struct proposal mine = {.off = error != 0 ? error_word(error) : 0};
    if (error == 0 && want->takes_part) mine = propose(want, &hint, round == LOWEST_ROUNDS);
    EYOTI_TRY(agree_compare(f, ctl, want, &mine, &low, &high));
    if (high.off >= ERROR_BASE) return -(int)(high.off - ERROR_BASE);
    bool nobody = high.index == 0 && high.off == 0 && low.off == UINT64_MAX;
    if (nobody || (high.index == low.index && high.gen == low.gen && high.off == low.off)) {
      *out = (struct eyoti_agreed){.index = high.index,
                                   .gen = high.gen,
                                   .same_offset = high.off != NO_COMMON,
                                   .off = high.off};
      return EYOT_OK;
    }
    /* No common range after that many rounds: only the id is still wanted. */
    if (round >= LOWEST_ROUNDS + 4 && high.off != low.off) high.off = NO_COMMON;
    hint = high;
  }
  return EYOTI_FAIL(EYOT_EBUSY, "the members did not agree on an id in %u rounds", ROUNDS_MAX);
}

int eyoti_agree_done(struct fab *f, struct eyoti_ctl *ctl, int error) {
  const enum eyoti_ctl_op max = EYOTI_CTL_MAX;
  uint64_t worst = (uint64_t)(-error);
  EYOTI_TRY(eyoti_ctl_exchange(f, ctl, &max, &worst, 1));
  return -(int)worst;
}
