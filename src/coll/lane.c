/* SPDX-License-Identifier: BSD-3-Clause */
/* lane.c - implements lane.h, and the functions of eyot/coll_nb.h that take a handle.
 *
 * A team has a few lanes, each a channel of its own, which the calls take in turn: as all members
 * start the same calls in the same order, a call has the same lane on all of them. In a lane calls
 * go on one after the other, as the channel asks for; lanes go on independently. What a lane waits
 * for is a watch (sync/watch.h), so every call of eyot continues it, a lane whose owner waits only
 * in that wait.
 *
 * A call that is queued waits for no member but by its watch: its boards are there (request.h). */
#include "coll/lane.h"

#include <eyot/coll_nb.h>
#include <stdlib.h>

#include "coll/request.h"
#include "coll/select.h"
#include "rt/place.h"
#include "teams/agree.h"
#include "teams/order.h"

#define RENEW_CALLS 65536u

struct lane {
  struct eyoti_line line; /* first */
  struct eyoti_channel ch;
  bool open;      /* the channel has its first board */
  uint32_t calls; /* that were started in it */
};

struct eyoti_lanes {
  struct lane lane[EYOTI_LANES];
  uint32_t started; /* calls, of all members alike */
  uint32_t outstanding;
  bool watched;
};

/* -- a lane ------------------------------------------------------------------------------------ */

static int lane_go(struct eyoti_line *line, struct eyoti_work *w, bool wait) {
  struct lane *lane = (struct lane *)(void *)line;
  return eyoti_request_go(&lane->ch, (struct eyoti_request *)(void *)w, wait);
}

static uint32_t lane_awaits(const struct eyoti_work *w, struct fab_cond cond[EYOTI_WATCH_CONDS],
                            const uint64_t *word[EYOTI_WATCH_CONDS]) {
  return eyoti_run_awaits(&((const struct eyoti_request *)(const void *)w)->op, cond, word);
}

static const struct eyoti_line_ops OPS = {lane_go, lane_awaits};

/* -- a team's lanes ---------------------------------------------------------------------------- */

/* Between two calls to the fabric: without calls under way nothing is watched. */
static void unwatch(struct eyot_rt *rt, struct eyoti_lanes *ls) {
  for (uint32_t i = 0; i < EYOTI_LANES; i++)
    if (ls->lane[i].line.head != NULL) return;
  if (!ls->watched) return;
  for (uint32_t i = 0; i < EYOTI_LANES; i++) eyoti_watch_remove(rt, &ls->lane[i].line.watch);
  ls->watched = false;
}
static void watch(struct eyot_rt *rt, struct eyoti_lanes *ls) {
  for (uint32_t i = 0; i < EYOTI_LANES && !ls->watched; i++)
    eyoti_watch_add(rt, &ls->lane[i].line.watch);
  ls->watched = true;
}

/* Collective, blocking at the first call. */
static int lanes_get(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_lanes **out) {
  EYOTI_TRY(eyoti_coll_open(rt, t));
  struct eyoti_coll_team *ct = t->coll;
  if (ct->lanes == NULL) {
    struct eyoti_lanes *ls = calloc(1, sizeof *ls);
    int rc =
        ls != NULL ? EYOT_OK : EYOTI_FAIL(EYOT_ENOMEM, "no memory for non-blocking collectives");
    eyoti_team_agrees(t);
    EYOTI_TRY(eyoti_team_agreed(t, eyoti_agree_done(rt->fab, &t->ctl, rc)));
    for (uint32_t i = 0; i < EYOTI_LANES; i++) {
      eyoti_line_init(&ls->lane[i].line, rt, &OPS);
      eyoti_channel_init(&ls->lane[i].ch, rt, t);
      ls->lane[i].ch.inside = true;
    }
    ct->lanes = ls;
  }
  *out = ct->lanes;
  return EYOT_OK;
}

/* Collective; blocks at the lane's first call, and at every RENEW_CALLS-th: how many numbers of
 * operations are used up, all members know alike only while no call is under way. */
