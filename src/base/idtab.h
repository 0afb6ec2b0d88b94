/* SPDX-License-Identifier: BSD-3-Clause */
/* idtab.h - tables of things by index and generation: an id that was released is recognized when it
 * comes back.
 *
 * Why it exists: team and segment ids are agreed between units, so a table must answer "the lowest
 * index free from here on" and "which generation would be new to me". A generation is never used
 * twice: an index whose generations are used up is retired. Nothing is allocated while the table is
 * empty. */
#ifndef EYOT_BASE_IDTAB_H
#define EYOT_BASE_IDTAB_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_IDTAB_NONE UINT32_MAX
#define EYOTI_IDTAB_GEN_MAX (UINT16_MAX - 1) /* UINT16_MAX is the generation of nothing */

struct eyoti_idtab_entry {
  void *item;   /* NULL: free */
  uint16_t gen; /* last used; 0: never */
};

struct eyoti_idtab {
  struct eyoti_idtab_entry *entries; /* of indices first .. first+n-1 */
  uint32_t first, limit, n, capacity;
};

/* Indices are first .. limit-1. */
void eyoti_idtab_init(struct eyoti_idtab *t, uint32_t first, uint32_t limit);
void eyoti_idtab_fini(struct eyoti_idtab *t);

/* The lowest index >= hint that is free and not retired, or EYOTI_IDTAB_NONE. */
uint32_t eyoti_idtab_lowest(const struct eyoti_idtab *t, uint32_t hint);
/* The lowest index from which on none was ever used (may be the limit). */
uint32_t eyoti_idtab_top(const struct eyoti_idtab *t);
/* The lowest generation of a free index that was never used here: 1 .. EYOTI_IDTAB_GEN_MAX. */
uint16_t eyoti_idtab_next_gen(const struct eyoti_idtab *t, uint32_t index);

/* Makes the table reach `index`, so that put cannot fail. Errors: ENOMEM (logged). */
int eyoti_idtab_reserve(struct eyoti_idtab *t, uint32_t index);
/* Enters an item under a free, reserved index. */
void eyoti_idtab_put(struct eyoti_idtab *t, uint32_t index, uint16_t gen, void *item);
/* The item, or NULL: free, or another generation. */
void *eyoti_idtab_get(const struct eyoti_idtab *t, uint32_t index, uint16_t gen);
/* The item under an index whatever its generation, or NULL; for walking from first to top. */
void *eyoti_idtab_at(const struct eyoti_idtab *t, uint32_t index, uint16_t *gen);
void eyoti_idtab_del(struct eyoti_idtab *t, uint32_t index);
#endif
