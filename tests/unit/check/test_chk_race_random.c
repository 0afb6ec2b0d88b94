/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_race_random.c - random programs: an oracle that keeps the whole relation confirms that
 * each race that the detector reports is one.
 *
 * The oracle numbers the accesses and keeps for each the set of those before it, directly from the
 * rules in race/race.h: a unit has the set of what is before its next event, an operation the set
 * at its posting, a word the set that its signals and atomics carry. */
#include <stdio.h>
#include <stdlib.h>

#include "unit/check/chk_race_unit.h"

#define N_UNITS 3u
#define DATA 24u /* bytes of data at each unit; 2 words for signals and atomics follow them */
#define ACCESSES 256u
#define OPS 96u
#define SETS (ACCESSES / 64)
/* Of the accesses that race with an earlier one, those that the detector reports. The programs are
 * always the same: a change that finds fewer misses races. */
#define LATE_FOUND 45543u

struct set {
  uint64_t bits[SETS];
};
static void join(struct set *s, const struct set *other) {
  for (uint32_t i = 0; i < SETS; i++) s->bits[i] |= other->bits[i];
}
static void include(struct set *s, uint32_t i) {
  s->bits[i / 64] |= UINT64_C(1) << i % 64;
}
static bool in(const struct set *s, uint32_t i) {
  return (s->bits[i / 64] >> i % 64 & 1) != 0;
}

struct access {
  struct chk_race_range at;
  uint32_t unit, posted; /* step of the program */
  uintptr_t site;
  bool write, atomic, store;
  struct set before;
};

struct op {
  op_t *handle;
  enum chk_race_kind kind;
  uint32_t unit, target, posted, off, len, result, flag; /* result: offset at the unit itself */
  bool live, applied, local_done, adds, fetched, wrote, has_result;
  /* effects: its accesses and what is before them, with what an atomic sees; sure: without, since
   * its unit need not have read it. */
  struct set base, effects, sure, local, acquired;
  uint64_t ordered[OPS / 32]; /* operations it comes after */
};

struct world {
  struct chk_race *r;
  uint64_t seed;
  uint32_t n, n_ops, step, last_barrier;
  bool one_site; /* all accesses of a unit's CPU have one site */
  struct access a[ACCESSES];
  struct op ops[OPS];
  struct set thread[N_UNITS], unfenced[N_UNITS], told[N_UNITS][2];
  bool was_told[N_UNITS][2];
  uint32_t order_for[N_UNITS][N_UNITS]; /* operations below this number have an order after them */
};

static uint32_t draw(struct world *w, uint32_t bound) {
  w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->seed >> 33) % bound;
}

static struct set effect(struct world *w, uint32_t unit, uint32_t posted, struct chk_race_range at,
                         bool write, bool atomic, const struct set *before, uintptr_t site) {
  assert_true(w->n < ACCESSES);
  w->a[w->n] = (struct access){.at = at,
                               .unit = unit,
                               .posted = posted,
                               .site = site,
                               .write = write,
                               .atomic = atomic,
                               .before = *before};
  struct set s = *before;
  include(&s, w->n++);
  return s;
}

static uintptr_t site_of(const struct op *o, const struct world *w) {
  return 1000 + (uintptr_t)(o - w->ops) * 4;
}

/* -- operations -------------------------------------------------------------------------------- */

static void fence(struct world *w, uint32_t u) {
  join(&w->thread[u], &w->unfenced[u]);
  w->unfenced[u] = (struct set){{0}};
}

