/* SPDX-License-Identifier: BSD-3-Clause */
/* past.c - implements past.h.
 *
 * The comparison. One exchange shows whether histories, the hashes of members' one-way calls, are
 * equal. If not, each member learns of two that are not, the greatest and the least, with a member
 * that has each. All members write their last calls into their part of the team's first board,
 * which is not used any more, and meet; they get the calls of these two members, and meet again,
 * before anybody frees a board. All of it only after calls differed.
 *
 * Teams that are left. Members may have made different numbers of exchanges (a team whose members
 * are apart, an exchange that was left after an error), so these begin anew, with numbers that none
 * has reached. All units have the same ids for a team that they share, and compare in the order of
 * ids: of the teams that are not compared yet, the members of the first one all come to it. */
#include "coll/past.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/wording.h"
#include "gmem/gmem.h"
#include "rt/place.h"
#include "teams/order.h"

#define NAME_BYTES 40u
/* For members that do not come; not for those that compute, as all are in the same function. In all
 * so long, and so long until reports begin, for which members that have waited come later. */
#define WAIT_NS UINT64_C(10000000000)
#define COMPARE_NS UINT64_C(8000000000)
#define FIRST_NS UINT64_C(100000000) /* for the first one, as long as all have come */
#define PAUSE_NS UINT64_C(1000000)   /* between two looks at all teams */

/* -- the calls of a member --------------------------------------------------------------------- */

static EYOTI_APART struct eyoti_past *past_of(struct eyoti_coll_team *ct) {
  bool large = ct->blocking.hot_bytes != UINT64_MAX;
  if (ct->past == NULL && !large) ct->past = calloc(1, sizeof *ct->past);
  return ct->past;
}

/* Those of the hash, or the place of the ones that were used the longest time ago. */
static struct eyoti_past_args *past_find(struct eyoti_past *past, uint32_t hash) {
  struct eyoti_past_args *found = &past->args[0];
  for (uint32_t i = 0; i < EYOTI_PAST_KEPT; i++) {
    if (past->args[i].hash == hash) return &past->args[i];
    if (past->args[i].stamp < found->stamp) found = &past->args[i];
  }
  return found;
}

void eyoti_past_enter(struct eyoti_coll_team *ct, const struct eyoti_coll_args *a, uint32_t hash,
                      bool refused) {
  const struct eyot_rt *rt = ct->blocking.rt;
  struct eyoti_past *past = past_of(ct);
  if (refused) hash = eyoti_coll_hash_after(hash, 1);
  if (past != NULL) {
    struct eyoti_past_args *args = past_find(past, hash);
    *args = (struct eyoti_past_args){.note = {.name = eyoti_rt_shown(rt)},
                                     .hash = hash,
                                     .stamp = ++past->stamp,
                                     .refused = refused};
    eyoti_coll_note_args(&args->note, a);
  }
  eyoti_past_add(rt, ct, hash);
  if (past != NULL && rt->outer_site != NULL)
    past->site[(ct->one_way - 1) % EYOTI_PAST_KEPT] = eyoti_rt_site(rt);
}

/* -- what members show each other -------------------------------------------------------------- */

struct shown_call {
  struct eyoti_call_note note; /* without pointers */
  uint64_t place;              /* eyoti_place_word */
  uint32_t hash, refused;
  char name[NAME_BYTES]; /* empty: the arguments are not known */
};

struct shown_calls {
  uint64_t check; /* the hash of what follows */
  uint32_t n;     /* calls, of which the last are shown */
  uint32_t unit;
  struct shown_call call[EYOTI_PAST_KEPT]; /* by number */
};
_Static_assert(sizeof(struct shown_calls) % 8 == 0, "they are whole words");

static uint64_t check_of(const struct shown_calls *s) {
  uint64_t word, h = 1;
  for (size_t i = sizeof s->check; i < sizeof *s; i += sizeof word) {
    memcpy(&word, (const char *)s + i, sizeof word);
    h = eyoti_hash_mix(h, word);
  }
  return h;
}

/* The arguments of a call whose plan is kept may be known from there. */
static void show_args(const struct eyoti_coll_team *ct, struct shown_call *s) {
  const struct eyoti_past_args *args = past_find(ct->past, s->hash);
  const char *name = NULL;
  if (args->hash == s->hash) {
    s->note = args->note;
    s->refused = args->refused;
    name = args->note.name;
  }
  for (uint32_t i = 0; i < EYOTI_PLANS_KEPT && name == NULL; i++) {
    const struct eyoti_plan *p = ct->kept[i];
    if (p == NULL || p->hash != s->hash) continue;
    eyoti_coll_note_args(&s->note, &p->args);
    name = eyoti_coll_name(p->args.function);
  }
  s->note.set = s->note.site = s->note.name = NULL;
  s->note.words = NULL;
  if (name != NULL) snprintf(s->name, sizeof s->name, "%s", name);
}

