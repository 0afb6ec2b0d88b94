/* SPDX-License-Identifier: BSD-3-Clause */
/* others.c - implements others.h.
 *
 * Members tell each other by dissemination, as the exchange itself goes: in round r a member tells
 * the one 2^r after it what it knows, two calls of different names at most. After the last round
 * each knows two, if there are two, as those of two windows have two together if one of them has.
 *
 * All members that are in the exchange come here after it. One that computes meanwhile, in the
 * middle of a call that does not block, comes late, and one that crashes not at all, so waits have
 * an end; the message then names nobody. A flag holds a hash of the exchange and its team, so what
 * comes too late is of no other exchange. */
#include "teams/others.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/wording.h"
#include "teams/state.h"

#define ROUNDS_MAX 12u /* of teams of up to 4,096 members; larger ones do not tell */
#define NAME_BYTES 40u
#define WAIT_NS UINT64_C(5000000000) /* of all rounds */

struct other_call {
  fab_unit_t unit;
  uint32_t known; /* 0: no call */
  char name[NAME_BYTES];
};
/* Two calls of different names: one's own, and another one if it is known. */
struct other_calls {
  struct other_call call[2];
};
_Static_assert(sizeof(struct other_calls) == 96, "a message is whole words without padding");

/* A unit's memory, which is the fabric's. One call at a time uses it. */
struct other_memory {
  uint64_t flag[ROUNDS_MAX];
  struct other_calls land[ROUNDS_MAX]; /* written by others */
  struct other_calls leave;
};

uint64_t eyoti_others_bytes(const struct fab *f) {
  return (f->caps & FAB_CAP_VIRTUAL_TIME) != 0 ? 0 : sizeof(struct other_memory);
}

static void take(struct other_calls *known, const struct other_call *heard) {
  struct other_call *free = &known->call[1];
  if (heard->known == 0 || free->known != 0) return;
  if (strncmp(known->call[0].name, heard->name, NAME_BYTES) != 0) *free = *heard;
}

/* What all rounds of a call have in common. */
struct asking {
  struct fab *f;
  const struct eyoti_ctl_set *members;
  struct other_memory *own;
  fab_seg_t seg;
  uint64_t off; /* of that memory on every unit */
  uint64_t key; /* of the exchange */
  uint64_t ends;
};

/* Errors: ETIMEOUT, the fabric's. */
static int pass(const struct asking *a, uint32_t round, struct other_calls *known) {
  struct fab *f = a->f;
  uint64_t next = (a->members->my_index + (UINT64_C(1) << round)) % a->members->size;
  uint64_t flag = a->off + offsetof(struct other_memory, flag) + round * sizeof a->own->flag[0];
  uint64_t land = a->off + offsetof(struct other_memory, land) + round * sizeof a->own->land[0];
  fab_unit_t to = a->members->unit_at(a->members->set, (uint32_t)next);
  const struct fab_sig sig = {.at = fab_at(to, a->seg, flag), .value = a->key};
  a->own->leave = *known;
  EYOTI_TRY(f->ops->put_signal(f, fab_at(to, a->seg, land), &a->own->leave, sizeof a->own->leave,
                               &sig, NULL));
  EYOTI_TRY(f->ops->flush(f, to, FAB_LOCAL));
  EYOTI_TRY(fab_wait_mem(f, a->seg, flag, FAB_EQ, a->key, fab_left(f, a->ends), NULL));
  for (uint32_t i = 0; i < 2; i++) take(known, &a->own->land[round].call[i]);
  return EYOT_OK;
}

/* After an error the other call may not be known. */
static void ask(struct eyot_rt *rt, const struct eyoti_ctl *c, struct other_calls *known) {
  const struct eyoti_teams *ts = rt->teams;
  struct fab *f = *eyoti_forward_last(&rt->fab);
  const struct asking a = {
      .f = f,
      .members = &c->members,
      .own = (struct other_memory *)(void *)(ts->meeting_base + ts->others_off),
      .seg = ts->meeting_seg,
      .off = ts->others_off,
      .key = eyoti_hash_mix(eyoti_hash_mix(c->others->team, c->off), c->seq) | 1,
      .ends = fab_deadline(f, WAIT_NS)};
  const uint32_t level = rt->log_level;
  int rc = EYOT_OK;
  rt->log_level = EYOTI_LOG_SILENT; /* the call has an error to tell */
  for (uint32_t round = 0; rc == EYOT_OK && UINT64_C(1) << round < c->members.size; round++)
    rc = pass(&a, round, known);
  rt->log_level = level;
}

static void name_other(const struct eyoti_ctl *c, const char *what,
                       char text[EYOTI_CTL_OTHER_BYTES]) {
  struct eyot_rt *rt = eyot_current;
  const char *name = what != NULL ? what : eyoti_rt_shown(rt);
  struct other_calls known = {.call = {{.unit = rt->fab->me, .known = 1}}};
  text[0] = '\0';
  if (c->members.size > 1u << ROUNDS_MAX || name == NULL) return;
  snprintf(known.call[0].name, NAME_BYTES, "%s", name);
  ask(rt, c, &known);
  const struct other_call *other = &known.call[1];
  if (other->known == 0) return;
  eyoti_snprintf(text, EYOTI_CTL_OTHER_BYTES, "unit %u called %.*s", other->unit, (int)NAME_BYTES,
                 other->name);
}

void eyoti_others_set(struct eyoti_team *t) {
  if (t->calls == NULL) return;
  t->calls->others = (struct eyoti_ctl_others){.name = name_other, .team = t->handle.id};
  t->ctl.others = &t->calls->others;
}
