/* ec_pool.c - many small objects of one size: they are cut from slabs, each twice as long as the one before. SPDX-License-Identifier:
 * BSD-3-Clause */
#include "ec_pool.h"

#include "base/check.h"
#include "ec_mem.h"

#define SLAB_MIN 4096u
#define SLAB_MAX (1u << 18)
#define SLAB_HEAD 64u /* keeps the objects aligned */

struct ec_slab {
  struct ec_slab *older;
  size_t bytes;
};

void ec_pool_init(struct ec_pool *p, size_t object_bytes) {
  *p = (struct ec_pool){.size = (object_bytes + 15) / 16 * 16};
}

static void use(struct ec_pool *p, struct ec_slab *s) {
  p->slabs = s;
  p->next = (char *)s + SLAB_HEAD;
  p->left = s->bytes - SLAB_HEAD;
}

void ec_pool_grow(struct ec_pool *p) {
  size_t bytes = p->slabs == NULL ? SLAB_MIN : p->slabs->bytes * 2;
  if (bytes > SLAB_MAX) bytes = SLAB_MAX;
  while (bytes < SLAB_HEAD + p->size) bytes *= 2;
  struct ec_slab *s = ec_alloc(bytes);
  if (s == NULL) EYOTI_PANIC("no memory for %zu bytes of the checker", bytes);
  *s = (struct ec_slab){.older = p->slabs, .bytes = bytes};
  use(p, s);
}

static void release(struct ec_slab *s) {
  while (s != NULL) {
    struct ec_slab *older = s->older;
    ec_free(s);
    s = older;
  }
}

void ec_pool_clear(struct ec_pool *p) {
  p->free = NULL;
  if (p->slabs == NULL) return;
  release(p->slabs->older);
  p->slabs->older = NULL;
  use(p, p->slabs);
}

void ec_pool_fini(struct ec_pool *p) {
  release(p->slabs);
  ec_pool_init(p, p->size);
}
