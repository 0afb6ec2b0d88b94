/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c - blocking calls (call.h), and the start and the end of a team's collectives.
 *
 * A call whose blocks are long takes several rounds, each an operation of the channel. Numbers of
 * operations must be the same on all members even if their arguments are not, so such a call, and
 * one that needs a larger board, first compares its hash with all members in an operation of its
 * own, which only opens. Members that differ fail in that operation or in the only one of their own
 * call: each has then begun exactly one. */
#include "coll/call.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/conf.h"
#include "base/workers.h"
#include "coll/combine.h"
#include "coll/costs.h"
#include "coll/lanes.h"
#include "coll/neighbor.h"
#include "coll/past.h"
#include "coll/quick.h"
#include "coll/runs.h"
#include "coll/select.h"
#include "coll/take.h"
#include "coll/wide.h"
#include "rt/observe.h"
#include "teams/agree.h"

/* -- a team's state ---------------------------------------------------------------------------- */

static EYOTI_APART int coll_team_new(struct eyot_rt *rt, struct eyoti_team *t,
                                     struct eyoti_coll_team **out) {
  struct eyoti_coll_team *c = *out = eyoti_slack_new(sizeof *c);
  eyoti_team_agrees(t);
  if (c == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the collectives of a team (%zu bytes)",
                      sizeof *c);
  eyoti_channel_init(&c->blocking, rt, t);
  c->blocking.exchanges = eyoti_ctl_is_short(rt->fab, &t->ctl);
  return EYOT_OK;
}

/* `rc`: of making the first board. */
static EYOTI_APART int coll_team_made(struct eyot_rt *rt, struct eyoti_team *t,
                                      struct eyoti_coll_team *c, int rc) {
  if (rc == EYOT_OK) rc = eyoti_layout_find(rt, t, &c->layout);
  if (rc == EYOT_OK) rc = eyoti_layout_find_routers(rt, t, &c->layout);
  if (rc != EYOT_OK) {
    eyoti_slack_free(c);
    return rc;
  }
  t->coll = c;
  return eyoti_team_agreed(t, EYOT_OK);
}

/* Of a member that has no memory for the channel itself. */
static EYOTI_APART uint64_t first_board_bytes(struct eyot_rt *rt, struct eyoti_team *t) {
  struct eyoti_channel ch;
  eyoti_channel_init(&ch, rt, t);
  return eyoti_channel_board_bytes(&ch, 0);
}

int eyoti_coll_open(struct eyot_rt *rt, struct eyoti_team *t) {
  if (__builtin_expect(t->coll != NULL, 1)) return EYOT_OK;
  if (t->lanes != NULL) eyoti_lanes_settle(t->lanes);
  if (t->coll != NULL) return EYOT_OK;
  struct eyoti_coll_team *c;
  int rc = coll_team_new(rt, t, &c);
  if (rc != EYOT_OK) return eyoti_channel_refuse(t, first_board_bytes(rt, t), rc);
  return coll_team_made(rt, t, c, eyoti_channel_make(&c->blocking, 0));
}

/* What all members compare, and meet in. *met: it is the last exchange here, also after an error of
 * the fabric, for the others have met and may be gone. */
static int compare_last(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_team *c,
                        bool *met) {
  int retired = eyoti_channel_retire(&c->blocking, c->blocking.number);
  int rc = eyoti_past_compare(rt, t, met);
  *met = !eyoti_team_ends_apart(t);
  return rc != EYOT_OK ? rc : retired;
}

/* A call that is not completed, for which the team stays alive, may use it still. */
static void plan_forget(struct eyoti_plan *p) {
  if (p != NULL && p->users > 0)
    p->kept = false;
  else
    eyoti_plan_free(p);
}

static void coll_team_free(struct eyoti_team *t) {
  struct eyoti_coll_team *c = t->coll;
  eyoti_channel_fini(&c->blocking);
  for (uint32_t i = 0; i < EYOTI_PLANS_KEPT; i++) plan_forget(c->kept[i]);
  free(c->past);
  eyoti_slack_free(c);
  t->coll = NULL;
}

/* At the end of the run no memory is allocated any more, so that each member releases its own after
 * the comparison: then all have retired what they have sent. */
