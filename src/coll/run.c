/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - executes a plan (run.h): the opening where there is one, then step after step.
 *
 * Heads carry the hash of the arguments, and each receiver compares: so different calls are found
 * without a message of their own. A member that finds a difference, or an error, poisons the
 * operation: every wait of a run ends by a poisoned word too. Members whose calls differ may wait
 * for words that nobody sets; a wait that takes long therefore looks whether its epoch, or the
 * opening's words, hold a head of this operation with another hash. */
#include "coll/run.h"

#include "coll/opening.h"
#include "coll/run_parts.h"
#include "rma/op.h"
#include "rt/observe.h"
#include "teams/order.h"

#define PATIENCE_MOST_NS UINT64_C(1280000000)

/* -- waiting ----------------------------------------------------------------------------------- */

/* The word by which other members tell that the operation has failed, or its opening. */
static uint64_t poison_off(const struct eyoti_coll_op *r) {
  return eyoti_channel_poison_off(
      r->ch, eyoti_run_opens(r) ? EYOTI_POISON_SKIPPED : EYOTI_POISON_FAILED, r->number);
}
static struct fab_cond poison_cond(const struct eyoti_coll_op *r) {
  return eyoti_run_cond(r->ch, 0, poison_off(r), (uint64_t)r->number << 32);
}

/* The word of a level of the opening. The set changes when the opening is over. */
static uint64_t opening_off(const struct eyoti_coll_op *r, uint32_t level) {
  return eyoti_channel_opening_off(r->ch, r->ch->second) + level * 8u;
}

static const struct eyoti_step *step_now(const struct eyoti_coll_op *r) {
  return r->p->code != NULL ? &r->now : &r->p->step[r->pc];
}

/* A word that the run waits for. */
struct awaited {
  uint32_t class;
  uint64_t off, value;
};

/* The word of the opening's level, or of the present step. */
static struct awaited awaited_now(const struct eyoti_coll_op *r) {
  if (eyoti_run_opens(r))
    return (struct awaited){0, opening_off(r, r->level), eyoti_run_head(r->number, 0)};
  const struct eyoti_step *s = step_now(r);
  uint64_t word = s->word;
  if (s->kind == EYOTI_STEP_AWAIT_EACH) word += eyoti_plan_member(r->p, 1 + (int64_t)r->each);
  return (struct awaited){r->class, eyoti_epoch_word(&r->epoch, word),
                          eyoti_run_head(r->number, s->chunk)};
}

static int opening_send(struct eyoti_coll_op *r, uint32_t level) {
  const struct eyoti_team *t = r->ch->t;
  uint32_t to = eyoti_run_level_to(t, level);
  return eyoti_channel_raise(r->ch, eyoti_team_unit(t, to), opening_off(r, level),
                             eyoti_run_head(r->number, r->differs ? EYOTI_HASH_OTHER : r->hash));
}

bool eyoti_run_explores(const struct eyoti_coll_op *r) {
  return (*eyoti_forward_last(&r->ch->rt->fab))->ops->check != NULL;
}

static int look(const struct eyoti_coll_op *r, const struct fab_cond conds[2], uint64_t timeout_ns,
                uint32_t *which) {
  return r->exchanges ? eyoti_ctl_wait_any(eyoti_run_fab(r), conds, 2, timeout_ns, which)
                      : fab_wait_any(eyoti_run_fab(r), conds, 2, timeout_ns, which);
}

/* Waits for the word or the poison, and looks for other calls now and then: where time is virtual
 * some times, so that a run that stands still ends; where schedules are explored never, as every
 * time-out would be a choice. */
static int wait_long(struct eyoti_coll_op *r, const struct fab_cond conds[2], uint32_t *which) {
  struct fab *f = eyoti_run_fab(r);
  bool virtual = (f->caps & FAB_CAP_VIRTUAL_TIME) != 0;
  if (eyoti_run_explores(r)) return look(r, conds, FAB_FOREVER, which);
  uint64_t patience = EYOTI_PATIENCE_NS;
  int rc = look(r, conds, patience, which);
  if (rc != EYOT_ETIMEOUT) return rc;
  if (f->ops->tries != NULL) f->ops->tries(f, FAB_FOREVER);
  for (; rc == EYOT_ETIMEOUT; r->tries++) {
    if (patience < PATIENCE_MOST_NS)
      patience *= 2;
    else if (virtual)
      patience = FAB_FOREVER;
    rc = eyoti_run_look_around(r);
    if (rc == EYOT_OK) rc = eyoti_order_look(r->ch->rt);
    if (rc == EYOT_OK) rc = look(r, conds, patience, which);
  }
  if (f->ops->tries != NULL) f->ops->tries(f, 0);
  return rc;
}

