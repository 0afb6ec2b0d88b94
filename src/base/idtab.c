/* SPDX-License-Identifier: BSD-3-Clause */
/* idtab.c - implements idtab.h: an array that grows by doubling. */
#include "base/idtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define FIRST_CAPACITY 4u

void eyoti_idtab_init(struct eyoti_idtab *t, uint32_t first, uint32_t limit) {
  EYOTI_ASSERT(first < limit && limit < EYOTI_IDTAB_NONE);
  *t = (struct eyoti_idtab){.first = first, .limit = limit};
}

void eyoti_idtab_fini(struct eyoti_idtab *t) {
  free(t->entries);
  *t = (struct eyoti_idtab){0};
}

static struct eyoti_idtab_entry *entry_of(const struct eyoti_idtab *t, uint32_t index) {
  return index >= t->first && index - t->first < t->n ? &t->entries[index - t->first] : NULL;
}

uint32_t eyoti_idtab_lowest(const struct eyoti_idtab *t, uint32_t hint) {
  uint32_t index = hint > t->first ? hint : t->first;
  for (; index < t->limit; index++) {
    const struct eyoti_idtab_entry *e = entry_of(t, index);
    if (e == NULL || (e->item == NULL && e->gen < EYOTI_IDTAB_GEN_MAX)) return index;
  }
  return EYOTI_IDTAB_NONE;
}

uint32_t eyoti_idtab_top(const struct eyoti_idtab *t) {
  uint32_t n = t->n;
  while (n > 0 && t->entries[n - 1].item == NULL && t->entries[n - 1].gen == 0) n--;
  return t->first + n;
}

uint16_t eyoti_idtab_next_gen(const struct eyoti_idtab *t, uint32_t index) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e == NULL || (e->item == NULL && e->gen < EYOTI_IDTAB_GEN_MAX));
  return e == NULL ? 1 : (uint16_t)(e->gen + 1);
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

void eyoti_idtab_put(struct eyoti_idtab *t, uint32_t index, uint16_t gen, void *item) {
  struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e != NULL && e->item == NULL && item != NULL && gen > e->gen);
  *e = (struct eyoti_idtab_entry){item, gen};
}

void *eyoti_idtab_get(const struct eyoti_idtab *t, uint32_t index, uint16_t gen) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  return e != NULL && e->gen == gen ? e->item : NULL;
}

void *eyoti_idtab_at(const struct eyoti_idtab *t, uint32_t index, uint16_t *gen) {
  const struct eyoti_idtab_entry *e = entry_of(t, index);
  if (e == NULL || e->item == NULL) return NULL;
  *gen = e->gen;
  return e->item;
}

void eyoti_idtab_del(struct eyoti_idtab *t, uint32_t index) {
  struct eyoti_idtab_entry *e = entry_of(t, index);
  EYOTI_ASSERT(e != NULL && e->item != NULL);
  e->item = NULL;
}
