/* SPDX-License-Identifier: BSD-3-Clause */
/* teams.h - the teams of one unit, for the layers above (gmem, rma, coll, sync) and init/: the
 * state of a team, the handle's look-up, and relative ids. Thread rule: one thread of a unit at a
 * time. */
#ifndef EYOT_TEAMS_TEAMS_H
#define EYOT_TEAMS_TEAMS_H

#include <eyot/team.h>

#include "fabric/ctl.h"
#include "rt/observe.h"

struct eyoti_placement; /* base/placement.h */
/* teams/ranges.h: an immutable sorted set of units as (first, count, stride) runs */
struct eyoti_ranges;
struct eyoti_coll_team; /* coll/call.h */
struct eyoti_lanes;     /* coll/lanes.h */

/* The words by which the members of a team exchange messages in a collective call. */
enum eyoti_call_words {
  EYOTI_WORDS_CONTROL = 1, /* the control block (fabric/ctl.h), by the way that is the default */
  EYOTI_WORDS_OTHER_WAY = 2,
  EYOTI_WORDS_TREE = 4,
  EYOTI_WORDS_COLL = 8,   /* the boards of blocking collectives, */
  EYOTI_WORDS_NB = 16,    /* of others, */
  EYOTI_WORDS_GRAPH = 32, /* and of neighbourhoods */
  /* messages between two members */
  EYOTI_WORDS_SCATTER = 64,
  EYOTI_WORDS_GATHER = 128,
  EYOTI_WORDS_ALLTOALL = 256,
  /* no words: the call ends only when all members have begun it, as those of the first three do, or
   * the root has */
  EYOTI_WORDS_ALL = 512,
  EYOTI_WORDS_ROOT = 1024,
  EYOTI_WORDS_NONE = EYOTI_WORDS_ALL | EYOTI_WORDS_ROOT
};

/* The caller's collective calls of a team (order.h); a call inside another one is none. More are
 * kept than a member of one-way calls can be ahead (coll/channel.h). */
#define EYOTI_CALLS_KEPT 32u
struct eyoti_calls {
  uint32_t n;                       /* so far */
  uint32_t notified;                /* calls of eyot_barrier_notify, which are not among them */
  uint32_t root;                    /* of the last one with EYOTI_WORDS_ROOT */
  bool apart;                       /* members are in calls that differ: no further one can be */
  uint16_t words[EYOTI_CALLS_KEPT]; /* enum eyoti_call_words of the last ones, by number */
  uint32_t hash[EYOTI_CALLS_KEPT];  /* of what all members pass alike; 0: not known */
  const char *name[EYOTI_CALLS_KEPT];
  const void *site[EYOTI_CALLS_KEPT];
  struct eyoti_ctl_others others; /* of the team's exchanges (others.h) */
};

/* One live team on one unit. */
struct eyoti_team {
  eyot_team_t handle;
  eyot_team_t parent;
  uint32_t size;
  uint32_t me;                      /* the caller's relative id */
  const struct eyoti_ranges *units; /* interned per process */
  struct eyoti_ctl ctl;
  uint32_t calls_noted;         /* so many; for calls NULL */
  bool differ_at_end;           /* members were elsewhere when eyot_finalize exchanged */
  struct eyoti_calls *calls;    /* NULL where time is virtual: the simulator sees a standstill */
  uint32_t live_segments;       /* counted by gmem: destroy is refused while > 0 */
  struct eyoti_coll_team *coll; /* set by coll; NULL: no collective has been called */
  struct eyoti_lanes *lanes;    /* the same; NULL: none that does not block has been started */
  uint32_t barriers_open;       /* counted by sync: destroy is refused while > 0 */
  uint32_t colls_open; /* counted by coll: calls that are not completed, and plans; the same */
  uint32_t msgs_open;  /* counted by msg: handles that are not completed; the same */
  /* the caller's own copy of sync's part of the control block (sync_part.h) */
  char *sync;
  uint64_t sync_off; /* its offset in segment ctl.seg on every member */
  /* the same of what only split-phase and tree barriers use; in segment cold_seg */
  char *cold;
  uint64_t cold_off;
  fab_seg_t cold_seg;
};

