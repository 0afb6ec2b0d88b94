/* SPDX-License-Identifier: BSD-3-Clause */
/* registered.c - existing memory made accessible (eyot_register): the fabric's attach, and a
 * directory of descriptors at the owner.
 *
 * A pointer names a slot of its owner's directory. Origins fetch the descriptor at each access (32
 * bytes), so that unregistered memory is recognized and no state is stored per peer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gmem/label.h"

#define KIND "registered memory"
#define BYTES_MAX (((uint64_t)1 << (EYOTI_OFFSET_BITS - 1)) - 1)

static uint64_t slot_off(uint64_t slot) {
  return EYOTI_GMEM_DIRECTORY_OFF + slot * sizeof(struct eyoti_gdesc);
}
static bool is_registered(eyot_gptr_t g) {
  return g.seg >= EYOTI_SEG_REGISTERED && g.seg < EYOTI_SEG_PRIVATE;
}
static uint32_t slot_of(eyot_gptr_t g) {
  return g.seg - EYOTI_SEG_REGISTERED;
}

static int no_slot(const struct eyoti_gmem *m) {
  if (m->regs.live == EYOTI_GMEM_REGISTERED_MAX)
    return EYOTI_GMEM_FAIL(eyot_current, EYOT_EBUSY,
                           "%u pieces of memory are registered, that is the limit; call "
                           "eyot_unregister for one that is no longer needed",
                           EYOTI_GMEM_REGISTERED_MAX);
  return EYOTI_GMEM_FAIL(eyot_current, EYOT_EBUSY,
                         "all %u slots but %u in use have had 2^%u registrations, the last ones: "
                         "unregister and register less often, or use eyot_alloc",
                         EYOTI_GMEM_REGISTERED_MAX, m->regs.live, EYOTI_IDTAB_GEN_BITS);
}

int eyot_register(void *addr, uint64_t bytes, eyot_gptr_t *gptr) {
  EYOTI_ENTER(rt);
  struct eyoti_gmem *m = rt->gmem;
  if (gptr == NULL || addr == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", gptr == NULL ? "gptr" : "addr");
  if (bytes == 0 || bytes > BYTES_MAX)
    return EYOTI_FAIL(EYOT_EINVAL, "%" PRId64 " bytes: expected 1 to 2^47-1", (int64_t)bytes);
  uint32_t slot = eyoti_idtab_next(&m->regs);
  if (slot == EYOTI_IDTAB_NONE) return no_slot(m);
  EYOTI_TRY(eyoti_idtab_reserve(&m->regs, slot));
  struct eyoti_greg *r = malloc(sizeof *r);
  if (r == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory to keep track of a registration");
  *r = (struct eyoti_greg){.addr = addr, .len = bytes};
  int rc = rt->fab->ops->attach(rt->fab, addr, bytes, &r->key);
  if (rc != EYOT_OK) {
    free(r);
    return rc;
  }
  uint64_t gen = eyoti_idtab_next_gen(&m->regs, slot);
  eyoti_idtab_put(&m->regs, slot, gen, r);
  struct eyoti_gdesc d = {
      .key = r->key, .len = bytes, .gen = gen, .made = eyoti_place_word(rt, eyoti_rt_site(rt))};
  memcpy(m->base + slot_off(slot), &d, sizeof d);
  eyoti_observe_made(rt, KIND, slot, bytes);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_REGISTERED,
                                          .id = slot,
                                          .gen = (uint32_t)gen,
                                          .seg = FAB_SEG_ATTACHED,
                                          .off = r->key,
                                          .len_bytes = bytes,
                                          .counts = true});
  *gptr = (eyot_gptr_t){.offset = eyoti_gen_high(gen),
                        .unit = rt->fab->me,
                        .seg = (uint16_t)(EYOTI_SEG_REGISTERED + slot),
                        .gen = (uint16_t)gen};
  return EYOT_OK;
}

static struct eyoti_greg *find_own(const struct eyoti_gmem *m, eyot_gptr_t g) {
  return eyoti_idtab_get(&m->regs, slot_of(g), eyoti_gptr_gen(g), EYOTI_GEN_BITS);
}

static struct eyoti_glabel label_of(const struct eyoti_gdesc *d) {
  return (struct eyoti_glabel){.magic = EYOTI_GLABEL_MAGIC,
                               .gen = (uint32_t)d->gen,
                               .kind = EYOTI_GLABEL_REGISTERED,
                               .len = d->len,
                               .made = d->made};
}

static int registered_drop(struct eyot_rt *rt, uint32_t slot, struct eyoti_greg *r) {
  struct eyoti_gdesc d;
  memcpy(&d, rt->gmem->base + slot_off(slot), sizeof d);
  const struct eyoti_glabel was = label_of(&d);
  eyoti_glabel_release(rt, slot, &was);
  memset(rt->gmem->base + slot_off(slot), 0, sizeof(struct eyoti_gdesc));
  int rc = rt->fab->ops->detach(rt->fab, r->key);
  eyoti_idtab_del(&rt->gmem->regs, slot);
  eyoti_observe_released(rt, KIND, slot);
  eyoti_made_drop(rt, EYOTI_MADE_REGISTERED, slot);
  free(r);
  return rc;
}

int eyot_unregister(eyot_gptr_t gptr) {
  EYOTI_ENTER(rt);
  if (!is_registered(gptr))
    return EYOTI_FAIL(EYOT_ESEG, "%s is not from eyot_register",
                      eyoti_gmem_unlike(rt, gptr, (char[EYOTI_GONE]){0}));
  if (gptr.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT,
                      "the memory is unit %u's, and only the owner may unregister it: %s",
                      gptr.unit, eyoti_gmem_about(rt, gptr, (char[EYOTI_GONE]){0}));
  struct eyoti_greg *r = find_own(rt->gmem, gptr);
  if (r == NULL || eyoti_gptr_bytes(gptr) != 0)
    return EYOTI_FAIL(
        EYOT_ESEG, "the memory is not registered: %s",
        eyoti_gmem_gone(rt, gptr, "the pointer is not to its start, or it was unregistered",
                        (char[EYOTI_GONE]){0}));
  return registered_drop(rt, slot_of(gptr), r);
}

char *eyoti_gmem_registered_addr(struct eyot_rt *rt, eyot_gptr_t g) {
  const struct eyoti_greg *r = find_own(rt->gmem, g);
  EYOTI_ASSERT(r != NULL);
  return r->addr + eyoti_gptr_bytes(g);
}

static int registered_fetch(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_gdesc *d) {
  struct fab_addr at = fab_at(g.unit, rt->gmem->seg, slot_off(slot_of(g)));
  const char *mapped = eyoti_gmem_mapped(rt, at);
  if (mapped == NULL) return fab_get_wait(rt->fab, d, at, sizeof *d);
  memcpy(d, mapped, sizeof *d);
  return EYOT_OK;
}

bool eyoti_gmem_registered_label(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_glabel *l) {
  struct eyoti_gdesc d;
  if (!eyoti_gmem_look(rt, g.unit, slot_off(slot_of(g)), &d, sizeof d) || d.gen == 0 ||
      (uint32_t)d.gen != eyoti_gptr_gen(g))
    return false;
  *l = label_of(&d);
  return true;
}

int eyoti_gmem_resolve_registered(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len,
                                  struct fab_addr *out) {
  struct eyoti_gdesc d;
  EYOTI_TRY(registered_fetch(rt, g, &d));
  if (d.gen == 0 || (uint32_t)d.gen != eyoti_gptr_gen(g))
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ESEG, "memory of unit %u that is not registered: %s", g.unit,
        eyoti_gmem_gone(rt, g, "it was unregistered, or never registered", (char[EYOTI_GONE]){0}));
  uint64_t byte = (uint64_t)eyoti_gptr_bytes(g);
  if (len > d.len || byte > d.len - len)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE, "%" PRId64 " bytes at offset %" PRId64 " of %s",
                           (int64_t)len, eyoti_gptr_bytes(g),
                           eyoti_gmem_words(rt, g, (char[EYOTI_WORDS]){0}));
  *out = fab_at(g.unit, FAB_SEG_ATTACHED, d.key + byte);
  return EYOT_OK;
}

uint32_t eyoti_gmem_registered_drop(struct eyot_rt *rt) {
  uint32_t leaks = 0;
  for (uint32_t slot = 0; slot < eyoti_idtab_top(&rt->gmem->regs); slot++) {
    struct eyoti_greg *r = eyoti_idtab_at(&rt->gmem->regs, slot);
    if (r == NULL) continue;
    leaks++;
    (void)registered_drop(rt, slot, r); /* the fabric has logged why, if it refused */
  }
  return leaks;
}