/* Where they are in a board: after the words that are no epoch's. */
static uint64_t shown_off(const struct eyoti_channel *ch) {
  return eyoti_channel_least_off(ch) + 8;
}

/* In the caller's board: all members have retired what they have sent. What may still come by a
 * message is for lesser numbers. */
static void show(struct eyot_rt *rt, struct eyoti_coll_team *ct) {
  struct eyoti_channel *ch = &ct->blocking;
  struct shown_calls *s = (struct shown_calls *)(void *)(ch->first.base + shown_off(ch));
  struct fab *f = rt->fab;
  EYOTI_ASSERT(shown_off(ch) + sizeof *s <= eyoti_channel_board_bytes(ch, 0));
  if (f->ops->message_least != NULL) {
    const struct fab_addr *own = &ch->first.own;
    struct fab_addr least = fab_at(own->unit, own->seg, own->off + eyoti_channel_least_off(ch));
    (void)f->ops->message_least(f, least, UINT64_MAX);
  }
  *s = (struct shown_calls){.n = ct->one_way, .unit = f->me};
  uint32_t first = s->n > EYOTI_PAST_KEPT ? s->n - EYOTI_PAST_KEPT : 0;
  for (uint32_t i = first; i < s->n && ct->past != NULL; i++) {
    uint32_t at = i % EYOTI_PAST_KEPT;
    s->call[at].place = eyoti_place_word(rt, ct->past->site[at]);
    s->call[at].hash = ct->past->hash[at];
    show_args(ct, &s->call[at]);
  }
  s->check = check_of(s);
}

/* Gets those of a unit; false: they are not known. */
static bool see(struct eyot_rt *rt, struct eyoti_coll_team *ct, uint32_t unit,
                struct shown_calls *s) {
  struct fab *f = *eyoti_forward_last(&rt->fab); /* not counted, as it depends on a mistake */
  struct fab_addr at;
  struct eyoti_channel *ch = &ct->blocking;
  if (eyoti_channel_at(ch, 0, unit, shown_off(ch), sizeof *s, &at) != EYOT_OK) return false;
  return fab_get_wait(f, s, at, sizeof *s) == EYOT_OK && s->check == check_of(s) && s->unit == unit;
}

/* -- messages ---------------------------------------------------------------------------------- */

#define CALL_WORDS 400u

/* The first number, of those that are known, of calls that differ; or of a call that only one has.
 * False: there is none. */
static bool find_differs(const struct shown_calls *a, const struct shown_calls *b, uint32_t *at) {
  uint32_t most = a->n > b->n ? a->n : b->n;
  for (uint32_t i = most > EYOTI_PAST_KEPT ? most - EYOTI_PAST_KEPT : 0; i < most; i++) {
    const struct shown_call *x = &a->call[i % EYOTI_PAST_KEPT], *y = &b->call[i % EYOTI_PAST_KEPT];
    *at = i;
    if (i >= a->n || i >= b->n || x->hash != y->hash) return true;
  }
  return false;
}

/* "unit 2 called eyot_reduce with root 1, ..., at a.c:12 (main)" */
static void call_words(const struct eyot_rt *rt, const struct shown_calls *s, uint32_t at,
                       char text[CALL_WORDS]) {
  const struct shown_call *c = &s->call[at % EYOTI_PAST_KEPT];
  char place[EYOTI_CODE_LINE], args[EYOTI_ARGS_WORDS] = "";
  if (at >= s->n) {
    eyoti_snprintf(text, CALL_WORDS, "unit %u made none in its place", s->unit);
    return;
  }
  if (c->name[0] != '\0') (void)eyoti_coll_noted_words(&c->note, args);
  eyoti_snprintf(text, CALL_WORDS, "unit %u called %.*s%s%s at %s", s->unit, (int)NAME_BYTES,
                 c->name[0] != '\0' ? c->name : "one of them", args,
                 c->refused != 0 ? ", which was refused," : "",
                 eyoti_place_word_text(rt, s->unit, c->place, place));
}

#define DIFFER                                                                                    \
  "members of %s have called different broadcasts, reductions, gathers, scatters or scans since " \
  "its last call that all members wait for"

static EYOTI_APART int say(const struct eyot_rt *rt, const struct eyoti_team *t,
                           const struct shown_calls *a, const struct shown_calls *b) {
  char one[CALL_WORDS], other[CALL_WORDS];
  uint32_t at;
  bool found = find_differs(a, b, &at);
  if (!found && a->n > EYOTI_PAST_KEPT)
    return EYOTI_FAIL(EYOT_EMISMATCH,
                      DIFFER ": before the last %u of %" PRIu32
                             " calls, which agree, or in one "
                             "that an earlier message names",
                      EYOTI_TEAM_WORDS(t), EYOTI_PAST_KEPT, a->n);
  if (!found)
    return EYOTI_FAIL(EYOT_EMISMATCH, DIFFER ": in a call that an earlier message names",
                      EYOTI_TEAM_WORDS(t));
  call_words(rt, a, at, one);
  call_words(rt, b, at, other);
  return EYOTI_FAIL(EYOT_EMISMATCH, DIFFER ": as call %" PRIu32 " of these, %s; %s",
                    EYOTI_TEAM_WORDS(t), at + 1, one, other);
}

