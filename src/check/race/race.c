/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - the race detector's units and operations, and the order between them. race.h has the
 * rules. */

/* The method is FastTrack's (Flanagan, Freund: FastTrack: efficient and precise dynamic race
 * detection, PLDI 2009, sections 3 and 4) with operations that are not part of their unit's thread:
 *  - Each unit numbers its events: operations, completions, accesses of its CPU. Its clock holds
 *    for each unit up to which event it has learned of it.
 *  - A word remembers its accesses that could still race, each as a record of the operation that
 *    made it. The record says from which event of its unit on it is *released*: a unit that has
 *    learned of that event comes after the access. An operation under way is not released; seeing
 *    it complete is an event, and releases it.
 *  - A signal carries its unit's clock as it was at posting, and with it the early knowledge
 *    (early.c): "operation k of u", for a put's own bytes, and "operations of u to t up to k", for
 *    an order. Early knowledge goes along with clocks, and counts for records that are not
 *    released.
 *  - A new access is compared with the remembered ones as seen from its post (the CPU's: from now).
 *    Then it replaces those that it makes superfluous: a plain write all, others those before it
 *    whose every conflict it has as well.
 *
 * No false report. Claim: if access a is before the post (or moment) of access b by 1-6, then a's
 * record counts as known in the clock b is compared with. By induction over the steps from a to b.
 * What leads out of the effect a of a put or get is only: its completion seen by u (2), an event
 * whose number all later clocks of u have, and the record is released by that number; its own
 * signal (3), or itself seen by a waiter (4), which carry "operation k"; an order and a later
 * operation of u there (3), compared with the order's bound, and carrying that bound on where it
 * signals, ends a wait or is seen complete. (The
 * source of a put is read before its bytes arrive, and is reported with them.) Loads and stores are
 * released by their own number (stores at the barrier of 5), which later clocks of u have. Signals
 * and atomics are released by the number of their unit at posting, which their own clock has. From
 * there on (1, 4) clocks and early knowledge are only joined, and both only grow, except that early
 * knowledge is dropped where it is not needed: when the clock has learned that all operations up to
 * k are released, and when it becomes too much; then the records concerned become released by the
 * number of their posting, which every holder of the knowledge has learned of. Hence what is not
 * known is not before, and is reported rightly. Every simplification errs to the other side. */
#include "check/race/race.h"

#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

static void *race_must(void *p) {
  if (p == NULL) eyoti_no_memory(0, "the race detector");
  return p;
}

/* -- the detector ------------------------------------------------------------------------------ */

struct chk_race *chk_race_new(uint32_t units, bool strict_stores) {
  EYOTI_ASSERT(units >= 1 && units <= 1u << (64 - CHK_WORD_OFF_BITS - CHK_WORD_SEG_BITS));
  struct chk_race *r = race_must(chk_alloc(sizeof *r));
  *r = (struct chk_race){.n = units, .strict_stores = strict_stores};
  r->units = race_must(chk_alloc(sizeof *r->units * units));
  for (uint32_t i = 0; i < units; i++) r->units[i].events = 1; /* event 0 is known to all */
  chk_clocks_init(&r->clocks, units);
  chk_shadow_init(&r->shadow, &chk_race_shadow_ops, r);
  chk_pool_init(&r->recs, sizeof(struct chk_rec));
  chk_pool_init(&r->ops, sizeof(struct chk_race_op));
  chk_pool_init(&r->states, CHK_STATE_BYTES);
  chk_pool_init(&r->earlies, sizeof(struct chk_early));
  chk_pool_init(&r->flags, CHK_FLAGS_BYTES);
  chk_pool_init(&r->buffers, CHK_BUFFER_BYTES);
  return r;
}

static void free_units(struct chk_race *r) {
  for (uint32_t i = 0; i < r->n; i++) {
    chk_bounds_free(&r->units[i].orders);
    for (uint32_t k = 0; k < 2; k++) chk_bounds_free(&r->units[i].flushes[k]);
    chk_free(r->units[i].unfenced);
    r->units[i] = (struct chk_unit){.events = 1};
  }
}

