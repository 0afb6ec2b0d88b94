/* SPDX-License-Identifier: BSD-3-Clause */
/* race.c - units, operations and what orders them, as the race detector sees it. The rules are
 * in race.h. */
#include "check/race/race.h"

#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

/* stores that wait for a full barrier; more count as if there had been one */
#define UNFENCED_MAX 256u

static void *must(void *p) {
  if (p == NULL) EYOTI_PANIC("no memory for the race detector");
  return p;
}

/* -- the detector ------------------------------------------------------------------------------ */

struct ec_race *ec_race_new(uint32_t units, bool strict_stores) {
  EYOTI_ASSERT(units >= 1 && units <= 1u << (64 - EC_WORD_OFF_BITS - EC_WORD_SEG_BITS));
  struct ec_race *r = must(ec_alloc(sizeof *r));
  *r = (struct ec_race){.n = units, .strict_stores = strict_stores};
  r->units = must(ec_alloc(sizeof *r->units * units));
  for (uint32_t i = 0; i < units; i++) r->units[i].events = 1; /* 0 is what all know */
  ec_clocks_init(&r->clocks, units);
  ec_shadow_init(&r->shadow, &ec_race_shadow_ops, r);
  ec_pool_init(&r->recs, sizeof(struct ec_rec));
  ec_pool_init(&r->ops, sizeof(struct ec_race_op));
  ec_pool_init(&r->states, EC_STATE_BYTES);
  ec_pool_init(&r->earlies, sizeof(struct ec_early));
  return r;
}

static void free_units(struct ec_race *r) {
  for (uint32_t i = 0; i < r->n; i++) {
    ec_free(r->units[i].orders);
    ec_free(r->units[i].unfenced);
    r->units[i] = (struct ec_unit){.events = 1};
  }
}

void ec_race_restart(struct ec_race *r) {
  ec_shadow_clear(&r->shadow);
  r->under_way = NULL;
  ec_meetings_clear(r);
  free_units(r);
  ec_clocks_clear(&r->clocks);
  ec_pool_clear(&r->recs);
  ec_pool_clear(&r->ops);
  ec_pool_clear(&r->states);
  ec_pool_clear(&r->earlies);
}

void ec_race_destroy(struct ec_race *r) {
  if (r == NULL) return;
  ec_shadow_fini(&r->shadow);
  ec_meetings_clear(r);
  free_units(r);
  ec_clocks_fini(&r->clocks);
  ec_pool_fini(&r->recs);
  ec_pool_fini(&r->ops);
  ec_pool_fini(&r->states);
  ec_pool_fini(&r->earlies);
  ec_free(r->units);
  ec_free(r->reports);
  ec_free(r);
}

void ec_race_listen(struct ec_race *r, ec_race_found found, void *ctx) {
  r->found = found;
  r->found_ctx = ctx;
}

/* -- events and records ------------------------------------------------------------------------ */

/* At the last number events stay equal: what is later then counts as known with what is earlier. */
static uint32_t event(struct ec_unit *u) {
  if (u->events < EC_NOT_RELEASED - 1) u->events++;
  return u->events;
}

static struct ec_rec *rec_new(struct ec_race *r, struct ec_at at, enum ec_race_kind kind) {
  struct ec_rec *rec = ec_pool_get(&r->recs);
  *rec = (struct ec_rec){.refs = 1,
                         .unit = at.unit,
                         .target = at.unit,
                         .kind = (uint8_t)kind,
                         .site = at.site,
                         .when = at.when};
  rec->number = rec->released = r->units[at.unit].events;
  return rec;
}

/* The record of what is no event by itself: the unit's last one if that says the same. Not a
 * reference. */
static struct ec_rec *rec_again(struct ec_race *r, struct ec_at at, enum ec_race_kind kind,
                                uint32_t number, uint64_t len, uint32_t target) {
  struct ec_unit *u = &r->units[at.unit];
  struct ec_rec **last = &u->last[kind], *rec = *last;
  if (rec != NULL && rec->site == at.site && rec->number == number && rec->len == len &&
      rec->target == target)
    return rec;
  ec_rec_drop(r, rec);
  *last = rec = rec_new(r, at, kind);
  rec->number = rec->released = number;
  rec->len = len;
  rec->target = target;
  return rec;
}

static struct ec_stamp now(const struct ec_race *r, uint32_t unit) {
  const struct ec_unit *u = &r->units[unit];
  return (struct ec_stamp){
      .unit = unit, .events = u->events, .target = EC_NOBODY, .clock = u->clock, .early = u->early};
}

static struct ec_stamp of_sync(const struct ec_sync *s) {
  return (struct ec_stamp){
      .unit = EC_NOBODY, .target = EC_NOBODY, .clock = s->clock, .early = s->early};
}

