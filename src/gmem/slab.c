/* SPDX-License-Identifier: BSD-3-Clause */
/* slab.c - see slab.h.
 *
 * Objects of up to 16 KiB have one of 40 sizes, a quarter of a power of two apart, and lie in
 * chunks of 64 KiB of that size; larger ones have a chunk of their own. A pointer leads to its
 * chunk by its address alone. Only the unit that has the chunk changes its lists. Another unit that
 * releases an object clears its bit, which only one can, and puts it into the owner's list of
 * returned objects (returns.h). */
#include "gmem/slab.h"

#include <stdlib.h>
#include <string.h>

#include "gmem/returns.h"
#include "gmem/sheap.h"

#define MAGIC 0x65796f74736c6162u /* "eyotslab" */
#define BINS 40u
#define FINE_BYTES 128u   /* up to here every multiple of the grain is a size */
#define SMALL_MOST 16384u /* larger objects have a chunk of their own */
#define OBJECTS_OFF ((uint32_t)((sizeof(struct eyoti_chunk) + 63) / 64 * 64))
#define LARGE_BIN UINT32_MAX

struct eyoti_sheap {
  struct eyoti_chunk *bin[BINS];
  uint64_t in_use; /* objects */
};

_Static_assert(EYOTI_CHUNK_BYTES - OBJECTS_OFF >= 3 * SMALL_MOST,
               "a chunk has several objects of each size");

static uint64_t bin_size(uint32_t bin) {
  if (bin < FINE_BYTES / EYOTI_CHUNK_GRAIN) return (bin + 1) * (uint64_t)EYOTI_CHUNK_GRAIN;
  bin -= FINE_BYTES / EYOTI_CHUNK_GRAIN;
  return (5 + bin % 4) * ((uint64_t)FINE_BYTES / 4 << bin / 4);
}

/* The first size that is at least `bytes`, and a multiple of `align`. */
static uint32_t bin_for(uint64_t bytes, uint64_t align) {
  uint32_t bin = 0;
  if (bytes <= FINE_BYTES) {
    bin = bytes == 0 ? 0 : (uint32_t)((bytes - 1) / EYOTI_CHUNK_GRAIN);
  } else {
    uint32_t top = 63 - (uint32_t)__builtin_clzll(bytes - 1); /* 2^top < bytes <= 2^(top+1) */
    uint32_t quarter = (uint32_t)((bytes - 1) >> (top - 2)) - 4;
    bin = FINE_BYTES / EYOTI_CHUNK_GRAIN + (top - 7) * 4 + quarter;
  }
  while (bin < BINS && bin_size(bin) % align != 0) bin++;
  return bin;
}

/* -- chunks ------------------------------------------------------------------------------------ */

static uint64_t chunk_magic(const struct eyoti_chunk *c) {
  return MAGIC ^ (uintptr_t)c;
}

static void chunk_link(struct eyoti_sheap *s, struct eyoti_chunk *c) {
  c->before = NULL;
  c->next = s->bin[c->bin];
  if (c->next != NULL) c->next->before = c;
  s->bin[c->bin] = c;
  c->listed = true;
}

static void chunk_unlink(struct eyoti_sheap *s, struct eyoti_chunk *c) {
  if (c->before != NULL)
    c->before->next = c->next;
  else
    s->bin[c->bin] = c->next;
  if (c->next != NULL) c->next->before = c->before;
  c->listed = false;
}

/* Makes a chunk of so many bytes in all, with its first object at `first`. */
static int chunk_make(struct eyot_rt *rt, uint64_t bytes, uint64_t size, uint32_t first,
                      struct eyoti_chunk **out) {
  eyot_gptr_t g;
  struct fab_addr at;
  EYOTI_TRY(eyoti_gmem_private_new(rt, bytes - sizeof(struct eyoti_glabel), EYOTI_CHUNK_BYTES,
                                   EYOTI_GMEM_RAW | EYOTI_GMEM_UNCOUNTED, &g));
  EYOTI_TRY(eyoti_gmem_resolve(rt, g, 1, &at));
  char *base = (char *)eyoti_gmem_mapped(rt, at) - sizeof(struct eyoti_glabel);
  struct eyoti_chunk *c = (struct eyoti_chunk *)(void *)base;
  EYOTI_ASSERT((uintptr_t)c % EYOTI_CHUNK_BYTES == 0);
  memset(base + sizeof c->label, 0, sizeof *c - sizeof c->label);
  c->magic = chunk_magic(c);
  c->size = size;
  c->first = first;
  c->n = 1;
  *out = c;
  return EYOT_OK;
}