void chk_race_restart(struct chk_race *r) {
  r->restarted = true;
  r->racy[1].n = 0;
  chk_shadow_clear(&r->shadow);
  r->under_way = NULL;
  chk_meetings_clear(r);
  free_units(r);
  chk_clocks_clear(&r->clocks);
  chk_pool_clear(&r->recs);
  chk_pool_clear(&r->ops);
  chk_pool_clear(&r->states);
  chk_pool_clear(&r->earlies);
  chk_pool_clear(&r->flags);
  chk_pool_clear(&r->buffers);
}

void chk_race_precise(struct chk_race *r) {
  r->precise = true;
}

void chk_race_destroy(struct chk_race *r) {
  if (r == NULL) return;
  chk_shadow_fini(&r->shadow);
  chk_meetings_clear(r);
  free_units(r);
  chk_clocks_fini(&r->clocks);
  chk_pool_fini(&r->recs);
  chk_pool_fini(&r->ops);
  chk_pool_fini(&r->states);
  chk_pool_fini(&r->earlies);
  chk_pool_fini(&r->flags);
  chk_pool_fini(&r->buffers);
  chk_free(r->units);
  for (uint32_t k = 0; k < 2; k++) chk_free(r->racy[k].at);
  chk_free(r->reports);
  chk_free(r);
}

void chk_race_listen(struct chk_race *r, chk_race_found found, void *ctx) {
  r->found = found;
  r->found_ctx = ctx;
}

/* -- events and records ------------------------------------------------------------------------ */

/* After the last number events stay equal: a later event then counts as known together with the
 * earlier one. */
uint32_t chk_race_event(struct chk_unit *u) {
  if (u->events < CHK_NOT_RELEASED - 1) u->events++;
  return u->events;
}

static struct chk_rec *rec_new(struct chk_race *r, struct chk_at at, enum chk_race_kind kind) {
  struct chk_rec *rec = chk_pool_get(&r->recs);
  *rec = (struct chk_rec){.refs = 1,
                          .unit = at.unit,
                          .target = at.unit,
                          .kind = (uint8_t)kind,
                          .site = at.site,
                          .when = at.when};
  rec->number = rec->released = r->units[at.unit].events;
  return rec;
}

/* The record of an access that is no event by itself: the unit's last record if it says the same.
 * The caller gets no reference. */
struct chk_rec *chk_race_again(struct chk_race *r, struct chk_at at, const struct chk_rec *like) {
  struct chk_unit *u = &r->units[at.unit];
  struct chk_rec **last = &u->last[like->kind], *rec = *last;
  if (rec != NULL && rec->site == at.site && rec->number == like->number && rec->len == like->len &&
      rec->target == like->target && rec->use == like->use && rec->set == like->set &&
      rec->nbi == like->nbi && rec->fetched == like->fetched)
    return rec;
  chk_rec_drop(r, rec);
  *last = rec = rec_new(r, at, (enum chk_race_kind)like->kind);
  rec->number = rec->released = like->number;
  rec->len = like->len;
  rec->target = like->target;
  rec->use = like->use;
  rec->set = like->set;
  rec->nbi = like->nbi;
  rec->fetched = like->fetched;
  return rec;
}

struct chk_stamp chk_race_now(const struct chk_race *r, uint32_t unit) {
  const struct chk_unit *u = &r->units[unit];
  return (struct chk_stamp){.unit = unit,
                            .events = u->events,
                            .target = CHK_NOBODY,
                            .clock = u->clock,
                            .early = u->early};
}

struct chk_stamp chk_race_of_sync(const struct chk_sync *s) {
  return (struct chk_stamp){
      .unit = CHK_NOBODY, .target = CHK_NOBODY, .clock = s->clock, .early = s->early};
}

void chk_race_learn(struct chk_race *r, struct chk_unit *u, struct chk_node *clock,
                    struct chk_early *early) {
  uint32_t self = (uint32_t)(u - r->units);
  chk_race_returned(u, chk_clock_get(&r->clocks, clock, self));
  if (u->token == CHK_NO_TOKEN) u->token = chk_clock_token(&r->clocks);
  u->clock = chk_clock_join(&r->clocks, u->clock, clock, u->token);
  u->early = chk_early_join(r, u->early, early, u->clock, self);
}

/* -- barriers ---------------------------------------------------------------------------------- */