/* "EYOT_TEAM_ALL", or "the team (eyot_team_split at a.c:12 (main))", for messages. */
#define EYOTI_TEAM_WORDS(t) \
  eyoti_made_words(eyot_current, EYOTI_MADE_TEAM, (t)->handle.id, (char[EYOTI_WORDS]){0})

int eyoti_teams_start(struct eyot_rt *rt); /* makes EYOT_TEAM_ALL; collective */
/* The bytes, aligned to 64, that the heap keeps free for TEAM_ALL's block, and those that only
 * first units of nodes use; 0: it is in a segment of its own. Else gmem gives them, zeroed, at the
 * same offsets of every unit's part (which begins at `base`; `first` is the address of first_off),
 * before the first exchange. Local. */
struct eyoti_teams_place {
  uint64_t all, first;
};
struct eyoti_teams_place eyoti_teams_place_bytes(const struct eyot_rt *rt);
void eyoti_teams_place_all(struct eyot_rt *rt, fab_seg_t seg, char *base, uint64_t off,
                           uint64_t first_off, char *first);
void eyoti_teams_stop(struct eyot_rt *rt);
/* eyot_finalize begins: its exchanges in TEAM_ALL's control block are the last ones. */
void eyoti_teams_ending(struct eyot_rt *rt);
/* A barrier over all units there, the last one; none if another exchange was made there for it
 * (`met`), with or without success. Errors: EMISMATCH (members are elsewhere; those that wait for
 * the caller learn of it). */
int eyoti_teams_meet(struct eyot_rt *rt, bool met);
/* The smallest and the largest of the units' values, likewise, for eyot_init. */
int eyoti_teams_extremes(struct eyot_rt *rt, uint64_t value, uint64_t *least, uint64_t *most);

/* The live team that a handle names. Errors: ETEAM (logged with the reason). */
int eyoti_team_get(struct eyot_rt *rt, eyot_team_t team, struct eyoti_team **out);
/* The same without an error. */
bool eyoti_team_find(struct eyot_rt *rt, eyot_team_t team, struct eyoti_team **out);
/* Relative -> global (index must be < size) and back (false: not a member). O(log runs). */
fab_unit_t eyoti_team_unit(const struct eyoti_team *t, uint32_t index);
bool eyoti_team_index(const struct eyoti_team *t, fab_unit_t unit, uint32_t *index);
/* On which node each member is (base/placement.h), for teams that lie unevenly: made once a process
 * of a set of units, and kept as long as a team has it. The same on all members. Local. Errors: the
 * fabric's, ENOMEM. */
int eyoti_team_placement(struct eyot_rt *rt, const struct eyoti_team *t,
                         const struct eyoti_placement **out);
/* order.c: logs and returns EMISMATCH. */
int eyoti_team_refuse_apart(const struct eyoti_team *t);
static inline bool eyoti_team_is_apart(const struct eyoti_team *t) {
  return t->calls != NULL && t->calls->apart;
}
/* Whether nothing more can be exchanged when the team ends. */
static inline bool eyoti_team_ends_apart(const struct eyoti_team *t) {
  return t->differ_at_end || eyoti_team_is_apart(t);
}
/* The call that runs waits for what the caller's call `number` of the team brings; collective calls
 * have said so. */
static inline void eyoti_team_waits(struct eyot_rt *rt, const struct eyoti_team *t,
                                    uint32_t number) {
  if (rt->outer_site == NULL) rt->in = (struct eyoti_in_team){t, rt->site, number, NULL, NULL};
}
/* The call that runs has no number, as it may stand anywhere among the team's collectives, and
 * waits for the members for which `awaits` is true (struct eyoti_in_team). */
static inline void eyoti_team_waits_aside(struct eyot_rt *rt, const struct eyoti_team *t,
                                          bool (*awaits)(const void *arg, uint32_t unit,
                                                         uint32_t notified),
                                          const void *arg) {
  if (rt->outer_site == NULL) rt->in = (struct eyoti_in_team){t, rt->site, 0, awaits, arg};
}
/* The number of the call that was entered last; 0: calls are not numbered. */
static inline uint32_t eyoti_team_number(const struct eyoti_team *t) {
  return t->calls != NULL ? t->calls->n : 0;
}
/* Of a team without eyoti_calls: notes the call for reports (rt/call_note.h), unless it is a part
 * of another one. */
