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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "base/hash.h"
#include "teams/state.h"
#include "teams/sync_part.h"

#define SLOTS 8u
#define NAME_BYTES 40u
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
  uint64_t hash; /* of all before */
};
_Static_assert(sizeof(struct call_report) == 264 && sizeof(struct call_report) % 8 == 0,
               "a slot is whole words without padding");

/* A unit's memory, which is the fabric's, so that no operation has a private buffer. */
struct order_memory {
  struct call_report slot[SLOTS]; /* written by others */
  struct call_report out;         /* these leave from here */
  uint64_t finder;
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
  return n != 0 && mine != 0 && theirs != 0 && (mine & theirs) == 0;
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
  set_apart(rt, t);
  eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
            "this unit waits in its call %" PRIu32
            " of %s, which unit %u has made with another root, other lengths, another type or "
            "operator, or of another function, and has ended: it waits in %s, its call %" PRIu32
            ". No further collective of the team is possible",
            t->calls->n, EYOTI_TEAM_WORDS(t), r->unit, r->name, r->n);
}

/* Reports of other teams are for calls of these. */
static void take(struct eyot_rt *rt, const struct eyoti_team *t, const struct call_report *in) {
  struct call_report r;
  memcpy(&r, in, sizeof r); /* others may write it meanwhile: then the hash does not fit */
  if (r.hash != hash_of(&r) || r.unit >= rt->fab->n) return;
  if (r.team != t->handle.id || t->calls->apart) return;
  if (waits_crosswise(rt, t, &r)) {
    set_apart(rt, t);
    eyoti_log(EYOTI_LOG_ERROR, eyoti_rt_what(rt), EYOT_EMISMATCH,
              "this unit waits for unit %u, which waits in %s, its call %" PRIu32
              " of %s; this unit has made %" PRIu32
              ". No further collective of the team is possible",
              r.unit, r.name, r.number, EYOTI_TEAM_WORDS(t), t->calls->n);
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
            "; all members call the same ones in the same order. No further collective of the team "
            "is possible",
            EYOTI_TEAM_WORDS(t), t->calls->n, r.unit, r.name, r.n);
}

/* Another member has found it: passes that on. */
static void hear(struct eyot_rt *rt, const struct eyoti_team *t) {
  const char *word = t->cold + eyoti_sync_apart_off(t->size);
  uint64_t finder = __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_ACQUIRE);
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
  if (t == NULL) return EYOT_OK;
  struct eyoti_call_order *o = rt->teams->order;
  if (o->looked != t || o->looked_n != t->calls->n) o->doubted = 0;
  o->looked = t;
  o->looked_n = t->calls->n;
  o->tries++;
  hear(rt, t);
  for (uint32_t i = 0; i < SLOTS; i++) take(rt, t, &o->own->slot[i]);
  if (t->calls->apart) return EYOT_EMISMATCH;
  report(rt, t);
  return EYOT_OK;
}

bool eyoti_order_due(struct eyot_rt *rt) {
  const struct eyoti_team *t = team_now(rt);
  struct timespec ts;
  if (t == NULL) return false;
  struct eyoti_call_order *o = rt->teams->order;
  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  uint64_t now = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
  if (o->team != t || o->n != t->calls->n) {
    o->team = t;
    o->n = t->calls->n;
    o->pause_ns = FIRST_NS;
    o->next_ns = now + o->pause_ns;
  }
  if (now < o->next_ns && !t->calls->apart) return false;
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
