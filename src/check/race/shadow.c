/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.c - cells of words, by page and by runs. */
#include "check/race/shadow.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/snapshot/mem.h"

#define BUCKETS_MIN 64u
/* small enough for a processor's own cache, and an entry for each of thousands of units that pass a
 * barrier */
#define NEAR_MAX 8192u

struct block {
  struct ec_cell *all;    /* of each word, while cells is NULL: one reference for all of them */
  struct ec_cell **cells; /* EC_BLOCK_WORDS, each a reference */
};

struct ec_page {
  uint64_t id; /* word >> EC_PAGE_BITS */
  struct ec_page *next;
  struct ec_sync *syncs; /* in the order of their words */
  uint32_t n_syncs, cap_syncs;
  struct block blocks[EC_PAGE_WORDS / EC_BLOCK_WORDS];
};

void ec_shadow_init(struct ec_shadow *s, const struct ec_shadow_ops *ops, void *ctx) {
  *s = (struct ec_shadow){.ops = ops, .ctx = ctx};
  ec_pool_init(&s->pages, sizeof(struct ec_page));
  ec_pool_init(&s->cells, sizeof(struct ec_cell *) * EC_BLOCK_WORDS);
}

void ec_shadow_fini(struct ec_shadow *s) {
  ec_shadow_clear(s);
  ec_free(s->near);
  ec_free(s->buckets);
  ec_pool_fini(&s->pages);
  ec_pool_fini(&s->cells);
}

static void unref(struct ec_shadow *s, struct ec_cell *c, uint32_t n) {
  if (c != NULL && (c->refs -= n) == 0) s->ops->drop_cell(s->ctx, c);
}

/* -- pages ------------------------------------------------------------------------------------- */

static uint32_t hash(uint64_t id) {
  return (uint32_t)eyoti_hash_mix(0, id);
}
static struct ec_page **bucket(const struct ec_shadow *s, uint64_t id) {
  return &s->buckets[hash(id) & (s->n_buckets - 1)];
}

static void forget_near(struct ec_shadow *s) {
  if (s->near != NULL) memset(s->near, 0, sizeof(struct ec_page *) * s->n_near);
}

static void rehash(struct ec_shadow *s, uint32_t n_buckets) {
  struct ec_page **old = s->buckets;
  uint32_t n_old = s->n_buckets;
  s->buckets = ec_alloc(sizeof(struct ec_page *) * n_buckets);
  if (s->buckets == NULL) EYOTI_PANIC("no memory for %u pages of the race detector", n_buckets);
  s->n_buckets = n_buckets;
  for (uint32_t i = 0; i < n_old; i++) {
    for (struct ec_page *p = old[i], *next; p != NULL; p = next) {
      struct ec_page **to = bucket(s, p->id);
      next = p->next;
      p->next = *to;
      *to = p;
    }
  }
  ec_free(old);
  if (n_buckets > NEAR_MAX) return;
  ec_free(s->near);
  s->near = ec_alloc(sizeof(struct ec_page *) * n_buckets);
  if (s->near == NULL) EYOTI_PANIC("no memory for %u pages of the race detector", n_buckets);
  s->n_near = n_buckets;
}

static struct ec_page *page_of(struct ec_shadow *s, uint64_t id, bool make) {
  uint32_t h = hash(id);
  if (s->n_buckets != 0) {
    struct ec_page *n = s->near[h & (s->n_near - 1)];
    if (n != NULL && n->id == id) return n;
    for (struct ec_page *p = s->buckets[h & (s->n_buckets - 1)]; p != NULL; p = p->next) {
      if (p->id == id) return s->near[h & (s->n_near - 1)] = p;
    }
  }
  if (!make) return NULL;
  if (s->n_pages >= s->n_buckets) rehash(s, s->n_buckets == 0 ? BUCKETS_MIN : s->n_buckets * 2);
  struct ec_page *p = ec_pool_get(&s->pages), **at = bucket(s, id);
  *p = (struct ec_page){.id = id, .next = *at};
  *at = p;
  s->n_pages++;
  return s->near[h & (s->n_near - 1)] = p;
}

