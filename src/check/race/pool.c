/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - many small objects of one size, in slabs that are cut from chunks, each twice as long
 * as the one before. */
#include "check/race/pool.h"

#include "base/check.h"
#include "check/snapshot/mem.h"

#define CHUNK_MIN (2u * EC_SLAB_BYTES) /* one aligned slab, wherever it begins */
#define CHUNK_MAX (1u << 20)
#define SLAB_HEAD 64u /* keeps the objects aligned */

_Static_assert(sizeof(struct ec_slab) <= SLAB_HEAD, "a slab's head has its place");

struct ec_chunk {
  struct ec_chunk *older;
  size_t bytes;
};

void ec_pool_init(struct ec_pool *p, size_t object_bytes) {
  *p = (struct ec_pool){.size = (object_bytes + 15) / 16 * 16};
  EYOTI_ASSERT(p->size > 0 && p->size <= EC_SLAB_BYTES / 4);
  p->worth = (uint32_t)((EC_SLAB_BYTES - SLAB_HEAD) / p->size / 4);
  if (p->worth == 0) p->worth = 1;
}

static char *first_slab(struct ec_chunk *c) {
  return (char *)(((uintptr_t)(c + 1) + EC_SLAB_BYTES - 1) & ~(uintptr_t)(EC_SLAB_BYTES - 1));
}

static void use(struct ec_pool *p, struct ec_chunk *c) {
  p->chunks = c;
  p->next = first_slab(c);
  p->end = (char *)c + c->bytes;
}

static struct ec_slab *slab_new(struct ec_pool *p) {
  if (p->next == NULL || (size_t)(p->end - p->next) < EC_SLAB_BYTES) {
    size_t bytes = p->chunks == NULL ? CHUNK_MIN : p->chunks->bytes * 2;
    if (bytes > CHUNK_MAX) bytes = CHUNK_MAX;
    struct ec_chunk *c = ec_alloc(bytes);
    if (c == NULL) EYOTI_PANIC("no memory for %zu bytes of the checker", bytes);
    *c = (struct ec_chunk){.older = p->chunks, .bytes = bytes};
    use(p, c);
  }
  struct ec_slab *s = (struct ec_slab *)p->next;
  p->next += EC_SLAB_BYTES;
  *s = (struct ec_slab){.n_free = (uint32_t)((EC_SLAB_BYTES - SLAB_HEAD) / p->size)};
  for (uint32_t i = s->n_free; i-- > 0;) {
    void *o = (char *)s + SLAB_HEAD + i * p->size;
    *(void **)o = s->free;
    s->free = o;
  }
  return s;
}

void ec_pool_turn(struct ec_pool *p) {
  /* it has nothing left, and is listed again when it has */
  if (p->current != NULL) p->current->listed = false;
  p->current = p->first;
  if (p->current != NULL) {
    p->first = p->current->next;
  } else {
    p->current = slab_new(p);
  }
  p->current->listed = true; /* not to be listed while it is the current one */
}

void ec_pool_list(struct ec_pool *p, struct ec_slab *s) {
  s->listed = true;
  s->next = NULL;
  if (p->first == NULL) {
    p->first = s;
  } else {
    p->last->next = s;
  }
  p->last = s;
}

static void sweep_slab(struct ec_pool *p, struct ec_slab *s, bool (*keep)(void *object)) {
  *s = (struct ec_slab){.n_free = 0};
  for (size_t i = (EC_SLAB_BYTES - SLAB_HEAD) / p->size; i-- > 0;) {
    void *o = (char *)s + SLAB_HEAD + i * p->size;
    if (keep(o)) continue;
    *(void **)o = s->free;
    s->free = o;
    s->n_free++;
  }
  if (s->n_free >= p->worth) ec_pool_list(p, s);
}

void ec_pool_sweep(struct ec_pool *p, bool (*keep)(void *object)) {
  p->current = p->first = p->last = NULL;
  for (struct ec_chunk *c = p->chunks; c != NULL; c = c->older) {
    char *end = c == p->chunks ? p->next : (char *)c + c->bytes;
    for (char *s = first_slab(c); s + EC_SLAB_BYTES <= end; s += EC_SLAB_BYTES)
      sweep_slab(p, (struct ec_slab *)s, keep);
  }
}

static void release(struct ec_chunk *c) {
  while (c != NULL) {
    struct ec_chunk *older = c->older;
    ec_free(c);
    c = older;
  }
}

void ec_pool_clear(struct ec_pool *p) {
  p->current = p->first = p->last = NULL;
  if (p->chunks == NULL) return;
  release(p->chunks->older);
  p->chunks->older = NULL;
  use(p, p->chunks);
}

void ec_pool_fini(struct ec_pool *p) {
  release(p->chunks);
  ec_pool_init(p, p->size);
}
