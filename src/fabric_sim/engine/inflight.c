/* SPDX-License-Identifier: BSD-3-Clause */
/* inflight.c - lists and records of the operations in flight. See inflight.h. */
#include "fabric_sim/engine/inflight.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/flow.h"
#include "fabric_sim/host/pages.h"
#include "fabric_sim/host/prefetch.h"

#define TABLE_FIRST 8u      /* records of the smallest table */
#define HEAP_SPARE 64u      /* removed operations in the heap beyond as many as are in flight */
#define KEY_FREE UINT64_MAX /* of a slot that was never used */
#define KEY_VOID (UINT64_C(1) << 63) /* set in the key of one that was */
#define SETS_FIRST 4u
#define ASKED_AGAIN 8u /* a unit that was asked for records makes them at once so often */

_Static_assert(sizeof(fab_set_t) == sizeof(uint16_t), "there are as many places as numbers");

/* A table: the records, then their keys, so that a search touches few lines. */
static void table_new(struct sim_many *m, uint32_t cap) {
  m->cap = cap;
  m->slot = sim_pages_alloc(cap * (sizeof *m->slot + sizeof *m->key));
  if (m->slot == NULL)
    eyoti_no_memory(cap * sizeof *m->slot,
                    "the records of %u targets of a unit; lower EYOT_MAX_OUTSTANDING", cap);
  m->key = (uint64_t *)(void *)(m->slot + cap);
}

static void table_clear(struct sim_many *m) {
  memset(m->key, 0xff, m->cap * sizeof *m->key);
  m->used = m->live = 0;
}

/* By multiplication (Knuth, The Art of Computer Programming 3, section 6.4): units that are a power
 * of two apart are common targets. */
static inline uint64_t key_of(fab_set_t set, uint32_t target) {
  return (uint64_t)set << 32 | target;
}
static inline uint32_t slot_of(const struct sim_many *m, uint64_t key) {
  return (uint32_t)((key - key_of(FAB_SET_DEFAULT, 0)) * UINT64_C(0x9e3779b97f4a7c15) >> 40) &
         (m->cap - 1);
}

/* Returns the slot for a new record of the set and target: a void one of its chain, or the free one
 * at its end. */
static struct sim_target *table_place(struct sim_many *m, fab_set_t set, uint32_t target) {
  const uint64_t key = key_of(set, target);
  uint32_t i = slot_of(m, key), found = UINT32_MAX;
  for (; m->key[i] != KEY_FREE; i = (i + 1) & (m->cap - 1))
    if (m->key[i] >= KEY_VOID && (found == UINT32_MAX || m->key[i] == (key | KEY_VOID))) found = i;
  if (found == UINT32_MAX) {
    found = i;
    m->used++;
  }
  m->key[found] = key;
  return &m->slot[found];
}

/* The table is at most three quarters full, void records included. */
static bool table_full(const struct sim_many *m) {
  return m->used + 1 > m->cap / 4 * 3;
}

bool sim_inflight_grows(const struct sim_unit *u, const struct sim_op *op) {
  const struct sim_many *m = u->many;
  if (u->loose) return false;
  return m != NULL && m->on ? table_full(m)
                            : u->one.n > 0 && (u->one.unit != op->target || u->one.set != op->set);
}

/* Makes room for a record. */
static void table_reserve(struct sim_many *m) {
  if (!table_full(m)) return;
  struct sim_target *old = m->slot;
  const uint64_t *key = m->key;
  uint32_t n = m->cap, cap = TABLE_FIRST, live = m->live;
  while (cap < 2 * (live + 1)) cap *= 2;
  table_new(m, cap);
  table_clear(m);
  m->live = live;
  for (uint32_t i = 0; i < n; i++)
    if (key[i] < KEY_VOID) *table_place(m, old[i].set, old[i].unit) = old[i];
  free(old);
}

/* -- sets -------------------------------------------------------------------------------------- */

struct sim_set *sim_inflight_set(const struct sim_unit *u, fab_set_t set) {
  const struct sim_many *m = u->many;
  if (m == NULL || !m->on || set >= m->set_at_cap) return NULL;
  uint32_t i = m->set_at[set];
  return i < m->n_sets && m->sets[i].set == set ? &m->sets[i] : NULL;
}

