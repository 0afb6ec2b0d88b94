/* SPDX-License-Identifier: BSD-3-Clause */
/* idtab.h - tables of items by index and generation, which recognize an id that was released. For
 * teams and segments (teams, gmem); one thread of a unit uses a table.
 *
 * Why it exists: units agree on team and segment ids, so a table must answer "the next index that
 * is free from here on" and "the lowest generation that is unused here". The index that is free for
 * longest comes first: a cursor goes round over the table's span, which doubles when less than half
 * of it is free, and is the whole table once a generation has reached 2^16, with which inline
 * accesses end (rt/mapped.h). A generation is never used twice: an index whose generations are used
 * up is retired. No memory is allocated while the table is empty. */
#ifndef EYOT_BASE_IDTAB_H
#define EYOT_BASE_IDTAB_H

#include <stdbool.h>
#include <stdint.h>

#define EYOTI_IDTAB_NONE UINT32_MAX
#define EYOTI_IDTAB_GEN_BITS 40u
#define EYOTI_IDTAB_GEN_MAX ((UINT64_C(1) << EYOTI_IDTAB_GEN_BITS) - 1)
#define EYOTI_IDTAB_GEN_YOUNG ((UINT64_C(1) << 16) - 1)
#define EYOTI_IDTAB_SPAN_FIRST 1024u

struct eyoti_idtab_entry {
  void *item;   /* NULL: free */
  uint64_t gen; /* the last one used; 0: none */
};

struct eyoti_idtab {
  struct eyoti_idtab_entry *entries; /* of indices first .. first+n-1 */
  uint32_t first, limit, n, capacity;
  uint32_t cursor; /* the index at which the search for a free one begins */
  uint32_t span;   /* the cursor goes round over first .. first+span-1 */
  uint32_t live;   /* items */
};

/* Indices are first .. limit-1. */
void eyoti_idtab_init(struct eyoti_idtab *t, uint32_t first, uint32_t limit);
void eyoti_idtab_fini(struct eyoti_idtab *t);

/* The index that is free and not retired and that the cursor reaches first, or EYOTI_IDTAB_NONE:
 * no index of the table is. */
uint32_t eyoti_idtab_next(const struct eyoti_idtab *t);
/* The lowest index >= hint that is free and not retired, or EYOTI_IDTAB_NONE. */
uint32_t eyoti_idtab_lowest(const struct eyoti_idtab *t, uint32_t hint);
/* The lowest index from which on none was ever used (may be the limit). */
uint32_t eyoti_idtab_top(const struct eyoti_idtab *t);
/* The lowest generation of a free index that was never used here: 1 .. EYOTI_IDTAB_GEN_MAX. */
uint64_t eyoti_idtab_next_gen(const struct eyoti_idtab *t, uint32_t index);

/* Extends the table to `index`, so that put cannot fail. Errors: ENOMEM (logged). */
int eyoti_idtab_reserve(struct eyoti_idtab *t, uint32_t index);
/* Enters an item under a free, reserved index, and sets the cursor after it. */
void eyoti_idtab_put(struct eyoti_idtab *t, uint32_t index, uint64_t gen, void *item);
/* Enters an item under the next index, with the next generation: *index, EYOTI_IDTAB_NONE if there
 * is none. Errors: ENOMEM (logged). */
int eyoti_idtab_add(struct eyoti_idtab *t, void *item, uint32_t *index, uint64_t *gen);
/* The item whose generation has these lower `bits` (1 .. EYOTI_IDTAB_GEN_BITS), or NULL: free, or
 * another generation. */
void *eyoti_idtab_get(const struct eyoti_idtab *t, uint32_t index, uint64_t gen, uint32_t bits);
/* The item at an index, of any generation, or NULL; for walks from first to top. */
void *eyoti_idtab_at(const struct eyoti_idtab *t, uint32_t index);
void eyoti_idtab_del(struct eyoti_idtab *t, uint32_t index);
/* For tests: sets the last generation that was used at a free, reserved index. */
void eyoti_idtab_age(struct eyoti_idtab *t, uint32_t index, uint64_t gen);
#endif
