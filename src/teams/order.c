/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - implements order.h. */

/* When calls differ. Members number their calls of a team; a call inside another one has no number.
 * All members make the same calls in the same order, so the calls of one number exchange messages
 * by the same words; those that do not can never complete. A call may use words of several kinds
 * (one that makes its board allocates): two differ if they have no kind in common. Functions of one
 * kind are not compared here: their own messages find the difference, and all can go on after it.
 * But a member that waits for messages which another one has sent elsewhere, for it passed another
 * root, gets none, and that one has gone on. So the hash of what all members pass alike is reported
 * too, and compared with that of a member that has ended the call; twice, with a wait in between,
 * because the call's own messages may say so meanwhile.
 * Waits of functions that may stand anywhere among the collectives (a split-phase barrier, a fused
 * exchange, eyot_team_create_group) have no number. Such a wait is never over if it is for a member
 * that waits in a collective which the caller makes after it.
 *
 * Reports. Each unit has a few slots. A unit that waits writes one at other members, another one
 * each time. Several units may write a slot at once, so it ends with a hash of the rest, and what
 * does not fit it is left alone. What was reported stays true: it names a number, of a team whose
 * handle is never another team's. That members are apart is a word of the team, which is never
 * cleared: who comes late learns of it.
 *
 * After that nothing is right any more: members have begun different numbers of operations and
 * exchanges. The team stays apart: each later collective call of it fails at once, members that are
 * in one or come to one learn of it as above, and eyot_finalize exchanges nothing in EYOT_TEAM_ALL
 * then. Memory and other teams are as before. */
#include "teams/order.h"

#include <eyot/init.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/hash.h"
#include "rt/place.h"
#include "teams/state.h"
#include "teams/sync_part.h"

#define SLOTS 8u
#define NAME_BYTES 40u
#define WAITING 14u
#define NO_UNIT UINT32_MAX
#define ALL_UNITS (UINT32_MAX - 1)
#define DOUBTS 2u /* reports after the first one, of another wait of its sender than it may be */
#define REPORT_ALL 64u /* members */
#define FIRST_NS UINT64_C(10000000)
#define MOST_NS UINT64_C(1280000000)

/* What a unit reports of the call that it waits in. */
struct call_report {
  uint64_t team;
  fab_unit_t unit;
  uint32_t n;      /* calls so far */
  uint32_t number; /* of the one that is waited for; 0: it has none */
  uint32_t notified;
  uint16_t words[EYOTI_CALLS_KEPT];
  uint32_t passed[EYOTI_CALLS_KEPT]; /* struct eyoti_calls.hash */
  char name[NAME_BYTES];
  uint64_t place;   /* eyoti_place_word */
  uint32_t times;   /* reports of this unit so far */
  fab_unit_t needs; /* the call ends only when this unit has begun it; or ALL_UNITS, NO_UNIT */
  /* units that wait for this one in such calls, or for one that does so, and so on; or NO_UNIT */
  fab_unit_t waiting[WAITING];
  uint64_t hash; /* of all before */
};
_Static_assert(sizeof(struct call_report) == 336 && sizeof(struct call_report) % 8 == 0,
               "a slot is whole words without padding");

/* A unit's memory, which is the fabric's, so that no operation has a private buffer. */
struct order_memory {
  struct call_report slot[SLOTS]; /* written by others */
  struct call_report out;         /* these leave from here */
  uint64_t finder;
};

/* Another unit's wait in a call that this one has made otherwise: seen first in report `times`, at
 * look `look`. */
struct doubt {
  uint64_t team, look;
  fab_unit_t unit;
  uint32_t n, times;
};

