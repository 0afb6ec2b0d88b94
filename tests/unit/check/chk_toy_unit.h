/* SPDX-License-Identifier: BSD-3-Clause */
/* chk_toy_unit.h - small systems of processes over words, for the tests of the exhaustive search:
 * an interpreter, a driver through the table of operations, and an oracle.
 *
 * Why it exists: the results of a search in a system of a few steps can be computed without it: the
 * oracle traverses the graph of states, copying them, and shares no code and no idea with a
 * stateless search. */
#ifndef CHK_TOY_UNIT_H
#define CHK_TOY_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/strategy/strategy.h"

#define TOY_WORDS 8u
#define TOY_PROCESSES 12u
#define TOY_CODES 12u
#define TOY_LENGTH 10u
#define TOY_STEPS 200u

enum toy_op {
  TOY_END = 0,
  TOY_READ,  /* local = f(local, a) */
  TOY_WRITE, /* a = b */
  TOY_ADD,   /* a += b; local = f(local, a) */
  TOY_AWAIT, /* a == b, blocking */
  /* a == 1 or b == 1, blocking; reads again at each write to one of them; local = f(local, a, b) */
  TOY_EITHER,
  TOY_BOTH,   /* a == 1 and b == 1, in the same way */
  TOY_SPIN,   /* a == b, polling */
  TOY_LOCK,   /* a: 0 -> 1, polling */
  TOY_CREATE, /* a process with code a */
  TOY_DRAW,   /* a = a number below b */
  TOY_DRAW2   /* 0 written to word a or a+1, drawn; then 1 more draw if it was a+1 */
};
struct toy_line {
  enum toy_op op;
  uint8_t a, b;
};
/* Codes 0 .. units-1 run from the start. */
struct toy_system {
  uint32_t units;
  uint8_t words[TOY_WORDS];
  struct toy_line code[TOY_CODES][TOY_LENGTH];
};

struct toy_process {
  /* equal in all runs: made of the creator's name and the number of its earlier creations */
  uint32_t name;
  uint32_t local;
  uint8_t code, line, created;
  uint8_t looking; /* woken, to evaluate its condition again */
  uint8_t failed;  /* its last look found nothing: 1, and nothing has been written since, or 2 */
};
struct toy_state {
  uint8_t words[TOY_WORDS];
  uint32_t n;
  struct toy_process at[TOY_PROCESSES];
};

static inline struct toy_line toy_next(const struct toy_system *t, const struct toy_state *s,
                                       uint32_t who) {
  return t->code[s->at[who].code][s->at[who].line];
}

static inline bool toy_holds(const struct toy_state *s, struct toy_line l) {
  switch (l.op) {
    case TOY_AWAIT:
    case TOY_SPIN:
      return s->words[l.a] == l.b;
    case TOY_LOCK:
      return s->words[l.a] == 0;
    case TOY_EITHER:
      return s->words[l.a] == 1 || s->words[l.b] == 1;
    case TOY_BOTH:
      return s->words[l.a] == 1 && s->words[l.b] == 1;
    default:
      return true;
  }
}

static inline void toy_start(const struct toy_system *t, struct toy_state *s) {
  memset(s, 0, sizeof *s);
  memcpy(s->words, t->words, sizeof s->words);
  s->n = t->units;
  for (uint32_t i = 0; i < s->n; i++) {
    s->at[i].name = i + 1;
    s->at[i].code = (uint8_t)i;
    s->at[i].looking = toy_holds(s, toy_next(t, s, i));
  }
}

static inline bool toy_polls(struct toy_line l) {
  return l.op == TOY_SPIN || l.op == TOY_LOCK;
}

static inline bool toy_enabled(const struct toy_system *t, const struct toy_state *s,
                               uint32_t who) {
  struct toy_line l = toy_next(t, s, who);
  if (l.op == TOY_END) return false;
  if (l.op == TOY_EITHER || l.op == TOY_BOTH) return s->at[who].looking != 0;
  return toy_polls(l) || toy_holds(s, l);
}

/* No process can change anything any more, and each poller has seen it. */
static inline bool toy_over(const struct toy_system *t, const struct toy_state *s) {
  for (uint32_t i = 0; i < s->n; i++)
    if (toy_enabled(t, s, i) && s->at[i].failed != 1) return false;
  return true;
}

struct toy_trace {
  struct chk_access accesses[24];
  uint32_t n_accesses, woke[TOY_PROCESSES], n_woke;
};

static inline void toy_touch(struct toy_trace *r, uint32_t word, bool write) {
  r->accesses[r->n_accesses++] = (struct chk_access){1000 + word * 8ull, write};
}

static inline void toy_put(const struct toy_system *t, struct toy_state *s, uint32_t word,
                           uint32_t value, struct toy_trace *r) {
  s->words[word] = (uint8_t)value;
  toy_touch(r, word, true);
  for (uint32_t i = 0; i < s->n; i++) {
    struct toy_line l = toy_next(t, s, i);
    if ((l.op == TOY_EITHER || l.op == TOY_BOTH) && (l.a == word || l.b == word))
      s->at[i].looking = 1;
    if (s->at[i].failed != 0 && l.a == word) s->at[i].failed = 2;
  }
}

