/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.c - completion and ordering of the caller's operations: the flush, order and sync functions
 * of eyot/rma.h. */
#include "rma/rma.h"

int eyoti_rma_check_unit(const struct eyot_rt *rt, eyot_unit_t unit) {
  if (unit.id < rt->fab->n) return EYOT_OK;
  return EYOTI_FAIL(EYOT_EUNIT, "unit %u does not exist, expected 0..%u", unit.id, rt->fab->n - 1);
}

int eyoti_rma_flush_at(struct eyot_rt *rt, fab_unit_t unit, eyot_level_t level) {
  if (level != EYOT_LOCAL && level != EYOT_REMOTE)
    return EYOTI_FAIL(EYOT_EINVAL, "completion level %d is neither EYOT_LOCAL nor EYOT_REMOTE",
                      (int)level);
  int rc = level == EYOT_REMOTE ? eyoti_rma_flush(rt, unit) : fab_flush(rt->fab, unit, FAB_LOCAL);
  /* the caller may free its buffers also after an error */
  if (rc != EYOT_OK) fab_settle(rt->fab, unit);
  return rc;
}

int eyoti_rma_flush(struct eyot_rt *rt, fab_unit_t unit) {
  /* their operations are of the default set */
  if (rt->rma->follows != NULL && fab_set_covers(rt->fab->set, FAB_SET_DEFAULT))
    eyoti_follow_push(rt, unit);
  int rc = EYOT_OK;
  if (eyoti_rma_packs(rt)) rc = eyoti_blocks_release(rt);
  int rc_flush = fab_flush(rt->fab, unit, FAB_REMOTE);
  return rc != EYOT_OK ? rc : rc_flush;
}

int eyoti_flush_call(eyot_unit_t unit, eyot_level_t level) {
  EYOTI_ENTER_AS(rt, "eyot_flush");
  EYOTI_TRY(eyoti_rma_check_unit(rt, unit));
  return eyoti_rma_flush_at(rt, unit.id, level);
}

int eyoti_flush_all_call(eyot_level_t level) {
  EYOTI_ENTER_AS(rt, "eyot_flush_all");
  return eyoti_rma_flush_at(rt, FAB_ALL, level);
}

int eyot_order(eyot_unit_t unit) {
  EYOTI_ENTER(rt);
  EYOTI_TRY(eyoti_rma_check_unit(rt, unit));
  return fab_order(rt->fab, unit.id);
}

int eyot_order_all(void) {
  EYOTI_ENTER(rt);
  return fab_order(rt->fab, FAB_ALL);
}

/* The processor's fence covers direct loads and stores. A fabric may hold completed puts in a store
 * buffer of its own (the simulator shows the behavior of hardware), so its full barrier is needed
 * too: a remote flush to the caller itself, which transfers nothing. It also makes polling with
 * eyot_sync enter the fabric. */
int eyot_sync(void) {
  EYOTI_ENTER(rt);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return fab_flush(rt->fab, rt->fab->me, FAB_REMOTE);
}