/* Whether another member has told of a failure: it has completed that before it went on. */
static bool is_poisoned(const struct eyoti_coll_op *r) {
  uint64_t range = eyoti_load_own(eyoti_run_word(r, 0, poison_off(r)));
  return range >> 32 >= r->number && (!eyoti_run_opens(r) || (uint32_t)range <= r->number);
}

static int wait_either(struct eyoti_coll_op *r, const struct fab_cond conds[2], bool wait) {
  struct fab *f = eyoti_run_fab(r);
  uint32_t which = 0;
  if (wait)
    EYOTI_TRY(wait_long(r, conds, &which));
  else
    EYOTI_TRY(fab_wait_any(f, conds, 2, 0, &which));
  if (which == 1 && is_poisoned(r)) return EYOT_EMISMATCH;
  if (which == 1) /* of later rounds: the message is on its way */
    EYOTI_TRY(fab_wait_any(f, conds, 1, wait ? FAB_FOREVER : 0, &which));
  return EYOT_OK;
}

int eyoti_run_wait(struct eyoti_coll_op *r, const struct fab_cond *cond) {
  const struct fab_cond conds[2] = {*cond, poison_cond(r)};
  return wait_either(r, conds, true);
}

/* *seen: the word's value. ETIMEOUT: it is not there yet. EMISMATCH: the operation has failed. */
static int await_word(struct eyoti_coll_op *r, const struct awaited *a, bool wait, uint64_t *seen) {
  struct fab *f = eyoti_run_fab(r);
  uint64_t *word = eyoti_run_word(r, a->class, a->off);
  uint32_t spins = wait && f->cpu_atomics ? f->spin_limit : 0;
  for (; f->cpu_atomics || f->ops->message != NULL; spins--) {
    *seen = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* pairs with a signal, or the fabric's take */
    if (__builtin_expect(*seen >= a->value, 1)) return EYOT_OK;
    if (spins == 0) break;
    fab_relax();
  }
  if (__builtin_expect(r->foreign, 0)) return EYOT_EMISMATCH;
  struct fab_cond conds[2] = {eyoti_run_cond(r->ch, a->class, a->off, a->value), poison_cond(r)};
  /* hints: the fabric's look acquires */
  if (!wait && __atomic_load_n(word, __ATOMIC_RELAXED) < a->value &&
      __atomic_load_n(eyoti_run_word(r, 0, poison_off(r)), __ATOMIC_RELAXED) < conds[1].value)
    return EYOT_ETIMEOUT;
  EYOTI_TRY(wait_either(r, conds, wait));
  *seen = eyoti_load_own(word);
  return EYOT_OK;
}

static int await_head(struct eyoti_coll_op *r, bool wait) {
  struct awaited a = awaited_now(r);
  uint64_t seen;
  EYOTI_TRY(await_word(r, &a, wait, &seen));
  if (seen >> 32 > r->number) return EYOT_EMISMATCH; /* also in an opening: channel.c */
  if (eyoti_run_opens(r)) {
    r->differs |= (uint32_t)seen != r->hash;
    return EYOT_OK;
  }
  bool head = (uint32_t)a.value == EYOTI_HEAD;
  bool right = head ? (uint32_t)seen == r->hash : (uint32_t)seen <= EYOTI_HASH_LEAST;
  return right ? EYOT_OK : EYOT_EMISMATCH;
}

uint32_t eyoti_run_awaits(const struct eyoti_coll_op *r, struct fab_cond cond[2],
                          const uint64_t *word[2]) {
  struct awaited a = awaited_now(r);
  cond[0] = eyoti_run_cond(r->ch, a.class, a.off, a.value);
  word[0] = eyoti_run_word(r, a.class, a.off);
  cond[1] = poison_cond(r);
  word[1] = eyoti_run_word(r, 0, poison_off(r));
  /* a poison of later rounds stays there, and ends no wait */
  return eyoti_load_own(word[1]) >= cond[1].value && !is_poisoned(r) ? 1 : 2;
}

