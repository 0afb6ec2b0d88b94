/* sync.h - synchronisation as the layers above see it. This layer keeps no state of its own: a barrier lives in its team's control block.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EYOT_SYNC_LAYER_H
#define EYOT_SYNC_LAYER_H

#include "../teams/teams.h"

/* Returns after every member of the team has entered. Collective over the team, blocking. Errors: the fabric's. */
int eyoti_sync_barrier(struct eyot_rt *rt, struct eyoti_team *t);
#endif