void chk_race_fenced(struct chk_race *r, uint32_t unit) {
  struct chk_unit *u = &r->units[unit];
  if (u->n_unfenced == 0) return;
  uint32_t number = chk_race_event(u);
  for (uint32_t i = 0; i < u->n_unfenced; i++) {
    u->unfenced[i]->released = number;
    chk_rec_drop(r, u->unfenced[i]);
  }
  u->n_unfenced = 0;
  u->given = u->events; /* a later store is another event */
}

void chk_race_forget(struct chk_race *r, struct chk_race_range bytes) {
  if (bytes.len == 0) return;
  chk_racy_forget(r, bytes);
  uint64_t first = bytes.off / 8, end = (bytes.off + bytes.len + 7) / 8;
  chk_shadow_forget(&r->shadow, chk_word(bytes.unit, bytes.seg, bytes.off), end - first);
}

/* No access before the barrier races with one after it: no word needs to remember it, and no clock
 * to know of it. */
void chk_race_barrier(struct chk_race *r) {
  r->era++;
  chk_shadow_clear(&r->shadow);
  for (uint32_t i = 0; i < r->n; i++) {
    struct chk_unit *u = &r->units[i];
    chk_race_fenced(r, i);
    chk_early_drop(r, u->early);
    u->clock = NULL;
    u->folded = 0;
    u->early = NULL;
    u->given = u->events;
  }
}

/* -- clocks that are alive --------------------------------------------------------------------- */

static void mark_sync(void *ctx, struct chk_sync *s) {
  struct chk_race *r = ctx;
  chk_clock_mark(&r->clocks, s->clock);
  chk_flags_mark(r, s->flags);
}

void chk_race_collect(struct chk_race *r) {
  if (!chk_clocks_full(&r->clocks)) return;
  for (uint32_t i = 0; i < r->n; i++) chk_clock_mark(&r->clocks, r->units[i].clock);
  for (const struct chk_race_op *op = r->under_way; op != NULL; op = op->next) {
    chk_clock_mark(&r->clocks, op->posted.clock);
    chk_clock_mark(&r->clocks, op->seen);
  }
  chk_shadow_each_sync(&r->shadow, mark_sync);
  chk_meetings_mark(r);
  chk_clocks_sweep(&r->clocks);
}

/* -- operations -------------------------------------------------------------------------------- */

struct chk_rec chk_race_own_side(const struct chk_race_op *op, uint64_t len) {
  return (struct chk_rec){
      .refs = 1,
      .unit = op->at.unit,
      .target = op->posted.target,
      .set = op->posted.set,
      .number = op->posted.events,
      .released = CHK_NOT_RELEASED,
      .kind = (uint8_t)op->kind,
      .source = true,
      .with_signal = op->kind == CHK_RACE_SIGNAL,
      /* Once a put's bytes have arrived, its source has been read. */
      .orderable = op->kind == CHK_RACE_PUT || op->kind == CHK_RACE_SIGNAL,
      .site = op->at.site,
      .when = op->at.when,
      .len = len,
  };
}

static struct chk_rec *side(struct chk_race *r, const struct chk_race_op *op, bool source,
                            uint64_t len) {
  struct chk_rec *rec = chk_pool_get(&r->recs);
  *rec = chk_race_own_side(op, len);
  rec->source = source;
  if (op->kind == CHK_RACE_GET) rec->use = CHK_USE_GET;
  return rec;
}

/* What orders put before an operation that is posted now. */
static void posted_after(const struct chk_race *r, struct chk_stamp *s, uint16_t set,
                         uint32_t target) {
  const uint32_t quiet = r->units[s->unit].quiet; /* up to here all of them are released */
  const struct chk_bounds *orders = &r->units[s->unit].orders;
  uint32_t all = chk_bounds_get(orders, CHK_RACE_SETS, target),
           one = chk_bounds_get(orders, set, target);
  s->upto = all > quiet ? all : 0;
  s->set_upto = one > all && one > quiet ? one : 0;
}

