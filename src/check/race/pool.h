/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h - pools of small objects of one size, which are freed one by one or all at once. For the
 * race detector (check/race).
 *
 * Why it exists: the race detector makes and drops an object or more for each operation of a run,
 * and drops the rest when the run ends. Cache misses dominate its time, so objects made one after
 * the other should be adjacent in memory, in whatever order earlier ones were freed: each slab has
 * a free list of its own, and is emptied before the next one is begun (as in mimalloc: Leijen,
 * Zorn, de Moura: Mimalloc: free list sharding in action, APLAS 2019, section 2.1).
 *
 * Memory: snapshot/mem.h. Thread rule: one thread. */
#ifndef EYOT_CHECK_RACE_POOL_H
#define EYOT_CHECK_RACE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHK_SLAB_BYTES 16384u /* also its alignment */

struct chk_slab {
  struct chk_slab *next; /* the next slab with free objects */
  void *free;
  uint32_t n_free;
  bool listed;
};

struct chk_chunk;
struct chk_pool {
  size_t size;              /* bytes of an object, a multiple of 16 */
  uint32_t worth;           /* a slab with at least this many free objects is used again */
  struct chk_slab *current; /* NULL before the first object */
  struct chk_slab *first, *last;
  struct chk_chunk *chunks;
  char *next; /* memory for new slabs: from next to end */
  char *end;
};

/* object_bytes: at most 1/4 of a slab. */
void chk_pool_init(struct chk_pool *p, size_t object_bytes);
/* Frees all objects. The pool may be used again after chk_pool_clear, which keeps some memory. */
void chk_pool_clear(struct chk_pool *p);
void chk_pool_fini(struct chk_pool *p);
/* Frees every object for which `keep` returns false. `keep` also sees free objects and ones that
 * were never in use; their first 8 bytes are some number below 2^63. */
void chk_pool_sweep(struct chk_pool *p, bool (*keep)(void *object));
/* Makes another slab the current one. Panics when out of memory. */
void chk_pool_turn(struct chk_pool *p);
void chk_pool_list(struct chk_pool *p, struct chk_slab *s);

/* The object is not zeroed. */
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
