/* SPDX-License-Identifier: BSD-3-Clause */
/* sheap.c - the shared heap (eyot/sheap.h): objects of slab.c at the addresses that all units of a
 * node have for eyot's heap (fab_ops.seg_common). */
#include "gmem/sheap.h"

#include <inttypes.h>
#include <string.h>

#include "gmem/slab.h"

#define ALIGN 64u /* of what eyot_sheap_alloc returns */

bool eyoti_sheap_reaches(struct eyot_rt *rt, fab_unit_t unit) {
  void *base;
  return rt->fab->ops->seg_common != NULL &&
         rt->fab->ops->seg_common(rt->fab, rt->gmem->seg, unit, 0, &base) == EYOT_OK;
}

bool eyoti_sheap_find(struct eyot_rt *rt, const void *p, uint64_t bytes, fab_unit_t *unit,
                      uint64_t *off) {
  *unit = rt->fab->me;
  if (eyoti_gmem_heap_has(rt, p, bytes, off)) return true;
  return rt->fab->ops->seg_find != NULL &&
         rt->fab->ops->seg_find(rt->fab, rt->gmem->seg, p, bytes, unit, off) &&
         eyoti_sheap_reaches(rt, *unit);
}

static int sheap_check(struct eyot_rt *rt) {
  if (eyoti_sheap_reaches(rt, rt->fab->me)) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ENOTSUP,
                         "the processes of this node have their heaps at different addresses, so "
                         "they share no pointers: use global pointers");
}

static int sheap_full(struct eyot_rt *rt, uint64_t bytes) {
  return EYOTI_GMEM_FAIL(
      rt, EYOT_ENOMEM,
      "%" PRIu64 " bytes: the largest free place in the heap, which grows to %" PRIu64
      ", has %" PRIu64 "; raise EYOT_HEAP_MAX",
      bytes, eyoti_gmem_size_most(rt->gmem), eyoti_extents_largest_free(&rt->gmem->space, NULL));
}

static int sheap_take(struct eyot_rt *rt, uint64_t bytes, void **p) {
  int rc = eyoti_slab_take(rt, bytes, ALIGN, p);
  return rc == EYOT_ENOMEM ? sheap_full(rt, bytes) : rc;
}

/* Finds the object that begins at p. Errors: EINVAL, ESEG (logged). */
static int object_find(struct eyot_rt *rt, const void *p, fab_unit_t *unit,
                       struct eyoti_chunk **out) {
  uint64_t off;
  if (p == NULL || !eyoti_sheap_find(rt, p, 1, unit, &off))
    return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL,
                           "%p is not in the shared heap of a unit of this node, expected what "
                           "eyot_sheap_alloc has returned on one of them",
                           p);
  *out = eyoti_slab_find(rt, p, unit);
  if (*out != NULL) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                         "no allocation begins at %p in the shared heap of unit %u, or it was "
                         "freed before",
                         p, *unit);
}

static int object_free(struct eyot_rt *rt, struct eyoti_chunk *c, fab_unit_t unit, void *p,
                       bool *ended) {
  bool twice;
  EYOTI_TRY(eyoti_slab_give(rt, c, unit, p, &twice, ended));
  *ended = !twice;
  if (!twice) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "%p of unit %u was freed before, at the same time", p,
                         unit);
}

int eyot_sheap_alloc(uint64_t bytes, void **p) {
  EYOTI_ENTER(rt);
  if (p == NULL || bytes == 0)
    return EYOTI_FAIL(EYOT_EINVAL, p == NULL ? "p is NULL" : "bytes is 0");
  EYOTI_TRY(sheap_check(rt));
  return sheap_take(rt, bytes, p);
}

int eyot_sheap_free(void *p) {
  EYOTI_ENTER(rt);
  fab_unit_t unit;
  struct eyoti_chunk *c;
  if (p == NULL) return EYOT_OK;
  EYOTI_TRY(sheap_check(rt));
  bool ended;
  EYOTI_TRY(object_find(rt, p, &unit, &c));
  return object_free(rt, c, unit, p, &ended);
}

int eyot_sheap_realloc(void *p, uint64_t bytes, void **out) {
  EYOTI_ENTER(rt);
  fab_unit_t unit;
  struct eyoti_chunk *c;
  void *more;
  if (out == NULL || bytes == 0)
    return EYOTI_FAIL(EYOT_EINVAL, out == NULL ? "out is NULL" : "bytes is 0");
  EYOTI_TRY(sheap_check(rt));
  if (p == NULL) return sheap_take(rt, bytes, out);
  EYOTI_TRY(object_find(rt, p, &unit, &c));
  if (unit == rt->fab->me && bytes <= c->size && 2 * bytes > c->size) {
    *out = p;
    return EYOT_OK;
  }
  EYOTI_TRY(sheap_take(rt, bytes, &more));
  memcpy(more, p, bytes < c->size ? bytes : c->size);
  bool ended, more_ended;
  int rc = object_free(rt, c, unit, p, &ended);
  if (rc != EYOT_OK && !ended) {
    (void)object_free(rt, eyoti_slab_chunk(rt, more, &unit), rt->fab->me, more, &more_ended);
    return rc;
  }
  if (rc != EYOT_OK)
    eyoti_log(EYOTI_LOG_WARN, rt->fab->note.what, 0,
              "unit %u may not have got back %p, whose contents are at %p now", unit, p, more);
  *out = more;
  return EYOT_OK;
}

int eyot_sheap_owner(const void *p, eyot_unit_t *unit) {
  EYOTI_ENTER(rt);
  fab_unit_t found;
  uint64_t off;
  if (unit == NULL) return EYOTI_FAIL(EYOT_EINVAL, "unit is NULL");
  EYOTI_TRY(sheap_check(rt));
  if (!eyoti_sheap_find(rt, p, 1, &found, &off))
    return EYOTI_FAIL(EYOT_EINVAL, "%p is not in the shared heap of a unit of this node", p);
  *unit = (eyot_unit_t){found};
  return EYOT_OK;
}

int eyot_sheap_gptr(const void *p, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  fab_unit_t unit;
  uint64_t off;
  if (gptr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "gptr is NULL");
  EYOTI_TRY(sheap_check(rt));
  if (!eyoti_sheap_find(rt, p, 1, &unit, &off))
    return EYOTI_FAIL(EYOT_EINVAL, "%p is not in the shared heap of a unit of this node", p);
  struct eyoti_chunk *c = eyoti_slab_chunk(rt, p, &unit);
  if (c == NULL)
    return EYOTI_FAIL(EYOT_ESEG,
                      "no allocation of eyot_sheap_alloc of unit %u has %p, or not in its first 64 "
                      "KiB: take the pointer to its first byte, and eyot_gptr_add",
                      unit, p);
  if (!eyoti_slab_in_use(c, p))
    return EYOTI_FAIL(EYOT_ESEG,
                      "%p is in memory of unit %u that no eyot_sheap_alloc has: freed, or "
                      "not allocated yet",
                      p, unit);
  uint64_t at = (uint64_t)((const char *)p - (const char *)c) - sizeof c->label;
  eyot_gptr_t block = eyoti_gmem_private_at(rt, unit, off - at, &c->label);
  *gptr = eyot_gptr_add(block, (int64_t)at);
  return EYOT_OK;
}

bool eyot_sheap_contains(const void *p, uint64_t bytes) {
  EYOTI_PASS();
  struct eyot_rt *rt = eyot_current;
  fab_unit_t unit;
  uint64_t off;
  return eyoti_rt_accepts(rt) && rt->gmem != NULL && eyoti_sheap_find(rt, p, bytes, &unit, &off);
}
