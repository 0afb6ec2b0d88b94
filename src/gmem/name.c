/* SPDX-License-Identifier: BSD-3-Clause */
/* name.c - eyot_name (eyot/mem.h): the name of an allocation in messages. */
#include <string.h>

#include "gmem/label.h"

/* Names a block also for the messages of other units. */
static int private_name(struct eyot_rt *rt, eyot_gptr_t g, const char *name) {
  EYOTI_TRY(eyoti_made_name(rt, EYOTI_MADE_PRIVATE, eyoti_gptr_place(g), name));
  const struct eyoti_gmem *m = rt->gmem;
  struct eyoti_glabel l;
  char *label = eyoti_gmem_at(m, m->size - eyoti_gptr_place(g) * EYOTI_GMEM_ALIGN - sizeof l);
  memcpy(&l, label, sizeof l);
  eyoti_glabel_name(&l, name);
  memcpy(label, &l, sizeof l);
  return EYOT_OK;
}

int eyot_name(eyot_gptr_t gptr, const char *name) {
  EYOTI_ENTER(rt);
  struct fab_addr at;
  if (name == NULL) return EYOTI_FAIL(EYOT_EINVAL, "name is NULL");
  if (gptr.seg >= EYOTI_SEG_REGISTERED && gptr.unit != rt->fab->me)
    return EYOTI_FAIL(EYOT_EUNIT, "the memory is unit %u's, and only its owner names it: %s",
                      gptr.unit, eyoti_gmem_about(rt, gptr, (char[EYOTI_GONE]){0}));
  if (gptr.seg >= EYOTI_SEG_FIRST && gptr.seg < EYOTI_SEG_REGISTERED) {
    if (eyoti_gmem_collective_find(rt->gmem, gptr) == NULL)
      return EYOTI_FAIL(EYOT_ESEG, "the memory does not exist here: %s",
                        eyoti_gmem_gone(rt, gptr, "it was freed, or is not of a team of this unit",
                                        (char[EYOTI_GONE]){0}));
    return eyoti_made_name(rt, EYOTI_MADE_COLLECTIVE, gptr.seg, name);
  }
  EYOTI_TRY(eyoti_gmem_resolve(rt, gptr, 0, &at));
  if (gptr.seg == EYOTI_SEG_DATA)
    return EYOTI_FAIL(EYOT_ESEG, "the memory is the program's data, whose objects have names");
  return eyoti_gptr_is_private(gptr)
             ? private_name(rt, gptr, name)
             : eyoti_made_name(rt, EYOTI_MADE_REGISTERED, gptr.seg - EYOTI_SEG_REGISTERED, name);
}
