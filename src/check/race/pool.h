/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h - many small objects of one size, given back one by one or all at once.
 *
 * Why it exists: the race detector makes and drops an object or more for each operation of a run,
 * and throws away what is left of them when the run ends. It waits for memory more than for
 * anything else, so objects made one after the other should lie side by side, however those before
 * them were given back: each slab has a list of its own, and is emptied before the next is begun
 * (as in mimalloc: Leijen, Zorn and de Moura, APLAS 2019, section 2.1). Memory: from
 * snapshot/mem.h. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_POOL_H
#define EYOT_CHECK_RACE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHK_SLAB_BYTES 16384u /* and its alignment */

struct chk_slab {
  struct chk_slab *next; /* that has objects to give, too */
  void *free;
  uint32_t n_free;
  bool listed;
};

struct chk_chunk;
struct chk_pool {
  size_t size;              /* bytes of an object, a multiple of 16 */
  uint32_t worth;           /* free objects that make a slab worth going back to */
  struct chk_slab *current; /* NULL at first */
  struct chk_slab *first, *last;
  struct chk_chunk *chunks;
  char *next; /* slabs never used: up to end */
  char *end;
};

/* object_bytes: at most 1/4 of a slab. */
void chk_pool_init(struct chk_pool *p, size_t object_bytes);
/* Everything that came from it is gone. It may be used again after chk_pool_clear, which keeps some
 * memory. */
void chk_pool_clear(struct chk_pool *p);
void chk_pool_fini(struct chk_pool *p);
/* Everything is given back that `keep` does not want. It is asked of all objects, those that had
 * been given back (or never got) included, whose first 8 bytes are anything below 2^63. */
void chk_pool_sweep(struct chk_pool *p, bool (*keep)(void *object));
/* Makes another slab the current one. Panics when out of memory. */
void chk_pool_turn(struct chk_pool *p);
void chk_pool_list(struct chk_pool *p, struct chk_slab *s);

/* Not zeroed. */
static inline void *chk_pool_get(struct chk_pool *p) {
  if (p->current == NULL || p->current->free == NULL) chk_pool_turn(p);
  void *o = p->current->free;
  p->current->free = *(void **)o;
  p->current->n_free--;
  return o;
}
static inline void chk_pool_put(struct chk_pool *p, void *o) {
  struct chk_slab *s = (struct chk_slab *)((uintptr_t)o & ~(uintptr_t)(CHK_SLAB_BYTES - 1));
  *(void **)o = s->free;
  s->free = o;
  if (++s->n_free >= p->worth && !s->listed) chk_pool_list(p, s);
}
#endif
