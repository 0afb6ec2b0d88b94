/* SPDX-License-Identifier: BSD-3-Clause */
/* search.c - the depth-first search of search.h. It remembers each configuration that it leaves
 * without success. */

/* A configuration is (number of returns passed, which open operations are placed in the order,
 * state). An operation is open at a return if it was called before that return and did not return
 * earlier. Each open operation has a slot, assigned at its call and released at its return, so the
 * set of placed operations is a few bits instead of one bit per operation of the history. The stack
 * holds a configuration as words [slots][state]; with the number of returns in front, these words
 * are its key. */
#include "check/linearize/search.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/snapshot/mem.h"

#define NONE UINT32_MAX
#define RANKED_MAX 256u /* up to this many open operations at once, sorting them pays */

struct frame {
  uint64_t at;      /* index of its words on the stack */
  uint32_t n_state; /* number of words */
  uint32_t returns; /* returns passed */
  uint32_t next;    /* index of the open operation to try next */
  uint32_t n_order;
};

/* Keys in one growing array, each as [words][returns][word]..., and an open hash table of their
 * indices + 1. */
struct memo {
  uint64_t *words;
  uint64_t n_words, cap_words;
  uint64_t *table;
  uint64_t n, cap;
};

struct search {
  const struct chk_lin_part *part;
  uint32_t n, n_ret;
  struct chk_lin_op *ops; /* by local number; an operation that returned too late is pending */
  uint32_t *id, *by_ret, *rank, *slot;
  /* [n_ret + 1]: the operations open at return r are open[open_at[r]] up to open[open_at[r + 1]] */
  uint64_t *open_at;
  uint32_t *open;
  uint32_t slot_words;
  struct frame *frames;
  uint32_t depth;
  uint64_t *stack;
  uint64_t cap_stack;
  uint32_t *order, n_order;
  struct memo memo;
  void *known; /* from the model's `rank` */
};

/* -- what is known from the events alone ------------------------------------------------------- */

static bool fill_ops(struct search *s) {
  const struct chk_lin_part *p = s->part;
  for (uint32_t e = 0; e < p->n_events; e++) {
    if (p->events[e] % 2 == 0) {
      s->n++;
    } else {
      s->n_ret++;
    }
  }
  size_t n = s->n + 1u;
  s->ops = chk_alloc(n * sizeof *s->ops);
  s->id = chk_alloc(n * sizeof *s->id);
  s->by_ret = chk_alloc(n * sizeof *s->by_ret);
  s->rank = chk_alloc(n * sizeof *s->rank);
  s->slot = chk_alloc(n * sizeof *s->slot);
  s->order = chk_alloc(n * sizeof *s->order);
  s->frames = chk_alloc(n * sizeof *s->frames);
  s->open_at = chk_alloc((s->n_ret + 1u) * sizeof *s->open_at);
  if (s->ops == NULL || s->id == NULL || s->by_ret == NULL || s->rank == NULL || s->slot == NULL ||
      s->order == NULL || s->frames == NULL || s->open_at == NULL) {
    return false;
  }
  uint32_t returned = 0;
  for (uint32_t e = 0; e < p->n_events; e++) {
    uint32_t id = p->events[e] / 2, i = p->local[id];
    EYOTI_ASSERT(i < s->n);
    if (p->events[e] % 2 == 0) {
      s->ops[i] = p->ops[id];
      s->ops[i].ret = CHK_PENDING;
      s->id[i] = id;
    } else {
      s->ops[i].ret = p->ops[id].ret;
      s->by_ret[returned++] = i;
    }
  }
  return true;
}

/* now[0..n-1] ascends by return. */
static void insert_open(const struct search *s, uint32_t *now, uint32_t n, uint32_t op) {
  while (n > 0 && s->ops[now[n - 1]].ret > s->ops[op].ret) {
    now[n] = now[n - 1];
    n--;
  }
  now[n] = op;
}

/* The place of an operation in the order of trial when `needed` is the next to return: first those
 * ranked up to `needed`, then those without a rank by their returns, last those ranked after it.
 * The latter had better wait for operations that may not even be called yet. */
