/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - the split-phase barrier (eyot/barrier.h): an exchange of the control plane over a block
 * of its own, in steps. notify enters it; wait and test continue it, and so do other calls of the
 * unit (split_progress.c).
 *
 * Other collectives of the team use the team's first block, so they may run meanwhile. Two words
 * carry the expressions: their maximum, and the maximum of their complements, which is the
 * complement of their minimum. If no member gave an expression, both words are 0; otherwise at
 * least one is not 0, because a value and its complement are never both 0. */
#include <eyot/barrier.h>
#include <inttypes.h>
#include <stdio.h>

#include "sync/barrier/barriers.h"

#define TEXT_BYTES 24u /* a number of 64 bits, or "none" */

static const char *barrier_text_of(bool given, uint64_t value, char text[TEXT_BYTES]) {
  if (given)
    snprintf(text, TEXT_BYTES, "%" PRIu64, value);
  else
    snprintf(text, TEXT_BYTES, "none");
  return text;
}

int eyot_barrier_notify(eyot_team_t team, const uint64_t *value) {
  static const enum eyoti_ctl_op OPS[2] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX};
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  eyoti_team_enter(rt, t, FAB_COLLECTIVE_NONE, 0);
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  if (b->open)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the second notify of %s: call eyot_barrier_wait, or "
                      "eyot_barrier_test until it is done, first",
                      EYOTI_TEAM_WORDS(t));
  EYOTI_TRY(eyoti_split_progress_reserve(rt));
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
  eyoti_split_progress_open(rt, t);
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

/* ETIMEOUT (not logged): not yet. */
static int go_on(struct eyot_rt *rt, eyot_team_t team, const uint64_t *value, uint64_t timeout_ns) {
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  struct eyoti_barriers *b = eyoti_barriers_of(t);
  if (!b->open)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "this unit has not called eyot_barrier_notify on %s since its last barrier",
                      EYOTI_TEAM_WORDS(t));
  EYOTI_TRY(eyoti_split_progress_advance(rt, t, timeout_ns));
  eyoti_split_progress_close(rt, t);
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
  return EYOT_OK;
}

static void warn_open(struct eyoti_team *t, void *arg) {
  (void)arg;
  if (t->barriers_open > 0)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0,
              "this unit called eyot_barrier_notify on %s and not eyot_barrier_wait",
              EYOTI_TEAM_WORDS(t));
}

void eyoti_barriers_stop(struct eyot_rt *rt) {
  eyoti_teams_each(rt, warn_open, NULL);
  eyoti_split_progress_stop(rt);
}
