/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.c - the shadow memory of the race detector (shadow.h): pages, the cells of their blocks,
 * and runs of words with the same cell. */
#include "check/race/shadow.h"

#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "check/snapshot/mem.h"

#define BUCKETS_MIN 64u
/* fits into a core's own cache, with an entry for each of thousands of units in a barrier */
#define RECENT_MAX 8192u

struct shadow_block {
  /* the cell of all words, one reference for each word, while `cells` is NULL */
  struct chk_cell *all;
  struct chk_cell **cells; /* CHK_BLOCK_WORDS pointers to cells, each with a reference */
};

struct chk_page {
  uint64_t id; /* word >> CHK_PAGE_BITS */
  struct chk_page *next;
  struct chk_sync *syncs; /* sorted by word */
  uint32_t n_syncs, cap_syncs;
  struct shadow_block blocks[CHK_PAGE_WORDS / CHK_BLOCK_WORDS];
};

void chk_shadow_init(struct chk_shadow *s, const struct chk_shadow_ops *ops, void *ctx) {
  *s = (struct chk_shadow){.ops = ops, .ctx = ctx};
  chk_pool_init(&s->pages, sizeof(struct chk_page));
  chk_pool_init(&s->cells, sizeof(struct chk_cell *) * CHK_BLOCK_WORDS);
}

void chk_shadow_fini(struct chk_shadow *s) {
  chk_shadow_clear(s);
  chk_free(s->recent);
  chk_free(s->buckets);
  chk_pool_fini(&s->pages);
  chk_pool_fini(&s->cells);
}

static void unref(struct chk_shadow *s, struct chk_cell *c, uint32_t n) {
  if (c != NULL && (c->refs -= n) == 0) s->ops->drop_cell(s->ctx, c);
}

/* -- pages ------------------------------------------------------------------------------------- */

static uint32_t shadow_hash(uint64_t id) {
  return (uint32_t)eyoti_hash_mix(0, id);
}
static struct chk_page **shadow_bucket(const struct chk_shadow *s, uint64_t id) {
  return &s->buckets[shadow_hash(id) & (s->n_buckets - 1)];
}

static void shadow_forget_recent(struct chk_shadow *s) {
  if (s->recent != NULL) memset(s->recent, 0, sizeof(struct chk_page *) * s->n_recent);
}

static void shadow_rehash(struct chk_shadow *s, uint32_t n_buckets) {
  struct chk_page **old = s->buckets;
  uint32_t n_old = s->n_buckets;
  s->buckets = chk_alloc(sizeof(struct chk_page *) * n_buckets);
  if (s->buckets == NULL)
    eyoti_no_memory(sizeof(struct chk_page *) * n_buckets, "%u pages of the race detector",
                    n_buckets);
  s->n_buckets = n_buckets;
  for (uint32_t i = 0; i < n_old; i++) {
    for (struct chk_page *p = old[i], *next; p != NULL; p = next) {
      struct chk_page **to = shadow_bucket(s, p->id);
      next = p->next;
      p->next = *to;
      *to = p;
    }
  }
  chk_free(old);
  if (n_buckets > RECENT_MAX) return;
  chk_free(s->recent);
  s->recent = chk_alloc(sizeof(struct chk_page *) * n_buckets);
  if (s->recent == NULL)
    eyoti_no_memory(sizeof(struct chk_page *) * n_buckets, "%u pages of the race detector",
                    n_buckets);
  s->n_recent = n_buckets;
}

static struct chk_page *page_of(struct chk_shadow *s, uint64_t id, bool make) {
  uint32_t h = shadow_hash(id);
  if (s->n_buckets != 0) {
    struct chk_page *n = s->recent[h & (s->n_recent - 1)];
    if (n != NULL && n->id == id) return n;
    for (struct chk_page *p = s->buckets[h & (s->n_buckets - 1)]; p != NULL; p = p->next) {
      if (p->id == id) return s->recent[h & (s->n_recent - 1)] = p;
    }
  }
  if (!make) return NULL;
  if (s->n_pages >= s->n_buckets)
    shadow_rehash(s, s->n_buckets == 0 ? BUCKETS_MIN : s->n_buckets * 2);
  struct chk_page *p = chk_pool_get(&s->pages), **at = shadow_bucket(s, id);
  *p = (struct chk_page){.id = id, .next = *at};
  *at = p;
  s->n_pages++;
  return s->recent[h & (s->n_recent - 1)] = p;
}

