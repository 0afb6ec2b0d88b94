/* SPDX-License-Identifier: BSD-3-Clause */
/* word.c - the history of a word for the race detector: the accesses that could still race, and the
 * comparison of each new access with them.
 *
 * Words that were accessed alike share a history (shadow.h). Its entries are sorted by class and,
 * within a class, by unit, so that an addition to a counter that thousands of units use costs one
 * binary search. */
#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

#define SMALL 4u /* entries of a history that comes from the pool */
/* in a class with more entries, only the unit's own entries are searched for superfluous ones */
#define LOOK_ALL 8u
#define UNIT_ENTRIES 4u /* of one unit and class, since each may belong to an operation under way */

struct word_entry {
  struct chk_rec *rec;
  uint8_t mask; /* the bytes of the word */
};

struct word_state {
  struct chk_cell cell;
  uint32_t cap, n[CHK_CLASSES]; /* entries of class 0, then of class 1, ... */
  uint8_t use[CHK_CLASSES];     /* of atomic classes: the use of all entries, or CHK_USE_MIXED */
  struct word_entry e[];
};

struct access {
  struct chk_rec *rec;
  enum chk_class class;
  uint8_t mask;
  const struct chk_stamp *s, *also;
  const struct chk_rec *reported; /* the last record reported */
  /* The last history that other words shared and its successor; the successor of the empty
   * history. */
  struct word_state *from, *to, *fresh;
};

/* Bit c: races with class c. / Bit c: has every conflict that class c has, so that it can stand for
 * it. */
static const uint8_t conflicts[CHK_CLASSES] = {
    [CHK_PLAIN_WRITE] = 1 << CHK_PLAIN_WRITE | 1 << CHK_PLAIN_READ | 1 << CHK_ATOMIC_WRITE |
                        1 << CHK_ATOMIC_READ | 1 << CHK_FLAG_WRITE | 1 << CHK_WAIT_READ,
    [CHK_PLAIN_READ] = 1 << CHK_PLAIN_WRITE | 1 << CHK_ATOMIC_WRITE | 1 << CHK_FLAG_WRITE,
    [CHK_ATOMIC_WRITE] = 1 << CHK_PLAIN_WRITE | 1 << CHK_PLAIN_READ | 1 << CHK_FLAG_WRITE,
    [CHK_ATOMIC_READ] = 1 << CHK_PLAIN_WRITE | 1 << CHK_FLAG_WRITE,
    /* all but a wait: a put's word is no atomic */
    [CHK_FLAG_WRITE] = 1 << CHK_PLAIN_WRITE | 1 << CHK_PLAIN_READ | 1 << CHK_ATOMIC_WRITE |
                       1 << CHK_ATOMIC_READ | 1 << CHK_FLAG_WRITE,
    [CHK_WAIT_READ] = 1 << CHK_PLAIN_WRITE,
};
_Static_assert(sizeof(struct word_state) + SMALL * sizeof(struct word_entry) <= CHK_STATE_BYTES,
               "the pool has room for a small history");
static const uint8_t stands_for[CHK_CLASSES] = {
    [CHK_PLAIN_WRITE] = 1 << CHK_PLAIN_WRITE | 1 << CHK_PLAIN_READ | 1 << CHK_ATOMIC_WRITE |
                        1 << CHK_ATOMIC_READ | 1 << CHK_FLAG_WRITE | 1 << CHK_WAIT_READ,
    [CHK_PLAIN_READ] = 1 << CHK_PLAIN_READ | 1 << CHK_ATOMIC_READ | 1 << CHK_WAIT_READ,
    [CHK_ATOMIC_WRITE] = 1 << CHK_ATOMIC_WRITE | 1 << CHK_ATOMIC_READ | 1 << CHK_WAIT_READ,
    [CHK_ATOMIC_READ] = 1 << CHK_ATOMIC_READ | 1 << CHK_WAIT_READ,
    /* of an earlier plain write too, though not for a wait that neither follows: one entry is
     * enough then for a word that only puts write */
    [CHK_FLAG_WRITE] = 1 << CHK_PLAIN_WRITE | 1 << CHK_PLAIN_READ | 1 << CHK_ATOMIC_WRITE |
                       1 << CHK_ATOMIC_READ | 1 << CHK_FLAG_WRITE | 1 << CHK_WAIT_READ,
    [CHK_WAIT_READ] = 1 << CHK_WAIT_READ,
};