static void learn(struct ec_race *r, struct ec_unit *u, struct ec_node *clock,
                  struct ec_early *early) {
  if (u->token == EC_NO_TOKEN) u->token = ec_clock_token(&r->clocks);
  u->clock = ec_clock_join(&r->clocks, u->clock, clock, u->token);
  u->early = ec_early_join(r, u->early, early, u->clock, (uint32_t)(u - r->units));
}

/* -- orders and barriers ----------------------------------------------------------------------- */

static uint32_t order_at(const struct ec_unit *u, uint32_t target) {
  uint32_t lo = 0, hi = u->n_orders;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (u->orders[mid].target < target) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

uint32_t ec_race_order_of(const struct ec_race *r, uint32_t unit, uint32_t target) {
  const struct ec_unit *u = &r->units[unit];
  uint32_t i = order_at(u, target),
           one = i < u->n_orders && u->orders[i].target == target ? u->orders[i].number : 0;
  return one > u->order_all ? one : u->order_all;
}

void ec_race_ordered(struct ec_race *r, uint32_t unit, uint32_t target) {
  struct ec_unit *u = &r->units[unit];
  if (target == EC_RACE_ALL) {
    u->order_all = u->events;
    return;
  }
  uint32_t i = order_at(u, target);
  if (i == u->n_orders || u->orders[i].target != target) {
    if (u->n_orders == u->cap_orders) {
      u->cap_orders = u->cap_orders == 0 ? 4 : u->cap_orders * 2;
      u->orders = must(ec_resize(u->orders, sizeof *u->orders * u->cap_orders));
    }
    memmove(&u->orders[i + 1], &u->orders[i], sizeof *u->orders * (u->n_orders - i));
    u->n_orders++;
  }
  u->orders[i] = (struct ec_bound){.target = target, .number = u->events};
}

void ec_race_fenced(struct ec_race *r, uint32_t unit) {
  struct ec_unit *u = &r->units[unit];
  if (u->n_unfenced == 0) return;
  uint32_t number = event(u);
  for (uint32_t i = 0; i < u->n_unfenced; i++) {
    u->unfenced[i]->released = number;
    ec_rec_drop(r, u->unfenced[i]);
  }
  u->n_unfenced = 0;
  u->given = u->events; /* a later store is another event */
}

void ec_race_forget(struct ec_race *r, struct ec_range bytes) {
  if (bytes.len == 0) return;
  uint64_t first = bytes.off / 8, end = (bytes.off + bytes.len + 7) / 8;
  ec_shadow_forget(&r->shadow, ec_word(bytes.unit, bytes.seg, bytes.off), end - first);
}

/* What was before races with nothing after: no word need remember it, and no clock know of it. */
void ec_race_barrier(struct ec_race *r) {
  r->era++;
  ec_shadow_clear(&r->shadow);
  for (uint32_t i = 0; i < r->n; i++) {
    struct ec_unit *u = &r->units[i];
    ec_race_fenced(r, i);
    ec_early_drop(r, u->early);
    u->clock = NULL;
    u->folded = 0;
    u->early = NULL;
    u->given = u->events;
  }
}

/* -- clocks that are alive --------------------------------------------------------------------- */

static void mark_sync(void *ctx, struct ec_sync *s) {
  struct ec_race *r = ctx;
  ec_clock_mark(&r->clocks, s->clock);
}

void ec_race_collect(struct ec_race *r) {
  if (!ec_clocks_full(&r->clocks)) return;
  for (uint32_t i = 0; i < r->n; i++) ec_clock_mark(&r->clocks, r->units[i].clock);
  for (const struct ec_race_op *op = r->under_way; op != NULL; op = op->next) {
    ec_clock_mark(&r->clocks, op->posted.clock);
    ec_clock_mark(&r->clocks, op->seen);
  }
  ec_shadow_each_sync(&r->shadow, mark_sync);
  ec_meetings_mark(r);
  ec_clocks_sweep(&r->clocks);
}

/* -- operations -------------------------------------------------------------------------------- */

static struct ec_rec *side(struct ec_race *r, const struct ec_race_op *op, bool source,
                           uint64_t len) {
  struct ec_rec *rec = rec_new(r, op->at, op->kind);
  rec->target = op->posted.target;
  rec->released = EC_NOT_RELEASED;
  rec->number = op->posted.events;
  rec->source = source;
  rec->len = len;
  /* Where a put's bytes have arrived, its source has been read. */
  rec->orderable = op->kind != EC_RACE_GET;
  rec->with_signal = op->kind == EC_RACE_SIGNAL;
  return rec;
}

struct ec_race_op *ec_race_posted(struct ec_race *r, struct ec_at at, enum ec_race_kind kind,
                                  uint32_t target, uint64_t len_bytes) {
  EYOTI_ASSERT(kind <= EC_RACE_SIGNAL && at.unit < r->n && target < r->n);
  ec_race_collect(r);
  struct ec_unit *u = &r->units[at.unit];
  bool data = kind != EC_RACE_AMO && len_bytes > 0,
       tells = kind == EC_RACE_AMO || kind == EC_RACE_SIGNAL;
  if (kind == EC_RACE_AMO) ec_race_fenced(r, at.unit);
  if (data) event(u);
  if (tells && u->folded != u->events) {
    u->clock = ec_clock_raise(&r->clocks, u->clock, at.unit, u->events, u->token);
    u->folded = u->events;
  }
  u->given = u->events;

  struct ec_race_op *op = ec_pool_get(&r->ops);
  *op = (struct ec_race_op){.at = at, .kind = kind, .era = r->era, .posted = now(r, at.unit)};
  ec_early_share(op->posted.early);
  u->token = EC_NO_TOKEN; /* its clock is given away */
  op->link = &r->under_way;
  op->next = r->under_way;
  if (op->next != NULL) op->next->link = &op->next;
  r->under_way = op;
  op->posted.target = target;
  uint32_t bound = kind == EC_RACE_GET ? 0 : ec_race_order_of(r, at.unit, target);
  op->posted.upto = bound > u->quiet ? bound : 0; /* else all of them are released */
  op->data = data;
  if (data) op->remote = side(r, op, false, len_bytes);
  if (data && kind != EC_RACE_GET) u->puts++;
  return op;
}

void ec_race_applied(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->remote != NULL);
  ec_race_touch(r, op->remote, op->kind == EC_RACE_GET ? EC_PLAIN_READ : EC_PLAIN_WRITE, bytes,
                &op->posted, NULL);
}