void eyoti_team_note_call(struct eyot_rt *rt, struct eyoti_team *t);
/* The member begins a collective function of the team, which uses these words. Errors: EMISMATCH
 * (an earlier one has set the members apart: do nothing). */
static inline int eyoti_team_begin(struct eyot_rt *rt, struct eyoti_team *t,
                                   enum eyoti_call_words words) {
  struct eyoti_calls *c = t->calls;
  if (c == NULL) {
    eyoti_team_note_call(rt, t);
    return EYOT_OK;
  }
  if (__builtin_expect(c->apart, 0)) return eyoti_team_refuse_apart(t);
  if (rt->outer_site == NULL) {
    uint32_t i = ++c->n % EYOTI_CALLS_KEPT;
    c->words[i] = (uint16_t)words;
    c->hash[i] = 0;
    const void *marked = rt->fast.caller.site; /* eyoti_rt_site, but for calls inside others */
    bool by_eyot = __builtin_expect(marked == NULL, 1);
    c->name[i] = by_eyot ? rt->fab->note.what : rt->fast.caller.call;
    c->site[i] = by_eyot ? rt->site : marked;
  }
  eyoti_team_waits(rt, t, c->n);
  return EYOT_OK;
}
/* The same, and tells observers: rt/observe.h has root and bytes. */
static inline int eyoti_team_enter_by(struct eyot_rt *rt, struct eyoti_team *t,
                                      enum eyoti_call_words words, uint32_t root, uint64_t bytes) {
  eyoti_observe_collective(rt, t->units, t->handle.id, t->size, root, bytes);
  return eyoti_team_begin(rt, t, words);
}
static inline int eyoti_team_enter(struct eyot_rt *rt, struct eyoti_team *t) {
  return eyoti_team_enter_by(rt, t, EYOTI_WORDS_CONTROL, FAB_COLLECTIVE_NONE, 0);
}
static inline void eyoti_team_begins_at(const struct eyoti_team *t, uint32_t root) {
  if (t->calls != NULL) t->calls->root = root;
}
/* What all members pass alike in the collective call that runs, of its first operation; and for
 * whom that waits (enum eyoti_call_words), which its algorithm may decide. */
static inline void eyoti_team_passes(const struct eyoti_team *t, uint32_t hash, uint16_t awaits) {
  if (t->calls == NULL) return;
  uint32_t *noted = &t->calls->hash[t->calls->n % EYOTI_CALLS_KEPT];
  if (*noted == 0) *noted = hash;
  t->calls->words[t->calls->n % EYOTI_CALLS_KEPT] |= awaits;
}
/* Around a part of the call that runs which uses the control block, and ended with rc: members that
 * called another function meet there, and stay in order. */
static inline void eyoti_team_agrees(const struct eyoti_team *t) {
  if (t->calls != NULL) t->calls->words[t->calls->n % EYOTI_CALLS_KEPT] |= EYOTI_WORDS_CONTROL;
}
static inline int eyoti_team_agreed(const struct eyoti_team *t, int rc) {
  if (t->calls == NULL || rc != EYOT_OK) return rc;
  uint16_t *words = &t->calls->words[t->calls->n % EYOTI_CALLS_KEPT];
  if (*words != EYOTI_WORDS_CONTROL) *words &= (uint16_t)~EYOTI_WORDS_CONTROL;
  return rc;
}
/* Before the team is destroyed. Errors: EBUSY (it has collectives that are not completed). */
int eyoti_team_colls_done(const struct eyoti_team *t);
/* Calls fn for every live team of this unit (for stop and for leak reports). */
void eyoti_teams_each(struct eyot_rt *rt, void (*fn)(struct eyoti_team *t, void *arg), void *arg);
/* Layers above that keep state in a team (coll's scratch) register the function that frees it
 * before the team is destroyed; called by destroy, collective. */
typedef int (*eyoti_team_drop_fn)(struct eyot_rt *rt, struct eyoti_team *t);
void eyoti_teams_on_drop(struct eyot_rt *rt, eyoti_team_drop_fn fn);
#endif