/* The words that a waiting process has read. */
static inline void toy_look(struct toy_line l, struct toy_trace *r) {
  toy_touch(r, l.a, false);
  if (l.op == TOY_EITHER || l.op == TOY_BOTH) toy_touch(r, l.b, false);
}

/* If the process comes to a wait, its condition is read, whatever the result. */
static inline void toy_arrive(const struct toy_system *t, struct toy_state *s, uint32_t who,
                              struct toy_trace *r) {
  struct toy_line l = toy_next(t, s, who);
  s->at[who].looking = toy_holds(s, l);
  if (l.op == TOY_AWAIT || l.op == TOY_EITHER || l.op == TOY_BOTH) toy_look(l, r);
}

/* Supplies the draws of a step. */
typedef uint32_t (*toy_draw)(void *from, uint32_t bound);

static inline void toy_create(struct toy_state *s, uint32_t by, uint32_t code) {
  assert_true(s->n < TOY_PROCESSES);
  s->at[s->n] = (struct toy_process){.name = s->at[by].name * 7 + 100 + s->at[by].created++,
                                     .code = (uint8_t)code};
  s->n++;
}

static inline void toy_step(const struct toy_system *t, struct toy_state *s, uint32_t who,
                            toy_draw draw, void *from, struct toy_trace *r) {
  struct toy_line l = toy_next(t, s, who);
  struct toy_process *p = &s->at[who];
  bool was_enabled[TOY_PROCESSES] = {false};
  uint32_t n_before = s->n;
  for (uint32_t i = 0; i < s->n; i++) was_enabled[i] = toy_enabled(t, s, i);
  r->n_accesses = r->n_woke = 0;
  bool holds = toy_holds(s, l);
  if (holds) p->line++;
  if (!holds || l.op == TOY_AWAIT || l.op == TOY_SPIN || l.op == TOY_EITHER || l.op == TOY_BOTH)
    toy_look(l, r);
  if (l.op == TOY_EITHER || l.op == TOY_BOTH) p->looking = 0;
  if (l.op == TOY_READ || l.op == TOY_ADD) p->local = p->local * 11 + 1 + s->words[l.a];
  if (l.op == TOY_EITHER && holds)
    p->local = p->local * 11 + 1 + s->words[l.a] + 4u * s->words[l.b];
  if (l.op == TOY_READ || l.op == TOY_ADD) toy_touch(r, l.a, false);
  if (l.op == TOY_WRITE) toy_put(t, s, l.a, l.b, r);
  if (l.op == TOY_ADD) toy_put(t, s, l.a, (s->words[l.a] + l.b) & 15u, r);
  if (l.op == TOY_LOCK && holds) toy_put(t, s, l.a, 1, r);
  if (l.op == TOY_CREATE) toy_create(s, who, l.a);
  if (l.op == TOY_DRAW) toy_put(t, s, l.a, draw(from, l.b), r);
  if (l.op == TOY_DRAW2) {
    uint32_t which = draw(from, 2);
    toy_put(t, s, l.a + which, which == 0 ? 0 : 4 + draw(from, 3), r);
  }
  p->failed = !holds && toy_polls(l);
  if (holds) toy_arrive(t, s, who, r);
  if (l.op == TOY_CREATE) toy_arrive(t, s, s->n - 1, r);
  for (uint32_t i = 0; i < s->n; i++)
    if (i != who && ((!was_enabled[i] && toy_enabled(t, s, i)) || i >= n_before))
      r->woke[r->n_woke++] = i;
}

/* Equal for equal states: of words and processes, whatever the processes' numbers. */
static inline uint64_t toy_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static inline uint64_t toy_key(const struct toy_state *s, bool final) {
  uint64_t h = 1, sum = 0;
  for (uint32_t i = 0; i < TOY_WORDS; i++) h = toy_mix(h * 31 + s->words[i]);
  for (uint32_t i = 0; i < s->n; i++) {
    const struct toy_process *p = &s->at[i];
    uint64_t x = toy_mix(p->name * 1000003ull + p->local);
    sum += toy_mix(x + p->code * 4099ull + p->line * 64ull + p->created * 8ull +
                   (final ? 0 : p->looking + 2u * p->failed));
  }
  return toy_mix(h ^ sum);
}

/* A set of keys, in order once it is sorted. */
struct toy_set {
  uint64_t *at;
  size_t n, cap;
};
static inline void toy_add(struct toy_set *set, uint64_t key) {
  if (set->n > 0 && set->at[set->n - 1] == key) return;
  if (set->n == set->cap) {
    set->cap = set->cap == 0 ? 64 : 2 * set->cap;
    set->at = realloc(set->at, set->cap * sizeof *set->at);
    assert_non_null(set->at);
  }
  set->at[set->n++] = key;
}
static inline int toy_compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}
static inline void toy_sort(struct toy_set *set) {
  if (set->n == 0) return;
  qsort(set->at, set->n, sizeof *set->at, toy_compare);
  size_t n = 1;
  for (size_t i = 1; i < set->n; i++)
    if (set->at[i] != set->at[n - 1]) set->at[n++] = set->at[i];
  set->n = n;
}

