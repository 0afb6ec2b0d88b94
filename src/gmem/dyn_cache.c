/* SPDX-License-Identifier: BSD-3-Clause */
/* dyn_cache.c - an origin's cache of other units' regions of a dynamic segment (dynamic.h):
 * bounded, least recently used first out. Source: Gerstenberger, Besta, Hoefler: Enabling
 * highly-scalable remote memory access programming with MPI-3 one sided, SC 2013, section 2.2. */

/* Gets to another unit for an operation:
 * - VALIDATE, unchanged: 1 (the head). Changed, or not in the cache: 3 (head, table, head); 1 if
 *   nothing is attached there.
 * - NOTIFY, unchanged: 0. After a notice of a detach, or not in the cache: 3, and a fetch-add and a
 *   signal to register; without these two if the target's list is full, and then until its next
 *   detach as VALIDATE.
 * - NOTIFY, the address is unknown, or the notice was not meant for this target: 1, and 3 if the
 *   table has changed.
 *
 * Each time that the owner changes the table during the fetch adds 2. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "gmem/dynamic.h"

#define FIRST_CAPACITY 8u
#define FETCHES_MAX 1000u /* consecutive fetches that a change has overtaken */

/* -- the cache --------------------------------------------------------------------------------- */
static uint32_t *cache_bucket_of(const struct eyoti_dynamic *d, uint32_t unit) {
  return &d->buckets[eyoti_hash_mix(0, unit) & (d->capacity - 1)];
}

static void chain_in(struct eyoti_dynamic *d, uint32_t slot) {
  uint32_t *bucket = cache_bucket_of(d, d->peers[slot].unit);
  d->peers[slot].chain = *bucket;
  *bucket = slot;
}

static void chain_out(struct eyoti_dynamic *d, uint32_t slot) {
  uint32_t *link = cache_bucket_of(d, d->peers[slot].unit);
  while (*link != slot) link = &d->peers[*link].chain;
  *link = d->peers[slot].chain;
}

static void order_in(struct eyoti_dynamic *d, uint32_t slot) {
  d->peers[slot].newer = EYOTI_DYN_NONE;
  d->peers[slot].older = d->newest;
  if (d->newest != EYOTI_DYN_NONE)
    d->peers[d->newest].newer = slot;
  else
    d->oldest = slot;
  d->newest = slot;
}

static void order_out(struct eyoti_dynamic *d, uint32_t slot) {
  const struct eyoti_dyn_peer *p = &d->peers[slot];
  *(p->newer != EYOTI_DYN_NONE ? &d->peers[p->newer].older : &d->newest) = p->older;
  *(p->older != EYOTI_DYN_NONE ? &d->peers[p->older].newer : &d->oldest) = p->newer;
}