struct eyoti_call_order {
  fab_seg_t seg;
  uint64_t off;
  struct order_memory *own;
  uint32_t times;
  bool refused; /* a report could not be written */
  /* the call that waits, and when it looks again */
  const struct eyoti_team *team;
  uint32_t n;
  uint64_t next_ns, pause_ns;
  /* how often it has looked, and which time has first shown, in this call, that another member
   * passed something else; 0: none has */
  uint64_t tries, doubted;
  const struct eyoti_team *looked; /* the call in which it looked last */
  uint32_t looked_n;
  struct doubt doubt[SLOTS]; /* by unit */
};

struct eyoti_calls *eyoti_calls_make(void) {
  struct eyoti_calls *c = calloc(1, sizeof *c);
  if (c == NULL) (void)EYOTI_FAIL(EYOT_ENOMEM, "no memory for the calls of a team");
  return c;
}

uint64_t eyoti_order_bytes(const struct fab *f) {
  return (f->caps & FAB_CAP_VIRTUAL_TIME) != 0 ? 0 : sizeof(struct order_memory);
}

static uint64_t hash_of(const struct call_report *t) {
  uint64_t word, h = 1;
  for (size_t i = 0; i < offsetof(struct call_report, hash); i += sizeof word) {
    memcpy(&word, (const char *)t + i, sizeof word);
    h = eyoti_hash_mix(h, word);
  }
  return h;
}

/* false: it is none of this time, or is written now. */
static bool read_slot(const struct eyot_rt *rt, uint32_t slot, struct call_report *r) {
  memcpy(r, &rt->teams->order->own->slot[slot], sizeof *r);
  return r->hash == hash_of(r) && r->unit < rt->fab->n;
}

/* -- units that wait for the caller ------------------------------------------------------------ */

/* The member that has to begin the call that waits, before it can end, so that what is waited for
 * inside it does not matter; and a member begins it only when its own calls have ended, as one
 * thread makes all calls. */
static fab_unit_t needed_by(const struct eyot_rt *rt, const struct eyoti_team *t) {
  const uint16_t all = EYOTI_WORDS_CONTROL | EYOTI_WORDS_OTHER_WAY | EYOTI_WORDS_TREE;
  const struct eyoti_calls *c = t->calls;
  uint16_t words = c->words[c->n % EYOTI_CALLS_KEPT];
  if (rt->in.number != c->n || rt->thread_level == EYOT_THREAD_MULTIPLE) return NO_UNIT;
  if ((words & EYOTI_WORDS_ROOT) != 0) return eyoti_team_unit(t, c->root);
  return (words & EYOTI_WORDS_ALL) != 0 || (words & ~all) == 0 ? ALL_UNITS : NO_UNIT;
}

/* The team in which another unit waits for this one to begin its call; NULL: it does not. A report
 * stays true: that call cannot end before this unit has begun it. */
static const struct eyoti_team *waits_for_me(struct eyot_rt *rt, const struct call_report *r) {
  struct eyoti_team *t;
  if (r->needs != ALL_UNITS && r->needs != rt->fab->me) return NULL;
  if (!eyoti_team_find(rt, (eyot_team_t){r->team}, &t)) return NULL;
  return t->calls != NULL && !t->calls->apart && t->calls->n < r->number ? t : NULL;
}

static void add_waiting(fab_unit_t waiting[WAITING], fab_unit_t unit) {
  uint32_t i = 0;
  while (i < WAITING && waiting[i] != NO_UNIT && waiting[i] != unit) i++;
  if (i < WAITING) waiting[i] = unit;
}

/* Those that wait for the caller itself first: there is place for all of them. */
static void list_waiting(struct eyot_rt *rt, fab_unit_t waiting[WAITING]) {
  struct call_report r;
  _Static_assert(WAITING > SLOTS, "each slot may be of another unit");
  for (uint32_t i = 0; i < WAITING; i++) waiting[i] = NO_UNIT;
  for (uint32_t i = 0; i < SLOTS; i++)
    if (read_slot(rt, i, &r) && waits_for_me(rt, &r) != NULL) add_waiting(waiting, r.unit);
  for (uint32_t i = 0; i < SLOTS; i++) {
    if (!read_slot(rt, i, &r) || waits_for_me(rt, &r) == NULL) continue;
    for (uint32_t k = 0; k < WAITING && r.waiting[k] != NO_UNIT; k++)
      add_waiting(waiting, r.waiting[k]);
  }
}