static void drop_page(struct ec_shadow *s, struct ec_page *p) {
  for (uint32_t k = 0; k < EC_PAGE_WORDS / EC_BLOCK_WORDS; k++) {
    struct block *b = &p->blocks[k];
    if (b->cells == NULL) {
      unref(s, b->all, 1);
    } else {
      for (uint32_t i = 0; i < EC_BLOCK_WORDS; i++) unref(s, b->cells[i], 1);
      ec_pool_put(&s->cells, b->cells);
    }
  }
  for (uint32_t i = 0; i < p->n_syncs; i++) s->ops->drop_sync(s->ctx, &p->syncs[i]);
  ec_free(p->syncs);
  ec_pool_put(&s->pages, p);
  s->n_pages--;
}

void ec_shadow_clear(struct ec_shadow *s) {
  for (uint32_t i = 0; i < s->n_buckets && s->n_pages > 0; i++) {
    for (struct ec_page *p = s->buckets[i], *next; p != NULL; p = next) {
      next = p->next;
      drop_page(s, p);
    }
    s->buckets[i] = NULL;
  }
  EYOTI_ASSERT(s->n_pages == 0);
  forget_near(s);
}

/* -- cells ------------------------------------------------------------------------------------- */

static void split(struct ec_shadow *s, struct block *b) {
  b->cells = ec_pool_get(&s->cells);
  for (uint32_t i = 0; i < EC_BLOCK_WORDS; i++) b->cells[i] = b->all;
  if (b->all != NULL) b->all->refs += EC_BLOCK_WORDS - 1;
  b->all = NULL;
}

/* All words have been touched: if they are alike now, one reference will do. */
static void unite(struct ec_shadow *s, struct block *b) {
  for (uint32_t i = 1; i < EC_BLOCK_WORDS; i++) {
    if (b->cells[i] != b->cells[0]) return;
  }
  b->all = b->cells[0];
  if (b->all != NULL) b->all->refs -= EC_BLOCK_WORDS - 1;
  ec_pool_put(&s->cells, b->cells);
  b->cells = NULL;
}

static void replace(struct ec_shadow *s, struct ec_cell *old, struct ec_cell *now, uint32_t refs) {
  if (now == old) return;
  if (now != NULL) now->refs += refs;
  unref(s, old, refs);
}

/* Words from .. to-1 of the block whose first word is `base`. */
static void block_range(struct ec_shadow *s, struct block *b, uint64_t base, uint32_t from,
                        uint32_t to, void *access) {
  bool whole = from == 0 && to == EC_BLOCK_WORDS;
  if (whole && b->cells == NULL) {
    struct ec_cell *old = b->all;
    b->all = s->ops->step(s->ctx, access, old, base, EC_BLOCK_WORDS, old != NULL && old->refs == 1);
    replace(s, old, b->all, 1);
    return;
  }
  if (b->cells == NULL) split(s, b);
  for (uint32_t i = from, end; i < to; i = end) {
    struct ec_cell *old = b->cells[i];
    for (end = i + 1; end < to && b->cells[end] == old;) end++;
    struct ec_cell *now =
        s->ops->step(s->ctx, access, old, base + i, end - i, old != NULL && old->refs == end - i);
    if (now == old) continue;
    for (uint32_t k = i; k < end; k++) b->cells[k] = now;
    replace(s, old, now, end - i);
  }
  if (whole) unite(s, b);
}

void ec_shadow_range(struct ec_shadow *s, uint64_t first, uint64_t words, void *access) {
  struct ec_page *p = NULL;
  while (words > 0) {
    uint32_t from = (uint32_t)first & (EC_BLOCK_WORDS - 1), n = EC_BLOCK_WORDS - from,
             at = (uint32_t)first & (EC_PAGE_WORDS - 1);
    if (n > words) n = (uint32_t)words;
    if (p == NULL || at == 0) p = page_of(s, first >> EC_PAGE_BITS, true);
    block_range(s, &p->blocks[at >> EC_BLOCK_BITS], first - from, from, from + n, access);
    first += n;
    words -= n;
  }
}