void ec_race_applied_words(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->kind == EC_RACE_GET && (bytes.off | bytes.len) % 4 == 0);
  ec_race_touch(r, op->remote, EC_ATOMIC_READ, bytes, &op->posted, NULL);
}

void ec_race_local(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes) {
  if (op->era != r->era || bytes.len == 0) return;
  EYOTI_ASSERT(op->remote != NULL);
  if (op->local == NULL) op->local = side(r, op, true, bytes.len);
  struct ec_stamp posted = op->posted;
  posted.upto = 0; /* an order is kept by the target */
  ec_race_touch(r, op->local, op->kind == EC_RACE_GET ? EC_PLAIN_WRITE : EC_PLAIN_READ, bytes,
                &posted, NULL);
}

/* What a signal or atomic of op leaves at its word for those who see it. */
static void tell(struct ec_race *r, const struct ec_race_op *op, struct ec_sync *s, bool adds) {
  const struct ec_stamp *p = &op->posted;
  struct ec_early_item before = {
      .unit = op->at.unit, .target = p->target, .number = p->upto, .upto = true};
  if (!adds) {
    ec_early_drop(r, s->early);
    s->clock = s->early = NULL;
  }
  s->clock = ec_clock_join(&r->clocks, s->clock, p->clock, ec_clock_token(&r->clocks));
  s->early = ec_early_join(r, s->early, p->early, s->clock, EC_NOBODY);
  if (p->upto != 0) s->early = ec_early_add(r, s->early, before, s->clock);
}

void ec_race_signalled(struct ec_race *r, struct ec_race_op *op, ec_word_t word, bool adds) {
  EYOTI_ASSERT(op->kind == EC_RACE_SIGNAL);
  struct ec_early_item own = {
      .unit = op->at.unit, .target = op->posted.target, .number = op->posted.events};
  if (op->data) op->posted.early = ec_early_add(r, op->posted.early, own, op->posted.clock);
  if (op->era == r->era) {
    struct ec_range bytes = {ec_word_unit(word), ec_word_seg(word), ec_word_off(word), 8};
    ec_race_touch(r, rec_again(r, op->at, EC_RACE_SIGNAL, op->posted.events, 0, op->posted.target),
                  EC_ATOMIC_WRITE, bytes, &op->posted, NULL);
  }
  tell(r, op, ec_shadow_sync(&r->shadow, word, true), adds);
}

void ec_race_atomic(struct ec_race *r, struct ec_race_op *op, struct ec_range bytes, bool fetched,
                    bool wrote) {
  EYOTI_ASSERT(op->kind == EC_RACE_AMO && !op->fetched);
  struct ec_sync *s = ec_shadow_sync(&r->shadow, ec_word(bytes.unit, bytes.seg, bytes.off), true);
  if (op->era == r->era) {
    struct ec_stamp there = of_sync(s);
    struct ec_rec *rec =
        rec_again(r, op->at, EC_RACE_AMO, op->posted.events, bytes.len, op->posted.target);
    ec_race_touch(r, rec, wrote ? EC_ATOMIC_WRITE : EC_ATOMIC_READ, bytes, &op->posted,
                  fetched ? &there : NULL);
  }
  op->fetched = fetched;
  if (fetched) {
    op->seen = s->clock;
    op->seen_early = ec_early_share(s->early);
  }
  if (wrote) tell(r, op, s, true);
}

