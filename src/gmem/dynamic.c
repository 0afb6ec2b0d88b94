/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamic.c - dynamic segments (eyot/dynamic.h): create and destroy, the owner's attach and detach,
 * and resolving of pointers. Source: Gerstenberger, Besta, Hoefler: Enabling highly-scalable remote
 * memory access programming with MPI-3 one sided, SC 2013, section 2.2 (dynamic windows). */
#include "gmem/dynamic.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"

#define REGION "region of a dynamic segment"
#define ADDRESS_MASK (((uint64_t)1 << EYOTI_DYNAMIC_BITS) - 1)

static int dyn_check_attr(struct eyot_rt *rt, const eyot_dynamic_attr_t *a,
                          const eyot_dynamic_t *out) {
  if (out == NULL) return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL, "dynamic is NULL");
  if ((uint32_t)a->kind > EYOT_DYNAMIC_NOTIFY)
    return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL,
                           "kind %d is neither EYOT_DYNAMIC_VALIDATE nor EYOT_DYNAMIC_NOTIFY",
                           (int)a->kind);
  if (a->regions == 0 || a->regions > EYOTI_DYN_REGIONS_MAX || a->peers == 0 ||
      a->peers > EYOTI_DYN_PEERS_MAX)
    return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL, "%u regions and %u peers: expected 1 to %u of each",
                           a->regions, a->peers, EYOTI_DYN_REGIONS_MAX);
  return EYOT_OK;
}
_Static_assert(EYOTI_DYN_REGIONS_MAX == EYOTI_DYN_PEERS_MAX,
               "one bound is in the message for both");

int eyot_dynamic_create(eyot_team_t team, const eyot_dynamic_attr_t *attr,
                        eyot_dynamic_t *dynamic) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  eyot_dynamic_attr_t a = EYOT_DYNAMIC_ATTR_INIT;
  if (attr != NULL) a = *attr;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  struct eyoti_galloc want = {.align = EYOTI_GMEM_ALIGN,
                              .bytes = eyoti_dyn_bytes(&a),
                              .error = dyn_check_attr(rt, &a, dynamic)};
  want.arguments =
      eyoti_hash_mix(eyoti_hash_mix(eyoti_hash_mix(1, (uint64_t)a.kind), a.regions), a.peers);
  struct eyoti_dynamic *d = NULL;
  if (want.error == EYOT_OK) {
    want.dynamic = d = calloc(1, sizeof *d);
    if (d == NULL)
      want.error = EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of a dynamic segment");
  }
  if (d != NULL)
    *d = (struct eyoti_dynamic){
        .attr = a, .team = t, .newest = EYOTI_DYN_NONE, .oldest = EYOTI_DYN_NONE};
  eyot_gptr_t made;
  int rc = eyoti_gmem_collective_make(rt, t, &want, &made);
  if (rc != EYOT_OK) {
    free(d);
    return rc;
  }
  d->at = made;
  d->part = eyoti_gmem_collective_find(rt->gmem, made);
  d->off = d->part->off;
  d->base = eyoti_gmem_at(rt->gmem, d->off);
  *dynamic = (eyot_dynamic_t){made};
  return EYOT_OK;
}

static int dyn_get(struct eyot_rt *rt, eyot_dynamic_t dynamic, struct eyoti_dynamic **out) {
  const struct eyoti_gseg *s = eyoti_gmem_collective_find(rt->gmem, dynamic.at);
  *out = s == NULL ? NULL : s->dynamic;
  if (*out != NULL) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                         "segment %u generation %u is no dynamic segment of this unit: it was "
                         "destroyed, or never created",
                         dynamic.at.seg, eyoti_gptr_gen(dynamic.at));
}

int eyot_dynamic_destroy(eyot_dynamic_t *dynamic) {
  EYOTI_ENTER(rt);
  if (dynamic == NULL) return EYOTI_FAIL(EYOT_EINVAL, "dynamic is NULL");
  struct eyoti_dynamic *d;
  EYOTI_TRY(dyn_get(rt, *dynamic, &d));
  EYOTI_TRY(eyoti_team_enter(rt, d->team));
  EYOTI_TRY(eyoti_gmem_collective_free(rt, d->at, d->part));
  *dynamic = EYOT_DYNAMIC_NULL;
  return EYOT_OK;
}

