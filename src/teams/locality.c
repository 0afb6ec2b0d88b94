/* SPDX-License-Identifier: BSD-3-Clause */
/* locality.c - the functions of eyot/locality.h: the location of units, as the fabric's `locate`
 * reports it. */
#include <eyot/locality.h>

#include "rt/rt.h"

int eyot_locate(eyot_unit_t unit, eyot_place_t *place) {
  EYOTI_ENTER(rt);
  if (place == NULL) return EYOTI_FAIL(EYOT_EINVAL, "place is NULL");
  if (unit.id >= rt->fab->n)
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u does not exist: there are %u", unit.id, rt->fab->n);
  return rt->fab->ops->locate(rt->fab, unit.id, place);
}

int eyot_distance(eyot_unit_t a, eyot_unit_t b, eyot_domain_t *level) {
  EYOTI_ENTER(rt);
  if (level == NULL) return EYOTI_FAIL(EYOT_EINVAL, "level is NULL");
  eyot_place_t at_a, at_b;
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc = eyot_locate(a, &at_a);
  if (rc == EYOT_OK) rc = eyot_locate(b, &at_b);
  eyoti_rt_unnest(rt, nest);
  EYOTI_TRY(rc);
  eyot_domain_t shared = a.id == b.id ? EYOT_DOMAIN_UNIT : EYOT_DOMAIN_NUMA;
  while (a.id != b.id && shared < EYOT_DOMAIN_MACHINE && at_a.id[shared] != at_b.id[shared])
    shared++;
  *level = shared;
  return EYOT_OK;
}

int eyot_mapped_units(eyot_unit_t *first, uint32_t *count) {
  EYOTI_ENTER(rt);
  if (first == NULL || count == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", first == NULL ? "first" : "count");
  bool mapped = rt->fab->local.n > 0; /* else the caller's own memory alone */
  *first = (eyot_unit_t){mapped ? rt->fab->local.first : rt->fab->me};
  *count = mapped ? rt->fab->local.n : 1;
  return EYOT_OK;
}

const char *eyot_domain_name(eyot_domain_t level) {
  static const char *const NAMES[EYOT_DOMAIN_COUNT] = {"unit",    "numa",  "node",   "blade",
                                                       "chassis", "group", "machine"};
  return (unsigned)level < EYOT_DOMAIN_COUNT ? NAMES[level] : "?";
}
