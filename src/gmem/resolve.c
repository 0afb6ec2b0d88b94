/* SPDX-License-Identifier: BSD-3-Clause */
/* resolve.c - resolves a global pointer to a fabric address (gmem.h), for each kind of memory;
 * pointer arithmetic and direct addresses (eyot/mem.h). */
#include <inttypes.h>

#include "gmem/state.h"

static bool is_collective(eyot_gptr_t g) {
  return g.seg >= EYOTI_SEG_FIRST && g.seg < EYOTI_SEG_REGISTERED;
}

static int resolve_other(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out) {
  if (g.seg == EYOTI_SEG_NULL) return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "the global pointer is null");
  if (g.unit >= rt->fab->n)
    return EYOTI_GMEM_FAIL(rt, EYOT_EUNIT, "the pointer is to unit %u: there are %u", g.unit,
                           rt->fab->n);
  if (g.seg == EYOTI_SEG_DATA) return eyoti_gmem_resolve_data(rt, g, len, out);
  if (eyoti_gptr_is_private(g)) return eyoti_gmem_resolve_private(rt, g, len, out);
  if (g.seg >= EYOTI_SEG_REGISTERED) return eyoti_gmem_resolve_registered(rt, g, len, out);
  return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "segment %u: no function of eyot makes such a pointer",
                         g.seg);
}

/* A function of its own, so that the usual case has no frame. */
static __attribute__((noinline)) int resolve_any(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                                 struct fab_addr *out) {
  if (is_collective(g) && g.unit < rt->fab->n)
    return eyoti_gmem_resolve_collective(rt, g, len, out);
  return resolve_other(rt, g, len, out);
}

int eyoti_gmem_resolve(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out) {
  if (__builtin_expect(eyoti_gmem_resolve_usual(rt, g, len, out), 1)) return EYOT_OK;
  return resolve_any(rt, g, len, out);
}

/* Tells whether two pointers name the same allocation. */
static bool same_allocation(eyot_gptr_t a, eyot_gptr_t b) {
  if (a.seg == EYOTI_SEG_NULL || a.unit != b.unit || a.seg != b.seg || a.gen != b.gen) return false;
  if (eyoti_gptr_is_private(a))
    return a.offset >> EYOTI_PRIVATE_BITS == b.offset >> EYOTI_PRIVATE_BITS;
  return eyoti_gptr_gen(a) == eyoti_gptr_gen(b);
}

int eyot_gptr_diff(eyot_gptr_t a, eyot_gptr_t b, int64_t *bytes) {
  EYOTI_PASS();
  if (bytes == NULL) return EYOTI_FAIL(EYOT_EINVAL, "bytes is NULL");
  if (!same_allocation(a, b))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "pointers to unit %u segment %u and unit %u segment %u do not lie in one "
                      "part of one segment",
                      a.unit, a.seg, b.unit, b.seg);
  *bytes = (int64_t)(a.offset - b.offset);
  return EYOT_OK;
}

int eyot_gptr_at_team(eyot_gptr_t g, eyot_team_t team, eyot_tunit_t unit, eyot_gptr_t *out) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  if (out == NULL) return EYOTI_FAIL(EYOT_EINVAL, "out is NULL");
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  if (unit.id >= t->size)
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u of %s, which has %u", unit.id, EYOTI_TEAM_WORDS(t),
                      t->size);
  *out = eyot_gptr_at(g, (eyot_unit_t){eyoti_team_unit(t, unit.id)});
  return EYOT_OK;
}

static int own_addr(struct eyot_rt *rt, eyot_gptr_t g, void **addr) {
  if (g.seg != EYOTI_SEG_NULL && g.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT, "the memory is unit %u's", g.unit);
  struct fab_addr at;
  EYOTI_TRY(eyoti_gmem_resolve(rt, g, 0, &at));
  if (g.seg == EYOTI_SEG_DATA)
    *addr = eyoti_gmem_data_addr(rt, g);
  else if (at.seg != FAB_SEG_ATTACHED)
    *addr = eyoti_gmem_at(rt->gmem, at.off);
  else if (g.seg >= EYOTI_SEG_REGISTERED)
    *addr = eyoti_gmem_registered_addr(rt, g);
  else
    *addr = eyoti_gmem_dynamic_addr(g);
  return EYOT_OK;
}

int eyot_gptr_addr(eyot_gptr_t g, void **addr) {
  EYOTI_ENTER(rt);
  if (addr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "addr is NULL");
  return own_addr(rt, g, addr);
}

int eyot_gptr_direct(eyot_gptr_t g, void **addr) {
  EYOTI_ENTER(rt);
  if (addr == NULL) return EYOTI_FAIL(EYOT_EINVAL, "addr is NULL");
  if (g.unit == rt->fab->me) return own_addr(rt, g, addr);
  struct fab_addr at;
  EYOTI_TRY(eyoti_gmem_resolve(rt, g, 0, &at));
  uint32_t k = g.unit - rt->fab->local.first;
  if (at.seg == FAB_SEG_ATTACHED || k >= rt->fab->local.n)
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "the memory of unit %u is not mapped here: use eyot_put and eyot_get",
                      g.unit);
  EYOTI_TRY(rt->fab->ops->seg_ptr(rt->fab, at.seg, at.unit, at.off, addr));
  return EYOT_OK;
}
