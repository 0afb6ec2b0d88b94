/* SPDX-License-Identifier: BSD-3-Clause */
/* linearize.c - divides a history into parts by object and key, has each part searched (search.h),
 * and finds the first return of a failing part that has no explanation. */
#include "check/linearize/linearize.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/snapshot/mem.h"

/* Limits the configurations of one search for an explanation: enough for a search that hardly
 * backtracks, and some more. The verdict stands already, and a prefix, whose pending operations may
 * return anything, can be much harder to search than the whole part. */
static uint64_t explain_max(const struct chk_lin_part *part, uint64_t max) {
  uint64_t some = 5000 + 2 * (uint64_t)part->n_events;
  return max < some ? max : some;
}

/* The events of part p: events[begin[p]] up to events[begin[p + 1]]. */
struct parts {
  uint32_t n;
  uint32_t *of, *local; /* of each operation: its part, and its number in that part */
  uint32_t *begin, *events;
  uint32_t *ops; /* of each part: the number of its operations; its first operation */
  uint32_t *first;
};

static uint64_t key_of(const struct chk_history *h, uint32_t id) {
  const struct chk_lin_op *op = &h->ops[id];
  return h->objects[op->object].model->keyed ? op->arg[0] : 0;
}

/* Numbers the parts in the order of their first calls. table: mask + 1 words, all 0. */
static void number_parts(const struct chk_history *h, struct parts *p, uint32_t *table,
                         uint32_t mask) {
  for (uint32_t id = 0; id < h->n_ops; id++) {
    uint32_t i = (uint32_t)eyoti_hash_mix(h->ops[id].object, key_of(h, id)) & mask;
    for (; table[i] != 0; i = (i + 1) & mask) {
      uint32_t first = p->first[table[i] - 1];
      if (h->ops[first].object == h->ops[id].object && key_of(h, first) == key_of(h, id)) break;
    }
    if (table[i] == 0) {
      p->first[p->n] = id;
      table[i] = ++p->n;
    }
    p->of[id] = table[i] - 1;
    p->local[id] = p->ops[p->of[id]]++;
  }
}

/* begin[p + 2] counts the events of part p; begin[p + 1] then moves from the part's first event to
 * its end, which is where the next part begins. */
static void sort_events(const struct chk_history *h, struct parts *p) {
  for (uint32_t e = 0; e < h->n_events; e++) p->begin[p->of[h->events[e] / 2] + 2]++;
  for (uint32_t i = 0; i < p->n; i++) p->begin[i + 2] += p->begin[i + 1];
  for (uint32_t e = 0; e < h->n_events; e++)
    p->events[p->begin[p->of[h->events[e] / 2] + 1]++] = h->events[e];
}

static int take_apart(const struct chk_history *h, struct parts *p) {
  uint32_t size = 16;
  while (size / 2 < h->n_ops) size *= 2;
  size_t n = h->n_ops;
  memset(p, 0, sizeof *p);
  uint32_t *table = chk_alloc(size * sizeof *table);
  p->of = chk_alloc((5 * n + 2 + h->n_events) * sizeof *p->of); /* one block for all six arrays */
  if (table == NULL || p->of == NULL) {
    chk_free(table);
    chk_free(p->of);
    return EYOTI_FAIL(EYOT_ENOMEM, "a history of %u operations cannot be sorted", h->n_ops);
  }
  p->local = p->of + n;
  p->ops = p->local + n;
  p->first = p->ops + n;
  p->begin = p->first + n;
  p->events = p->begin + n + 2;
  number_parts(h, p, table, size - 1);
  sort_events(h, p);
  chk_free(table);
  return 0;
}

static struct chk_lin_part lin_part_of(const struct chk_history *h, const struct parts *p,
                                       uint32_t i) {
  const struct chk_lin_object *o = &h->objects[h->ops[p->first[i]].object];
  return (struct chk_lin_part){.model = o->model,
                               .param = o->param,
                               .ops = h->ops,
                               .local = p->local,
                               .events = p->events + p->begin[i],
                               .n_events = p->begin[i + 1] - p->begin[i]};
}

/* The index of the r-th return (from 0) among the part's events. */
static uint32_t event_of_return(const struct chk_lin_part *part, uint32_t r) {
  uint32_t e = 0;
  for (;; e++) {
    EYOTI_ASSERT(e < part->n_events);
    if (part->events[e] % 2 == 1 && r-- == 0) return e;
  }
}