static int coll_end(struct eyot_rt *rt, struct eyoti_team *t, bool *met) {
  if (t->coll == NULL && t->lanes == NULL) return EYOT_OK;
  if (eyoti_team_is_apart(t)) return EYOT_EMISMATCH; /* nothing can be exchanged */
  EYOTI_TRY(eyoti_lane_close(rt, t));
  if (t->coll == NULL) return EYOT_OK;
  int rc = compare_last(rt, t, t->coll, met);
  if (!*met) return rc;
  eyoti_channel_release(&t->coll->blocking);
  if (t->lanes != NULL) eyoti_lanes_drop(t->lanes);
  coll_team_free(t);
  return rc;
}

static int coll_close(struct eyot_rt *rt, struct eyoti_team *t) {
  if (t->coll == NULL && t->lanes == NULL) return EYOT_OK;
  if (eyoti_team_is_apart(t)) return EYOT_EMISMATCH; /* nothing can be exchanged */
  EYOTI_TRY(eyoti_lane_close(rt, t));
  struct eyoti_coll_team *c = t->coll;
  if (c == NULL) return EYOT_OK;
  bool met;
  int differ = eyoti_past_compare(rt, t, &met);
  if (!met || eyoti_team_ends_apart(t)) return differ;
  int rc = eyoti_channel_drop(&c->blocking);
  if (t->lanes != NULL && t->lanes->open) {
    int done = eyoti_agree_done(rt->fab, &t->ctl, rc); /* all have retired what they have sent */
    if (rc == EYOT_OK) rc = done;
    eyoti_lanes_drop(t->lanes);
  }
  coll_team_free(t);
  return differ != EYOT_OK ? differ : rc;
}

int eyoti_coll_start(struct eyot_rt *rt) {
  uint64_t check;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_CHECK, &check));
  rt->coll = eyoti_slack_new(sizeof *rt->coll);
  if (rt->coll == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of collectives");
  rt->coll->check = check != 0;
  eyoti_idtab_init(&rt->coll->ops, 1, UINT16_MAX);
  int rc = eyoti_combine_start(rt, rt->coll);
  if (rc == EYOT_OK) rc = eyoti_costs_make(rt->fab, &rt->coll->costs);
  if (rc != EYOT_OK) {
    eyoti_slack_free(rt->coll);
    rt->coll = NULL;
    return rc;
  }
  rt->thresholds = rt->coll->costs != NULL ? rt->coll->costs->thresholds
                                           : (struct fab_thresholds){.has_eager = false};
  eyoti_teams_on_drop(rt, coll_close);
  return EYOT_OK;
}

static void free_own(struct eyoti_team *t, void *arg) {
  (void)arg;
  if (t->lanes != NULL) eyoti_lanes_free(t->lanes);
  if (t->coll != NULL) coll_team_free(t);
}

/* Frees the boards of the team of all units only: a team that the program did not destroy is a leak
 * that teams and gmem report, and units do not reach its end in any agreed order. */
int eyoti_coll_end(struct eyot_rt *rt, bool *met) {
  struct eyoti_team *all;
  *met = false;
  EYOTI_TRY(eyoti_team_get(rt, EYOT_TEAM_ALL, &all));
  eyoti_graphs_drain(rt);
  eyoti_lane_stop(rt);
  eyoti_graphs_stop(rt);
  return coll_end(rt, all, met);
}

int eyoti_coll_stop(struct eyot_rt *rt, int ended) {
  int rc = ended == EYOT_OK ? eyoti_past_compare_left(rt) : EYOT_OK;
  eyoti_teams_each(rt, free_own, NULL);
  eyoti_idtab_fini(&rt->coll->ops);
  free(rt->coll->costs);
  free(rt->coll->spare);
  eyoti_workers_delete(rt->coll->workers);
  eyoti_slack_free(rt->coll);
  rt->coll = NULL;
  return rc;
}

/* -- calls ------------------------------------------------------------------------------------- */

uint32_t eyoti_coll_rounds_after(const struct eyoti_coll_call *c, uint64_t at, uint64_t len) {
  return (uint32_t)((c->args.bytes - at - len + c->round_bytes - 1) / c->round_bytes);
}