static void release(struct ec_race *r, struct ec_rec **rec, uint32_t number) {
  (*rec)->released = number;
  ec_rec_drop(r, *rec);
  *rec = NULL;
}

void ec_race_completed(struct ec_race *r, struct ec_race_op *op, enum ec_race_level level) {
  struct ec_unit *u = &r->units[op->at.unit];
  bool there = op->remote != NULL && (level != EC_RACE_LOCAL || op->kind == EC_RACE_GET),
       here = op->local != NULL;
  uint32_t number = there || here ? event(u) : 0;
  if (here) release(r, &op->local, number);
  if (there) {
    release(r, &op->remote, number);
    if (op->kind != EC_RACE_GET && --u->puts == 0) u->quiet = number;
  }
  if (op->posted.upto != 0 && (level != EC_RACE_LOCAL || op->fetched)) {
    /* What an order put before it has taken effect, too. */
    struct ec_early_item item = {
        .unit = op->at.unit, .target = op->posted.target, .number = op->posted.upto, .upto = true};
    u->early = ec_early_add(r, u->early, item, u->clock);
  }
  learn(r, u, op->seen, op->seen_early);
  ec_early_drop(r, op->seen_early);
  op->seen = NULL;
  op->seen_early = NULL;
  if (level != EC_RACE_REMOTE) return;
  ec_early_drop(r, op->posted.early);
  *op->link = op->next;
  if (op->next != NULL) op->next->link = op->link;
  ec_pool_put(&r->ops, op);
}

bool ec_race_matters(const struct ec_race_op *op) {
  return op->remote != NULL || op->local != NULL || op->posted.upto != 0 || op->fetched;
}

/* -- units by themselves ----------------------------------------------------------------------- */

void ec_race_saw(struct ec_race *r, struct ec_at at, ec_word_t word) {
  struct ec_unit *u = &r->units[at.unit];
  struct ec_sync none = {.at = 0}, *s = ec_shadow_sync(&r->shadow, word, false);
  struct ec_stamp mine = now(r, at.unit), there = of_sync(s == NULL ? &none : s);
  struct ec_range bytes = {ec_word_unit(word), ec_word_seg(word), ec_word_off(word), 8};
  ec_race_touch(r, rec_again(r, at, EC_RACE_WAIT, u->events, 8, at.unit), EC_ATOMIC_READ, bytes,
                &mine, &there);
  learn(r, u, there.clock, there.early);
}

/* An event, unless one like it was the last: then it is part of that. */
static struct ec_rec *by_cpu(struct ec_race *r, struct ec_at at, enum ec_race_kind kind,
                             struct ec_range bytes) {
  struct ec_unit *u = &r->units[at.unit];
  struct ec_rec *last = u->last[kind];
  bool again =
      last != NULL && last->number > u->given && last->site == at.site && last->len == bytes.len;
  return again ? last : rec_again(r, at, kind, event(u), bytes.len, bytes.unit);
}

void ec_race_load(struct ec_race *r, struct ec_at at, struct ec_range bytes) {
  struct ec_rec *rec = by_cpu(r, at, EC_RACE_LOAD, bytes);
  struct ec_stamp s = now(r, at.unit);
  ec_race_touch(r, rec, EC_PLAIN_READ, bytes, &s, NULL);
}

void ec_race_store(struct ec_race *r, struct ec_at at, struct ec_range bytes) {
  struct ec_unit *u = &r->units[at.unit];
  struct ec_rec *before = u->last[EC_RACE_STORE], *rec = by_cpu(r, at, EC_RACE_STORE, bytes);
  if (r->strict_stores && rec != before) {
    if (u->n_unfenced == UNFENCED_MAX) {
      ec_race_fenced(r, at.unit);
      rec->number = rec->released = event(u);
    }
    if (u->n_unfenced == u->cap_unfenced) {
      u->cap_unfenced = u->cap_unfenced == 0 ? 8 : u->cap_unfenced * 2;
      u->unfenced = must(ec_resize(u->unfenced, sizeof(struct ec_rec *) * u->cap_unfenced));
    }
    rec->released = EC_NOT_RELEASED;
    rec->refs++;
    u->unfenced[u->n_unfenced++] = rec;
  }
  struct ec_stamp s = now(r, at.unit);
  ec_race_touch(r, rec, EC_PLAIN_WRITE, bytes, &s, NULL);
}
