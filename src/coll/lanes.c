/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c - implements lanes.h.
 *
 * The start of a call must wait for nobody, but a team's first one finds no memory for messages.
 * So that memory is made by exchanges of the team's control block in steps (eyoti_ctl_advance),
 * which a watch continues, and calls wait for it in a queue (docs/adr/0113). */

/* Why the order is right. All members begin the exchange in the same call of the team, so it is the
 * same one of the control block on all; the next one in that block, of whatever function, first
 * ends this one (struct eyoti_ctl_held): a barrier, an allocation or a team's first blocking
 * collective after the start of a call waits until all members have started it. Calls get lanes in
 * the order of their starts. Of an exchange that fails the first call of the queue has the error,
 * and the next one begins another: so members of which some have started more calls meanwhile still
 * begin the same exchanges. */
#include "coll/lanes.h"

#include <stdlib.h>

static const enum eyoti_ctl_op OPS[] = {EYOTI_CTL_MAX, EYOTI_CTL_MAX, EYOTI_CTL_MIN};
#define WORDS (sizeof OPS / sizeof OPS[0])
enum { BOARDS, LAYOUT };

static struct eyoti_lanes *lanes_of(struct eyoti_line *making) {
  return (struct eyoti_lanes *)(void *)((char *)making - offsetof(struct eyoti_lanes, making));
}

/* -- watches ----------------------------------------------------------------------------------- */

void eyoti_lanes_unwatch(struct eyoti_lanes *ls) {
  if (ls->making.head != NULL) return;
  for (uint32_t i = 0; i < EYOTI_LANES; i++)
    if (ls->lane[i].line.head != NULL) return;
  if (ls->watches) eyoti_watch_remove(ls->rt, &ls->making.watch);
  ls->watches = false;
  if (!ls->watched) return;
  for (uint32_t i = 0; i < EYOTI_LANES; i++) eyoti_watch_remove(ls->rt, &ls->lane[i].line.watch);
  ls->watched = false;
}

/* A queue's lanes are watched too: no watch is added inside of one. */
void eyoti_lanes_watch(struct eyoti_lanes *ls) {
  if (!ls->open && !ls->watches) eyoti_watch_add(ls->rt, &ls->making.watch);
  ls->watches |= !ls->open;
  for (uint32_t i = 0; i < EYOTI_LANES && !ls->watched; i++)
    eyoti_watch_add(ls->rt, &ls->lane[i].line.watch);
  ls->watched = true;
}

/* -- making ------------------------------------------------------------------------------------ */

/* A board of each lane, and before them one of blocking calls. */
static uint64_t board_bytes(const struct eyoti_lanes *ls) {
  return (eyoti_channel_board_bytes(&ls->lane[0].ch, 0) + 63) / 64 * 64;
}

static int make_coll(struct eyoti_lanes *ls) {
  if (ls->t->coll != NULL || ls->coll != NULL) return EYOT_OK;
  ls->coll = calloc(1, sizeof *ls->coll);
  if (ls->coll != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the collectives of a team (%zu bytes)",
                    sizeof *ls->coll);
}

/* The words of the first exchange. */
static void prepare(struct eyoti_lanes *ls) {
  uint64_t *words = ls->step.words;
  int rc = make_coll(ls);
  uint32_t boards = EYOTI_LANES + (ls->t->coll == NULL);
  eyoti_common_begin(ls->rt, &ls->boards, boards * board_bytes(ls), ls->t->ctl.off, rc,
                     &words[BOARDS]);
  (void)eyoti_layout_words(ls->rt, ls->t, &words[LAYOUT]); /* an error is in the words */
}