int eyoti_coll_round(struct eyoti_coll_op *r, struct eyoti_channel *ch,
                     const struct eyoti_coll_call *c, const struct eyoti_plan *p, uint32_t hash,
                     uint64_t at, void **temp) {
  *temp = NULL;
  int rc = eyoti_run_begin(r, ch, p, &c->args, hash, false);
  r->later = c->args.bytes > c->round_bytes;
  r->last += eyoti_coll_rounds_after(c, at, p->args.len);
  uint64_t bytes = p->temp_bytes + eyoti_wide_bytes(p);
  bool small = bytes <= sizeof r->temp;
  if (rc == EYOT_OK && !small && (*temp = malloc(bytes)) == NULL)
    rc = EYOTI_FAIL(EYOT_ENOMEM, "no memory for %" PRIu64 " bytes of a collective", bytes);
  if (rc != EYOT_OK) return rc;
  if (c->args.combiner.wire != NULL)
    eyoti_wide_begin(r, c, at, small ? r->temp : *temp);
  else
    eyoti_run_buffers(r, (const char *)c->in + at, (char *)c->out + at, small ? r->temp : *temp);
  return EYOT_OK;
}

void eyoti_coll_failed(const struct eyoti_team *t, const struct eyoti_coll_args *a, int rc) {
  struct eyoti_coll_team *ct = t->coll;
  if (rc == EYOT_EMISMATCH && !eyoti_coll_is_symmetric(a->function))
    ct->history = eyoti_coll_hash(a, ct->history + 1);
}

void eyoti_coll_round_end(const struct eyoti_coll_op *r, const struct eyoti_coll_call *c,
                          uint64_t at, void *temp, int rc) {
  if (rc == EYOT_OK && r->p != NULL && c->args.combiner.wire != NULL) eyoti_wide_end(r, c, at);
  free(temp);
  eyoti_coll_failed(r->ch->t, &c->args, rc);
}

static int run_round(struct eyoti_channel *ch, const struct eyoti_coll_call *c,
                     const struct eyoti_plan *p, uint32_t hash, uint64_t at) {
  struct eyoti_coll_op r;
  void *temp;
  int rc = eyoti_coll_round(&r, ch, c, p, hash, at, &temp);
  rc = rc == EYOT_OK ? eyoti_run_go(&r, true) : eyoti_run_stop(&r, rc);
  eyoti_coll_round_end(&r, c, at, temp, rc);
  return rc;
}

int eyoti_coll_board(struct eyoti_channel *ch, const struct eyoti_plan *p) {
  uint32_t class = eyoti_channel_class(ch, p);
  return eyoti_channel_has(ch, class) ? EYOT_OK : eyoti_channel_make(ch, class);
}

static int run_rounds(struct eyoti_channel *ch, const struct eyoti_coll_call *c,
                      struct eyoti_plan *first, uint32_t hash) {
  uint64_t bytes = c->args.bytes, at = 0;
  bool several = bytes > c->round_bytes || c->direct;
  if (several || !eyoti_coll_has_board(ch, first)) {
    EYOTI_TRY(eyoti_coll_confirm(ch, &first->args, hash)); /* with the algorithm */
    EYOTI_TRY(eyoti_coll_board(ch, first));
  }
  do {
    uint64_t len = bytes - at < c->round_bytes ? bytes - at : c->round_bytes;
    struct eyoti_plan *p = first;
    bool again = len != first->args.len || (at > 0 && (c->args.in != NULL || c->args.out != NULL));
    if (again) EYOTI_TRY(eyoti_coll_plan(ch->t, c, at, len, &p));
    int rc = eyoti_coll_board(ch, p); /* after the comparison, so that all make it */
    if (rc == EYOT_OK) rc = run_round(ch, c, p, hash, at);
    if (p != first) eyoti_coll_plan_done(ch->t, p);
    EYOTI_TRY(rc);
    at += len;
  } while (at < bytes);
  return EYOT_OK;
}

/* Later operations go on at any time between other calls, so they leave the history alone, but for
 * a refusal that nobody may have waited for. */