/* -- steps ------------------------------------------------------------------------------------- */

static int opening_go(struct eyoti_coll_op *r, bool wait) {
  struct eyoti_channel *ch = r->ch;
  if (!r->opens) return EYOT_OK;
  r->exchanges = ch->exchanges && r->all_open && !r->later;
  if (r->exchanges) EYOTI_TRY(eyoti_opening_exchange(r));
  for (; eyoti_run_opens(r); r->level++, r->sent = false) {
    if (!r->sent) EYOTI_TRY(opening_send(r, r->level));
    r->sent = true;
    EYOTI_TRY(await_head(r, wait));
  }
  r->opens = false;
  r->opened = true;
  ch->together = r->number;
  ch->second = !ch->second;
  return r->differs ? EYOT_EMISMATCH : EYOT_OK;
}

/* What the step's word is set to. */
static uint64_t value_of(const struct eyoti_coll_op *r, const struct eyoti_step *s) {
  return eyoti_run_head(r->number, s->chunk == EYOTI_HEAD ? r->hash : s->chunk);
}

static int step_put(struct eyoti_coll_op *r, const struct eyoti_step *s) {
  r->pushes = true;
  r->lends |= s->len > 0 && s->from_in != EYOTI_BOARD;
  return eyoti_channel_send(r->ch, r->class, s->unit, eyoti_epoch_data(&r->epoch, s->to),
                            s->len > 0 ? eyoti_run_at(r, s->from_in, s->from) : NULL, s->len,
                            eyoti_epoch_word(&r->epoch, s->word), value_of(r, s));
}

static int step_put_each(struct eyoti_coll_op *r, const struct eyoti_step *s) {
  const struct eyoti_plan *p = r->p;
  uint64_t slot = eyoti_epoch_data(&r->epoch, s->to) + p->me * s->len;
  uint64_t word_off = eyoti_epoch_word(&r->epoch, (uint64_t)s->word + p->me);
  r->pushes = true;
  r->lends |= s->from_in != EYOTI_BOARD;
  for (; r->each < p->size - 1; r->each++) {
    uint32_t member = eyoti_plan_member(p, 1 + (int64_t)r->each);
    EYOTI_TRY(eyoti_channel_send(r->ch, r->class, eyoti_team_unit(p->t, member), slot,
                                 eyoti_run_at(r, s->from_in, s->from + member * s->from_stride),
                                 s->len, word_off, eyoti_run_head(r->number, r->hash)));
  }
  return EYOT_OK;
}

static int step_send(struct eyoti_coll_op *r, const struct eyoti_step *s) {
  r->pushes = r->lends = true;
  return eyoti_channel_send_apart(r->ch, r->class, s->unit, eyoti_run_at(r, s->from_in, s->from),
                                  s->len, eyoti_epoch_word(&r->epoch, s->word), value_of(r, s));
}

/* dst NULL: withdraws it. */
static int expect(const struct eyoti_coll_op *r, const struct eyoti_step *s, void *dst) {
  const struct fab_addr *own = &eyoti_channel_board(r->ch, r->class)->own;
  uint64_t off = own->off + eyoti_epoch_word(&r->epoch, s->word);
  struct fab_sig sig = {
      .at = fab_at(own->unit, own->seg, off), .op = FAB_SIG_SET, .value = value_of(r, s)};
  return eyoti_run_fab(r)->ops->expect(eyoti_run_fab(r), s->unit, &sig, dst, s->len, NULL);
}

/* The caller's buffers are its own again, and no sender waits for it. What has come has set its
 * word; what else was or would have been expected is dropped. */
static void withdraw(const struct eyoti_coll_op *r) {
  for (uint32_t i = 0; r->p->direct && i < r->p->steps; i++) {
    const struct eyoti_step *s = &r->p->step[i];
    uint64_t word = eyoti_epoch_word(&r->epoch, s->word);
    if (s->kind == EYOTI_STEP_EXPECT &&
        eyoti_load_own(eyoti_run_word(r, r->class, word)) < value_of(r, s))
      (void)expect(r, s, NULL);
  }
}

