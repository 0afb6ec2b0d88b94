/* SPDX-License-Identifier: BSD-3-Clause */
/* idtab.h - tables of items by index and generation, which recognize an id that was released. For
 * teams and segments (teams, gmem); one thread of a unit uses a table.
 *
 * Why it exists: units agree on team and segment ids, so a table must answer "the lowest index that
 * is free from here on" and "the lowest generation that is unused here". A generation is never used
 * twice: an index whose generations are used up is retired. No memory is allocated while the table
 * is empty. */
#ifndef EYOT_BASE_IDTAB_H
#define EYOT_BASE_IDTAB_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_IDTAB_NONE UINT32_MAX
#define EYOTI_IDTAB_GEN_MAX (UINT16_MAX - 1) /* UINT16_MAX names no generation */

struct eyoti_idtab_entry {
  void *item;   /* NULL: free */
  uint16_t gen; /* the last one used; 0: none */
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

/* Extends the table to `index`, so that put cannot fail. Errors: ENOMEM (logged). */
int eyoti_idtab_reserve(struct eyoti_idtab *t, uint32_t index);
/* Enters an item under a free, reserved index. */
void eyoti_idtab_put(struct eyoti_idtab *t, uint32_t index, uint16_t gen, void *item);
/* The item, or NULL: free, or another generation. */
void *eyoti_idtab_get(const struct eyoti_idtab *t, uint32_t index, uint16_t gen);
/* The item at an index, of any generation, or NULL; for walks from first to top. */
void *eyoti_idtab_at(const struct eyoti_idtab *t, uint32_t index, uint16_t *gen);
void eyoti_idtab_del(struct eyoti_idtab *t, uint32_t index);
#endif
