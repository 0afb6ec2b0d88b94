/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - implements request.h.
 *
 * A plan's private memory is taken when its round begins, and so are the plans of pieces of blocks
 * of several lengths, and of later operations: these the call turns into where it is, in any call
 * of eyot. A member that refuses its part of one goes on as if that waited, without a wait.
 *
 * Boards that the lane does not have are made where the call is the lane's first one, so that all
 * members make them: after a comparison, by allreduces of 8 bytes in the first board. */
#include "coll/request.h"

#include <inttypes.h>
#include <stdlib.h>

#include "coll/gen.h"
#include "coll/lane.h"
#include "rt/observe.h"

#define INDEX_BITS 16u /* of a handle; the generation lies above */

/* -- handles ----------------------------------------------------------------------------------- */

int eyoti_request_new(struct eyot_rt *rt, struct eyoti_team *t, const struct eyoti_coll_call *c,
                      struct eyoti_request **out) {
  struct eyoti_idtab *ids = &rt->coll->ops;
  uint32_t index = eyoti_idtab_next(ids);
  if (index == EYOTI_IDTAB_NONE)
    return EYOTI_FAIL(EYOT_EBUSY,
                      "no handle is left for another collective: complete some, or "
                      "free plans");
  EYOTI_TRY(eyoti_idtab_reserve(ids, index));
  struct eyoti_request *q = rt->coll->spare;
  if (q == NULL) q = malloc(sizeof *q);
  rt->coll->spare = NULL;
  if (q == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a collective (%zu bytes)", sizeof *q);
  uint64_t gen = eyoti_idtab_next_gen(ids, index);
  eyoti_idtab_put(ids, index, gen, q);
  *q = (struct eyoti_request){.rt = rt,
                              .t = t,
                              .asked = *c,
                              .handle = {gen << INDEX_BITS | index},
                              .site = eyoti_rt_site(rt)};
  q->asked.what = eyoti_rt_shown(rt);
  t->colls_open++;
  eyoti_observe_made(rt, "collective", q->handle.id, 0);
  *out = q;
  return EYOT_OK;
}

void eyoti_request_free(struct eyoti_request *q) {
  eyoti_idtab_del(&q->rt->coll->ops, (uint32_t)q->handle.id & ((1u << INDEX_BITS) - 1));
  if (q->plan != NULL) eyoti_coll_plan_done(q->t, q->plan);
  if (q->last != NULL) eyoti_coll_plan_done(q->t, q->last);
  eyoti_plan_free(q->agree);
  if (q->other != NULL) q->other->drop(q->other);
  eyoti_coll_finish(&q->asked);
  q->t->colls_open--;
  eyoti_observe_released(q->rt, "collective", q->handle.id);
  struct eyoti_coll *coll = q->rt->coll;
  bool keeps = coll->spare == NULL && (q->rt->fab->caps & FAB_CAP_VIRTUAL_TIME) == 0;
  if (keeps)
    coll->spare = q;
  else
    free(q);
}

int eyoti_request_get(struct eyot_rt *rt, eyot_coll_t handle, struct eyoti_request **out) {
  *out = eyoti_idtab_get(&rt->coll->ops, (uint32_t)handle.id & ((1u << INDEX_BITS) - 1),
                         handle.id >> INDEX_BITS, EYOTI_IDTAB_GEN_BITS);
  if (*out != NULL) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%#" PRIx64
                    " is no handle of a collective of this unit, or that "
                    "one has been completed or freed",
                    handle.id);
}

/* -- plans ------------------------------------------------------------------------------------- */

static bool has_blocks(const struct eyoti_coll_args *a) {
  return a->in != NULL || a->out != NULL;
}