static struct chk_race_op *race_post(struct chk_race *r, struct chk_at at, enum chk_race_kind kind,
                                     uint16_t set, uint32_t target, uint64_t len_bytes, bool nbi) {
  EYOTI_ASSERT(kind <= CHK_RACE_SIGNAL && at.unit < r->n && target < r->n);
  chk_race_collect(r);
  struct chk_unit *u = &r->units[at.unit];
  bool data = kind != CHK_RACE_AMO && len_bytes > 0,
       synchronizes = kind == CHK_RACE_AMO || kind == CHK_RACE_SIGNAL;
  if (kind == CHK_RACE_AMO) chk_race_fenced(r, at.unit);
  bool apart = kind == CHK_RACE_AMO && chk_race_apart(u, nbi);
  if (data || apart || (synchronizes && r->precise)) chk_race_event(u);
  if (synchronizes && u->folded != u->events) {
    u->clock = chk_clock_raise(&r->clocks, u->clock, at.unit, u->events, u->token);
    u->folded = u->events;
  }
  u->given = u->events;

  struct chk_race_op *op = chk_pool_get(&r->ops);
  *op = (struct chk_race_op){
      .at = at, .kind = kind, .era = r->era, .nbi = nbi, .posted = chk_race_now(r, at.unit)};
  chk_early_share(op->posted.early);
  u->token = CHK_NO_TOKEN; /* its clock is now shared */
  op->link = &r->under_way;
  op->next = r->under_way;
  if (op->next != NULL) op->next->link = &op->next;
  r->under_way = op;
  op->posted.target = target;
  op->posted.set = set;
  if (kind != CHK_RACE_GET) posted_after(r, &op->posted, set, target);
  op->data = data;
  if (data) op->remote = side(r, op, false, len_bytes);
  if (data && kind != CHK_RACE_GET) u->puts++;
  return op;
}

struct chk_race_op *chk_race_posted_in(struct chk_race *r, struct chk_at at,
                                       enum chk_race_kind kind, uint16_t set, uint32_t target,
                                       uint64_t len_bytes) {
  return race_post(r, at, kind, set, target, len_bytes, false);
}

struct chk_race_op *chk_race_posted_nbi(struct chk_race *r, struct chk_at at, uint16_t set,
                                        uint32_t target) {
  return race_post(r, at, CHK_RACE_AMO, set, target, 0, true);
}

void chk_race_applied(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->remote != NULL);
  const bool word = op->kind != CHK_RACE_GET && chk_race_is_word(bytes);
  if (word) op->remote->with_signal = true; /* a waiter may see it as one */
  chk_race_touch(r, op->remote,
                 op->kind == CHK_RACE_GET ? CHK_PLAIN_READ
                 : word                   ? CHK_FLAG_WRITE
                                          : CHK_PLAIN_WRITE,
                 bytes, &op->posted, NULL);
}

void chk_race_applied_words(struct chk_race *r, struct chk_race_op *op,
                            struct chk_race_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->kind == CHK_RACE_GET && (bytes.off | bytes.len) % 4 == 0);
  chk_race_touch(r, op->remote, CHK_ATOMIC_READ, bytes, &op->posted, NULL);
}

void chk_race_local(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->remote != NULL || op->kind == CHK_RACE_AMO);
  struct chk_unit *u = &r->units[op->at.unit];
  if (op->remote == NULL && op->local == NULL) /* an event of its own, as with bytes */
    u->given = op->posted.events = chk_race_event(u);
  if (op->local == NULL) op->local = side(r, op, true, bytes.len);
  struct chk_stamp posted = op->posted;
  posted.upto = posted.set_upto = 0; /* the target keeps an order */
  bool writes = op->kind == CHK_RACE_GET || op->kind == CHK_RACE_AMO;
  chk_race_touch(r, op->local, writes ? CHK_PLAIN_WRITE : CHK_PLAIN_READ, bytes, &posted, NULL);
}

/* Leaves at the word of op's signal or atomic the knowledge for the units that will see its
 * value. */
static void race_publish(struct chk_race *r, const struct chk_race_op *op, struct chk_sync *s,
                         bool adds) {
  const struct chk_stamp *p = &op->posted;
  if (!adds) {
    chk_early_drop(r, s->early);
    s->clock = s->early = NULL;
  }
  s->clock = chk_clock_join(&r->clocks, s->clock, p->clock, chk_clock_token(&r->clocks));
  s->early = chk_early_join(r, s->early, p->early, s->clock, CHK_NOBODY);
  s->early = chk_early_orders(r, s->early, op->at.unit, p, s->clock);
}

