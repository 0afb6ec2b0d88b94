/* SPDX-License-Identifier: BSD-3-Clause */
/* lane.c - implements lane.h, and the functions of eyot/coll_nb.h that take a handle.
 *
 * A team has a few lanes, each a channel of its own, which the calls take in turn: as all members
 * start the same calls in the same order, a call has the same lane on all of them. In a lane calls
 * go on one after the other, as the channel asks for; lanes go on independently. What a lane waits
 * for is a watch (sync/watch.h), so every call of eyot continues it, a lane whose owner waits only
 * in that wait.
 *
 * A call that is queued waits for no member but by its watch: the lanes and larger boards are made
 * in steps too (lanes.c, request.c). */
#include <eyot/coll_nb.h>
#include <stdlib.h>

#include "coll/lanes.h"
#include "coll/select.h"
#include "rt/place.h"
#include "teams/agree.h"
#include "teams/order.h"

#define RENEW_CALLS 65536u

/* -- a lane ------------------------------------------------------------------------------------ */

static int lane_go(struct eyoti_line *line, struct eyoti_work *w, bool wait) {
  struct eyoti_lane *lane = (struct eyoti_lane *)(void *)line;
  return eyoti_request_go(&lane->ch, (struct eyoti_request *)(void *)w, wait);
}

static uint32_t lane_awaits(const struct eyoti_work *w, struct fab_cond cond[EYOTI_WATCH_CONDS],
                            const uint64_t *word[EYOTI_WATCH_CONDS]) {
  return eyoti_run_awaits(&((const struct eyoti_request *)(const void *)w)->op, cond, word);
}

const struct eyoti_line_ops eyoti_lane_ops = {lane_go, lane_awaits};

/* Collective; blocks at every RENEW_CALLS-th call: how many numbers of operations are used up, all
 * members know alike only while no call is under way. */
static int lane_take(struct eyoti_lanes *ls, struct eyoti_lane **out) {
  struct eyoti_lane *lane = &ls->lane[ls->started % EYOTI_LANES];
  *out = lane;
  if (++lane->calls % RENEW_CALLS == 0) {
    eyoti_line_drain(&lane->line);
    EYOTI_TRY(eyoti_channel_renew(&lane->ch, EYOTI_NUMBER_LAST / 2));
  }
  ls->started++; /* all members have the lane */
  return EYOT_OK;
}

/* -- start ------------------------------------------------------------------------------------- */

static void request_queue(struct eyoti_lanes *ls, struct eyoti_lane *lane,
                          struct eyoti_request *q) {
  q->line = &lane->line;
  q->work.what = eyoti_coll_name(q->asked.args.function);
  eyoti_line_add(q->line, &q->work);
  eyoti_lanes_watch(ls);
  if (q->line->head == &q->work) eyoti_line_advance(q->line, false);
}

static void request_started(struct eyoti_request *q) {
  q->started = true;
  q->number = eyoti_team_number(q->t);
  q->work.over = false;
  q->at = 0;
  q->begun = false;
  q->fresh = true;
  q->refused = EYOT_OK;
  q->counted = false;
}

static int request_alone(struct eyoti_request *q) {
  q->call = q->asked;
  q->work = (struct eyoti_work){.over = true, .rc = eyoti_coll_alone(&q->call, q->t)};
  q->started = true;
  return EYOT_OK;
}

static int request_choose(struct eyoti_request *q) {
  q->call = q->asked;
  EYOTI_TRY(eyoti_coll_turn(&q->call, q->t, 0));
  eyoti_select_call(q->rt, q->t, &q->call);
  return eyoti_request_plans(q);
}

/* What the call needs before its lane is free. */
static int request_prepare(struct eyoti_lane *lane, struct eyoti_request *q) {
  EYOTI_TRY(request_choose(q));
  return eyoti_request_reserve(&lane->ch, q);
}

static uint32_t request_hash(struct eyoti_request *q, int refused) {
  const struct eyoti_plan *p = refused == EYOT_OK ? q->plan : NULL;
  const struct eyoti_coll_call *c = &q->asked;
  if (p != NULL) eyoti_team_passes(q->t, p->hash, 0);
  q->call.hash = eyoti_coll_next_hash(q->t->coll, c, p, &c->args, refused != EYOT_OK);
  return q->call.hash;
}

/* With EYOT_CHECK, all members compare their calls before one begins. */
static int request_compare(const struct eyoti_lanes *ls, const struct eyoti_coll_call *c,
                           int refused) {
  if (__builtin_expect(!ls->rt->coll->check, 1)) return EYOT_OK;
  eyoti_team_agrees(ls->t);
  return eyoti_team_agreed(ls->t, eyoti_coll_agree(ls->rt, ls->t, &c->args, refused));
}

/* Gives the call its lane, and begins it. */
static int request_begin(struct eyoti_lanes *ls, struct eyoti_request *q) {
  struct eyoti_lane *lane;
  EYOTI_TRY(lane_take(ls, &lane));
  int refused = request_prepare(lane, q);
  EYOTI_TRY(request_compare(ls, &q->asked, refused));
  uint32_t hash = request_hash(q, refused);
  if (refused != EYOT_OK) {
    eyoti_line_drain(&lane->line);
    eyoti_lanes_unwatch(ls);
    return eyoti_coll_refuse(&lane->ch, &q->asked.args, hash, refused);
  }
  ls->outstanding++;
  request_started(q);
  request_queue(ls, lane, q);
  return EYOT_OK;
}