/* -- reports ----------------------------------------------------------------------------------- */

/* By the CPU where the unit is mapped: what is counted of a run does not depend on how long its
 * waits were. */
static int write_at(struct fab *f, struct fab_addr at, const void *from, uint64_t len) {
  void *to;
  if (f->ops->seg_ptr(f, at.seg, at.unit, at.off, &to) != EYOT_OK) {
    EYOTI_TRY(f->ops->put(f, at, from, len, NULL));
    return f->ops->flush(f, at.unit, FAB_LOCAL);
  }
  memcpy(to, from, len);
  return EYOT_OK;
}

/* To all members of a small team, to those at powers of two of a large one. */
static int write_to_members(struct eyot_rt *rt, const struct eyoti_team *t, struct fab_addr at,
                            const void *from, uint64_t len) {
  struct fab *f = *eyoti_forward_last(&rt->fab);
  const uint32_t level = rt->log_level;
  int first = EYOT_OK;
  rt->log_level = EYOTI_LOG_SILENT;
  for (uint64_t far = 1; far < t->size; far = t->size <= REPORT_ALL ? far + 1 : 2 * far) {
    at.unit = eyoti_team_unit(t, (uint32_t)((t->me + far) % t->size));
    int rc = write_at(f, at, from, len);
    if (first == EYOT_OK) first = rc;
  }
  rt->log_level = level;
  return first;
}

/* A member that cannot be reached may have ended, which is for others to say: there are no more
 * reports then, and the wait goes on. */
static void report(struct eyot_rt *rt, const struct eyoti_team *t) {
  struct eyoti_call_order *o = rt->teams->order;
  if (o->refused) return;
  struct call_report *out = &o->own->out;
  const char *name = eyoti_rt_shown(rt);
  uint64_t slot = (rt->fab->me + o->times++) % SLOTS;
  *out = (struct call_report){.team = t->handle.id,
                              .unit = rt->fab->me,
                              .n = t->calls->n,
                              .number = rt->in.number,
                              .notified = t->calls->notified};
  memcpy(out->words, t->calls->words, sizeof out->words);
  memcpy(out->passed, t->calls->hash, sizeof out->passed);
  for (size_t i = 0; name != NULL && i + 1 < NAME_BYTES && name[i] != '\0'; i++)
    out->name[i] = name[i];
  out->place = eyoti_place_word(rt, eyoti_rt_site(rt));
  out->times = o->times;
  out->needs = needed_by(rt, t);
  list_waiting(rt, out->waiting);
  out->hash = hash_of(out);
  o->refused = write_to_members(rt, t, fab_at(0, o->seg, o->off + slot * sizeof *out), out,
                                sizeof *out) != EYOT_OK;
}

/* -- looking ----------------------------------------------------------------------------------- */

/* The last call that both have made; 0: it is not known any more. */
static uint32_t last_of_both(const struct eyoti_calls *c, const struct call_report *t) {
  uint32_t n = c->n < t->n ? c->n : t->n;
  return c->n - n >= EYOTI_CALLS_KEPT || t->n - n >= EYOTI_CALLS_KEPT ? 0 : n;
}

static bool differ(const struct eyoti_calls *c, const struct call_report *t) {
  uint32_t n = last_of_both(c, t);
  uint16_t mine = c->words[n % EYOTI_CALLS_KEPT], theirs = t->words[n % EYOTI_CALLS_KEPT];
  return n != 0 && mine != 0 && theirs != 0 && (mine & theirs & ~EYOTI_WORDS_NONE) == 0;
}