static int step_await_each(struct eyoti_coll_op *r, bool wait) {
  for (; r->each < r->p->size - 1; r->each++) EYOTI_TRY(await_head(r, wait));
  return EYOT_OK;
}

/* Gets are complete when the step is. */
static int step_get_each(struct eyoti_coll_op *r, const struct eyoti_step *s) {
  const struct eyoti_plan *p = r->p;
  uint64_t off = eyoti_epoch_data(&r->epoch, s->from);
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < p->size && rc == EYOT_OK; i++) {
    uint32_t member = eyoti_plan_member(p, i);
    struct fab_addr from;
    rc = eyoti_channel_at(r->ch, r->class, eyoti_team_unit(p->t, member), off, s->len, &from);
    if (rc == EYOT_OK)
      rc = fab_get(eyoti_run_fab(r), eyoti_run_at(r, s->to_in, s->to + member * s->to_stride), from,
                   s->len, NULL);
  }
  int rc_flush = fab_flush_end(eyoti_run_fab(r), FAB_ALL, FAB_LOCAL);
  return rc != EYOT_OK ? rc : rc_flush;
}

/* Of a plan's puts only those from the caller's buffers hold it up. */
static int drain(struct eyoti_coll_op *r) {
  if (!r->lends) return EYOT_OK;
  r->lends = false;
  return eyoti_channel_drain(r->ch);
}

static int step_go(struct eyoti_coll_op *r, const struct eyoti_step *s, bool wait) {
  switch ((enum eyoti_step_kind)s->kind) {
    case EYOTI_STEP_PUT:
      return step_put(r, s);
    case EYOTI_STEP_AWAIT:
      return await_head(r, wait);
    case EYOTI_STEP_DRAIN:
      return drain(r);
    case EYOTI_STEP_PUT_EACH:
      return step_put_each(r, s);
    case EYOTI_STEP_AWAIT_EACH:
      return step_await_each(r, wait);
    case EYOTI_STEP_GET_EACH:
      return step_get_each(r, s);
    case EYOTI_STEP_SEND:
      return step_send(r, s);
    case EYOTI_STEP_EXPECT:
      return expect(r, s, eyoti_run_at(r, s->to_in, s->to));
    case EYOTI_STEP_COPY:
    case EYOTI_STEP_COMBINE:
    case EYOTI_STEP_PACK:
    case EYOTI_STEP_UNPACK:
    case EYOTI_STEP_NOTE:
    case EYOTI_STEP_AGREE:
      return eyoti_run_local(r, s);
  }
  EYOTI_PANIC("a plan has a step of kind %u", s->kind);
}

/* -- begin, go on, end ------------------------------------------------------------------------- */

void eyoti_run_set(struct eyoti_coll_op *r, struct eyoti_channel *ch, const struct eyoti_plan *p,
                   const struct eyoti_coll_args *args, uint32_t hash) {
  uint32_t number = ch->number, class = p != NULL ? eyoti_channel_class(ch, p) : 0;
  /* boards that are made at a call's start are those of its longest round */
  while (class + 1 < EYOTI_CLASSES && !eyoti_channel_has(ch, class)) class ++;
  EYOTI_ASSERT(eyoti_channel_has(ch, class));
  *r = (struct eyoti_coll_op){.ch = ch,
                              .p = p,
                              .args = args,
                              .number = number,
                              .last = number,
                              .hash = hash,
                              .class = class,
                              .level = ch->levels,
                              .epoch = eyoti_channel_epoch(ch, class, number)};
}

int eyoti_run_begin(struct eyoti_coll_op *r, struct eyoti_channel *ch, const struct eyoti_plan *p,
                    const struct eyoti_coll_args *args, uint32_t hash, bool open) {
  int rc = eyoti_channel_next(ch);
  uint32_t number = ch->number;
  eyoti_run_set(r, ch, p, args, hash);
  r->all_open = eyoti_channel_unsafe(ch, number);
  r->opens = open || r->all_open;
  if (r->opens) r->level = 0;
  ch->hash[number % ch->epochs] = hash;
  uint32_t until = open ? number - 1 : number > EYOTI_RETIRED ? number - EYOTI_RETIRED : 0;
  int rc_retire = eyoti_channel_retire(ch, until);
  return rc != EYOT_OK ? rc : rc_retire;
}