static uint64_t trial(const struct search *s, uint32_t needed, uint32_t op) {
  if (op == needed && s->rank[op] == 0) return 0;
  if (s->rank[op] == 0) return UINT64_C(1) << 32;
  return s->rank[op] <= s->rank[needed] ? s->rank[op] : (UINT64_C(1) << 32) + s->rank[op];
}

/* Stable sort. list[0] is the next to return. */
static void sort_ranked(const struct search *s, uint32_t *list, uint32_t n) {
  const uint32_t needed = list[0];
  if (n > RANKED_MAX || s->part->model->rank == NULL) return;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t hole = i, op = list[i];
    for (; hole > 0 && trial(s, needed, list[hole - 1]) > trial(s, needed, op); hole--)
      list[hole] = list[hole - 1];
    list[hole] = op;
  }
}

/* now, spare: n words each. */
static bool sweep(struct search *s, uint32_t *now, uint32_t *spare) {
  const struct chk_lin_part *p = s->part;
  uint64_t total = 0;
  uint32_t width = 0, r = 0;
  for (uint32_t e = 0; e < p->n_events; e++) { /* how many entries there will be */
    width += p->events[e] % 2 == 0 ? 1u : 0u;
    if (p->events[e] % 2 == 0) continue;
    total += width;
    s->open_at[++r] = total;
    width--;
  }
  s->open = chk_alloc((total + 1) * sizeof *s->open);
  if (s->open == NULL) return false;
  uint32_t n_spare = 0, n_slots = 0;
  width = r = 0;
  for (uint32_t e = 0; e < p->n_events; e++) {
    uint32_t op = p->local[p->events[e] / 2];
    if (p->events[e] % 2 == 0) {
      insert_open(s, now, width++, op);
      s->slot[op] = n_spare > 0 ? spare[--n_spare] : n_slots++;
      continue;
    }
    EYOTI_ASSERT(now[0] == op);
    memcpy(s->open + s->open_at[r], now, width * sizeof *now);
    sort_ranked(s, s->open + s->open_at[r], width);
    memmove(now, now + 1, --width * sizeof *now);
    spare[n_spare++] = s->slot[op];
    r++;
  }
  s->slot_words = (n_slots + 63) / 64;
  return true;
}

static bool search_prepare(struct search *s, bool *impossible) {
  if (!fill_ops(s)) return false;
  const struct chk_lin_view v = {
      .ops = s->ops, .by_ret = s->by_ret, .n = s->n, .n_ret = s->n_ret, .param = s->part->param};
  if (s->part->model->rank != NULL && s->part->model->rank(&v, s->rank, impossible, &s->known) != 0)
    return false;
  if (*impossible) return true;
  uint32_t *now = chk_alloc((s->n + 1u) * sizeof *now),
           *spare = chk_alloc((s->n + 1u) * sizeof *spare);
  bool ok = now != NULL && spare != NULL && sweep(s, now, spare);
  chk_free(now);
  chk_free(spare);
  return ok;
}

static void search_drop(struct search *s) {
  void *const all[] = {s->ops,        s->id,      s->by_ret, s->rank,   s->slot,
                       s->order,      s->open,    s->stack,  s->frames, s->memo.words,
                       s->memo.table, s->open_at, s->known};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) chk_free(all[i]);
}

/* -- remembered configurations ----------------------------------------------------------------- */

static uint64_t search_hash_of(const uint64_t *w, uint64_t n, uint32_t returns) {
  uint64_t h = eyoti_hash_mix(n, returns);
  for (uint64_t i = 0; i < n; i++) h = eyoti_hash_mix(h, w[i]);
  return h;
}

/* The index of a key in the table, or of the free entry for it. */
static uint64_t memo_place(const struct memo *m, const uint64_t *w, uint64_t n, uint32_t returns) {
  uint64_t i = search_hash_of(w, n, returns) & (m->cap - 1);
  for (; m->table[i] != 0; i = (i + 1) & (m->cap - 1)) {
    const uint64_t *key = m->words + m->table[i] - 1;
    if (key[0] == n && key[1] == returns && memcmp(key + 2, w, n * sizeof *w) == 0) break;
  }
  return i;
}