/* Whether the other unit has ended the call that this one waits in, and passed something else. */
static bool passed_other(struct eyoti_call_order *o, const struct eyoti_calls *c,
                         const struct call_report *t) {
  uint32_t n = last_of_both(c, t);
  uint32_t mine = c->hash[n % EYOTI_CALLS_KEPT], theirs = t->passed[n % EYOTI_CALLS_KEPT];
  if (n == 0 || c->n >= t->n || mine == 0 || theirs == 0 || mine == theirs) return false;
  if (o->doubted == 0) o->doubted = o->tries;
  return o->doubted != o->tries;
}

/* Whether the caller waits, in a call without a number, for a member that waits in a collective
 * which the caller has not begun. A report that is no longer true was so of this order of calls. */
static bool waits_crosswise(const struct eyot_rt *rt, const struct eyoti_team *t,
                            const struct call_report *r) {
  const struct eyoti_in_team *in = &rt->in;
  return in->awaits != NULL && r->number > t->calls->n && in->awaits(in->arg, r->unit, r->notified);
}

/* What the fabric cannot do now is found again by the members themselves. */
static void set_apart(struct eyot_rt *rt, const struct eyoti_team *t) {
  uint64_t *finder = &rt->teams->order->own->finder;
  uint64_t off = t->cold_off + eyoti_sync_apart_off(t->size);
  t->calls->apart = true;
  *finder = rt->fab->me + 1;
  (void)write_to_members(rt, t, fab_at(0, t->cold_seg, off), finder, sizeof *finder);
}

void eyoti_order_part(struct eyot_rt *rt, const struct eyoti_team *t) {
  if (t->calls != NULL && !t->calls->apart) set_apart(rt, t);
}

static void say_passed(struct eyot_rt *rt, const struct eyoti_team *t,
                       const struct call_report *r) {
  char place[EYOTI_CODE_LINE];
  set_apart(rt, t);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "this unit waits in its call %" PRIu32
            " of %s, which unit %u has made with another root, other lengths, another type or "
            "operator, or of another function, and has ended: it waits in %s, its call %" PRIu32
            ", called at %s. No further collective of the team is possible",
            t->calls->n, EYOTI_TEAM_WORDS(t), r->unit, r->name, r->n,
            eyoti_place_word_text(rt, r->unit, r->place, place));
}

/* -- calls of other teams ---------------------------------------------------------------------- */

/* Whether the other unit still waits in that call after the first doubt: it may have ended it with
 * an error, after which the team works as before. */
static bool doubted_before(struct eyoti_call_order *o, const struct call_report *r) {
  struct doubt *d = &o->doubt[r->unit % SLOTS];
  bool same = d->team == r->team && d->unit == r->unit && d->n == r->n;
  if (same && r->times >= d->times + DOUBTS) return true;
  if (!same && (d->team == 0 || o->tries >= d->look + SLOTS))
    *d = (struct doubt){r->team, o->tries, r->unit, r->n, r->times};
  return false;
}

/* Whether the other unit waits in a call of a number for which this one has made another one, or
 * has passed something else; `c` is of a team in whose calls this unit does not wait. */
static bool made_other(const struct eyoti_calls *c, const struct call_report *r) {
  uint32_t i = r->n % EYOTI_CALLS_KEPT;
  if (r->number == 0 || r->number != r->n || last_of_both(c, r) != r->n) return false;
  if (differ(c, r)) return true;
  return c->hash[i] != 0 && r->passed[i] != 0 && c->hash[i] != r->passed[i];
}

/* The other unit may wait for this one, which has left that call behind, or never began it, and
 * waits for the other one in turn. */