static void post(struct world *w, uint32_t u) {
  if (w->n_ops == OPS) return;
  struct op *o = &w->ops[w->n_ops];
  *o = (struct op){
      .kind = draw(w, 4), .unit = u, .target = draw(w, N_UNITS), .posted = w->step, .live = true};
  o->off = draw(w, DATA + 8);
  o->len = 1 + draw(w, 12);
  if (o->off + o->len > DATA + 16) o->len = DATA + 16 - o->off;
  if (o->kind == CHK_RACE_SIGNAL && draw(w, 2) == 0) o->len = 0;
  o->flag = draw(w, 2);
  o->adds = draw(w, 2) == 0;
  o->fetched = draw(w, 2) == 0;
  o->wrote = draw(w, 4) != 0;
  o->has_result = o->kind != CHK_RACE_AMO && o->len > 0 && draw(w, 4) == 0;
  o->result = draw(w, DATA - 8);
  if (o->kind == CHK_RACE_AMO) fence(w, u);
  o->base = o->local = w->thread[u];
  for (uint32_t k = 0; o->kind != CHK_RACE_GET && k < w->order_for[u][o->target]; k++) {
    if (w->ops[k].unit == u && w->ops[k].target == o->target && w->ops[k].kind != CHK_RACE_GET)
      o->ordered[k / 64] |= UINT64_C(1) << k % 64;
  }
  uintptr_t site = site_of(o, w);
  w->n_ops++;
  o->handle =
      chk_race_posted(w->r, at(u, site), o->kind, o->target, o->kind == CHK_RACE_AMO ? 8 : o->len);
  if (o->has_result && o->kind != CHK_RACE_GET) {
    struct chk_race_range source = bytes(u, o->result, o->len < 8 ? o->len : 8);
    o->local = effect(w, u, o->posted, source, false, false, &o->base, site);
    chk_race_local(w->r, o->handle, source);
  }
}

static void tell(struct world *w, const struct op *o, uint32_t flag, bool adds) {
  struct set *told = &w->told[o->target][flag];
  if (!adds) *told = (struct set){{0}};
  join(told, &o->effects);
  w->was_told[o->target][flag] = true;
}

static void apply(struct world *w, struct op *o) {
  if (o->applied) return;
  o->effects = o->base;
  for (uint32_t k = 0; k < w->n_ops; k++) {
    if ((o->ordered[k / 64] >> k % 64 & 1) == 0) continue;
    apply(w, &w->ops[k]);
    join(&o->effects, &w->ops[k].sure);
  }
  uintptr_t site = site_of(o, w);
  o->applied = true;
  if (o->kind == CHK_RACE_AMO) {
    struct chk_race_range word = bytes(o->target, DATA + 8 * o->flag, 8);
    if (o->fetched) o->acquired = w->told[o->target][o->flag];
    o->sure = o->effects;
    include(&o->sure, w->n);
    join(&o->effects, &o->acquired);
    o->effects = effect(w, o->unit, o->posted, word, o->wrote, true, &o->effects, site);
    chk_race_atomic(w->r, o->handle, word,
                    (struct chk_race_amo){.fetched = o->fetched, .wrote = o->wrote});
    if (o->wrote) tell(w, o, o->flag, true);
    return;
  }
  if (o->kind != CHK_RACE_GET) join(&o->effects, &o->local);
  struct chk_race_range there = bytes(o->target, o->off, o->len);
  if (o->len > 0) {
    o->effects =
        effect(w, o->unit, o->posted, there, o->kind != CHK_RACE_GET, false, &o->effects, site);
    chk_race_applied(w->r, o->handle, there);
  }
  if (o->has_result && o->kind == CHK_RACE_GET) {
    struct chk_race_range here = bytes(o->unit, o->result, o->len < 8 ? o->len : 8);
    o->effects = effect(w, o->unit, o->posted, here, true, false, &o->effects, site);
    chk_race_local(w->r, o->handle, here);
  }
  if (o->kind == CHK_RACE_SIGNAL) {
    o->effects = effect(w, o->unit, o->posted, bytes(o->target, DATA + 8 * o->flag, 8), true, true,
                        &o->effects, site);
    chk_race_signaled(w->r, o->handle, chk_word(o->target, SEG, DATA + 8 * o->flag), o->adds);
    tell(w, o, o->flag, o->adds);
  }
  o->sure = o->effects;
}