/* The part up to and including its first r >= 1 returns. */
static struct chk_lin_part beginning(const struct chk_lin_part *part, uint32_t r) {
  struct chk_lin_part b = *part;
  b.n_events = event_of_return(part, r - 1) + 1;
  return b;
}

/* The part is not linearizable. Returns how many of its first returns have an explanation; exact
 * unless a search on the way is undecided. What the search of the whole part explained is a lower
 * bound: it knew the results of operations that return later, and a prefix does not. */
static uint32_t explained(const struct chk_lin_part *part, const struct chk_lin_found *found,
                          uint32_t returns, uint64_t max) {
  uint32_t yes = found->returns, no = returns;
  while (no - yes > 1) {
    uint32_t middle = yes + (no - yes) / 2;
    struct chk_lin_part b = beginning(part, middle);
    struct chk_lin_found f;
    chk_lin_search(&b, explain_max(&b, max), false, &f);
    if (f.answer == CHK_LIN_NO) {
      no = middle;
      yes = f.returns > yes ? f.returns : yes;
    } else {
      yes = middle;
    }
  }
  return no - 1;
}

static int fill_overlap(const struct chk_history *h, const struct chk_lin_part *part,
                        struct chk_lin_verdict *v) {
  v->overlap = chk_alloc((part->n_events + 1u) * sizeof *v->overlap);
  if (v->overlap == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "an explanation over %u events", part->n_events);
  const struct chk_lin_op *failed = &h->ops[v->failed];
  for (uint32_t e = 0; e < part->n_events; e++) {
    uint32_t id = part->events[e] / 2;
    if (part->events[e] % 2 == 0 && h->ops[id].call < failed->ret && h->ops[id].ret > failed->call)
      v->overlap[v->n_overlap++] = id;
  }
  return 0;
}

/* Fills the verdict for a part that has no complete explanation. */
static int lin_describe(const struct chk_history *h, const struct parts *p, uint32_t i,
                        const struct chk_lin_found *found, uint64_t max,
                        struct chk_lin_verdict *v) {
  const struct chk_lin_part part = lin_part_of(h, p, i);
  v->answer = found->answer;
  v->object = h->ops[p->first[i]].object;
  v->keyed = part.model->keyed;
  v->key = key_of(h, p->first[i]);
  v->part_ops = p->ops[i];
  v->part_returns = part.n_events - v->part_ops;
  v->explained = found->returns;
  v->out_of_memory = found->out_of_memory;
  if (found->answer != CHK_LIN_NO) return 0;
  v->explained = explained(&part, found, v->part_returns, max);
  struct chk_lin_part before = part;
  before.n_events = event_of_return(&part, v->explained);
  v->failed = part.events[before.n_events] / 2;
  EYOTI_TRY(fill_overlap(h, &part, v));
  struct chk_lin_found f;
  chk_lin_search(&before, explain_max(&before, max), true, &f);
  v->order = f.order;
  v->n_order = f.n_order;
  memcpy(v->state, f.state, sizeof v->state);
  return 0;
}

int chk_lin_check(const struct chk_history *h, uint64_t max_configurations,
                  struct chk_lin_verdict *v) {
  struct parts p;
  memset(v, 0, sizeof *v);
  EYOTI_TRY(take_apart(h, &p));
  v->n_parts = p.n;
  int rc = 0;
  for (uint32_t i = 0; i < p.n && rc == 0 && v->answer != CHK_LIN_NO; i++) {
    const struct chk_lin_part part = lin_part_of(h, &p, i);
    struct chk_lin_found f;
    chk_lin_search(&part, max_configurations - v->configurations, false, &f);
    v->configurations += f.configurations;
    if (f.answer == CHK_LIN_NO || (f.answer == CHK_LIN_UNDECIDED && v->answer == CHK_LIN_YES)) {
      rc = lin_describe(h, &p, i, &f, max_configurations, v);
    }
  }
  chk_free(p.of);
  if (rc != 0) chk_lin_verdict_fini(v);
  return rc;
}

void chk_lin_verdict_fini(struct chk_lin_verdict *v) {
  chk_free(v->overlap);
  chk_free(v->order);
  memset(v, 0, sizeof *v);
}