static void set_at_reserve(struct sim_many *m, fab_set_t set) {
  uint32_t cap = m->set_at_cap == 0 ? SETS_FIRST : m->set_at_cap;
  while (cap <= set) cap *= 2;
  if (cap == m->set_at_cap) return;
  uint16_t *at = realloc(m->set_at, cap * sizeof *at);
  if (at == NULL) eyoti_no_memory(cap * sizeof *at, "the numbers of a unit's operation sets");
  memset(at + m->set_at_cap, 0, (cap - m->set_at_cap) * sizeof *at);
  m->set_at = at;
  m->set_at_cap = cap;
}

static struct sim_set *set_new(struct sim_many *m, struct sim_set s) {
  if (m->n_sets == m->sets_cap) {
    uint32_t cap = m->sets_cap == 0 ? SETS_FIRST : m->sets_cap * 2;
    struct sim_set *sets = realloc(m->sets, cap * sizeof *sets);
    if (sets == NULL) eyoti_no_memory(cap * sizeof *sets, "%u operation sets of a unit", cap);
    m->sets = sets;
    m->sets_cap = cap;
  }
  set_at_reserve(m, s.set);
  m->set_at[s.set] = (uint16_t)m->n_sets;
  m->sets[m->n_sets] = s;
  return &m->sets[m->n_sets++];
}

/* The first operation of another set than that of the records in the table: they get an entry. */
static void sets_begin(struct sim_many *m) {
  struct sim_set s = {.ends = m->ends};
  for (uint32_t i = 0; i < m->cap; i++) {
    if (m->key[i] >= KEY_VOID || m->slot[i].n == 0) continue;
    s.set = m->slot[i].set;
    s.n += m->slot[i].n;
    s.pending += m->slot[i].pending;
  }
  if (s.n > 0) (void)set_new(m, s);
}

/* Counts an operation that is added. */
static void sets_add(struct sim_many *m, struct sim_unit *u, fab_set_t set) {
  if (m->n_sets == 0 && set == FAB_SET_DEFAULT) return;
  if (m->n_sets == 0) sets_begin(m);
  struct sim_set *s = sim_inflight_set(u, set);
  if (s == NULL) s = set_new(m, (struct sim_set){.set = set});
  s->n++;
}

/* Entries remain until no operation is in flight, or none but one of the default set's. */
static void sets_remove(struct sim_many *m, struct sim_unit *u, fab_set_t set) {
  struct sim_set *s = sim_inflight_set(u, set);
  if (s == NULL || --s->n > 0) return;
  *s = m->sets[--m->n_sets];
  m->set_at[s->set] = (uint16_t)(s - m->sets);
  if (m->n_sets == 1 && m->sets[0].set == FAB_SET_DEFAULT) m->n_sets = 0;
}

uint32_t sim_inflight_count(const struct sim_unit *u, fab_set_t set) {
  if (set == FAB_SET_ALL) return u->listed;
  if (u->many == NULL || !u->many->on) return u->one.set == set ? u->one.n : 0;
  if (u->many->n_sets == 0) return set == FAB_SET_DEFAULT ? u->listed : 0;
  const struct sim_set *s = sim_inflight_set(u, set);
  return s == NULL ? 0 : s->n;
}

static inline bool is_in(const struct sim_target *t, fab_set_t set, fab_unit_t unit) {
  return t->n > 0 && fab_set_covers(set, t->set) && (unit == FAB_ALL || t->unit == unit);
}

struct sim_target *sim_inflight_record(struct sim_unit *u, fab_set_t set, fab_unit_t unit,
                                       uint32_t *at) {
  if (u->loose) sim_inflight_make_records(u);
  struct sim_many *m = u->many;
  if (m == NULL || !m->on) return (*at)++ == 0 && is_in(&u->one, set, unit) ? &u->one : NULL;
  if (unit == FAB_ALL) {
    for (; *at < m->cap; ++*at)
      if (m->key[*at] < KEY_VOID && is_in(&m->slot[*at], set, unit)) return &m->slot[(*at)++];
    return NULL;
  }
  if (set != FAB_SET_ALL || m->n_sets == 0) {
    if (set == FAB_SET_ALL) set = FAB_SET_DEFAULT;
    return (*at)++ == 0 ? sim_inflight_find(u, set, unit) : NULL;
  }
  while (*at < m->n_sets) {
    struct sim_target *t = sim_inflight_find(u, m->sets[(*at)++].set, unit);
    if (t != NULL) return t;
  }
  return NULL;
}