static int say_that(const struct eyoti_team *t) {
  return EYOTI_FAIL(EYOT_EMISMATCH, DIFFER, EYOTI_TEAM_WORDS(t));
}

/* -- comparing --------------------------------------------------------------------------------- */

/* The time of the first wait in vain; 0: there was none, and the fabric was not asked. */
struct waited {
  uint64_t since_ns;
};

static bool is_over(struct eyot_rt *rt, struct waited *w, uint64_t most_ns) {
  uint64_t now = rt->fab->ops->now_ns(rt->fab);
  if (w->since_ns == 0) w->since_ns = now > FIRST_NS ? now - FIRST_NS : 1;
  return now > w->since_ns && now - w->since_ns >= most_ns;
}

/* Where schedules are explored a time-out is one, at any time. */
static int advance_first(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_ctl_step *s) {
  return eyoti_ctl_advance(rt->fab, &t->ctl, s, rt->observed ? FAB_FOREVER : FIRST_NS);
}

/* An exchange after which members know that they differ, or which ends the team. */
static int meet(struct eyot_rt *rt, struct eyoti_team *t, struct waited *w,
                const enum eyoti_ctl_op *ops, uint64_t *words, uint32_t n) {
  struct eyoti_ctl_step s = {.ops = ops, .n = (uint16_t)n};
  if (n > 0) memcpy(s.words, words, n * sizeof *words);
  int rc = eyoti_ctl_begin(rt->fab, &t->ctl, &s);
  bool entered = rc == EYOT_OK;
  if (entered) rc = advance_first(rt, t, &s);
  while (rc == EYOT_ETIMEOUT && !is_over(rt, w, WAIT_NS))
    rc = eyoti_ctl_advance(rt->fab, &t->ctl, &s, PAUSE_NS);
  if (rc != EYOT_OK && rc != EYOT_EMISMATCH) eyoti_ctl_leave(rt->fab, &t->ctl, entered);
  if (rc == EYOT_OK && n > 0) memcpy(words, s.words, n * sizeof *words);
  return rc;
}

/* The history and the unit of a member; and the greatest and the least of all. */
enum { MOST = 0, LEAST, APART, EXTREMES };
static void extremes_of(const struct eyot_rt *rt, const struct eyoti_team *t,
                        uint64_t words[EXTREMES]) {
  words[MOST] = words[LEAST] = (uint64_t)t->coll->history << 32 | rt->fab->me;
  words[APART] = eyoti_team_is_apart(t);
}
static bool extremes_differ(const uint64_t words[EXTREMES]) {
  return words[MOST] >> 32 != words[LEAST] >> 32;
}

/* Returns EMISMATCH. */
static int past_report(struct eyot_rt *rt, struct eyoti_team *t, struct waited *w,
                       const uint64_t words[EXTREMES]) {
  struct eyoti_coll_team *ct = t->coll;
  bool large = ct->blocking.hot_bytes != UINT64_MAX, known = false;
  if (large || !eyoti_channel_has(&ct->blocking, 0)) return say_that(t);
  struct shown_calls *s = malloc(2 * sizeof *s);
  show(rt, ct);
  if (meet(rt, t, w, NULL, NULL, 0) == EYOT_OK) {
    known = s != NULL && see(rt, ct, (uint32_t)words[MOST], &s[0]) &&
            see(rt, ct, (uint32_t)words[LEAST], &s[1]);
    (void)meet(rt, t, w, NULL, NULL, 0);
  }
  int rc = known ? say(rt, t, &s[0], &s[1]) : say_that(t);
  free(s);
  return rc;
}

static const enum eyoti_ctl_op OPS[EXTREMES] = {EYOTI_CTL_MAX, EYOTI_CTL_MIN, EYOTI_CTL_OR};

/* In the first exchange the words of all members are equal if what some of them have is what all
 * have. */