static void complete(struct world *w, struct op *o, enum chk_race_level level) {
  if (!o->live || (o->local_done && level == CHK_RACE_LOCAL)) return;
  bool all = level == CHK_RACE_REMOTE || o->kind == CHK_RACE_GET ||
             (o->kind == CHK_RACE_AMO && o->fetched);
  if (all) apply(w, o);
  join(&w->thread[o->unit], all ? &o->effects : &o->local);
  chk_race_completed(w->r, o->handle, level);
  o->local_done = true;
  o->live = level == CHK_RACE_LOCAL;
}

/* -- units ------------------------------------------------------------------------------------- */

static void access_by_cpu(struct world *w, uint32_t u, bool write) {
  uint32_t len = 1 + draw(w, 12), off = draw(w, DATA);
  struct chk_race_range own = bytes(u, off, len);
  uintptr_t site = w->one_site ? 10 + 2 * u + write : 5000 + w->step;
  struct set s = effect(w, u, w->step, own, write, false, &w->thread[u], site);
  if (write) {
    w->a[w->n - 1].store = true;
    include(&w->unfenced[u], w->n - 1);
    chk_race_store(w->r, at(u, site), own, true);
  } else {
    w->thread[u] = s;
    chk_race_load(w->r, at(u, site), own);
  }
}

static void wait_for(struct world *w, uint32_t u) {
  uint32_t flag = draw(w, 2);
  if (!w->was_told[u][flag]) return;
  uintptr_t site = 5000 + w->step;
  struct set s = w->thread[u];
  join(&s, &w->told[u][flag]);
  w->thread[u] = effect(w, u, w->step, bytes(u, DATA + 8 * flag, 8), false, true, &s, site);
  chk_race_saw(w->r, at(u, site), chk_word(u, SEG, DATA + 8 * flag));
}

static void order(struct world *w, uint32_t u) {
  uint32_t target = draw(w, N_UNITS + 1);
  for (uint32_t t = 0; t < N_UNITS; t++) {
    if (target == N_UNITS || target == t) w->order_for[u][t] = w->n_ops;
  }
  chk_race_ordered(w->r, u, target == N_UNITS ? CHK_RACE_ALL : target);
}

static void flush(struct world *w, uint32_t u) {
  uint32_t target = draw(w, N_UNITS + 1);
  for (uint32_t k = 0; k < w->n_ops; k++) {
    if (w->ops[k].unit == u && (target == N_UNITS || w->ops[k].target == target))
      complete(w, &w->ops[k], CHK_RACE_REMOTE);
  }
  fence(w, u);
  chk_race_fenced(w->r, u);
}

static void one_step(struct world *w) {
  uint32_t u = draw(w, N_UNITS), what = draw(w, 100);
  struct op *any = w->n_ops == 0 ? NULL : &w->ops[draw(w, w->n_ops)];
  w->step++;
  if (what < 28) {
    post(w, u);
  } else if (what < 45) {
    if (any != NULL) apply(w, any);
  } else if (what < 55) {
    if (any != NULL) complete(w, any, what < 48 ? CHK_RACE_LOCAL : CHK_RACE_REMOTE);
  } else if (what < 65) {
    access_by_cpu(w, u, what < 59);
  } else if (what < 85) {
    wait_for(w, u);
  } else if (what < 91) {
    order(w, u);
  } else if (what < 99) {
    flush(w, u);
  } else {
    chk_race_barrier(w->r);
    w->last_barrier = w->step;
  }
}

/* -- the verdict ------------------------------------------------------------------------------- */

static bool races(const struct access *a, const struct access *b, uint32_t i, uint32_t k) {
  if (a->at.unit != b->at.unit || a->at.off >= b->at.off + b->at.len ||
      b->at.off >= a->at.off + a->at.len)
    return false;
  if ((!a->write && !b->write) || (a->atomic && b->atomic)) return false;
  if (in(&b->before, i) || in(&a->before, k) || a->site == b->site) return false;
  return a->unit != b->unit ||
         !((a->store && a->posted < b->posted) || (b->store && b->posted < a->posted));
}

struct verdict {
  uint64_t programs, racy, found, pairs, pairs_found;
  uint64_t late, late_found; /* accesses that race with an earlier one, and reports of them */
};

