/* SPDX-License-Identifier: BSD-3-Clause */
/* registered.c - existing memory made accessible (eyot_register): the fabric's attach, and a
 * directory of descriptors at the owner.
 *
 * A pointer names a slot of its owner's directory. Origins fetch the descriptor at each access (32
 * bytes), so that unregistered memory is recognized and no state is stored per peer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gmem/state.h"

#define KIND "registered memory"
#define BYTE_MASK (((uint64_t)1 << EYOTI_REGISTERED_BITS) - 1)

static uint64_t slot_off(uint64_t slot) {
  return EYOTI_GMEM_DIRECTORY_OFF + slot * sizeof(struct eyoti_gdesc);
}
static uint64_t slot_of(eyot_gptr_t g) {
  return g.offset >> EYOTI_REGISTERED_BITS;
}

int eyot_register(void *addr, uint64_t bytes, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_gmem *m = rt->gmem;
  if (gptr == NULL || addr == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", gptr == NULL ? "gptr" : "addr");
  if (bytes == 0 || bytes > BYTE_MASK)
    return EYOTI_FAIL(EYOT_EINVAL, "%" PRIu64 " bytes: expected 1 to 2^48-1", bytes);
  uint32_t slot = eyoti_idtab_lowest(&m->regs, 0);
  if (slot == EYOTI_IDTAB_NONE)
    return EYOTI_FAIL(EYOT_EBUSY, "%u pieces of memory are registered, that is the limit",
                      EYOTI_GMEM_REGISTERED_MAX);
  EYOTI_TRY(eyoti_idtab_reserve(&m->regs, slot));
  struct eyoti_greg *r = malloc(sizeof *r);
  if (r == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of a registration");
  *r = (struct eyoti_greg){.addr = addr, .len = bytes};
  int rc = rt->fab->ops->attach(rt->fab, addr, bytes, &r->key);
  if (rc != EYOT_OK) {
    free(r);
    return rc;
  }
  uint16_t gen = eyoti_idtab_next_gen(&m->regs, slot);
  eyoti_idtab_put(&m->regs, slot, gen, r);
  struct eyoti_gdesc d = {.key = r->key, .len = bytes, .gen = gen};
  memcpy(m->base + slot_off(slot), &d, sizeof d);
  eyoti_observe_made(rt, KIND, slot, bytes);
  *gptr = (eyot_gptr_t){.offset = (uint64_t)slot << EYOTI_REGISTERED_BITS,
                        .unit = rt->fab->me,
                        .seg = EYOTI_SEG_REGISTERED,
                        .gen = gen};
  return EYOT_OK;
}

static struct eyoti_greg *find_own(const struct eyoti_gmem *m, eyot_gptr_t g) {
  return eyoti_idtab_get(&m->regs, (uint32_t)slot_of(g), g.gen);
}

static int registered_drop(struct eyot_rt *rt, uint32_t slot, struct eyoti_greg *r) {
  memset(rt->gmem->base + slot_off(slot), 0, sizeof(struct eyoti_gdesc));
  int rc = rt->fab->ops->detach(rt->fab, r->key);
  eyoti_idtab_del(&rt->gmem->regs, slot);
  eyoti_observe_released(rt, KIND, slot);
  free(r);
  return rc;
}

int eyot_unregister(eyot_gptr_t gptr) {
  EYOTI_ENTER(rt);
  if (gptr.seg != EYOTI_SEG_REGISTERED)
    return EYOTI_FAIL(EYOT_ESEG, "a pointer to segment %u is not from eyot_register", gptr.seg);
  if (gptr.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT, "the memory is unit %u's, and only the owner may unregister it",
                      gptr.unit);
  struct eyoti_greg *r = find_own(rt->gmem, gptr);
  if (r == NULL || (gptr.offset & BYTE_MASK) != 0)
    return EYOTI_FAIL(EYOT_ESEG, "the memory is not registered, or the pointer is not its start");
  return registered_drop(rt, (uint32_t)slot_of(gptr), r);
}

char *eyoti_gmem_registered_addr(struct eyot_rt *rt, eyot_gptr_t g) {
  const struct eyoti_greg *r = find_own(rt->gmem, g);
  EYOTI_ASSERT(r != NULL);
  return r->addr + (g.offset & BYTE_MASK);
}

static int registered_fetch(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_gdesc *d) {
  if (slot_of(g) >= EYOTI_GMEM_REGISTERED_MAX) {
    *d = (struct eyoti_gdesc){0};
    return EYOT_OK;
  }
  struct fab_addr at = fab_at(g.unit, rt->gmem->seg, slot_off(slot_of(g)));
  const char *mapped = eyoti_gmem_mapped(rt, at);
  if (mapped == NULL) return fab_get_wait(rt->fab, d, at, sizeof *d);
  memcpy(d, mapped, sizeof *d);
  return EYOT_OK;
}

int eyoti_gmem_resolve_registered(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                  struct fab_addr *out) {
  struct eyoti_gdesc d;
  EYOTI_TRY(registered_fetch(rt, g, &d));
  if (d.gen == 0 || d.gen != g.gen)
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG, "memory of unit %u that is not registered, or no longer",
                           g.unit);
  uint64_t byte = g.offset & BYTE_MASK;
  if (len > d.len || byte > d.len - len)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                           "%" PRIu64 " bytes at offset %" PRIu64
                           " of registered memory of unit %u, which has %" PRIu64,
                           len, byte, g.unit, d.len);
  *out = fab_at(g.unit, FAB_SEG_ATTACHED, d.key + byte);
  return EYOT_OK;
}

uint32_t eyoti_gmem_registered_drop(struct eyot_rt *rt) {
  uint32_t leaks = 0;
  uint16_t gen;
  for (uint32_t slot = 0; slot < eyoti_idtab_top(&rt->gmem->regs); slot++) {
    struct eyoti_greg *r = eyoti_idtab_at(&rt->gmem->regs, slot, &gen);
    if (r == NULL) continue;
    leaks++;
    (void)registered_drop(rt, slot, r); /* the fabric has logged why, if it refused */
  }
  return leaks;
}
