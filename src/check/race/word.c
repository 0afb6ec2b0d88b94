/* SPDX-License-Identifier: BSD-3-Clause */
/* word.c - the history of a word: which accesses could still race, and what a new one does
 * to them.
 *
 * Why it exists: here is the comparison that finds races. A history is shared by words that were
 * accessed alike (shadow.h). Its entries are kept by class and, within a class, by unit, so that
 * a counter that thousands of units add to costs a search for each addition. */
#include <string.h>

#include "base/check.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

#define SMALL 4u /* entries of a history from the pool */
/* a class with more entries is only searched for the unit's own superfluous ones */
#define LOOK_ALL 8u
#define UNIT_ENTRIES 4u /* of one unit and class, since each may be of an operation under way */

struct entry {
  struct ec_rec *rec;
  uint8_t mask; /* of bytes */
};

struct state {
  struct ec_cell cell;
  uint32_t cap, n[EC_CLASSES]; /* entries of class 0, then of class 1, ... */
  struct entry e[];
};

struct access {
  struct ec_rec *rec;
  enum ec_class class;
  uint8_t mask;
  const struct ec_stamp *s, *also;
  const struct ec_rec *told; /* the last record reported */
  /* What became of the last history that was not of its words alone; and of none. */
  struct state *from, *to, *fresh;
};

/* Bit c: races with class c. / Bit c: has every conflict that class c has, so that it can stand for
 * it. */
static const uint8_t conflicts[EC_CLASSES] = {
    [EC_PLAIN_WRITE] =
        1 << EC_PLAIN_WRITE | 1 << EC_PLAIN_READ | 1 << EC_ATOMIC_WRITE | 1 << EC_ATOMIC_READ,
    [EC_PLAIN_READ] = 1 << EC_PLAIN_WRITE | 1 << EC_ATOMIC_WRITE,
    [EC_ATOMIC_WRITE] = 1 << EC_PLAIN_WRITE | 1 << EC_PLAIN_READ,
    [EC_ATOMIC_READ] = 1 << EC_PLAIN_WRITE,
};
_Static_assert(sizeof(struct state) + SMALL * sizeof(struct entry) <= EC_STATE_BYTES,
               "the pool has room for a small history");
static const uint8_t stands_for[EC_CLASSES] = {
    [EC_PLAIN_WRITE] =
        1 << EC_PLAIN_WRITE | 1 << EC_PLAIN_READ | 1 << EC_ATOMIC_WRITE | 1 << EC_ATOMIC_READ,
    [EC_PLAIN_READ] = 1 << EC_PLAIN_READ | 1 << EC_ATOMIC_READ,
    [EC_ATOMIC_WRITE] = 1 << EC_ATOMIC_WRITE | 1 << EC_ATOMIC_READ,
    [EC_ATOMIC_READ] = 1 << EC_ATOMIC_READ,
};

/* -- before? ----------------------------------------------------------------------------------- */

static uint32_t known_of(const struct ec_race *r, const struct ec_stamp *s, uint32_t unit) {
  return s->unit == unit ? s->events : ec_clock_get(&r->clocks, s->clock, unit);
}

static bool given_up(const struct ec_race *r, const struct ec_rec *rec) {
  const struct ec_unit *u = &r->units[rec->unit];
  if (rec->with_signal && rec->number <= u->gave_up_signal) return true;
  return rec->orderable && rec->number <= u->gave_up_order &&
         rec->number <= ec_race_order_of(r, rec->unit, rec->target);
}

static bool known(const struct ec_race *r, const struct ec_stamp *s, const struct ec_rec *rec) {
  uint32_t upto = known_of(r, s, rec->unit);
  if (rec->released <= upto) return true;
  if (rec->number > upto) return false; /* not even of its post */
  if (rec->kind == EC_RACE_STORE) return s->unit == rec->unit;
  if (s->unit == rec->unit && s->target == rec->target && rec->orderable && rec->number <= s->upto)
    return true;
  return (rec->with_signal || rec->orderable) && (given_up(r, rec) || ec_early_has(s->early, rec));
}