static bool is_atomic(enum chk_class class) {
  return class == CHK_ATOMIC_WRITE || class == CHK_ATOMIC_READ;
}

static bool use_fits(uint8_t a, uint8_t b) {
  if (a == b) return a != CHK_USE_MIXED;
  if (a == CHK_USE_ANY || b == CHK_USE_ANY) return true;
  uint8_t other = a == CHK_USE_SIGNAL ? b : a;
  return (a == CHK_USE_SIGNAL || b == CHK_USE_SIGNAL) && (other == 8 || other == CHK_USE_GET);
}

/* Whether two atomic accesses, of which one writes, could conflict by their use. */
static bool use_matters(enum chk_class class, uint8_t use, const struct access *a) {
  return is_atomic(class) && is_atomic(a->class) &&
         (class == CHK_ATOMIC_WRITE || a->class == CHK_ATOMIC_WRITE) && !use_fits(use, a->rec->use);
}

/* -- before? ----------------------------------------------------------------------------------- */

static uint32_t known_of(const struct chk_race *r, const struct chk_stamp *s, uint32_t unit) {
  return s->unit == unit ? s->events : chk_clock_get(&r->clocks, s->clock, unit);
}

static bool given_up(const struct chk_race *r, const struct chk_rec *rec) {
  const struct chk_unit *u = &r->units[rec->unit];
  if (rec->with_signal && rec->number <= u->gave_up_signal) return true;
  return rec->orderable && rec->number <= u->gave_up_order &&
         rec->number <= chk_bounds_get(&u->orders, rec->set, rec->target);
}

bool chk_race_knows(const struct chk_race *r, const struct chk_stamp *s,
                    const struct chk_rec *rec) {
  if (rec->nbi && s->unit == rec->unit) return chk_race_own_before(r, s, rec);
  uint32_t upto = known_of(r, s, rec->unit);
  if (rec->released <= upto) return true;
  if (rec->number > upto) return false; /* not even its post is known */
  if (rec->kind == CHK_RACE_STORE) return s->unit == rec->unit;
  if (s->unit == rec->unit && s->target == rec->target && rec->orderable &&
      (rec->number <= s->upto || (s->set == rec->set && rec->number <= s->set_upto)))
    return true;
  return (rec->with_signal || rec->orderable) && (given_up(r, rec) || chk_early_has(s->early, rec));
}

/* The two sides of one operation do not race with each other. (Atomics share numbers.) */
static bool of_one(const struct chk_rec *a, const struct chk_rec *b) {
  return a == b || (a->unit == b->unit && a->number == b->number && a->kind == b->kind &&
                    a->kind <= CHK_RACE_SIGNAL && a->target == b->target &&
                    (a->kind != CHK_RACE_AMO || a->source != b->source));
}

static bool is_before(const struct chk_race *r, const struct chk_rec *rec, const struct access *a) {
  return of_one(rec, a->rec) || chk_race_knows(r, a->s, rec) ||
         (a->also != NULL && chk_race_knows(r, a->also, rec));
}

/* -- histories --------------------------------------------------------------------------------- */

static uint32_t first_of(const struct word_state *s, uint32_t class) {
  uint32_t at = 0;
  for (uint32_t c = 0; c < class; c++) at += s->n[c];
  return at;
}

static struct word_state *state_new(struct chk_race *r, uint32_t cap) {
  struct word_state *s;
  if (cap <= SMALL) {
    cap = SMALL;
    s = chk_pool_get(&r->states);
  } else {
    s = chk_alloc(sizeof *s + sizeof s->e[0] * cap);
    if (s == NULL)
      eyoti_no_memory(sizeof *s + sizeof s->e[0] * cap, "the history of a word with %u accesses",
                      cap);
  }
  *s = (struct word_state){.cap = cap};
  return s;
}

static void drop_cell(void *ctx, struct chk_cell *c) {
  struct chk_race *r = ctx;
  struct word_state *s = (struct word_state *)c;
  uint32_t n = first_of(s, CHK_CLASSES);
  for (uint32_t i = 0; i < n; i++) chk_rec_drop(r, s->e[i].rec);
  if (s->cap <= SMALL) {
    chk_pool_put(&r->states, s);
  } else {
    chk_free(s);
  }
}