int eyoti_request_plans(struct eyoti_request *q) {
  const struct eyoti_coll_args *a = &q->call.args;
  uint64_t most = q->call.round_bytes, rest = a->bytes > most ? a->bytes % most : 0;
  if (q->plan == NULL)
    EYOTI_TRY(eyoti_coll_plan(q->t, &q->call, 0, a->bytes < most ? a->bytes : most, &q->plan));
  if (q->last == NULL && rest > 0 && !has_blocks(a))
    EYOTI_TRY(eyoti_coll_plan(q->t, &q->call, 0, rest, &q->last));
  return EYOT_OK;
}

static uint64_t round_len(const struct eyoti_request *q) {
  uint64_t left = q->call.args.bytes - q->at;
  return left < q->call.round_bytes ? left : q->call.round_bytes;
}

/* The plan of the round that begins at q->at. */
static int round_plan(struct eyoti_request *q, struct eyoti_plan **out) {
  const struct eyoti_coll_args *a = &q->call.args;
  uint64_t len = round_len(q);
  bool whole = len == q->plan->args.len;
  if (q->call.stage == 0 && (q->at == 0 || !has_blocks(a))) {
    *out = whole ? q->plan : q->last;
    return EYOT_OK;
  }
  EYOTI_TRY(eyoti_coll_plan(q->t, &q->call, q->at, len, &q->piece));
  *out = q->piece;
  return EYOT_OK;
}

/* -- boards ------------------------------------------------------------------------------------ */

static uint32_t missing_of(const struct eyoti_channel *ch, const struct eyoti_plan *p) {
  return p == NULL || eyoti_coll_has_board(ch, p) ? 0 : eyoti_channel_class(ch, p);
}
/* Of operations that come later, whose plans are not made yet. */
static uint32_t missing_later(const struct eyoti_channel *ch, const struct eyoti_coll_space *s) {
  if (s->words == 0 && s->bytes == 0) return 0;
  const struct eyoti_plan later = {.words = s->words, .board_bytes = s->bytes};
  return missing_of(ch, &later);
}
/* The class of a board that the call needs and the channel has not; 0: none. */
static uint32_t missing(const struct eyoti_channel *ch, const struct eyoti_request *q) {
  uint32_t class = missing_of(ch, q->plan);
  if (class == 0) class = missing_later(ch, &q->asked.later);
  return class == 0 ? missing_of(ch, q->last) : class;
}

int eyoti_request_reserve(struct eyoti_channel *ch, struct eyoti_request *q) {
  struct eyoti_coll_args a = {.function = EYOTI_COLL_ALLREDUCE,
                              .form = EYOTI_COLL_NONBLOCKING,
                              .type = EYOT_UINT64,
                              .op = EYOT_MAX,
                              .count = 1,
                              .bytes = sizeof q->word,
                              .len = sizeof q->word};
  if (missing(ch, q) == 0) return EYOT_OK;
  EYOTI_TRY(eyoti_channel_reserve(ch));
  if (q->agree != NULL) return EYOT_OK; /* a plan that had another lane before */
  EYOTI_TRY(eyoti_combiner_find(q->rt, a.type, a.op, &a.combiner));
  q->agree = eyoti_plan_make(q->t, &a, eyoti_gen_allreduce_doubling);
  return q->agree != NULL ? EYOT_OK : EYOT_ENOMEM;
}

static void make_missing(const struct eyoti_channel *ch, struct eyoti_request *q) {
  q->makes = missing(ch, q);
  if (q->makes == 0) return;
  eyoti_common_begin(q->rt, &q->board, eyoti_channel_board_bytes(ch, q->makes), ch->first.own.off,
                     EYOT_OK, &q->word);
}

static void begin_agree(struct eyoti_channel *ch, struct eyoti_request *q) {
  q->begun = true;
  q->refused = eyoti_run_begin(&q->op, ch, q->agree, &q->agree->args, q->call.hash, false);
  eyoti_run_buffers(&q->op, &q->word, &q->word, q->op.temp);
}

