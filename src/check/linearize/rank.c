/* SPDX-License-Identifier: BSD-3-Clause */
/* rank.c - computes in which order the values of a queue or stack were put in, from the order in
 * which they came out: `rank` and `dead` of models.h. models.c enters them in its table of models,
 * and the search calls them through it.
 *
 * Why it exists: when two enqueues overlap, the search has to guess their order, and learns that it
 * guessed wrong only when the values come out, maybe thousands of operations later. The history
 * contains the answer. */

/* Queue: for a queue in which no value is put in twice, a value precedes another if its enqueue
 * returned before the other's was called, or its dequeue returned before the other's was called. A
 * queue can only behave so if this relation has no cycle, and no dequeue found nothing while some
 * value was in the queue all the time. For a history in which all operations have returned that is
 * also sufficient (Henzinger, Sezgin, Vafeiadis: Aspect-oriented linearizability proofs, CONCUR
 * 2013, theorem 1). Any order that extends the relation is therefore a good one to try first. It is
 * found in linear time, since each half of the relation compares intervals: a value is next if both
 * its intervals begin before any other remaining one ends.
 *
 * Stack: the value that comes out last is at the bottom. This is only a heuristic. */
#include <eyot/types.h>
#include <string.h>

#include "base/hash.h"
#include "check/linearize/models.h"
#include "check/snapshot/mem.h"

#define NONE UINT32_MAX
#define PUT_IN 0u       /* index of the operations enqueue and push */
#define PAIRS_MAX 8192u /* up to this many operations all pairs are compared */
_Static_assert(CHK_QUEUE_ENQUEUE == PUT_IN && CHK_STACK_PUSH == PUT_IN, "one pairing for both");

/* Matches each operation that took a value out with the one that put it in. Equal values are
 * matched in the order of calls. */
struct pairing {
  struct chk_lin_view v;
  uint32_t *mate; /* of each operation, or NONE */
  /* of an operation that puts a value in: the next one that puts in the same value */
  uint32_t *next;
  /* by hash: an operation with the value, or NONE; the first that is not matched, or NONE; the
   * last */
  uint32_t *first_of, *left, *last;
  uint32_t mask;
  /* call of the first pending operation that takes a value out; CHK_PENDING: none */
  uint64_t pending;
  bool twice; /* a value is put in more than once */
  /* a value came out that was not put in, or was refused although capacity is unbounded */
  bool impossible;
};

static bool rank_put_in(const struct chk_lin_op *op) {
  return op->op == PUT_IN && (op->ret == CHK_PENDING || op->ok);
}

static bool took_out(const struct chk_lin_op *op) {
  return op->op != PUT_IN && op->ret != CHK_PENDING && op->ok;
}

/* The index of a value in the hash table, or of the free entry for it. */
static uint32_t value_slot(const struct pairing *p, uint64_t value) {
  uint32_t i = (uint32_t)eyoti_hash_mix(0, value) & p->mask;
  while (p->first_of[i] != NONE && p->v.ops[p->first_of[i]].arg[0] != value) i = (i + 1) & p->mask;
  return i;
}

/* The operation that puts in a value which some operation puts in. */
static uint32_t rank_value_of(const struct pairing *p, uint64_t value) {
  return p->first_of[value_slot(p, value)];
}

static void pair_put_in(struct pairing *p, uint32_t op) {
  uint32_t at = value_slot(p, p->v.ops[op].arg[0]);
  if (p->first_of[at] == NONE) {
    p->first_of[at] = p->left[at] = op;
  } else {
    p->twice = true;
    p->next[p->last[at]] = op;
  }
  p->last[at] = op;
}

static void pair_took_out(struct pairing *p, uint32_t op) {
  uint32_t at = value_slot(p, p->v.ops[op].result);
  uint32_t in = p->first_of[at] == NONE ? NONE : p->left[at];
  if (in == NONE) {
    p->impossible = true;
    return;
  }
  p->left[at] = p->next[in];
  p->mate[in] = op;
  p->mate[op] = in;
  if (!p->twice && p->v.ops[op].ret < p->v.ops[in].call) p->impossible = true;
}

/* One block of memory for the pairing and `more` words of 0, which begin at *rest. NULL: out of
 * memory. */
