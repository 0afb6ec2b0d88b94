/* barrier.c - the barrier: the control plane's exchange without words (dissemination; seed 002 section 2.3, fence). One algorithm, one
 * home. SPDX-License-Identifier: BSD-3-Clause */
#include <eyot/barrier.h>

#include "sync.h"

int eyoti_sync_barrier(struct eyot_rt *rt, struct eyoti_team *t) {
  return eyoti_ctl_exchange(rt->fab, &t->ctl, NULL, NULL, 0);
}

int eyot_barrier(eyot_team_t team) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(eyoti_team_get(rt, team, &t));
  return eyoti_sync_barrier(rt, t);
}