static struct word_state *word_copy(struct chk_race *r, const struct word_state *old) {
  uint32_t n = first_of(old, CHK_CLASSES);
  struct word_state *s = state_new(r, n < SMALL ? SMALL : n * 2);
  memcpy(s->n, old->n, sizeof s->n);
  memcpy(s->use, old->use, sizeof s->use);
  memcpy(s->e, old->e, sizeof s->e[0] * n);
  for (uint32_t i = 0; i < n; i++) s->e[i].rec->refs++;
  return s;
}

static void word_take_out(struct chk_race *r, struct word_state *s, uint32_t class, uint32_t i) {
  chk_rec_drop(r, s->e[i].rec);
  memmove(&s->e[i], &s->e[i + 1], sizeof s->e[0] * (first_of(s, CHK_CLASSES) - i - 1));
  if (--s->n[class] == 0) s->use[class] = CHK_USE_ANY;
}

/* Index of the first entry of the class whose unit is at least `unit`. */
static uint32_t at_unit(const struct word_state *s, uint32_t class, uint32_t unit) {
  uint32_t lo = first_of(s, class), hi = lo + s->n[class];
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (s->e[mid].rec->unit < unit) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo;
}

/* Whether the new access stands for entries of the class that it does not follow: their conflicts
 * have been reported. */
static bool stands_for_all(enum chk_class a, uint32_t c) {
  return a == CHK_PLAIN_WRITE ||
         (a == CHK_FLAG_WRITE && c != CHK_PLAIN_WRITE && c != CHK_WAIT_READ);
}

/* An atomic access conflicts with atomic ones of other uses: it stands for those of its own. */
static bool has_conflicts_of(const struct access *a, const struct word_entry *e, uint32_t class) {
  return !is_atomic(a->class) || !is_atomic(class) || e->rec->use == a->rec->use ||
         e->rec->use == CHK_USE_ANY;
}

/* Removes the entries that the new access stands for: a plain write stands for all, a put of a word
 * for all that it conflicts with, other accesses for entries that they follow. */
static void thin(struct chk_race *r, struct word_state *s, const struct access *a) {
  for (uint32_t c = 0; c < CHK_CLASSES; c++) {
    if ((stands_for[a->class] >> c & 1) == 0) continue;
    bool all = stands_for_all(a->class, c), some = !all && s->n[c] > LOOK_ALL;
    uint32_t i = some ? at_unit(s, c, a->rec->unit) : first_of(s, c);
    while (i < first_of(s, c) + s->n[c] && (!some || s->e[i].rec->unit == a->rec->unit)) {
      if ((s->e[i].mask & a->mask) != 0 &&
          (all || (has_conflicts_of(a, &s->e[i], c) && is_before(r, s->e[i].rec, a))))
        s->e[i].mask &= (uint8_t)~a->mask;
      if (s->e[i].mask == 0) {
        word_take_out(r, s, c, i);
      } else {
        i++;
      }
    }
  }
}

/* The history has a free entry. */
static void word_put_in(struct chk_race *r, struct word_state *s, const struct access *a) {
  uint32_t i = at_unit(s, a->class, a->rec->unit), end = first_of(s, a->class) + s->n[a->class],
           same = 0;
  while (i + same < end && s->e[i + same].rec->unit == a->rec->unit) same++;
  if (same == UNIT_ENTRIES) word_take_out(r, s, a->class, i);
  i += same == UNIT_ENTRIES ? same - 1 : same;
  memmove(&s->e[i + 1], &s->e[i], sizeof s->e[0] * (first_of(s, CHK_CLASSES) - i));
  s->e[i] = (struct word_entry){.rec = a->rec, .mask = a->mask};
  a->rec->refs++;
  s->n[a->class]++;
  uint8_t *use = &s->use[a->class];
  *use = *use == CHK_USE_ANY || *use == a->rec->use ? a->rec->use
         : a->rec->use == CHK_USE_ANY               ? *use
                                                    : CHK_USE_MIXED;
}

static bool has(const struct word_state *s, const struct access *a) {
  uint32_t i = at_unit(s, a->class, a->rec->unit), end = first_of(s, a->class) + s->n[a->class];
  for (; i < end && s->e[i].rec->unit == a->rec->unit; i++) {
    if (s->e[i].rec == a->rec && (s->e[i].mask & a->mask) == a->mask) return true;
  }
  return false;
}