/* -- adding and removing ----------------------------------------------------------------------- */

/* A second record: moves the unit's own to the table. */
static struct sim_many *table_begin(struct sim_unit *u) {
  struct sim_many *m = u->many;
  if (m == NULL) {
    m = u->many = calloc(1, sizeof *m);
    if (m == NULL) eyoti_no_memory(sizeof *m, "the records of the targets of a unit");
    sim_heap_init(&m->by_end);
  }
  if (m->slot == NULL) table_new(m, TABLE_FIRST);
  table_clear(m);
  m->on = true;
  m->ends = u->one.ends;
  m->before_at = u->one.n > 0 ? u->one.before_at : 0;
  m->released_at = u->one.n > 0 ? u->one.released_at : 0;
  m->n_sets = 0;
  if (u->one.n > 0) {
    *table_place(m, u->one.set, u->one.unit) = u->one;
    m->live++;
    if (u->one.set != FAB_SET_DEFAULT) sets_begin(m);
  }
  return m;
}

struct sim_target *sim_inflight_find(const struct sim_unit *u, fab_set_t set, uint32_t target) {
  const struct sim_many *m = u->many;
  const uint64_t key = key_of(set, target);
  for (uint32_t i = slot_of(m, key);; i = (i + 1) & (m->cap - 1)) {
    if (m->key[i] == key) return &m->slot[i];
    if (m->key[i] == KEY_FREE) return NULL;
  }
}

void sim_inflight_expect(const struct sim_unit *u, const struct sim_op *op) {
  const struct sim_many *m = u->many;
  SIM_PREFETCHES();
  if (u->loose || m == NULL || !m->on) return;
  uint32_t i = slot_of(m, key_of(op->set, op->target));
  __builtin_prefetch(&m->key[i]);
  __builtin_prefetch(&m->slot[i]);
}

static struct sim_target *table_record(struct sim_many *m, const struct sim_op *op) {
  table_reserve(m);
  struct sim_target *t = table_place(m, op->set, op->target);
  m->live++;
  *t = (struct sim_target){
      .unit = op->target, .set = op->set, .first = SIM_OP_NONE, .last = SIM_OP_NONE};
  return t;
}

/* Whether the unit becomes loose by an operation to another target than that of its record: nothing
 * is known of this one that its list and latest ends do not say. */
static bool is_loosened(const struct sim_unit *u, const struct sim_op *op) {
  const struct sim_target *t = &u->one;
  return u->world->lazy && u->asked == 0 && op->set == FAB_SET_DEFAULT &&
         t->set == FAB_SET_DEFAULT &&
         (t->before_at | t->released_at | t->ordered_at | t->flows) == 0;
}

/* Returns the record for the operation, a new one if nothing of its set is in flight there; that of
 * all if the unit is loose, or becomes so. */
static struct sim_target *record_of(struct sim_unit *u, const struct sim_op *op) {
  if (u->loose && op->set == FAB_SET_DEFAULT) return &u->one;
  struct sim_target *t = sim_inflight_of(u, op);
  if (__builtin_expect(t != NULL, 0)) return t;
  if (u->many != NULL && u->many->on) return table_record(u->many, op);
  t = &u->one;
  if (t->n == 0) {
    *t = (struct sim_target){
        .unit = op->target, .set = op->set, .first = SIM_OP_NONE, .last = SIM_OP_NONE};
    return t;
  }
  if (!is_loosened(u, op)) return table_record(table_begin(u), op);
  u->loose = true;
  t->unit = FAB_ALL;
  t->first = t->last = SIM_OP_NONE;
  return t;
}