/* The hash of the call, whose place is where it was started among the team's blocking calls: these
 * wait for the lanes only if the team has had none (eyoti_coll_open), so members open them before
 * some of these or after. */
static void request_count(struct eyoti_request *q) {
  q->refused = request_choose(q);
  (void)request_hash(q, q->refused);
  q->counted = true;
}

/* What the caller refuses the others learn by the poison of its lane. */
void eyoti_lane_admit(struct eyoti_lanes *ls, struct eyoti_request *q) {
  struct eyoti_lane *lane = &ls->lane[ls->started++ % EYOTI_LANES];
  lane->calls++;
  if (!q->counted) request_count(q);
  if (q->refused == EYOT_OK) {
    q->refused = eyoti_request_reserve(&lane->ch, q);
    bool one_way = !eyoti_coll_is_symmetric(q->asked.args.function);
    if (q->refused != EYOT_OK && one_way) (void)request_hash(q, q->refused);
  }
  request_queue(ls, lane, q);
}

/* A call whose arguments are refused: it has its lane too. */
static int request_refuse(struct eyoti_lanes *ls, const struct eyoti_coll_call *c, int refused) {
  struct eyoti_lane *lane;
  EYOTI_TRY(lane_take(ls, &lane));
  EYOTI_TRY(request_compare(ls, c, refused));
  uint32_t hash = eyoti_coll_next_hash(ls->t->coll, c, NULL, &c->args, true);
  eyoti_line_drain(&lane->line);
  eyoti_lanes_unwatch(ls);
  return eyoti_coll_refuse(&lane->ch, &c->args, hash, refused);
}

/* Starts the call. q: NULL if it is refused. */
static int request_start(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_request *q,
                         const struct eyoti_coll_call *c, int refused) {
  struct eyoti_lanes *ls;
  if (t->size == 1) return refused != EYOT_OK ? refused : request_alone(q);
  EYOTI_TRY(eyoti_lanes_get(rt, t, &ls));
  if (refused == EYOT_OK) refused = eyoti_watch_reserve(rt, EYOTI_LANES_WATCHES);
  bool waits = refused != EYOT_OK || rt->coll->check;
  if (!ls->open) eyoti_team_agrees(t);
  if (!ls->open && !waits) {
    ls->outstanding++;
    request_started(q);
    if (t->coll != NULL) request_count(q);
    eyoti_lanes_queue(ls, q);
    return EYOT_OK;
  }
  if (!ls->open) EYOTI_TRY(eyoti_lanes_open(ls));
  if (refused != EYOT_OK) return request_refuse(ls, c, refused);
  eyoti_watch_hold(rt, EYOTI_LANES_WATCHES);
  int rc = request_begin(ls, q);
  eyoti_watch_release(rt, EYOTI_LANES_WATCHES);
  return rc;
}

static int refuse_null(const eyot_coll_t *handle, int refused) {
  if (handle != NULL || refused != EYOT_OK) return refused;
  return EYOTI_FAIL(EYOT_EINVAL, "handle is NULL, expected a place for it");
}

static int refuse_more(const struct eyoti_team *t) {
  const struct eyoti_lanes *ls = t->lanes;
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
  other->work.what = eyoti_coll_name(c->args.function);
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
  return (struct eyoti_about_coll){rt->fab->note.what, q->asked.what, q->site};
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
  return q->t->size > 1 && q->other == NULL ? q->t->lanes : NULL;
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
    eyoti_lanes_unwatch(ls);
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
  const struct eyoti_lanes *ls = lanes_of(q);
  if (ls == NULL || q->line == &ls->making) return EYOT_OK;
  struct eyoti_request *first = (struct eyoti_request *)(void *)q->line->head;
  if (!first->begun) return EYOT_OK;
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
  struct eyoti_lanes *ls = t->lanes;
  if (ls == NULL) return EYOT_OK;
  eyoti_lanes_settle(ls);
  if (ls->open) {
    EYOTI_TRY(eyoti_agree_end_team(rt->fab, &t->ctl, eyoti_team_colls_done(t)));
    return eyoti_lanes_retire(ls);
  }
  /* Nothing has been made, and others have no lanes if they called another function. */
  if (t->colls_open == 0) eyoti_lanes_free(ls);
  return EYOT_OK;
}

#define NAMED_MOST 8u /* handles that are left in a team; the others are counted */

static void request_left(struct eyot_rt *rt, const struct eyoti_request *q) {
  char text[EYOTI_CODE_LINE];
  const char *place = eyoti_place_text(rt, eyoti_place_of(rt, q->site), text);
  if (q->started)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "not completed before: a collective of %s (%s at %s)", EYOTI_TEAM_WORDS(q->t),
              q->asked.what, place);
  else
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not freed before: a plan of %s (%s at %s)",
              EYOTI_TEAM_WORDS(q->t), q->asked.what, place);
}

static void end_requests(struct eyoti_team *t, void *arg) {
  struct eyot_rt *rt = arg;
  struct eyoti_lanes *ls = t->lanes;
  struct eyoti_idtab *ids = &rt->coll->ops;
  eyoti_team_waits(rt, t, eyoti_team_number(t));
  if (ls != NULL) eyoti_lanes_settle(ls);
  for (uint32_t i = 0; ls != NULL && i < EYOTI_LANES; i++) eyoti_line_drain(&ls->lane[i].line);
  if (ls != NULL) eyoti_lanes_unwatch(ls);
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