static int begin(struct eyoti_lanes *ls) {
  struct eyoti_ctl *c = &ls->t->ctl;
  ls->step.ops = OPS;
  ls->step.n = WORDS;
  ls->step.earlier = true;
  int rc = eyoti_ctl_begin(ls->rt->fab, c, &ls->step);
  if (rc != EYOT_OK) {
    eyoti_ctl_leave(ls->rt->fab, c, false);
    return rc;
  }
  const struct eyoti_request *q = (const struct eyoti_request *)(const void *)ls->first;
  ls->held.what = q != NULL ? q->asked.what : NULL;
  ls->held.site = q != NULL ? q->site : NULL;
  ls->exchange.what = q != NULL ? eyoti_coll_name(q->asked.args.function) : NULL;
  ls->begun = true;
  c->where = EYOTI_CTL_UNKNOWN;
  c->held = &ls->held;
  return EYOT_OK;
}

static int advance(struct eyoti_lanes *ls, bool wait) {
  struct eyoti_ctl *c = &ls->t->ctl;
  struct fab *f = ls->rt->fab;
  int rc = eyoti_ctl_advance(f, c, &ls->step, wait ? FAB_FOREVER : 0);
  if (rc == EYOT_ETIMEOUT) return rc;
  ls->begun = false;
  c->held = NULL;
  if (rc != EYOT_OK && rc != EYOT_EMISMATCH) eyoti_ctl_leave(f, c, true);
  return rc;
}

static int set_coll(struct eyoti_lanes *ls, const uint64_t layout[2]) {
  struct eyoti_coll_team *c = ls->coll;
  if (ls->t->coll != NULL) return EYOT_OK;
  EYOTI_TRY(eyoti_layout_of(ls->rt, ls->t, layout, &c->layout));
  EYOTI_TRY(eyoti_layout_find_routers(ls->rt, ls->t, &c->layout));
  eyoti_channel_init(&c->blocking, ls->rt, ls->t);
  c->blocking.exchanges = eyoti_ctl_is_short(ls->rt->fab, &ls->t->ctl);
  eyoti_channel_set_board(&c->blocking, 0, ls->boards.off + EYOTI_LANES * board_bytes(ls));
  ls->t->coll = c;
  ls->coll = NULL;
  return EYOT_OK;
}

static struct eyoti_request *pop(struct eyoti_lanes *ls) {
  struct eyoti_work *w = ls->first;
  if (w == NULL) return NULL;
  ls->first = w->next;
  if (ls->first == NULL) ls->last = NULL;
  return (struct eyoti_request *)(void *)w;
}

/* The exchange is over, with its words. ETIMEOUT: it goes on with another. */
static int after(struct eyoti_lanes *ls) {
  uint64_t *words = ls->step.words;
  int rc = eyoti_common_next(ls->rt, ls->t, &ls->boards, &words[BOARDS]);
  if (rc != EYOT_OK) return rc;
  if ((rc = set_coll(ls, &words[LAYOUT])) != EYOT_OK) {
    eyoti_common_free(ls->rt, ls->boards.off);
    return rc;
  }
  for (uint32_t i = 0; i < EYOTI_LANES; i++)
    eyoti_channel_set_board(&ls->lane[i].ch, 0, ls->boards.off + i * board_bytes(ls));
  ls->open = true;
  for (struct eyoti_request *q = pop(ls); q != NULL; q = pop(ls)) eyoti_lane_admit(ls, q);
  return EYOT_OK;
}

static int making_go(struct eyoti_line *line, struct eyoti_work *w, bool wait) {
  struct eyoti_lanes *ls = lanes_of(line);
  (void)w;
  for (;;) {
    int rc = ls->begun ? EYOT_OK : begin(ls);
    if (rc == EYOT_OK) rc = advance(ls, wait);
    if (rc == EYOT_ETIMEOUT) return rc;
    if (rc == EYOT_OK) rc = after(ls);
    if (rc == EYOT_OK) return rc;
    if (rc == EYOT_ETIMEOUT) continue;
    struct eyoti_request *q = pop(ls);
    if (q == NULL) return rc;
    q->work = (struct eyoti_work){.over = true, .rc = rc};
    if (ls->first == NULL) return rc;
    prepare(ls);
  }
}