static int lane_open(struct lane *lane) {
  if (!lane->open) {
    eyoti_team_agrees(lane->ch.t);
    EYOTI_TRY(eyoti_team_agreed(lane->ch.t, eyoti_channel_make(&lane->ch, 0)));
  }
  lane->open = true;
  if (++lane->calls % RENEW_CALLS != 0) return EYOT_OK;
  eyoti_line_drain(&lane->line);
  return eyoti_channel_renew(&lane->ch, EYOTI_NUMBER_LAST / 2);
}

/* -- start ------------------------------------------------------------------------------------- */

/* Makes the boards that the call needs, if they are not there: when the lane has no other call, and
 * after a comparison, so that all members make them. */
static int request_boards(struct lane *lane, struct eyoti_request *q) {
  struct eyoti_channel *ch = &lane->ch;
  struct eyoti_plan later = {.words = q->asked.later.words, .board_bytes = q->asked.later.bytes};
  bool there = eyoti_coll_has_board(ch, q->plan) && eyoti_coll_has_board(ch, &later) &&
               (q->last == NULL || eyoti_coll_has_board(ch, q->last));
  q->compares = eyoti_request_is_long(q);
  if (there) return EYOT_OK;
  eyoti_line_drain(&lane->line);
  q->compares = false;
  const char *what = q->rt->fab->note.what;
  q->rt->fab->note.what = lane->line.watch.what; /* handles of its puts are not the program's */
  int rc = eyoti_coll_confirm(ch, &q->call.args, q->call.hash);
  if (rc == EYOT_OK) rc = eyoti_coll_board(ch, q->plan);
  if (rc == EYOT_OK) rc = eyoti_coll_board(ch, &later);
  if (rc == EYOT_OK && q->last != NULL) rc = eyoti_coll_board(ch, q->last);
  q->rt->fab->note.what = what;
  return rc;
}

static void request_queue(struct lane *lane, struct eyoti_request *q) {
  q->started = true;
  q->number = eyoti_team_number(q->t);
  q->line = &lane->line;
  q->at = 0;
  q->begun = false;
  q->refused = EYOT_OK;
  eyoti_line_add(q->line, &q->work);
}

static int request_alone(struct eyoti_request *q) {
  q->call = q->asked;
  q->work = (struct eyoti_work){.over = true, .rc = eyoti_coll_alone(&q->call, q->t)};
  q->started = true;
  return EYOT_OK;
}

/* Begins the call, which has its lane. */
static int request_begin(struct eyot_rt *rt, struct lane *lane, struct eyoti_request *q,
                         const struct eyoti_coll_call *c, int refused) {
  struct eyoti_team *t = lane->ch.t;
  struct eyoti_lanes *ls = t->coll->lanes;
  if (refused == EYOT_OK) {
    q->call = *c;
    refused = eyoti_coll_turn(&q->call, t, 0);
  }
  if (refused == EYOT_OK) eyoti_select_call(rt, t, &q->call);
  if (refused == EYOT_OK) refused = eyoti_request_plans(q);
  if (__builtin_expect(rt->coll->check, 0)) {
    eyoti_team_agrees(t);
    EYOTI_TRY(eyoti_team_agreed(t, eyoti_coll_agree(rt, t, &c->args, refused)));
  }
  const struct eyoti_plan *p = refused == EYOT_OK ? q->plan : NULL;
  uint32_t hash = eyoti_coll_next_hash(t->coll, c, p, &c->args, refused != EYOT_OK);
  if (refused != EYOT_OK) {
    eyoti_line_drain(&lane->line);
    unwatch(rt, ls);
    return eyoti_coll_refuse(&lane->ch, &c->args, hash, refused);
  }
  q->call.hash = hash;
  EYOTI_TRY(request_boards(lane, q));
  ls->outstanding++;
  request_queue(lane, q);
  watch(rt, ls);
  if (q->line->head == &q->work) eyoti_line_advance(q->line, false);
  return EYOT_OK;
}