static int chunk_free(struct eyot_rt *rt, struct eyoti_chunk *c) {
  uint64_t block;
  bool has = eyoti_gmem_has(rt->gmem, c, sizeof *c, &block);
  EYOTI_ASSERT(has);
  block += sizeof c->label;
  struct eyoti_glabel label = c->label;
  c->magic = 0;
  return eyoti_gmem_private_drop(rt, eyoti_gmem_private_at(rt, rt->fab->me, block, &label), block,
                                 &label, false);
}

/* -- objects ----------------------------------------------------------------------------------- */

static uint64_t *bit_word(struct eyoti_chunk *c, const void *p, uint64_t *bit) {
  uint64_t grain = (uint64_t)((const char *)p - (const char *)c) / EYOTI_CHUNK_GRAIN;
  *bit = UINT64_C(1) << grain % 64;
  return &c->in_use[grain / 64];
}

static void object_begins(struct eyoti_chunk *c, const void *p) {
  uint64_t bit, *word = bit_word(c, p, &bit);
  (void)__atomic_fetch_or(word, bit, __ATOMIC_RELAXED); /* others clear bits of it */
}

/* False: it has ended before. Pairs with itself on other units: one of them finds the bit. */
static bool object_ends(struct eyoti_chunk *c, const void *p) {
  uint64_t bit, *word = bit_word(c, p, &bit);
  return (__atomic_fetch_and(word, ~bit, __ATOMIC_ACQ_REL) & bit) != 0;
}

/* Takes back an object of the caller's part whose bit is clear. */
static int object_release(struct eyot_rt *rt, struct eyoti_chunk *c, void *p) {
  struct eyoti_sheap *s = rt->gmem->sheap;
  c->used--;
  s->in_use--;
  if (c->bin == LARGE_BIN) return chunk_free(rt, c);
  memcpy(p, &c->released, sizeof c->released);
  c->released = p;
  if (!c->listed) chunk_link(s, c);
  if (c->used > 0 || (c->next == NULL && c->before == NULL)) return EYOT_OK;
  chunk_unlink(s, c);
  return chunk_free(rt, c);
}

/* Takes back what other units have released. */
static int returns_drain(struct eyot_rt *rt) {
  uint64_t off;
  EYOTI_TRY(eyoti_returns_take(rt, EYOTI_RETURNS_SHEAP, &off));
  while (off != 0) {
    char *p = eyoti_gmem_at(rt->gmem, off);
    uint64_t in_chunk = (uintptr_t)p % EYOTI_CHUNK_BYTES;
    memcpy(&off, p, sizeof off);
    EYOTI_TRY(object_release(rt, (struct eyoti_chunk *)(void *)(p - in_chunk), p));
  }
  return EYOT_OK;
}

static int large_take(struct eyot_rt *rt, uint64_t bytes, uint64_t align, void **p) {
  struct eyoti_chunk *c;
  uint64_t first = (OBJECTS_OFF + align - 1) / align * align;
  if (align > EYOTI_CHUNK_BYTES / 2 || bytes > EYOTI_AGREE_OFFSET_MAX) return EYOT_ENOMEM;
  EYOTI_TRY(returns_drain(rt));
  EYOTI_TRY(chunk_make(rt, first + bytes, bytes, (uint32_t)first, &c));
  c->bin = LARGE_BIN;
  c->used = 1;
  rt->gmem->sheap->in_use++;
  *p = (char *)c + first;
  object_begins(c, *p);
  return EYOT_OK;
}

static int bin_fill(struct eyot_rt *rt, struct eyoti_sheap *s, uint32_t bin) {
  struct eyoti_chunk *c;
  EYOTI_TRY(returns_drain(rt));
  if (s->bin[bin] != NULL) return EYOT_OK;
  uint64_t size = bin_size(bin), align = size & -size; /* of its objects */
  uint64_t first = (OBJECTS_OFF + align - 1) / align * align;
  EYOTI_TRY(chunk_make(rt, EYOTI_CHUNK_BYTES, size, (uint32_t)first, &c));
  c->bin = bin;
  c->n = (uint32_t)((EYOTI_CHUNK_BYTES - first) / size);
  chunk_link(s, c);
  return EYOT_OK;
}