/* Accesses before a barrier of the engine race with none after it. */
static bool is_race(const struct world *w, uintptr_t first, uintptr_t second) {
  for (uint32_t i = 0; i < w->n; i++) {
    for (uint32_t k = 0; k < w->n; k++) {
      if (w->a[i].site == first && w->a[k].site == second && races(&w->a[i], &w->a[k], i, k))
        return true;
    }
  }
  return false;
}

/* Counts the accesses that race with an earlier one, and those that a report has as its second. */
static void count_late(const struct world *w, const struct chk_race_report *reports, uint32_t n,
                       struct verdict *v) {
  for (uint32_t k = 0; k < w->n; k++) {
    bool race = false, reported = false;
    for (uint32_t i = 0; i < k; i++) race |= races(&w->a[i], &w->a[k], i, k);
    for (uint32_t i = 0; i < n; i++)
      reported |= (uintptr_t)reports[i].second.at.site == w->a[k].site;
    v->late += race;
    v->late_found += race && reported;
  }
}

static void judge(struct world *w, uint64_t seed, const struct chk_race_report *reports, uint32_t n,
                  struct verdict *v) {
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    for (uint32_t k = 0; k < i; k++) pairs += races(&w->a[i], &w->a[k], i, k);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (is_race(w, (uintptr_t)reports[i].first.at.site, (uintptr_t)reports[i].second.at.site))
      continue;
    char text[512];
    chk_race_text(&reports[i], NULL, text, sizeof text);
    print_message("seed %llu, sites %p and %p: %s\n", (unsigned long long)seed,
                  reports[i].first.at.site, reports[i].second.at.site, text);
    fail_msg("a report of what is no race");
  }
  count_late(w, reports, n, v);
  v->programs++;
  v->racy += pairs > 0;
  v->found += pairs > 0 && n > 0;
  v->pairs += pairs;
  v->pairs_found += n;
}

/* Removes from the oracle all races of accesses on both sides of a barrier. */
static void cut(struct world *w, uint32_t from) {
  for (uint32_t k = from; k < w->n; k++) {
    for (uint32_t i = 0; i < w->n; i++) {
      if (w->a[i].posted <= w->last_barrier || w->a[k].posted <= w->last_barrier)
        include(&w->a[k].before, i);
    }
  }
}

static void run(struct chk_race *r, uint64_t seed, uint32_t steps, bool one_site,
                struct verdict *v) {
  static const struct world empty;
  struct world *w = malloc(sizeof *w);
  const struct chk_race_report *reports;
  *w = empty;
  w->r = r;
  w->seed = seed;
  w->one_site = one_site;
  uint32_t old = chk_race_reports(r, &reports);
  for (uint32_t i = 0; i < steps && w->n + 8 < ACCESSES && w->n_ops < OPS; i++) {
    uint32_t n = w->n;
    one_step(w);
    if (w->last_barrier != 0) cut(w, n);
  }
  uint32_t n = chk_race_reports(r, &reports);
  judge(w, seed, reports + old, n - old, v);
  free(w);
}

static void reports_of_random_programs_are_races(void **state) {
  (void)state;
  struct verdict v = {0};
  for (uint64_t seed = 1; seed <= 6000; seed++) {
    struct chk_race *r = chk_race_new(N_UNITS, true);
    run(r, seed, seed % 3 == 0 ? 150 : 10 + (uint32_t)(seed % 40), seed % 4 == 0, &v);
    chk_race_destroy(r);
  }
  print_message(
      "%llu programs, %llu with races, %llu of these reported; %llu of %llu pairs; "
      "%llu of %llu later accesses\n",
      (unsigned long long)v.programs, (unsigned long long)v.racy, (unsigned long long)v.found,
      (unsigned long long)v.pairs_found, (unsigned long long)v.pairs,
      (unsigned long long)v.late_found, (unsigned long long)v.late);
  assert_true(v.racy > 1000 && v.programs - v.racy > 500);
  assert_true(v.found * 100 >= v.racy * 95);
  assert_true(v.late_found >= LATE_FOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reports_of_random_programs_are_races)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