static void say_made_other(struct eyot_rt *rt, const struct eyoti_team *t,
                           const struct call_report *r) {
  char mine[EYOTI_CODE_LINE], theirs[EYOTI_CODE_LINE];
  uint32_t i = r->n % EYOTI_CALLS_KEPT;
  const char *name = t->calls->name[i];
  set_apart(rt, t);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "the members of %s are in different collective calls: as call %" PRIu32
            " of the team, this unit called %s at %s, and unit %u waits in %s, called at %s%s; all "
            "members call the same ones in the same order. No further collective of the team is "
            "possible",
            EYOTI_TEAM_WORDS(t), r->n, name != NULL ? name : "a function",
            eyoti_place_text(rt, eyoti_place_of(rt, t->calls->site[i]), mine), r->unit, r->name,
            eyoti_place_word_text(rt, r->unit, r->place, theirs),
            differ(t->calls, r) ? "" : ", with another root, other lengths or another type");
}

/* `t`: the team in whose call this unit waits. */
static void say_circle(struct eyot_rt *rt, const struct eyoti_team *t, const struct eyoti_team *of,
                       const struct call_report *r) {
  char theirs[EYOTI_CODE_LINE];
  set_apart(rt, t);
  set_apart(rt, of);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "members wait for each other in calls of different teams: this unit, in its call "
            "%" PRIu32
            " of %s, waits for unit %u or for one that waits for it, and unit %u waits "
            "for this one in %s, its call %" PRIu32
            " of %s, called at %s; all members call the functions of all teams in one order. No "
            "further collective of these teams is possible",
            t->calls->n, EYOTI_TEAM_WORDS(t), r->unit, r->unit, r->name, r->n, EYOTI_TEAM_WORDS(of),
            eyoti_place_word_text(rt, r->unit, r->place, theirs));
}

static bool has_waiting(const struct call_report *r, fab_unit_t unit) {
  for (uint32_t i = 0; i < WAITING; i++)
    if (r->waiting[i] == unit) return true;
  return false;
}

/* A report of a team in whose calls the caller does not wait; it waits in one of t, or elsewhere
 * (NULL). */
static void take_other(struct eyot_rt *rt, const struct eyoti_team *t,
                       const struct call_report *r) {
  struct eyoti_team *of;
  if (!eyoti_team_find(rt, (eyot_team_t){r->team}, &of)) return;
  if (of->calls == NULL || of->calls->apart) return;
  if (made_other(of->calls, r) && doubted_before(rt->teams->order, r)) {
    say_made_other(rt, of, r);
    return;
  }
  if (t != NULL && waits_for_me(rt, r) != NULL && has_waiting(r, rt->fab->me))
    say_circle(rt, t, of, r);
}

/* -- looking at all reports -------------------------------------------------------------------- */

/* The slot's report, if it is whole. */
static void take(struct eyot_rt *rt, const struct eyoti_team *t, uint32_t slot) {
  struct call_report r;
  char place[EYOTI_CODE_LINE];
  if (!read_slot(rt, slot, &r) || (t != NULL && t->calls->apart)) return;
  if (t == NULL || r.team != t->handle.id) {
    take_other(rt, t, &r);
    return;
  }
  if (waits_crosswise(rt, t, &r)) {
    set_apart(rt, t);
    eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
              "this unit waits for unit %u, which waits in %s, its call %" PRIu32
              " of %s, called at %s; this unit has made %" PRIu32
              ". No further collective of the team is possible",
              r.unit, r.name, r.number, EYOTI_TEAM_WORDS(t),
              eyoti_place_word_text(rt, r.unit, r.place, place), t->calls->n);
    return;
  }
  if (!differ(t->calls, &r)) {
    if (passed_other(rt->teams->order, t->calls, &r)) say_passed(rt, t, &r);
    return;
  }
  set_apart(rt, t);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "the members of %s are in different collective calls: this unit waits in its call "
            "%" PRIu32 " of the team, unit %u in %s, its call %" PRIu32
            ", called at %s; all members call the same ones in the same order. No further "
            "collective of the team is possible",
            EYOTI_TEAM_WORDS(t), t->calls->n, r.unit, r.name, r.n,
            eyoti_place_word_text(rt, r.unit, r.place, place));
}

