/* SPDX-License-Identifier: BSD-3-Clause */
/* touch.c - eyot_touch (eyot/sheap.h): what plain loads and stores cost on a simulated machine, and
 * whether the program may make them there. */
#include <inttypes.h>

#include "fabric/model.h"
#include "gmem/sheap.h"
#include "gmem/state.h"
#include "rt/observe.h"

#define PS_A_NS 1000u

bool eyoti_sheap_foreign(struct eyot_rt *rt, const void *p, uint64_t bytes, fab_unit_t *unit) {
  uint64_t off;
  return rt->gmem != NULL && rt->fab->ops->seg_find != NULL &&
         rt->fab->ops->seg_find(rt->fab, rt->gmem->seg, p, bytes, unit, &off) &&
         *unit != rt->fab->me && !eyoti_sheap_reaches(rt, *unit);
}

int eyoti_sheap_copied(struct eyot_rt *rt, uint64_t bytes) {
  const struct fab_model *model = rt->fab->ops->model;
  if ((rt->fab->caps & FAB_CAP_VIRTUAL_TIME) == 0 || model == NULL) return EYOT_OK;
  uint64_t ns = (fab_model_node_bytes(model, bytes, 1) + PS_A_NS - 1) / PS_A_NS;
  return ns > 0 ? rt->fab->ops->compute(rt->fab, ns) : EYOT_OK;
}

/* Virtual time of a copy of so many bytes, and of a way to another unit's memory. */
static uint64_t touch_ns(struct eyot_rt *rt, const void *p, uint64_t bytes) {
  const struct fab_model *model = rt->fab->ops->model;
  fab_unit_t unit;
  uint64_t off;
  if ((rt->fab->caps & FAB_CAP_VIRTUAL_TIME) == 0 || model == NULL) return 0;
  uint64_t ps = fab_model_node_bytes(model, bytes, 1);
  if (eyoti_sheap_find(rt, p, 1, &unit, &off) && unit != rt->fab->me) ps += model->node_ps;
  return (ps + PS_A_NS - 1) / PS_A_NS;
}

/* What reaches out of a heap is a mistake; of other memory the process knows no end. */
static int check_reach(struct eyot_rt *rt, const void *p, uint64_t bytes) {
  fab_unit_t unit;
  uint64_t off;
  if (bytes > UINTPTR_MAX - (uintptr_t)p)
    return EYOTI_FAIL(EYOT_EINVAL, "%" PRIu64 " bytes from %p are more than memory can hold", bytes,
                      p);
  if (rt->gmem == NULL || eyoti_sheap_find(rt, p, bytes, &unit, &off) ||
      !eyoti_sheap_find(rt, p, 1, &unit, &off))
    return EYOT_OK;
  return EYOTI_FAIL(EYOT_ERANGE, "%" PRIu64 " bytes from %p reach out of the heap of unit %u",
                    bytes, p, unit);
}

int eyot_touch(const void *p, uint64_t bytes, eyot_touch_t how) {
  EYOTI_ENTER(rt);
  fab_unit_t unit;
  if ((p == NULL && bytes > 0) || (how != EYOT_TOUCH_READ && how != EYOT_TOUCH_WRITE))
    return EYOTI_FAIL(EYOT_EINVAL, "%s", p == NULL ? "p is NULL" : "how is no eyot_touch_t");
  if (bytes == 0) return EYOT_OK;
  EYOTI_TRY(check_reach(rt, p, bytes));
  if (eyoti_sheap_foreign(rt, p, bytes, &unit))
    return EYOTI_FAIL(EYOT_EUNIT,
                      "%p is in the heap of unit %u on another node: on a cluster this access is a "
                      "segmentation fault; use a global pointer (eyot_sheap_gptr)",
                      p, unit);
  if (__builtin_expect(rt->observed, 0))
    eyoti_observe_touch_now(rt, p, bytes,
                            how == EYOT_TOUCH_WRITE ? FAB_TOUCH_STORE : FAB_TOUCH_LOAD);
  uint64_t ns = touch_ns(rt, p, bytes);
  return ns > 0 ? rt->fab->ops->compute(rt->fab, ns) : EYOT_OK;
}
