/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - the split-phase barrier (eyot/barrier.h): an exchange of the control plane over a block
 * of its own, in steps. notify enters it; wait and test continue it, and so do other calls of the
 * unit (sync/watch.h).
 *
 * Other collectives of the team use the team's first block, so they may run meanwhile. Two words
 * carry the expressions: their maximum, and the maximum of their complements, which is the
 * complement of their minimum. If no member gave an expression, both words are 0; otherwise at
 * least one is not 0, because a value and its complement are never both 0. */
#include <eyot/barrier.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "rt/place.h"
#include "sync/barrier/barriers.h"
#include "sync/watch.h"
#include "teams/order.h"

#define TEXT_BYTES 24u /* a number of 64 bits, or "none" */

static const char *barrier_text_of(bool given, uint64_t value, char text[TEXT_BYTES]) {
  if (given)
    snprintf(text, TEXT_BYTES, "%" PRIu64, value);
  else
    snprintf(text, TEXT_BYTES, "none");
  return text;
}

/* An open barrier, or one that is kept for later. */
struct eyoti_split {
  struct eyoti_watch watch; /* first */
  struct eyoti_team *team;
  int failed;       /* the error of a round inside another call, 0 if none */
  const char *call; /* that has opened it, */
  const void *site; /* and from where */
  struct eyoti_split *next;
};

/* -- open barriers ----------------------------------------------------------------------------- */

/* Reserves all that one more open barrier needs. */
static int split_reserve(struct eyot_rt *rt) {
  EYOTI_TRY(eyoti_watch_reserve(rt, 1));
  if (rt->sync->spare_splits != NULL) return EYOT_OK;
  rt->sync->spare_splits = calloc(1, sizeof(struct eyoti_split));
  if (rt->sync->spare_splits == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for one more open split-phase barrier");
  return EYOT_OK;
}

/* Sets what the present round waits for. */
static void split_renew(struct eyoti_split *o) {
  struct eyoti_ctl c = eyoti_barriers_ctl(o->team);
  struct eyoti_watch *w = &o->watch;
  w->word[0] =
      o->failed == 0 ? eyoti_ctl_awaits(&c, &eyoti_barriers_of(o->team)->step, &w->cond[0]) : NULL;
  w->n = w->word[0] != NULL;
}

/* One round. */
static void split_go_on(struct eyot_rt *rt, struct eyoti_watch *w) {
  struct eyoti_split *o = (struct eyoti_split *)(void *)w;
  struct eyoti_ctl c = eyoti_barriers_ctl(o->team);
  int rc = eyoti_ctl_pass(rt->fab, &c, &eyoti_barriers_of(o->team)->step);
  if (rc != EYOT_ETIMEOUT) o->failed = rc;
  split_renew(o);
}

static void split_open(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_split *o = rt->sync->spare_splits;
  rt->sync->spare_splits = o->next;
  *o = (struct eyoti_split){.watch = {.what = "eyot_barrier_notify", .go_on = split_go_on},
                            .team = t,
                            .call = eyoti_rt_shown(rt),
                            .site = eyoti_rt_site(rt),
                            .next = rt->sync->splits};
  rt->sync->splits = o;
  split_renew(o);
  eyoti_watch_add(rt, &o->watch);
}

static struct eyoti_split **split_find(struct eyot_rt *rt, const struct eyoti_team *t) {
  struct eyoti_split **at = &rt->sync->splits;
  while (*at != NULL && (*at)->team != t) at = &(*at)->next;
  EYOTI_ASSERT(*at != NULL);
  return at;
}

static void split_close(struct eyot_rt *rt, const struct eyoti_team *t) {
  struct eyoti_split **at = split_find(rt, t), *o = *at;
  eyoti_watch_remove(rt, &o->watch);
  *at = o->next;
  o->next = rt->sync->spare_splits;
  rt->sync->spare_splits = o;
}

/* Continues the barrier of t itself as eyoti_ctl_advance does. Errors: also one that a round met in
 * an earlier call; returning it clears it. */
static int split_advance(struct eyot_rt *rt, struct eyoti_team *t, uint64_t timeout_ns) {
  struct eyoti_split *o = *split_find(rt, t);
  int failed = o->failed;
  if (failed != 0) {
    o->failed = 0;
    split_renew(o);
    eyoti_log(EYOTI_LOG_ERROR, rt->fab->note.what, failed,
              "an earlier call could not continue the rounds of the barrier of %s; repeat "
              "this call to retry",
              EYOTI_TEAM_WORDS(t));
    return failed;
  }
  struct eyoti_ctl c = eyoti_barriers_ctl(t);
  o->watch.held = true;
  int rc = eyoti_ctl_advance(rt->fab, &c, &eyoti_barriers_of(t)->step, timeout_ns);
  o->watch.held = false;
  split_renew(o);
  return rc;
}

static void splits_free(struct eyoti_split **list) {
  while (*list != NULL) {
    struct eyoti_split *o = *list;
    *list = o->next;
    free(o);
  }
}

/* -- the barrier ------------------------------------------------------------------------------- */

int eyot_barrier_notify(eyot_team_t team, const uint64_t *value) {
  static const enum eyoti_ctl_op OPS[2] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (eyoti_team_is_apart(t)) return eyoti_team_refuse_apart(t); /* it has no number (order.c) */
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  if (b->open)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the second notify of %s: call eyot_barrier_wait, or "
                      "eyot_barrier_test until it is done, first",
                      EYOTI_TEAM_WORDS(t));
  EYOTI_TRY(split_reserve(rt));
  struct eyoti_ctl c = eyoti_barriers_ctl(t);
  b->step = (struct eyoti_ctl_step){.ops = OPS, .n = 2};
  if (value != NULL) {
    b->step.words[0] = *value;
    b->step.words[1] = ~*value;
  }
  EYOTI_TRY(eyoti_ctl_begin(rt->fab, &c, &b->step));
  b->seq = c.seq;
  b->has_value = value != NULL;
  b->value = value != NULL ? *value : 0;
  b->open = true;
  t->barriers_open = 1;
  if (t->calls != NULL) t->calls->notified++;
  split_open(rt, t);
  return EYOT_OK;
}