static void drop_page(struct chk_shadow *s, struct chk_page *p) {
  for (uint32_t k = 0; k < CHK_PAGE_WORDS / CHK_BLOCK_WORDS; k++) {
    struct shadow_block *b = &p->blocks[k];
    if (b->cells == NULL) {
      unref(s, b->all, 1);
    } else {
      for (uint32_t i = 0; i < CHK_BLOCK_WORDS; i++) unref(s, b->cells[i], 1);
      chk_pool_put(&s->cells, b->cells);
    }
  }
  for (uint32_t i = 0; i < p->n_syncs; i++) s->ops->drop_sync(s->ctx, &p->syncs[i]);
  chk_free(p->syncs);
  chk_pool_put(&s->pages, p);
  s->n_pages--;
}

void chk_shadow_clear(struct chk_shadow *s) {
  for (uint32_t i = 0; i < s->n_buckets && s->n_pages > 0; i++) {
    for (struct chk_page *p = s->buckets[i], *next; p != NULL; p = next) {
      next = p->next;
      drop_page(s, p);
    }
    s->buckets[i] = NULL;
  }
  EYOTI_ASSERT(s->n_pages == 0);
  shadow_forget_recent(s);
}

/* -- cells ------------------------------------------------------------------------------------- */

static void split(struct chk_shadow *s, struct shadow_block *b) {
  b->cells = chk_pool_get(&s->cells);
  for (uint32_t i = 0; i < CHK_BLOCK_WORDS; i++) b->cells[i] = b->all;
  if (b->all != NULL) b->all->refs += CHK_BLOCK_WORDS - 1;
  b->all = NULL;
}

/* All words have been accessed: if they have the same cell now, one pointer is enough. */
static void unite(struct chk_shadow *s, struct shadow_block *b) {
  for (uint32_t i = 1; i < CHK_BLOCK_WORDS; i++) {
    if (b->cells[i] != b->cells[0]) return;
  }
  b->all = b->cells[0];
  if (b->all != NULL) b->all->refs -= CHK_BLOCK_WORDS - 1;
  chk_pool_put(&s->cells, b->cells);
  b->cells = NULL;
}

static void shadow_replace(struct chk_shadow *s, struct chk_cell *old, struct chk_cell *now,
                           uint32_t refs) {
  if (now == old) return;
  if (now != NULL) now->refs += refs;
  unref(s, old, refs);
}

/* Steps over words from .. to-1 of the block whose first word is `base`. */
static void block_range(struct chk_shadow *s, struct shadow_block *b, uint64_t base, uint32_t from,
                        uint32_t to, void *access) {
  bool whole = from == 0 && to == CHK_BLOCK_WORDS;
  if (whole && b->cells == NULL) {
    struct chk_cell *old = b->all;
    b->all =
        s->ops->step(s->ctx, access, old, base, CHK_BLOCK_WORDS, old != NULL && old->refs == 1);
    shadow_replace(s, old, b->all, 1);
    return;
  }
  if (b->cells == NULL) split(s, b);
  for (uint32_t i = from, end; i < to; i = end) {
    struct chk_cell *old = b->cells[i];
    for (end = i + 1; end < to && b->cells[end] == old;) end++;
    struct chk_cell *now =
        s->ops->step(s->ctx, access, old, base + i, end - i, old != NULL && old->refs == end - i);
    if (now == old) continue;
    for (uint32_t k = i; k < end; k++) b->cells[k] = now;
    shadow_replace(s, old, now, end - i);
  }
  if (whole) unite(s, b);
}

void chk_shadow_range(struct chk_shadow *s, uint64_t first, uint64_t words, void *access) {
  struct chk_page *p = NULL;
  while (words > 0) {
    uint32_t from = (uint32_t)first & (CHK_BLOCK_WORDS - 1), n = CHK_BLOCK_WORDS - from,
             at = (uint32_t)first & (CHK_PAGE_WORDS - 1);
    if (n > words) n = (uint32_t)words;
    if (p == NULL || at == 0) p = page_of(s, first >> CHK_PAGE_BITS, true);
    block_range(s, &p->blocks[at >> CHK_BLOCK_BITS], first - from, from, from + n, access);
    first += n;
    words -= n;
  }
}

