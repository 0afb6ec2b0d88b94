/* SPDX-License-Identifier: BSD-3-Clause */
/* flag.c - puts that end waits, in the race detector: what an aligned put of 2, 4 or 8 bytes lets
 * the waiter know that has seen it.
 *
 * Why it exists: such a put is a signal to the unit that waits for its bytes, and a plain access to
 * all others. Whether a unit will ever wait is not known when it arrives, so its clock is kept with
 * the word, for each quarter the last put's, and is brought into a clock only by a wait, which has
 * seen the last put of each quarter of its word. */
#include "base/check.h"
#include "check/race/state.h"

#define PARTS 4u /* of 2 bytes: as long as the shortest put that ends a wait */
#define PART_BYTES 2u

/* What the operation's unit knew when it posted it; clock and early are NULL for "nothing". */
struct flag {
  bool is_set;
  uint32_t unit, number;
  uint32_t target, upto, set_upto; /* see struct chk_stamp */
  uint16_t set;
  struct chk_node *clock;
  struct chk_early *early;
};

struct chk_flags {
  struct flag part[PARTS];
};
_Static_assert(sizeof(struct chk_flags) <= CHK_FLAGS_BYTES, "the pool has room for the flags");

static void flag_clear(struct chk_race *r, struct flag *f) {
  chk_early_drop(r, f->early);
  *f = (struct flag){.is_set = false};
}

void chk_flags_drop(struct chk_race *r, struct chk_flags *f) {
  if (f == NULL) return;
  for (uint32_t k = 0; k < PARTS; k++) flag_clear(r, &f->part[k]);
  chk_pool_put(&r->flags, f);
}

void chk_flags_mark(struct chk_race *r, const struct chk_flags *f) {
  for (uint32_t k = 0; f != NULL && k < PARTS; k++) chk_clock_mark(&r->clocks, f->part[k].clock);
}

/* Whether the range, which lies in a word, has part k of it. */
static bool has_part(struct chk_race_range bytes, uint32_t k) {
  uint64_t from = bytes.off % 8;
  return k * PART_BYTES >= from && k * PART_BYTES < from + bytes.len;
}

/* Whether parts k and k-1 were written by one put. */
static bool same_put(const struct chk_flags *f, uint32_t k) {
  const struct flag *a = &f->part[k], *b = &f->part[k - 1];
  return b->is_set && a->unit == b->unit && a->number == b->number && a->clock == b->clock &&
         a->early == b->early;
}

void chk_flags_hide(struct chk_race *r, struct chk_sync *s, struct chk_race_range bytes) {
  struct chk_flags *f = s->flags;
  for (uint32_t k = 0; f != NULL && k < PARTS; k++)
    if (has_part(bytes, k)) flag_clear(r, &f->part[k]);
}

void chk_race_arrived(struct chk_race *r, struct chk_race_op *op, struct chk_race_range bytes) {
  EYOTI_ASSERT(chk_race_is_word(bytes) && op->kind != CHK_RACE_GET && op->data);
  if (op->era != r->era) return;
  struct chk_sync *s =
      chk_shadow_sync(&r->shadow, chk_word(bytes.unit, bytes.seg, bytes.off), true);
  if (bytes.len == 8) { /* signals before it are hidden */
    chk_early_drop(r, s->early);
    s->clock = s->early = NULL;
  }
  struct chk_flags *f = s->flags;
  if (f == NULL) {
    s->flags = f = chk_pool_get(&r->flags);
    *f = (struct chk_flags){0};
  }
  const struct chk_stamp *p = &op->posted;
  for (uint32_t k = 0; k < PARTS; k++) {
    if (!has_part(bytes, k)) continue;
    flag_clear(r, &f->part[k]);
    f->part[k] = (struct flag){.is_set = true,
                               .unit = op->at.unit,
                               .target = p->target,
                               .number = p->events,
                               .upto = p->upto,
                               .set_upto = p->set_upto,
                               .set = p->set,
                               .clock = p->clock,
                               .early = chk_early_share(p->early)};
  }
}

/* Adds what the put's unit knew, its events up to the post, its bytes, and what an order put before
 * it. Takes a reference to *early. */
static void flag_learn(struct chk_race *r, const struct flag *f, struct chk_node **clock,
                       struct chk_early **early) {
  struct chk_early_item own = {.unit = f->unit, .target = f->target, .number = f->number};
  const struct chk_stamp orders = {
      .target = f->target, .upto = f->upto, .set_upto = f->set_upto, .set = f->set};
  uint64_t token = chk_clock_token(&r->clocks);
  *clock = chk_clock_join(&r->clocks, *clock, f->clock, token);
  *clock = chk_clock_raise(&r->clocks, *clock, f->unit, f->number, token);
  *early = chk_early_join(r, *early, f->early, *clock, CHK_NOBODY);
  *early = chk_early_add(r, *early, own, *clock);
  *early = chk_early_orders(r, *early, f->unit, &orders, *clock);
}

void chk_race_waited(struct chk_race *r, struct chk_at at, struct chk_race_range bytes) {
  EYOTI_ASSERT(chk_race_is_word(bytes));
  chk_race_collect(r);
  struct chk_unit *u = &r->units[at.unit];
  const struct chk_sync none = {.at = 0},
                        *s = chk_shadow_sync(&r->shadow, chk_word(bytes.unit, bytes.seg, bytes.off),
                                             false);
  struct chk_stamp mine = chk_race_now(r, at.unit), there = chk_race_of_sync(s == NULL ? &none : s);
  const struct chk_flags *f = s == NULL ? NULL : s->flags;
  struct chk_early *early = chk_early_share(there.early);
  for (uint32_t k = 0; f != NULL && k < PARTS; k++)
    if (f->part[k].is_set && has_part(bytes, k) &&
        !(k > 0 && has_part(bytes, k - 1) && same_put(f, k)))
      flag_learn(r, &f->part[k], &there.clock, &early);
  there.early = early;
  struct chk_rec like = {
      .kind = CHK_RACE_WAIT, .number = u->events, .len = bytes.len, .target = at.unit};
  chk_race_touch(r, chk_race_again(r, at, &like), CHK_WAIT_READ, bytes, &mine, &there);
  chk_race_learn(r, u, there.clock, there.early);
  chk_early_drop(r, early);
}