/* Appends the operation to the list of its record. */
static void record_add(struct sim_pool *pool, struct sim_target *t, struct sim_op *op) {
  op->next_to = SIM_OP_NONE;
  op->prev_to = t->last;
  if (t->last != SIM_OP_NONE)
    sim_pool_at(pool, t->last)->next_to = op->index;
  else
    t->first = op->index;
  t->last = op->index;
}

void sim_inflight_enter(struct sim_unit *u, struct sim_op *op) {
  struct sim_target *t = record_of(u, op);
  if (!u->loose) {
    if (__builtin_expect(u->many != NULL && u->many->on, 0)) sets_add(u->many, u, op->set);
    record_add(&u->world->pool, t, op);
  }
  t->n++;
}

/* No operation is left: the next one begins anew, with the record in the unit. */
static void inflight_end(struct sim_unit *u) {
  struct sim_many *m = u->many;
  u->loose = u->requested = false;
  if (m == NULL || !m->on) return;
  m->on = m->sorted = false;
  m->n_sets = 0;
  if (u->asked > 0) u->asked--;
  u->one.n = 0;
  /* of many units, most of which have nothing in flight, one table after the other is in use */
  if (m->cap == TABLE_FIRST && u->world->n <= EYOTI_SLACK_UNITS) return;
  free(m->slot);
  m->slot = NULL;
  m->cap = 0;
}

/* Takes the operation off its record. */
static void record_remove(struct sim_unit *u, const struct sim_op *op) {
  struct sim_pool *pool = &u->world->pool;
  struct sim_target *t = sim_inflight_of(u, op);
  if (op->prev_to != SIM_OP_NONE)
    sim_pool_at(pool, op->prev_to)->next_to = op->next_to;
  else
    t->first = op->next_to;
  if (op->next_to != SIM_OP_NONE)
    sim_pool_at(pool, op->next_to)->prev_to = op->prev_to;
  else
    t->last = op->prev_to;
  if (--t->n == 0 && t != &u->one) {
    u->many->live--;
    u->many->key[t - u->many->slot] |= KEY_VOID;
  }
  if (t->n == 0 && u->world->shared && t->flows != 0) sim_flow_end(u->world, t);
  if (t != &u->one) sets_remove(u->many, u, op->set);
}

void sim_inflight_remove(struct sim_unit *u, struct sim_op *op) {
  struct sim_pool *pool = &u->world->pool;
  struct sim_op *next = op->next == SIM_OP_NONE ? NULL : sim_pool_at(pool, op->next);
  struct sim_op *prev = op->prev == SIM_OP_NONE ? NULL : sim_pool_at(pool, op->prev);
  if (prev != NULL)
    prev->next = op->next;
  else
    u->head = next;
  if (next != NULL)
    next->prev = op->prev;
  else
    u->tail = prev;
  if (u->loose)
    u->one.n--;
  else
    record_remove(u, op);
  op->flags &= (uint16_t)~SIM_F_LISTED;
  if (--u->listed == 0) inflight_end(u);
}

void sim_inflight_clear(struct sim_unit *u) {
  struct sim_many *m = u->many;
  const bool on = m != NULL && m->on;
  for (uint32_t i = 0; u->world->flows.n > 0 && on && i < m->cap; i++)
    if (m->key[i] < KEY_VOID && m->slot[i].flows != 0) sim_flow_end(u->world, &m->slot[i]);
  if (u->world->shared && !on && u->one.flows != 0) sim_flow_end(u->world, &u->one);
  u->head = u->tail = NULL;
  u->listed = u->one.n = 0;
  inflight_end(u);
}

void sim_inflight_fini(struct sim_unit *u) {
  if (u->many == NULL) return;
  sim_heap_fini(&u->many->by_end);
  free(u->many->slot);
  free(u->many->sets);
  free(u->many->set_at);
  free(u->many);
  u->many = NULL;
}

/* An entry of the heap; void once its operation is removed. Its time is done_at, or before if a
 * fault has delayed the operation since. */
static struct sim_event end_of(const struct sim_op *op) {
  return (struct sim_event){op->done_at, (uint64_t)op->gen << 32 | op->index};
}