/* Gives the call its lane, and begins it. q: NULL if it is refused. */
static int request_start(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_request *q,
                         const struct eyoti_coll_call *c, int refused) {
  struct eyoti_lanes *ls;
  if (t->size == 1) return refused != EYOT_OK ? refused : request_alone(q);
  EYOTI_TRY(lanes_get(rt, t, &ls));
  struct lane *lane = &ls->lane[ls->started % EYOTI_LANES];
  EYOTI_TRY(lane_open(lane));
  ls->started++; /* all members have the lane */
  if (refused == EYOT_OK) refused = eyoti_watch_reserve(rt, EYOTI_LANES);
  if (refused != EYOT_OK) return request_begin(rt, lane, q, c, refused);
  eyoti_watch_hold(rt, EYOTI_LANES);
  int rc = request_begin(rt, lane, q, c, EYOT_OK);
  eyoti_watch_release(rt, EYOTI_LANES);
  return rc;
}

static int refuse_null(const eyot_coll_t *handle, int refused) {
  if (handle != NULL || refused != EYOT_OK) return refused;
  return EYOTI_FAIL(EYOT_EINVAL, "handle is NULL, expected a place for it");
}

static int refuse_more(const struct eyoti_team *t) {
  const struct eyoti_lanes *ls = t->coll != NULL ? t->coll->lanes : NULL;
  if (ls == NULL || ls->outstanding < EYOTI_OUTSTANDING) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EBUSY, "%u collectives of %s are outstanding: complete one first",
                    EYOTI_OUTSTANDING, EYOTI_TEAM_WORDS(t));
}

/* Buffers that have gaps, or that the call writes too, may change. */
static void observe_source(struct eyot_rt *rt, const struct eyoti_request *q) {
  const struct eyoti_coll_call *c = &q->asked;
  uintptr_t in = (uintptr_t)c->in, out = (uintptr_t)c->out;
  bool apart = in < out ? out - in >= c->reads : in - out >= c->writes;
  if (c->args.in == NULL && c->stages == NULL && (apart || c->writes == 0))
    eyoti_observe_source(rt, q, c->in, c->reads);
}

int eyoti_lane_start(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     int refused, eyot_coll_t *handle) {
  struct eyoti_request *q = NULL;
  int rc = refuse_more(t);
  if (rc == EYOT_OK) {
    refused = refuse_null(handle, refused);
    if (refused == EYOT_OK) refused = eyoti_request_new(rt, t, c, &q);
    rc = request_start(rt, t, q, c, refused);
  }
  if (rc == EYOT_OK) {
    observe_source(rt, q);
    *handle = q->handle;
  } else if (q != NULL)
    eyoti_request_free(q);
  else
    eyoti_coll_finish(c);
  return rc;
}

int eyoti_lane_plan(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                    int refused, eyot_coll_t *handle) {
  struct eyoti_request *q;
  int rc = refuse_null(handle, refused);
  if (rc == EYOT_OK) rc = eyoti_request_new(rt, t, c, &q);
  if (rc != EYOT_OK) {
    eyoti_coll_finish(c);
    return rc;
  }
  q->persistent = true;
  *handle = q->handle;
  return EYOT_OK;
}

int eyoti_lane_other(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     struct eyoti_other *other, eyot_coll_t *handle) {
  struct eyoti_request *q;
  EYOTI_TRY(eyoti_request_new(rt, t, c, &q));
  q->other = other;
  q->line = other->line;
  q->started = c->args.form == EYOTI_COLL_NONBLOCKING;
  q->number = eyoti_team_number(t) + 1; /* it is entered next */
  q->persistent = !q->started;
  *handle = q->handle;
  return EYOT_OK;
}

static int other_start(struct eyoti_request *q) {
  EYOTI_TRY(q->other->start(q->other));
  q->started = true;
  q->number = eyoti_team_number(q->t);
  return EYOT_OK;
}

/* For reports of the call that runs. */
static struct eyoti_about_coll about(const struct eyot_rt *rt, const struct eyoti_request *q) {
  return (struct eyoti_about_coll){rt->fab->note.what, q->what, q->site};
}

int eyot_coll_start(eyot_coll_t op) {
  EYOTI_ENTER(rt);
  struct eyoti_request *q;
  EYOTI_TRY(eyoti_request_get(rt, op, &q));
  const struct eyoti_coll_call *c = &q->asked;
  if (!q->persistent)
    return EYOTI_FAIL(EYOT_ESTATE, "%s is no plan, and has been started by its own call",
                      eyoti_coll_name(c->args.function));
  if (q->started)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the plan of %s has been started and not completed: call "
                      "eyot_coll_wait first",
                      eyoti_coll_name(c->args.function));
  if (q->other != NULL) return other_start(q);
  EYOTI_TRY(refuse_more(q->t));
  EYOTI_TRY(eyoti_coll_enter(rt, q->t, c, EYOT_OK));
  rt->about_coll = about(rt, q);
  int rc = request_start(rt, q->t, q, c, EYOT_OK);
  rt->about_coll.call = NULL;
  if (rc == EYOT_OK) observe_source(rt, q);
  return rc;
}