/* All members are here, or the run ends: there are no notices. */
void eyoti_gmem_dynamic_drop(struct eyot_rt *rt, struct eyoti_dynamic *d) {
  uint64_t id = eyoti_dyn_own_word(d, 0);
  uint32_t n = eyoti_dyn_count(id);
  const struct eyoti_dyn_region *r = eyoti_dyn_own_table(d, eyoti_dyn_version(id));
  if (n > 0)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "%u regions of unit %u were still attached to dynamic segment %u; the first begins "
              "at %#" PRIx64,
              n, rt->fab->me, d->at.seg, r[0].addr);
  for (uint32_t i = 0; i < n; i++) {
    (void)rt->fab->ops->detach(rt->fab, r[i].key); /* the fabric has logged why, if it refused */
    eyoti_observe_released(rt, REGION, r[i].key);
    eyoti_made_drop(rt, EYOTI_MADE_REGION, r[i].key);
  }
  eyoti_dyn_cache_fini(d);
  free(d);
}

static eyot_gptr_t pointer_to(const struct eyoti_dynamic *d, uint32_t unit, uint64_t address) {
  return (eyot_gptr_t){
      .offset = d->at.offset | address, .unit = unit, .seg = d->at.seg, .gen = d->at.gen};
}

static int dyn_overlap(const struct eyoti_dyn_region *r, uint64_t from, uint64_t bytes) {
  return EYOTI_FAIL(EYOT_EINVAL,
                    "%" PRIu64 " bytes at %#" PRIx64 " overlap the %" PRIu64
                    " bytes attached at %#" PRIx64 "; detach those first",
                    bytes, from, r->len, r->addr);
}

int eyot_dynamic_attach(eyot_dynamic_t dynamic, void *addr, uint64_t bytes, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_dynamic *d;
  EYOTI_TRY(dyn_get(rt, dynamic, &d));
  uint64_t from = (uint64_t)(uintptr_t)addr;
  if (addr == NULL || bytes == 0 || from > ADDRESS_MASK || bytes > ADDRESS_MASK - from)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "cannot attach %" PRIu64
                      " bytes at %p: expected at least one byte, below address 2^%u",
                      bytes, addr, EYOTI_DYNAMIC_BITS);
  uint64_t id = eyoti_dyn_own_word(d, 0);
  uint32_t n = eyoti_dyn_count(id);
  const struct eyoti_dyn_region *r = eyoti_dyn_own_table(d, eyoti_dyn_version(id));
  uint32_t rank = eyoti_dyn_rank(r, n, from);
  if (rank > 0 && from - r[rank - 1].addr < r[rank - 1].len)
    return dyn_overlap(&r[rank - 1], from, bytes);
  if (rank < n && r[rank].addr - from < bytes) return dyn_overlap(&r[rank], from, bytes);
  if (n == d->attr.regions)
    return EYOTI_FAIL(
        EYOT_EBUSY,
        "%u regions are attached, that is the limit; create the segment with more `regions`", n);
  struct eyoti_dyn_region region = {.addr = from, .len = bytes};
  EYOTI_TRY(rt->fab->ops->attach(rt->fab, addr, bytes, &region.key));
  int rc = eyoti_dyn_insert(rt, d, rank, &region);
  if (rc != EYOT_OK) {
    (void)rt->fab->ops->detach(rt->fab, region.key);
    return rc;
  }
  eyoti_observe_made(rt, REGION, region.key, bytes);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_REGION,
                                          .id = region.key,
                                          .seg = FAB_SEG_ATTACHED,
                                          .off = region.key,
                                          .len_bytes = bytes,
                                          .counts = true});
  if (gptr != NULL) *gptr = pointer_to(d, rt->fab->me, from);
  return EYOT_OK;
}

