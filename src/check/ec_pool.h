/* ec_pool.h - many small objects of one size, given back one by one or all at once.
 *
 * Why it exists: the race detector makes and drops an object or more for each operation of a run, and throws away what is left of them when
 * the run ends. Memory: from ec_mem.h. Thread rule: one thread. SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_EC_POOL_H
#define EYOT_EC_POOL_H

#include <stddef.h>

struct ec_slab;
struct ec_pool {
  size_t size; /* bytes of an object, a multiple of 16 */
  void *free;
  char *next;
  size_t left; /* bytes at next */
  struct ec_slab *slabs;
};

void ec_pool_init(struct ec_pool *p, size_t object_bytes);
/* Everything that came from it is gone. It may be used again after ec_pool_clear, which keeps one slab. */
void ec_pool_clear(struct ec_pool *p);
void ec_pool_fini(struct ec_pool *p);
/* Panics when out of memory. */
void ec_pool_grow(struct ec_pool *p);

/* Not zeroed. */
static inline void *ec_pool_get(struct ec_pool *p) {
  void *o = p->free;
  if (o != NULL) {
    p->free = *(void **)o;
    return o;
  }
  if (p->left < p->size) ec_pool_grow(p);
  o = p->next;
  p->next += p->size;
  p->left -= p->size;
  return o;
}
static inline void ec_pool_put(struct ec_pool *p, void *o) {
  *(void **)o = p->free;
  p->free = o;
}
#endif