uint32_t eyoti_coll_next_hash(struct eyoti_coll_team *ct, const struct eyoti_coll_call *c,
                              const struct eyoti_plan *p, const struct eyoti_coll_args *a,
                              bool refused) {
  uint32_t alone = p != NULL ? p->hash : eyoti_coll_hash(a, 0);
  bool compares = eyoti_coll_is_symmetric(c->args.function), first = c->stage == 0;
  uint32_t before = !first ? c->hash : compares ? ct->history : 0;
  uint32_t hash = before == 0 ? alone : eyoti_coll_hash_after(alone, before);
  if (compares && first)
    ct->history = ct->one_way = 0;
  else if (!compares && (first || refused)) {
    ct->history = eyoti_coll_hash_after(alone, ct->history + refused);
    eyoti_past_enter(ct, a, alone, refused);
  }
  return hash;
}

int eyoti_coll_turn(struct eyoti_coll_call *c, const struct eyoti_team *t, uint32_t stage) {
  c->stage = stage;
  return c->stages != NULL && c->stages->turn != NULL ? c->stages->turn(c, t, stage) : EYOT_OK;
}

/* The result is the caller's own block, or nothing. */
static void copy_own(const struct eyoti_coll_call *c) {
  const struct eyoti_coll_args *a = &c->args;
  if (a->bytes == 0 || a->function == EYOTI_COLL_EXSCAN) return;
  if (a->combiner.wire != NULL) {
    eyoti_wide_alone(c);
    return;
  }
  const char *in = c->in;
  char *out = c->out;
  if (a->in != NULL) in += a->in->at[0];
  if (a->out != NULL) out += a->out->at[0];
  eyoti_runs_move(a->in != NULL ? a->in->shape : NULL, in, a->out != NULL ? a->out->shape : NULL,
                  out, a->bytes);
}

int eyoti_coll_alone(struct eyoti_coll_call *c, const struct eyoti_team *t) {
  for (uint32_t stage = 0;; stage++) {
    EYOTI_TRY(eyoti_coll_turn(c, t, stage));
    copy_own(c);
    if (eyoti_coll_is_last(c)) return EYOT_OK;
  }
}

/* In its own frame: a simulated unit's stack is one page while the first call makes the board. */
static __attribute__((noinline)) int run_opened(struct eyot_rt *rt, struct eyoti_team *t,
                                                struct eyoti_coll_call *c, int refused) {
  if (__builtin_expect(rt->coll->check, 0)) {
    eyoti_team_agrees(t);
    EYOTI_TRY(eyoti_team_agreed(t, eyoti_coll_agree(rt, t, &c->args, refused)));
  }
  struct eyoti_coll_team *ct = t->coll;
  struct eyoti_channel *ch = &ct->blocking;
  EYOTI_TRY(eyoti_channel_renew(ch, EYOTI_NUMBER_LAST));
  struct eyoti_plan *p = refused == EYOT_OK ? eyoti_coll_again(ct, c) : NULL;
  if (p != NULL) {
    eyoti_team_passes(t, p->hash, p->awaits);
    uint32_t hash = eyoti_coll_again_hash(rt, ct, p);
    int rc = eyoti_quick_can(ch, p) ? eyoti_quick_run(ch, p, c->in, c->out, &c->args.combiner, hash)
                                    : run_round(ch, c, p, hash, 0);
    eyoti_coll_plan_done(t, p);
    return rc;
  }
  eyoti_plan_gen gen = c->gen;
  if (refused == EYOT_OK) eyoti_select_call(rt, t, c);
  uint64_t len = c->args.bytes < c->round_bytes ? c->args.bytes : c->round_bytes;
  if (refused == EYOT_OK) refused = eyoti_coll_plan(t, c, 0, len, &p);
  uint32_t hash = c->hash = eyoti_coll_next_hash(ct, c, p, &c->args, refused != EYOT_OK);
  if (p != NULL) eyoti_team_passes(t, p->hash, p->awaits);
  if (refused != EYOT_OK) return eyoti_coll_refuse(ch, &c->args, hash, refused);
  int rc = run_rounds(ch, c, p, hash);
  bool again = rc == EYOT_OK && p->kept && !c->direct && c->stages == NULL && len == c->args.bytes;
  if (again) eyoti_coll_made_again(ct, p, gen);
  eyoti_coll_plan_done(t, p);
  return rc;
}