/* -- completion -------------------------------------------------------------------------------- */

static struct eyoti_lanes *lanes_of(const struct eyoti_request *q) {
  return q->t->size > 1 && q->other == NULL ? q->t->coll->lanes : NULL;
}

/* What is in the line. */
static inline const struct eyoti_work *work_of(const struct eyoti_request *q) {
  return q->other != NULL ? &q->other->work : &q->work;
}

/* Ends a call that is over, and its handle unless it is a plan. */
static int complete(struct eyoti_request *q, eyot_coll_t *op) {
  int rc = work_of(q)->rc;
  struct eyoti_lanes *ls = lanes_of(q);
  const struct eyoti_coll_call *c = q->other != NULL ? &q->asked : &q->call;
  if (rc == EYOT_OK) eyoti_coll_written(q->rt, q->t, c, q->asked.out);
  eyoti_observe_completed(q->rt, q);
  if (ls != NULL) {
    ls->outstanding--;
    unwatch(q->rt, ls);
  }
  if (q->other != NULL) q->other->completed(q->other);
  q->started = false;
  if (q->persistent) return rc;
  eyoti_request_free(q);
  *op = EYOT_COLL_DONE;
  return rc;
}

static int completable(struct eyot_rt *rt, const eyot_coll_t *op, struct eyoti_request **q) {
  *q = NULL;
  if (op == NULL) return EYOTI_FAIL(EYOT_EINVAL, "handle is NULL");
  if (op->id == 0) return EYOT_OK;
  EYOTI_TRY(eyoti_request_get(rt, *op, q));
  if ((*q)->started) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ESTATE, "the plan of %s has not been started: call eyot_coll_start first",
                    eyoti_coll_name((*q)->asked.args.function));
}

static int coll_wait(struct eyot_rt *rt, eyot_coll_t *op) {
  struct eyoti_request *q;
  EYOTI_TRY(completable(rt, op, &q));
  if (q == NULL) return EYOT_OK;
  eyoti_team_waits(rt, q->t, q->number);
  rt->about_coll = about(rt, q);
  while (!work_of(q)->over) eyoti_line_advance(q->line, true);
  rt->about_coll.call = NULL;
  return complete(q, op);
}

int eyot_coll_wait(eyot_coll_t *op) {
  EYOTI_ENTER(rt);
  return coll_wait(rt, op);
}