/* The unit after the one that has said that the members are apart; 0: none has. */
static uint64_t finder_of(const struct eyoti_team *t) {
  const char *word = t->cold + eyoti_sync_apart_off(t->size);
  return __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_ACQUIRE);
}

bool eyoti_order_is_apart(const struct eyoti_team *t) {
  return t->calls != NULL && (t->calls->apart || finder_of(t) != 0);
}

/* Another member has found it: passes that on. */
static void hear(struct eyot_rt *rt, const struct eyoti_team *t) {
  uint64_t finder = finder_of(t);
  if (finder == 0 || t->calls->apart) return;
  set_apart(rt, t);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "the members of %s are in different collective calls, as unit %" PRIu64
            " says, see its message; this unit waits in its call %" PRIu32
            " of the team. No further collective of the team is possible",
            EYOTI_TEAM_WORDS(t), finder - 1, t->calls->n);
}

/* The team of the collective call that runs, if its calls are numbered; NULL: another call runs. */
static const struct eyoti_team *team_now(const struct eyot_rt *rt) {
  const struct eyoti_team *t = rt->in.team;
  const void *site = rt->outer_site != NULL ? rt->outer_site : rt->site;
  return t != NULL && t->calls != NULL && rt->in.site == site ? t : NULL;
}

int eyoti_order_look(struct eyot_rt *rt) {
  const struct eyoti_team *t = team_now(rt);
  struct eyoti_call_order *o = rt->teams->order;
  if (o == NULL) return EYOT_OK; /* time is virtual */
  if (t == NULL) {
    o->tries++;
    for (uint32_t i = 0; i < SLOTS; i++) take(rt, NULL, i);
    return EYOT_OK;
  }
  if (o->looked != t || o->looked_n != t->calls->n) o->doubted = 0;
  o->looked = t;
  o->looked_n = t->calls->n;
  o->tries++;
  hear(rt, t);
  for (uint32_t i = 0; i < SLOTS; i++) take(rt, t, i);
  if (t->calls->apart) return EYOT_EMISMATCH;
  report(rt, t);
  return EYOT_OK;
}

bool eyoti_order_due(struct eyot_rt *rt) {
  const struct eyoti_team *t = team_now(rt);
  struct timespec ts;
  struct eyoti_call_order *o = rt->teams->order;
  const uint32_t n = t != NULL ? t->calls->n : 0;
  if (o == NULL) return false;
  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  uint64_t now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
  if (o->team != t || o->n != n) {
    o->team = t;
    o->n = n;
    o->pause_ns = FIRST_NS;
    o->next_ns = now + o->pause_ns;
  }
  if (now < o->next_ns && (t == NULL || !t->calls->apart)) return false;
  o->pause_ns = o->pause_ns < MOST_NS ? 2 * o->pause_ns : MOST_NS;
  o->next_ns = now + o->pause_ns;
  return true;
}

int eyoti_order_poll(struct eyot_rt *rt) {
  return eyoti_order_due(rt) ? eyoti_order_look(rt) : EYOT_OK;
}

/* -- calls ------------------------------------------------------------------------------------- */

int eyoti_team_refuse_apart(const struct eyoti_team *t) {
  return EYOTI_FAIL(EYOT_EMISMATCH,
                    "members of %s were in different collective calls, as an earlier message says: "
                    "no further collective of it is possible",
                    EYOTI_TEAM_WORDS(t));
}

int eyoti_order_start(struct eyot_rt *rt, fab_seg_t seg, uint64_t off, char *own) {
  struct eyoti_call_order *o = calloc(1, sizeof *o);
  if (o == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the order of collective calls");
  o->seg = seg;
  o->off = off;
  o->own = (struct order_memory *)(void *)own;
  rt->teams->order = o;
  rt->waits_long = eyoti_order_poll;
  return EYOT_OK;
}

void eyoti_order_stop(struct eyot_rt *rt) {
  rt->waits_long = NULL;
  rt->in.team = NULL;
  free(rt->teams->order);
  rt->teams->order = NULL;
}