static bool memo_has(const struct memo *m, const uint64_t *w, uint64_t n, uint32_t returns) {
  return m->n > 0 && m->table[memo_place(m, w, n, returns)] != 0;
}

static bool memo_rehash(struct memo *m) {
  uint64_t cap = m->cap == 0 ? 256 : 2 * m->cap;
  uint64_t *table = chk_alloc(cap * sizeof *table), *old = m->table;
  if (table == NULL) return false;
  uint64_t old_cap = m->cap;
  m->table = table;
  m->cap = cap;
  for (uint64_t i = 0; i < old_cap; i++) {
    if (old[i] == 0) continue;
    const uint64_t *key = m->words + old[i] - 1;
    table[memo_place(m, key + 2, key[0], (uint32_t)key[1])] = old[i];
  }
  chk_free(old);
  return true;
}

static bool search_grow(uint64_t **p, uint64_t *cap, uint64_t want) {
  if (want <= *cap) return true;
  uint64_t bigger = want + want / 2 + 256;
  uint64_t *q = chk_resize(*p, bigger * sizeof *q);
  if (q == NULL) return false;
  *p = q;
  *cap = bigger;
  return true;
}

static bool memo_add(struct memo *m, const uint64_t *w, uint64_t n, uint32_t returns) {
  if (2 * m->n >= m->cap && !memo_rehash(m)) return false;
  if (!search_grow(&m->words, &m->cap_words, m->n_words + n + 2)) return false;
  m->table[memo_place(m, w, n, returns)] = m->n_words + 1;
  m->words[m->n_words] = n;
  m->words[m->n_words + 1] = returns;
  memcpy(m->words + m->n_words + 2, w, n * sizeof *w);
  m->n_words += n + 2;
  m->n++;
  return true;
}

/* -- the search -------------------------------------------------------------------------------- */

static uint64_t bit_of(const struct search *s, uint32_t op) {
  return UINT64_C(1) << s->slot[op] % 64;
}

static bool placed(const struct search *s, const struct frame *f, uint32_t op) {
  return (s->stack[f->at + s->slot[op] / 64] & bit_of(s, op)) != 0;
}

static struct chk_lin_state state_of(const struct search *s, const struct frame *f) {
  return (struct chk_lin_state){.w = s->stack + f->at + s->slot_words, .n = f->n_state};
}

static void place_op(struct search *s, const struct frame *f, uint32_t op) {
  s->stack[f->at + s->slot[op] / 64] |= bit_of(s, op);
  s->order[s->n_order++] = op;
}

/* Passes the returns whose operations are placed, and places those operations that fit here and
 * change nothing. */
static void search_settle(struct search *s, struct frame *f) {
  const struct chk_lin_model *m = s->part->model;
  while (f->returns < s->n_ret) {
    uint32_t next = s->by_ret[f->returns];
    if (placed(s, f, next)) {
      s->stack[f->at + s->slot[next] / 64] &= ~bit_of(s, next);
      f->returns++;
      continue;
    }
    struct chk_lin_state state = state_of(s, f);
    for (uint64_t i = s->open_at[f->returns]; i < s->open_at[f->returns + 1]; i++) {
      uint32_t op = s->open[i];
      if (s->ops[op].ret == CHK_PENDING || placed(s, f, op)) continue;
      if (m->ask(&state, &s->ops[op], s->part->param) == CHK_LIN_SAME) place_op(s, f, op);
    }
    if (!placed(s, f, next)) return;
  }
}