static int cache_grow(struct eyoti_dynamic *d) {
  uint32_t capacity = d->capacity == 0 ? FIRST_CAPACITY : d->capacity * 2;
  struct eyoti_dyn_peer *peers = realloc(d->peers, capacity * sizeof *peers);
  if (peers == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep descriptors of %u units", capacity);
  d->peers = peers;
  uint32_t *buckets = realloc(d->buckets, capacity * sizeof *buckets);
  if (buckets == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep descriptors of %u units", capacity);
  d->buckets = buckets;
  d->capacity = capacity;
  for (uint32_t i = 0; i < capacity; i++) buckets[i] = EYOTI_DYN_NONE;
  for (uint32_t slot = 0; slot < d->n_peers; slot++) chain_in(d, slot);
  return EYOT_OK;
}

/* Takes a slot for another unit: a fresh one, or that of the unit unused for longest, whose buffer
 * stays. */
static int take_slot(struct eyoti_dynamic *d, uint32_t *slot) {
  if (d->n_peers < d->attr.peers) {
    if (d->n_peers == d->capacity) EYOTI_TRY(cache_grow(d));
    *slot = d->n_peers++;
    d->peers[*slot] = (struct eyoti_dyn_peer){.capacity = 0};
    return EYOT_OK;
  }
  *slot = d->oldest;
  chain_out(d, *slot);
  order_out(d, *slot);
  return EYOT_OK;
}

static int find_peer(struct eyoti_dynamic *d, uint32_t unit, struct eyoti_dyn_peer **out) {
  uint32_t slot = d->newest;
  if (slot == EYOTI_DYN_NONE || d->peers[slot].unit != unit) {
    slot = d->capacity > 0 ? *cache_bucket_of(d, unit) : EYOTI_DYN_NONE;
    while (slot != EYOTI_DYN_NONE && d->peers[slot].unit != unit) slot = d->peers[slot].chain;
    if (slot != EYOTI_DYN_NONE) {
      order_out(d, slot);
    } else {
      EYOTI_TRY(take_slot(d, &slot));
      struct eyoti_dyn_peer *p = &d->peers[slot];
      *p = (struct eyoti_dyn_peer){.unit = unit, .regions = p->regions, .capacity = p->capacity};
      chain_in(d, slot);
    }
    order_in(d, slot);
  }
  *out = &d->peers[slot];
  return EYOT_OK;
}

void eyoti_dyn_cache_fini(struct eyoti_dynamic *d) {
  for (uint32_t slot = 0; slot < d->n_peers; slot++) free(d->peers[slot].regions);
  free(d->peers);
  free(d->buckets);
  d->peers = NULL;
  d->buckets = NULL;
  d->n_peers = d->capacity = 0;
}

/* -- fetching ---------------------------------------------------------------------------------- */
static int get_head(struct eyot_rt *rt, const struct eyoti_dynamic *d, uint32_t unit,
                    struct eyoti_dyn_head *head) {
  struct fab_addr at;
  EYOTI_TRY(eyoti_dyn_at(rt, d, unit, 0, sizeof *head, &at));
  return fab_get_wait(rt->fab, head, at, sizeof *head);
}

/* Gets the copy of the table that belongs to `id`. The bytes that arrive are that table only if the
 * id is still the same afterwards; p->fetched shows that. */
static int cache_get_table(struct eyot_rt *rt, const struct eyoti_dynamic *d,
                           struct eyoti_dyn_peer *p, uint64_t id) {
  uint32_t n = eyoti_dyn_count(id);
  EYOTI_ASSERT(n <= d->attr.regions);
  p->fetched = false;
  if (n > p->capacity) {
    struct eyoti_dyn_region *regions = realloc(p->regions, n * sizeof *regions);
    if (regions == NULL)
      return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the descriptors of %u regions of unit %u", n,
                        p->unit);
    p->regions = regions;
    p->capacity = n;
  }
  p->id = id;
  if (n == 0) {
    p->fetched = true;
    return EYOT_OK;
  }
  struct fab_addr at;
  uint64_t bytes = n * sizeof *p->regions;
  EYOTI_TRY(eyoti_dyn_at(rt, d, p->unit, eyoti_dyn_table_off(&d->attr, eyoti_dyn_version(id)),
                         bytes, &at));
  return fab_get_wait(rt->fab, p->regions, at, bytes);
}

/* Fetches until the table in the cache is the one of a head that was read late enough. fresh:
 * `head` was. */
static int bring_up_to_date(struct eyot_rt *rt, const struct eyoti_dynamic *d,
                            struct eyoti_dyn_peer *p, struct eyoti_dyn_head head, bool fresh) {
  for (uint32_t i = 0; i < FETCHES_MAX; i++) {
    if (!p->fetched || p->id != head.id) EYOTI_TRY(cache_get_table(rt, d, p, head.id));
    if (p->fetched && fresh) return EYOT_OK;
    EYOTI_TRY(get_head(rt, d, p->unit, &head));
    p->fetched = p->id == head.id;
    fresh = true;
    if (p->fetched) return EYOT_OK;
  }
  return EYOTI_GMEM_FAIL(
      rt, EYOT_EBUSY,
      "unit %u attached or detached during each of %u attempts to read what it has attached",
      p->unit, FETCHES_MAX);
}

static int refresh(struct eyot_rt *rt, const struct eyoti_dynamic *d, struct eyoti_dyn_peer *p) {
  bool notify = d->attr.kind == EYOT_DYNAMIC_NOTIFY, fresh = true;
  /* Read first: a notice that comes from here on is seen as one by the next operation. */
  uint64_t seen = notify ? eyoti_dyn_own_word(d, eyoti_dyn_flag_off((uint32_t)(p - d->peers))) : 0;
  struct eyoti_dyn_head head;
  fab_req_t entry = 0;
  EYOTI_TRY(get_head(rt, d, p->unit, &head));
  if (notify) EYOTI_TRY(eyoti_dyn_register(rt, d, p, head.reg, seen, &fresh, &entry));
  int rc = bring_up_to_date(rt, d, p, head, fresh);
  /* The entry is in flight meanwhile. It must have arrived before the segment can be destroyed. */
  int rc_entry = fab_req_wait(rt->fab, entry, FAB_REMOTE);
  if (rc_entry != EYOT_OK) p->registered = false;
  if (rc != EYOT_OK) p->fetched = false; /* the table may be older than the registration */
  return rc != EYOT_OK ? rc : rc_entry;
}

int eyoti_dyn_resolve_remote(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t unit,
                             uint64_t addr, uint64_t len, struct eyoti_dyn_region *out) {
  struct eyoti_dyn_peer *p;
  EYOTI_TRY(find_peer(d, unit, &p));
  /* Own memory: while no notice has come, no message is sent. */
  bool trusted = p->registered && p->fetched &&
                 eyoti_dyn_own_word(d, eyoti_dyn_flag_off((uint32_t)(p - d->peers))) == p->seen;
  if (!trusted) EYOTI_TRY(refresh(rt, d, p));
  const struct eyoti_dyn_region *r = eyoti_dyn_find(p->regions, eyoti_dyn_count(p->id), addr, len);
  if (r == NULL && trusted) { /* attached since: there are no notices of that */
    EYOTI_TRY(refresh(rt, d, p));
    r = eyoti_dyn_find(p->regions, eyoti_dyn_count(p->id), addr, len);
  }
  if (r == NULL) return eyoti_dyn_missing(rt, p->regions, eyoti_dyn_count(p->id), unit, addr, len);
  *out = *r;
  return EYOT_OK;
}