static uint32_t making_awaits(const struct eyoti_work *w, struct fab_cond cond[EYOTI_WATCH_CONDS],
                              const uint64_t *word[EYOTI_WATCH_CONDS]) {
  const struct eyoti_lanes *ls =
      (const struct eyoti_lanes *)(const void *)((const char *)w -
                                                 offsetof(struct eyoti_lanes, exchange));
  word[0] = eyoti_ctl_awaits(&ls->t->ctl, &ls->step, &cond[0]);
  return word[0] != NULL;
}

/* -- for lane.c -------------------------------------------------------------------------------- */

static const struct eyoti_line_ops OPS_MAKING = {making_go, making_awaits};

static void settle(struct eyoti_ctl_held *h) {
  eyoti_lanes_settle((struct eyoti_lanes *)(void *)h);
}

/* Tells the others instead of an exchange for the call. */
static __attribute__((cold, noinline)) int refuse_all(struct eyot_rt *rt, struct eyoti_team *t,
                                                      int rc) {
  struct eyoti_common none;
  uint64_t words[WORDS] = {0};
  eyoti_common_begin(rt, &none, 0, t->ctl.off, rc, &words[BOARDS]);
  int differ = eyoti_ctl_exchange(rt->fab, &t->ctl, OPS, words, WORDS);
  return differ != EYOT_OK ? differ : rc;
}

int eyoti_lanes_get(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_lanes **out) {
  if (t->lanes == NULL) {
    struct eyoti_lanes *ls = calloc(1, sizeof *ls);
    if (ls == NULL)
      return refuse_all(rt, t, EYOTI_FAIL(EYOT_ENOMEM, "no memory for non-blocking collectives"));
    ls->held.settle = settle;
    ls->rt = rt;
    ls->t = t;
    eyoti_line_init(&ls->making, rt, &OPS_MAKING);
    for (uint32_t i = 0; i < EYOTI_LANES; i++) {
      eyoti_line_init(&ls->lane[i].line, rt, &eyoti_lane_ops);
      eyoti_channel_init(&ls->lane[i].ch, rt, t);
      ls->lane[i].ch.inside = true;
    }
    t->lanes = ls;
  }
  *out = t->lanes;
  return EYOT_OK;
}

void eyoti_lanes_queue(struct eyoti_lanes *ls, struct eyoti_request *q) {
  q->line = &ls->making;
  q->work.over = false;
  q->work.next = NULL;
  if (ls->last != NULL)
    ls->last->next = &q->work;
  else
    ls->first = &q->work;
  ls->last = &q->work;
  eyoti_lanes_watch(ls);
  if (ls->making.head != NULL) return;
  prepare(ls);
  eyoti_line_add(&ls->making, &ls->exchange);
  eyoti_line_advance(&ls->making, false);
}

void eyoti_lanes_settle(struct eyoti_lanes *ls) {
  eyoti_line_drain(&ls->making);
}

int eyoti_lanes_open(struct eyoti_lanes *ls) {
  eyoti_lanes_settle(ls);
  if (ls->open) return EYOT_OK;
  prepare(ls);
  eyoti_line_add(&ls->making, &ls->exchange);
  eyoti_lanes_settle(ls);
  return ls->exchange.rc;
}

int eyoti_lanes_retire(struct eyoti_lanes *ls) {
  int first = EYOT_OK;
  for (uint32_t i = 0; i < EYOTI_LANES && ls->open; i++) {
    int rc = eyoti_channel_retire(&ls->lane[i].ch, ls->lane[i].ch.number);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

void eyoti_lanes_drop(struct eyoti_lanes *ls) {
  for (uint32_t i = 0; i < EYOTI_LANES && ls->open; i++) eyoti_channel_drop_common(&ls->lane[i].ch);
  if (ls->open) eyoti_common_free(ls->rt, ls->boards.off);
  eyoti_lanes_free(ls);
}

void eyoti_lanes_free(struct eyoti_lanes *ls) {
  for (uint32_t i = 0; i < EYOTI_LANES; i++) eyoti_channel_fini(&ls->lane[i].ch);
  ls->t->lanes = NULL;
  free(ls->coll);
  free(ls);
}
