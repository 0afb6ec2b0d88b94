/* SPDX-License-Identifier: BSD-3-Clause */
/* idtab.c - implements idtab.h: an array that grows by doubling. */
#include "base/idtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FIRST_CAPACITY 4u

void eyoti_idtab_init(struct eyoti_idtab *t, uint32_t first, uint32_t limit) {
  EYOTI_ASSERT(first < limit && limit < EYOTI_IDTAB_NONE);
  uint32_t all = limit - first;
  *t = (struct eyoti_idtab){.first = first,
                            .limit = limit,
                            .cursor = first,
                            .span = all < EYOTI_IDTAB_SPAN_FIRST ? all : EYOTI_IDTAB_SPAN_FIRST};
}

void eyoti_idtab_fini(struct eyoti_idtab *t) {
  free(t->entries);
  *t = (struct eyoti_idtab){0};
}

static struct eyoti_idtab_entry *entry_of(const struct eyoti_idtab *t, uint32_t index) {
  return index >= t->first && index - t->first < t->n ? &t->entries[index - t->first] : NULL;
}

/* The lowest free index in from .. to-1 that is not retired, or EYOTI_IDTAB_NONE. */
static uint32_t free_in(const struct eyoti_idtab *t, uint32_t from, uint32_t to) {
  for (uint32_t index = from; index < to; index++) {
    const struct eyoti_idtab_entry *e = entry_of(t, index);
    if (e == NULL || (e->item == NULL && e->gen < EYOTI_IDTAB_GEN_MAX)) return index;
  }
  return EYOTI_IDTAB_NONE;
}

uint32_t eyoti_idtab_next(const struct eyoti_idtab *t) {
  uint32_t end = t->first + t->span, index = free_in(t, t->cursor, end);
  if (index == EYOTI_IDTAB_NONE) index = free_in(t, t->first, t->cursor);
  /* beyond the span: where indices are retired, or members of a team have other tables */
  return index != EYOTI_IDTAB_NONE ? index : free_in(t, end, t->limit);
}

uint32_t eyoti_idtab_lowest(const struct eyoti_idtab *t, uint32_t hint) {
  return free_in(t, hint > t->first ? hint : t->first, t->limit);
}

uint32_t eyoti_idtab_top(const struct eyoti_idtab *t) {
  uint32_t n = t->n;
  while (n > 0 && t->entries[n - 1].item == NULL && t->entries[n - 1].gen == 0) n--;
  return t->first + n;
}

uint64_t eyoti_idtab_next_gen(const struct eyoti_idtab *t, uint32_t index) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e == NULL || (e->item == NULL && e->gen < EYOTI_IDTAB_GEN_MAX));
  return e == NULL ? 1 : e->gen + 1;
}

int eyoti_idtab_reserve(struct eyoti_idtab *t, uint32_t index) {
  EYOTI_ASSERT(index >= t->first && index < t->limit);
  uint32_t need = index - t->first + 1;
  if (need > t->capacity) {
    uint32_t capacity = t->capacity == 0 ? FIRST_CAPACITY : t->capacity * 2;
    if (capacity < need) capacity = need;
    struct eyoti_idtab_entry *entries = realloc(t->entries, capacity * sizeof *entries);
    if (entries == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a table of %u ids", capacity);
    t->entries = entries;
    t->capacity = capacity;
  }
  if (need > t->n) {
    memset(&t->entries[t->n], 0, (need - t->n) * sizeof *t->entries);
    t->n = need;
  }
  return EYOT_OK;
}

void eyoti_idtab_put(struct eyoti_idtab *t, uint32_t index, uint64_t gen, void *item) {
  struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e != NULL && e->item == NULL && item != NULL && gen > e->gen &&
               gen <= EYOTI_IDTAB_GEN_MAX);
  *e = (struct eyoti_idtab_entry){item, gen};
  t->live++;
  uint32_t all = t->limit - t->first;
  while (t->span < all && (t->live > t->span / 2 || index - t->first >= t->span))
    t->span = t->span > all / 2 ? all : t->span * 2;
  t->cursor = index + 1 - t->first < t->span ? index + 1 : t->first;
  if (gen < EYOTI_IDTAB_GEN_YOUNG || t->span == all) return;
  t->cursor = t->first + t->span;
  t->span = all;
}

/* Most often the entry at the cursor is free, young and inside the span, which is half empty. */
int eyoti_idtab_add(struct eyoti_idtab *t, void *item, uint32_t *index, uint64_t *gen) {
  struct eyoti_idtab_entry *e = entry_of(t, t->cursor);
  const uint32_t after = t->cursor + 1;
  if (e != NULL && e->item == NULL && e->gen + 1 < EYOTI_IDTAB_GEN_YOUNG && t->live < t->span / 2 &&
      after - t->first < t->span) {
    *index = t->cursor;
    *gen = ++e->gen;
    e->item = item;
    t->live++;
    t->cursor = after;
    return EYOT_OK;
  }
  *index = eyoti_idtab_next(t);
  if (*index == EYOTI_IDTAB_NONE) return EYOT_OK;
  EYOTI_TRY(eyoti_idtab_reserve(t, *index));
  *gen = eyoti_idtab_next_gen(t, *index);
  eyoti_idtab_put(t, *index, *gen, item);
  return EYOT_OK;
}

void *eyoti_idtab_get(const struct eyoti_idtab *t, uint32_t index, uint64_t gen, uint32_t bits) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  return e != NULL && ((e->gen ^ gen) & ((UINT64_C(1) << bits) - 1)) == 0 ? e->item : NULL;
}

void *eyoti_idtab_at(const struct eyoti_idtab *t, uint32_t index) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  return e == NULL ? NULL : e->item;
}

void eyoti_idtab_del(struct eyoti_idtab *t, uint32_t index) {
  struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e != NULL && e->item != NULL);
  e->item = NULL;
  t->live--;
}

void eyoti_idtab_age(struct eyoti_idtab *t, uint32_t index, uint64_t gen) {
  struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e != NULL && e->item == NULL && gen >= e->gen && gen <= EYOTI_IDTAB_GEN_MAX);
  e->gen = gen;
}