/* -- the driver -------------------------------------------------------------------------------- */

struct toy_result {
  struct toy_set finals;
  uint64_t runs, whole, pruned, steps;
  bool complete;
};

static inline uint32_t toy_draw_strategy(void *from, uint32_t bound) {
  struct chk_strategy *s = from;
  return s->ops->draw(s, bound);
}

static inline enum chk_end toy_run(const struct toy_system *t, struct chk_strategy *s,
                                   struct toy_state *state, struct toy_result *result) {
  toy_start(t, state);
  for (uint32_t steps = 0; steps < TOY_STEPS; steps++) {
    uint32_t who[TOY_PROCESSES], n = 0;
    bool yields[TOY_PROCESSES];
    if (toy_over(t, state)) return CHK_PASSED;
    for (uint32_t i = 0; i < state->n; i++) {
      if (!toy_enabled(t, state, i)) continue;
      yields[n] = state->at[i].failed != 0;
      who[n++] = i;
    }
    uint32_t chosen = s->ops->pick(s, who, yields, n);
    if (chosen == CHK_STOP) return CHK_PRUNED;
    assert_true(chosen < n);
    struct toy_trace trace;
    toy_step(t, state, who[chosen], toy_draw_strategy, s, &trace);
    struct chk_step step = {who[chosen], trace.n_accesses, trace.n_woke, trace.accesses,
                            trace.woke};
    s->ops->did(s, &step);
    result->steps++;
  }
  return CHK_BOUND;
}

/* Gives up after max runs. */
static inline struct toy_result toy_search(const struct toy_system *t, bool reduce, uint64_t max,
                                           FILE *report) {
  struct toy_result result = {.complete = true};
  struct chk_options o = {.processes = t->units, .reduce = reduce, .runs = max};
  struct chk_strategy *s = chk_exhaustive_new(&o);
  assert_non_null(s);
  while (s->ops->begin(s)) {
    struct toy_state state;
    enum chk_end how = toy_run(t, s, &state, &result);
    assert_int_not_equal(how, CHK_BOUND);
    if (how == CHK_PASSED) toy_add(&result.finals, toy_key(&state, true));
    s->ops->end(s, how, NULL);
    result.runs++;
    result.whole += how == CHK_PASSED;
    result.pruned += how == CHK_PRUNED;
    result.complete = result.runs < max || max == 0;
  }
  if (report != NULL) s->ops->report(s, report);
  s->ops->destroy(s);
  toy_sort(&result.finals);
  return result;
}

/* -- the oracle -------------------------------------------------------------------------------- */

struct toy_oracle {
  struct toy_set seen, finals; /* seen: a table by hash */
  uint64_t states;
};

static inline bool toy_seen(struct toy_oracle *o, uint64_t key) {
  key |= 1;
  size_t i = key % o->seen.cap;
  for (; o->seen.at[i] != 0; i = (i + 1) % o->seen.cap)
    if (o->seen.at[i] == key) return true;
  o->seen.at[i] = key;
  assert_true(++o->states < o->seen.cap / 2);
  return false;
}

/* Answers by the digits of a number: all numbers are tried. */
struct toy_digits {
  uint32_t rest, product;
};
static inline uint32_t toy_draw_digit(void *from, uint32_t bound) {
  struct toy_digits *d = from;
  uint32_t value = d->rest % bound;
  d->rest /= bound;
  d->product *= bound;
  return value;
}

static inline void toy_visit(const struct toy_system *t, struct toy_oracle *o,
                             const struct toy_state *s) {
  if (toy_seen(o, toy_key(s, false))) return;
  if (toy_over(t, s)) {
    toy_add(&o->finals, toy_key(s, true));
    return;
  }
  for (uint32_t i = 0; i < s->n; i++) {
    if (!toy_enabled(t, s, i)) continue;
    for (uint32_t number = 0; number < 16; number++) {
      struct toy_state next = *s;
      struct toy_digits digits = {number, 1};
      struct toy_trace trace;
      toy_step(t, &next, i, toy_draw_digit, &digits, &trace);
      if (digits.rest == 0) toy_visit(t, o, &next);
      if (digits.product == 1) break;
    }
  }
}

/* All final states. */
static inline struct toy_set toy_finals(const struct toy_system *t) {
  struct toy_oracle o = {.seen = {.cap = 1u << 20}};
  o.seen.at = calloc(o.seen.cap, sizeof *o.seen.at);
  assert_non_null(o.seen.at);
  struct toy_state s;
  toy_start(t, &s);
  toy_visit(t, &o, &s);
  free(o.seen.at);
  toy_sort(&o.finals);
  return o.finals;
}

static inline bool toy_same(const struct toy_set *a, const struct toy_set *b) {
  return a->n == b->n && (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}
#endif
