/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - collectives as rt sees them. Their state lives in struct eyoti_team (scratch and
 * sequence number). */
#ifndef EYOT_COLL_COLL_H
#define EYOT_COLL_COLL_H

#include <eyot/coll.h>

#include "teams/teams.h"

/* local: registers how scratch is dropped before a team is destroyed */
int eyoti_coll_start(struct eyot_rt *rt);
/* Releases the scratch of EYOT_TEAM_ALL. Collective over all units, blocking; before gmem stops.
 * Errors: the fabric's. */
int eyoti_coll_stop(struct eyot_rt *rt);
#endif