int eyoti_past_compare(struct eyot_rt *rt, struct eyoti_team *t, bool *met) {
  static const enum eyoti_ctl_op ORS[] = {EYOTI_CTL_OR, EYOTI_CTL_OR};
  struct eyoti_channel *ch = &t->coll->blocking;
  uint64_t words[EXTREMES] = {t->coll->history, ~(uint64_t)t->coll->history};
  struct waited w = {0};
  int rc = eyoti_ctl_exchange(rt->fab, &t->ctl, ORS, words, 2);
  *met = rc != EYOT_EMISMATCH;
  if (rc != EYOT_OK || words[0] == ~words[1]) return rc;
  extremes_of(rt, t, words);
  (void)eyoti_channel_retire(ch, ch->number);
  if (meet(rt, t, &w, OPS, words, EXTREMES) != EYOT_OK || !extremes_differ(words))
    return say_that(t);
  return past_report(rt, t, &w, words);
}

/* -- teams that are left ----------------------------------------------------------------------- */
/* Where a member does not come, as it does not have the team, the others begin the exchanges of all
 * their teams, so that none waits for them in turn, and look at each; what is found is reported in
 * the order of ids afterwards. */

struct left_team {
  struct eyoti_team *t;
  struct eyoti_ctl_step step;
  int rc; /* ETIMEOUT: the exchange goes on */
  bool entered;
};

struct left {
  struct eyot_rt *rt;
  struct waited waited;
  uint32_t n;
  struct left_team *team; /* in the order of ids; NULL: they are counted */
};

static void team_left(struct eyoti_team *t, void *arg) {
  struct left *l = arg;
  if (t->handle.id == EYOT_TEAM_ALL.id || t->size == 1 || t->coll == NULL) return;
  if (eyoti_order_is_apart(t)) return; /* all have told so, and may have freed t->coll */
  if (l->team != NULL) l->team[l->n].t = t;
  l->n++;
}

static void left_begin(struct left *l, struct left_team *x) {
  x->step = (struct eyoti_ctl_step){.ops = OPS, .n = EXTREMES};
  extremes_of(l->rt, x->t, x->step.words);
  eyoti_ctl_anew(&x->t->ctl);
  x->rc = eyoti_ctl_begin(l->rt->fab, &x->t->ctl, &x->step);
  x->entered = x->rc == EYOT_OK;
  if (x->entered) x->rc = EYOT_ETIMEOUT;
}

/* Looks once at each exchange that goes on, with a pause at the first. Whether there is none. */
static bool left_look(struct left *l) {
  uint64_t pause = PAUSE_NS;
  for (uint32_t i = 0; i < l->n; i++) {
    struct left_team *x = &l->team[i];
    if (x->rc != EYOT_ETIMEOUT) continue;
    x->rc = eyoti_ctl_advance(l->rt->fab, &x->t->ctl, &x->step, pause);
    if (x->rc == EYOT_ETIMEOUT) pause = 0;
  }
  return pause == PAUSE_NS;
}

static void left_exchange(struct left *l) {
  uint32_t i = 0;
  for (int rc = EYOT_OK; i < l->n && rc != EYOT_ETIMEOUT; i++) {
    left_begin(l, &l->team[i]);
    if (l->team[i].entered)
      l->team[i].rc = rc = advance_first(l->rt, l->team[i].t, &l->team[i].step);
  }
  if (i > 0 && l->team[i - 1].rc != EYOT_ETIMEOUT) return;
  for (; i < l->n; i++) left_begin(l, &l->team[i]);
  while (!is_over(l->rt, &l->waited, COMPARE_NS) && !left_look(l)) continue;
}

static int left_end(struct left *l, struct left_team *x) {
  struct eyot_rt *rt = l->rt;
  struct eyoti_team *t = x->t;
  const uint64_t *words = x->step.words;
  if (x->rc != EYOT_OK && x->rc != EYOT_EMISMATCH) eyoti_ctl_leave(rt->fab, &t->ctl, x->entered);
  if (x->rc == EYOT_ETIMEOUT) {
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "a member of %s does not compare its calls with the others: it has not made the "
              "team, or has destroyed it, see earlier errors",
              EYOTI_TEAM_WORDS(t));
    return EYOT_OK;
  }
  /* of a team whose members are apart all have told so */
  if (x->rc != EYOT_OK || words[APART] != 0 || !extremes_differ(words)) return x->rc;
  return past_report(rt, t, &l->waited, words);
}

int eyoti_past_compare_left(struct eyot_rt *rt) {
  struct left l = {.rt = rt};
  eyoti_teams_each(rt, team_left, &l);
  if (l.n == 0) return EYOT_OK;
  l.team = calloc(l.n, sizeof *l.team);
  if (l.team == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to compare the calls of %u teams", l.n);
  l.n = 0;
  eyoti_teams_each(rt, team_left, &l);
  left_exchange(&l);
  int rc = EYOT_OK;
  for (uint32_t i = 0; i < l.n; i++) {
    int ended = left_end(&l, &l.team[i]);
    if (rc == EYOT_OK) rc = ended;
  }
  free(l.team);
  int flushed = fab_flush_end(rt->fab, FAB_ALL, FAB_REMOTE);
  return rc != EYOT_OK ? rc : flushed;
}
