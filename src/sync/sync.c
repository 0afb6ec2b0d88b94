/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c - start and stop of the synchronization layer; init.c calls them. */
#include "sync/sync.h"

#include <stdlib.h>

int eyoti_sync_start(struct eyot_rt *rt) {
  EYOTI_ASSERT(rt->sync == NULL && rt->gmem != NULL);
  rt->sync = eyoti_slack_new(sizeof *rt->sync);
  return rt->sync != NULL ? EYOT_OK
                          : EYOTI_FAIL(EYOT_ENOMEM, "no memory for the state of synchronization");
}

void eyoti_sync_stop(struct eyot_rt *rt) {
  if (rt->sync == NULL) return;
  eyoti_locks_stop(rt);
  eyoti_pscws_stop(rt);
  eyoti_counters_stop(rt);
  eyoti_barriers_stop(rt);
  eyoti_slack_free(rt->sync);
  rt->sync = NULL;
}