static struct pairing *pair(const struct chk_lin_view *v, size_t more, uint32_t **rest) {
  uint32_t table = 16;
  while (table / 2 < v->n) table *= 2;
  const size_t words = 2 * (size_t)v->n + 3 * (size_t)table;
  struct pairing *p = chk_alloc(sizeof *p + (words + more) * sizeof(uint32_t));
  if (p == NULL) return NULL;
  uint32_t *memory = (uint32_t *)(p + 1);
  *p = (struct pairing){
      .v = *v, .mate = memory, .next = memory + v->n, .mask = table - 1, .pending = CHK_PENDING};
  p->first_of = p->next + v->n;
  p->left = p->first_of + table;
  p->last = p->left + table;
  *rest = p->last + table;
  memset(memory, 0xff, words * sizeof *memory);
  for (uint32_t i = 0; i < v->n; i++) {
    if (rank_put_in(&v->ops[i])) pair_put_in(p, i);
    if (v->ops[i].op == PUT_IN && !rank_put_in(&v->ops[i]) && v->param == 0) p->impossible = true;
  }
  for (uint32_t i = 0; i < v->n; i++) {
    if (took_out(&v->ops[i])) pair_took_out(p, i);
    if (v->ops[i].op != PUT_IN && v->ops[i].ret == CHK_PENDING && p->pending == CHK_PENDING)
      p->pending = v->ops[i].call;
  }
  return p;
}

/* The call of the operation that takes the value out. For a value that never came out: the call of
 * the first pending operation that may still take it. */
static uint64_t out_call(const struct pairing *p, uint32_t value) {
  return p->mate[value] == NONE ? p->pending : p->v.ops[p->mate[value]].call;
}

static uint64_t out_ret(const struct pairing *p, uint32_t value) {
  return p->mate[value] == NONE ? CHK_PENDING : p->v.ops[p->mate[value]].ret;
}

/* Values are named by the operations that put them in. An operation is a value if it returned, or
 * if its value came out. */
static bool is_value(const struct pairing *p, uint32_t op) {
  return rank_put_in(&p->v.ops[op]) && (p->v.ops[op].ret != CHK_PENDING || p->mate[op] != NONE);
}

/* The value is certainly in the queue from the return of its enqueue to the call of the operation
 * that took it out. */
static bool surely_in(const struct pairing *p, uint32_t value) {
  return is_value(p, value) && p->v.ops[value].ret < out_call(p, value);
}

static uint32_t never_out(const struct pairing *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->v.n; i++) n += p->mate[i] == NONE && surely_in(p, i) ? 1u : 0u;
  return n;
}

/* True if an operation that takes out found nothing although at each moment of its interval some
 * value was certainly in the queue. One pass over calls and returns; `empty` is the latest position
 * after which no value was certainly in. */
static bool never_empty(const struct pairing *p) {
  const struct chk_lin_view *v = &p->v;
  uint64_t empty = 0;
  uint32_t in = 0, call = 0;
  for (uint32_t r = 0; r < v->n_ret; r++) {
    const uint32_t op = v->by_ret[r];
    for (; call < v->n && v->ops[call].call < v->ops[op].ret; call++) {
      if (took_out(&v->ops[call]) && p->mate[call] != NONE && surely_in(p, p->mate[call])) in--;
      if (v->ops[call].call == p->pending) in -= never_out(p);
      if (in == 0) empty = v->ops[call].call;
    }
    if (v->ops[op].op != PUT_IN && !v->ops[op].ok && empty < v->ops[op].call) return true;
    if (v->ops[op].op == PUT_IN && surely_in(p, op)) in++;
    if (in == 0) empty = v->ops[op].ret;
  }
  return false;
}

/* -- queue ------------------------------------------------------------------------------------- */

struct order {
  const struct pairing *p;
  /* by call of the dequeue; for a value that never came out: by call of the first that may still
   * take it */
  uint32_t *by_out;
  uint32_t *ready, *state;
  uint32_t n, n_ready;
};
/* flags of `state`: an interval has begun before all remaining ones end; the value has its rank */
enum { IN_OPEN = 1, OUT_OPEN = 2, GONE = 4 };

static void add_never_out(struct order *o) {
  for (uint32_t i = 0; i < o->p->v.n; i++) {
    if (is_value(o->p, i) && o->p->mate[i] == NONE) o->by_out[o->n++] = i;
  }
}

static void sort_by_out(struct order *o) {
  const struct chk_lin_view *v = &o->p->v;
  bool added = false;
  for (uint32_t i = 0; i < v->n; i++) {
    if (!added && v->ops[i].call >= o->p->pending) {
      add_never_out(o);
      added = true;
    }
    if (took_out(&v->ops[i]) && o->p->mate[i] != NONE) o->by_out[o->n++] = o->p->mate[i];
  }
  if (!added) add_never_out(o);
}

static void opens(struct order *o, uint32_t value, uint32_t which) {
  o->state[value] |= which;
  if (o->state[value] == (IN_OPEN | OUT_OPEN)) o->ready[o->n_ready++] = value;
}

