/* SPDX-License-Identifier: BSD-3-Clause */
/* chk_toy.h - small artificial systems and an engine for them, for the tests of strategies.
 *
 * Why it exists: a strategy sees an engine only through its interface (strategy/strategy.h), so a
 * system of a few state machines exercises all of it, and its probabilities can be computed by
 * hand. */
#ifndef EYOT_CHK_TOY_H
#define EYOT_CHK_TOY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check/strategy/strategy.h"

#define TOY_MAX 8u

/* The choices that a toy may ask for in a step. */
struct toy_engine {
  struct chk_strategy *strategy;
  struct chk_stream choices;
  uint32_t steps_of[TOY_MAX]; /* of this run */
  /* over the process of each step and the values drawn: equal runs have equal hashes */
  uint64_t hash;
};

struct toy {
  uint32_t n; /* processes */
  void (*reset)(struct toy *t);
  bool (*can_go)(struct toy *t, uint32_t who, bool *yields);
  bool (*step)(struct toy *t, uint32_t who, struct toy_engine *e); /* false: it fails */
  /* called when no process can go on. False: that is a failure */
  bool (*at_end)(struct toy *t);
  uint32_t at[TOY_MAX], limit, x[TOY_MAX]; /* state of the toy */
  uint32_t lock;
};

static inline uint32_t toy_draw(struct toy_engine *e, uint32_t bound) {
  uint32_t v = e->strategy->ops->draw(e->strategy, bound);
  assert_true(v < bound);
  chk_stream_add(&e->choices, v, bound);
  e->hash = (e->hash ^ v) * UINT64_C(0x100000001b3);
  return v;
}

static inline void toy_saw(struct toy_engine *e, uint64_t feature) {
  e->strategy->ops->saw(e->strategy, feature);
}

/* Makes one run; its choices are in e->choices afterwards. Processes are offered by age: the one
 * that has waited longest is first. */
static inline enum chk_end toy_run(struct toy *t, struct toy_engine *e, uint32_t most_steps) {
  uint64_t since[TOY_MAX] = {0};
  enum chk_end how = CHK_BOUND;
  memset(e->steps_of, 0, sizeof e->steps_of);
  chk_stream_clear(&e->choices);
  e->hash = 1469598103934665603u;
  t->reset(t);
  for (uint64_t now = 1; now <= most_steps; now++) {
    uint32_t who[TOY_MAX], n = 0;
    bool yields[TOY_MAX];
    for (uint32_t p = 0; p < t->n; p++) {
      bool y = false;
      if (!t->can_go(t, p, &y)) {
        since[p] = now;
        continue;
      }
      uint32_t i = n++;
      for (; i > 0 && since[who[i - 1]] > since[p]; i--) {
        who[i] = who[i - 1];
        yields[i] = yields[i - 1];
      }
      who[i] = p;
      yields[i] = y;
    }
    if (n == 0) {
      how = t->at_end(t) ? CHK_PASSED : CHK_FAILED;
      break;
    }
    uint32_t i = e->strategy->ops->pick(e->strategy, who, yields, n);
    assert_true(i < n);
    if (n > 1) chk_stream_add(&e->choices, i, n);
    since[who[i]] = now;
    e->steps_of[who[i]]++;
    e->hash = (e->hash ^ who[i]) * UINT64_C(0x100000001b3);
    if (!t->step(t, who[i], e)) {
      how = CHK_FAILED;
      break;
    }
  }
  e->strategy->ops->end(e->strategy, how, &e->choices);
  return how;
}

struct toy_result {
  uint64_t runs, failed, bounded, first_failed; /* from 1; 0: none */
  uint64_t hash;                                /* of all runs */
};

/* Makes all runs that the strategy wants. */
static inline struct toy_result toy_explore(struct toy *t, struct chk_strategy *s,
                                            uint32_t most_steps, bool stop) {
  struct toy_result r = {0};
  struct toy_engine e = {.strategy = s};
  while (s->ops->begin(s)) {
    enum chk_end how = toy_run(t, &e, most_steps);
    r.runs++;
    r.failed += how == CHK_FAILED;
    r.bounded += how == CHK_BOUND;
    r.hash = r.hash * 31 + e.hash;
    if (how == CHK_FAILED && r.first_failed == 0) r.first_failed = r.runs;
    if (how == CHK_FAILED && stop) break;
  }
  chk_stream_fini(&e.choices);
  return r;
}

/* The report in out, as a string. */
static inline void toy_report(const struct chk_strategy *s, char *out, size_t bytes) {
  FILE *f = fmemopen(out, bytes, "w");
  assert_non_null(f);
  s->ops->report(s, f);
  fclose(f);
}

/* Equal seeds give equal runs; other seeds give others. */
static inline void toy_check_deterministic(struct toy *t,
                                           struct chk_strategy *(*make)(const struct chk_options *),
                                           uint32_t depth) {
  uint64_t hashes[3];
  for (uint32_t i = 0; i < 3; i++) {
    struct chk_strategy *s = make(&(struct chk_options){
        .seed = 7 + i / 2, .runs = 50, .processes = t->n, .pct_depth = depth});
    assert_non_null(s);
    struct toy_result r = toy_explore(t, s, 400, false);
    assert_int_equal(r.runs, 50);
    hashes[i] = r.hash;
    s->ops->destroy(s);
  }
  assert_true(hashes[0] == hashes[1]);
  assert_true(hashes[0] != hashes[2]);
}

/* A lock with a lost wakeup: a process that finds it held goes to sleep in a second step, and a
 * release in between wakes no process. Every unit takes it once. States: 0 tries, 1 about to sleep,
 * 2 asleep, 3 holds, 4 has released and wakes, 5 done. */
static inline void toy_lock_reset(struct toy *t) {
  memset(t->at, 0, sizeof t->at);
  t->lock = 0;
}

static inline bool toy_lock_can_go(struct toy *t, uint32_t who, bool *yields) {
  (void)yields;
  return t->at[who] != 2 && t->at[who] != 5;
}

static inline bool toy_lock_step(struct toy *t, uint32_t who, struct toy_engine *e) {
  (void)e;
  switch (t->at[who]) {
    case 0:
      t->at[who] = t->lock ? 1 : 3;
      t->lock = 1;
      break;
    case 3:
      t->lock = 0; /* fall through */
    case 1:
      t->at[who]++;
      break;
    default: /* 4 */
      for (uint32_t p = 0; p < t->n; p++)
        if (t->at[p] == 2) t->at[p] = 0;
      t->at[who] = 5;
      break;
  }
  return true;
}

static inline bool toy_lock_at_end(struct toy *t) {
  for (uint32_t p = 0; p < t->n; p++)
    if (t->at[p] == 2) return false;
  return true;
}

static inline struct toy toy_lock(uint32_t n) {
  return (struct toy){.n = n,
                      .reset = toy_lock_reset,
                      .can_go = toy_lock_can_go,
                      .step = toy_lock_step,
                      .at_end = toy_lock_at_end};
}

static inline bool toy_at_end_passes(struct toy *t) {
  (void)t;
  return true;
}
#endif