int eyot_dynamic_detach(eyot_dynamic_t dynamic, void *addr) {
  EYOTI_ENTER(rt);
  struct eyoti_dynamic *d;
  EYOTI_TRY(dyn_get(rt, dynamic, &d));
  uint64_t from = (uint64_t)(uintptr_t)addr, id = eyoti_dyn_own_word(d, 0);
  uint32_t n = eyoti_dyn_count(id);
  const struct eyoti_dyn_region *r = eyoti_dyn_own_table(d, eyoti_dyn_version(id));
  uint32_t rank = eyoti_dyn_rank(r, n, from);
  if (rank == 0 || r[rank - 1].addr != from)
    return EYOTI_FAIL(EYOT_EINVAL, "no region begins at %p; %u are attached%s", addr, n,
                      rank > 0 && from - r[rank - 1].addr < r[rank - 1].len
                          ? ", and one of them holds the address in its middle"
                          : "");
  uint64_t key = r[rank - 1].key;
  EYOTI_TRY(eyoti_dyn_remove(rt, d, rank - 1));
  /* From here on the region is gone for all origins that look it up; it is gone for the fabric too
   * even if an origin could not be notified. */
  int rc = eyoti_dyn_notify(rt, d);
  int rc_fabric = rt->fab->ops->detach(rt->fab, key);
  eyoti_observe_released(rt, REGION, key);
  eyoti_made_drop(rt, EYOTI_MADE_REGION, key);
  return rc != EYOT_OK ? rc : rc_fabric;
}

int eyot_dynamic_gptr(eyot_dynamic_t dynamic, eyot_unit_t unit, uint64_t address,
                      eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_dynamic *d;
  uint32_t index;
  if (gptr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "gptr is NULL");
  EYOTI_TRY(dyn_get(rt, dynamic, &d));
  if (!eyoti_team_index(d->team, unit.id, &index))
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u is not in %s, which owns dynamic segment %u", unit.id,
                      EYOTI_TEAM_WORDS(d->team), d->at.seg);
  if (address == 0 || address > ADDRESS_MASK)
    return EYOTI_FAIL(EYOT_EINVAL, "%#" PRIx64 " is no address of a program: expected 1 to 2^%u-1",
                      address, EYOTI_DYNAMIC_BITS);
  *gptr = pointer_to(d, unit.id, address);
  return EYOT_OK;
}

char *eyoti_gmem_dynamic_addr(eyot_gptr_t g) {
  return (char *)(uintptr_t)(g.offset & ADDRESS_MASK);
}

static int resolve_own(struct eyot_rt *rt, const struct eyoti_dynamic *d, uint64_t addr,
                       uint64_t len, struct eyoti_dyn_region *out) {
  uint64_t id = eyoti_dyn_own_word(d, 0);
  const struct eyoti_dyn_region *table = eyoti_dyn_own_table(d, eyoti_dyn_version(id));
  const struct eyoti_dyn_region *r = eyoti_dyn_find(table, eyoti_dyn_count(id), addr, len);
  if (r == NULL) return eyoti_dyn_missing(rt, table, eyoti_dyn_count(id), rt->fab->me, addr, len);
  *out = *r;
  return EYOT_OK;
}

int eyoti_gmem_resolve_dynamic(struct eyot_rt *rt, struct eyoti_dynamic *d, eyot_gptr_t g,
                               uint64_t len, struct fab_addr *out) {
  uint32_t index;
  uint64_t addr = g.offset & ADDRESS_MASK;
  if (!eyoti_team_index(d->team, g.unit, &index))
    return EYOTI_GMEM_FAIL(rt, EYOT_EUNIT, "unit %u is not in %s, which owns dynamic segment %u",
                           g.unit, EYOTI_TEAM_WORDS(d->team), g.seg);
  struct eyoti_dyn_region r;
  if (g.unit == rt->fab->me)
    EYOTI_TRY(resolve_own(rt, d, addr, len, &r));
  else
    EYOTI_TRY(eyoti_dyn_resolve_remote(rt, d, g.unit, addr, len, &r));
  *out = fab_at(g.unit, FAB_SEG_ATTACHED, r.key + (addr - r.addr));
  return EYOT_OK;
}
