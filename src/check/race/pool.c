/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c - the pools of pool.h: slabs cut from chunks, each chunk twice as large as the one
 * before. */
#include "check/race/pool.h"

#include "base/check.h"
#include "check/snapshot/mem.h"

#define CHUNK_MIN (2u * CHK_SLAB_BYTES) /* holds one aligned slab, wherever the chunk begins */
#define CHUNK_MAX (1u << 20)
#define SLAB_HEAD 64u /* keeps the objects aligned */

_Static_assert(sizeof(struct chk_slab) <= SLAB_HEAD, "struct chk_slab fits the head of a slab");

struct chk_chunk {
  struct chk_chunk *older;
  size_t bytes;
};

void chk_pool_init(struct chk_pool *p, size_t object_bytes) {
  *p = (struct chk_pool){.size = (object_bytes + 15) / 16 * 16};
  EYOTI_ASSERT(p->size > 0 && p->size <= CHK_SLAB_BYTES / 4);
  p->worth = (uint32_t)((CHK_SLAB_BYTES - SLAB_HEAD) / p->size / 4);
  if (p->worth == 0) p->worth = 1;
}

static char *first_slab(struct chk_chunk *c) {
  return (char *)(((uintptr_t)(c + 1) + CHK_SLAB_BYTES - 1) & ~(uintptr_t)(CHK_SLAB_BYTES - 1));
}

static void use(struct chk_pool *p, struct chk_chunk *c) {
  p->chunks = c;
  p->next = first_slab(c);
  p->end = (char *)c + c->bytes;
}

static struct chk_slab *slab_new(struct chk_pool *p) {
  if (p->next == NULL || (size_t)(p->end - p->next) < CHK_SLAB_BYTES) {
    size_t bytes = p->chunks == NULL ? CHUNK_MIN : p->chunks->bytes * 2;
    if (bytes > CHUNK_MAX) bytes = CHUNK_MAX;
    struct chk_chunk *c = chk_alloc(bytes);
    if (c == NULL) eyoti_no_memory(bytes, "the checker's clocks and words");
    *c = (struct chk_chunk){.older = p->chunks, .bytes = bytes};
    use(p, c);
  }
  struct chk_slab *s = (struct chk_slab *)p->next;
  p->next += CHK_SLAB_BYTES;
  *s = (struct chk_slab){.n_free = (uint32_t)((CHK_SLAB_BYTES - SLAB_HEAD) / p->size)};
  for (uint32_t i = s->n_free; i-- > 0;) {
    void *o = (char *)s + SLAB_HEAD + i * p->size;
    *(void **)o = s->free;
    s->free = o;
  }
  return s;
}

void chk_pool_turn(struct chk_pool *p) {
  /* it has no free object left, and is listed again when it has */
  if (p->current != NULL) p->current->listed = false;
  p->current = p->first;
  if (p->current != NULL) {
    p->first = p->current->next;
  } else {
    p->current = slab_new(p);
  }
  p->current->listed = true; /* the current slab must not be listed */
}

void chk_pool_list(struct chk_pool *p, struct chk_slab *s) {
  s->listed = true;
  s->next = NULL;
  if (p->first == NULL) {
    p->first = s;
  } else {
    p->last->next = s;
  }
  p->last = s;
}

static void sweep_slab(struct chk_pool *p, struct chk_slab *s, bool (*keep)(void *object)) {
  *s = (struct chk_slab){.n_free = 0};
  for (size_t i = (CHK_SLAB_BYTES - SLAB_HEAD) / p->size; i-- > 0;) {
    void *o = (char *)s + SLAB_HEAD + i * p->size;
    if (keep(o)) continue;
    *(void **)o = s->free;
    s->free = o;
    s->n_free++;
  }
  if (s->n_free >= p->worth) chk_pool_list(p, s);
}

void chk_pool_sweep(struct chk_pool *p, bool (*keep)(void *object)) {
  p->current = p->first = p->last = NULL;
  for (struct chk_chunk *c = p->chunks; c != NULL; c = c->older) {
    char *end = c == p->chunks ? p->next : (char *)c + c->bytes;
    for (char *s = first_slab(c); s + CHK_SLAB_BYTES <= end; s += CHK_SLAB_BYTES)
      sweep_slab(p, (struct chk_slab *)s, keep);
  }
}

static void pool_release(struct chk_chunk *c) {
  while (c != NULL) {
    struct chk_chunk *older = c->older;
    chk_free(c);
    c = older;
  }
}

void chk_pool_clear(struct chk_pool *p) {
  p->current = p->first = p->last = NULL;
  if (p->chunks == NULL) return;
  pool_release(p->chunks->older);
  p->chunks->older = NULL;
  use(p, p->chunks);
}

void chk_pool_fini(struct chk_pool *p) {
  pool_release(p->chunks);
  chk_pool_init(p, p->size);
}