/* Gives ranks 1, 2, ... False: there is a cycle, which is broken at the enqueue that returned
 * first. Makes four passes over the history together, one for each end of the two intervals. */
static bool extend(struct order *o, uint32_t *rank) {
  const struct chk_lin_view *v = &o->p->v;
  uint32_t in = 0, out = 0, in_end = 0, out_end = 0, done = 0;
  bool cycle = false;
  while (done < o->n) {
    uint64_t first_in_end = CHK_PENDING, first_out_end = CHK_PENDING;
    for (; in_end < v->n_ret; in_end++) {
      uint32_t op = v->by_ret[in_end];
      if (!is_value(o->p, op) || (o->state[op] & GONE) != 0) continue;
      first_in_end = v->ops[op].ret;
      break;
    }
    for (; out_end < v->n_ret; out_end++) {
      uint32_t op = v->by_ret[out_end];
      if (!took_out(&v->ops[op]) || o->p->mate[op] == NONE ||
          (o->state[o->p->mate[op]] & GONE) != 0)
        continue;
      first_out_end = v->ops[op].ret;
      break;
    }
    for (; in < v->n && v->ops[in].call <= first_in_end; in++) {
      if (is_value(o->p, in)) opens(o, in, IN_OPEN);
    }
    for (; out < o->n && out_call(o->p, o->by_out[out]) <= first_out_end; out++)
      opens(o, o->by_out[out], OUT_OPEN);
    if (done == o->n_ready) {
      cycle = true;
      opens(o, first_in_end != CHK_PENDING ? v->by_ret[in_end] : o->p->mate[v->by_ret[out_end]],
            IN_OPEN | OUT_OPEN);
    }
    uint32_t value = o->ready[done++];
    o->state[value] |= GONE;
    rank[value] = done;
  }
  return !cycle;
}

int chk_lin_rank_queue(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known) {
  uint32_t *rest;
  struct pairing *p = pair(v, 3 * (size_t)v->n, &rest);
  if (p == NULL) return EYOT_ENOMEM;
  struct order o = {.p = p, .by_out = rest, .ready = rest + v->n, .state = rest + 2 * (size_t)v->n};
  sort_by_out(&o);
  bool cycle = !extend(&o, rank);
  *impossible = p->impossible || (!p->twice && (cycle || never_empty(p)));
  *known = p;
  return 0;
}

bool chk_lin_dead_queue(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op) {
  const struct pairing *p = known;
  if (p->twice || op->op != PUT_IN || s->n == 0) return false;
  return out_ret(p, rank_value_of(p, op->arg[0])) < out_call(p, rank_value_of(p, s->w[s->n - 1]));
}

/* -- stack ------------------------------------------------------------------------------------- */

/* True if some value was put in after another and before that one came out, and itself came out
 * later, without any overlap. */
static bool crossed(const struct pairing *p) {
  const struct chk_lin_op *ops = p->v.ops;
  if (p->v.n > PAIRS_MAX) return false;
  for (uint32_t b = 0; b < p->v.n; b++) {
    if (!is_value(p, b)) continue;
    for (uint32_t a = 0; a < b; a++) {
      if (is_value(p, a) && ops[a].ret < ops[b].call && ops[b].ret < out_call(p, a) &&
          out_ret(p, a) < out_call(p, b))
        return true;
    }
  }
  return false;
}

int chk_lin_rank_stack(const struct chk_lin_view *v, uint32_t *rank, bool *impossible,
                       void **known) {
  uint32_t *rest;
  struct pairing *p = pair(v, 0, &rest);
  if (p == NULL) return EYOT_ENOMEM;
  for (uint32_t i = 0; i < v->n; i++) {
    if (rank_put_in(&v->ops[i])) rank[i] = 1;
  }
  uint32_t next = v->n + 2;
  for (uint32_t i = 0; i < v->n_ret; i++) {
    uint32_t op = v->by_ret[i];
    if (took_out(&v->ops[op]) && p->mate[op] != NONE) rank[p->mate[op]] = --next;
  }
  *impossible = p->impossible || (!p->twice && (never_empty(p) || crossed(p)));
  *known = p;
  return 0;
}

bool chk_lin_dead_stack(const void *known, const struct chk_lin_state *s,
                        const struct chk_lin_op *op) {
  const struct pairing *p = known;
  if (p->twice || op->op != PUT_IN || s->n == 0) return false;
  return out_ret(p, rank_value_of(p, s->w[s->n - 1])) < out_call(p, rank_value_of(p, op->arg[0]));
}