static int sheap_get(struct eyot_rt *rt, struct eyoti_sheap **out) {
  if (__builtin_expect(rt->gmem->sheap == NULL, 0))
    rt->gmem->sheap = calloc(1, sizeof(struct eyoti_sheap));
  *out = rt->gmem->sheap;
  return *out != NULL ? EYOT_OK : EYOT_ENOMEM;
}

int eyoti_slab_take(struct eyot_rt *rt, uint64_t bytes, uint64_t align, void **p) {
  struct eyoti_sheap *s;
  EYOTI_TRY(sheap_get(rt, &s));
  if (bytes == 0) bytes = 1; /* malloc(0) has an address of its own */
  uint32_t bin = bytes <= SMALL_MOST && align <= SMALL_MOST ? bin_for(bytes, align) : BINS;
  if (bin >= BINS) return large_take(rt, bytes, align, p);
  if (s->bin[bin] == NULL) {
    int rc = bin_fill(rt, s, bin);
    if (rc == EYOT_ENOMEM) return large_take(rt, bytes, align, p); /* there may be a small gap */
    EYOTI_TRY(rc);
  }
  struct eyoti_chunk *c = s->bin[bin];
  if (c->released != NULL) {
    *p = c->released;
    memcpy(&c->released, *p, sizeof c->released);
  } else {
    *p = (char *)c + c->first + c->fresh++ * c->size;
  }
  s->in_use++;
  if (++c->used == c->n) chunk_unlink(s, c);
  object_begins(c, *p);
  return EYOT_OK;
}

struct eyoti_chunk *eyoti_slab_chunk(struct eyot_rt *rt, const void *p, fab_unit_t *unit) {
  uint64_t off, in_chunk = (uintptr_t)p % EYOTI_CHUNK_BYTES;
  if (!eyoti_sheap_find(rt, p, 1, unit, &off) || off < rt->gmem->first + in_chunk) return NULL;
  struct eyoti_chunk *c = (struct eyoti_chunk *)(uintptr_t)((const char *)p - in_chunk);
  return in_chunk >= OBJECTS_OFF && c->magic == chunk_magic(c) ? c : NULL;
}

bool eyoti_slab_in_use(struct eyoti_chunk *c, const void *p) {
  uint64_t bit, at = (uintptr_t)p % EYOTI_CHUNK_BYTES;
  if (at < c->first) return false;
  uint64_t into = c->bin == LARGE_BIN ? at - c->first : (at - c->first) % c->size;
  uint64_t *word = bit_word(c, (const char *)p - into, &bit);
  return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & bit) != 0;
}

struct eyoti_chunk *eyoti_slab_find(struct eyot_rt *rt, const void *p, fab_unit_t *unit) {
  struct eyoti_chunk *c = eyoti_slab_chunk(rt, p, unit);
  uint64_t at = (uintptr_t)p % EYOTI_CHUNK_BYTES;
  if (c == NULL || at % EYOTI_CHUNK_GRAIN != 0 || at < c->first) return NULL;
  if (c->bin == LARGE_BIN ? at != c->first : (at - c->first) % c->size != 0) return NULL;
  return eyoti_slab_in_use(c, p) ? c : NULL;
}

int eyoti_slab_give(struct eyot_rt *rt, struct eyoti_chunk *c, fab_unit_t unit, void *p,
                    bool *twice, bool *ended) {
  *ended = true;
  *twice = !object_ends(c, p);
  if (*twice) return EYOT_OK;
  if (unit == rt->fab->me) return object_release(rt, c, p);
  uint64_t off;
  bool found = eyoti_sheap_find(rt, p, 1, &unit, &off);
  EYOTI_ASSERT(found);
  bool tried;
  int rc = eyoti_returns_push(rt, EYOTI_RETURNS_SHEAP, p, unit, off, &tried);
  *ended = rc == EYOT_OK || tried;
  if (!*ended) object_begins(c, p); /* it is as it was */
  return rc;
}

uint64_t eyoti_slab_left(struct eyot_rt *rt) {
  if (rt->gmem->sheap == NULL || returns_drain(rt) != EYOT_OK) return 0;
  return rt->gmem->sheap->in_use;
}

void eyoti_slab_stop(struct eyot_rt *rt) {
  free(rt->gmem->sheap);
  rt->gmem->sheap = NULL;
}
