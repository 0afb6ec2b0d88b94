/* SPDX-License-Identifier: BSD-3-Clause */
/* dyn_table.c - tables of attached regions (dynamic.h): sorted by address, disjoint. Look-ups for
 * origin and owner, and the owner's changes. */
#include <inttypes.h>
#include <string.h>

#include "gmem/dynamic.h"

uint32_t eyoti_dyn_rank(const struct eyoti_dyn_region *r, uint32_t n, uint64_t addr) {
  uint32_t lo = 0, hi = n;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    if (r[mid].addr <= addr)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

const struct eyoti_dyn_region *eyoti_dyn_find(const struct eyoti_dyn_region *r, uint32_t n,
                                              uint64_t addr, uint64_t len) {
  uint32_t rank = eyoti_dyn_rank(r, n, addr);
  if (rank == 0) return NULL;
  const struct eyoti_dyn_region *below = &r[rank - 1];
  uint64_t byte = addr - below->addr;
  return len <= below->len && byte <= below->len - len ? below : NULL;
}

int eyoti_dyn_missing(struct eyot_rt *rt, const struct eyoti_dyn_region *r, uint32_t n,
                      uint32_t unit, uint64_t addr, uint64_t len) {
  if (n == 0)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                           "%" PRIu64 " bytes at %#" PRIx64
                           " of unit %u: it has nothing attached to the dynamic segment",
                           len, addr, unit);
  uint32_t rank = eyoti_dyn_rank(r, n, addr);
  const struct eyoti_dyn_region *nearest = &r[rank == 0 ? 0 : rank - 1];
  if (rank > 0 && rank < n && addr - nearest->addr > nearest->len) {
    uint64_t below = addr - nearest->addr - nearest->len, above = r[rank].addr - addr;
    if (above < below) nearest = &r[rank];
  }
  return EYOTI_GMEM_FAIL(
      rt, EYOT_ERANGE,
      "%" PRIu64 " bytes at %#" PRIx64
      " of unit %u do not lie in one attached region; the nearest of its %u begins at %#" PRIx64
      " and has %" PRIu64 " bytes",
      len, addr, unit, n, nearest->addr, nearest->len);
}

/* The stores to the new copy are visible before the new id, for an atomic is a full barrier; it
 * pairs with the origins' get of the head. */
static int dyn_publish(struct eyot_rt *rt, const struct eyoti_dynamic *d, uint64_t version,
                       uint32_t n) {
  struct fab_amo swap = {
      .op = FAB_AMO_SWAP, .width = 8, .operand = version << EYOTI_DYN_COUNT_BITS | n};
  return fab_amo_wait(
      rt->fab, fab_at(rt->fab->me, rt->gmem->seg, d->off + offsetof(struct eyoti_dyn_head, id)),
      &swap, NULL);
}

int eyoti_dyn_insert(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t index,
                     const struct eyoti_dyn_region *region) {
  uint64_t id = eyoti_dyn_own_word(d, 0), version = eyoti_dyn_version(id);
  uint32_t n = eyoti_dyn_count(id);
  EYOTI_ASSERT(index <= n && n < d->attr.regions);
  const struct eyoti_dyn_region *now = eyoti_dyn_own_table(d, version);
  struct eyoti_dyn_region *next = eyoti_dyn_own_table(d, version + 1);
  memcpy(next, now, index * sizeof *next);
  next[index] = *region;
  memcpy(next + index + 1, now + index, (n - index) * sizeof *next);
  return dyn_publish(rt, d, version + 1, n + 1);
}

int eyoti_dyn_remove(struct eyot_rt *rt, struct eyoti_dynamic *d, uint32_t index) {
  uint64_t id = eyoti_dyn_own_word(d, 0), version = eyoti_dyn_version(id);
  uint32_t n = eyoti_dyn_count(id);
  EYOTI_ASSERT(index < n);
  const struct eyoti_dyn_region *now = eyoti_dyn_own_table(d, version);
  struct eyoti_dyn_region *next = eyoti_dyn_own_table(d, version + 1);
  memcpy(next, now, index * sizeof *next);
  memcpy(next + index, now + index + 1, (n - index - 1) * sizeof *next);
  return dyn_publish(rt, d, version + 1, n - 1);
}