/* Pushes a frame that places one more operation than the top frame. False: out of memory. */
static bool search_enter(struct search *s, uint32_t op) {
  struct frame *f = &s->frames[s->depth - 1], *g = &s->frames[s->depth];
  uint64_t words = s->slot_words + f->n_state;
  if (!search_grow(&s->stack, &s->cap_stack, f->at + 2 * words + CHK_LIN_GROWTH)) return false;
  *g = (struct frame){.at = f->at + words, .n_state = f->n_state, .returns = f->returns};
  memcpy(s->stack + g->at, s->stack + f->at, words * sizeof *s->stack);
  struct chk_lin_state state = state_of(s, g);
  s->part->model->apply(&state, &s->ops[op], s->part->param);
  g->n_state = state.n;
  s->n_order = f->n_order;
  place_op(s, g, op);
  search_settle(s, g);
  g->n_order = s->n_order;
  return true;
}

/* The next open operation of the top frame that fits and changes the state, or NONE. */
static uint32_t candidate(struct search *s) {
  const struct chk_lin_model *m = s->part->model;
  struct frame *f = &s->frames[s->depth - 1];
  const struct chk_lin_state state = state_of(s, f);
  for (uint64_t first = s->open_at[f->returns], n = s->open_at[f->returns + 1] - first;
       f->next < n;) {
    uint32_t op = s->open[first + f->next++];
    if (placed(s, f, op) || m->ask(&state, &s->ops[op], s->part->param) != CHK_LIN_CHANGES)
      continue;
    if (m->dead == NULL || !m->dead(s->known, &state, &s->ops[op])) return op;
  }
  return NONE;
}

static bool search_begin(struct search *s) {
  if (!search_grow(&s->stack, &s->cap_stack, s->slot_words + CHK_LIN_INIT_WORDS)) return false;
  memset(s->stack, 0, s->slot_words * sizeof *s->stack);
  struct frame *f = &s->frames[0];
  struct chk_lin_state state = state_of(s, f);
  s->part->model->init(&state, s->part->param);
  f->n_state = state.n;
  search_settle(s, f);
  f->n_order = s->n_order;
  s->depth = 1;
  return true;
}

static void search_run(struct search *s, uint64_t max, struct chk_lin_found *f) {
  f->answer = CHK_LIN_UNDECIDED;
  f->out_of_memory = !search_begin(s);
  if (f->out_of_memory) return;
  f->configurations = 1;
  f->returns = s->frames[0].returns;
  while (s->frames[s->depth - 1].returns < s->n_ret) {
    uint32_t op = candidate(s);
    const struct frame *top = &s->frames[s->depth - 1];
    if (op == NONE) {
      f->out_of_memory =
          !memo_add(&s->memo, s->stack + top->at, s->slot_words + top->n_state, top->returns);
      if (f->out_of_memory) return;
      if (--s->depth > 0) continue;
      f->answer = CHK_LIN_NO;
      return;
    }
    if (f->configurations == max) return;
    f->configurations++;
    f->out_of_memory = !search_enter(s, op);
    if (f->out_of_memory) return;
    const struct frame *g = &s->frames[s->depth];
    if (g->returns > f->returns) f->returns = g->returns;
    if (!memo_has(&s->memo, s->stack + g->at, s->slot_words + g->n_state, g->returns)) s->depth++;
  }
  f->answer = CHK_LIN_YES;
}

static void report_order(struct search *s, struct chk_lin_found *f) {
  const struct chk_lin_state state = state_of(s, &s->frames[s->depth - 1]);
  s->part->model->show(&state, f->state, sizeof f->state);
  for (uint32_t i = 0; i < s->n_order; i++) s->order[i] = s->id[s->order[i]];
  f->order = s->order;
  f->n_order = s->n_order;
  s->order = NULL;
}

void chk_lin_search(const struct chk_lin_part *part, uint64_t max_configurations, bool want_order,
                    struct chk_lin_found *f) {
  struct search s = {.part = part};
  bool impossible = false;
  *f = (struct chk_lin_found){.answer = CHK_LIN_UNDECIDED};
  if (!search_prepare(&s, &impossible)) {
    f->out_of_memory = true;
  } else if (impossible) {
    f->answer = CHK_LIN_NO;
  } else {
    search_run(&s, max_configurations, f);
    if (f->answer == CHK_LIN_YES && want_order) report_order(&s, f);
  }
  search_drop(&s);
}