struct ec_sync *ec_shadow_sync(struct ec_shadow *s, uint64_t word, bool make) {
  struct ec_page *p = page_of(s, word >> EC_PAGE_BITS, make);
  if (p == NULL) return NULL;
  uint32_t at = (uint32_t)word & (EC_PAGE_WORDS - 1), i = 0;
  while (i < p->n_syncs && p->syncs[i].at < at) i++;
  if (i < p->n_syncs && p->syncs[i].at == at) return &p->syncs[i];
  if (!make) return NULL;
  if (p->n_syncs == p->cap_syncs) {
    p->cap_syncs = p->cap_syncs == 0 ? 2 : p->cap_syncs * 2;
    p->syncs = ec_resize(p->syncs, sizeof *p->syncs * p->cap_syncs);
    if (p->syncs == NULL) EYOTI_PANIC("no memory for the clocks of %u words", p->cap_syncs);
  }
  memmove(&p->syncs[i + 1], &p->syncs[i], sizeof *p->syncs * (p->n_syncs - i));
  p->n_syncs++;
  p->syncs[i] = (struct ec_sync){.at = at};
  return &p->syncs[i];
}

void ec_shadow_each_sync(struct ec_shadow *s, void (*visit)(void *ctx, struct ec_sync *sync)) {
  for (uint32_t i = 0; i < s->n_buckets; i++) {
    for (struct ec_page *p = s->buckets[i]; p != NULL; p = p->next) {
      for (uint32_t k = 0; k < p->n_syncs; k++) visit(s->ctx, &p->syncs[k]);
    }
  }
}

/* -- forgetting -------------------------------------------------------------------------------- */

/* The part from .. to-1 of a page that goes on otherwise. */
static void forget_part(struct ec_shadow *s, struct ec_page *p, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    struct block *b = &p->blocks[i >> EC_BLOCK_BITS];
    if (b->cells == NULL && b->all != NULL) split(s, b);
    if (b->cells == NULL) continue;
    unref(s, b->cells[i & (EC_BLOCK_WORDS - 1)], 1);
    b->cells[i & (EC_BLOCK_WORDS - 1)] = NULL;
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; i < p->n_syncs; i++) {
    if (p->syncs[i].at >= from && p->syncs[i].at < to) {
      s->ops->drop_sync(s->ctx, &p->syncs[i]);
    } else {
      p->syncs[kept++] = p->syncs[i];
    }
  }
  p->n_syncs = kept;
}

/* Removes whole pages lo .. hi-1 from a bucket. */
static void forget_in(struct ec_shadow *s, struct ec_page **at, uint64_t lo, uint64_t hi) {
  while (*at != NULL) {
    struct ec_page *p = *at;
    if (p->id < lo || p->id >= hi) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    drop_page(s, p);
  }
}

void ec_shadow_forget(struct ec_shadow *s, uint64_t first, uint64_t words) {
  if (words == 0 || s->n_buckets == 0) return;
  uint64_t end = first + words, lo = (first + EC_PAGE_WORDS - 1) >> EC_PAGE_BITS,
           hi = end >> EC_PAGE_BITS;
  uint32_t head = (uint32_t)first & (EC_PAGE_WORDS - 1), tail = (uint32_t)end & (EC_PAGE_WORDS - 1);
  struct ec_page *p;
  bool within = first >> EC_PAGE_BITS == end >> EC_PAGE_BITS;
  if (head != 0 && (p = page_of(s, first >> EC_PAGE_BITS, false)) != NULL)
    forget_part(s, p, head, within ? tail : EC_PAGE_WORDS);
  if (tail != 0 && !(within && head != 0) && (p = page_of(s, hi, false)) != NULL)
    forget_part(s, p, 0, tail);
  forget_near(s);
  if (hi <= lo) return;
  if (hi - lo > s->n_buckets) {
    for (uint32_t i = 0; i < s->n_buckets; i++) forget_in(s, &s->buckets[i], lo, hi);
  } else {
    for (uint64_t id = lo; id < hi; id++) forget_in(s, bucket(s, id), id, id + 1);
  }
}