/* An operation of the agreement is over with rc. */
static int agree_end(struct eyoti_channel *ch, struct eyoti_request *q, int rc) {
  q->begun = false;
  if (rc == EYOT_OK) rc = eyoti_common_next(q->rt, q->t, &q->board, &q->word);
  if (rc == EYOT_ETIMEOUT) return EYOT_OK; /* another one */
  if (rc == EYOT_OK) eyoti_channel_set_board(ch, q->makes, q->board.off);
  q->makes = 0;
  if (rc == EYOT_OK) make_missing(ch, q);
  return rc;
}

/* -- operations -------------------------------------------------------------------------------- */

/* Begins the next operation of the channel. If it is refused, or cannot be begun, the others will
 * know. */
static void begin_next(struct eyoti_channel *ch, struct eyoti_request *q) {
  const struct eyoti_coll_args *a = &q->call.args;
  struct eyoti_plan *p = NULL;
  uint32_t more = 0;
  if (q->fresh) q->compares = eyoti_request_is_long(q) || missing(ch, q) != 0;
  q->compares &= !q->fresh || q->refused == EYOT_OK;
  q->fresh = false;
  q->begun = true;
  if (q->refused == EYOT_OK && !q->compares) {
    q->refused = round_plan(q, &p);
    if (q->refused != EYOT_OK) more = eyoti_coll_rounds_after(&q->call, q->at, round_len(q));
  }
  if (p != NULL) {
    q->refused = eyoti_coll_round(&q->op, ch, &q->call, p, q->call.hash, q->at, &q->temp);
    return;
  }
  bool opens = q->compares && q->refused == EYOT_OK;
  int rc = eyoti_run_begin(&q->op, ch, NULL, a, q->call.hash, opens);
  q->op.last += more;
  if (q->refused == EYOT_OK) q->refused = rc;
}

static void round_end(struct eyoti_request *q, int rc) {
  q->begun = false;
  eyoti_coll_round_end(&q->op, &q->call, q->at, q->temp, rc);
  q->temp = NULL;
  if (q->piece != NULL) eyoti_coll_plan_done(q->t, q->piece);
  q->piece = NULL;
}

/* Whether the call goes on, after an operation that has moved so many bytes of each block. */
static bool request_next(const struct eyoti_channel *ch, struct eyoti_request *q, uint64_t moved) {
  if (q->compares) {
    q->compares = false;
    make_missing(ch, q);
    return true;
  }
  q->at += moved;
  if (q->at < q->call.args.bytes) return true;
  if (eyoti_coll_is_last(&q->call)) return false;
  q->at = 0;
  q->refused = eyoti_coll_turn(&q->call, q->t, q->call.stage + 1);
  bool refused = q->refused != EYOT_OK;
  q->call.hash = eyoti_coll_next_hash(q->t->coll, &q->call, NULL, &q->call.args, refused);
  q->compares = q->rt->coll->check || eyoti_request_is_long(q);
  return true;
}

/* Continues the call. ETIMEOUT: it is not over. */
int eyoti_request_go(struct eyoti_channel *ch, struct eyoti_request *q, bool wait) {
  for (;;) {
    int rc;
    if (!q->begun) {
      if (q->makes != 0)
        begin_agree(ch, q);
      else
        begin_next(ch, q);
      q->op.what = q->asked.what;
      q->op.site = q->site;
    }
    if (q->refused == EYOT_OK)
      rc = eyoti_run_go(&q->op, wait);
    else
      rc = wait ? eyoti_run_stop(&q->op, q->refused) : eyoti_run_try_stop(&q->op, q->refused);
    if (rc == EYOT_ETIMEOUT) return rc;
    if (q->makes != 0) {
      EYOTI_TRY(agree_end(ch, q, rc));
      continue;
    }
    uint64_t moved = q->op.p != NULL ? q->op.p->args.len : 0; /* round_end may free the plan */
    round_end(q, rc);
    if (rc != EYOT_OK) return rc;
    if (!request_next(ch, q, moved)) return EYOT_OK;
  }
}
