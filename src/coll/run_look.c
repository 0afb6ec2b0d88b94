/* SPDX-License-Identifier: BSD-3-Clause */
/* run_look.c - what a member does in a wait of an operation that takes long (run.h): it tells other
 * members which call it is in, and looks whether they are in another one. */
#include "coll/run_parts.h"

#define ANNOUNCE_ALL 64u /* members */

static bool is_foreign(const struct eyoti_coll_op *r, uint64_t value) {
  return value >> 32 == r->number && (uint32_t)value > EYOTI_HASH_LEAST &&
         (uint32_t)value != r->hash;
}

/* Whether another member is in another call instead of this operation. In an opening only members
 * outside of it say so, by heads of plans and announcements: those in it will learn at its end that
 * calls differ. */
static bool has_foreign(const struct eyoti_coll_op *r) {
  struct eyoti_channel *ch = r->ch;
  uint32_t openings = eyoti_run_opens(r) ? 0 : 2 * ch->levels;
  uint64_t opening = eyoti_channel_opening_off(ch, false), told = eyoti_channel_announce_off(ch);
  for (uint32_t i = 0; i < openings; i++)
    if (is_foreign(r, eyoti_load_own(eyoti_run_word(r, 0, opening + i * 8)))) return true;
  for (uint32_t i = 0; i < EYOTI_ANNOUNCES; i++)
    if (is_foreign(r, eyoti_load_own(eyoti_run_word(r, 0, told + i * 8)))) return true;
  for (uint32_t class = 0; class < EYOTI_CLASSES; class ++) {
    if (!eyoti_channel_has(ch, class)) continue;
    struct eyoti_epoch epoch = eyoti_channel_epoch(ch, class, r->number);
    for (uint64_t i = 0; i < eyoti_channel_words_bytes(ch, class) / 8; i++)
      if (is_foreign(r, eyoti_load_own(eyoti_run_word(r, class, eyoti_epoch_word(&epoch, i)))))
        return true;
  }
  return false;
}

/* Members that still wait in an earlier operation, which the caller has ended by another call, wait
 * for nobody: tells them. Their words are openings' and announcements. One that still is in an
 * opening which the caller has passed waits for a late member, and must pass it too. */
static int poison_earlier(struct eyoti_coll_op *r) {
  struct eyoti_channel *ch = r->ch;
  uint64_t first = eyoti_channel_opening_off(ch, false);
  for (uint32_t i = 0; i < 2 * ch->levels + EYOTI_ANNOUNCES; i++) {
    uint64_t value = eyoti_load_own(eyoti_run_word(r, 0, first + i * 8));
    uint32_t number = (uint32_t)(value >> 32), hash = (uint32_t)value;
    if (number >= r->number || r->number - number >= ch->epochs || hash <= EYOTI_HASH_LEAST)
      continue;
    if (number <= ch->together) continue;
    if (hash == ch->hash[number % ch->epochs]) continue;
    EYOTI_TRY(eyoti_channel_poison(ch, number, number, true));
  }
  return EYOT_OK;
}

/* Tells other members which call the caller is in: members that wait for each other in different
 * calls may all have sent nothing. All of a small team; of a large one those at powers of two. The
 * word depends on the hash, other bits of it each time, so that members in another call do not
 * always write over it. */
static int announce(struct eyoti_coll_op *r, uint32_t times) {
  const struct eyoti_team *t = r->ch->t;
  uint32_t word = r->hash >> (3 * (times % 10)) & (EYOTI_ANNOUNCES - 1);
  if (eyoti_run_opens(r)) return EYOT_OK; /* its messages say so */
  r->announced = true;
  for (uint64_t far = 1; far < t->size; far = t->size <= ANNOUNCE_ALL ? far + 1 : 2 * far)
    EYOTI_TRY(eyoti_channel_set(r->ch, eyoti_team_unit(t, (uint32_t)((t->me + far) % t->size)),
                                eyoti_channel_announce_off(r->ch) + word * 8u,
                                eyoti_run_head(r->number, r->hash)));
  return EYOT_OK;
}

/* In a wait that takes long. In an exchange all are in this operation. */
int eyoti_run_look_around(struct eyoti_coll_op *r) {
  if (r->foreign || (!r->exchanges && has_foreign(r))) return EYOT_EMISMATCH;
  EYOTI_TRY(announce(r, r->tries));
  return poison_earlier(r);
}

int eyoti_run_look(struct eyoti_coll_op *r) {
  int rc = eyoti_run_look_around(r);
  r->tries++;
  r->foreign = rc == EYOT_EMISMATCH;
  return r->foreign ? EYOT_OK : rc;
}