void sim_inflight_make_records(struct sim_unit *u) {
  EYOTI_ASSERT(u->loose);
  u->loose = false;
  u->asked = ASKED_AGAIN;
  u->one.n = 0;
  struct sim_many *m = table_begin(u);
  for (struct sim_op *op = u->head; op != NULL; op = sim_inflight_next(u, NULL, op)) {
    struct sim_target *t = sim_inflight_find(u, op->set, op->target);
    if (t == NULL) t = table_record(m, op);
    record_add(&u->world->pool, t, op);
    t->n++;
    if (!sim_flow_is_open(op))
      sim_ends_extend(&t->ends, (struct sim_ends){op->done_at + 1, sim_op_local_ps(op)});
  }
}

void sim_inflight_before(struct sim_unit *u, struct sim_target *t, uint64_t at) {
  struct sim_many *m = u->many;
  if (t->before_at < at) t->before_at = at;
  if (m != NULL && m->on && m->before_at < at) m->before_at = at;
}

void sim_inflight_released(struct sim_unit *u, struct sim_target *t, uint64_t at) {
  struct sim_many *m = u->many;
  if (t->released_at < at) t->released_at = at;
  if (m != NULL && m->on && m->released_at < at) m->released_at = at;
}

void sim_inflight_timed_many(struct sim_unit *u, struct sim_target *t, const struct sim_op *op) {
  struct sim_many *m = u->many;
  struct sim_ends ends = {op->done_at + 1, sim_op_local_ps(op)};
  if (u->world->opt.order == EYOTI_ORDER_STRICT) sim_inflight_before(u, t, op->target_at);
  if (m == NULL || !m->on) return;
  sim_ends_extend(&m->ends, ends);
  struct sim_set *set = m->n_sets > 0 ? sim_inflight_set(u, t->set) : NULL;
  if (set != NULL) sim_ends_extend(&set->ends, ends);
  if (!m->sorted) return;
  if (m->by_end.n > 2ull * u->listed + HEAP_SPARE)
    m->sorted = false;
  else
    sim_heap_push(&m->by_end, end_of(op));
}

struct sim_ends sim_inflight_ends(struct sim_unit *u, fab_set_t set, fab_unit_t unit) {
  const struct sim_many *m = u->many;
  struct sim_ends ends = {0};
  if (u->loose && unit == FAB_ALL)
    return set == FAB_SET_ALL || set == FAB_SET_DEFAULT ? u->one.ends : ends;
  if (m != NULL && m->on && unit == FAB_ALL) {
    if (set == FAB_SET_ALL || (m->n_sets == 0 && set == FAB_SET_DEFAULT)) return m->ends;
    const struct sim_set *s = sim_inflight_set(u, set);
    return s == NULL ? ends : s->ends;
  }
  const struct sim_target *t;
  for (uint32_t i = 0; (t = sim_inflight_record(u, set, unit, &i)) != NULL;)
    sim_ends_extend(&ends, t->ends);
  return ends;
}

/* Puts all operations that the NIC has accepted into the heap. */
static void sort_by_end(struct sim_unit *u) {
  struct sim_many *m = u->many;
  m->by_end.n = 0;
  for (const struct sim_op *op = u->head; op != NULL && op != u->inject;
       op = sim_inflight_next(u, NULL, op))
    if (!sim_flow_is_open(op)) sim_heap_push(&m->by_end, end_of(op));
  m->sorted = true;
}

struct sim_op *sim_inflight_over(struct sim_unit *u, uint64_t before_ps) {
  if (u->listed == 0) return NULL;
  if (u->loose) sim_inflight_make_records(u);
  struct sim_many *m = u->many != NULL && u->many->on ? u->many : table_begin(u);
  if (!m->sorted) sort_by_end(u);
  while (m->by_end.n > 0 && m->by_end.e[0].time_ps < before_ps) {
    struct sim_event e = sim_heap_pop(&m->by_end);
    struct sim_op *op = sim_pool_at(&u->world->pool, (uint32_t)e.tag);
    u->world->visits++;
    if (op->gen != (uint32_t)(e.tag >> 32) || (op->flags & SIM_F_LISTED) == 0) continue;
    if (op->done_at < before_ps) return op;
    sim_heap_push(&m->by_end, end_of(op));
  }
  return NULL;
}