void eyoti_run_buffers(struct eyoti_coll_op *r, const void *in, void *out, void *temp) {
  r->base[EYOTI_IN] = (char *)(uintptr_t)in;
  r->base[EYOTI_OUT] = out;
  r->base[EYOTI_BOARD] = eyoti_channel_board(r->ch, r->class)->base;
  r->base[EYOTI_TEMP] = temp;
}

/* Tells the others: by the opening if all are in it, else by poison, unless the caller was told; in
 * large teams it passes that on. */
static int run_stop(struct eyoti_coll_op *r, int rc, bool wait) {
  bool apart = eyoti_team_is_apart(r->ch->t); /* has been logged; no opening is passed */
  if (r->opens && r->all_open && !r->left && !apart) {
    r->differs = true;
    if (opening_go(r, wait) == EYOT_ETIMEOUT && !wait) return EYOT_ETIMEOUT;
  }
  if (r->never) {
    r->ch->number = r->number - 1;
    return rc;
  }
  bool all_know = r->differs && r->opened, told = !all_know && is_poisoned(r);
  if (rc == EYOT_EMISMATCH && !apart)
    (void)eyoti_coll_mismatch_of(r->what, r->site, r->ch->t, r->p != NULL ? &r->p->args : r->args,
                                 told ? EYOTI_COLL_TOLD : EYOTI_COLL_DIFFERS);
  if (!all_know && !apart && (!told || r->ch->t->size > EYOTI_POISON_DIRECT))
    (void)eyoti_channel_poison(r->ch, r->number, r->last, !r->opened);
  r->ch->number = r->last;
  if (r->p != NULL) withdraw(r);
  (void)eyoti_channel_retire(r->ch, r->last);
  (void)fab_flush_end(eyoti_run_fab(r), FAB_ALL, FAB_LOCAL);
  return rc;
}

int eyoti_run_stop(struct eyoti_coll_op *r, int rc) {
  return run_stop(r, rc, true);
}
int eyoti_run_try_stop(struct eyoti_coll_op *r, int rc) {
  return run_stop(r, rc, false);
}

/* The puts from the caller's buffers are locally complete, and messages that a fabric holds back
 * until the unit waits are on their way. */
static int run_end(struct eyoti_coll_op *r) {
  struct fab *f = eyoti_run_fab(r);
  EYOTI_TRY(drain(r));
  if (r->pushes && eyoti_run_is_held(f)) EYOTI_TRY(f->ops->progress(f));
  /* Its word may have to tell of the next operation. */
  if (r->announced) EYOTI_TRY(eyoti_channel_retire(r->ch, r->number));
  if (r->p != NULL && r->p->symmetric) r->ch->together = r->number;
  return EYOT_OK;
}

static int run_on(struct eyoti_coll_op *r, bool wait) {
  EYOTI_TRY(opening_go(r, wait));
  if (r->p == NULL) return run_end(r);
  if (r->next == 0) eyoti_run_load(r);
  while (r->pc < r->p->steps) {
    EYOTI_TRY(step_go(r, step_now(r), wait));
    r->pc++;
    r->each = 0;
    eyoti_run_load(r);
  }
  return run_end(r);
}

int eyoti_run_go(struct eyoti_coll_op *r, bool wait) {
  int rc = run_on(r, wait);
  if (__builtin_expect(rc == EYOT_OK, 1) || (rc == EYOT_ETIMEOUT && !wait)) return rc;
  r->left = r->opens;
  return eyoti_run_stop(r, rc);
}

int eyoti_coll_confirm(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash) {
  struct eyoti_coll_op r;
  int rc = eyoti_run_begin(&r, ch, NULL, a, hash, true);
  return rc != EYOT_OK ? eyoti_run_stop(&r, rc) : eyoti_run_go(&r, true);
}

int eyoti_coll_refuse(struct eyoti_channel *ch, const struct eyoti_coll_args *a, uint32_t hash,
                      int refused) {
  struct eyoti_coll_op r;
  (void)eyoti_run_begin(&r, ch, NULL, a, hash, false);
  return eyoti_run_stop(&r, refused);
}
