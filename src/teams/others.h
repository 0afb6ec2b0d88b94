/* SPDX-License-Identifier: BSD-3-Clause */
/* others.h - which other function a member of a team has called, where an exchange of the control
 * plane finds that members differ. For team.c and words.c.
 *
 * Why it exists: an exchange tells its members that they differ, and no more, and each knows its
 * own call. The simulator's report has the calls of all members; over MPI they tell each other the
 * names once the exchange is over. */
#ifndef EYOT_TEAMS_OTHERS_H
#define EYOT_TEAMS_OTHERS_H

#include "teams/teams.h"

/* Bytes of the memory in which members receive names, which must be zero; 0: they do not tell. */
uint64_t eyoti_others_bytes(const struct fab *f);
/* Lets the team's exchanges ask, if its calls are numbered. Its handle and its control block are
 * set. Local. */
void eyoti_others_set(struct eyoti_team *t);
#endif