/* The two sides of one operation have nothing to do with each other. */
static bool of_one(const struct ec_rec *a, const struct ec_rec *b) {
  return a == b || (a->unit == b->unit && a->number == b->number && a->kind == b->kind &&
                    a->kind <= EC_RACE_SIGNAL && a->target == b->target);
}

static bool is_before(const struct ec_race *r, const struct ec_rec *rec, const struct access *a) {
  return of_one(rec, a->rec) || known(r, a->s, rec) || (a->also != NULL && known(r, a->also, rec));
}

/* -- histories --------------------------------------------------------------------------------- */

static uint32_t first_of(const struct state *s, uint32_t class) {
  uint32_t at = 0;
  for (uint32_t c = 0; c < class; c++) at += s->n[c];
  return at;
}

static struct state *state_new(struct ec_race *r, uint32_t cap) {
  struct state *s;
  if (cap <= SMALL) {
    cap = SMALL;
    s = ec_pool_get(&r->states);
  } else {
    s = ec_alloc(sizeof *s + sizeof s->e[0] * cap);
    if (s == NULL) EYOTI_PANIC("no memory for the history of a word with %u accesses", cap);
  }
  *s = (struct state){.cap = cap};
  return s;
}

static void drop_cell(void *ctx, struct ec_cell *c) {
  struct ec_race *r = ctx;
  struct state *s = (struct state *)c;
  uint32_t n = first_of(s, EC_CLASSES);
  for (uint32_t i = 0; i < n; i++) ec_rec_drop(r, s->e[i].rec);
  if (s->cap <= SMALL) {
    ec_pool_put(&r->states, s);
  } else {
    ec_free(s);
  }
}

static struct state *copy(struct ec_race *r, const struct state *old) {
  uint32_t n = first_of(old, EC_CLASSES);
  struct state *s = state_new(r, n < SMALL ? SMALL : n * 2);
  memcpy(s->n, old->n, sizeof s->n);
  memcpy(s->e, old->e, sizeof s->e[0] * n);
  for (uint32_t i = 0; i < n; i++) s->e[i].rec->refs++;
  return s;
}

static void take_out(struct ec_race *r, struct state *s, uint32_t class, uint32_t i) {
  ec_rec_drop(r, s->e[i].rec);
  memmove(&s->e[i], &s->e[i + 1], sizeof s->e[0] * (first_of(s, EC_CLASSES) - i - 1));
  s->n[class]--;
}

