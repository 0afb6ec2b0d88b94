/* SPDX-License-Identifier: BSD-3-Clause */
/* members.c - eyot_team_create_group: a team that its members make without the rest of the parent.
 *
 * Why it is right. Each unit has a place for one such call at a time: a word, and a control block
 * for any set (ctl.h), at the same offset everywhere. A member clears the flags of its block and
 * writes the token of the call (a hash of group, tag and parent) to its word; it then reads the
 * words of the members that it will send to until they hold the token, so nothing arrives in a
 * block before its owner has cleared it. A member leaves an exchange only after all that send to it
 * have done so: it keeps the token until all have seen it. The rest is eyoti_team_make. */

/* The last exchange is a barrier without payload: once it is over, all have received what was sent
 * before, and the slots can be used by the next call. Calls of units that share members wait for
 * each other in the order in which these make them. Source of the interface: MPI-3.1, section
 * 6.4.2, MPI_Comm_create_group. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "teams/group.h"
#include "teams/order.h"
#include "teams/state.h"

#define WORD_BYTES 64u /* the token's word has a cache line of its own */
#define PAUSE_FIRST_NS 500u
#define PAUSE_MOST_NS 64000u
#define PAUSES_UNREPORTED 8u
/* The exchanges of a call are numbered from the token on, so that no detector takes those of two
 * calls for one. */
#define SEQ_SHIFT 32u
#define SEQ_BITS 19u /* of 52 that a number has in a flag */

uint64_t eyoti_teams_meeting_bytes(uint32_t units) {
  return WORD_BYTES + eyoti_ctl_bytes(units);
}

static struct fab_addr word_of(const struct eyoti_teams *ts, fab_unit_t unit) {
  return fab_at(unit, ts->meeting_seg, ts->meeting_off);
}

static int write_word(struct eyot_rt *rt, uint64_t token) {
  const struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = token};
  return fab_amo_wait(rt->fab, word_of(rt->teams, rt->fab->me), &swap, NULL);
}

static bool awaits(const void *member, uint32_t unit, uint32_t notified) {
  (void)notified;
  return unit == *(const fab_unit_t *)member;
}

/* Returns when the member is in the same call. */
static int await(struct eyot_rt *rt, fab_unit_t member, uint64_t token) {
  static const struct fab_amo READ = {.op = FAB_AMO_READ, .width = 8};
  struct fab *f = rt->fab;
  struct fab_addr own = word_of(rt->teams, f->me);
  uint64_t seen, pause = PAUSE_FIRST_NS;
  uint32_t pauses = 0;
  int rc;
  while ((rc = fab_amo_wait(f, word_of(rt->teams, member), &READ, &seen)) == EYOT_OK &&
         seen != token) {
    if (++pauses == PAUSES_UNREPORTED && f->ops->tries != NULL) f->ops->tries(f, FAB_FOREVER);
    rc = fab_wait_mem(f, own.seg, own.off, FAB_NE, token, pause, NULL); /* no unit writes it */
    if (rc == EYOT_ETIMEOUT) rc = eyoti_order_poll(rt);
    if (rc != EYOT_OK) break;
    pause = pause < PAUSE_MOST_NS ? pause * 2 : PAUSE_MOST_NS;
  }
  if (pauses >= PAUSES_UNREPORTED && f->ops->tries != NULL) f->ops->tries(f, 0);
  return rc;
}

/* Opens the caller's place, and waits for the members to which it sends. */
static int meet(struct eyot_rt *rt, const struct eyoti_team *parent, const struct eyoti_ctl *ctl,
                uint64_t token) {
  uint32_t size = ctl->members.size, me = ctl->members.my_index;
  int rc = write_word(rt, token);
  for (uint64_t far = 1; far < size && rc == EYOT_OK; far *= 2) {
    fab_unit_t to = ctl->members.unit_at(ctl->members.set, (uint32_t)((me + far) % size));
    eyoti_team_waits_aside(rt, parent, awaits, &to);
    rc = await(rt, to, token);
  }
  eyoti_team_waits_aside(rt, parent, NULL, NULL); /* all are in this call now */
  return rc;
}

static fab_unit_t unit_at(const void *set, uint32_t index) {
  return eyoti_ranges_at(set, index);
}

/* The arguments are equal on all members: nothing else has brought them together. */
static int make(struct eyot_rt *rt, const struct eyoti_team *parent,
                const struct eyoti_ranges *group, uint64_t token, eyot_team_t *team) {
  struct eyoti_teams *ts = rt->teams;
  struct eyoti_team meeting = {.handle = parent->handle, .size = group->size, .units = group};
  struct eyoti_ranges *set = NULL;
  struct eyoti_ctl *ctl = &meeting.ctl;
  bool member = eyoti_ranges_index(group, rt->fab->me, &meeting.me);
  EYOTI_ASSERT(member);
  *ctl = (struct eyoti_ctl){
      .members = {.size = group->size, .my_index = meeting.me, .unit_at = unit_at, .set = group},
      .seg = ts->meeting_seg,
      .off = ts->meeting_off + WORD_BYTES,
      .seq = token % (UINT64_C(1) << SEQ_BITS) << SEQ_SHIFT,
      .where = EYOTI_CTL_SIGNALED};
  EYOTI_TRY(eyoti_ranges_copy(group, &set));
  eyoti_threads_alone_begin(rt); /* the unit has one place */
  memset(ts->meeting_base + ctl->off, 0, eyoti_ctl_flag_bytes(group->size));
  int rc = meet(rt, parent, ctl, token);
  if (rc != EYOT_OK) {
    (void)write_word(rt, 0); /* who comes late does not meet the caller */
    eyoti_threads_alone_end(rt);
    free(set);
    return rc;
  }
  rc = eyoti_team_make(rt, &meeting, set, token, EYOT_OK, team);
  int left = eyoti_ctl_exchange(rt->fab, ctl, NULL, NULL, 0);
  int closed = write_word(rt, 0);
  eyoti_threads_alone_end(rt);
  return rc != EYOT_OK ? rc : left != EYOT_OK ? left : closed;
}

int eyot_team_create_group(eyot_team_t parent, const eyot_group_t *group, uint64_t tag,
                           eyot_team_t *team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *p;
  EYOTI_TRY(eyoti_team_get(rt, parent, &p));
  EYOTI_TRY(eyoti_team_check_group(p, group, team));
  if (eyoti_team_is_apart(p)) return eyoti_team_refuse_apart(p);
  const struct eyoti_ranges *units = eyoti_group_ranges(group);
  if (!eyoti_ranges_index(units, rt->fab->me, NULL))
    return EYOTI_FAIL(EYOT_EUNIT, "this unit is not in the group of %u units; only members call it",
                      units->size);
  uint64_t token = eyoti_hash_mix(eyoti_hash_mix(eyoti_ranges_hash(units), tag), parent.id) | 1;
  return make(rt, p, units, token, team);
}