static bool word_report(struct chk_race *r, const struct word_entry *e, enum chk_class class,
                        const struct access *a, uint64_t word) {
  uint32_t mask = e->mask & a->mask, from = (uint32_t)__builtin_ctz(mask),
           to = 32 - (uint32_t)__builtin_clz(mask);
  return chk_race_report(r, &(struct chk_clash){.first = e->rec,
                                                .second = a->rec,
                                                .first_class = class,
                                                .second_class = a->class,
                                                .bytes = {chk_word_unit(word), chk_word_seg(word),
                                                          chk_word_off(word) + from, to - from},
                                                .known = known_of(r, a->s, e->rec->unit)});
}

/* always: their classes conflict. Else they may be atomics with different uses, and what one of
 * them fetches from the word does not order it after the other. */
static bool word_races(const struct chk_race *r, const struct word_entry *e, enum chk_class class,
                       bool always, const struct access *a) {
  if ((e->mask & a->mask) == 0 || e->rec == a->reported) return false;
  if (always) return !is_before(r, e->rec, a);
  return use_matters(class, e->rec->use, a) && !of_one(e->rec, a->rec) &&
         !chk_race_knows(r, a->s, e->rec);
}

/* Of the words that share the history, the first one where the race is not meant is reported. */
static void word_compare(struct chk_race *r, const struct word_state *s, struct access *a,
                         uint64_t word, uint32_t words) {
  uint32_t i = 0;
  for (uint32_t c = 0; c < CHK_CLASSES; c++) {
    uint32_t end = i + s->n[c];
    bool always = (conflicts[a->class] >> c & 1) != 0;
    for (; i < end && (always || use_matters(c, s->use[c], a)); i++) {
      const struct word_entry *e = &s->e[i];
      if (!word_races(r, e, c, always, a)) continue;
      for (uint32_t k = 0; k < words && e->rec != a->reported; k++)
        if (word_report(r, e, c, a, word + k)) a->reported = e->rec;
    }
    i = end;
  }
}

static struct word_state *word_fresh(struct chk_race *r, struct access *a) {
  if (a->fresh == NULL) {
    a->fresh = state_new(r, SMALL);
    word_put_in(r, a->fresh, a);
  }
  return a->fresh;
}

static struct chk_cell *word_step(void *ctx, void *access, struct chk_cell *cell, uint64_t first,
                                  uint32_t words, bool alone) {
  struct chk_race *r = ctx;
  struct access *a = access;
  struct word_state *old = (struct word_state *)cell;
  if (old == NULL) return &word_fresh(r, a)->cell;
  if (old == a->from) return &a->to->cell;
  word_compare(r, old, a, first, words);
  if (a->class == CHK_PLAIN_WRITE && a->mask == 0xff) return &word_fresh(r, a)->cell;
  if (has(old, a)) return cell;
  struct word_state *s = alone ? old : word_copy(r, old);
  thin(r, s, a);
  /* it is the only reference, since a copy has free entries */
  if (first_of(s, CHK_CLASSES) == s->cap) s = word_copy(r, s);
  word_put_in(r, s, a);
  if (!alone) {
    a->from = old;
    a->to = s;
  }
  return &s->cell;
}

static void drop_sync(void *ctx, struct chk_sync *s) {
  chk_early_drop(ctx, s->early);
  chk_flags_drop(ctx, s->flags);
}

const struct chk_shadow_ops chk_race_shadow_ops = {
    .drop_cell = drop_cell, .drop_sync = drop_sync, .step = word_step};

/* -- ranges ------------------------------------------------------------------------------------ */

void chk_race_touch(struct chk_race *r, struct chk_rec *rec, enum chk_class class,
                    struct chk_race_range bytes, const struct chk_stamp *s,
                    const struct chk_stamp *also) {
  uint64_t off = bytes.off, end = bytes.off + bytes.len;
  while (off < end) {
    uint64_t word = off / 8 * 8, n = end - word < 8 || off != word ? 1 : (end - word) / 8;
    uint8_t mask = 0xff;
    if (off != word) mask = (uint8_t)(mask << (off - word));
    if (end - word < 8) mask &= (uint8_t)((1u << (end - word)) - 1);
    struct access a = {.rec = rec, .class = class, .mask = mask, .s = s, .also = also};
    chk_shadow_range(&r->shadow, chk_word(bytes.unit, bytes.seg, word), n, &a);
    off = word + 8 * n;
  }
}
