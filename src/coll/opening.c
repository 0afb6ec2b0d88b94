/* SPDX-License-Identifier: BSD-3-Clause */
/* opening.c - implements opening.h. */

/* Why the control block of the team can be used. It carries one exchange at a time, and all members
 * must enter the same ones in the same order. Such an opening is the next exchange of each member:
 * - The number of the operation alone asks for it (eyoti_channel_unsafe), which is the same on all
 *   members whatever they call. A member whose arguments are refused enters it too, with a word
 *   that says so. Not those of calls of several rounds, which a member may have left after an
 *   earlier round: all know that alike, since such a call has compared its arguments before.
 *   Openings that a call asks for, which a member may leave, and those of other channels, several
 *   of which may be under way, stay with the channel's own words.
 * - A member is in no earlier operation for ever: who waits there long announces it, and those in
 *   the exchange poison it if they have ended it by another call (poison_earlier in run.c), in
 *   waits that end. So each member comes.
 * - A member that is in a barrier, an allocation or a split instead is in the same exchange of the
 *   same block, with another shape, as no other function has these operators. All members then get
 *   EMISMATCH, and the operation has begun on none: its number is given back.
 * An exchange is passed by all members or by none, as an opening must be, and is a barrier.
 *
 * Errors of the fabric. A member that cannot begin or complete the exchange leaves it, and poisons
 * the operation: the others leave it too, also those that enter it later. All of them count it
 * (eyoti_ctl_leave), so that barriers are in step afterwards. As after openings by words, members
 * that had passed it meanwhile are apart from the others in the channel. */
#include "coll/opening.h"

/* Equal if and only if all members' are. */
static const enum eyoti_ctl_op OPS[] = {EYOTI_CTL_OR, EYOTI_CTL_AND};
#define WORDS (sizeof OPS / sizeof OPS[0])

static int go_on(struct eyoti_coll_op *r, struct fab *f, const struct eyoti_ctl *c) {
  int rc = eyoti_ctl_advance(f, c, &r->step, eyoti_run_explores(r) ? 0 : EYOTI_PATIENCE_NS);
  while (rc == EYOT_ETIMEOUT) {
    struct fab_cond cond;
    (void)eyoti_ctl_awaits(c, &r->step, &cond);
    EYOTI_TRY(eyoti_run_wait(r, &cond));
    rc = eyoti_ctl_advance(f, c, &r->step, 0);
  }
  r->never = rc == EYOT_EMISMATCH;
  return rc;
}

int eyoti_opening_exchange(struct eyoti_coll_op *r) {
  struct fab *f = r->ch->rt->fab;
  struct eyoti_ctl *c = &r->ch->t->ctl;
  uint64_t head = (uint64_t)r->number << 32 | (r->differs ? EYOTI_HASH_OTHER : r->hash);
  r->step = (struct eyoti_ctl_step){.ops = OPS, .n = WORDS, .words = {head, head}};
  eyoti_team_agrees(r->ch->t);
  int rc = eyoti_ctl_begin(f, c, &r->step);
  bool entered = rc == EYOT_OK;
  if (entered) rc = go_on(r, f, c);
  if (rc != EYOT_OK && !r->never) eyoti_ctl_leave(f, c, entered);
  (void)eyoti_team_agreed(r->ch->t, rc);
  EYOTI_TRY(rc);
  r->differs |= r->step.words[0] != r->step.words[1];
  r->level = r->ch->levels;
  return EYOT_OK;
}