/* Index of the first entry of the class whose unit is at least `unit`. */
static uint32_t at_unit(const struct state *s, uint32_t class, uint32_t unit) {
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

/* Takes out what the new access stands for: of a plain write everything (what it does not follow
 * has been reported), else what it follows. */
static void thin(struct ec_race *r, struct state *s, const struct access *a) {
  for (uint32_t c = 0; c < EC_CLASSES; c++) {
    if ((stands_for[a->class] >> c & 1) == 0) continue;
    bool all = a->class == EC_PLAIN_WRITE, some = !all && s->n[c] > LOOK_ALL;
    uint32_t i = some ? at_unit(s, c, a->rec->unit) : first_of(s, c);
    while (i < first_of(s, c) + s->n[c] && (!some || s->e[i].rec->unit == a->rec->unit)) {
      if ((s->e[i].mask & a->mask) != 0 && (all || is_before(r, s->e[i].rec, a)))
        s->e[i].mask &= (uint8_t)~a->mask;
      if (s->e[i].mask == 0) {
        take_out(r, s, c, i);
      } else {
        i++;
      }
    }
  }
}

/* There is room. */
static void put_in(struct ec_race *r, struct state *s, const struct access *a) {
  uint32_t i = at_unit(s, a->class, a->rec->unit), end = first_of(s, a->class) + s->n[a->class],
           same = 0;
  while (i + same < end && s->e[i + same].rec->unit == a->rec->unit) same++;
  if (same == UNIT_ENTRIES) take_out(r, s, a->class, i);
  i += same == UNIT_ENTRIES ? same - 1 : same;
  memmove(&s->e[i + 1], &s->e[i], sizeof s->e[0] * (first_of(s, EC_CLASSES) - i));
  s->e[i] = (struct entry){.rec = a->rec, .mask = a->mask};
  a->rec->refs++;
  s->n[a->class]++;
}

static bool has(const struct state *s, const struct access *a) {
  uint32_t i = at_unit(s, a->class, a->rec->unit), end = first_of(s, a->class) + s->n[a->class];
  for (; i < end && s->e[i].rec->unit == a->rec->unit; i++) {
    if (s->e[i].rec == a->rec && (s->e[i].mask & a->mask) == a->mask) return true;
  }
  return false;
}

static void compare(struct ec_race *r, const struct state *s, struct access *a, uint64_t word) {
  uint32_t i = 0;
  for (uint32_t c = 0; c < EC_CLASSES; c++) {
    uint32_t end = i + s->n[c];
    if ((conflicts[a->class] >> c & 1) != 0) {
      for (; i < end; i++) {
        const struct entry *e = &s->e[i];
        if ((e->mask & a->mask) == 0 || is_before(r, e->rec, a) || e->rec == a->told) continue;
        a->told = e->rec;
        ec_race_report(r, &(struct ec_clash){.first = e->rec,
                                             .second = a->rec,
                                             .first_class = c,
                                             .second_class = a->class,
                                             .word = word,
                                             .mask = e->mask & a->mask,
                                             .known = known_of(r, a->s, e->rec->unit)});
      }
    }
    i = end;
  }
}

static struct state *fresh(struct ec_race *r, struct access *a) {
  if (a->fresh == NULL) {
    a->fresh = state_new(r, SMALL);
    put_in(r, a->fresh, a);
  }
  return a->fresh;
}

static struct ec_cell *step(void *ctx, void *access, struct ec_cell *cell, uint64_t first,
                            uint32_t words, bool alone) {
  struct ec_race *r = ctx;
  struct access *a = access;
  struct state *old = (struct state *)cell;
  (void)words;
  if (old == NULL) return &fresh(r, a)->cell;
  if (old == a->from) return &a->to->cell;
  compare(r, old, a, first);
  if (a->class == EC_PLAIN_WRITE && a->mask == 0xff) return &fresh(r, a)->cell;
  if (has(old, a)) return cell;
  struct state *s = alone ? old : copy(r, old);
  thin(r, s, a);
  if (first_of(s, EC_CLASSES) == s->cap) s = copy(r, s); /* alone, since a copy has room */
  put_in(r, s, a);
  if (!alone) {
    a->from = old;
    a->to = s;
  }
  return &s->cell;
}

static void drop_sync(void *ctx, struct ec_sync *s) {
  ec_early_drop(ctx, s->early);
}

const struct ec_shadow_ops ec_race_shadow_ops = {
    .drop_cell = drop_cell, .drop_sync = drop_sync, .step = step};

/* -- ranges ------------------------------------------------------------------------------------ */

void ec_race_touch(struct ec_race *r, struct ec_rec *rec, enum ec_class class,
                   struct ec_range bytes, const struct ec_stamp *s, const struct ec_stamp *also) {
  uint64_t off = bytes.off, end = bytes.off + bytes.len;
  while (off < end) {
    uint64_t word = off / 8 * 8, n = end - word < 8 || off != word ? 1 : (end - word) / 8;
    uint8_t mask = 0xff;
    if (off != word) mask = (uint8_t)(mask << (off - word));
    if (end - word < 8) mask &= (uint8_t)((1u << (end - word)) - 1);
    struct access a = {.rec = rec, .class = class, .mask = mask, .s = s, .also = also};
    ec_shadow_range(&r->shadow, ec_word(bytes.unit, bytes.seg, word), n, &a);
    off = word + 8 * n;
  }
}
