/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h - start and stop of the collectives, for init/. Their state is in struct eyoti_team
 * (scratch and sequence number). Thread rule: one thread of a unit at a time. */
#ifndef EYOT_COLL_COLL_H
#define EYOT_COLL_COLL_H

#include <eyot/coll.h>

#include "teams/teams.h"

/* More than any process can address, so that a length beyond it is the program's mistake. */
#define EYOTI_COLL_BYTES_MOST (INT64_C(1) << 57)

/* local: registers the function that frees scratch before a team is destroyed */
int eyoti_coll_start(struct eyot_rt *rt);
/* Ends the collectives of EYOT_TEAM_ALL. Collective over all units, blocking; before gmem stops.
 * *met: the last thing that it has sent to others was an exchange over all units, the same on all.
 * Errors: EMISMATCH, the fabric's. */
int eyoti_coll_end(struct eyot_rt *rt, bool *met);
/* Frees the state of collectives, after an exchange over all units that has ended so. Where it went
 * well, first compares the calls of the teams that are left: collective. Errors: EMISMATCH, the
 * fabric's. */
int eyoti_coll_stop(struct eyot_rt *rt, int ended);
#endif