/* Closes a complete barrier, and compares the expressions. */
static int close_barrier(struct eyoti_team *t, struct eyoti_barriers *b, const uint64_t *value) {
  char first[TEXT_BYTES], second[TEXT_BYTES];
  uint64_t highest = b->step.words[0], lowest = ~b->step.words[1];
  bool any = b->step.words[0] != 0 || b->step.words[1] != 0;
  b->open = false;
  t->barriers_open = 0;
  int rc = EYOT_OK;
  if (any && lowest != highest)
    rc = EYOTI_FAIL(EYOT_EMISMATCH,
                    "members of %s gave different expressions: the smallest is %" PRIu64
                    ", the largest %" PRIu64 ", this unit's is %s",
                    EYOTI_TEAM_WORDS(t), lowest, highest,
                    barrier_text_of(b->has_value, b->value, first));
  if ((value != NULL) != b->has_value || (value != NULL && *value != b->value))
    rc = EYOTI_FAIL(
        EYOT_EMISMATCH,
        "the expression of this call is %s, that of this unit's notify was %s: they must be equal",
        barrier_text_of(value != NULL, value != NULL ? *value : 0, first),
        barrier_text_of(b->has_value, b->value, second));
  return rc;
}

/* Of a wait: it is for all members that have not called eyot_barrier_notify for it. */
static bool awaits(const void *calls, uint32_t unit, uint32_t notified) {
  (void)unit;
  return notified < ((const struct eyoti_calls *)calls)->notified;
}

/* ETIMEOUT (not logged): not yet. */
static int go_on(struct eyot_rt *rt, eyot_team_t team, const uint64_t *value, uint64_t timeout_ns) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  if (!b->open)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "this unit has not called eyot_barrier_notify on %s since its last barrier",
                      EYOTI_TEAM_WORDS(t));
  eyoti_team_waits_aside(rt, t, awaits, t->calls);
  EYOTI_TRY(split_advance(rt, t, timeout_ns));
  split_close(rt, t);
  return close_barrier(t, b, value);
}

int eyot_barrier_wait(eyot_team_t team, const uint64_t *value) {
  EYOTI_ENTER(rt);
  return go_on(rt, team, value, FAB_FOREVER);
}

int eyot_barrier_test(eyot_team_t team, const uint64_t *value, bool *done) {
  EYOTI_ENTER(rt);
  if (done == NULL) return EYOTI_FAIL(EYOT_EINVAL, "done is NULL");
  int rc = go_on(rt, team, value, 0);
  if (rc != EYOT_OK && rc != EYOT_ETIMEOUT) return rc;
  *done = rc == EYOT_OK;
  return *done ? EYOT_OK : eyoti_order_poll(rt);
}

static void warn_open(const struct eyot_rt *rt, const struct eyoti_split *o) {
  char text[EYOTI_CODE_LINE];
  eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not completed before: a barrier of %s (%s at %s)",
            EYOTI_TEAM_WORDS(o->team), o->call,
            eyoti_place_text(rt, eyoti_place_of(rt, o->site), text));
}

void eyoti_barriers_stop(struct eyot_rt *rt) {
  for (const struct eyoti_split *o = rt->sync->splits; o != NULL; o = o->next) warn_open(rt, o);
  eyoti_watch_stop(rt);
  splits_free(&rt->sync->splits);
  splits_free(&rt->sync->spare_splits);
}
