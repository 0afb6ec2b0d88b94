/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - eyot/count.h: puts the counting endpoint (fabric/count.h) in front of the unit's own,
 * and removes it.
 *
 * While it is there no unit counts as mapped, so that all operations go through the endpoint. The
 * rest of struct eyoti_mapped stays: gmem keeps its table of segments current meanwhile. */
#include "init/count.h"

#include "fabric/count.h"

void eyoti_counting_stop(struct eyot_rt *rt) {
  if (rt->count == NULL) return;
  eyoti_forward_remove(&rt->count->forward, &rt->fab);
  eyoti_count_delete(rt->count);
  rt->mapped.n = rt->counting_mapped_n;
  eyoti_rt_fast_renew(rt);
  rt->count = NULL;
}

int eyot_count_begin(void) {
  EYOTI_ENTER(rt);
  if (rt->count != NULL)
    return EYOTI_FAIL(
        EYOT_ESTATE,
        "this unit counts already: call eyot_count_end before the next eyot_count_begin");
  if (rt->threads != NULL)
    return EYOTI_FAIL(EYOT_ENOTSUP,
                      "a unit whose level of threads is EYOT_THREAD_MULTIPLE cannot count: others "
                      "of its threads may be in calls; ask for EYOT_THREAD_SERIALIZED");
  struct eyoti_count *c;
  EYOTI_TRY(eyoti_count_new(rt->fab, &c));
  rt->counting_mapped_n = rt->mapped.n;
  rt->mapped.n = 0;
  eyoti_forward_add(&c->forward, &rt->fab);
  eyoti_rt_fast_renew(rt);
  rt->count = c;
  return EYOT_OK;
}

int eyot_count_read(eyot_counts_t *counts) {
  EYOTI_ENTER(rt);
  if (counts == NULL) return EYOTI_FAIL(EYOT_EINVAL, "counts is NULL");
  if (rt->count == NULL)
    return EYOTI_FAIL(EYOT_ESTATE, "this unit does not count: call eyot_count_begin first");
  *counts = rt->count->counts;
  return EYOT_OK;
}

int eyot_count_end(void) {
  EYOTI_ENTER(rt);
  if (rt->count == NULL)
    return EYOTI_FAIL(EYOT_ESTATE, "this unit does not count: call eyot_count_begin first");
  eyoti_counting_stop(rt);
  return EYOT_OK;
}