void chk_race_signaled(struct chk_race *r, struct chk_race_op *op, chk_word_t word, bool adds) {
  EYOTI_ASSERT(op->kind == CHK_RACE_SIGNAL);
  struct chk_early_item own = {
      .unit = op->at.unit, .target = op->posted.target, .number = op->posted.events};
  if (op->data) op->posted.early = chk_early_add(r, op->posted.early, own, op->posted.clock);
  if (op->era == r->era) {
    struct chk_race_range bytes = {chk_word_unit(word), chk_word_seg(word), chk_word_off(word), 8};
    struct chk_rec like = {.kind = CHK_RACE_SIGNAL,
                           .number = op->posted.events,
                           .target = op->posted.target,
                           .use = CHK_USE_SIGNAL};
    chk_race_touch(r, chk_race_again(r, op->at, &like), CHK_ATOMIC_WRITE, bytes, &op->posted, NULL);
  }
  struct chk_sync *s = chk_shadow_sync(&r->shadow, word, true);
  chk_flags_hide(r, s, (struct chk_race_range){.off = 0, .len = 8});
  race_publish(r, op, s, adds);
}

void chk_race_atomic(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes,
                     struct chk_race_amo how) {
  EYOTI_ASSERT(op->kind == CHK_RACE_AMO && !op->fetched);
  struct chk_sync *s =
      chk_shadow_sync(&r->shadow, chk_word(bytes.unit, bytes.seg, bytes.off), true);
  if (op->era == r->era) {
    struct chk_stamp there = chk_race_of_sync(s);
    struct chk_rec like = {.kind = CHK_RACE_AMO,
                           .number = op->posted.events,
                           .len = bytes.len,
                           .target = op->posted.target,
                           .use = (uint8_t)(bytes.len | (how.floats ? CHK_USE_FLOATS : 0)),
                           .set = op->posted.set,
                           .nbi = op->nbi,
                           .fetched = how.fetched};
    chk_race_touch(r, chk_race_again(r, op->at, &like),
                   how.wrote ? CHK_ATOMIC_WRITE : CHK_ATOMIC_READ, bytes, &op->posted,
                   how.fetched ? &there : NULL);
  }
  op->fetched = how.fetched;
  if (how.fetched) {
    op->seen = s->clock;
    op->seen_early = chk_early_share(s->early);
  }
  if (!how.wrote) return;
  chk_flags_hide(r, s, bytes);
  race_publish(r, op, s, true);
}

static void race_release(struct chk_race *r, struct chk_rec **rec, uint32_t number) {
  (*rec)->released = number;
  chk_rec_drop(r, *rec);
  *rec = NULL;
}

void chk_race_completed(struct chk_race *r, struct chk_race_op *op, enum chk_race_level level) {
  struct chk_unit *u = &r->units[op->at.unit];
  bool there = op->remote != NULL && (level != CHK_RACE_LOCAL || op->kind == CHK_RACE_GET),
       here = op->local != NULL;
  uint32_t number = there || here ? chk_race_event(u) : 0;
  if (op->buffers != NULL) chk_race_buffers_done(r, op);
  if (here) race_release(r, &op->local, number);
  if (there) {
    race_release(r, &op->remote, number);
    if (op->kind != CHK_RACE_GET && --u->puts == 0) u->quiet = number;
  }
  /* The operations that an order puts before it have taken effect, too. */
  if (level != CHK_RACE_LOCAL || op->fetched)
    u->early = chk_early_orders(r, u->early, op->at.unit, &op->posted, u->clock);
  chk_race_learn(r, u, op->seen, op->seen_early);
  chk_early_drop(r, op->seen_early);
  op->seen = NULL;
  op->seen_early = NULL;
  if (level != CHK_RACE_REMOTE) return;
  chk_early_drop(r, op->posted.early);
  *op->link = op->next;
  if (op->next != NULL) op->next->link = op->link;
  chk_pool_put(&r->ops, op);
}

bool chk_race_matters(const struct chk_race_op *op) {
  return op->remote != NULL || op->local != NULL || op->buffers != NULL ||
         chk_stamp_is_ordered(&op->posted) || op->fetched;
}