struct chk_sync *chk_shadow_sync(struct chk_shadow *s, uint64_t word, bool make) {
  struct chk_page *p = page_of(s, word >> CHK_PAGE_BITS, make);
  if (p == NULL) return NULL;
  uint32_t at = (uint32_t)word & (CHK_PAGE_WORDS - 1), i = 0;
  for (uint32_t end = p->n_syncs; i < end;) {
    uint32_t mid = i + (end - i) / 2;
    if (p->syncs[mid].at < at)
      i = mid + 1;
    else
      end = mid;
  }
  if (i < p->n_syncs && p->syncs[i].at == at) return &p->syncs[i];
  if (!make) return NULL;
  if (p->n_syncs == p->cap_syncs) {
    p->cap_syncs = p->cap_syncs == 0 ? 2 : p->cap_syncs * 2;
    p->syncs = chk_resize(p->syncs, sizeof *p->syncs * p->cap_syncs);
    if (p->syncs == NULL)
      eyoti_no_memory(sizeof *p->syncs * p->cap_syncs, "the clocks of %u words", p->cap_syncs);
  }
  memmove(&p->syncs[i + 1], &p->syncs[i], sizeof *p->syncs * (p->n_syncs - i));
  p->n_syncs++;
  p->syncs[i] = (struct chk_sync){.at = at};
  return &p->syncs[i];
}

void chk_shadow_each_sync(struct chk_shadow *s, void (*visit)(void *ctx, struct chk_sync *sync)) {
  for (uint32_t i = 0; i < s->n_buckets; i++) {
    for (struct chk_page *p = s->buckets[i]; p != NULL; p = p->next) {
      for (uint32_t k = 0; k < p->n_syncs; k++) visit(s->ctx, &p->syncs[k]);
    }
  }
}

/* -- forgetting -------------------------------------------------------------------------------- */

/* Forgets words from .. to-1 of a page whose other words remain. */
static void forget_part(struct chk_shadow *s, struct chk_page *p, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    struct shadow_block *b = &p->blocks[i >> CHK_BLOCK_BITS];
    if (b->cells == NULL && b->all != NULL) split(s, b);
    if (b->cells == NULL) continue;
    unref(s, b->cells[i & (CHK_BLOCK_WORDS - 1)], 1);
    b->cells[i & (CHK_BLOCK_WORDS - 1)] = NULL;
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

/* Removes the whole pages lo .. hi-1 from a bucket. */
static void forget_in(struct chk_shadow *s, struct chk_page **at, uint64_t lo, uint64_t hi) {
  while (*at != NULL) {
    struct chk_page *p = *at;
    if (p->id < lo || p->id >= hi) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    drop_page(s, p);
  }
}

void chk_shadow_forget(struct chk_shadow *s, uint64_t first, uint64_t words) {
  if (words == 0 || s->n_buckets == 0) return;
  uint64_t end = first + words, lo = (first + CHK_PAGE_WORDS - 1) >> CHK_PAGE_BITS,
           hi = end >> CHK_PAGE_BITS;
  uint32_t head = (uint32_t)first & (CHK_PAGE_WORDS - 1),
           tail = (uint32_t)end & (CHK_PAGE_WORDS - 1);
  struct chk_page *p;
  bool within = first >> CHK_PAGE_BITS == end >> CHK_PAGE_BITS;
  if (head != 0 && (p = page_of(s, first >> CHK_PAGE_BITS, false)) != NULL)
    forget_part(s, p, head, within ? tail : CHK_PAGE_WORDS);
  if (tail != 0 && !(within && head != 0) && (p = page_of(s, hi, false)) != NULL)
    forget_part(s, p, 0, tail);
  shadow_forget_recent(s);
  if (hi <= lo) return;
  if (hi - lo > s->n_buckets) {
    for (uint32_t i = 0; i < s->n_buckets; i++) forget_in(s, &s->buckets[i], lo, hi);
  } else {
    for (uint64_t id = lo; id < hi; id++) forget_in(s, shadow_bucket(s, id), id, id + 1);
  }
}
