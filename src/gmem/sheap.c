/* SPDX-License-Identifier: BSD-3-Clause */
/* sheap.c - the shared heap (eyot/sheap.h): blocks of eyot_alloc at the addresses that all units of
 * a node have for the heap (fab_ops.seg_common).
 *
 * Only its owner changes the tables of a heap. Another unit that frees a block puts it into the
 * owner's list of returned blocks (returns.h), which the owner empties when it allocates. */
#include "gmem/sheap.h"

#include <inttypes.h>
#include <string.h>

#include "gmem/label.h"
#include "gmem/returns.h"

#define HEADER_BYTES EYOTI_GMEM_ALIGN
#define RETURNED_MAGIC 0x65796f7462616b6bu /* of a block that another unit has freed */

bool eyoti_sheap_reaches(struct eyot_rt *rt, fab_unit_t unit) {
  void *base;
  return rt->fab->ops->seg_common != NULL &&
         rt->fab->ops->seg_common(rt->fab, rt->gmem->seg, unit, &base) == EYOT_OK;
}

bool eyoti_sheap_find(struct eyot_rt *rt, const void *p, uint64_t bytes, fab_unit_t *unit,
                      uint64_t *off) {
  return rt->fab->ops->seg_find != NULL &&
         rt->fab->ops->seg_find(rt->fab, rt->gmem->seg, p, bytes, unit, off) &&
         (*unit == rt->fab->me || eyoti_sheap_reaches(rt, *unit));
}

static int sheap_check(struct eyot_rt *rt) {
  if (eyoti_sheap_reaches(rt, rt->fab->me)) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ENOTSUP,
                         "the processes of this node have their heaps at different addresses, so "
                         "they share no pointers: use global pointers");
}

/* -- blocks that other units have freed -------------------------------------------------------- */

static int block_free(struct eyot_rt *rt, uint64_t block) {
  struct eyoti_glabel h;
  char *at = rt->gmem->base + block - HEADER_BYTES;
  memcpy(&h, at, sizeof h);
  h.magic = EYOTI_GLABEL_MAGIC;
  return eyoti_gmem_private_drop(rt, eyoti_gmem_private_at(rt, rt->fab->me, block, &h), block, &h);
}

/* Frees what others have returned. */
static int returns_drain(struct eyot_rt *rt) {
  uint64_t block;
  EYOTI_TRY(eyoti_returns_take(rt, EYOTI_RETURNS_SHEAP, &block));
  while (block != 0) {
    uint64_t next;
    memcpy(&next, rt->gmem->base + block, sizeof next);
    EYOTI_TRY(block_free(rt, block));
    block = next;
  }
  return EYOT_OK;
}

/* -- calls ------------------------------------------------------------------------------------- */

int eyot_sheap_alloc(uint64_t bytes, void **p) {
  EYOTI_ENTER(rt);
  eyot_gptr_t g;
  struct fab_addr at;
  if (p == NULL) return EYOTI_FAIL(EYOT_EINVAL, "p is NULL");
  EYOTI_TRY(sheap_check(rt));
  EYOTI_TRY(returns_drain(rt));
  EYOTI_TRY(eyoti_gmem_private_new(rt, bytes, EYOTI_GMEM_RAW, &g));
  EYOTI_TRY(eyoti_gmem_resolve(rt, g, bytes, &at));
  *p = eyoti_gmem_mapped(rt, at);
  return EYOT_OK;
}

/* Finds the block that begins at p. Errors: EINVAL, ESEG (logged). */
static int block_find(struct eyot_rt *rt, const void *p, fab_unit_t *unit, uint64_t *block,
                      struct eyoti_glabel *h) {
  if (p == NULL || !eyoti_sheap_find(rt, p, 1, unit, block))
    return EYOTI_GMEM_FAIL(rt, EYOT_EINVAL,
                           "%p is not in the shared heap of a unit of this node, expected what "
                           "eyot_sheap_alloc has returned on one of them",
                           p);
  if (*block % EYOTI_GMEM_ALIGN == 0 && *block >= rt->gmem->first + HEADER_BYTES)
    memcpy(h, (const char *)p - HEADER_BYTES, sizeof *h);
  if (h->magic == EYOTI_GLABEL_MAGIC) return EYOT_OK;
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                         "no allocation begins at %p in the shared heap of unit %u, or it was "
                         "freed before",
                         p, *unit);
}

int eyot_sheap_free(void *p) {
  EYOTI_ENTER(rt);
  fab_unit_t unit;
  uint64_t block;
  struct eyoti_glabel h = {0};
  if (p == NULL) return EYOT_OK;
  EYOTI_TRY(sheap_check(rt));
  EYOTI_TRY(block_find(rt, p, &unit, &block, &h));
  if (unit == rt->fab->me)
    return eyoti_gmem_private_drop(rt, eyoti_gmem_private_at(rt, unit, block, &h), block, &h);
  /* of two units that free it at the same time one finds that it is gone */
  uint64_t *magic = (uint64_t *)(void *)((char *)p - HEADER_BYTES), alive = EYOTI_GLABEL_MAGIC;
  if (!__atomic_compare_exchange_n(magic, &alive, RETURNED_MAGIC, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return EYOTI_FAIL(EYOT_ESEG, "%p of unit %u was freed before", p, unit);
  return eyoti_returns_push(rt, EYOTI_RETURNS_SHEAP, p, unit, block);
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
  uint64_t block;
  struct eyoti_glabel h = {0};
  if (gptr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "gptr is NULL");
  EYOTI_TRY(sheap_check(rt));
  EYOTI_TRY(block_find(rt, p, &unit, &block, &h));
  *gptr = eyoti_gmem_private_at(rt, unit, block, &h);
  return EYOT_OK;
}

bool eyot_sheap_contains(const void *p, uint64_t bytes) {
  EYOTI_PASS();
  struct eyot_rt *rt = eyot_current;
  fab_unit_t unit;
  uint64_t off;
  return eyoti_rt_accepts(rt) && rt->gmem != NULL && eyoti_sheap_find(rt, p, bytes, &unit, &off);
}
