/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.c - the collective fence of active target (eyot/pscw.h): flushes all operations, then a
 * barrier of O(log p).
 *
 * Remote completion is release ordering and the barrier's wait acquires, so what a member had put
 * before is seen by all members after. The flush is a full barrier, which covers the caller's
 * direct loads and stores too. Source: Gerstenberger, Besta, Hoefler: Enabling highly-scalable
 * remote memory access programming with MPI-3 one sided, SC 2013, section 2.3. */
#include <eyot/pscw.h>

#include "sync/sync.h"

int eyot_fence(eyot_gptr_t segment) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_gmem_team(rt, segment, &t));
  EYOTI_TRY(eyoti_team_enter(rt, t));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  int rc = eyoti_rma_flush(rt, FAB_ALL);
  /* A member whose operation has failed still meets the others; only this member returns the
   * error. */
  int met = eyoti_ctl_barrier_of(rt->fab, &t->ctl, EYOTI_CTL_FENCE);
  return rc != EYOT_OK ? rc : met;
}