int eyot_coll_wait_all(eyot_coll_t *ops, size_t n) {
  EYOTI_ENTER(rt);
  if (ops == NULL && n > 0)
    return EYOTI_FAIL(EYOT_EINVAL, "handles is NULL, expected %zu of them", n);
  int first = EYOT_OK;
  for (size_t i = 0; i < n; i++) {
    int rc = coll_wait(rt, &ops[i]);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

/* A call that members call otherwise is never over: its tests learn that from the others, and tell
 * them. In its lane the first call goes on. */
static int poll(struct eyot_rt *rt, const struct eyoti_request *q) {
  eyoti_team_waits(rt, q->t, q->number);
  if (!eyoti_order_due(rt)) return EYOT_OK;
  EYOTI_TRY(eyoti_order_look(rt));
  struct eyoti_request *first = (struct eyoti_request *)(void *)q->line->head;
  if (q->other != NULL || !first->begun) return EYOT_OK;
  (void)eyoti_run_look(&first->op); /* what the fabric cannot do is found by the next wait */
  eyoti_line_advance(q->line, false);
  return EYOT_OK;
}

/* Of members that are apart every wait ends. */
static void end_apart(const struct eyoti_request *q) {
  while (!work_of(q)->over) eyoti_line_advance(q->line, true);
}

int eyot_coll_test(eyot_coll_t *op, bool *done) {
  EYOTI_ENTER(rt);
  struct eyoti_request *q;
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  EYOTI_TRY(completable(rt, op, &q));
  if (q != NULL && !work_of(q)->over) {
    rt->about_coll = about(rt, q);
    int rc = rt->fab->ops->progress(rt->fab);
    if (rc == EYOT_OK) {
      eyoti_line_advance(q->line, false);
      if (!work_of(q)->over && poll(rt, q) != EYOT_OK) end_apart(q);
    }
    rt->about_coll.call = NULL;
    EYOTI_TRY(rc);
  }
  *done = q == NULL || work_of(q)->over;
  return *done && q != NULL ? complete(q, op) : EYOT_OK;
}

int eyot_coll_free(eyot_coll_t *op) {
  EYOTI_ENTER(rt);
  struct eyoti_request *q;
  if (op == NULL) return EYOTI_FAIL(EYOT_EINVAL, "handle is NULL");
  if (op->id == 0) return EYOT_OK;
  EYOTI_TRY(eyoti_request_get(rt, *op, &q));
  if (q->started)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "%s has been started and not completed: call eyot_coll_wait first",
                      eyoti_coll_name(q->asked.args.function));
  eyoti_request_free(q);
  *op = EYOT_COLL_DONE;
  return EYOT_OK;
}

/* -- the end ----------------------------------------------------------------------------------- */

int eyoti_lane_close(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_lanes *ls = t->coll->lanes;
  int rc = EYOT_OK;
  if (ls == NULL) return EYOT_OK;
  EYOTI_TRY(eyoti_agree_end_team(rt->fab, &t->ctl, eyoti_team_colls_done(t)));
  for (uint32_t i = 0; i < EYOTI_LANES; i++) {
    if (ls->lane[i].open) {
      int dropped = eyoti_channel_drop(&ls->lane[i].ch);
      if (rc == EYOT_OK) rc = dropped;
    }
    eyoti_channel_fini(&ls->lane[i].ch);
  }
  free(ls);
  t->coll->lanes = NULL;
  return rc;
}

#define NAMED_MOST 8u /* handles that are left in a team; the others are counted */

static void request_left(struct eyot_rt *rt, const struct eyoti_request *q) {
  char text[EYOTI_CODE_LINE];
  const char *place = eyoti_place_text(rt, eyoti_place_of(rt, q->site), text);
  if (q->started)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "not completed before: a collective of %s (%s at %s)", EYOTI_TEAM_WORDS(q->t),
              q->what, place);
  else
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not freed before: a plan of %s (%s at %s)",
              EYOTI_TEAM_WORDS(q->t), q->what, place);
}

static void end_requests(struct eyoti_team *t, void *arg) {
  struct eyot_rt *rt = arg;
  struct eyoti_lanes *ls = t->coll != NULL ? t->coll->lanes : NULL;
  struct eyoti_idtab *ids = &rt->coll->ops;
  eyoti_team_waits(rt, t, eyoti_team_number(t));
  for (uint32_t i = 0; ls != NULL && i < EYOTI_LANES; i++) eyoti_line_drain(&ls->lane[i].line);
  if (ls != NULL) unwatch(rt, ls);
  if (t->colls_open == 0) return;
  uint32_t n = 0;
  for (uint32_t i = ids->first; i < eyoti_idtab_top(ids); i++) {
    struct eyoti_request *q = eyoti_idtab_at(ids, i);
    if (q == NULL || q->t != t) continue;
    if (n++ < NAMED_MOST) request_left(rt, q);
    eyoti_request_free(q);
  }
  if (n > NAMED_MOST)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "not completed, or plans that were not freed: %u collectives of %s in all", n,
              EYOTI_TEAM_WORDS(t));
}

void eyoti_lane_stop(struct eyot_rt *rt) {
  const struct eyoti_in_team in = rt->in;
  eyoti_teams_each(rt, end_requests, rt);
  rt->in = in;
}

void eyoti_lane_free(struct eyoti_team *t) {
  struct eyoti_lanes *ls = t->coll->lanes;
  if (ls == NULL) return;
  for (uint32_t i = 0; i < EYOTI_LANES; i++) eyoti_channel_fini(&ls->lane[i].ch);
  free(ls);
  t->coll->lanes = NULL;
}