static int run_stages(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                      int refused) {
  for (uint32_t stage = 0;; stage++) {
    if (refused == EYOT_OK) refused = eyoti_coll_turn(c, t, stage);
    EYOTI_TRY(run_opened(rt, t, c, refused));
    if (eyoti_coll_is_last(c)) return EYOT_OK;
  }
}

int eyoti_coll_run(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c,
                   int refused) {
  if (t->size == 1) return refused != EYOT_OK ? refused : eyoti_coll_alone(c, t);
  EYOTI_TRY(eyoti_coll_open(rt, t));
  if (c->stages != NULL) return run_stages(rt, t, c, refused);
  if (refused == EYOT_OK && eyoti_take_is_for(rt, t, c))
    return eyoti_take_run(rt, t, c, run_opened);
  return run_opened(rt, t, c, refused);
}

/* Where time is virtual, and the machine has a price for what these layers take of the processor:
 * the fabric knows of its own operations alone. */
static int charge_call(struct eyot_rt *rt) {
  enum { PS_A_NS = 1000 };
  const struct fab_model *model = rt->fab->ops->model;
  if (model == NULL || model->call_ps == 0) return EYOT_OK;
  return rt->fab->ops->compute(rt->fab, (model->call_ps + PS_A_NS / 2) / PS_A_NS);
}

int eyoti_coll_enter(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                     int refused) {
  uint32_t root = eyoti_coll_has_root(c->args.function) ? c->args.root : FAB_COLLECTIVE_NONE;
  enum eyoti_call_words words = EYOTI_WORDS_NB;
  if (c->args.form == EYOTI_COLL_BLOCKING)
    words = EYOTI_WORDS_COLL | eyoti_coll_awaits(c->args.function, root == t->me);
  eyoti_observe_collective(rt, t->units, t->handle.id, t->size, root, c->seen_bytes);
  if (c->args.sync == 0) EYOTI_TRY(eyoti_team_begin(rt, t, words)); /* else the whole has begun */
  eyoti_team_begins_at(t, root);
  if (t->calls == NULL && c->args.sync == 0)
    EYOTI_TRY(eyoti_coll_note(rt, t, &c->args, c->what, refused));
  EYOTI_TRY(charge_call(rt));
  if (refused != EYOT_OK) return EYOT_OK;
  if (c->set_aside != NULL) c->set_aside(c);
  if (c->stages != NULL && c->stages->touch != NULL) {
    c->stages->touch(rt, t, c, false);
    return EYOT_OK;
  }
  if (c->reads > 0) eyoti_observe_reads(rt, c->in, c->reads);
  if (c->writes > 0) eyoti_observe_writes(rt, c->out, c->writes);
  return EYOT_OK;
}

void eyoti_coll_written(struct eyot_rt *rt, const struct eyoti_team *t,
                        const struct eyoti_coll_call *c, const void *out) {
  if (c->stages != NULL && c->stages->touch != NULL)
    c->stages->touch(rt, t, c, true);
  else if (c->writes > 0)
    eyoti_observe_writes(rt, out, c->writes);
}

int eyoti_coll_do(struct eyot_rt *rt, struct eyoti_team *t, struct eyoti_coll_call *c, int refused,
                  struct eyoti_coll_how how) {
  c->args.form = how.form;
  c->args.sync = how.sync;
  if (how.form == EYOTI_COLL_PERSISTENT) return eyoti_lane_plan(rt, t, c, refused, how.handle);
  int apart = eyoti_coll_enter(rt, t, c, refused);
  if (apart != EYOT_OK) {
    eyoti_coll_finish(c);
    return apart;
  }
  if (how.form == EYOTI_COLL_NONBLOCKING) return eyoti_lane_start(rt, t, c, refused, how.handle);
  const void *out = c->out;
  int rc = eyoti_coll_run(rt, t, c, refused);
  if (rc == EYOT_OK) eyoti_coll_written(rt, t, c, out);
  eyoti_coll_finish(c);
  return rc;
}
